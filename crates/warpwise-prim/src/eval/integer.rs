//! Integer operators, written once for all widths. An integer is held as signed and reinterpreted as unsigned where the operator
//! needs it.

use super::ill_typed;
use crate::ops::{BinaryOp, CompareOp, UnaryOp};
use crate::types::ScalarType;

/// The integer operators of one width.
pub(super) trait Integer: Sized {
    fn unary(self, op: UnaryOp) -> Self;
    fn binary(self, op: BinaryOp, y: Self) -> Option<Self>;
    fn compare(self, op: CompareOp, y: Self) -> bool;
}

/// Implements [`Integer`] for `$int`, whose unsigned partner is `$uint` and whose products fit
/// `$wide` and `$uwide`.
macro_rules! integer {
    ($int:ident, $uint:ident, $wide:ident, $uwide:ident, $ty:ident) => {
        impl Integer for $int {
            #[inline]
            fn unary(self, op: UnaryOp) -> $int {
                use UnaryOp::*;
                match op {
                    Neg => self.wrapping_neg(),
                    Not => !self,
                    Abs => self.wrapping_abs(),
                    Signum => self.signum(),
                    PopCount => self.count_ones() as $int,
                    LeadingZeros => self.leading_zeros() as $int,
                    TrailingZeros => self.trailing_zeros() as $int,
                    FNeg | FAbs | FSignum | Sqrt | Cbrt | Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10
                    | Log1p | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh
                    | Atanh | SinPi | CosPi | TanPi | AsinPi | AcosPi | AtanPi | Gamma | LogGamma | Erf
                    | Erfc | Rsqrt | ApproxRsqrt | Floor | Ceil | Trunc | Round => {
                        ill_typed(op.mnemonic(), ScalarType::$ty)
                    }
                }
            }

            #[inline]
            fn binary(self, op: BinaryOp, y: $int) -> Option<$int> {
                use BinaryOp::*;
                const BITS: u32 = <$int>::BITS;
                let x = self;
                let (unsigned_x, unsigned_y) = (x as $uint, y as $uint);
                // A shift by the width or more gives what repeated shifts by one would give.
                let shift = unsigned_y.min(BITS as $uint) as u32;
                Some(match op {
                    Add => x.wrapping_add(y),
                    Sub => x.wrapping_sub(y),
                    Mul => x.wrapping_mul(y),
                    SMulHigh => ((x as $wide * y as $wide) >> BITS) as $int,
                    UMulHigh => ((unsigned_x as $uwide * unsigned_y as $uwide) >> BITS) as $int,
                    SDiv | SMod | SQuot | SRem | UDiv | UMod if y == 0 => return None,
                    SDiv => x
                        .wrapping_div(y)
                        .wrapping_sub(rounds_down(x.wrapping_rem(y) as i64, y as i64) as $int),
                    SMod => {
                        let remainder = x.wrapping_rem(y);
                        if rounds_down(remainder as i64, y as i64) { remainder + y } else { remainder }
                    }
                    SQuot => x.wrapping_div(y),
                    SRem => x.wrapping_rem(y),
                    UDiv => (unsigned_x / unsigned_y) as $int,
                    UMod => (unsigned_x % unsigned_y) as $int,
                    SMin => x.min(y),
                    UMin => unsigned_x.min(unsigned_y) as $int,
                    SMax => x.max(y),
                    UMax => unsigned_x.max(unsigned_y) as $int,
                    Pow if y < 0 => return None,
                    Pow | UPow => power(x as u64, unsigned_y as u64) as $int,
                    Shl => x.checked_shl(shift).unwrap_or(0),
                    LShr => unsigned_x.checked_shr(shift).unwrap_or(0) as $int,
                    AShr => x >> shift.min(BITS - 1),
                    And => x & y,
                    Or => x | y,
                    Xor => x ^ y,
                    FAdd | FSub | FMul | FDiv | FMod | FRem | FMin | FMax | FPow | Atan2 | Atan2Pi
                    | Hypot | CopySign | NextAfter | LdExp => ill_typed(op.mnemonic(), ScalarType::$ty),
                })
            }

            #[inline]
            fn compare(self, op: CompareOp, y: $int) -> bool {
                match op {
                    CompareOp::Eq => self == y,
                    CompareOp::Ne => self != y,
                    CompareOp::SLt => self < y,
                    CompareOp::SLe => self <= y,
                    CompareOp::ULt => (self as $uint) < y as $uint,
                    CompareOp::ULe => self as $uint <= y as $uint,
                    CompareOp::FLt | CompareOp::FLe => ill_typed(op.mnemonic(), ScalarType::$ty),
                }
            }
        }
    };
}

