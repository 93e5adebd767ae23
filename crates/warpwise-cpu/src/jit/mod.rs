//! Compilation of kernels to objects, and loading of objects into the process.
//!
//! [`compile()`] and [`load`] are separate so that a cache can be placed between them: an [`Object`] depends only on the program,
//! the [`CpuTarget`](warpwise_imp::CpuTarget) and this compiler's version.
//!
//! Without the feature `llvm` these functions report that LLVM is missing.

#[cfg(not(feature = "llvm"))]
mod absent;
#[cfg(feature = "llvm")]
mod compile;
#[cfg(feature = "llvm")]
mod effort;
#[cfg(all(feature = "llvm", target_arch = "x86_64"))]
pub mod host;
#[cfg(feature = "llvm")]
mod link;
#[cfg(all(feature = "llvm", target_arch = "x86_64"))]
mod mathematics;
#[cfg(feature = "llvm")]
mod optimize;

use std::any::Any;
use std::fmt;

use serde::{Deserialize, Serialize};
use warpwise_imp::KernelId;
use warpwise_ir::entity::Entity;
use warpwise_runtime::kernel::KernelFn;

#[cfg(not(feature = "llvm"))]
pub use absent::{compile, emit_asm, emit_llvm_ir, load};
#[cfg(feature = "llvm")]
pub use compile::{compile, compile_ir, emit_asm, emit_llvm_ir, load};
#[cfg(all(feature = "llvm", target_arch = "x86_64"))]
pub use mathematics::{compiled_binary, compiled_unary};

/// A function of one number, or of two.
pub type Evaluate = Box<dyn Fn(f64, f64) -> f64>;

/// Returns none: no compiled code computes the function differently from `warpwise-prim`.
#[cfg(not(all(feature = "llvm", target_arch = "x86_64")))]
pub fn compiled_unary(_: warpwise_prim::UnaryOp, _: &warpwise_imp::CpuTarget) -> Option<Evaluate> {
    None
}

/// Returns none: no compiled code computes the function differently from `warpwise-prim`.
#[cfg(not(all(feature = "llvm", target_arch = "x86_64")))]
pub fn compiled_binary(_: warpwise_prim::BinaryOp, _: &warpwise_imp::CpuTarget) -> Option<Evaluate> {
    None
}

/// Options of the compilation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileOptions {
    /// Maximum number of threads that compile at once; at least 1. The default is one per core.
    pub threads: usize,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions { threads: std::thread::available_parallelism().map_or(1, usize::from) }
    }
}

/// Compiled kernels, in the form that a cache stores.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Object {
    /// Object files in the machine's format.
    files: Vec<Vec<u8>>,
    /// The symbol of every kernel, by number.
    symbols: Vec<String>,
}

impl Object {
    /// Returns the object files, and the symbol of every kernel by number: the input of a linker.
    pub fn into_parts(self) -> (Vec<Vec<u8>>, Vec<String>) {
        (self.files, self.symbols)
    }
}

/// Kernels ready to run. Their code is unmapped when this value is dropped.
pub struct LoadedKernels {
    functions: Vec<KernelFn>,
    /// Keeps the code mapped.
    _linked: Box<dyn Any + Send + Sync>,
}

/// The reason why an object could not be loaded: it is damaged, or the machine lacks a library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError(pub String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot load compiled code: {}", self.0)
    }
}

impl std::error::Error for LoadError {}

impl LoadedKernels {
    /// Returns the code of a kernel of the compiled program.
    pub fn kernel(&self, id: KernelId) -> Option<KernelFn> {
        self.functions.get(id.index()).copied()
    }

    /// Returns the code of all kernels, by number. It must not be called after this value is dropped.
    pub fn functions(&self) -> &[KernelFn] {
        &self.functions
    }
}
