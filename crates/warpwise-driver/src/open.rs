//! The devices that a context has opened.
//!
//! Each device is opened once. All programs on it share its queue and its memory, so one program can use data that another has left
//! there.

use std::sync::{Arc, Mutex, PoisonError};

#[cfg(any(feature = "opencl", feature = "cuda"))]
use warpwise_gpu::build::DriverOf;
use warpwise_gpu::build::{BuildError, Built};
#[cfg(feature = "cuda")]
use warpwise_gpu::cuda::CudaDevice;
use warpwise_gpu::kernel_text::{Dialect, KernelText};
#[cfg(feature = "opencl")]
use warpwise_gpu::opencl::OpenClDevice;
use warpwise_runtime::device::DeviceKernels;
use warpwise_runtime::device::memory::DeviceMemory;
use warpwise_runtime::execute::OnDevice;
use warpwise_runtime::machine::KernelName;

use crate::cache::DiskCache;
#[cfg(any(feature = "opencl", feature = "cuda"))]
use crate::device::{load, memory_of};

/// The devices of a context.
#[derive(Default)]
pub(crate) struct OpenDevices(Mutex<Vec<Arc<Opened>>>);

/// A device with its memory.
pub(crate) struct Opened {
    /// Kind and number of the device.
    of: (Dialect, usize),
    driver: Driver,
    memory: DeviceMemory,
}

/// An open device of one of the drivers of this build.
enum Driver {
    #[cfg(feature = "opencl")]
    OpenCl(Arc<OpenClDevice>),
    #[cfg(feature = "cuda")]
    Cuda(Arc<CudaDevice>),
}

impl OpenDevices {
    /// Returns the device with this kind and number. Programs may use `limit` bytes of its memory, by default 80 % of it.
    pub fn open(
        &self,
        (dialect, number): (Dialect, usize),
        limit: Option<u64>,
    ) -> Result<Arc<Opened>, String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = known.iter().find(|opened| opened.of == (dialect, number)) {
            return Ok(Arc::clone(opened));
        }
        let opened = Arc::new(Opened::new(dialect, number, limit)?);
        known.push(Arc::clone(&opened));
        Ok(opened)
    }
}

// A build without drivers opens no device, so its `Driver` has no value.
#[cfg_attr(not(any(feature = "opencl", feature = "cuda")), allow(unused_variables, unreachable_code))]
impl Opened {
    fn new(dialect: Dialect, number: usize, limit: Option<u64>) -> Result<Opened, String> {
        let (driver, memory) = match dialect {
            #[cfg(feature = "opencl")]
            Dialect::OpenCl => {
                let device = OpenClDevice::open(number)?;
                (Driver::OpenCl(Arc::clone(&device)), memory_of(device, limit))
            }
            #[cfg(feature = "cuda")]
            Dialect::Cuda => {
                let device = CudaDevice::open(number)?;
                (Driver::Cuda(Arc::clone(&device)), memory_of(device, limit))
            }
            #[cfg(not(all(feature = "opencl", feature = "cuda")))]
            missing => {
                let (name, _) = (missing.device(), limit);
                return Err(format!("{name}:{number}: this build was made without the feature `{name}`"));
            }
        };
        Ok(Opened { of: (dialect, number), driver, memory })
    }

    /// Returns the memory of the device.
    pub fn memory(&self) -> &DeviceMemory {
        &self.memory
    }

    /// Builds kernels that belong to no program.
    pub fn build(&self, text: &KernelText) -> Result<Arc<dyn DeviceKernels>, String> {
        let built: Result<Built, BuildError> = match self.driver {
            #[cfg(feature = "opencl")]
            Driver::OpenCl(ref device) => device.build(text, None),
            #[cfg(feature = "cuda")]
            Driver::Cuda(ref device) => device.build(text, None),
        };
        built.map(|built| built.kernels).map_err(|error| error.to_string())
    }

    /// Builds a program's kernels, which have these names. The driver's binary is kept in the cache, so that it is built only once.
    pub fn load(
        &self,
        text: &KernelText,
        names: &[KernelName],
        cache: Option<&DiskCache>,
    ) -> Result<OnDevice, String> {
        match self.driver {
            #[cfg(feature = "opencl")]
            Driver::OpenCl(ref device) => load((device, &self.memory), Dialect::OpenCl, (text, names), cache),
            #[cfg(feature = "cuda")]
            Driver::Cuda(ref device) => load((device, &self.memory), Dialect::Cuda, (text, names), cache),
        }
    }
}

impl std::fmt::Debug for OpenDevices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_list().entries(known.iter().map(|opened| opened.of)).finish()
    }
}
