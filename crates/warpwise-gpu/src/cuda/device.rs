//! A device with its default stream and buffers.

use std::path::PathBuf;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUcontext, CUdevice};
use cudarc::driver::{DriverError, result};
use warpwise_runtime::device::{Buffer, Device, DeviceError, Handles};

use super::compiler::Compiler;
use super::errors::{at_start, while_running};
use super::find::{Found, found};
use super::kernels::CudaKernels;
use crate::build::{BuildError, Built, Description, DriverOf};
use crate::kernel_text::KernelText;

/// Number of work-items that keep one unit of the device busy.
const PER_UNIT: u64 = 2048;

/// Maximum size in bytes of a write that the driver copies before it returns.
const STAGED: usize = 64 << 10;

/// Number of bytes of a repeated pattern that are sent from the host.
const SEED: usize = 4 << 10;

/// A device with its context.
pub struct CudaDevice {
    pub(super) description: Description,
    pub(super) architecture: u32,
    /// The driver's version, in the driver's encoding.
    version: i32,
    /// The library that compiles kernels; without it, the one that [`Compiler::find`] returns.
    compiler: Option<PathBuf>,
    device: CUdevice,
    context: CUcontext,
}

// SAFETY: a context may be used by any thread that makes it its current one, which every call here does; the driver
// orders calls of several threads.
unsafe impl Send for CudaDevice {}
// SAFETY: as above.
unsafe impl Sync for CudaDevice {}

impl CudaDevice {
    /// Opens the device with this number, from 0, in the order of [`super::devices`].
    pub fn open(number: usize) -> Result<Arc<CudaDevice>, String> {
        CudaDevice::open_with(number, None)
    }

    /// Opens a device with a given library for NVRTC.
    pub fn open_with(number: usize, compiler: Option<PathBuf>) -> Result<Arc<CudaDevice>, String> {
        let mut found = found()?;
        if number >= found.len() {
            let names: Vec<String> = found.iter().map(|found| found.description.name.clone()).collect();
            return Err(format!("there is no CUDA device {number}; there are: {}", names.join(", ")));
        }
        let Found { description, device, architecture, version } = found.swap_remove(number);
        // SAFETY: the device is the driver's own.
        let context = unsafe { result::primary_ctx::retain(device) }
            .map_err(|error| format!("{}: {}", description.name, at_start(error)))?;
        Ok(Arc::new(CudaDevice { description, architecture, version, compiler, device, context }))
    }

    /// Opens the compiler of the device's kernels.
    pub(super) fn compiler(&self) -> Result<Compiler, String> {
        self.compiler.as_deref().map_or_else(|| Compiler::find(Some(self.version)), Compiler::open)
    }

    /// Runs `run` with this device's context as the current one of the thread.
    pub(super) fn within<T>(&self, run: impl FnOnce() -> Result<T, DriverError>) -> Result<T, DeviceError> {
        // SAFETY: the context lives as long as this device.
        unsafe { result::ctx::set_current(self.context) }.and_then(|()| run()).map_err(while_running)
    }

    /// Repeats the first `pattern` bytes over `bytes` bytes, doubling the filled part each time.
    fn repeat(start: u64, pattern: u64, bytes: u64) -> Result<(), DriverError> {
        let mut done = pattern.min(bytes);
        while done < bytes {
            let more = done.min(bytes - done);
            // SAFETY: by contract of `fill` the range lies in the buffer; its parts do not overlap.
            unsafe { result::memcpy_dtod_sync(start + done, start, more as usize) }?;
            done += more;
        }
        Ok(())
    }
}

impl Drop for CudaDevice {
    fn drop(&mut self) {
        // SAFETY: it was retained once; all its users held this device. There is nobody to report an error to.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

impl DriverOf for CudaDevice {
    fn description(&self) -> &Description {
        &self.description
    }

    fn build(self: &Arc<Self>, text: &KernelText, binary: Option<&[u8]>) -> Result<Built, BuildError> {
        let kernels = CudaKernels::build(self, text, binary)?;
        let binary = Some(kernels.code().to_vec());
        Ok(Built { kernels: Arc::new(kernels), binary })
    }
}

impl Device for CudaDevice {
    fn name(&self) -> String {
        self.description.name.clone()
    }

    fn memory(&self) -> u64 {
        self.description.memory
    }

    fn concurrency(&self) -> u64 {
        PER_UNIT * u64::from(self.description.units.max(1))
    }

    fn allocate(&self, bytes: u64) -> Result<Buffer, DeviceError> {
        // SAFETY: nothing is read or written.
        self.within(|| unsafe { result::malloc_sync(bytes as usize) }).map(Buffer)
    }

    fn free(&self, buffer: Buffer) {
        // SAFETY: the buffer belongs to this device and is not used again. There is nobody to report an error to.
        let _ = self.within(|| unsafe { result::free_sync(buffer.0) });
    }

    fn write(&self, buffer: Buffer, at: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        // SAFETY: the driver checks the range. The bytes may change once the call returns; therefore the driver copies small
        // writes, which need not wait for earlier commands of the device.
        self.within(|| match bytes.len() {
            ..=STAGED => unsafe { result::memcpy_htod_async(buffer.0 + at, bytes, result::stream::null()) },
            _ => unsafe { result::memcpy_htod_sync(buffer.0 + at, bytes) },
        })
    }

    fn read(&self, buffer: Buffer, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        // SAFETY: the driver checks the range, and waits for earlier commands.
        self.within(|| unsafe { result::memcpy_dtoh_sync(bytes, buffer.0 + at) })
    }

    fn fill(&self, buffer: Buffer, at: u64, pattern: &[u8], bytes: u64) -> Result<(), DeviceError> {
        if bytes == 0 {
            return Ok(());
        }
        let (start, count) = (buffer.0 + at, bytes as usize / pattern.len());
        // SAFETY: the range lies in the buffer.
        self.within(|| match *pattern {
            [byte, ref rest @ ..] if rest.iter().all(|&other| other == byte) => unsafe {
                result::memset_d8_sync(start, byte, bytes as usize)
            },
            [x, y] => unsafe { sys::cuMemsetD16_v2(start, u16::from_le_bytes([x, y]), count) }.result(),
            [x, y, z, w] => {
                unsafe { sys::cuMemsetD32_v2(start, u32::from_le_bytes([x, y, z, w]), count) }.result()
            }
            _ => {
                let seed = pattern.repeat((SEED / pattern.len()).clamp(1, count));
                // SAFETY: as above.
                unsafe { result::memcpy_htod_sync(start, &seed) }?;
                CudaDevice::repeat(start, seed.len() as u64, bytes)
            }
        })
    }

    fn copy(&self, to: Buffer, from: Buffer, bytes: u64) -> Result<(), DeviceError> {
        // SAFETY: the driver checks the ranges, which lie in different buffers.
        self.within(|| unsafe { result::memcpy_dtod_sync(to.0, from.0, bytes as usize) })
    }

    fn finish(&self) -> Result<(), DeviceError> {
        self.within(result::ctx::synchronize)
    }

    fn handles(&self) -> Handles {
        Handles { device: self.device as usize, context: self.context as usize, queue: 0 }
    }

    fn make_current(&self) -> Result<(), DeviceError> {
        self.within(|| Ok(()))
    }
}
