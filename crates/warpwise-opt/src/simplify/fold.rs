//! Scalar expressions with known operands.

use warpwise_ir::{Expr, Operand};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType};

/// The operand a scalar expression is always equal to, if there is one.
pub fn fold(expr: &Expr, ty: Option<ScalarType>) -> Option<Operand> {
    match *expr {
        Expr::Operand(x) => Some(x),
        Expr::Unary(op, Operand::Const(x)) => Some(op.eval(x).into()),
        Expr::Binary(op, x, y) => binary(op, x, y),
        Expr::Ternary(op, Operand::Const(x), Operand::Const(y), Operand::Const(z)) => {
            Some(op.eval(x, y, z).into())
        }
        Expr::Compare(op, x, y) => compare(op, x, y),
        Expr::Convert(op, Operand::Const(x), to) => Some(op.eval(x, to).into()),
        Expr::Convert(op, x, to) if keeps_value(op) && ty == Some(to) => Some(x),
        Expr::Select(Operand::Const(cond), x, y) => Some(if cond == Scalar::Bool(true) { x } else { y }),
        Expr::Select(_, x, y) if x == y => Some(x),
        Expr::Select(cond, Operand::Const(Scalar::Bool(true)), Operand::Const(Scalar::Bool(false))) => {
            Some(cond)
        }
        _ => None,
    }
}

/// Whether a conversion to the operand's own type is the identity.
fn keeps_value(op: ConvertOp) -> bool {
    matches!(
        op,
        ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Truncate | ConvertOp::FPConvert | ConvertOp::Bitcast
    )
}

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

fn compare(op: CompareOp, x: Operand, y: Operand) -> Option<Operand> {
    if let (Operand::Const(x), Operand::Const(y)) = (x, y) {
        return Some(Operand::bool(op.eval(x, y)));
    }
    match op {
        CompareOp::SLe | CompareOp::ULe if x == y => Some(Operand::bool(true)),
        CompareOp::SLt | CompareOp::ULt if x == y => Some(Operand::bool(false)),
        _ => None,
    }
}

/// Constants with identities. An integer 0, or `false`; an integer or float 1; `true`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Zero,
    One,
    True,
}

fn number(operand: Operand) -> Option<Number> {
    match operand.as_const()? {
        Scalar::Bool(true) => Some(Number::True),
        Scalar::Bool(false) => Some(Number::Zero),
        value if value.ty().is_int() => match value.as_int()? {
            0 => Some(Number::Zero),
            1 => Some(Number::One),
            _ => None,
        },
        value => (value == Scalar::float(value.ty(), 1.0)).then_some(Number::One),
    }
}
