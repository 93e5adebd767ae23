//! NVIDIA's compiler for kernels, NVRTC.
//!
//! NVRTC makes machine code for the device's architecture. For a device newer than the compiler, it makes PTX for the newest
//! architecture it knows, which the driver compiles further. The library is loaded at run time, because the user may name it.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::build::BuildError;
use crate::kernel_text::Dialect;

/// Environment variable that names the library if it is not in the library search path.
pub const NVRTC: &str = "WARPWISE_NVRTC";

/// Candidates for the library; versioned names come before the unversioned one.
const PLACES: [&str; 4] =
    ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"];

/// Advice if the library is not found.
const HELP: &str = "install the CUDA toolkit, or Python's package `nvidia-cuda-nvrtc` (`nvidia-cuda-nvrtc-cu12` for drivers before 580), and set WARPWISE_NVRTC to the path of its `libnvrtc.so.*`";

/// Stack size of the compiler's thread, in bytes: threads of programs that call us may have less than the compiler needs.
const STACK: usize = 64 << 20;

/// The library. It is never unloaded, because it does not expect to be unloaded while its threads end.
pub struct Compiler {
    library: &'static Library,
    /// Architectures it makes machine code for, oldest first.
    architectures: Vec<u32>,
}

/// Form of the code that the compiler makes, with its architecture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Machine(u32),
    Portable(u32),
}

/// A program in compilation.
struct Unit {
    library: &'static Library,
    handle: Handle,
}

