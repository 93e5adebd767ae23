//! The elementary functions in f64, by the C library where it has them. In f64 results are as good
//! as the library's (glibc documents at most 2 ulp for most, 5 for `erfc`, 10 for `gamma`); rounded
//! to f32 or f16 they are almost always the nearest value.
//!
//! The functions "of pi" reduce their argument exactly before they multiply, so that they are exact
//! at multiples of a quarter turn, signs of zeros as IEEE 754 recommends.

use std::f64::consts::PI;
use std::ffi::c_int;

use super::ill_typed;
use crate::ops::UnaryOp;
use crate::types::ScalarType;

// Functions of the C library that `std` lacks, or computes less precisely itself.
unsafe extern "C" {
    safe fn exp10(x: f64) -> f64;
    safe fn asinh(x: f64) -> f64;
    safe fn acosh(x: f64) -> f64;
    safe fn atanh(x: f64) -> f64;
    safe fn tgamma(x: f64) -> f64;
    fn lgamma_r(x: f64, sign: *mut c_int) -> f64;
    safe fn erf(x: f64) -> f64;
    safe fn erfc(x: f64) -> f64;
    safe fn ldexp(x: f64, exponent: c_int) -> f64;
}

/// A unary function that is not exact in general.
pub(super) fn unary(op: UnaryOp, x: f64) -> f64 {
    use UnaryOp::*;
    match op {
        Cbrt => x.cbrt(),
        Exp => x.exp(),
        Exp2 => x.exp2(),
        Exp10 => exp10(x),
        Expm1 => x.exp_m1(),
        Log => x.ln(),
        Log2 => x.log2(),
        Log10 => x.log10(),
        Log1p => x.ln_1p(),
        Sin => x.sin(),
        Cos => x.cos(),
        Tan => x.tan(),
        Asin => x.asin(),
        Acos => x.acos(),
        Atan => x.atan(),
        Sinh => x.sinh(),
        Cosh => x.cosh(),
        Tanh => x.tanh(),
        Asinh => asinh(x),
        Acosh => acosh(x),
        Atanh => atanh(x),
        SinPi => sin_pi(x),
        CosPi => cos_pi(x),
        TanPi => tan_pi(x),
        AsinPi => x.asin() / PI,
        AcosPi => x.acos() / PI,
        AtanPi => x.atan() / PI,
        Gamma => tgamma(x),
        LogGamma => log_gamma(x),
        Erf => erf(x),
        Erfc => erfc(x),
        Neg | Not | Abs | Signum | PopCount | LeadingZeros | TrailingZeros | FNeg | FAbs | FSignum | Sqrt
        | Rsqrt | Floor | Ceil | Trunc | Round => ill_typed(op.mnemonic(), ScalarType::F64),
    }
}

/// x * 2^n with n read from a float as `fptosi` to i32 does; rounded once.
pub(super) fn load_exponent(x: f64, n: f64) -> f64 {
    ldexp(x, n as i32)
}

/// The exponent of the leading bit; see [`crate::ConvertOp::ILogB`].
pub(super) fn leading_exponent(x: f64) -> i32 {
    if x == 0.0 || x.is_nan() {
        return i32::MIN;
    }
    if x.is_infinite() {
        return i32::MAX;
    }
    let field = (x.to_bits() >> 52) as i32 & 0x7ff;
    if field != 0 {
        return field - 1023;
    }
    let fraction = x.to_bits() & ((1 << 52) - 1);
    -1011 - fraction.leading_zeros() as i32
}

fn log_gamma(x: f64) -> f64 {
    let mut sign = 0;
    // SAFETY: `sign` is a valid place for one `int`, all the function writes to.
    unsafe { lgamma_r(x, &mut sign) }
}

/// Splits x = k/2 + rest, exactly, and gives k modulo 4 and the rest, of magnitude at most 1/4.
fn quarter_turns(x: f64) -> (i64, f64) {
    let turn = x % 2.0;
    let k = (2.0 * turn).round_ties_even();
    ((k as i64).rem_euclid(4), turn - k / 2.0)
}

fn sin_pi(x: f64) -> f64 {
    let (quarter, rest) = quarter_turns(x);
    let y = PI * rest;
    let value = match quarter {
        0 => y.sin(),
        1 => y.cos(),
        2 => -y.sin(),
        _ => -y.cos(),
    };
    if value == 0.0 { 0f64.copysign(x) } else { value }
}

fn cos_pi(x: f64) -> f64 {
    let (quarter, rest) = quarter_turns(x);
    let y = PI * rest;
    let value = match quarter {
        0 => y.cos(),
        1 => -y.sin(),
        2 => -y.cos(),
        _ => y.sin(),
    };
    value + 0.0
}

fn tan_pi(x: f64) -> f64 {
    let (quarter, rest) = quarter_turns(x);
    let tangent = (PI * rest).tan();
    match quarter {
        // At whole numbers the zero is that of sine over cosine, at halves likewise the infinity.
        0 if rest == 0.0 => 0f64.copysign(x),
        2 if rest == 0.0 => -0f64.copysign(x),
        1 if rest == 0.0 => f64::INFINITY,
        3 if rest == 0.0 => f64::NEG_INFINITY,
        0 | 2 => tangent,
        _ => -1.0 / tangent,
    }
}
