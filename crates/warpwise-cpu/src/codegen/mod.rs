//! Kernels to LLVM's textual IR.
//!
//! ```text
//! kernel double(n.0: i64, xs@0: mem) lo to hi {       define void @double(ptr %context, ptr %args, i64 %lo, i64 %hi) {
//!   for i in lo to hi step 1 {                          ...
//!     x: f32 = load xs[i];                        ->    %v7 = getelementptr inbounds float, ptr %v5, i64 %v6
//!     y: f32 = fadd x x;                                %v8 = load float, ptr %v7, align 4, !alias.scope !3, !noalias !4
//!     store xs[i] = y }}                                %v9 = fadd float %v8, %v8
//! ```
//!
//! Registers assigned once are the results of their operations; others, and memories, are stack slots that
//! LLVM promotes to values. What the IR calls exact is exact here: no fast-math flags, `nsw` only where an index cannot overflow, and no operation that is
//! undefined for some operand is reached with it, in any lane.
//! Lanes may be more or fewer than the machine's: LLVM splits and widens, except for calls of
//! vector mathematics, which [`math`] splits and pads itself.
//!
//! [`llvm`] writes instructions and keeps kinds of values apart; operators are spread over [`integers`], [`floats`], [`math`] and [`convert`]; [`memory`] and [`atomics`] have accesses,
//! [`lanes`] what happens between lanes, [`control`] the blocks, [`surroundings`] what touches the task's context.

mod aliases;
mod atomics;
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

/// What cannot be translated, in words.
type Emitted<T> = Result<T, String>;

/// Bits of the narrowest vectors there are.
const NARROWEST: u32 = 128;

/// A module as text.
pub(crate) struct ModuleText {
    /// LLVM's textual IR.
    pub text: String,
    /// How deep blocks nest in the kernel where they nest deepest.
    pub nesting: usize,
}

/// The module with these kernels; each becomes a function with its name in [`kernel_symbol`].
pub(crate) fn module(
    program: &ImpProgram,
    kernels: &[KernelId],
    target: &CpuTarget,
) -> Result<ModuleText, Bug> {
    let mut module = Module::default();
    // Scalar code calls functions of vectors, too.
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

/// The symbol of a kernel's function: its name in letters, digits, dots and underscores that no other symbol starts with.
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

/// Labels in scope and where they lead.
type Exits = BTreeMap<u32, llvm::BlockName>;
