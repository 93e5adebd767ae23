//! A writer of LLVM's textual IR whose functions use Rust's types as a check.
//!
//! ```text
//! let x: Value<Float>;   text.binary(float::ADD, &x, &x)           %v2 = fadd <8 x float> %v1, %v1
//! let m: Mask;           text.select(&m, &x, &x.ty.zero())         %v3 = select <8 x i1> %v0, ...
//! let c: Condition;      text.branch(&c, then, otherwise)          br i1 %v4, label %b1, label %b2
//! ```
//!
//! A value's Rust type has its kind ([`Int`], [`Float`], [`Bit`], [`Address`]; [`Any`] for the value of a register, whose kind
//! depends on the program) and its shape ([`One`] lane, [`Many`](types::Many), or [`Lanes`](types::Lanes) for operations that
//! treat both alike). So an addition of floats by the instruction for integers, a branch on a mask, a load from a number, or a
//! lane of a scalar does not compile. The number of bits and lanes of a value is known only with the kernel; LLVM's parser checks
//! these.
//!
//! This module writes text rather than use the builder interface: `warpwise dev` shows the text, LLVM upgrades it between its
//! versions, intrinsics and metadata need no special calls, and no code here is unsafe. A mistake in the text is caught by LLVM's
//! parser and becomes a `Failure::Bug` that carries the text.
//!
//! This module is independent of kernels, and no code outside it writes instructions as text.

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
