//! The functions of NVRTC: the system's C++ compiler compiles a text of kernels for the processor.
//!
//! `emulated.h` defines the constructs of CUDA C in C++. In addition, each kernel gets a function that calls it with its
//! arguments in the driver's form, and PTX instructions in the text become calls: `asm("cvt.f32.f16 %0, %1;" : "=f"(x) :
//! "h"(bits));` is `x = ptx_cvt_f32_f16(bits);`. Memory that a launch gives each block becomes a pointer.

use std::ffi::{CStr, CString, OsString, c_char, c_int};
use std::path::Path;
use std::process::Command;
use std::ptr::null_mut;

use crate::module::CALLS;

/// Text that precedes every program.
const HEADER: &str = include_str!("emulated.h");

/// The compiler's version: that of CUDA 13.0.
const VERSION: [c_int; 2] = [13, 0];

/// The only supported architecture.
const ARCHITECTURE: c_int = 90;

/// Accepted options; their effects are fixed.
const OPTIONS: [&str; 6] = [
    "--std=c++17",
    "--fmad=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    "--ftz=false",
    "--gpu-architecture=sm_90",
];

/// Options of the first call of the C++ compiler: macros are expanded, because they may hide names of kernels.
const EXPAND: [&str; 4] = ["-x", "c++", "-w", "-E"];

/// Options of the second call. Texts cast between pointers of different types, which devices allow; a misaligned element stops
/// the process.
const COMPILE: [&str; 11] = [
    "-x",
    "c++",
    "-std=gnu++14",
    "-O1",
    "-w",
    "-fPIC",
    "-shared",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-fsanitize=alignment",
    "-fsanitize-undefined-trap-on-error",
];

type Status = c_int;
const OK: Status = 0;
const OUT_OF_MEMORY: Status = 1;
const INVALID_INPUT: Status = 3;
const INVALID_OPTION: Status = 5;
const REFUSED: Status = 6;

