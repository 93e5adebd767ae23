//! The result of every operator, bit for bit. Constant folding, interpreters and host code call these functions; generated code is
//! tested against them.
//!
//! Rules that hold throughout:
//! - Integers wrap. The result is `None` for a zero divisor and for a negative exponent, and in no other case.
//! - Float arithmetic, `sqrt`, `fma`, remainders, roundings and conversions are correctly rounded in
//!   their own type, f16 included.
//! - Other float functions are computed in f64 by the C library and rounded to the type.
//! - An operator that computes returns the canonical NaN (positive, quiet, no payload) whenever its result is NaN. An operator
//!   that moves bits (`fneg`, `fabs`, `copysign`, `bitcast`, a `fmin` or `fmax` with one NaN) keeps the payloads it moves.
//!   Generated code promises NaN, not its bits.
//!
//! Operands must have the types that `accepts` allows, which the verifier checks; otherwise these functions panic.

mod boolean;
mod convert;
mod elementary;
#[cfg(test)]
mod exact;
mod float;
mod integer;
#[cfg(test)]
mod tests;

use crate::ops::{BinaryOp, CompareOp, TernaryOp, UnaryOp};
use crate::types::ScalarType;
use crate::value::Scalar;

use float::Float;
use integer::Integer;

impl UnaryOp {
    /// Evaluates the operator on one operand.
    #[inline]
    pub fn eval(self, x: Scalar) -> Scalar {
        match x {
            Scalar::Bool(x) => Scalar::Bool(boolean::unary(self, x)),
            Scalar::I8(x) => Scalar::I8(x.unary(self)),
            Scalar::I16(x) => Scalar::I16(x.unary(self)),
            Scalar::I32(x) => Scalar::I32(x.unary(self)),
            Scalar::I64(x) => Scalar::I64(x.unary(self)),
            Scalar::F16(x) => Scalar::F16(float::unary(self, x)),
            Scalar::F32(x) => Scalar::F32(float::unary(self, x)),
            Scalar::F64(x) => Scalar::F64(float::unary(self, x)),
        }
    }
}

impl BinaryOp {
    /// Evaluates the operator on two operands of one type; `None` where the result is undefined (see [`BinaryOp::can_fail`]).
    #[inline]
    pub fn eval(self, x: Scalar, y: Scalar) -> Option<Scalar> {
        use Scalar::*;
        Some(match (x, y) {
            (Bool(x), Bool(y)) => Bool(boolean::binary(self, x, y)),
            (I8(x), I8(y)) => I8(x.binary(self, y)?),
            (I16(x), I16(y)) => I16(x.binary(self, y)?),
            (I32(x), I32(y)) => I32(x.binary(self, y)?),
            (I64(x), I64(y)) => I64(x.binary(self, y)?),
            (F16(x), F16(y)) => F16(float::binary(self, x, y)),
            (F32(x), F32(y)) => F32(float::binary(self, x, y)),
            (F64(x), F64(y)) => F64(float::binary(self, x, y)),
            _ => ill_typed(self.mnemonic(), y.ty()),
        })
    }

    /// [`BinaryOp::eval`] for two 64-bit integers, such as sizes, without a dispatch on the type.
    #[inline]
    pub fn eval_i64(self, x: i64, y: i64) -> Option<i64> {
        x.binary(self, y)
    }
}

impl TernaryOp {
    /// Evaluates the operator on three operands of one type.
    #[inline]
    pub fn eval(self, x: Scalar, y: Scalar, z: Scalar) -> Scalar {
        match (x, y, z) {
            (Scalar::F16(x), Scalar::F16(y), Scalar::F16(z)) => Scalar::F16(float::ternary(self, x, y, z)),
            (Scalar::F32(x), Scalar::F32(y), Scalar::F32(z)) => Scalar::F32(float::ternary(self, x, y, z)),
            (Scalar::F64(x), Scalar::F64(y), Scalar::F64(z)) => Scalar::F64(float::ternary(self, x, y, z)),
            _ => ill_typed(self.mnemonic(), z.ty()),
        }
    }
}

impl CompareOp {
    /// Returns whether the comparison holds between two operands of one type.
    #[inline]
    pub fn eval(self, x: Scalar, y: Scalar) -> bool {
        use Scalar::*;
        match (x, y) {
            (Bool(x), Bool(y)) => boolean::compare(self, x, y),
            (I8(x), I8(y)) => x.compare(self, y),
            (I16(x), I16(y)) => x.compare(self, y),
            (I32(x), I32(y)) => x.compare(self, y),
            (I64(x), I64(y)) => x.compare(self, y),
            (F16(x), F16(y)) => float::compare(self, x, y),
            (F32(x), F32(y)) => float::compare(self, x, y),
            (F64(x), F64(y)) => float::compare(self, x, y),
            _ => ill_typed(self.mnemonic(), y.ty()),
        }
    }

    /// [`CompareOp::eval`] for two 64-bit integers, such as sizes, without a dispatch on the type.
    #[inline]
    pub fn eval_i64(self, x: i64, y: i64) -> bool {
        x.compare(self, y)
    }
}

/// Panics: the verifier should have rejected these operands.
#[cold]
#[inline(never)]
fn ill_typed(mnemonic: &str, ty: ScalarType) -> ! {
    panic!("ill-typed operation in verified code: `{mnemonic}` on {ty}")
}
