//! LLVM's textual IR, written by functions that Rust's types guard.
//!
//! ```text
//! let x: Value<Float>;   text.binary(float::ADD, &x, &x)           %v2 = fadd <8 x float> %v1, %v1
//! let m: Mask;           text.select(&m, &x, &x.ty.zero())         %v3 = select <8 x i1> %v0, ...
//! let c: Condition;      text.branch(&c, then, otherwise)          br i1 %v4, label %b1, label %b2
//! ```
//!
//! A value's Rust type has its kind ([`Int`], [`Float`], [`Bit`], [`Address`]; [`Any`] for what a register holds, which the
//! program says) and its shape ([`One`] lane, [`Many`](types::Many), or [`Lanes`](types::Lanes) for what is done alike
//! to both). So an addition of floats by the instruction for integers, a branch on a mask, a load from a number or a lane
//! of a scalar do not compile.
//! How many bits and lanes a value has is known as late as the kernel is; LLVM's parser compares these.
//!
//! Text rather than the builder interface: it is what `warpwise dev` shows, LLVM upgrades it between
//! its versions, intrinsics and metadata need no special calls, and nothing here is unsafe. A
//! mistake in it is caught by LLVM's parser and becomes a `Failure::Bug` that carries the text.
//!
//! Nothing here knows of kernels, and nothing outside writes instructions as text.

mod instructions;
mod opcodes;
mod text;
mod types;
mod values;

pub(super) use instructions::Slot;
pub(super) use opcodes::{Cast, Intrinsic, Opcode, Predicate, cast, float, int};
pub(super) use text::{BlockName, Module, Text};
pub(super) use types::{Address, Any, Bit, Element, Float, Int, Kind, One, Precision, Shape, Type};
pub(super) use values::{Condition, Data, Mask, Pointer, Scalar, Shaped, Value, Vector, arguments};