integer!(i8, u8, i16, u16, I8);
integer!(i16, u16, i32, u32, I16);
integer!(i32, u32, i64, u64, I32);
integer!(i64, u64, i128, u128, I64);

/// Returns whether the floored quotient is one below the truncated one, given the remainder of the truncated division.
#[inline]
fn rounds_down(remainder: i64, divisor: i64) -> bool {
    remainder != 0 && (remainder < 0) != (divisor < 0)
}

/// Raises `base` to `exponent` modulo 2^64; the low bits are the power modulo any smaller width.
fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1u64;
    while exponent != 0 {
        if exponent & 1 != 0 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::values;
    use crate::value::Scalar;

    /// The meaning of an integer operator in unbounded (128-bit) integers; wrapping comes afterwards.
    fn oracle(op: BinaryOp, bits: u32, x: i128, y: i128) -> Option<i128> {
        use BinaryOp::*;
        let mask = (1i128 << bits) - 1;
        let (ux, uy) = (x & mask, y & mask);
        let divides = |y: i128| if y == 0 { None } else { Some(y) };
        Some(match op {
            Add => x + y,
            Sub => x - y,
            Mul => x.wrapping_mul(y),
            SMulHigh => (x * y).div_euclid(1 << bits),
            UMulHigh => ((ux as u128 * uy as u128) >> bits) as i128,
            SDiv => {
                // The greatest q such that q * y is at most x in the direction of y's sign.
                let q = x.div_euclid(divides(y)?);
                if y < 0 && x.rem_euclid(y) != 0 { q - 1 } else { q }
            }
            SMod => x - y * oracle(SDiv, bits, x, y)?,
            SQuot => (x.abs() / divides(y)?.abs()) * x.signum() * y.signum(),
            SRem => x - y * oracle(SQuot, bits, x, y)?,
            UDiv => ux / divides(uy)?,
            UMod => ux % divides(uy)?,
            SMin => {
                if x < y {
                    x
                } else {
                    y
                }
            }
            SMax => {
                if x > y {
                    x
                } else {
                    y
                }
            }
            UMin => {
                if ux < uy {
                    ux
                } else {
                    uy
                }
            }
            UMax => {
                if ux > uy {
                    ux
                } else {
                    uy
                }
            }
            Pow if y < 0 => return None,
            // Repeated multiplication where the exponent is small, elsewhere the square of the power of the halved exponent.
            Pow | UPow => stepwise_power(ux, uy, mask),
            Shl => {
                if uy >= bits as i128 {
                    0
                } else {
                    ux << uy
                }
            }
            LShr => {
                if uy >= bits as i128 {
                    0
                } else {
                    ux >> uy
                }
            }
            AShr => x.div_euclid(1 << uy.min(100)),
            And => ux & uy,
            Or => ux | uy,
            Xor => ux ^ uy,
            FAdd | FSub | FMul | FDiv | FMod | FRem | FMin | FMax | FPow | Atan2 | Atan2Pi | Hypot
            | CopySign | NextAfter | LdExp => unreachable!(),
        })
    }

    fn stepwise_power(base: i128, exponent: i128, mask: i128) -> i128 {
        match exponent {
            0 => 1 & mask,
            1..=300 => (0..exponent).fold(1, |product: i128, _| product.wrapping_mul(base) & mask),
            _ => {
                let half = stepwise_power(base, exponent / 2, mask);
                let rest = if exponent % 2 == 1 { base } else { 1 };
                (half.wrapping_mul(half) & mask).wrapping_mul(rest) & mask
            }
        }
    }

    fn unary_oracle(op: UnaryOp, bits: u32, x: i128) -> i128 {
        let mask = (1i128 << bits) - 1;
        let bit = |i: u32| (x >> i) & 1 == 1;
        match op {
            UnaryOp::Neg => -x,
            UnaryOp::Not => mask - (x & mask),
            UnaryOp::Abs => {
                if x < 0 {
                    -x
                } else {
                    x
                }
            }
            UnaryOp::Signum => {
                if x < 0 {
                    -1
                } else {
                    (x > 0) as i128
                }
            }
            UnaryOp::PopCount => (0..bits).filter(|&i| bit(i)).count() as i128,
            UnaryOp::LeadingZeros => (0..bits).rev().take_while(|&i| !bit(i)).count() as i128,
            UnaryOp::TrailingZeros => (0..bits).take_while(|&i| !bit(i)).count() as i128,
            _ => unreachable!("{op:?} is no integer operator"),
        }
    }

    fn compare_oracle(op: CompareOp, bits: u32, x: i128, y: i128) -> bool {
        let mask = (1i128 << bits) - 1;
        match op {
            CompareOp::Eq => x - y == 0,
            CompareOp::Ne => x - y != 0,
            CompareOp::SLt => x - y < 0,
            CompareOp::SLe => x - y <= 0,
            CompareOp::ULt => (x & mask) - (y & mask) < 0,
            CompareOp::ULe => (x & mask) - (y & mask) <= 0,
            CompareOp::FLt | CompareOp::FLe => unreachable!(),
        }
    }

    fn check_pair(ty: ScalarType, x: Scalar, y: Scalar) {
        let (wide_x, wide_y) = (x.as_int().unwrap() as i128, y.as_int().unwrap() as i128);
        for &op in BinaryOp::ALL.iter().filter(|op| op.accepts(ty)) {
            let expected = oracle(op, ty.bits(), wide_x, wide_y).map(|r| Scalar::int(ty, r as i64));
            assert_eq!(op.eval(x, y), expected, "{op:?} {x:?} {y:?}");
            assert!(op.can_fail() || expected.is_some(), "{op:?} fails");
        }
        for &op in CompareOp::ALL.iter().filter(|op| op.accepts(ty)) {
            assert_eq!(op.eval(x, y), compare_oracle(op, ty.bits(), wide_x, wide_y), "{op:?} {x:?} {y:?}");
        }
    }

    fn check_one(ty: ScalarType, x: Scalar) {
        for &op in UnaryOp::ALL.iter().filter(|op| op.accepts(ty)) {
            let expected = unary_oracle(op, ty.bits(), x.as_int().unwrap() as i128);
            assert_eq!(op.eval(x), Scalar::int(ty, expected as i64), "{op:?} {x:?}");
        }
    }

    #[test]
    fn all_pairs_of_bytes_agree_with_wide_arithmetic() {
        for x in i8::MIN..=i8::MAX {
            check_one(ScalarType::I8, Scalar::I8(x));
            for y in i8::MIN..=i8::MAX {
                check_pair(ScalarType::I8, Scalar::I8(x), Scalar::I8(y));
            }
        }
    }

    #[test]
    fn boundaries_of_wider_integers_agree_with_wide_arithmetic() {
        for ty in [ScalarType::I16, ScalarType::I32, ScalarType::I64] {
            let values = values(ty);
            for &x in &values {
                check_one(ty, x);
                for &y in &values {
                    check_pair(ty, x, y);
                }
            }
        }
    }
}
