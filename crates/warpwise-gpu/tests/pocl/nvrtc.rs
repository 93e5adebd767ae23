//! CUDA texts through NVIDIA's compiler, to machine code.
//!
//! `WARPWISE_NVRTC` names its library (`libnvrtc.so.13`, from the Python package `nvidia-cuda-nvrtc`, for instance).
//! Without it this test says that it is skipped, and passes.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io::Write;
use std::path::Path;
use std::ptr::{null, null_mut};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use warpwise_gpu::kernel_text::{Dialect, kernel_text};

use crate::{golden, programs};

/// Names the library.
const NVRTC: &str = "WARPWISE_NVRTC";

/// A program that is being compiled.
type Handle = *mut c_void;

type Create = unsafe extern "C" fn(
    *mut Handle,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> c_int;
type Compile = unsafe extern "C" fn(Handle, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> c_int;
type Text = unsafe extern "C" fn(Handle, *mut c_char) -> c_int;

/// Compiles a text for an architecture: bytes of machine code, or what the compiler says.
fn compile(library: &Library, text: &str, architecture: &str) -> Result<usize, String> {
    let text = CString::new(text).expect("no zero bytes");
    let mut options: Vec<CString> =
        Dialect::Cuda.build_options().split(' ').map(|option| CString::new(option).expect("text")).collect();
    options.push(CString::new(format!("--gpu-architecture={architecture}")).expect("text"));
    let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let mut program = null_mut();
    // SAFETY: the signatures are those of NVRTC's documentation; all pointers live during the calls.
    unsafe {
        let create = library.get::<Create>(b"nvrtcCreateProgram").expect("a function");
        let run = library.get::<Compile>(b"nvrtcCompileProgram").expect("a function");
        let log_size = library.get::<Size>(b"nvrtcGetProgramLogSize").expect("a function");
        let log = library.get::<Text>(b"nvrtcGetProgramLog").expect("a function");
        let code_size = library.get::<Size>(b"nvrtcGetCUBINSize").expect("a function");
        assert_eq!(create(&mut program, text.as_ptr(), null(), 0, null(), null()), 0);
        let failed = run(program, options.len() as c_int, options.as_ptr()) != 0;
        let mut size = 0;
        if failed {
            assert_eq!(log_size(program, &mut size), 0);
            let mut said: Vec<u8> = vec![0; size + 1];
            assert_eq!(log(program, said.as_mut_ptr().cast()), 0);
            return Err(CStr::from_ptr(said.as_ptr().cast()).to_string_lossy().into_owned());
        }
        assert_eq!(code_size(program, &mut size), 0);
        Ok(size)
    }
}

/// The compiler, if there is one.
fn library() -> Option<Library> {
    let Some(path) = std::env::var_os(NVRTC) else {
        let _ = writeln!(std::io::stderr(), "skipped: compiling CUDA text, because {NVRTC} is not set");
        return None;
    };
    let flags = RTLD_NOW | RTLD_GLOBAL;
    let folder = Path::new(&path).parent().expect("a folder").read_dir().expect("a folder that can be read");
    let builtins = folder.flatten().map(|entry| entry.path());
    let is_builtins = |path: &Path| path.to_string_lossy().contains("libnvrtc-builtins.so");
    // The compiler looks for it by name only.
    for path in builtins.filter(|path| is_builtins(path)) {
        // SAFETY: loading NVIDIA's library runs its initialisers only.
        std::mem::forget(unsafe { Library::open(Some(path), flags) }.expect("the library's own library"));
    }
    // SAFETY: as above.
    Some(unsafe { Library::open(Some(path), flags) }.expect("NVRTC can be loaded"))
}

#[test]
fn cuda_texts_compile_to_machine_code() {
    let Some(library) = library() else { return };
    for name in golden::NAMES {
        let lowered = programs::lowered(&golden::program(name));
        let text = kernel_text(lowered.kernels.values(), Dialect::Cuda).expect("kernels").text;
        for architecture in ["sm_75", "sm_90"] {
            let code = compile(&library, &text, architecture);
            assert!(code.as_ref().is_ok_and(|&size| size > 0), "{name}, {architecture}: {code:?}\n{text}");
        }
    }
    assert!(compile(&library, "this is no program", "sm_90").is_err());
}

#[test]
fn every_operator_compiles_as_cuda() {
    let Some(library) = library() else { return };
    for kernel in crate::operators::kernels() {
        let text = kernel_text([&kernel], Dialect::Cuda).expect("operators can be printed").text;
        let code = compile(&library, &text, "sm_90");
        assert!(code.is_ok(), "{code:?}\n{text}");
    }
}
