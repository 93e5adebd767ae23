//! Lending arrays that lie on a CUDA device.

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

/// An array on a device that stays where it is.
pub struct Lendable {
    element: Element,
    shape: Vec<i64>,
    device: Device,
    pin: Pin,
}

/// What lives as long as the tensor is lent.
struct Lent {
    shape: Vec<i64>,
    strides: Vec<i64>,
    _pin: Pin,
}

impl Lendable {
    /// Keeps an array on the device where it lies. Whoever gets it may write to it.
    pub fn new(ty: ValueType, array: &DeviceArray, device: Device) -> Result<Lendable, NoBlock> {
        let pin = array.data().pin(Access::Write)?;
        Ok(Lendable { element: Element::of(ty), shape: array.shape().to_vec(), device, pin })
    }

    /// The capsule with which the array is lent to who understands this version of the protocol.
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
        // SAFETY: the pointer is what capsules of this name have, and lives until it is given back.
        unsafe {
            PyCapsule::new_with_pointer_and_destructor(py, tensor.cast(), H::NAME, Some(destroyed::<H>))
        }
    }
}

/// How far apart, in elements, neighbours in each dimension lie.
fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1_i64; shape.len()];
    for at in (1..shape.len()).rev() {
        // Where there are no elements the other sizes may be of any height.
        strides[at - 1] = strides[at].saturating_mul(shape[at].max(1));
    }
    strides
}

/// What happens to a tensor whose capsule ends: nobody took it if the name is still the first one.
unsafe extern "C" fn destroyed<H: Handover>(capsule: *mut ffi::PyObject) {
    // SAFETY: the interpreter ends a capsule of ours, whose pointer under this name is a tensor that was not given back.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, H::NAME.as_ptr()) != 0 {
            H::give_back(ffi::PyCapsule_GetPointer(capsule, H::NAME.as_ptr()).cast());
        }
    }
}
