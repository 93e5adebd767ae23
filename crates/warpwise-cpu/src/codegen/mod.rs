//! Translation of kernels to LLVM's textual IR.
//!
//! ```text
//! kernel double(n.0: i64, xs@0: mem) lo to hi {       define void @double(ptr %context, ptr %args, i64 %lo, i64 %hi) {
//!   for i in lo to hi step 1 {                          ...
//!     x: f32 = load xs[i];                        ->    %v7 = getelementptr inbounds float, ptr %v5, i64 %v6
//!     y: f32 = fadd x x;                                %v8 = load float, ptr %v7, align 4, !alias.scope !3, !noalias !4
//!     store xs[i] = y }}                                %v9 = fadd float %v8, %v8
//! ```
//!
//! Registers assigned once are the results of their operations; other registers, and memories, are stack slots that LLVM promotes
//! to values. Operations that are exact in the IR are exact here: there are no fast-math flags, `nsw` only where an index cannot
//! overflow, and no lane executes an operation with operands for which it is undefined. Vectors may have more or fewer lanes than
//! the machine's: LLVM splits and widens them, except for calls of vector mathematics, which [`math`] splits and pads itself.
//!
//! [`llvm`] writes instructions and distinguishes kinds of values. Operators are in [`integers`], [`floats`], [`math`] and
//! [`convert`]; [`memory`] and [`atomics`] have accesses, [`lanes`] operations between lanes, [`control`] the blocks,
//! [`surroundings`] the operations on the task's context.

mod aliases;
mod atomics;
mod compress;
mod control;
mod convert;
mod floats;
mod function;
mod in_line;
mod integers;
mod lanes;
mod llvm;
mod math;
mod memory;
mod surroundings;

use std::collections::BTreeMap;

use warpwise_diag::Bug;
use warpwise_imp::traverse::nesting;
use warpwise_imp::{CpuTarget, ImpProgram, KernelId};

use function::Function;
use llvm::Module;

/// Functions that generated code calls by name and that the loader must provide.
pub(crate) use math::scalar_functions;
#[cfg(target_arch = "x86_64")]
pub(crate) use math::{vector_binary, vector_unary};

/// A translated value, or the reason why the code cannot be translated.
type Emitted<T> = Result<T, String>;

/// Width of the narrowest vectors, in bits.
const NARROWEST: u32 = 128;

/// A module as text.
pub(crate) struct ModuleText {
    /// LLVM's textual IR.
    pub text: String,
    /// Maximum nesting depth of blocks in the kernels.
    pub nesting: usize,
}

/// Translates kernels to a module; each becomes a function with its name in [`kernel_symbol`].
pub(crate) fn module(
    program: &ImpProgram,
    kernels: &[KernelId],
    target: &CpuTarget,
) -> Result<ModuleText, Bug> {
    let mut module = Module::default();
    // Scalar code also calls functions of vectors.
    let target = &CpuTarget { vector_bits: target.vector_bits.max(NARROWEST), ..target.clone() };
    for &id in kernels {
        let kernel = &program.kernels[id];
        Function::new(&mut module, kernel, target).emit(&kernel_symbol(&kernel.name)).map_err(|message| {
            Bug {
                pass: "codegen".into(),
                message: format!("kernel `{}`: {message}", kernel.name),
                ir: format!("{kernel:#?}"),
            }
        })?;
    }
    let nesting = kernels.iter().map(|&id| nesting(&program.kernels[id].body)).max().unwrap_or(0);
    Ok(ModuleText { text: module.finish(), nesting })
}

/// Returns the symbol of a kernel's function: its name in letters, digits, dots and underscores, with a prefix that no other
/// symbol has.
pub(crate) fn kernel_symbol(name: &str) -> String {
    let mut symbol = String::from("kernel.");
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => symbol.push(byte.into()),
            other => symbol.push_str(&format!(".{other:02x}")),
        }
    }
    symbol
}

/// The labels in scope, with the blocks that they lead to.
type Exits = BTreeMap<u32, llvm::BlockName>;
