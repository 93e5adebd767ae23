//! Compilation of CUDA texts to machine code by NVIDIA's compiler.
//!
//! `WARPWISE_NVRTC` names the compiler's library (`libnvrtc.so.13`, for instance from the Python package `nvidia-cuda-nvrtc`).
//! Without it these tests report that they are skipped, and pass.

use std::io::Write;
use std::process::Command;

use warpwise_gpu::build::BuildError;
use warpwise_gpu::cuda::{Compiler, NVRTC};
use warpwise_gpu::kernel_text::{Dialect, kernel_text};

use crate::{golden, programs};

/// Architectures of devices; a compiler may not know the oldest.
const ARCHITECTURES: [u32; 3] = [70, 80, 90];

/// Environment variable that tells a process of the tests that it runs a single test.
const ALONE: &str = "WARPWISE_TEST_ALONE";

/// Returns the compiler, if there is one, for the test of this name. Returns `None` after the test has run in a process of its
/// own: NVIDIA's compiler crashes beside other tests, which load code that the emulator compiled.
fn compiler(test: &str) -> Option<Compiler> {
    if std::env::var_os(NVRTC).is_none() {
        let _ = writeln!(std::io::stderr(), "skipped: compiling CUDA text, because {NVRTC} is not set");
        return None;
    }
    let is_alone = ["NEXTEST", ALONE].into_iter().any(|variable| std::env::var_os(variable).is_some());
    if !is_alone {
        let mut process = Command::new(std::env::current_exe().expect("the path of the tests"));
        process.args(["--exact", &format!("nvrtc::{test}")]).env(ALONE, "1");
        let ended = process.output().expect("the tests start");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        return None;
    }
    Some(Compiler::find(None).unwrap_or_else(|missing| panic!("{missing}")))
}

#[test]
fn cuda_texts_compile_to_machine_code() {
    let Some(compiler) = compiler("cuda_texts_compile_to_machine_code") else { return };
    let known = |number: &u32| compiler.architectures().contains(number);
    for name in golden::NAMES {
        let lowered = programs::lowered_for(&golden::program(name), true);
        let text = kernel_text(lowered.kernels.values(), Dialect::Cuda).expect("kernels").text;
        for architecture in ARCHITECTURES.into_iter().filter(known) {
            let code = compiler.compile(&text, architecture);
            let is_machine_code = code.as_ref().is_ok_and(|code| code.starts_with(b"\x7fELF"));
            assert!(is_machine_code, "{name}, {architecture}: {:?}\n{text}", code.err());
        }
    }
    let refused = compiler.compile("this is no program", 90);
    assert!(matches!(&refused, Err(BuildError::Refused(log)) if log.contains("this")), "{refused:?}");
    assert!(matches!(compiler.compile("", 10), Err(BuildError::Missing(_))));
}

#[test]
fn every_operator_compiles_as_cuda() {
    let Some(compiler) = compiler("every_operator_compiles_as_cuda") else { return };
    for kernel in crate::operators::kernels() {
        let text = kernel_text([&kernel], Dialect::Cuda).expect("operators can be printed").text;
        let code = compiler.compile(&text, 90);
        assert!(code.is_ok(), "{:?}\n{text}", code.err());
    }
}

#[test]
fn devices_younger_than_the_compiler_get_portable_code() {
    let Some(compiler) = compiler("devices_younger_than_the_compiler_get_portable_code") else { return };
    let kernel = "extern \"C\" __global__ void nothing(int *x) { x[threadIdx.x] = 1; }";
    let code = compiler.compile(kernel, 99_999).expect("portable code");
    assert!(code.ends_with(&[0]) && String::from_utf8_lossy(&code).contains(".visible .entry nothing"));
}
