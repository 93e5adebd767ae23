//! The first OpenCL device there is (PoCL in the project's own tests).

use std::io::Write;
use std::sync::OnceLock;

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::CL_DEVICE_TYPE_ALL;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_device_id};
use warpwise_gpu::kernel_text::{Dialect, KernelText};
use warpwise_prim::Scalar;

/// Set to run the tests without a device; those that need one then say so and pass.
const SKIP: &str = "WARPWISE_SKIP_OPENCL";

/// Work-items of a group. Launches are rounded up to whole groups, so that some have nothing to do.
pub const GROUP: usize = 32;

/// A device with a queue.
pub struct Device {
    context: Context,
    queue: CommandQueue,
}

/// An argument of a kernel.
pub enum Arg<'a> {
    /// A scalar.
    Scalar(Scalar),
    /// Global memory.
    Memory(&'a Memory),
    /// Local memory of this many bytes.
    Local(usize),
}

/// A block of global memory.
pub struct Memory {
    buffer: Buffer<u8>,
}

/// A built program.
pub struct Built {
    program: Program,
    text: KernelText,
}

/// The device, as an address. It is looked for once: drivers dislike being woken by several threads.
static DEVICE: OnceLock<usize> = OnceLock::new();

fn find_device() -> usize {
    let help = format!("install pocl-opencl-icd and ocl-icd-libopencl1, or set {SKIP}=1 to skip");
    let platforms = get_platforms().unwrap_or_else(|error| panic!("no OpenCL platform ({error}): {help}"));
    let devices = platforms.iter().filter_map(|platform| platform.get_devices(CL_DEVICE_TYPE_ALL).ok());
    devices.flatten().next().unwrap_or_else(|| panic!("no OpenCL device: {help}")) as usize
}

/// The device; `None` where the tests were asked to do without.
pub fn device() -> Option<Device> {
    if std::env::var_os(SKIP).is_some() {
        // Not by a macro: the test runner would keep it to itself.
        let _ = writeln!(std::io::stderr(), "skipped: a test on an OpenCL device, because {SKIP} is set");
        return None;
    }
    let id = *DEVICE.get_or_init(find_device) as cl_device_id;
    let context = Context::from_device(&opencl3::device::Device::new(id)).expect("a context");
    let queue = CommandQueue::create_default_with_properties(&context, 0, 0).expect("a queue");
    Some(Device { context, queue })
}

impl Device {
    /// Compiles a text.
    pub fn build(&self, text: KernelText) -> Built {
        let options = Dialect::OpenCl.build_options();
        let built = Program::create_and_build_from_source(&self.context, &text.text, options);
        let program = built.unwrap_or_else(|log| panic!("{log}\n{}", text.text));
        Built { program, text }
    }

    /// A block with these contents.
    pub fn memory(&self, contents: &[u8]) -> Memory {
        let size = contents.len().max(1);
        // SAFETY: no memory of the host is handed over.
        let buffer = unsafe { Buffer::create(&self.context, CL_MEM_READ_WRITE, size, std::ptr::null_mut()) };
        let mut memory = Memory { buffer: buffer.expect("device memory") };
        if !contents.is_empty() {
            // SAFETY: the write is done when the call returns.
            unsafe { self.queue.enqueue_write_buffer(&mut memory.buffer, CL_BLOCKING, 0, contents, &[]) }
                .expect("a write");
        }
        memory
    }

    /// The first bytes of a block.
    pub fn read(&self, memory: &Memory, bytes: usize) -> Vec<u8> {
        let mut contents = vec![0; bytes];
        if bytes > 0 {
            // SAFETY: the read is done when the call returns.
            unsafe { self.queue.enqueue_read_buffer(&memory.buffer, CL_BLOCKING, 0, &mut contents, &[]) }
                .expect("a read");
        }
        contents
    }

    /// Runs a kernel for `extent` iterations and waits for it. The extent is added to the arguments.
    pub fn launch(
        &self,
        built: &Built,
        kernel: usize,
        args: &[Arg],
        extent: usize,
        failure: Option<&Memory>,
    ) {
        let kernel = &built.text.kernels[kernel];
        let handle = Kernel::create(&built.program, &kernel.name).expect("a kernel of this name");
        let mut execute = ExecuteKernel::new(&handle);
        // SAFETY: the arguments are those of the kernel's parameter list, and outlive the run.
        unsafe {
            for arg in args {
                match arg {
                    Arg::Scalar(Scalar::Bool(x)) => execute.set_arg(&u8::from(*x)),
                    Arg::Scalar(Scalar::I8(x)) => execute.set_arg(x),
                    Arg::Scalar(Scalar::I16(x)) => execute.set_arg(x),
                    Arg::Scalar(Scalar::I32(x)) => execute.set_arg(x),
                    Arg::Scalar(Scalar::I64(x)) => execute.set_arg(x),
                    Arg::Scalar(Scalar::F16(x)) => execute.set_arg(x),
                    Arg::Scalar(Scalar::F32(x)) => execute.set_arg(x),
                    Arg::Scalar(Scalar::F64(x)) => execute.set_arg(x),
                    Arg::Memory(memory) => execute.set_arg(&memory.buffer),
                    Arg::Local(bytes) => execute.set_arg_local_buffer(*bytes),
                };
            }
            execute.set_arg(&(extent as i64));
            if let (true, Some(failure)) = (kernel.fails, failure) {
                execute.set_arg(&failure.buffer);
            }
            execute.set_global_work_size(extent.next_multiple_of(GROUP)).set_local_work_size(GROUP);
            execute.enqueue_nd_range(&self.queue).expect("a launch");
        }
        self.queue.finish().expect("a run");
    }
}
