//! Lending of arrays on a CUDA device.

use std::ffi::c_void;
use std::ptr::NonNull;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use warpwise_prim::ValueType;
use warpwise_runtime::device::array::DeviceArray;
use warpwise_runtime::device::memory::{Access, NoBlock, Pin};

use super::Device;
use super::tensor::{Element, Handover, Managed, Tensor, Versioned};

/// An array on a device, kept in place so that it can be lent.
pub struct Lendable {
    element: Element,
    shape: Vec<i64>,
    device: Device,
    pin: Pin,
}

/// Data that must live as long as the tensor is lent.
struct Lent {
    shape: Vec<i64>,
    strides: Vec<i64>,
    _pin: Pin,
}

impl Lendable {
    /// Pins an array in place on the device. The borrower may write to it.
    pub fn new(ty: ValueType, array: &DeviceArray, device: Device) -> Result<Lendable, NoBlock> {
        let pin = array.data().pin(Access::Write)?;
        Ok(Lendable { element: Element::of(ty), shape: array.shape().to_vec(), device, pin })
    }

    /// Returns the capsule that lends the array to a borrower who understands this version of the protocol.
    pub fn capsule(self, py: Python<'_>, understood: Option<(u32, u32)>) -> PyResult<Bound<'_, PyCapsule>> {
        match understood {
            Some((1.., _)) => self.handed_over::<Versioned>(py),
            Some((0, _)) | None => self.handed_over::<Managed>(py),
        }
    }

    fn handed_over<H: Handover>(self, py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
        let Lendable { element, shape, device, pin } = self;
        let data = pin.buffer().0 as usize as *mut c_void;
        let strides = row_major(&shape);
        let mut lent = Box::new(Lent { shape, strides, _pin: pin });
        let (shape, strides) = (lent.shape.as_mut_ptr(), lent.strides.as_mut_ptr());
        let tensor =
            Tensor { data, device, rank: lent.shape.len() as i32, element, shape, strides, offset: 0 };
        let tensor = NonNull::from(Box::leak(Box::new(H::new(tensor, lent))));
        // SAFETY: the pointer has the type that capsules of this name hold, and lives until it is given back.
        unsafe {
            PyCapsule::new_with_pointer_and_destructor(py, tensor.cast(), H::NAME, Some(destroyed::<H>))
        }
    }
}

/// Returns the row-major strides of a shape, in elements.
fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1_i64; shape.len()];
    for at in (1..shape.len()).rev() {
        // If one size is 0, the others may be arbitrarily large.
        strides[at - 1] = strides[at].saturating_mul(shape[at].max(1));
    }
    strides
}

/// Gives back the tensor of a capsule that ends. If the capsule still has its first name, nobody took the tensor.
unsafe extern "C" fn destroyed<H: Handover>(capsule: *mut ffi::PyObject) {
    // SAFETY: the interpreter destroys a capsule of ours, whose pointer under this name is a tensor that was not given back.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, H::NAME.as_ptr()) != 0 {
            H::give_back(ffi::PyCapsule_GetPointer(capsule, H::NAME.as_ptr()).cast());
        }
    }
}