type Handle = *mut c_void;
type Status = c_int;
type Create = unsafe extern "C" fn(
    *mut Handle,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> Status;
type Destroy = unsafe extern "C" fn(*mut Handle) -> Status;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type Bytes = unsafe extern "C" fn(Handle, *mut c_char) -> Status;
type Numbers = unsafe extern "C" fn(*mut c_int) -> Status;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;

impl Compiler {
    /// Opens the library that `WARPWISE_NVRTC` names. Otherwise opens the first in the search path whose code a driver of this
    /// version (13000 for CUDA 13.0), or any driver if none is given, accepts. If all are newer than the driver, opens the last,
    /// which may be only slightly newer.
    pub fn find(driver: Option<i32>) -> Result<Compiler, String> {
        if let Some(path) = std::env::var_os(NVRTC) {
            return Compiler::open(&PathBuf::from(path));
        }
        let mut younger = None;
        for place in PLACES {
            let Ok(compiler) = Compiler::open(Path::new(place)) else { continue };
            let version = compiler.version()?;
            if driver.is_none_or(|driver| version <= driver / 1000) {
                return Ok(compiler);
            }
            younger = Some(compiler);
        }
        younger.ok_or_else(|| format!("no compiler for CUDA kernels (NVRTC): {HELP}"))
    }

    /// Opens the library at this path, or of this name in the search path.
    pub fn open(path: &Path) -> Result<Compiler, String> {
        let wrong = |error| format!("{}: no compiler for CUDA kernels ({error}): {HELP}", path.display());
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        for builtins in folder.map(builtins).unwrap_or_default() {
            // The compiler looks for the built-ins only by name. If they cannot be loaded, the compiler reports it.
            // SAFETY: loading NVIDIA's library only runs its initialisers.
            if let Ok(library) = unsafe { Library::open(Some(builtins), RTLD_NOW | RTLD_LOCAL) } {
                std::mem::forget(library);
            }
        }
        // SAFETY: as above.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(wrong)?;
        let library: &'static Library = Box::leak(Box::new(library));
        let architectures = architectures(library)?;
        Ok(Compiler { library, architectures })
    }

    /// Returns the major version of CUDA that the library belongs to.
    fn version(&self) -> Result<i32, String> {
        let (mut major, mut minor) = (0, 0);
        let get = function::<Version>(self.library, "nvrtcVersion")?;
        // SAFETY: the numbers live during the call.
        done("nvrtcVersion", unsafe { get(&mut major, &mut minor) })?;
        Ok(major)
    }

    /// Returns the architectures that it makes machine code for, oldest first: 90 for compute capability 9.0.
    pub fn architectures(&self) -> &[u32] {
        &self.architectures
    }

    /// Compiles a text for an architecture.
    pub fn compile(&self, text: &str, architecture: u32) -> Result<Vec<u8>, BuildError> {
        let compile = || self.compile_here(text, architecture);
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, compile);
            let thread =
                thread.map_err(|error| BuildError::Missing(format!("a thread for NVRTC: {error}")))?;
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn compile_here(&self, text: &str, architecture: u32) -> Result<Vec<u8>, BuildError> {
        let form = form(&self.architectures, architecture).map_err(BuildError::Missing)?;
        let unit = Unit::new(self.library, text).map_err(BuildError::Missing)?;
        unit.compile(form)?;
        let (size, bytes) = match form {
            Form::Machine(_) => ("nvrtcGetCUBINSize", "nvrtcGetCUBIN"),
            Form::Portable(_) => ("nvrtcGetPTXSize", "nvrtcGetPTX"),
        };
        unit.bytes(size, bytes).map_err(BuildError::Missing)
    }
}

impl Unit {
    fn new(library: &'static Library, text: &str) -> Result<Unit, String> {
        let text = CString::new(text).map_err(|error| format!("the kernels' text: {error}"))?;
        let mut handle = null_mut();
        let create = function::<Create>(library, "nvrtcCreateProgram")?;
        // SAFETY: the pointers live during the call, which copies the text; no headers are given.
        let status = unsafe { create(&mut handle, text.as_ptr(), c"kernels.cu".as_ptr(), 0, null(), null()) };
        done("nvrtcCreateProgram", status)?;
        Ok(Unit { library, handle })
    }

    fn compile(&self, form: Form) -> Result<(), BuildError> {
        let target = match form {
            Form::Machine(number) => format!("--gpu-architecture=sm_{number}"),
            Form::Portable(number) => format!("--gpu-architecture=compute_{number}"),
        };
        let options = Dialect::Cuda.build_options().split(' ').chain([target.as_str()]);
        let options: Result<Vec<CString>, _> = options.map(CString::new).collect();
        let options = options.map_err(|error| BuildError::Missing(error.to_string()))?;
        let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let compile =
            function::<Compile>(self.library, "nvrtcCompileProgram").map_err(BuildError::Missing)?;
        // SAFETY: the program is this one; the options live during the call.
        match unsafe { compile(self.handle, options.len() as c_int, options.as_ptr()) } {
            0 => Ok(()),
            status => {
                Err(BuildError::Refused(self.log().unwrap_or_else(|| failed("nvrtcCompileProgram", status))))
            }
        }
    }

    /// Returns the compiler's log.
    fn log(&self) -> Option<String> {
        let bytes = self.bytes("nvrtcGetProgramLogSize", "nvrtcGetProgramLog").ok()?;
        let text = CStr::from_bytes_until_nul(&bytes).ok()?.to_string_lossy().trim().to_string();
        Some(text).filter(|text| !text.is_empty())
    }

    /// Returns the bytes that a pair of functions yields: one for the size, one for the bytes.
    fn bytes(&self, size_of: &str, bytes_of: &str) -> Result<Vec<u8>, String> {
        let mut size = 0;
        let get_size = function::<Size>(self.library, size_of)?;
        // SAFETY: the program is this one; the number lives during the call.
        done(size_of, unsafe { get_size(self.handle, &mut size) })?;
        let mut bytes = vec![0_u8; size];
        let get_bytes = function::<Bytes>(self.library, bytes_of)?;
        // SAFETY: the buffer has the size that the library returned.
        done(bytes_of, unsafe { get_bytes(self.handle, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        if let Ok(destroy) = function::<Destroy>(self.library, "nvrtcDestroyProgram") {
            // SAFETY: the program is this one, and is not used again.
            unsafe { destroy(&mut self.handle) };
        }
    }
}

/// Returns the form of the code for a device of this architecture.
fn form(known: &[u32], architecture: u32) -> Result<Form, String> {
    if known.contains(&architecture) {
        return Ok(Form::Machine(architecture));
    }
    match known.iter().rfind(|&&known| known < architecture) {
        Some(&youngest) => Ok(Form::Portable(youngest)),
        None => {
            let oldest = known.first().copied().unwrap_or(0);
            Err(format!(
                "this NVRTC makes no code for a device of architecture sm_{architecture}, the oldest it knows is sm_{oldest}: \
                 install an older one (CUDA 12 knows sm_50 and later), and set {NVRTC} to its path"
            ))
        }
    }
}

fn architectures(library: &Library) -> Result<Vec<u32>, String> {
    let mut count = 0;
    let get_count = function::<Numbers>(library, "nvrtcGetNumSupportedArchs")?;
    // SAFETY: the number lives during the call.
    done("nvrtcGetNumSupportedArchs", unsafe { get_count(&mut count) })?;
    let mut numbers = vec![0; count.max(0) as usize];
    let get_all = function::<Numbers>(library, "nvrtcGetSupportedArchs")?;
    // SAFETY: the buffer has room for the number that the library returned.
    done("nvrtcGetSupportedArchs", unsafe { get_all(numbers.as_mut_ptr()) })?;
    let mut numbers: Vec<u32> = numbers.into_iter().map(|number| number as u32).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// Returns the libraries in this folder with the compiler's built-ins.
fn builtins(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let is_builtins = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("libnvrtc-builtins.so")
    };
    entries.flatten().map(|entry| entry.path()).filter(is_builtins).collect()
}

/// Returns a function of the library; `F` is its signature in NVRTC's documentation.
fn function<F: Copy>(library: &Library, name: &str) -> Result<F, String> {
    // SAFETY: all callers name the signature that the documentation gives.
    let found = unsafe { library.get::<F>(name.as_bytes()) };
    found.map(|function| *function).map_err(|error| format!("NVRTC is too old ({error}): {HELP}"))
}

fn done(function: &str, status: Status) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(failed(function, status)) }
}

fn failed(function: &str, status: Status) -> String {
    format!("NVRTC: {function} fails with status {status}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_get_code_that_the_compiler_can_make() {
        let known = [75, 80, 90];
        assert_eq!(form(&known, 80), Ok(Form::Machine(80)));
        assert_eq!(form(&known, 86), Ok(Form::Portable(80)));
        assert_eq!(form(&known, 100), Ok(Form::Portable(90)));
        let old = form(&known, 70).expect_err("older than the compiler");
        assert!(old.contains("sm_70") && old.contains("sm_75") && old.contains(NVRTC), "{old}");
        assert!(form(&[], 70).is_err());
    }

    #[test]
    fn a_library_that_is_not_there_is_named() {
        let missing = Compiler::open(Path::new("/no/such/libnvrtc.so.13")).err().expect("no library");
        assert!(
            missing.starts_with("/no/such/libnvrtc.so.13: ") && missing.contains("nvidia-cuda-nvrtc"),
            "{missing}"
        );
    }
}
