//! The functions of `libcuda`, with the names and signatures of NVIDIA's documentation of the driver.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::io::Write as _;
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use crate::launch::{self, Arguments, Grid};
use crate::memory::{self, Memory};
use crate::module::{Kernel, Module, code_at};

/// Environment variable with the number of launches that succeed before the device is lost. Unset: all.
const LAUNCHES: &str = "EMULATED_CUDA_LAUNCHES";

/// The driver's version: CUDA 13.0.
const VERSION: c_int = 13_000;

/// Attributes of the device by their numbers: compute capability 9.0 and the number of units.
const ATTRIBUTES: [(c_int, c_int); 3] = [(75, 9), (76, 0), (16, 2)];

/// Maximum number of work-items of a block.
const THREADS: c_uint = 1024;

/// Maximum number of bytes of shared memory that a launch may give a block.
const SHARED: c_uint = 48 << 10;

/// Number of the attribute of a function with the maximum number of work-items of its blocks.
const THREADS_OF_FUNCTION: c_int = 0;

/// Status codes of calls.
type Status = c_int;
const OK: Status = 0;
const INVALID_VALUE: Status = 1;
const OUT_OF_MEMORY: Status = 2;
const INVALID_DEVICE: Status = 101;
const INVALID_IMAGE: Status = 200;
const INVALID_CONTEXT: Status = 201;
const INVALID_HANDLE: Status = 400;
const NOT_FOUND: Status = 500;
const LAUNCH_FAILED: Status = 719;

/// The only device, with its only context.
struct Device {
    memory: Memory,
    modules: BTreeMap<usize, Module>,
    /// Functions; a function's handle is its position here, from 1.
    functions: Vec<Function>,
    /// The next handle of a module.
    handles: usize,
    launches: Option<u64>,
    is_lost: bool,
}

#[derive(Clone)]
struct Function {
    kernel: Kernel,
    name: String,
    module: usize,
}

static DEVICE: Mutex<Device> = Mutex::new(Device {
    memory: Memory::new(),
    modules: BTreeMap::new(),
    functions: Vec::new(),
    handles: 1,
    launches: None,
    is_lost: false,
});

/// The handle of the context.
const CONTEXT: usize = 1;

thread_local! {
    /// Whether the context is the thread's current one.
    static IS_CURRENT: Cell<bool> = const { Cell::new(false) };
}

/// Returns the device, for a call that needs the context.
fn device() -> Result<MutexGuard<'static, Device>, Status> {
    if !IS_CURRENT.get() {
        return Err(INVALID_CONTEXT);
    }
    let device = DEVICE.lock().unwrap_or_else(|poison| poison.into_inner());
    if device.is_lost { Err(LAUNCH_FAILED) } else { Ok(device) }
}

/// Returns a call's status.
fn status(call: impl FnOnce() -> Result<(), Status>) -> Status {
    call().map_or_else(|status| status, |()| OK)
}

