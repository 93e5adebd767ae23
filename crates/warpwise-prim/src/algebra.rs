//! Algebraic facts that the optimiser and the scheduler may use.
//!
//! Every fact holds bit for bit for `eval`, except [`BinaryOp::reassociates_as_declared`]. A fact that does not hold for all
//! operands is not here.

use crate::ops::BinaryOp;
use crate::types::ScalarType;
use crate::value::Scalar;

impl BinaryOp {
    /// Returns whether `x op y` is `y op x`.
    pub fn is_commutative(self) -> bool {
        use BinaryOp::*;
        match self {
            Add | Mul | SMulHigh | UMulHigh | SMin | UMin | SMax | UMax | And | Or | Xor | FAdd | FMul
            | FMin | FMax => true,
            Sub | SDiv | SMod | SQuot | SRem | UDiv | UMod | Pow | UPow | Shl | LShr | AShr | FSub | FDiv
            | FMod | FRem | FPow | Atan2 | Atan2Pi | Hypot | CopySign | NextAfter | LdExp => false,
        }
    }

    /// Returns whether `(x op y) op z` is exactly `x op (y op z)`; true of integer and `bool` operators only.
    pub fn is_associative(self) -> bool {
        use BinaryOp::*;
        match self {
            Add | Mul | SMin | UMin | SMax | UMax | And | Or | Xor => true,
            Sub | SMulHigh | UMulHigh | SDiv | SMod | SQuot | SRem | UDiv | UMod | Pow | UPow | Shl
            | LShr | AShr | FAdd | FSub | FMul | FDiv | FMod | FRem | FMin | FMax | FPow | Atan2
            | Atan2Pi | Hypot | CopySign | NextAfter | LdExp => false,
        }
    }

    /// Returns whether `(x op y) op y` is `x op y`: combining with the same value a second time changes nothing.
    pub fn is_idempotent(self) -> bool {
        use BinaryOp::*;
        match self {
            SMin | UMin | SMax | UMax | And | Or | FMin | FMax => true,
            Add | Sub | Mul | SMulHigh | UMulHigh | SDiv | SMod | SQuot | SRem | UDiv | UMod | Pow | UPow
            | Shl | LShr | AShr | Xor | FAdd | FSub | FMul | FDiv | FMod | FRem | FPow | Atan2 | Atan2Pi
            | Hypot | CopySign | NextAfter | LdExp => false,
        }
    }

    /// Returns whether reassociating is allowed where the program declared the operator associative, by giving it to a reduction
    /// or scan. This holds for associative operators, and for float `+ * min max`, whose results may then differ by rounding.
    pub fn reassociates_as_declared(self) -> bool {
        self.is_associative()
            || matches!(self, BinaryOp::FAdd | BinaryOp::FMul | BinaryOp::FMin | BinaryOp::FMax)
    }

    /// Returns the value `e` for which `e op x` and `x op e` equal `x` for every `x` (for NaN: NaN), if there is one. The identity
    /// of `fadd` is -0.0; that of `fmin` and `fmax` is NaN, which they ignore.
    pub fn identity(self, ty: ScalarType) -> Option<Scalar> {
        use BinaryOp::*;
        if !self.accepts(ty) {
            return None;
        }
        let sign_bit = 1u64 << (ty.bits() - 1);
        let bits = match self {
            Add | Or | Xor | UMax => 0,
            Mul => 1,
            And | UMin => u64::MAX,
            SMax | FAdd => sign_bit,
            SMin => sign_bit - 1,
            FMul => Scalar::float(ty, 1.0).to_bits(),
            FMin | FMax => Scalar::float(ty, f64::NAN).to_bits(),
            Sub | SMulHigh | UMulHigh | SDiv | SMod | SQuot | SRem | UDiv | UMod | Pow | UPow | Shl
            | LShr | AShr | FSub | FDiv | FMod | FRem | FPow | Atan2 | Atan2Pi | Hypot | CopySign
            | NextAfter | LdExp => return None,
        };
        Some(Scalar::from_bits(ty, bits))
    }

    /// Returns whether the operator divides integers: it fails for a second operand of zero, and for no other.
    pub fn is_division(self) -> bool {
        use BinaryOp::*;
        matches!(self, SDiv | SMod | SQuot | SRem | UDiv | UMod)
    }

