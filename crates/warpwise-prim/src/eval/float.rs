//! Float operators, written once for all widths over [`Float`].
//!
//! f16 has no arithmetic of its own: an operator is computed in f64 and rounded once. The result is correctly rounded, because f64
//! holds sums, products and remainders of two f16 exactly, and has more than twice the 2 * 11 + 2 digits that quotients and square
//! roots need. For `fma`: a product has 22 digits, so f64 holds its sum with a third f16 exactly, unless the two are so far apart
//! that rounding their sum cannot bring it to the midpoint of two f16, or the result overflows.

use half::f16;

use super::elementary;
use super::ill_typed;
use crate::ops::{BinaryOp, CompareOp, TernaryOp, UnaryOp};
use crate::types::ScalarType;

/// The correctly rounded primitives of one float type. NaN results need not be canonical here.
pub(crate) trait Float: Copy + PartialOrd {
    const TYPE: ScalarType;
    const CANONICAL_NAN: Self;
    const ONE: Self;
    /// Rounds to nearest even; NaN becomes the canonical NaN.
    fn from_f64(x: f64) -> Self;
    /// Converts to f64, exactly.
    fn to_f64(self) -> f64;
    /// Returns the same number, or the canonical NaN.
    fn canonical(self) -> Self;
    fn is_nan(self) -> bool;
    fn is_negative(self) -> bool;
    fn negate(self) -> Self;
    fn magnitude(self) -> Self;
    fn with_sign_of(self, sign: Self) -> Self;
    fn add(self, y: Self) -> Self;
    fn subtract(self, y: Self) -> Self;
    fn multiply(self, y: Self) -> Self;
    fn divide(self, y: Self) -> Self;
    fn remainder(self, y: Self) -> Self;
    fn square_root(self) -> Self;
    fn multiply_add(self, y: Self, z: Self) -> Self;
    /// Returns the neighbour of a number that is neither NaN nor zero, away from zero or towards zero.
    fn step(self, away: bool) -> Self;
    /// Returns the least positive number.
    fn least() -> Self;
}

macro_rules! native_float {
    ($float:ident, $ty:ident) => {
        impl Float for $float {
            const TYPE: ScalarType = ScalarType::$ty;
            const CANONICAL_NAN: $float =
                $float::from_bits($float::INFINITY.to_bits() | ($float::INFINITY.to_bits() >> 1));
            const ONE: $float = 1.0;
            #[inline]
            fn from_f64(x: f64) -> $float {
                (x as $float).canonical()
            }
            #[inline]
            fn to_f64(self) -> f64 {
                self as f64
            }
            /// Tests the bits, because compilers simplify `if x.is_nan() { NAN } else { x }` to `x`.
            #[inline]
            fn canonical(self) -> $float {
                let bits = self.to_bits();
                let is_nan = bits << 1 > $float::INFINITY.to_bits() << 1;
                $float::from_bits(if is_nan { Self::CANONICAL_NAN.to_bits() } else { bits })
            }
            #[inline]
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            #[inline]
            fn is_negative(self) -> bool {
                self.is_sign_negative()
            }
            #[inline]
            fn negate(self) -> $float {
                -self
            }
            #[inline]
            fn magnitude(self) -> $float {
                self.abs()
            }
            #[inline]
            fn with_sign_of(self, sign: $float) -> $float {
                self.copysign(sign)
            }
            #[inline]
            fn add(self, y: $float) -> $float {
                self + y
            }
            #[inline]
            fn subtract(self, y: $float) -> $float {
                self - y
            }
            #[inline]
            fn multiply(self, y: $float) -> $float {
                self * y
            }
            #[inline]
            fn divide(self, y: $float) -> $float {
                self / y
            }
            #[inline]
            fn remainder(self, y: $float) -> $float {
                self % y
            }
            #[inline]
            fn square_root(self) -> $float {
                self.sqrt()
            }
            #[inline]
            fn multiply_add(self, y: $float, z: $float) -> $float {
                self.mul_add(y, z)
            }
            fn step(self, away: bool) -> $float {
                let bits = self.to_bits();
                $float::from_bits(if away { bits + 1 } else { bits - 1 })
            }
            fn least() -> $float {
                $float::from_bits(1)
            }
        }
    };
}

