//! Functions of f32 that are computed in line, on machines with fused multiply-add.
//!
//! ```text
//! sin, cos:  q = round (|x| * 2/pi)         // which quarter of the circle
//!            r = |x| - q * pi/2             // in three parts: within pi/4
//!            sin r = r + r^3 * S (r^2),  cos r = 1 - r^2/2 + r^4 * C (r^2)
//! exp:       k = round (x / ln 2),  r = x - k * ln 2,  2^k * (1 + r + r^2 * E (r))
//! log:       x = 2^e * (1 + f) with f in [-1/3, 1/3),  e * ln 2 + f - f^2/2 + f^3 * L (f)
//! ```
//!
//! The computations that depend only on the argument are identical for sine and cosine, so that LLVM computes them once if a
//! program needs both of one angle. For large angles the quarter is no longer exact: if any lane has a large angle, the result
//! comes from `libmvec`, behind a branch. Otherwise there are no branches: a call anywhere would keep all values that are live
//! across it in memory. A lane's result depends on that lane only.
//!
//! The polynomials have the least maximum relative error on their intervals (2^-27.8, 2^-32.7, 2^-28.1 and 2^-27.7), with their
//! coefficients rounded to f32 one after the other. All arguments were tested: sine and cosine differ from the correct result by
//! at most two units in the last place, exponential and logarithm by one.

use std::f32::consts;

use super::function::Function;
use super::llvm::{Float, Int, Precision, Value, cast, float, int};

/// A function with an inline form for f32.
#[derive(Clone, Copy)]
pub(super) enum Elementary {
    Sine,
    Cosine,
    Exponential,
    Logarithm,
}

/// The largest angle with a sufficiently exact quarter.
const FURTHEST_ANGLE: f64 = 65536.0;
/// Bounds beyond which powers of `e` are 0 and infinity.
const EXPONENTS: [f64; 2] = [-104.0, 89.0];

/// `pi / 2` in three floats whose sum is within 2^-76 of it; the product of the first and a quarter's number is subtracted
/// exactly.
const HALF_PI: [f32; 3] = [1.570_796_4, -4.371_139e-8, -1.715_124_5e-15];
const QUARTERS_PER_RADIAN: f32 = 0.636_619_75;
/// `ln 2` in two floats.
const LN_2: [f32; 2] = [consts::LN_2, -1.904_654_2e-9];

/// Coefficients, the highest first.
const SINE: [f32; 3] = [-0.000_195_078_83, 0.008_332_106, -0.166_666_54];
const COSINE: [f32; 3] = [2.443_008_5e-5, -0.001_388_729_8, 0.041_666_646];
const EXPONENTIAL: [f32; 5] = [0.001_382_074_6, 0.008_369_248, 0.041_668_28, 0.166_665_17, 0.499_999_94];
const LOGARITHM: [f32; 9] = [
    -0.128_792_91,
    0.139_855_94,
    -0.121_874_53,
    0.140_055_43,
    -0.166_802_21,
    0.200_104_36,
    -0.249_998_05,
    0.333_332_15,
    -0.5,
];

/// `1.5 * 2^23`. Adding it to a float puts the float's nearest integer into the lowest bits.
const ROUNDER: f32 = 12_582_912.0;
/// Number of bits after the exponent.
const FRACTION_BITS: i64 = 23;

impl Elementary {
    /// Returns the name of the function in C.
    pub fn name(self) -> &'static str {
        match self {
            Elementary::Sine => "sin",
            Elementary::Cosine => "cos",
            Elementary::Exponential => "exp",
            Elementary::Logarithm => "log",
        }
    }
}

