//! A device with its queue and buffers.

use std::mem::ManuallyDrop;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use opencl3::command_queue::{CL_QUEUE_PROFILING_ENABLE, CommandQueue};
use opencl3::context::Context;
use opencl3::device::CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
use opencl3::error_codes::{CL_INVALID_BUFFER_SIZE, CL_INVALID_COMMAND_QUEUE, ClError};
use opencl3::memory::{CL_MEM_READ_WRITE, ClMem};
use opencl3::types::{CL_BLOCKING, cl_mem};
use warpwise_runtime::device::{Buffer, Device, DeviceError, Handles};

use super::find::found;
use super::kernels::OpenClKernels;
use super::{after_others, driver};
use crate::build::{BuildError, Built, Description, DriverOf};
use crate::kernel_text::{Dialect, KernelText};

/// Number of work-items that keep a GPU's unit busy.
const PER_GPU_UNIT: u64 = 2048;

/// Number of work-items that a processor's core runs one after the other before it takes more.
const PER_CORE: u64 = 256;

/// Option for correctly rounded quotients and roots of `f32`, instead of the errors of 2.5 and 3 units in the last place that the
/// standard permits.
const EXACT_QUOTIENTS: &str = "-cl-fp32-correctly-rounded-divide-sqrt";

/// A device with a queue.
pub struct OpenClDevice {
    pub(super) description: Description,
    pub(super) context: Context,
    pub(super) queue: CommandQueue,
    /// The queue of timed launches; opened by the first of them.
    timing: OnceLock<CommandQueue>,
    /// Whether the device's compiler can round quotients and roots of `f32` correctly.
    exact_quotients: bool,
    /// The process that opened the device. After a fork, the child has none of the driver's threads.
    process: u32,
}

/// The devices that are open, for [`finish_all`].
static OPEN: Mutex<Vec<Weak<OpenClDevice>>> = Mutex::new(Vec::new());

/// Waits until all commands of all open devices are done.
///
/// A driver for processors compiles and runs kernels on threads of its own. The end of a process takes down the libraries that these
/// threads use, so a process must not end before its commands. A device waits when it is dropped. A process with devices that are
/// never dropped calls this function before it ends; an exit handler would be too late, since handlers of the compiler's libraries,
/// which are registered while kernels are compiled, run before it.
pub fn finish_all() {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner).clone();
    open.iter().filter_map(Weak::upgrade).for_each(|device| device.wait());
}

impl OpenClDevice {
    /// Opens the device with this number, from 0, in the order of [`super::devices`].
    pub fn open(number: usize) -> Result<Arc<OpenClDevice>, String> {
        let mut found = found()?;
        if number >= found.len() {
            let names: Vec<String> = found.iter().map(|(description, _)| description.name.clone()).collect();
            return Err(format!("there is no OpenCL device {number}; there are: {}", names.join(", ")));
        }
        let (description, device) = found.swap_remove(number);
        let wrong = |error| format!("{}: {error}", description.name);
        let context = Context::from_device(&device).map_err(wrong)?;
        // Uses the function of OpenCL 1.2, which every driver has.
        let queue = CommandQueue::create_default(&context, 0).map_err(wrong)?;
        let device = opencl3::device::Device::new(context.default_device());
        let config = device.single_fp_config().map_err(wrong)?;
        let exact_quotients = config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0;
        let (timing, process) = (OnceLock::new(), std::process::id());
        let device = OpenClDevice { description, context, queue, timing, exact_quotients, process };
        Ok(Arc::new(device).entered())
    }

    /// Adds the device to the open ones.
    fn entered(self: Arc<Self>) -> Arc<OpenClDevice> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|device| device.strong_count() > 0);
        open.push(Arc::downgrade(&self));
        drop(open);
        self
    }

    /// Waits until all commands of both queues are done. There is nobody to report an error to.
    fn wait(&self) {
        if self.process == std::process::id() {
            [Some(&self.queue), self.timing.get()]
                .into_iter()
                .flatten()
                .for_each(|queue| drop(queue.finish()));
        }
    }

    /// Returns the options for the device's compiler.
    pub(super) fn build_options(&self) -> String {
        let options = Dialect::OpenCl.build_options();
        if self.exact_quotients { format!("{options} {EXACT_QUOTIENTS}") } else { options.to_string() }
    }

    /// Returns the queue whose commands are timed. It does not wait for the other queue.
    pub(super) fn timing_queue(&self) -> Result<&CommandQueue, ClError> {
        if self.timing.get().is_none() {
            let queue = CommandQueue::create_default(&self.context, CL_QUEUE_PROFILING_ENABLE)?;
            // If another thread was first, its queue serves as well.
            let _ = self.timing.set(queue);
        }
        self.timing.get().ok_or(ClError(CL_INVALID_COMMAND_QUEUE))
    }
}

