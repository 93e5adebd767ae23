//! Building texts and launching their kernels.

use std::ffi::{CString, c_void};
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::sys::{
    self, CUevent, CUevent_flags, CUfunction, CUfunction_attribute, CUmodule, CUresult,
};
use cudarc::driver::{DriverError, result};
use warpwise_runtime::device::{Device as _, DeviceArgument, DeviceError, DeviceKernel, DeviceKernels};

use super::device::CudaDevice;
use super::errors::on_loading;
use super::parts::{each, parts};
use crate::build::{BuildError, Groups};
use crate::kernel_text::{Dialect, KernelText, LOCAL_WORD};

/// Maximum number of groups of a launch.
const MOST_GROUPS: u64 = i32::MAX as u64;

/// Kernels built for a device.
pub struct CudaKernels {
    device: Arc<CudaDevice>,
    kernels: Vec<CudaKernel>,
    /// Modules of the parts of the text.
    modules: Modules,
    code: Vec<u8>,
}

/// Code that the driver has loaded.
struct Modules {
    device: Arc<CudaDevice>,
    modules: Vec<CUmodule>,
}

/// A kernel, with its group size if it has one, and the maximum number of iterations per work-item.
#[derive(Clone, Copy)]
struct CudaKernel {
    function: CUfunction,
    group: Option<u32>,
    per_item: u32,
}

// SAFETY: functions of modules may be launched by any thread whose current context is theirs.
unsafe impl Send for CudaKernels {}
// SAFETY: as above; a launch's arguments are its own.
unsafe impl Sync for CudaKernels {}

impl CudaKernels {
    /// Builds a text for a device; uses the code of an earlier build if there is one that the driver still accepts.
    pub fn build(
        device: &Arc<CudaDevice>,
        text: &KernelText,
        binary: Option<&[u8]>,
    ) -> Result<CudaKernels, BuildError> {
        device.description.suffices(text.features).map_err(BuildError::Missing)?;
        let parts = parts(text);
        let known = binary.and_then(|code| {
            let codes: Vec<Vec<u8>> = postcard::from_bytes(code).ok()?;
            let modules = (codes.len() == parts.texts.len()).then(|| Modules::load(device, &codes).ok());
            Some((modules??, code.to_vec()))
        });
        let (modules, code) = match known {
            Some(known) => known,
            None => {
                let compiler = device.compiler().map_err(BuildError::Missing)?;
                let codes = each(&parts.texts, |text| compiler.compile(text, device.architecture))?;
                let code =
                    postcard::to_stdvec(&codes).map_err(|error| BuildError::Missing(error.to_string()))?;
                (Modules::load(device, &codes).map_err(BuildError::Missing)?, code)
            }
        };
        let mut built = CudaKernels { device: Arc::clone(device), kernels: Vec::new(), modules, code };
        for (kernel, part) in text.kernels.iter().zip(parts.of_kernels) {
            let function = built.function(kernel, part).map_err(BuildError::Missing)?;
            let (group, per_item) = (kernel.group, kernel.per_item);
            built.kernels.push(CudaKernel { function, group, per_item });
        }
        Ok(built)
    }

    /// Returns the code that the driver loaded, for later builds for devices of the same architecture.
    pub fn code(&self) -> &[u8] {
        &self.code
    }

    /// Returns a kernel of this part if the device has room for one of its groups.
    fn function(&self, kernel: &DeviceKernel, part: usize) -> Result<CUfunction, String> {
        let name = CString::new(kernel.name.as_str()).map_err(|error| error.to_string())?;
        let needed = kernel.group.unwrap_or(Dialect::Cuda.usual_group());
        let most = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        let found = self.device.within(|| {
            // SAFETY: the module is loaded; so is its function.
            unsafe {
                let function = result::module::get_function(self.modules.modules[part], name)?;
                Ok((function, result::function::get_function_attribute(function, most)?))
            }
        });
        let (function, most) = found.map_err(|error| format!("kernel `{}`: {error}", kernel.name))?;
        if (most as u32) < needed {
            return Err(format!(
                "kernel `{}` runs in groups of {needed} work-items, and its registers and shared memory leave room for {most} on {}",
                kernel.name, self.device.description.name
            ));
        }
        Ok(function)
    }
}

