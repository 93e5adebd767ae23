//! Operators on truth values.

use super::ill_typed;
use crate::ops::{BinaryOp, CompareOp, UnaryOp};
use crate::types::ScalarType;

#[inline]
pub(super) fn unary(op: UnaryOp, x: bool) -> bool {
    use UnaryOp::*;
    match op {
        Not => !x,
        Neg | Abs | Signum | PopCount | LeadingZeros | TrailingZeros | FNeg | FAbs | FSignum | Sqrt
        | Cbrt | Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos | Tan | Asin | Acos
        | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | SinPi | CosPi | TanPi | AsinPi | AcosPi
        | AtanPi | Gamma | LogGamma | Erf | Erfc | Rsqrt | ApproxRsqrt | Floor | Ceil | Trunc | Round => {
            ill_typed(op.mnemonic(), ScalarType::Bool)
        }
    }
}

#[inline]
pub(super) fn binary(op: BinaryOp, x: bool, y: bool) -> bool {
    use BinaryOp::*;
    match op {
        And => x & y,
        Or => x | y,
        Xor => x ^ y,
        Add | Sub | Mul | SMulHigh | UMulHigh | SDiv | SMod | SQuot | SRem | UDiv | UMod | SMin | UMin
        | SMax | UMax | Pow | UPow | Shl | LShr | AShr | FAdd | FSub | FMul | FDiv | FMod | FRem | FMin
        | FMax | FPow | Atan2 | Atan2Pi | Hypot | CopySign | NextAfter | LdExp => {
            ill_typed(op.mnemonic(), ScalarType::Bool)
        }
    }
}

#[inline]
pub(super) fn compare(op: CompareOp, x: bool, y: bool) -> bool {
    match op {
        CompareOp::Eq => x == y,
        CompareOp::Ne => x != y,
        CompareOp::ULt => !x & y,
        CompareOp::ULe => x <= y,
        CompareOp::SLt | CompareOp::SLe | CompareOp::FLt | CompareOp::FLe => {
            ill_typed(op.mnemonic(), ScalarType::Bool)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Scalar;

    #[test]
    fn booleans_follow_their_truth_tables() {
        let table = |op: BinaryOp| {
            [(false, false), (false, true), (true, false), (true, true)]
                .map(|(x, y)| op.eval(Scalar::Bool(x), Scalar::Bool(y)))
        };
        let row = |bits: [u8; 4]| bits.map(|b| Some(Scalar::Bool(b == 1)));
        assert_eq!(table(BinaryOp::And), row([0, 0, 0, 1]));
        assert_eq!(table(BinaryOp::Or), row([0, 1, 1, 1]));
        assert_eq!(table(BinaryOp::Xor), row([0, 1, 1, 0]));
        for (op, expected) in [
            (CompareOp::Eq, [true, false, false, true]),
            (CompareOp::Ne, [false, true, true, false]),
            (CompareOp::ULt, [false, true, false, false]),
            (CompareOp::ULe, [true, true, false, true]),
        ] {
            let pairs = [(false, false), (false, true), (true, false), (true, true)];
            assert_eq!(pairs.map(|(x, y)| op.eval(Scalar::Bool(x), Scalar::Bool(y))), expected, "{op:?}");
        }
        assert_eq!(UnaryOp::Not.eval(Scalar::Bool(true)), Scalar::Bool(false));
    }
}
