//! Scalar types, scalar values and every scalar operator with its exact semantics.
//!
//! This is the one definition that interpreters, constant folding and the code generators are
//! tested against. Scalars are signless, as in LLVM: signedness sits in the operator
//! (SEMANTICS: integers wrap, `/ %` floor, conversions out of range saturate, NaN converts to 0).
//!
//! Absent on purpose: arrays, programs, source positions, IO.

mod algebra;
mod eval;
mod ops;
#[cfg(test)]
mod samples;
mod text;
mod types;
mod typing;
mod value;

pub use ops::{BinaryOp, CompareOp, ConvertOp, TernaryOp, UnaryOp};
pub use types::{ScalarClass, ScalarType, ValueType};
pub use value::Scalar;