/// A text and the results of its compilation.
struct Program {
    text: String,
    code: Vec<u8>,
    log: CString,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) -> Status {
    // SAFETY: the places come from the caller.
    unsafe { (*major, *minor) = VERSION.into() };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcGetNumSupportedArchs(count: *mut c_int) -> Status {
    // SAFETY: the place comes from the caller.
    unsafe { *count = 1 };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcGetSupportedArchs(numbers: *mut c_int) -> Status {
    // SAFETY: the caller's buffer has room for all architectures.
    unsafe { *numbers = ARCHITECTURE };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcCreateProgram(
    program: *mut *mut Program,
    text: *const c_char,
    _name: *const c_char,
    headers: c_int,
    _texts: *const *const c_char,
    _names: *const *const c_char,
) -> Status {
    if headers != 0 {
        return INVALID_INPUT;
    }
    // SAFETY: the caller's text ends with a zero byte.
    let text = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    let made = Box::new(Program { text, code: Vec::new(), log: CString::default() });
    // SAFETY: the place comes from the caller.
    unsafe { *program = Box::into_raw(made) };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcDestroyProgram(program: *mut *mut Program) -> Status {
    // SAFETY: the caller got it from `nvrtcCreateProgram`, and does not use it again.
    drop(unsafe { Box::from_raw(*program) });
    // SAFETY: the place comes from the caller.
    unsafe { *program = null_mut() };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcCompileProgram(
    program: *mut Program,
    count: c_int,
    options: *const *const c_char,
) -> Status {
    // SAFETY: the program belongs to the caller, which uses it from one thread.
    let program = unsafe { &mut *program };
    for at in 0..count as usize {
        // SAFETY: the caller passes as many options as it says; they end with zero bytes.
        let option = unsafe { CStr::from_ptr(*options.add(at)) };
        if !OPTIONS.iter().any(|known| known.as_bytes() == option.to_bytes()) {
            program.log = option.to_owned();
            return INVALID_OPTION;
        }
    }
    match compile(&program.text) {
        Ok(Ok(code)) => {
            program.code = code;
            OK
        }
        Ok(Err(log)) => {
            program.log = CString::new(log.replace('\0', " ")).unwrap_or_default();
            REFUSED
        }
        Err(error) => {
            program.log = CString::new(error.to_string()).unwrap_or_default();
            OUT_OF_MEMORY
        }
    }
}

/// Compiles a text; the inner error is the compiler's message if it refuses the text.
fn compile(text: &str) -> std::io::Result<Result<Vec<u8>, String>> {
    let folder = tempfile::tempdir()?;
    let [source, expanded, code] =
        ["kernels.cu", "expanded.cc", "kernels.so"].map(|name| folder.path().join(name));
    std::fs::write(&source, text)?;
    if let Err(log) = call_compiler(&EXPAND, &source, &expanded)? {
        return Ok(Err(log));
    }
    std::fs::write(&expanded, translated(&std::fs::read_to_string(&expanded)?))?;
    match call_compiler(&COMPILE, &expanded, &code)? {
        Ok(()) => Ok(Ok(std::fs::read(code)?)),
        Err(log) => Ok(Err(log)),
    }
}

fn call_compiler(flags: &[&str], from: &Path, to: &Path) -> std::io::Result<Result<(), String>> {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| OsString::from("c++"));
    let output = Command::new(compiler).args(flags).arg("-o").args([to, from]).output()?;
    let log = || String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(if output.status.success() { Ok(()) } else { Err(log()) })
}

/// Translates the text to C++.
fn translated(text: &str) -> String {
    let calls: String = kernels(text).map(call).collect();
    format!("{HEADER}\n{}\n{calls}", without_extern(&without_ptx(text)))
}

/// Returns the names of the kernels: each stands before the parenthesis that follows `void`.
fn kernels(text: &str) -> impl Iterator<Item = &str> {
    let heads = text.split("__global__").skip(1).filter_map(|rest| rest.split_once("void "));
    heads.filter_map(|(_, rest)| {
        let rest = rest.trim_start();
        // `__launch_bounds__(128)` may stand before the name.
        let rest = rest
            .strip_prefix("__launch_bounds__")
            .map_or(Some(rest), |bound| bound.split_once(')').map(|(_, rest)| rest))?;
        rest.split('(').next().map(str::trim)
    })
}

/// Returns the text of the function that calls a kernel.
fn call(kernel: &str) -> String {
    format!("extern \"C\" void {CALLS}{kernel}(void **arguments) {{ emulated_call({kernel}, arguments); }}\n")
}

/// Replaces PTX instructions with one result and one operand by calls.
fn without_ptx(text: &str) -> String {
    let mut parts = text.split("asm(\"");
    let mut result = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let called = part.split_once(");").and_then(|(statement, rest)| {
            let instruction = statement.split(' ').next()?;
            let mut operands = statement.split('(').skip(1).map(|operand| operand.split(')').next());
            let (to, from) = (operands.next()??, operands.next()??);
            let function = instruction.replace('.', "_");
            Some(format!("{to} = ptx_{function}({from});{rest}"))
        });
        result += &called.unwrap_or_else(|| format!("asm(\"{part}"));
    }
    result
}

/// Replaces arrays without sizes by pointers: `extern __shared__ long x[];` becomes `long *x = (long *)emulator->shared();`.
fn without_extern(text: &str) -> String {
    let mut parts = text.split("extern __shared__ ");
    let mut result = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let declared = part.split_once("[];").and_then(|(array, rest)| {
            let (ty, name) = array.split_once(' ')?;
            Some(format!("{ty} *{name} = ({ty} *)emulator->shared();{rest}"))
        });
        result += &declared.unwrap_or_else(|| format!("extern __shared__ {part}"));
    }
    result
}

/// Writes the size of `bytes` to the caller's place.
///
/// # Safety
///
/// The place is writable.
unsafe fn size(place: *mut usize, bytes: &[u8]) -> Status {
    // SAFETY: by contract.
    unsafe { *place = bytes.len() };
    OK
}

/// # Safety
///
/// The place has room for all bytes.
unsafe fn bytes(place: *mut u8, bytes: &[u8]) -> Status {
    // SAFETY: by contract.
    unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    OK
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcGetCUBINSize(program: *mut Program, place: *mut usize) -> Status {
    // SAFETY: the program and the place belong to the caller.
    unsafe { size(place, &(*program).code) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcGetCUBIN(program: *mut Program, place: *mut u8) -> Status {
    // SAFETY: the program and the buffer belong to the caller.
    unsafe { bytes(place, &(*program).code) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcGetProgramLogSize(program: *mut Program, place: *mut usize) -> Status {
    // SAFETY: the program and the place belong to the caller.
    unsafe { size(place, (*program).log.as_bytes_with_nul()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn nvrtcGetProgramLog(program: *mut Program, place: *mut u8) -> Status {
    // SAFETY: the program and the buffer belong to the caller.
    unsafe { bytes(place, (*program).log.as_bytes_with_nul()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_found_and_called() {
        let text = "extern \"C\" __global__ __launch_bounds__(128) void one(\n    int *x) {}\n\
                    extern \"C\" __global__ void __launch_bounds__(256) two(int *x) {}";
        assert_eq!(kernels(text).collect::<Vec<_>>(), ["one", "two"]);
        assert!(compile(text).expect("a compiler").is_ok());
        let hidden = "#define KERNEL extern \"C\" __global__ void\nKERNEL three(int *x) {}";
        let code = compile(hidden).expect("a compiler").expect("code");
        let name = format!("{CALLS}three");
        assert!(code.windows(name.len()).any(|part| part == name.as_bytes()));
    }

    #[test]
    fn instructions_become_calls() {
        let text = "asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(bits));\n    return x;";
        assert_eq!(without_ptx(text), "x = ptx_cvt_f32_f16(bits);\n    return x;");
    }

    #[test]
    fn arrays_without_sizes_become_pointers() {
        let text = "extern __shared__ long shared[];\n    shared[0] = 1;";
        assert_eq!(without_extern(text), "long *shared = (long *)emulator->shared();\n    shared[0] = 1;");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let log = compile("this is no program").expect("a compiler").expect_err("no program");
        assert!(log.contains("kernels.cu:1"), "{log}");
    }
}
