//! What is said where LLVM is missing.

use warpwise_diag::{Failure, Limit, Span};
use warpwise_imp::{CpuTarget, ImpProgram};

use super::{CompileOptions, LoadError, LoadedKernels, Object};

const MESSAGE: &str = "code for the processor, in a build without LLVM (without the feature `cpu`)";

/// Compiles nothing.
pub fn compile(_: &ImpProgram, _: &CpuTarget, _: &CompileOptions) -> Result<Object, Failure> {
    Err(missing())
}

/// Links nothing.
pub fn load(_: &Object) -> Result<LoadedKernels, LoadError> {
    Err(LoadError(MESSAGE.to_string()))
}

/// Shows nothing.
pub fn emit_llvm_ir(_: &ImpProgram, _: &CpuTarget, _: bool) -> Result<String, Failure> {
    Err(missing())
}

/// Shows nothing.
pub fn emit_asm(_: &ImpProgram, _: &CpuTarget) -> Result<String, Failure> {
    Err(missing())
}

fn missing() -> Failure {
    Limit { message: MESSAGE.to_string(), span: Span::NONE }.into()
}