impl Modules {
    fn load(device: &Arc<CudaDevice>, codes: &[Vec<u8>]) -> Result<Modules, String> {
        let mut loaded = Modules { device: Arc::clone(device), modules: Vec::new() };
        for code in codes {
            loaded.modules.push(load(device, code)?);
        }
        Ok(loaded)
    }
}

impl Drop for Modules {
    fn drop(&mut self) {
        for &module in &self.modules {
            // SAFETY: its kernels are not launched any more. There is nobody to report an error to.
            let _ = self.device.within(|| unsafe { result::module::unload(module) });
        }
    }
}

impl DeviceKernels for CudaKernels {
    unsafe fn launch(
        &self,
        kernel: usize,
        arguments: &[DeviceArgument],
        iterations: u64,
    ) -> Result<(), DeviceError> {
        let CudaKernel { function, group, per_item } = self.kernels[kernel];
        let shared = shared_by(iterations, per_item, self.device.concurrency());
        let groups = Groups::of(group, iterations.div_ceil(shared), Dialect::Cuda.usual_group());
        if groups.number > MOST_GROUPS {
            let number = groups.number;
            return Err(DeviceError::Driver(format!(
                "a launch of {number} groups: CUDA takes {MOST_GROUPS} at most"
            )));
        }
        let shared = arguments.iter().map(bytes_of_local).sum::<u64>() as u32;
        let mut words: Vec<u64> = arguments.iter().filter_map(word).collect();
        // The driver copies the low bytes of a word, as many as the parameter's type has.
        let mut pointers: Vec<*mut c_void> = words.iter_mut().map(|word| (&raw mut *word).cast()).collect();
        let (grid, block) = ((groups.number as u32, 1, 1), (groups.size as u32, 1, 1));
        // SAFETY: by contract the arguments are the kernel's; the driver copies them; the kernel stays within its memories.
        let launch = || unsafe {
            result::launch_kernel(function, grid, block, shared, result::stream::null(), &mut pointers)
        };
        self.device.within(launch)
    }

    unsafe fn launch_timed(
        &self,
        kernel: usize,
        arguments: &[DeviceArgument],
        iterations: u64,
    ) -> Result<Duration, DeviceError> {
        let (start, end) = (Mark::new(&self.device)?, Mark::new(&self.device)?);
        start.set()?;
        // SAFETY: by contract.
        unsafe { self.launch(kernel, arguments, iterations) }?;
        end.set()?;
        end.since(&start)
    }
}

/// A point of the stream whose time the device records.
struct Mark<'d> {
    device: &'d CudaDevice,
    event: CUevent,
}

impl<'d> Mark<'d> {
    fn new(device: &'d CudaDevice) -> Result<Mark<'d>, DeviceError> {
        let event = device.within(|| result::event::create(CUevent_flags::CU_EVENT_DEFAULT))?;
        Ok(Mark { device, event })
    }

    /// Records the event; it is reached when all earlier commands are done.
    fn set(&self) -> Result<(), DeviceError> {
        // SAFETY: the event lives as long as this, and belongs to the device's context.
        self.device.within(|| unsafe { result::event::record(self.event, result::stream::null()) })
    }

    /// Waits until this mark is reached and returns the time since `other` was.
    fn since(&self, other: &Mark) -> Result<Duration, DeviceError> {
        // SAFETY: both events are alive and were set on the one stream.
        let elapsed = || unsafe {
            result::event::synchronize(self.event)?;
            elapsed(other.event, self.event)
        };
        let milliseconds = self.device.within(elapsed)?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }
}

impl Drop for Mark<'_> {
    fn drop(&mut self) {
        // SAFETY: nobody uses the event any more. There is nobody to report an error to.
        let _ = self.device.within(|| unsafe { result::event::destroy(self.event) });
    }
}

