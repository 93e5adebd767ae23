//! Building texts and launching their kernels.

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
use crate::build::{BuildError, Groups};
use crate::kernel_text::{Dialect, KernelText};

/// Kernels built for a device.
pub struct OpenClKernels {
    device: Arc<OpenClDevice>,
    /// A kernel's arguments are part of its state; and the work-items that do an iteration together.
    kernels: Vec<(Mutex<Kernel>, Option<u32>)>,
    /// Holds the code of the kernels.
    program: Program,
}

impl OpenClKernels {
    /// Builds a text for a device; from the driver's binary of an earlier build where there is one that it still takes.
    pub fn build(
        device: &Arc<OpenClDevice>,
        text: &KernelText,
        binary: Option<&[u8]>,
    ) -> Result<OpenClKernels, BuildError> {
        device.description.suffices(text.features).map_err(BuildError::Missing)?;
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
        let groups = Groups::of(*group, iterations, Dialect::OpenCl.usual_group());
        let (global, local) = (groups.work_items() as usize, groups.size as usize);
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
