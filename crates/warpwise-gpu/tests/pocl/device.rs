//! The first OpenCL device there is (PoCL in the project's own tests).

use std::io::Write;
use std::sync::{Arc, OnceLock};

use warpwise_gpu::kernel_text::KernelText;
use warpwise_gpu::opencl::{OpenClDevice, OpenClKernels};
use warpwise_prim::Scalar;
use warpwise_runtime::device::{Buffer, Device as _, DeviceArgument, DeviceKernels};

/// Set to run the tests without a device; those that need one then say so and pass.
const SKIP: &str = "WARPWISE_SKIP_OPENCL";

/// A device with a queue.
#[derive(Clone)]
pub struct Device(pub Arc<OpenClDevice>);

/// An argument of a kernel.
pub enum Arg<'a> {
    /// Global memory.
    Memory(&'a Memory),
}

/// A block of global memory.
pub struct Memory {
    device: Device,
    buffer: Buffer,
}

/// A built program.
pub struct Built(OpenClKernels);

/// The device is opened once: drivers dislike being woken by several threads.
static DEVICE: OnceLock<Arc<OpenClDevice>> = OnceLock::new();

/// The device; `None` where the tests were asked to do without.
pub fn device() -> Option<Device> {
    if std::env::var_os(SKIP).is_some() {
        // Not by a macro: the test runner would keep it to itself.
        let _ = writeln!(std::io::stderr(), "skipped: a test on an OpenCL device, because {SKIP} is set");
        return None;
    }
    let opened = DEVICE.get_or_init(|| {
        OpenClDevice::open(0).unwrap_or_else(|missing| panic!("{missing}; or set {SKIP}=1 to skip"))
    });
    Some(Device(Arc::clone(opened)))
}

impl Device {
    /// Compiles a text.
    pub fn build(&self, text: KernelText) -> Built {
        let built = OpenClKernels::build(&self.0, &text, None);
        Built(built.unwrap_or_else(|error| panic!("{error}\n{}", text.text)))
    }

    /// A block with these contents.
    pub fn memory(&self, contents: &[u8]) -> Memory {
        let buffer = self.0.allocate(contents.len().max(1) as u64).expect("device memory");
        if !contents.is_empty() {
            self.0.write(buffer, 0, contents).expect("a write");
        }
        Memory { device: self.clone(), buffer }
    }

    /// The first bytes of a block.
    pub fn read(&self, memory: &Memory, bytes: usize) -> Vec<u8> {
        let mut contents = vec![0; bytes];
        if bytes > 0 {
            self.0.read(memory.buffer, 0, &mut contents).expect("a read");
        }
        contents
    }

    /// Runs a kernel that cannot fail for `extent` iterations.
    pub fn launch(&self, built: &Built, kernel: usize, args: &[Arg], extent: usize) {
        let argument = |Arg::Memory(memory): &Arg| DeviceArgument::Memory(memory.buffer);
        let range = [0, extent as i64].map(|x| DeviceArgument::Scalar(Scalar::I64(x)));
        let arguments: Vec<DeviceArgument> = args.iter().map(argument).chain(range).collect();
        // SAFETY: the arguments are those of the kernel's parameter list, and outlive the run.
        unsafe { built.0.launch(kernel, &arguments, extent as u64) }.expect("a launch");
        self.0.finish().expect("a run");
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.device.0.free(self.buffer);
    }
}