native_float!(f32, F32);
native_float!(f64, F64);

impl Float for f16 {
    const TYPE: ScalarType = ScalarType::F16;
    const CANONICAL_NAN: f16 = f16::from_bits(0x7e00);
    const ONE: f16 = f16::ONE;
    fn from_f64(x: f64) -> f16 {
        if x.is_nan() { Self::CANONICAL_NAN } else { f16::from_f32(to_odd(x)) }
    }
    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(f32::from(self))
    }
    #[inline]
    fn canonical(self) -> f16 {
        if self.is_nan() { Self::CANONICAL_NAN } else { self }
    }
    #[inline]
    fn is_nan(self) -> bool {
        self.is_nan()
    }
    #[inline]
    fn is_negative(self) -> bool {
        self.is_sign_negative()
    }
    #[inline]
    fn negate(self) -> f16 {
        f16::from_bits(self.to_bits() ^ 0x8000)
    }
    #[inline]
    fn magnitude(self) -> f16 {
        f16::from_bits(self.to_bits() & 0x7fff)
    }
    #[inline]
    fn with_sign_of(self, sign: f16) -> f16 {
        f16::from_bits(self.to_bits() & 0x7fff | sign.to_bits() & 0x8000)
    }
    fn add(self, y: f16) -> f16 {
        <f16 as Float>::from_f64(self.to_f64() + y.to_f64())
    }
    fn subtract(self, y: f16) -> f16 {
        <f16 as Float>::from_f64(self.to_f64() - y.to_f64())
    }
    fn multiply(self, y: f16) -> f16 {
        <f16 as Float>::from_f64(self.to_f64() * y.to_f64())
    }
    fn divide(self, y: f16) -> f16 {
        <f16 as Float>::from_f64(self.to_f64() / y.to_f64())
    }
    fn remainder(self, y: f16) -> f16 {
        <f16 as Float>::from_f64(self.to_f64() % y.to_f64())
    }
    fn square_root(self) -> f16 {
        <f16 as Float>::from_f64(self.to_f64().sqrt())
    }
    fn multiply_add(self, y: f16, z: f16) -> f16 {
        <f16 as Float>::from_f64(self.to_f64() * y.to_f64() + z.to_f64())
    }
    fn step(self, away: bool) -> f16 {
        f16::from_bits(if away { self.to_bits() + 1 } else { self.to_bits() - 1 })
    }
    fn least() -> f16 {
        f16::from_bits(1)
    }
}

/// Rounds a number to f32 so that rounding the result to f16 equals rounding once: an inexact result has an odd last bit (rounding
/// to odd), so it is never mistaken for a tie.
fn to_odd(x: f64) -> f32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    if back == x || nearest.to_bits() & 1 != 0 {
        return nearest;
    }
    // The other neighbour of x, which is odd because this one is even.
    let too_big = back.abs() > x.abs();
    f32::from_bits(if too_big { nearest.to_bits() - 1 } else { nearest.to_bits() + 1 })
}

#[inline]
pub(super) fn unary<F: Float>(op: UnaryOp, x: F) -> F {
    use UnaryOp::*;
    match op {
        FNeg => x.negate(),
        FAbs => x.magnitude(),
        FSignum => signum(x),
        Sqrt => x.square_root().canonical(),
        Rsqrt | ApproxRsqrt => F::ONE.divide(x.square_root()).canonical(),
        Floor => F::from_f64(x.to_f64().floor()),
        Ceil => F::from_f64(x.to_f64().ceil()),
        Trunc => F::from_f64(x.to_f64().trunc()),
        Round => F::from_f64(x.to_f64().round_ties_even()),
        Cbrt | Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos | Tan | Asin | Acos
        | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | SinPi | CosPi | TanPi | AsinPi | AcosPi
        | AtanPi | Gamma | LogGamma | Erf | Erfc => F::from_f64(elementary::unary(op, x.to_f64())),
        Neg | Not | Abs | Signum | PopCount | LeadingZeros | TrailingZeros => {
            ill_typed(op.mnemonic(), F::TYPE)
        }
    }
}

