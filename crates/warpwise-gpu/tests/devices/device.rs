//! The devices of the tests: the first OpenCL device (PoCL in the project's own tests), and the CUDA emulator.

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use warpwise_gpu::build::DriverOf;
use warpwise_gpu::cuda::CudaDevice;
use warpwise_gpu::kernel_text::{Dialect, KernelText};
use warpwise_gpu::opencl::OpenClDevice;
use warpwise_prim::Scalar;
use warpwise_runtime::device::{Buffer, Device as AnyDevice, DeviceArgument, DeviceKernels};

/// Environment variable for runs without an OpenCL device; tests that need one then report that they are skipped.
pub const SKIP: &str = "WARPWISE_SKIP_OPENCL";

/// Compiles a text.
type Build = dyn Fn(&KernelText) -> Arc<dyn DeviceKernels> + Send + Sync;

/// A device with a queue.
#[derive(Clone)]
pub struct Device {
    /// Language of its kernels.
    pub dialect: Dialect,
    /// The device.
    pub device: Arc<dyn AnyDevice>,
    build: Arc<Build>,
}

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
pub struct Built(Arc<dyn DeviceKernels>);

/// Returns all devices. They are opened once, because not all drivers allow several threads to open them at first.
pub fn devices() -> Vec<Device> {
    static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();
    DEVICES.get_or_init(|| opencl().into_iter().chain([emulated_cuda()]).collect()).clone()
}

fn opencl() -> Option<Device> {
    if std::env::var_os(SKIP).is_some() {
        // Not `eprintln`, whose output the test runner captures.
        let _ = writeln!(std::io::stderr(), "skipped: a test on an OpenCL device, because {SKIP} is set");
        return None;
    }
    let opened = OpenClDevice::open(0);
    let opened = opened.unwrap_or_else(|missing| panic!("{missing}; or set {SKIP}=1 to skip"));
    Some(Device::new(Dialect::OpenCl, opened))
}

/// Opens the emulator, which lies beside the tests. Once it is loaded, requests for CUDA's driver find it.
fn emulated_cuda() -> Device {
    let tests = std::env::current_exe().expect("the path of the tests");
    let library: PathBuf = tests.with_file_name("libwarpwise_cuda_emulator.so");
    // SAFETY: loading the emulator runs no code.
    let loaded = unsafe { Library::open(Some(&library), RTLD_NOW | RTLD_LOCAL) };
    std::mem::forget(loaded.expect("the emulator, which is built with the tests"));
    let opened = CudaDevice::open_with(0, Some(library));
    Device::new(Dialect::Cuda, opened.unwrap_or_else(|missing| panic!("{missing}")))
}

impl Device {
    fn new<D: DriverOf + 'static>(dialect: Dialect, device: Arc<D>) -> Device {
        let driver = Arc::clone(&device);
        let build = move |text: &KernelText| match driver.build(text, None) {
            Ok(built) => built.kernels,
            Err(error) => panic!("{error}\n{}", text.text),
        };
        Device { dialect, device, build: Arc::new(build) }
    }

    /// Compiles a text and returns its kernels.
    pub fn kernels(&self, text: &KernelText) -> Arc<dyn DeviceKernels> {
        (self.build)(text)
    }

    /// Compiles a text.
    pub fn build(&self, text: KernelText) -> Built {
        Built(self.kernels(&text))
    }

    /// Allocates a block with these contents.
    pub fn memory(&self, contents: &[u8]) -> Memory {
        let buffer = self.device.allocate(contents.len().max(1) as u64).expect("device memory");
        if !contents.is_empty() {
            self.device.write(buffer, 0, contents).expect("a write");
        }
        Memory { device: self.clone(), buffer }
    }

    /// Reads the first bytes of a block.
    pub fn read(&self, memory: &Memory, bytes: usize) -> Vec<u8> {
        let mut contents = vec![0; bytes];
        if bytes > 0 {
            self.device.read(memory.buffer, 0, &mut contents).expect("a read");
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
        self.device.finish().expect("a run");
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.device.device.free(self.buffer);
    }
}
