//! Taking of tensors of other libraries on a CUDA device.

use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use warpwise_prim::ValueType;
use warpwise_runtime::array::element_count;
use warpwise_runtime::device::Buffer;
use warpwise_runtime::device::array::DeviceArray;
use warpwise_runtime::device::memory::{DeviceMemory, NoBlock};

use super::Device;
use super::tensor::{Handover, Managed, READ_ONLY, Tensor, VERSION, Versioned};

/// The stream in which programs run: CUDA's default stream. The lender makes sure that its earlier work on other streams is done before.
const STREAM: i32 = 1;

/// A tensor lent by another library; given back when it is dropped.
pub struct Lent {
    handover: Kind,
}

enum Kind {
    Managed(NonNull<Managed>),
    Versioned(NonNull<Versioned>),
}

// SAFETY: the protocol lets a tensor be read and given back by any thread.
unsafe impl Send for Lent {}
// SAFETY: as above; shared tensors are only read.
unsafe impl Sync for Lent {}

impl Lent {
    /// Takes the tensor that an object lends. The object has said that it lies on `device`.
    pub fn of(object: &Bound<'_, PyAny>, device: Device) -> PyResult<Lent> {
        let capsule = asked(object)?;
        let capsule = capsule.cast::<PyCapsule>()?;
        let handover = if capsule.is_valid_checked(Some(Versioned::NAME)) {
            Kind::Versioned(taken(capsule)?)
        } else {
            Kind::Managed(taken(capsule)?)
        };
        let lent = Lent { handover };
        if let Kind::Versioned(versioned) = lent.handover {
            // SAFETY: the version has the same place in every version.
            let (major, minor) = unsafe { (*versioned.as_ptr()).version };
            if major != VERSION.0 {
                return Err(PyValueError::new_err(format!(
                    "its DLPack is of version {major}.{minor}, which is not known"
                )));
            }
        }
        let found = lent.tensor().device;
        if found != device {
            return Err(PyValueError::new_err(format!(
                "it says to lie on {device}, and lends what lies on {found}"
            )));
        }
        Ok(lent)
    }

    fn tensor(&self) -> &Tensor {
        // SAFETY: the tensor was taken, and is given back when this is dropped.
        unsafe {
            match self.handover {
                Kind::Managed(managed) => &(*managed.as_ptr()).tensor,
                Kind::Versioned(versioned) => &(*versioned.as_ptr()).tensor,
            }
        }
    }

    fn is_read_only(&self) -> bool {
        match self.handover {
            Kind::Managed(_) => false,
            // SAFETY: as for `tensor`.
            Kind::Versioned(versioned) => unsafe { (*versioned.as_ptr()).flags & READ_ONLY != 0 },
        }
    }

    /// Returns the element type, if it is one that programs have.
    pub fn element(&self) -> Option<ValueType> {
        self.tensor().element.value_type()
    }

    /// Returns the size of each dimension.
    pub fn shape(&self) -> &[i64] {
        self.sizes(self.tensor().shape)
    }

    /// Returns the addresses of the elements, of type `ty`, of a dense tensor.
    pub fn extent(&self, ty: ValueType) -> Range<u64> {
        let start = (self.tensor().data as u64).wrapping_add(self.tensor().offset);
        let bytes = element_count(self.shape()).unwrap_or(0).saturating_mul(ty.scalar().bytes() as u64);
        start..start.saturating_add(bytes)
    }

    fn sizes(&self, start: *const i64) -> &[i64] {
        let rank = self.tensor().rank.max(0) as usize;
        // SAFETY: shapes and strides have as many elements as there are dimensions, and live as long as the tensor.
        if rank == 0 || start.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(start, rank) } }
    }

    /// Returns whether the tensor is contiguous in row-major order. A dimension of size 1 may have any stride.
    fn is_dense(&self) -> bool {
        let strides = self.sizes(self.tensor().strides);
        let mut wanted = 1;
        self.shape().iter().zip(strides).rev().all(|(&size, &stride)| {
            let fits = size == 1 || stride == wanted;
            wanted *= size;
            fits
        })
    }

    /// Returns the elements as an array on the device, without a copy. An array that is given away may be overwritten in place.
    pub fn take(
        self,
        ty: ValueType,
        given_away: bool,
        memory: &DeviceMemory,
    ) -> PyResult<Result<DeviceArray, NoBlock>> {
        let width = ty.scalar().bytes() as u64;
        let bytes = element_count(self.shape()).and_then(|count| count.checked_mul(width));
        let bytes =
            bytes.ok_or_else(|| PyValueError::new_err("it announces more elements than there can be"))?;
        if bytes == 0 {
            return Ok(DeviceArray::allocate(memory, ty.scalar(), self.shape()));
        }
        if !self.is_dense() {
            return Err(PyValueError::new_err(
                "its elements do not lie one after the other in row-major order; make it so first (`.contiguous()` of PyTorch, \
                 `cupy.ascontiguousarray`)",
            ));
        }
        let start = (self.tensor().data as u64).wrapping_add(self.tensor().offset);
        if self.tensor().data.is_null() || !start.is_multiple_of(width) {
            return Err(PyValueError::new_err("its elements lie where no elements of their type can"));
        }
        let (shape, may_write) = (self.shape().to_vec(), given_away && !self.is_read_only());
        // SAFETY: the block keeps the tensor, whose elements take `bytes` bytes. A write from another thread or stream during a call is a
        // race, as with every library that shares tensors.
        let block = unsafe { memory.lent(Buffer(start), bytes, may_write, Arc::new(self)) };
        let array = DeviceArray::from_block(ty.scalar(), &shape, block);
        array.map(Ok).ok_or_else(|| PyValueError::new_err("the array is too large"))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let give_back = |_: Python<'_>| {
            // SAFETY: the tensor was taken, and `self` is its only owner.
            unsafe {
                match self.handover {
                    Kind::Managed(managed) => Managed::give_back(managed.as_ptr()),
                    Kind::Versioned(versioned) => Versioned::give_back(versioned.as_ptr()),
                }
            }
        };
        // The owner may be a Python object. Once the interpreter has ended, nobody is left to give the tensor back to.
        let _ = Python::try_attach(give_back);
    }
}

/// Asks an object for its capsule, in a version of the protocol that both sides know.
fn asked<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let options = PyDict::new(py);
    options.set_item("stream", STREAM)?;
    options.set_item("max_version", VERSION)?;
    match object.call_method("__dlpack__", (), Some(&options)) {
        // Libraries without versions do not know the keyword `max_version`.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            options.del_item("max_version")?;
            object.call_method("__dlpack__", (), Some(&options))
        }
        given => given,
    }
}

/// Takes the tensor out of a capsule. Afterwards nobody can take it again.
fn taken<H: Handover>(capsule: &Bound<'_, PyCapsule>) -> PyResult<NonNull<H>> {
    let pointer = capsule.pointer_checked(Some(H::NAME))?;
    // SAFETY: the capsule is alive, and the name lives as long as the program.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), H::TAKEN.as_ptr()) } != 0 {
        return Err(PyErr::fetch(capsule.py()));
    }
    Ok(pointer.cast())
}