impl Drop for OpenClDevice {
    fn drop(&mut self) {
        self.wait();
    }
}

impl DriverOf for OpenClDevice {
    fn description(&self) -> &Description {
        &self.description
    }

    fn build(self: &Arc<Self>, text: &KernelText, binary: Option<&[u8]>) -> Result<Built, BuildError> {
        let kernels = OpenClKernels::build(self, text, binary)?;
        let binary = kernels.binary();
        Ok(Built { kernels: Arc::new(kernels), binary })
    }
}

impl OpenClDevice {
    /// Classifies the error of a failed allocation of this size.
    fn no_buffer(&self, error: ClError, bytes: u64) -> DeviceError {
        match (error.0, opencl3::device::Device::new(self.context.default_device()).max_mem_alloc_size()) {
            (CL_INVALID_BUFFER_SIZE, Ok(most)) if bytes > most => DeviceError::Driver(format!(
                "{bytes} bytes in one piece: the driver gives {most} at most, whatever is free"
            )),
            _ => driver(error),
        }
    }
}

/// Wraps a buffer for the library; dropping the wrapper releases nothing.
pub(super) fn borrowed(buffer: Buffer) -> ManuallyDrop<opencl3::memory::Buffer<u8>> {
    ManuallyDrop::new(opencl3::memory::Buffer::new(buffer.0 as usize as cl_mem))
}

impl Device for OpenClDevice {
    fn name(&self) -> String {
        self.description.name.clone()
    }

    fn memory(&self) -> u64 {
        self.description.memory
    }

    fn concurrency(&self) -> u64 {
        let unit = if self.description.is_cpu { PER_CORE } else { PER_GPU_UNIT };
        unit * u64::from(self.description.units.max(1))
    }

    fn allocate(&self, bytes: u64) -> Result<Buffer, DeviceError> {
        // SAFETY: no memory of the host is handed over.
        let made = unsafe {
            opencl3::memory::Buffer::<u8>::create(
                &self.context,
                CL_MEM_READ_WRITE,
                bytes as usize,
                null_mut(),
            )
        };
        let buffer = ManuallyDrop::new(made.map_err(|error| self.no_buffer(error, bytes))?);
        Ok(Buffer(buffer.get() as usize as u64))
    }

    fn free(&self, buffer: Buffer) {
        drop(ManuallyDrop::into_inner(borrowed(buffer)));
    }

    fn write(&self, buffer: Buffer, at: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let mut to = borrowed(buffer);
        // SAFETY: the write is done when the call returns; the driver checks the range.
        unsafe { self.queue.enqueue_write_buffer(&mut to, CL_BLOCKING, at as usize, bytes, &[]) }
            .map(drop)
            .map_err(after_others)
    }

    fn read(&self, buffer: Buffer, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        // SAFETY: the read is done when the call returns; the driver checks the range.
        unsafe { self.queue.enqueue_read_buffer(&borrowed(buffer), CL_BLOCKING, at as usize, bytes, &[]) }
            .map(drop)
            .map_err(after_others)
    }

    fn fill(&self, buffer: Buffer, at: u64, pattern: &[u8], bytes: u64) -> Result<(), DeviceError> {
        let mut to = borrowed(buffer);
        // SAFETY: the driver copies the pattern and checks the range.
        unsafe { self.queue.enqueue_fill_buffer(&mut to, pattern, at as usize, bytes as usize, &[]) }
            .map(drop)
            .map_err(after_others)
    }

    fn copy(&self, to: Buffer, from: Buffer, bytes: u64) -> Result<(), DeviceError> {
        let mut to = borrowed(to);
        // SAFETY: the driver checks the ranges, which lie in different buffers.
        unsafe { self.queue.enqueue_copy_buffer(&borrowed(from), &mut to, 0, 0, bytes as usize, &[]) }
            .map(drop)
            .map_err(after_others)
    }

    fn finish(&self) -> Result<(), DeviceError> {
        self.queue.finish().map_err(after_others)
    }

    fn handles(&self) -> Handles {
        let (device, context) = (self.context.default_device(), self.context.get());
        Handles { device: device as usize, context: context as usize, queue: self.queue.get() as usize }
    }

    /// Does nothing: OpenCL has no current device.
    fn make_current(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}
