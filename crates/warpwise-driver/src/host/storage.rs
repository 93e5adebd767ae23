//! The storage of tensors between calls.
//!
//! Results of accelerated code stay where they were written, on the device or in the memory of compiled code. The host fetches them
//! when it reads them; until then the next call uses them in place.

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

use warpwise_mexpr::host::items::{Items, Numbers};
use warpwise_mexpr::host::tensor::{Away, Blank, Buffer};
use warpwise_prim::{ScalarType, ValueType};
use warpwise_runtime::array::{Array, Value, element_count};
use warpwise_runtime::device::array::{DeviceArray, Placed};
use warpwise_runtime::device::memory::DeviceMemory;
use warpwise_runtime::memory::MemoryPool;

use crate::host::marshal::Lent;
use crate::host::recorded::Moved;
use crate::host::tensors::TensorError;

/// The memories that hold arrays, and a count of fetched values.
pub(crate) struct Storage {
    /// Memory of compiled code.
    pub(crate) memory: MemoryPool,
    /// Memory of the device, if compiled code runs on one.
    pub(crate) device: Option<DeviceMemory>,
    /// Number of values that the host has fetched from the device.
    pub(crate) fetched: Rc<Cell<Moved>>,
}

/// The elements of a whole buffer that a call left on the device.
#[derive(Debug)]
struct Left {
    array: DeviceArray,
    memory: MemoryPool,
    fetched: Rc<Cell<Moved>>,
}

impl Away for Left {
    fn count(&self) -> usize {
        element_count(self.array.shape()).unwrap_or(0) as usize
    }

    fn fetch(&self) -> Result<Items, String> {
        let array = self.array.to_host(&self.memory).map_err(|error| error.to_string())?;
        self.fetched.set(self.fetched.get() + Moved::of_array(&array));
        Ok(lent(array))
    }
}

/// Returns the elements of an array, in place.
fn lent(array: Array) -> Items {
    match array.elem() {
        ScalarType::F64 => Items::Floats(Numbers::Lent(Rc::new(Lent(array)))),
        _ => Items::Ints(Numbers::Lent(Rc::new(Lent(array)))),
    }
}

impl Storage {
    /// Returns the contents of a whole buffer that was written.
    pub(crate) fn written(&self, placed: Placed) -> Option<Buffer> {
        match placed {
            Placed::Host(Value::Array { array, .. }) => Some(Buffer::Here(lent(array))),
            Placed::Host(Value::Scalar { .. }) => None,
            Placed::Device(_, array) => {
                let (memory, fetched) = (self.memory.clone(), self.fetched.clone());
                Some(Buffer::Away(Box::new(Left { array, memory, fetched })))
            }
        }
    }

    /// Returns the array of this shape in which the buffer's elements already lie, or an array of zeros if nothing was written yet.
    /// `None` if the elements must be copied.
    pub(crate) fn there(&self, buffer: &Buffer, shape: &[i64]) -> Result<Option<Placed>, TensorError> {
        let lender: &dyn Any = match buffer {
            Buffer::Here(Items::Ints(Numbers::Lent(lender))) if self.device.is_none() => &**lender,
            Buffer::Here(Items::Floats(Numbers::Lent(lender))) if self.device.is_none() => &**lender,
            Buffer::Here(_) => return Ok(None),
            Buffer::Away(away) => return self.away(&**away, shape),
        };
        let array = lender.downcast_ref::<Lent>().and_then(|Lent(array)| array.reshape(shape));
        Ok(array.map(|array| Placed::Host(value(array))))
    }

    fn away(&self, away: &dyn Any, shape: &[i64]) -> Result<Option<Placed>, TensorError> {
        if let Some(blank) = away.downcast_ref::<Blank>() {
            let elem = if matches!(blank, Blank::Ints(_)) { ScalarType::I64 } else { ScalarType::F64 };
            return self.zeros(elem, shape).map(Some);
        }
        let reshaped = |Left { array, .. }: &Left| {
            let array = DeviceArray::from_block(array.elem(), shape, array.data().clone())?;
            Some(Placed::Device(value_type(array.elem()), array))
        };
        Ok(away.downcast_ref::<Left>().and_then(reshaped))
    }

    fn zeros(&self, elem: ScalarType, shape: &[i64]) -> Result<Placed, TensorError> {
        let Some(device) = &self.device else {
            let mut array = Array::allocate(&self.memory, elem, shape)?;
            array.bytes_mut(&self.memory)?.fill(0);
            return Ok(Placed::Host(value(array)));
        };
        let array = DeviceArray::allocate(device, elem, shape)?;
        array.data().fill(0, &[0; 8], array.bytes())?;
        Ok(Placed::Device(value_type(elem), array))
    }
}

/// Wraps an array of a tensor's elements as a value.
pub(crate) fn value(array: Array) -> Value {
    Value::array(value_type(array.elem()), array)
}

fn value_type(elem: ScalarType) -> ValueType {
    if elem == ScalarType::F64 { ValueType::F64 } else { ValueType::I64 }
}