/// Returns the milliseconds between two events. The binding is not used, because older drivers lack its function.
///
/// # Safety
///
/// Both are events of the current context.
unsafe fn elapsed(start: CUevent, end: CUevent) -> Result<f32, DriverError> {
    type Elapsed = unsafe extern "C" fn(*mut f32, CUevent, CUevent) -> CUresult;
    // SAFETY: the function has this signature in all versions of the driver.
    let function = unsafe { sys::culib().get::<Elapsed>(b"cuEventElapsedTime\0") };
    let function = function.map_err(|_| DriverError(CUresult::CUDA_ERROR_NOT_FOUND))?;
    let mut milliseconds = 0.0;
    // SAFETY: by contract; the number lives during the call.
    unsafe { function(&mut milliseconds, start, end) }.result().map(|()| milliseconds)
}

/// Loads code and returns the driver's handle.
fn load(device: &CudaDevice, code: &[u8]) -> Result<CUmodule, String> {
    let mut why = None;
    // The driver reads PTX up to a zero byte, which NVRTC ends it with.
    // SAFETY: the code comes from the compiler and lives during the call.
    let loaded = device.within(|| {
        unsafe { result::module::load_data(code.as_ptr().cast()) }.inspect_err(|error| {
            why = Some(on_loading(*error, &device.description.driver));
        })
    });
    loaded.map_err(|error| why.unwrap_or_else(|| error.to_string()))
}

/// Returns the number of iterations per work-item: the maximum if that leaves all units of the device busy, else 1.
fn shared_by(iterations: u64, per_item: u32, concurrency: u64) -> u64 {
    if iterations / concurrency < u64::from(per_item) { 1 } else { u64::from(per_item) }
}

/// Returns an argument as the driver copies it, or `None` for an array in local memory, which is not a parameter.
fn word(argument: &DeviceArgument) -> Option<u64> {
    match *argument {
        DeviceArgument::Scalar(value) => Some(value.to_bits()),
        DeviceArgument::Memory(buffer) => Some(buffer.0),
        DeviceArgument::Local(_) => None,
    }
}

/// Returns the number of bytes that an argument takes in each group's local memory, where arrays begin at whole words.
fn bytes_of_local(argument: &DeviceArgument) -> u64 {
    match *argument {
        DeviceArgument::Scalar(_) | DeviceArgument::Memory(_) => 0,
        DeviceArgument::Local(bytes) => bytes.next_multiple_of(LOCAL_WORD as u64),
    }
}

#[cfg(test)]
mod tests {
    use warpwise_prim::Scalar;
    use warpwise_runtime::device::Buffer;

    use super::*;

    #[test]
    fn work_items_share_what_is_more_than_all_can_do_at_once() {
        let shared = |iterations| shared_by(iterations, 4, 1000);
        assert_eq!([0, 999, 3999, 4000, 1 << 40].map(shared), [1, 1, 1, 4, 4]);
        assert_eq!(shared_by(1 << 40, 1, 1000), 1);
    }

    #[test]
    fn arrays_in_local_memory_take_whole_words_and_are_no_parameters() {
        let array = DeviceArgument::Local(13);
        assert_eq!((word(&array), bytes_of_local(&array)), (None, 16));
        assert_eq!(bytes_of_local(&DeviceArgument::Memory(Buffer(13))), 0);
    }

    #[test]
    fn the_low_bytes_of_a_word_are_the_value() {
        let low = |value: Scalar| word(&DeviceArgument::Scalar(value)).expect("a parameter").to_le_bytes();
        assert_eq!(low(Scalar::I32(-2))[..4], (-2_i32).to_le_bytes());
        assert_eq!(low(Scalar::I8(-1))[0], 255);
        assert_eq!(low(Scalar::Bool(true))[0], 1);
        assert_eq!(low(Scalar::F64(1.5)), 1.5_f64.to_le_bytes());
        assert_eq!(word(&DeviceArgument::Memory(Buffer(1 << 40))), Some(1 << 40));
    }
}
