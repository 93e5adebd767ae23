//! The imperative IR and the lowering of the core IR into it.
//!
//! An [`ImpProgram`] is host code (allocation, control, launches) and kernels (the loops that work on data). Values live in typed
//! mutable registers, which hold scalars or SIMD vectors. There are no arrays: memory is addressed by element offsets. Control
//! flow is structured.
//!
//! ```text
//! kernel mvm_1(n.0: i64, m.3: i64, a@0: mem read, x@1: mem read, ys@2: mem noalias) lo.1 to hi.2 {
//!   for i.4: i64 in lo.1 to hi.2 step 1 {
//!     acc.5: <16 x f32> = 0.0f32;
//!     ...
//!   }
//! }
//! ```
//!
//! The text form is described in `docs/imp.md`; [`parse`] reads it.
//!
//! Absent on purpose: LLVM, kernel text, devices, shapes, uniqueness.

// A new construct must be handled wherever constructs are distinguished.
#![warn(clippy::wildcard_enum_match_arm)]

mod program;

mod op;
mod types;

mod target;

pub mod lower;

pub mod parse;
mod print;
mod registers;
pub mod traverse;
pub mod verify;

pub mod interp;

pub mod bytecode;

pub use op::{AtomicOp, Block, Label, Op, Order};
pub use program::{
    Check, CheckId, Group, HostFunction, HostParam, HostResult, ImpProgram, Kernel, KernelId, KernelParam,
    Launch, LaunchedArray, LocalArray,
};
pub use registers::{Role, roles};
pub use target::CpuTarget;
pub use types::{ImpType, Mem, MemData, Operand, Reg, RegData, Space, StridedView};
