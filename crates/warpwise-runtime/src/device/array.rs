//! Arrays that stay on a device between runs.
//!
//! A [`DeviceArray`] is dense and row-major from the start of its block on, like the host's [`Array`]; [`Placed`] is a value on
//! the host or on a device. Copies in either direction count as the memory's traffic.

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

/// A value on the host or on a device.
#[derive(Clone, Debug)]
pub enum Placed {
    /// A value on the host.
    Host(Value),
    /// An array on a device, with the surface type of its elements.
    Device(ValueType, DeviceArray),
}

impl DeviceArray {
    /// Allocates an array with unspecified elements.
    pub fn allocate(memory: &DeviceMemory, elem: ScalarType, shape: &[i64]) -> Result<DeviceArray, NoBlock> {
        let bytes = element_count(shape).and_then(|count| count.checked_mul(elem.bytes() as u64));
        let asked = bytes.unwrap_or(u64::MAX);
        let data = memory.allocate(asked)?;
        Ok(DeviceArray { elem, shape: Shape::from_slice(shape), data })
    }

    /// Returns the array that lies at the start of `data`, or `None` if the block is too small or a size is negative.
    pub fn from_block(elem: ScalarType, shape: &[i64], data: Arc<DeviceBlock>) -> Option<DeviceArray> {
        let bytes = element_count(shape)?.checked_mul(elem.bytes() as u64)?;
        (bytes <= data.bytes()).then(|| DeviceArray { elem, shape: Shape::from_slice(shape), data })
    }

    /// Copies an array from the host to the device.
    pub fn from_host(memory: &DeviceMemory, array: &Array) -> Result<DeviceArray, NoBlock> {
        let copy = DeviceArray::allocate(memory, array.elem(), array.shape())?;
        copy.data.write(0, array.bytes())?;
        Ok(copy)
    }

    /// Copies the array to the host when all earlier commands of the device are done.
    pub fn to_host(&self, memory: &MemoryPool) -> Result<Array, NoBlock> {
        let refused: fn(OutOfMemory) -> NoBlock = NoBlock::OutOfMemory;
        let mut array = Array::allocate(memory, self.elem, &self.shape).map_err(refused)?;
        self.data.read(0, array.bytes_mut(memory).map_err(refused)?)?;
        Ok(array)
    }

    /// Copies the array within the same memory.
    pub fn copied(&self) -> Result<DeviceArray, NoBlock> {
        Ok(DeviceArray { elem: self.elem, shape: self.shape.clone(), data: self.data.copied()? })
    }

    /// Returns the element type.
    pub fn elem(&self) -> ScalarType {
        self.elem
    }

    /// Returns the sizes, outermost first.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// Returns the block whose start holds the elements.
    pub fn data(&self) -> &Arc<DeviceBlock> {
        &self.data
    }

    /// Returns the size of all elements in bytes.
    pub fn bytes(&self) -> u64 {
        element_count(&self.shape).unwrap_or(0) * self.elem.bytes() as u64
    }
}

impl Placed {
    /// Returns the surface type of the scalar or of the elements.
    pub fn element_type(&self) -> ValueType {
        match self {
            Placed::Host(value) => value.element_type(),
            Placed::Device(ty, _) => *ty,
        }
    }

    /// Returns the sizes; a scalar has none.
    pub fn shape(&self) -> &[i64] {
        match self {
            Placed::Host(value) => value.shape(),
            Placed::Device(_, array) => array.shape(),
        }
    }

    /// Returns the type with its sizes: `[2][3]f32`.
    pub fn type_text(&self) -> String {
        type_text(self.element_type(), self.shape())
    }

    /// Returns the value on the host; a device's array is copied there.
    pub fn to_host(&self, memory: &MemoryPool) -> Result<Value, NoBlock> {
        match self {
            Placed::Host(value) => Ok(value.clone()),
            Placed::Device(ty, array) => Ok(Value::array(*ty, array.to_host(memory)?)),
        }
    }

    /// Returns the value for programs on a device: an array of the host is copied there, a scalar stays on the host.
    pub fn to_device(&self, memory: &DeviceMemory) -> Result<Placed, NoBlock> {
        match self {
            Placed::Host(Value::Array { ty, array }) => {
                Ok(Placed::Device(*ty, DeviceArray::from_host(memory, array)?))
            }
            Placed::Host(Value::Scalar { .. }) | Placed::Device(..) => Ok(self.clone()),
        }
    }
}
