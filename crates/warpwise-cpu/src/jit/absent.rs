//! The functions of a build without LLVM, which report that LLVM is missing.

use warpwise_diag::{Failure, Limit, Span};
use warpwise_imp::{CpuTarget, ImpProgram};

use super::{CompileOptions, LoadError, LoadedKernels, Object};

const MESSAGE: &str = "code for the processor, in a build without LLVM (without the feature `cpu`)";

/// Fails: nothing can be compiled.
pub fn compile(_: &ImpProgram, _: &CpuTarget, _: &CompileOptions) -> Result<Object, Failure> {
    Err(missing())
}

/// Fails: nothing can be linked.
pub fn load(_: &Object) -> Result<LoadedKernels, LoadError> {
    Err(LoadError(MESSAGE.to_string()))
}

/// Fails: there is no IR to show.
pub fn emit_llvm_ir(_: &ImpProgram, _: &CpuTarget, _: bool) -> Result<String, Failure> {
    Err(missing())
}

/// Fails: there is no assembly to show.
pub fn emit_asm(_: &ImpProgram, _: &CpuTarget) -> Result<String, Failure> {
    Err(missing())
}

fn missing() -> Failure {
    Limit { message: MESSAGE.to_string(), span: Span::NONE }.into()
}