impl Function<'_> {
    /// Computes a function of f32.
    pub fn in_line(&mut self, function: Elementary, x: &Value<Float>) -> Value<Float> {
        match function {
            Elementary::Sine | Elementary::Cosine => self.circular(function, x),
            Elementary::Exponential => self.exponential(x),
            Elementary::Logarithm => self.logarithm(x),
        }
    }

    fn circular(&mut self, function: Elementary, x: &Value<Float>) -> Value<Float> {
        let angle = self.text.intrinsic(float::FABS, [x]);
        let near = self.circular_near(function, x, &angle);
        let result = self.text.slot(x.ty);
        self.text.write(&result, &near);
        let is_far = self.text.compare_float(float::OGT, &angle, FURTHEST_ANGLE);
        let lanes = self.text.packed(&is_far);
        let some = self.text.compare_int(int::NE, &lanes, 0);
        let (call, end) = (self.text.new_block(), self.text.new_block());
        self.text.branch_unlikely(&some, call, end);
        self.text.begin(call);
        let far = self.vector_math(function.name(), &[x]);
        let chosen = self.text.select(&is_far, &far, &near);
        self.text.write(&result, &chosen);
        self.text.jump(end);
        self.text.begin(end);
        self.text.read(&result)
    }

    /// Computes sine or cosine of arguments with these absolute values, up to [`FURTHEST_ANGLE`].
    fn circular_near(
        &mut self,
        function: Elementary,
        x: &Value<Float>,
        angle: &Value<Float>,
    ) -> Value<Float> {
        let rounded = self.fused(angle, QUARTERS_PER_RADIAN, ROUNDER);
        let rest = self.rest(angle, &rounded, HALF_PI);
        let square = self.text.binary(float::MUL, &rest, &rest);
        let sine = {
            let tail = self.polynomial(&square, &SINE);
            let cube = self.text.binary(float::MUL, &rest, &square);
            self.text.intrinsic(float::FMA, [&cube, &tail, &rest])
        };
        let cosine = {
            let tail = self.polynomial(&square, &COSINE);
            let fourth = self.text.binary(float::MUL, &square, &square);
            let head = self.fused(&square, -0.5, 1.0);
            self.text.intrinsic(float::FMA, [&fourth, &tail, &head])
        };
        let quarter = self.text.bits(&rounded);
        let is_odd = self.text.low_bit(&quarter);
        // Both functions are negative in half of the circle, the cosine a quarter earlier. The sine of a negative angle is the
        // negated sine of its absolute value.
        let (value, sign) = if let Elementary::Sine = function {
            let half = self.text.binary_int(int::SHL, &quarter, 30);
            let own = self.text.bits(x);
            (self.text.select(&is_odd, &cosine, &sine), self.text.binary(int::XOR, &half, &own))
        } else {
            let ahead = self.text.binary_int(int::ADD, &quarter, 1);
            (self.text.select(&is_odd, &sine, &cosine), self.text.binary_int(int::SHL, &ahead, 30))
        };
        let sign = self.text.binary_int(int::AND, &sign, i32::MIN.into());
        let bits = self.text.bits(&value);
        let bits = self.text.binary(int::XOR, &bits, &sign);
        self.text.float_of_bits(&bits, Precision::Single)
    }

    fn exponential(&mut self, x: &Value<Float>) -> Value<Float> {
        let [least, most] = EXPONENTS;
        let mut within = x.clone();
        // This form of the comparison preserves NaN.
        for (beyond, limit) in [(float::OLT, least), (float::OGT, most)] {
            let is_beyond = self.text.compare_float(beyond, &within, limit);
            within = self.text.select(&is_beyond, &x.ty.constant(limit), &within);
        }
        let rounded = self.fused(&within, consts::LOG2_E, ROUNDER);
        let rest = self.rest(&within, &rounded, LN_2);
        let tail = self.polynomial(&rest, &EXPONENTIAL);
        let square = self.text.binary(float::MUL, &rest, &rest);
        let fraction = self.text.intrinsic(float::FMA, [&tail, &square, &rest]);
        let fraction = self.text.binary(float::ADD, &fraction, &constant(x, 1.0));
        // The power of two is applied as two factors: it need not be a normal number itself, and only the last product is
        // rounded.
        let bits = self.text.bits(&rounded);
        let power = self.text.binary_int(int::SUB, &bits, ROUNDER.to_bits().into());
        let half = self.text.binary_int(int::ASHR, &power, 1);
        let other = self.text.binary(int::SUB, &power, &half);
        [half, other].into_iter().fold(fraction, |product, power| {
            let factor = self.power_of_two(&power);
            self.text.binary(float::MUL, &product, &factor)
        })
    }

    /// Computes a power of two from an exponent of a normal number.
    fn power_of_two(&mut self, exponent: &Value<Int>) -> Value<Float> {
        let bits = self.text.binary_int(int::SHL, exponent, FRACTION_BITS);
        let bits = self.text.binary_int(int::ADD, &bits, 1.0_f32.to_bits().into());
        self.text.float_of_bits(&bits, Precision::Single)
    }

    fn logarithm(&mut self, x: &Value<Float>) -> Value<Float> {
        // Subnormal numbers become normal ones; results for arguments that are not positive are replaced at the end.
        let is_small = self.text.compare_float(float::OLT, x, f32::MIN_POSITIVE.into());
        let scaled = self.text.binary(float::MUL, x, &constant(x, (1 << FRACTION_BITS) as f32));
        let normal = self.text.select(&is_small, &scaled, x);
        // The reduced range starts at two thirds: the exponent of the quotient by two thirds is that of the power of two to
        // divide by.
        let bits = self.text.bits(&normal);
        let from = self.text.binary_int(int::SUB, &bits, (2.0_f32 / 3.0).to_bits().into());
        let power = self.text.binary_int(int::ASHR, &from, FRACTION_BITS);
        let power = self.text.cast(cast::SITOFP, &power, Precision::Single);
        let lower = self.text.binary(float::SUB, &power, &constant(x, FRACTION_BITS as f32));
        let power = self.text.select(&is_small, &lower, &power);
        let exponent = self.text.binary_int(int::AND, &from, -1 << FRACTION_BITS);
        let bits = self.text.binary(int::SUB, &bits, &exponent);
        let near_one = self.text.float_of_bits(&bits, Precision::Single);
        let rest = self.text.binary(float::SUB, &near_one, &constant(x, 1.0));
        let tail = self.polynomial(&rest, &LOGARITHM);
        let square = self.text.binary(float::MUL, &rest, &rest);
        let mut sum = self.text.intrinsic(float::FMA, [&square, &tail, &rest]);
        for part in LN_2.into_iter().rev() {
            sum = self.text.intrinsic(float::FMA, [&power, &constant(x, part), &sum]);
        }
        let is_finite = self.text.compare_float(float::OLT, x, f64::INFINITY);
        let is_zero = self.text.compare_float(float::OEQ, x, 0.0);
        let is_negative = self.text.compare_float(float::OLT, x, 0.0);
        let result = self.text.select(&is_finite, &sum, x);
        let result = self.text.select(&is_zero, &constant(x, f32::NEG_INFINITY), &result);
        self.text.select(&is_negative, &constant(x, f32::NAN), &result)
    }

    /// Subtracts a multiple of the sum of `parts` from `x`; the multiple is `rounded` minus [`ROUNDER`].
    fn rest<const N: usize>(
        &mut self,
        x: &Value<Float>,
        rounded: &Value<Float>,
        parts: [f32; N],
    ) -> Value<Float> {
        let multiple = self.text.binary(float::SUB, rounded, &constant(x, ROUNDER));
        parts.into_iter().fold(x.clone(), |rest, part| {
            self.text.intrinsic(float::FMA, [&multiple, &constant(x, -part), &rest])
        })
    }

    /// Computes `x * factor + summand`, rounded once.
    fn fused(&mut self, x: &Value<Float>, factor: f32, summand: f32) -> Value<Float> {
        self.text.intrinsic(float::FMA, [x, &constant(x, factor), &constant(x, summand)])
    }

    /// Evaluates a polynomial by Horner's rule.
    fn polynomial(&mut self, x: &Value<Float>, coefficients: &[f32]) -> Value<Float> {
        let (highest, others) = coefficients.split_first().expect("a polynomial has coefficients");
        others.iter().fold(constant(x, *highest), |sum, coefficient| {
            self.text.intrinsic(float::FMA, [&sum, x, &constant(x, *coefficient)])
        })
    }
}

fn constant(like: &Value<Float>, value: f32) -> Value<Float> {
    like.ty.constant(value.into())
}