/// Writes a call's result to its caller's place.
///
/// # Safety
///
/// The place is null or writable.
unsafe fn give<T>(place: *mut T, value: T) -> Result<(), Status> {
    if place.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: by contract.
    unsafe { place.write(value) };
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn cuInit(flags: c_uint) -> Status {
    let launches = std::env::var(LAUNCHES).ok().and_then(|text| text.parse().ok());
    DEVICE.lock().unwrap_or_else(|poison| poison.into_inner()).launches = launches;
    if flags == 0 { OK } else { INVALID_VALUE }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDriverGetVersion(version: *mut c_int) -> Status {
    // SAFETY: the place comes from the caller.
    status(|| unsafe { give(version, VERSION) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Status {
    // SAFETY: the place comes from the caller.
    status(|| unsafe { give(count, 1) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGet(device: *mut c_int, number: c_int) -> Status {
    if number != 0 {
        return INVALID_DEVICE;
    }
    // SAFETY: the place comes from the caller.
    status(|| unsafe { give(device, 0) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetName(name: *mut c_char, length: c_int, _: c_int) -> Status {
    let text = c"CUDA emulator".to_bytes_with_nul();
    if (length as usize) < text.len() {
        return INVALID_VALUE;
    }
    // SAFETY: the caller's buffer is as long as it says.
    unsafe { name.copy_from_nonoverlapping(text.as_ptr().cast(), text.len()) };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceTotalMem_v2(bytes: *mut usize, _: c_int) -> Status {
    // SAFETY: the place comes from the caller.
    status(|| unsafe { give(bytes, memory::SIZE) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, _: c_int) -> Status {
    let known = ATTRIBUTES.iter().find(|(number, _)| *number == attribute);
    // SAFETY: the place comes from the caller.
    status(|| unsafe { give(value, known.ok_or(INVALID_VALUE)?.1) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuDevicePrimaryCtxRetain(context: *mut usize, _: c_int) -> Status {
    // SAFETY: the place comes from the caller.
    status(|| unsafe { give(context, CONTEXT) })
}

#[unsafe(no_mangle)]
extern "C" fn cuDevicePrimaryCtxRelease_v2(_: c_int) -> Status {
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSetCurrent(context: usize) -> Status {
    if context > CONTEXT {
        return INVALID_CONTEXT;
    }
    IS_CURRENT.set(context == CONTEXT);
    OK
}

#[unsafe(no_mangle)]
extern "C" fn cuCtxSynchronize() -> Status {
    status(|| device().map(drop))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Status {
    status(|| {
        if bytes == 0 {
            return Err(INVALID_VALUE);
        }
        let start = device()?.memory.allocate(bytes).ok_or(OUT_OF_MEMORY)?;
        // SAFETY: the place comes from the caller.
        unsafe { give(address, start as u64) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemFree_v2(address: u64) -> Status {
    status(|| {
        let mut device = device()?;
        if device.memory.free(address as usize).is_none() {
            say("a block of memory that is freed does not exist, or a kernel wrote behind its end");
            device.is_lost = true;
            return Err(INVALID_VALUE);
        }
        Ok(())
    })
}

/// Returns an address on the device as a pointer if the range lies in one block.
fn range(device: &Device, address: u64, bytes: usize) -> Result<*mut u8, Status> {
    let held = bytes == 0 || device.memory.holds(address as usize, bytes);
    if held { Ok(address as usize as *mut u8) } else { Err(INVALID_VALUE) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoD_v2(to: u64, from: *const u8, bytes: usize) -> Status {
    status(|| {
        let to = range(&*device()?, to, bytes)?;
        // SAFETY: the range lies in a block; the caller passes as many bytes as it says.
        unsafe { to.copy_from_nonoverlapping(from, bytes) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    to: u64,
    from: *const u8,
    bytes: usize,
    stream: *mut c_void,
) -> Status {
    if !stream.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: by contract.
    unsafe { cuMemcpyHtoD_v2(to, from, bytes) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoH_v2(to: *mut u8, from: u64, bytes: usize) -> Status {
    status(|| {
        let from = range(&*device()?, from, bytes)?;
        // SAFETY: the range lies in a block; the caller's buffer is as large as it says.
        unsafe { to.copy_from_nonoverlapping(from, bytes) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) -> Status {
    status(|| {
        let device = device()?;
        let (to, from) = (range(&device, to, bytes)?, range(&device, from, bytes)?);
        if (to as usize).abs_diff(from as usize) < bytes {
            say("a copy on the device onto itself, which has no defined result");
            return Err(INVALID_VALUE);
        }
        // SAFETY: both ranges lie in blocks and do not overlap.
        unsafe { to.copy_from_nonoverlapping(from, bytes) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD8_v2(to: u64, byte: u8, count: usize) -> Status {
    set(to, byte, count)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD16_v2(to: u64, word: u16, count: usize) -> Status {
    set(to, word, count)
}

#[unsafe(no_mangle)]
extern "C" fn cuMemsetD32_v2(to: u64, word: u32, count: usize) -> Status {
    set(to, word, count)
}

/// Sets `count` elements to a value.
fn set<T: Copy>(to: u64, value: T, count: usize) -> Status {
    status(|| {
        let bytes = count.checked_mul(size_of::<T>()).ok_or(INVALID_VALUE)?;
        let to = range(&*device()?, to, bytes)?.cast::<T>();
        if !to.is_aligned() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the range lies in a block.
        (0..count).for_each(|at| unsafe { to.add(at).write(value) });
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleLoadData(module: *mut usize, image: *const c_char) -> Status {
    status(|| {
        let mut device = device()?;
        // SAFETY: the caller passes code that the compiler made.
        let code = unsafe { code_at(image) }.ok_or(INVALID_IMAGE)?;
        let loaded = Module::load(code).ok_or(INVALID_IMAGE)?;
        let handle = device.handles;
        device.handles += 1;
        device.modules.insert(handle, loaded);
        // SAFETY: the place comes from the caller.
        unsafe { give(module, handle) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuModuleUnload(module: usize) -> Status {
    status(|| device()?.modules.remove(&module).map(drop).ok_or(INVALID_HANDLE))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuModuleGetFunction(function: *mut usize, module: usize, name: *const c_char) -> Status {
    status(|| {
        let mut device = device()?;
        // SAFETY: the caller passes a name that ends with a zero byte.
        let name = unsafe { CStr::from_ptr(name) };
        let loaded = device.modules.get(&module).ok_or(INVALID_HANDLE)?;
        let kernel = loaded.kernel(name).ok_or(NOT_FOUND)?;
        let name = name.to_string_lossy().into_owned();
        device.functions.push(Function { kernel, name, module });
        // SAFETY: the place comes from the caller.
        unsafe { give(function, device.functions.len()) }
    })
}

/// Returns the function with a handle if its module is loaded.
fn function(device: &Device, handle: usize) -> Result<Function, Status> {
    let found = handle.checked_sub(1).and_then(|at| device.functions.get(at));
    found.filter(|found| device.modules.contains_key(&found.module)).cloned().ok_or(INVALID_HANDLE)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, handle: usize) -> Status {
    status(|| {
        function(&*device()?, handle)?;
        if attribute != THREADS_OF_FUNCTION {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the place comes from the caller.
        unsafe { give(value, THREADS as c_int) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuLaunchKernel(
    handle: usize,
    blocks: c_uint,
    blocks_y: c_uint,
    blocks_z: c_uint,
    threads: c_uint,
    threads_y: c_uint,
    threads_z: c_uint,
    shared: c_uint,
    stream: *mut c_void,
    arguments: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Status {
    status(|| {
        // The device stays locked: launches of several threads run one after the other, like those of one stream.
        let mut device = device()?;
        let Function { kernel, name, .. } = function(&device, handle)?;
        let is_flat = [blocks_y, blocks_z, threads_y, threads_z] == [1; 4];
        let is_plain = stream.is_null() && extra.is_null();
        if !is_flat || !is_plain || shared > SHARED || blocks == 0 || threads == 0 || threads > THREADS {
            return Err(INVALID_VALUE);
        }
        let fault = match &mut device.launches {
            Some(0) => Some("the device is lost, as was asked for".to_string()),
            left => {
                left.iter_mut().for_each(|left| *left -= 1);
                let grid = Grid { blocks, threads, shared };
                launch::run(kernel, grid, Arguments(arguments)).err().map(|fault| fault.to_string())
            }
        };
        if let Some(fault) = fault {
            say(&format!("kernel {name}: {fault}"));
            device.is_lost = true;
            return Err(LAUNCH_FAILED);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventCreate(event: *mut *mut Instant, _: c_uint) -> Status {
    // SAFETY: the place comes from the caller.
    status(|| unsafe { give(event, Box::into_raw(Box::new(Instant::now()))) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventDestroy_v2(event: *mut Instant) -> Status {
    // SAFETY: the caller got it from `cuEventCreate`, and does not use it again.
    drop(unsafe { Box::from_raw(event) });
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventRecord(event: *mut Instant, _: *mut c_void) -> Status {
    // SAFETY: the event belongs to the caller.
    status(|| device().map(|_device| unsafe { *event = Instant::now() }))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventSynchronize(_: *mut Instant) -> Status {
    cuCtxSynchronize()
}

/// Computes the milliseconds between two events.
#[unsafe(no_mangle)]
unsafe extern "C" fn cuEventElapsedTime(time: *mut f32, start: *mut Instant, end: *mut Instant) -> Status {
    // SAFETY: the events and the place belong to the caller.
    status(|| unsafe { give(time, (*end).saturating_duration_since(*start).as_secs_f32() * 1e3) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorName(status: Status, name: *mut *const c_char) -> Status {
    let text = match status {
        OK => c"CUDA_SUCCESS",
        INVALID_VALUE => c"CUDA_ERROR_INVALID_VALUE",
        OUT_OF_MEMORY => c"CUDA_ERROR_OUT_OF_MEMORY",
        INVALID_DEVICE => c"CUDA_ERROR_INVALID_DEVICE",
        INVALID_IMAGE => c"CUDA_ERROR_INVALID_IMAGE",
        INVALID_CONTEXT => c"CUDA_ERROR_INVALID_CONTEXT",
        INVALID_HANDLE => c"CUDA_ERROR_INVALID_HANDLE",
        NOT_FOUND => c"CUDA_ERROR_NOT_FOUND",
        LAUNCH_FAILED => c"CUDA_ERROR_LAUNCH_FAILED",
        _ => {
            // SAFETY: the place comes from the caller.
            return self::status(|| {
                unsafe { give(name, null_mut::<c_char>().cast_const()) }.and(Err(INVALID_VALUE))
            });
        }
    };
    // SAFETY: the place comes from the caller.
    self::status(|| unsafe { give(name, text.as_ptr()) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuGetErrorString(status: Status, text: *mut *const c_char) -> Status {
    // SAFETY: the place comes from the caller.
    unsafe { cuGetErrorName(status, text) }
}

/// Reports a fault that no status describes.
fn say(what: &str) {
    let _ = writeln!(std::io::stderr(), "CUDA emulator: {what}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_without_a_context_and_copies_that_leave_their_block_are_errors() {
        let (mut address, bytes, mut back) = (0, [7_u8; 16], [0_u8; 16]);
        // SAFETY: all places live during the calls.
        unsafe {
            assert_eq!(cuMemAlloc_v2(&mut address, 16), INVALID_CONTEXT);
            assert_eq!(cuCtxSetCurrent(CONTEXT), OK);
            assert_eq!(cuMemAlloc_v2(&mut address, 0), INVALID_VALUE);
            assert_eq!(cuMemAlloc_v2(&mut address, 16), OK);
            assert_eq!(cuMemcpyHtoD_v2(address, bytes.as_ptr(), 16), OK);
            assert_eq!(cuMemcpyHtoD_v2(address + 8, bytes.as_ptr(), 16), INVALID_VALUE);
            assert_eq!(cuMemcpyDtoD_v2(address + 4, address, 8), INVALID_VALUE, "onto itself");
            assert_eq!(cuMemsetD8_v2(address + 8, 9, 8), OK);
            assert_eq!(cuMemsetD16_v2(address + 12, 0x0201, 2), OK);
            assert_eq!(cuMemsetD16_v2(address + 1, 0, 1), INVALID_VALUE, "not aligned");
            assert_eq!(cuMemsetD32_v2(address + 12, 0, 2), INVALID_VALUE, "too long");
            assert_eq!(cuMemcpyDtoH_v2(back.as_mut_ptr(), address, 16), OK);
            assert_eq!(back, [7, 7, 7, 7, 7, 7, 7, 7, 9, 9, 9, 9, 1, 2, 1, 2]);
            assert_eq!(cuMemFree_v2(address), OK);
            assert_eq!(cuMemcpyDtoH_v2(back.as_mut_ptr(), address, 16), INVALID_VALUE);
        }
    }
}
