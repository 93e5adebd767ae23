//! Arrays that lie on a device between runs.
//!
//! A [`DeviceArray`] is dense and row-major from the start of its block on, as an [`Array`] of the host is; [`Placed`] is a value that lies
//! here or there. Copies in either direction count as the memory's traffic.

use std::sync::Arc;

use warpwise_prim::{ScalarType, ValueType};

use super::memory::{DeviceBlock, DeviceMemory, NoBlock};
use crate::array::{Array, Shape, Value, element_count, type_text};
use crate::memory::{MemoryPool, OutOfMemory};

/// A dense row-major array on a device; clones share the elements.
#[derive(Clone, Debug)]
pub struct DeviceArray {
    elem: ScalarType,
    shape: Shape,
    data: Arc<DeviceBlock>,
}

/// A value where it lies.
#[derive(Clone, Debug)]
pub enum Placed {
    /// With the host.
    Host(Value),
    /// An array on a device, with the surface type of its elements.
    Device(ValueType, DeviceArray),
}

impl DeviceArray {
    /// An array with unspecified elements.
    pub fn allocate(memory: &DeviceMemory, elem: ScalarType, shape: &[i64]) -> Result<DeviceArray, NoBlock> {
        let bytes = element_count(shape).and_then(|count| count.checked_mul(elem.bytes() as u64));
        let asked = bytes.unwrap_or(u64::MAX);
        let data = memory.allocate(asked)?;
        Ok(DeviceArray { elem, shape: Shape::from_slice(shape), data })
    }

    /// The array that lies at the start of `data`; `None` when the block is too small for it or a size is negative.
    pub fn from_block(elem: ScalarType, shape: &[i64], data: Arc<DeviceBlock>) -> Option<DeviceArray> {
        let bytes = element_count(shape)?.checked_mul(elem.bytes() as u64)?;
        (bytes <= data.bytes()).then(|| DeviceArray { elem, shape: Shape::from_slice(shape), data })
    }

    /// A copy of an array of the host.
    pub fn from_host(memory: &DeviceMemory, array: &Array) -> Result<DeviceArray, NoBlock> {
        let copy = DeviceArray::allocate(memory, array.elem(), array.shape())?;
        copy.data.write(0, array.bytes())?;
        Ok(copy)
    }

    /// A copy on the host, when everything that was asked of the device is done.
    pub fn to_host(&self, memory: &MemoryPool) -> Result<Array, NoBlock> {
        let refused: fn(OutOfMemory) -> NoBlock = NoBlock::OutOfMemory;
        let mut array = Array::allocate(memory, self.elem, &self.shape).map_err(refused)?;
        self.data.read(0, array.bytes_mut(memory).map_err(refused)?)?;
        Ok(array)
    }

    /// A copy in the same memory.
    pub fn copied(&self) -> Result<DeviceArray, NoBlock> {
        Ok(DeviceArray { elem: self.elem, shape: self.shape.clone(), data: self.data.copied()? })
    }

    /// The type of the elements.
    pub fn elem(&self) -> ScalarType {
        self.elem
    }

    /// The sizes, outermost first.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// The block that holds the elements, from its start on.
    pub fn data(&self) -> &Arc<DeviceBlock> {
        &self.data
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> u64 {
        element_count(&self.shape).unwrap_or(0) * self.elem.bytes() as u64
    }
}

impl Placed {
    /// The surface type of the scalar, or of the elements.
    pub fn element_type(&self) -> ValueType {
        match self {
            Placed::Host(value) => value.element_type(),
            Placed::Device(ty, _) => *ty,
        }
    }

    /// The sizes; none for a scalar.
    pub fn shape(&self) -> &[i64] {
        match self {
            Placed::Host(value) => value.shape(),
            Placed::Device(_, array) => array.shape(),
        }
    }

    /// The type with its sizes: `[2][3]f32`.
    pub fn type_text(&self) -> String {
        type_text(self.element_type(), self.shape())
    }

    /// The value on the host; an array of a device is copied there.
    pub fn to_host(&self, memory: &MemoryPool) -> Result<Value, NoBlock> {
        match self {
            Placed::Host(value) => Ok(value.clone()),
            Placed::Device(ty, array) => Ok(Value::array(*ty, array.to_host(memory)?)),
        }
    }

    /// The value for programs of a device: its arrays are copied there if they are the host's.
    pub fn to_device(&self, memory: &DeviceMemory) -> Result<Placed, NoBlock> {
        match self {
            Placed::Host(Value::Array { ty, array }) => {
                Ok(Placed::Device(*ty, DeviceArray::from_host(memory, array)?))
            }
            Placed::Host(Value::Scalar { .. }) | Placed::Device(..) => Ok(self.clone()),
        }
    }
}