#[inline]
pub(super) fn binary<F: Float>(op: BinaryOp, x: F, y: F) -> F {
    use BinaryOp::*;
    match op {
        FAdd => x.add(y).canonical(),
        FSub => x.subtract(y).canonical(),
        FMul => x.multiply(y).canonical(),
        FDiv => x.divide(y).canonical(),
        FMod => floored_remainder(x, y),
        FRem => x.remainder(y).canonical(),
        FMin => extremum(x, y, x < y, F::is_negative(x)),
        FMax => extremum(x, y, x > y, !F::is_negative(x)),
        FPow => F::from_f64(x.to_f64().powf(y.to_f64())),
        Atan2 => F::from_f64(x.to_f64().atan2(y.to_f64())),
        Atan2Pi => F::from_f64(x.to_f64().atan2(y.to_f64()) / std::f64::consts::PI),
        Hypot => F::from_f64(x.to_f64().hypot(y.to_f64())),
        CopySign => x.with_sign_of(y),
        NextAfter => next_after(x, y),
        LdExp => F::from_f64(elementary::load_exponent(x.to_f64(), y.to_f64())),
        Add | Sub | Mul | SMulHigh | UMulHigh | SDiv | SMod | SQuot | SRem | UDiv | UMod | SMin | UMin
        | SMax | UMax | Pow | UPow | Shl | LShr | AShr | And | Or | Xor => ill_typed(op.mnemonic(), F::TYPE),
    }
}

#[inline]
pub(super) fn ternary<F: Float>(op: TernaryOp, x: F, y: F, z: F) -> F {
    match op {
        TernaryOp::Fma => x.multiply_add(y, z).canonical(),
        TernaryOp::Mad => x.multiply(y).add(z).canonical(),
        TernaryOp::Lerp => x.add(y.subtract(x).multiply(z)).canonical(),
    }
}

#[inline]
pub(super) fn compare<F: Float>(op: CompareOp, x: F, y: F) -> bool {
    match op {
        CompareOp::Eq => x == y,
        CompareOp::Ne => x != y,
        CompareOp::FLt => x < y,
        CompareOp::FLe => x <= y,
        CompareOp::SLt | CompareOp::SLe | CompareOp::ULt | CompareOp::ULe => {
            ill_typed(op.mnemonic(), F::TYPE)
        }
    }
}

#[inline]
fn signum<F: Float>(x: F) -> F {
    let zero = F::from_f64(0.0);
    if x.is_nan() {
        F::CANONICAL_NAN
    } else if x == zero {
        x
    } else {
        F::ONE.with_sign_of(x)
    }
}

/// Returns `x` where it wins, or where it equals `y` and is preferred; a NaN always loses.
#[inline]
fn extremum<F: Float>(x: F, y: F, wins: bool, preferred: bool) -> F {
    if x.is_nan() && y.is_nan() {
        F::CANONICAL_NAN
    } else if wins || y.is_nan() || (x == y && preferred) {
        x
    } else {
        y
    }
}

fn floored_remainder<F: Float>(x: F, y: F) -> F {
    let remainder = x.remainder(y).canonical();
    if remainder.is_nan() {
        remainder
    } else if remainder == F::from_f64(0.0) {
        remainder.with_sign_of(y)
    } else if remainder.is_negative() != y.is_negative() {
        remainder.add(y)
    } else {
        remainder
    }
}

fn next_after<F: Float>(x: F, y: F) -> F {
    if x.is_nan() || y.is_nan() {
        F::CANONICAL_NAN
    } else if x == y {
        y
    } else if x == F::from_f64(0.0) {
        F::least().with_sign_of(y)
    } else {
        x.step((y > x) != x.is_negative())
    }
}