    /// Returns whether the result is undefined for some operands, so that `eval` returns `None` and a program needs a check.
    pub fn can_fail(self) -> bool {
        use BinaryOp::*;
        match self {
            SDiv | SMod | SQuot | SRem | UDiv | UMod | Pow => true,
            Add | Sub | Mul | SMulHigh | UMulHigh | SMin | UMin | SMax | UMax | UPow | Shl | LShr | AShr
            | And | Or | Xor | FAdd | FSub | FMul | FDiv | FMod | FRem | FMin | FMax | FPow | Atan2
            | Atan2Pi | Hypot | CopySign | NextAfter | LdExp => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::values;

    /// Calls `check` with every accepted type and its sample values.
    fn for_each_type(op: BinaryOp, check: impl Fn(ScalarType, &[Scalar])) {
        for ty in ScalarType::ALL.into_iter().filter(|&ty| op.accepts(ty)) {
            check(ty, &values(ty));
        }
    }

    #[test]
    fn commutative_operators_commute_and_the_others_do_not() {
        for &op in BinaryOp::ALL {
            // The hypotenuse is symmetric too, but its last bit is not guaranteed.
            for_each_type(op, |ty, values| {
                let commutes = values.iter().all(|&x| values.iter().all(|&y| op.eval(x, y) == op.eval(y, x)));
                assert!(commutes == op.is_commutative() || op == BinaryOp::Hypot, "{op:?} {ty}");
            });
        }
    }

    #[test]
    fn associative_operators_associate_and_other_integer_operators_do_not() {
        for &op in BinaryOp::ALL.iter().filter(|op| op.accepts(ScalarType::I16)) {
            for_each_type(op, |ty, values| {
                let associates = values.iter().all(|&x| {
                    values.iter().all(|&y| {
                        values.iter().all(|&z| {
                            let left = op.eval(x, y).and_then(|xy| op.eval(xy, z));
                            let right = op.eval(y, z).and_then(|yz| op.eval(x, yz));
                            left == right
                        })
                    })
                });
                assert_eq!(associates, op.is_associative(), "{op:?} {ty}");
            });
        }
    }

    #[test]
    fn idempotent_operators_gain_nothing_the_second_time() {
        for &op in BinaryOp::ALL.iter().filter(|op| op.is_idempotent()) {
            for_each_type(op, |ty, values| {
                for &x in values {
                    for &y in values {
                        let once = op.eval(x, y).unwrap();
                        assert_eq!(
                            op.eval(once, y).unwrap().to_bits(),
                            once.to_bits(),
                            "{op:?} {ty} {x:?} {y:?}"
                        );
                    }
                }
            });
        }
    }

    #[test]
    fn identities_are_neutral_on_both_sides() {
        let is_nan = |x: Scalar| x.as_float().is_some_and(f64::is_nan);
        for &op in BinaryOp::ALL {
            for_each_type(op, |ty, values| {
                let Some(neutral) = op.identity(ty) else { return };
                for &x in values {
                    for result in [op.eval(neutral, x), op.eval(x, neutral)] {
                        let result = result.unwrap();
                        assert!(result == x || is_nan(result) && is_nan(x), "{op:?} {ty} {x:?}");
                    }
                }
            });
            let of_mistyped = ScalarType::ALL.map(|ty| !op.accepts(ty) && op.identity(ty).is_some());
            assert_eq!(of_mistyped, [false; 8], "{op:?}");
        }
        assert_eq!(BinaryOp::SMin.identity(ScalarType::I8), Some(Scalar::I8(i8::MAX)));
        assert_eq!(BinaryOp::And.identity(ScalarType::Bool), Some(Scalar::Bool(true)));
    }

    #[test]
    fn what_is_declared_associative_includes_float_sums() {
        let of_floats: Vec<BinaryOp> = BinaryOp::ALL
            .iter()
            .copied()
            .filter(|op| op.accepts(ScalarType::F32) && op.reassociates_as_declared())
            .collect();
        assert_eq!(of_floats, [BinaryOp::FAdd, BinaryOp::FMul, BinaryOp::FMin, BinaryOp::FMax]);
    }

    #[test]
    fn exactly_the_operators_that_say_so_fail() {
        for &op in BinaryOp::ALL {
            for_each_type(op, |ty, values| {
                let fails = values.iter().any(|&x| values.iter().any(|&y| op.eval(x, y).is_none()));
                assert_eq!(fails, op.can_fail(), "{op:?} {ty}");
            });
        }
    }
}
