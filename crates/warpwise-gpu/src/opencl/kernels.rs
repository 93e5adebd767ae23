//! Building texts and launching their kernels.

use std::ptr::null;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opencl3::command_queue::CommandQueue;
use opencl3::device::Device;
use opencl3::error_codes::ClError;
use opencl3::event::Event;
use opencl3::kernel::Kernel;
use opencl3::memory::ClMem;
use opencl3::program::Program;
use opencl3::types::cl_uint;
use warpwise_prim::Scalar;
use warpwise_runtime::device::{DeviceArgument, DeviceError, DeviceKernels};

use super::device::{OpenClDevice, borrowed};
use super::{after_others, driver};
use crate::build::{BuildError, Groups};
use crate::kernel_text::{Dialect, KernelText};

/// Kernels built for a device.
pub struct OpenClKernels {
    device: Arc<OpenClDevice>,
    /// The kernels, with their group sizes. A kernel is locked because its arguments are part of its state.
    kernels: Vec<(Mutex<Kernel>, Option<u32>)>,
    /// The program with the code of the kernels.
    program: Program,
}

impl OpenClKernels {
    /// Builds a text for a device; uses the driver's binary of an earlier build if there is one that it still accepts.
    pub fn build(
        device: &Arc<OpenClDevice>,
        text: &KernelText,
        binary: Option<&[u8]>,
    ) -> Result<OpenClKernels, BuildError> {
        device.description.suffices(text.features).map_err(BuildError::Missing)?;
        let options = &device.build_options();
        let known = binary.and_then(|binary| {
            Program::create_and_build_from_binary(&device.context, &[binary], options).ok()
        });
        let program = match known {
            Some(program) => program,
            None => Program::create_and_build_from_source(&device.context, &text.text, options)
                .map_err(BuildError::Refused)?,
        };
        let mut kernels = Vec::new();
        for own in &text.kernels {
            let refused = |error: ClError| BuildError::Refused(format!("kernel `{}`: {error}", own.name));
            let kernel = Kernel::create(&program, &own.name).map_err(refused)?;
            let needs = Needs::of(&kernel, own.group, device).map_err(refused)?;
            needs.fit(&own.name, &device.description.name).map_err(BuildError::Missing)?;
            kernels.push((Mutex::new(kernel), own.group));
        }
        Ok(OpenClKernels { device: Arc::clone(device), kernels, program })
    }

    /// Returns the driver's binary, for later builds by the same driver for the same device.
    pub fn binary(&self) -> Option<Vec<u8>> {
        self.program.get_binaries().ok()?.into_iter().next().filter(|binary| !binary.is_empty())
    }
}

/// The requirements of a group of a kernel, and the device's limits for them.
#[derive(Clone, Copy)]
struct Needs {
    items: u64,
    most_items: u64,
    local: u64,
    most_local: u64,
}

impl Needs {
    fn of(kernel: &Kernel, group: Option<u32>, device: &OpenClDevice) -> Result<Needs, ClError> {
        let id = device.context.default_device();
        Ok(Needs {
            items: u64::from(group.unwrap_or(Dialect::OpenCl.usual_group())),
            most_items: kernel.get_work_group_size(id)? as u64,
            local: kernel.get_local_mem_size(id)?,
            most_local: Device::new(id).local_mem_size()?,
        })
    }

    /// Fails with a message if a group cannot run.
    fn fit(self, kernel: &str, device: &str) -> Result<(), String> {
        let Needs { items, most_items, local, most_local } = self;
        if local > most_local {
            return Err(format!(
                "kernel `{kernel}` needs {local} bytes of local memory, and {device} has {most_local} for a group"
            ));
        }
        if items > most_items {
            return Err(format!(
                "kernel `{kernel}` runs in groups of {items} work-items, and there is room for {most_items} on {device}"
            ));
        }
        Ok(())
    }
}

impl OpenClKernels {
    /// Enqueues a launch.
    ///
    /// # Safety
    /// As for [`DeviceKernels::launch`].
    unsafe fn enqueue(
        &self,
        queue: &CommandQueue,
        kernel: usize,
        arguments: &[DeviceArgument],
        iterations: u64,
    ) -> Result<Event, DeviceError> {
        let (kernel, group) = &self.kernels[kernel];
        let kernel = kernel.lock().unwrap_or_else(PoisonError::into_inner);
        for (position, argument) in arguments.iter().enumerate() {
            // SAFETY: by contract the argument is of the parameter's type.
            unsafe { set(&kernel, position as cl_uint, argument) }?;
        }
        let groups = Groups::of(*group, iterations, Dialect::OpenCl.usual_group());
        let (global, local) = (groups.work_items() as usize, groups.size as usize);
        // SAFETY: all arguments are set; by contract the kernel stays within its memories.
        unsafe { queue.enqueue_nd_range_kernel(kernel.get(), 1, null(), &global, &local, &[]) }
            .map_err(after_others)
    }
}

impl DeviceKernels for OpenClKernels {
    unsafe fn launch(
        &self,
        kernel: usize,
        arguments: &[DeviceArgument],
        iterations: u64,
    ) -> Result<(), DeviceError> {
        // SAFETY: by contract.
        unsafe { self.enqueue(&self.device.queue, kernel, arguments, iterations) }.map(drop)
    }

    unsafe fn launch_timed(
        &self,
        kernel: usize,
        arguments: &[DeviceArgument],
        iterations: u64,
    ) -> Result<Duration, DeviceError> {
        self.device.queue.finish().map_err(after_others)?;
        let queue = self.device.timing_queue().map_err(driver)?;
        // SAFETY: by contract.
        let event = unsafe { self.enqueue(queue, kernel, arguments, iterations) }?;
        event.wait().map_err(after_others)?;
        let start = event.profiling_command_start().map_err(driver)?;
        let end = event.profiling_command_end().map_err(driver)?;
        Ok(Duration::from_nanos(end.saturating_sub(start)))
    }
}

/// Sets an argument.
///
/// # Safety
/// The argument has the type of the parameter at this position.
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
            DeviceArgument::Local(bytes) => kernel.set_arg_local_buffer(position, bytes as usize),
        }
    };
    done.map_err(driver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_that_do_not_fit_say_what_is_lacking() {
        let needs = Needs { items: 128, most_items: 128, local: 4096, most_local: 4096 };
        assert_eq!(needs.fit("k", "d"), Ok(()));
        let local = Needs { local: 4097, ..needs }.fit("k", "d").expect_err("too much");
        assert_eq!(local, "kernel `k` needs 4097 bytes of local memory, and d has 4096 for a group");
        let items = Needs { most_items: 64, ..needs }.fit("k", "d").expect_err("too many");
        assert_eq!(items, "kernel `k` runs in groups of 128 work-items, and there is room for 64 on d");
    }
}
