//! Imperative IR to machine code for CPUs, through LLVM.
//!
//! Kernels become functions of LLVM's textual IR (`codegen`). LLVM optimises them and emits objects ([`compile`]), and objects
//! are linked into the process ([`load`]). An object is plain data that a cache can keep; loading one compiles nothing. Host
//! functions of the imperative IR are not compiled, but the native code of host programs is ([`host`]).
//!
//! The feature `linker` adds the linking of objects to executables and libraries ([`linker`]). Without the feature `llvm` this
//! crate compiles and loads nothing, and reports that.
//!
//! Absent on purpose: lowering decisions (which dimension becomes lanes, how wide), scheduling, files.

// A new construct must be handled explicitly by every match over constructs.
#![warn(clippy::wildcard_enum_match_arm)]

mod target;

#[cfg(feature = "llvm")]
mod codegen;
mod jit;
#[cfg(feature = "linker")]
pub mod linker;

#[cfg(feature = "llvm")]
pub use jit::compile_ir;
#[cfg(all(feature = "llvm", target_arch = "x86_64"))]
pub use jit::host;
pub use jit::{
    CompileOptions, Evaluate, LoadError, LoadedKernels, Object, compile, compiled_binary, compiled_unary,
    emit_asm, emit_llvm_ir, load,
};
pub use target::{UnsupportedWidth, detect_target, portable_targets, target_with_width};
