//! Folds scalar expressions with known operands.

use warpwise_ir::{Expr, Operand, exprs};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType};

/// Returns the operand that a scalar expression always equals, if there is one. `ty` is the operand type of a conversion or
/// comparison.
pub fn fold(expr: &Expr, ty: Option<ScalarType>) -> Option<Operand> {
    match *expr {
        Expr::Operand(x) => Some(x),
        Expr::Unary(op, Operand::Const(x)) => Some(op.eval(x).into()),
        Expr::Binary(op, x, y) => binary(op, x, y),
        Expr::Ternary(op, Operand::Const(x), Operand::Const(y), Operand::Const(z)) => {
            Some(op.eval(x, y, z).into())
        }
        Expr::Compare(op, x, y) => compare(op, x, y, ty),
        Expr::Convert(op, Operand::Const(x), to) => Some(op.eval(x, to).into()),
        Expr::Convert(op, x, to) if keeps_value(op) && ty == Some(to) => Some(x),
        Expr::Select(Operand::Const(cond), x, y) => Some(if cond == Scalar::Bool(true) { x } else { y }),
        Expr::Select(_, x, y) if x == y => Some(x),
        Expr::Select(cond, Operand::Const(Scalar::Bool(true)), Operand::Const(Scalar::Bool(false))) => {
            Some(cond)
        }
        exprs!(Unary, Ternary, Convert, Select, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => None,
    }
}

/// Whether a conversion to the operand's own type is the identity.
fn keeps_value(op: ConvertOp) -> bool {
    matches!(
        op,
        ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Truncate | ConvertOp::FPConvert | ConvertOp::Bitcast
    )
}

#[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a rule is not folded")]
fn binary(op: BinaryOp, x: Operand, y: Operand) -> Option<Operand> {
    if let (Operand::Const(x), Operand::Const(y)) = (x, y) {
        return op.eval(x, y).map(Operand::Const);
    }
    use BinaryOp::*;
    let (left, right) = (number(x), number(y));
    match op {
        Add | Or | Xor if left == Some(Number::Zero) => Some(y),
        Add | Or | Xor | Sub | Shl | LShr | AShr if right == Some(Number::Zero) => Some(x),
        FSub if y.as_const().is_some_and(|y| y == Scalar::zero(y.ty())) => Some(x),
        Mul | FMul if left == Some(Number::One) => Some(y),
        Mul | FMul | FDiv | SDiv | SQuot | UDiv if right == Some(Number::One) => Some(x),
        Mul | And if left == Some(Number::Zero) => Some(x),
        Mul | And if right == Some(Number::Zero) => Some(y),
        And if left == Some(Number::True) => Some(y),
        And if right == Some(Number::True) => Some(x),
        Or if left == Some(Number::True) => Some(x),
        Or if right == Some(Number::True) => Some(y),
        And | Or | SMin | SMax | UMin | UMax if x == y => Some(x),
        _ => None,
    }
}

fn compare(op: CompareOp, x: Operand, y: Operand, ty: Option<ScalarType>) -> Option<Operand> {
    if let (Operand::Const(x), Operand::Const(y)) = (x, y) {
        return Some(Operand::bool(op.eval(x, y)));
    }
    if x != y {
        return None;
    }
    match op {
        CompareOp::SLe | CompareOp::ULe => Some(Operand::bool(true)),
        CompareOp::SLt | CompareOp::ULt => Some(Operand::bool(false)),
        // NaN differs from itself.
        CompareOp::Eq | CompareOp::Ne if ty.is_none_or(ScalarType::is_float) => None,
        CompareOp::Eq => Some(Operand::bool(true)),
        CompareOp::Ne => Some(Operand::bool(false)),
        CompareOp::FLt | CompareOp::FLe => None,
    }
}

/// The constants that have algebraic identities: an integer 0 or `false`; an integer or float 1; `true`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Zero,
    One,
    True,
}

fn number(operand: Operand) -> Option<Number> {
    let value = operand.as_const()?;
    match (value.as_bool(), value.as_int()) {
        (Some(true), _) => Some(Number::True),
        (Some(false), _) | (None, Some(0)) => Some(Number::Zero),
        (None, Some(1)) => Some(Number::One),
        (None, Some(_)) => None,
        (None, None) => (value == Scalar::float(value.ty(), 1.0)).then_some(Number::One),
    }
}
