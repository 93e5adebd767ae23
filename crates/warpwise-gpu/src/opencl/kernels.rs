//! Building texts and launching their kernels.

use std::fmt;
use std::ptr::null;
use std::sync::{Arc, Mutex, PoisonError};

use opencl3::error_codes::ClError;
use opencl3::kernel::Kernel;
use opencl3::memory::ClMem;
use opencl3::program::Program;
use opencl3::types::cl_uint;
use warpwise_prim::Scalar;
use warpwise_runtime::device::{DeviceArgument, DeviceError, DeviceKernel, DeviceKernels};

use super::device::{OpenClDevice, borrowed};
use super::driver;
use crate::kernel_text::{Dialect, KernelText};

/// Work-items of a group where it does not matter. Launches are rounded up to whole groups.
const GROUP: u64 = 64;

/// Kernels built for a device.
pub struct OpenClKernels {
    device: Arc<OpenClDevice>,
    /// A kernel's arguments are part of its state; and the work-items that do an iteration together.
    kernels: Vec<(Mutex<Kernel>, Option<u32>)>,
    /// Holds the code of the kernels.
    program: Program,
}

/// Why a text cannot be built for a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// The device lacks something.
    Missing(String),
    /// The driver's compiler refuses it, in its words.
    Refused(String),
}

impl OpenClKernels {
    /// Builds a text for a device; from the driver's binary of an earlier build where there is one that it still takes.
    pub fn build(
        device: &Arc<OpenClDevice>,
        text: &KernelText,
        binary: Option<&[u8]>,
    ) -> Result<OpenClKernels, BuildError> {
        let description = &device.description;
        if text.features.f64 && !description.f64 {
            return Err(BuildError::Missing(format!("{} does not compute with f64", description.name)));
        }
        if text.features.wide_atomics && !description.wide_atomics {
            let missing = "has no atomic operations on 64-bit words";
            return Err(BuildError::Missing(format!("{} {missing}", description.name)));
        }
        let options = Dialect::OpenCl.build_options();
        let known = binary.and_then(|binary| {
            Program::create_and_build_from_binary(&device.context, &[binary], options).ok()
        });
        let program = match known {
            Some(program) => program,
            None => Program::create_and_build_from_source(&device.context, &text.text, options)
                .map_err(BuildError::Refused)?,
        };
        let kernel = |own: &DeviceKernel| Ok((Mutex::new(Kernel::create(&program, &own.name)?), own.group));
        let kernels: Result<_, ClError> = text.kernels.iter().map(kernel).collect();
        let kernels = kernels.map_err(|error| BuildError::Refused(error.to_string()))?;
        Ok(OpenClKernels { device: Arc::clone(device), kernels, program })
    }

    /// What the driver made of the text, for later builds by the same driver for the same device.
    pub fn binary(&self) -> Option<Vec<u8>> {
        self.program.get_binaries().ok()?.into_iter().next().filter(|binary| !binary.is_empty())
    }
}

impl DeviceKernels for OpenClKernels {
    unsafe fn launch(
        &self,
        kernel: usize,
        arguments: &[DeviceArgument],
        iterations: u64,
    ) -> Result<(), DeviceError> {
        let (kernel, group) = &self.kernels[kernel];
        let kernel = kernel.lock().unwrap_or_else(PoisonError::into_inner);
        for (position, argument) in arguments.iter().enumerate() {
            // SAFETY: by contract the argument is of the parameter's type.
            unsafe { set(&kernel, position as cl_uint, argument) }?;
        }
        let (items, local) = match group {
            Some(size) => (iterations * u64::from(*size), u64::from(*size)),
            None => (iterations.next_multiple_of(GROUP), GROUP),
        };
        let (global, local) = (items as usize, local as usize);
        // SAFETY: all arguments are set; by contract the kernel stays within its memories.
        unsafe { self.device.queue.enqueue_nd_range_kernel(kernel.get(), 1, null(), &global, &local, &[]) }
            .map(drop)
            .map_err(driver)
    }
}

/// Sets an argument.
///
/// # Safety
/// It is of the type of the parameter at this position.
unsafe fn set(kernel: &Kernel, position: cl_uint, argument: &DeviceArgument) -> Result<(), DeviceError> {
    // SAFETY: by contract; each value is as large as the parameter's type.
    let done = unsafe {
        match *argument {
            DeviceArgument::Scalar(Scalar::Bool(x)) => kernel.set_arg(position, &u8::from(x)),
            DeviceArgument::Scalar(Scalar::I8(x)) => kernel.set_arg(position, &x),
            DeviceArgument::Scalar(Scalar::I16(x)) => kernel.set_arg(position, &x),
            DeviceArgument::Scalar(Scalar::I32(x)) => kernel.set_arg(position, &x),
            DeviceArgument::Scalar(Scalar::I64(x)) => kernel.set_arg(position, &x),
            DeviceArgument::Scalar(Scalar::F16(x)) => kernel.set_arg(position, &x.to_bits()),
            DeviceArgument::Scalar(Scalar::F32(x)) => kernel.set_arg(position, &x),
            DeviceArgument::Scalar(Scalar::F64(x)) => kernel.set_arg(position, &x),
            DeviceArgument::Memory(buffer) => kernel.set_arg(position, &borrowed(buffer).get()),
        }
    };
    done.map_err(driver)
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Missing(what) => f.write_str(what),
            BuildError::Refused(log) => {
                write!(f, "the driver's compiler refuses the kernels: {}", log.trim())
            }
        }
    }
}

impl std::error::Error for BuildError {}
