//! Arrays that stay on a device between calls.

use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use warpwise_driver::{Context, Target};
use warpwise_prim::ValueType;
use warpwise_runtime::device::array::{DeviceArray as Lying, Placed};
use warpwise_runtime::device::memory::{DeviceMemory, NoBlock};
use warpwise_runtime::memory::MemoryPool;

use crate::copies;
use crate::dlpack::give::Lendable;
use crate::dlpack::take::Lent;
use crate::dlpack::{self, Device};
use crate::error::{Error, InternalError, RunError, out_of_memory};
use crate::numpy::{self, dtype_name};

/// An array in a device's memory, returned by `program.entry.resident(...)`. Entry points of programs on that device take it without a
/// copy; `numpy()` and `numpy.asarray` copy it to the host. For an array on a CUDA device, `from_dlpack` of other libraries (PyTorch,
/// CuPy, JAX) takes it in place: both see the same memory from then on.
#[pyclass(frozen, module = "warpwise")]
pub struct DeviceArray {
    ty: ValueType,
    array: Lying,
    device: Target,
    /// The host's memory, for copies.
    memory: MemoryPool,
}

impl DeviceArray {
    /// Wraps an array on a device. If others see the same memory, it is copied on the device first, as for results on the host: other
    /// libraries may write to the array.
    pub fn new(ty: ValueType, array: Lying, device: Target, memory: &MemoryPool) -> PyResult<DeviceArray> {
        let array = if array.data().is_own() {
            array
        } else {
            copies::note(array.bytes() as usize);
            array.copied().map_err(refused)?
        };
        Ok(DeviceArray { ty, array, device, memory: memory.clone() })
    }

    /// Returns its element type and its shape.
    pub fn kind(&self) -> (ValueType, &[i64]) {
        (self.ty, self.array.shape())
    }

    /// Returns the array as an argument for a program on `device` in `context`. An array elsewhere is copied to the host.
    pub fn placed(&self, device: Target, context: &Context) -> PyResult<Placed> {
        let own = memory_of(device, context)?;
        if own.is_some_and(|own| self.array.data().is_of(&own)) {
            return Ok(Placed::Device(self.ty, self.array.clone()));
        }
        copies::note(self.array.bytes() as usize);
        let there = Placed::Device(self.ty, self.array.clone());
        there.to_host(context.memory()).map(Placed::Host).map_err(refused)
    }

    /// Describes the array for messages: `float32 array of shape (2, 3) on opencl:0`.
    pub fn describe(&self) -> String {
        let shape = numpy::shape_text(self.array.shape());
        format!("{} array of shape {shape} on {}", dtype_name(self.ty), self.device)
    }
}

#[pymethods]
impl DeviceArray {
    /// The size of each dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.array.shape())
    }

    /// The element type, as a NumPy dtype.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy::module(py)?.call_method1("dtype", (dtype_name(self.ty),))
    }

    /// The device that it lies on, in the form that `compile` takes.
    #[getter]
    fn device(&self) -> String {
        self.device.to_string()
    }

    /// The size of all elements, in bytes.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.array.bytes()
    }

    /// Returns a copy on the host, after the device has finished all earlier work.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let copy = py.detach(|| self.array.to_host(&self.memory)).map_err(refused)?;
        copies::note(self.array.bytes() as usize);
        numpy::give(py, self.ty, copy, &[], &self.memory)
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            let message = format!("{}: NumPy needs a copy of it", self.describe());
            return Err(PyValueError::new_err(message));
        }
        numpy::with_dtype(self.numpy(py)?, dtype)
    }

    /// Returns the device that it lies on, by DLPack's numbers.
    fn __dlpack_device__(&self) -> (i32, i32) {
        let Device { kind, number } = Device::of(self.device);
        (kind, number)
    }

    /// Lends the array to `from_dlpack` of other libraries: in place on a CUDA device, or as a copy on the processor. The device's
    /// earlier work is done before any later work in `stream`.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let own = Device::of(self.device);
        let wanted = dl_device.map_or(own, |(kind, number)| Device { kind, number });
        if wanted == dlpack::PROCESSOR && copy != Some(false) {
            let options = PyDict::new(py);
            options.set_item("max_version", max_version)?;
            return self.numpy(py)?.call_method("__dlpack__", (), Some(&options));
        }
        if wanted != own || !own.is_cuda() {
            return Err(PyBufferError::new_err(format!(
                "{}: only arrays on CUDA devices are lent, and there; copy it to the processor (`numpy()`)",
                self.describe()
            )));
        }
        if stream == Some(0) {
            return Err(PyValueError::new_err(
                "stream 0 may mean two: 1 is CUDA's default one, 2 that of the thread",
            ));
        }
        let lend = || {
            let array = if copy == Some(true) { self.array.copied()? } else { self.array.clone() };
            // Some streams do not wait for the default stream, where programs run.
            if !matches!(stream, None | Some(-1 | 1)) {
                array.data().finish()?;
            }
            Lendable::new(self.ty, &array, own)
        };
        Ok(py.detach(lend).map_err(refused)?.capsule(py, max_version)?.into_any())
    }

    fn __len__(&self) -> PyResult<usize> {
        let size = self.array.shape().first();
        size.map(|&size| size as usize)
            .ok_or_else(|| PyTypeError::new_err("an array of no dimensions has no length"))
    }

    fn __repr__(&self) -> String {
        format!("<{}>", self.describe())
    }
}

/// Takes a tensor of another library that lies on the device where programs of a context run.
pub fn taken(
    ty: ValueType,
    lent: Lent,
    given_away: bool,
    device: Target,
    context: &Context,
) -> PyResult<Placed> {
    let memory = memory_of(device, context)?;
    let memory = memory.ok_or_else(|| InternalError::new_err("the processor lends no tensors"))?;
    lent.take(ty, given_away, &memory)?.map(|array| Placed::Device(ty, array)).map_err(refused)
}

/// Returns the memory of a device that programs of a context use; `None` for the processor.
fn memory_of(device: Target, context: &Context) -> PyResult<Option<DeviceMemory>> {
    match device {
        Target::Cpu => Ok(None),
        Target::Device(dialect, number) => {
            let memory = context.device_memory(dialect, number);
            memory.map(Some).map_err(|error| Error::new_err(error.to_string()))
        }
    }
}

/// Returns the exception for a failed copy from or to a device.
pub fn refused(why: NoBlock) -> PyErr {
    match why {
        NoBlock::OutOfMemory(error) => out_of_memory(&error),
        NoBlock::Driver(message) => RunError::new_err(message),
    }
}
