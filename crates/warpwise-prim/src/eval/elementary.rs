//! The elementary functions in f64, computed by the C library where it has them. In f64, results are as accurate as the library's
//! (glibc documents at most 2 ulp for most, 5 for `erfc`, 10 for `gamma`). Rounded to f32 or f16, they are almost always the
//! nearest value.
//!
//! The functions "of pi" reduce their argument exactly before they multiply, so that they are exact at multiples of a quarter
//! turn. The signs of zeros are those that IEEE 754 recommends.

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

/// Evaluates a unary function that is not exact in general.
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
        | Rsqrt | ApproxRsqrt | Floor | Ceil | Trunc | Round => ill_typed(op.mnemonic(), ScalarType::F64),
    }
}

/// Returns x * 2^n, rounded once; n is read from a float as `fptosi` to i32 does.
pub(super) fn load_exponent(x: f64, n: f64) -> f64 {
    ldexp(x, n as i32)
}

/// Returns the exponent of the leading bit; see [`crate::ConvertOp::ILogB`].
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
    // SAFETY: `sign` is a valid place for one `int`, and the function writes nothing else.
    unsafe { lgamma_r(x, &mut sign) }
}

/// Splits x = k/2 + rest, exactly, and returns k modulo 4 and the rest, of magnitude at most 1/4.
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
        // At whole numbers the zero has the sign of sine over cosine; at halves the same holds for the infinity.
        0 if rest == 0.0 => 0f64.copysign(x),
        2 if rest == 0.0 => -0f64.copysign(x),
        1 if rest == 0.0 => f64::INFINITY,
        3 if rest == 0.0 => f64::NEG_INFINITY,
        0 | 2 => tangent,
        _ => -1.0 / tangent,
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts;

    use super::*;
    use crate::ops::BinaryOp;
    use crate::value::Scalar;

    fn unary(op: UnaryOp, x: f64) -> f64 {
        op.eval(Scalar::F64(x)).as_float().unwrap()
    }

    fn binary(op: BinaryOp, ty: ScalarType, x: f64, y: f64) -> Scalar {
        op.eval(Scalar::float(ty, x), Scalar::float(ty, y)).unwrap()
    }

    #[test]
    fn functions_of_pi_are_exact_at_quarter_turns() {
        for n in -9i32..=9 {
            let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
            let (whole, after) = (f64::from(n), f64::from(n) + 0.5);
            assert_eq!(unary(UnaryOp::SinPi, whole).to_bits(), 0f64.copysign(whole).to_bits(), "{n}");
            assert_eq!(unary(UnaryOp::CosPi, whole), sign, "{n}");
            assert_eq!(unary(UnaryOp::SinPi, after), sign, "{n}");
            assert_eq!(unary(UnaryOp::CosPi, after).to_bits(), 0f64.to_bits(), "{n}");
            assert_eq!(
                unary(UnaryOp::TanPi, whole).to_bits(),
                (0f64.copysign(whole) * sign).to_bits(),
                "{n}"
            );
            assert_eq!(unary(UnaryOp::TanPi, after), sign * f64::INFINITY, "{n}");
            let quarter = unary(UnaryOp::TanPi, whole + 0.25);
            assert!((quarter - 1.0).abs() <= f64::EPSILON, "{n}: {quarter}");
        }
        assert_eq!(unary(UnaryOp::SinPi, 1e300), 0.0);
        assert_eq!(unary(UnaryOp::CosPi, 1e300), 1.0);
        for x in [1e-300, 0.1, 0.3, 0.6, 0.9, 1.3, 1.9, -0.7, 2.2] {
            let near = |op: UnaryOp, expected: f64| {
                let got = unary(op, x);
                assert!((got - expected).abs() <= 4e-15 * expected.abs(), "{op:?} {x}: {got} for {expected}");
            };
            near(UnaryOp::SinPi, (PI * x).sin());
            near(UnaryOp::CosPi, (PI * x).cos());
            near(UnaryOp::TanPi, (PI * x).tan());
        }
    }

    /// Known values, to 17 digits.
    const KNOWN: &[(UnaryOp, f64, f64)] = &[
        (UnaryOp::Sqrt, 2.0, consts::SQRT_2),
        (UnaryOp::Rsqrt, 4.0, 0.5),
        (UnaryOp::ApproxRsqrt, 4.0, 0.5),
        (UnaryOp::Cbrt, -27.0, -3.0),
        (UnaryOp::Exp, 1.0, consts::E),
        (UnaryOp::Exp2, -3.0, 0.125),
        (UnaryOp::Exp10, 5.0, 1e5),
        (UnaryOp::Expm1, 1e-10, 1.00000000005e-10),
        (UnaryOp::Log, 10.0, consts::LN_10),
        (UnaryOp::Log2, 8.0, 3.0),
        (UnaryOp::Log10, 1000.0, 3.0),
        (UnaryOp::Log1p, 1e-10, 9.9999999995e-11),
        (UnaryOp::Sin, 1.0, 0.8414709848078965),
        (UnaryOp::Cos, 1.0, 0.5403023058681398),
        (UnaryOp::Tan, 1.0, 1.5574077246549023),
        (UnaryOp::Asin, 0.5, consts::FRAC_PI_6),
        (UnaryOp::Acos, 0.5, consts::FRAC_PI_3),
        (UnaryOp::Atan, 1.0, consts::FRAC_PI_4),
        (UnaryOp::AsinPi, 0.5, 1.0 / 6.0),
        (UnaryOp::AcosPi, 0.5, 1.0 / 3.0),
        (UnaryOp::AtanPi, 1.0, 0.25),
        (UnaryOp::Sinh, 1.0, 1.1752011936438014),
        (UnaryOp::Cosh, 1.0, 1.5430806348152437),
        (UnaryOp::Tanh, 1.0, 0.7615941559557649),
        (UnaryOp::Asinh, 1.0, 0.881373587019543),
        (UnaryOp::Acosh, 2.0, 1.3169578969248168),
        (UnaryOp::Atanh, 0.5, 0.5493061443340549),
        (UnaryOp::Gamma, 5.0, 24.0),
        (UnaryOp::LogGamma, 10.0, 12.801827480081469),
        (UnaryOp::LogGamma, -0.5, 1.2655121234846454),
        (UnaryOp::Erf, 0.5, 0.5204998778130465),
        (UnaryOp::Erfc, 0.5, 0.4795001221869535),
    ];

    #[test]
    fn elementary_functions_have_their_known_values() {
        for &(op, x, expected) in KNOWN {
            let close = |ty: ScalarType, bound: f64| {
                let got = op.eval(Scalar::float(ty, x)).as_float().unwrap();
                // The argument is rounded too unless it is a dyadic fraction.
                assert!((got - expected).abs() <= bound * expected.abs(), "{op:?} {ty} {x}: {got}");
            };
            close(ScalarType::F64, 5e-16);
            close(ScalarType::F32, 1.2e-7);
            if x.abs() > 1e-3 && expected < 60000.0 {
                close(ScalarType::F16, 1e-3);
            }
        }
        let pairs = [
            (BinaryOp::FPow, 2.0, 10.0, 1024.0),
            (BinaryOp::FPow, 1.0, f64::NAN, 1.0),
            (BinaryOp::FPow, f64::NAN, 0.0, 1.0),
            (BinaryOp::Hypot, 3.0, 4.0, 5.0),
            (BinaryOp::Hypot, f64::INFINITY, f64::NAN, f64::INFINITY),
            (BinaryOp::Atan2, 0.0, -1.0, PI),
            (BinaryOp::Atan2Pi, 1.0, -1.0, 0.75),
            (BinaryOp::CopySign, 3.0, -0.0, -3.0),
        ];
        for ty in [ScalarType::F16, ScalarType::F32, ScalarType::F64] {
            for (op, x, y, expected) in pairs {
                assert_eq!(binary(op, ty, x, y), Scalar::float(ty, expected), "{op:?} {ty}");
            }
        }
    }
}
