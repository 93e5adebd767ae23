//! The core IR of Warpwise.
//!
//! A program is a list of functions in A-normal form: a body is a list of statements and a result,
//! a statement binds typed variables to one expression, operands are constants or variables. Sizes are ordinary `i64` operands in
//! array types. The same data structures serve three levels, which only the verifier distinguishes: `soac` (SOACs, no segmented
//! operations, no memory), `seg` (segmented operations over mapped index spaces) and `mem` (every array binding carries its
//! placement).
//!
//! ```text
//! entry mvm(n: i64, m: i64, a: [n][m]f32, x: [m]f32) -> (ys: [n]f32) {
//!   ys: [n]f32 = screma n (a) map (row: [m]f32) {
//!     s: f32 = screma m (row, x)
//!       map (r: f32, v: f32) { p: f32 = fmul r v; return p }
//!       reduce (acc: f32, p: f32) { t: f32 = fadd acc p; return t } [0f32];
//!     return s
//!   };
//!   return ys
//! }
//! ```
//!
//! `docs/ir.md` is the reference: grammar of the text form, meaning, and what each level demands.
//!
//! Absent on purpose: names as identities (variables are dense ids), IO, global state, and type
//! parameters for the phase.

// A new construct must be handled explicitly by every match over constructs.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod deep;

pub mod entity;

mod program;
mod types;

mod expr;
mod memory;
mod segop;
mod soac;

pub mod traverse;

pub mod sizes;
pub mod sums;

pub mod bounds;
pub mod regions;

pub mod facts;
pub mod overwrites;

pub mod print;

pub mod parse;

pub mod typing;

pub mod builder;

pub mod verify;

#[cfg(feature = "generate")]
pub mod generate;

pub use expr::{Body, Branch, Expr, Lambda, LoopForm, LoopParam, Message, MessagePart, SliceDim, Stm};
pub use memory::{Lmad, LmadDim, Placement};
pub use program::{
    EntryParam, EntryPoint, EntryResult, EntryType, Function, FunctionId, OpaqueForm, Param, Program,
    ResultDecl, Var, VarData, Variant,
};
pub use segop::{Mapping, SegDim, SegKind, SegOp};
pub use soac::{
    FlatMap, Hist, HistOp, Partition, Reduce, Scan, Scatter, ScatterDest, Screma, Stream, StreamKind,
    WithAcc, WithAccInput,
};
pub use types::{AccType, ArrayType, Operand, Shape, Type};
