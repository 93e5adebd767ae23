//! Correctly rounded floats from decimal and hexadecimal text.
//!
//! Decimal `f32` and `f64` are left to the standard library, which rounds correctly and fast. This module adds what it lacks:
//! hexadecimal floats, and `f16`, for which rounding twice (through a wider format) would be wrong.

use std::cmp::Ordering;

use half::f16;

/// A binary interchange format of at most 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    /// Number of bits of the significand, including the implicit one.
    precision: u32,
    /// Exponent of the smallest normal number.
    least_exponent: i64,
}

/// binary16.
pub(super) const F16: Layout = Layout { precision: 11, least_exponent: -14 };
/// binary32.
pub(super) const F32: Layout = Layout { precision: 24, least_exponent: -126 };
/// binary64.
pub(super) const F64: Layout = Layout { precision: 53, least_exponent: -1022 };

impl Layout {
    /// Returns the bits of the float nearest to `significand * 2^exponent`. With `sticky` the value is larger by less than one
    /// unit of the significand. Ties go to even, overflow to infinity.
    fn round(self, significand: u64, sticky: bool, exponent: i64) -> u64 {
        if significand == 0 {
            return 0;
        }
        let zeros = significand.leading_zeros();
        let significand = significand << zeros;
        let exponent = exponent - i64::from(zeros) + 63;
        let below = (self.least_exponent - exponent).clamp(0, 100) as u32;
        let drop = 64 - self.precision + below;
        if drop > 64 {
            return 0;
        }
        let kept = if drop == 64 { 0 } else { significand >> drop };
        let half = significand >> (drop - 1) & 1 == 1;
        let rest = sticky || significand & ((1 << (drop - 1)) - 1) != 0;
        let kept = kept + u64::from(half && (rest || kept & 1 == 1));
        let biased = (exponent - self.least_exponent).clamp(0, 1 << 11) as u64;
        // The implicit bit of `kept` adds one to the exponent field; so does a carry.
        ((biased << (self.precision - 1)) + kept).min(self.infinity())
    }

    fn infinity(self) -> u64 {
        ((2 - 2 * self.least_exponent) as u64 + 1) << (self.precision - 1)
    }
}

/// Parses a hexadecimal float without sign and `0x`, such as `1.8p3`, and returns its bits; `None` if malformed.
pub(super) fn parse_hexadecimal(digits: &str, layout: Layout) -> Option<u64> {
    let (digits, power) = digits.split_once(['p', 'P'])?;
    let power: i64 = power.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (mut significand, mut sticky, mut exponent) = (0_u64, false, power.clamp(-1 << 40, 1 << 40));
    for (position, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(digit.to_digit(16)?);
        if significand >> 60 == 0 {
            significand = significand << 4 | digit;
        } else {
            sticky |= digit != 0;
            exponent += 4;
        }
        if position >= whole.len() {
            exponent -= 4;
        }
    }
    Some(layout.round(significand, sticky, exponent))
}

/// Returns the `f16` nearest to an unsigned decimal number, or `None` if malformed.
pub(super) fn parse_f16(digits: &str) -> Option<f16> {
    let wide: f64 = digits.parse().ok()?;
    if wide.is_nan() {
        return Some(f16::NAN);
    }
    if wide.is_infinite() {
        return Some(f16::INFINITY);
    }
    if !is_middle(wide) {
        return Some(f16::from_bits(round_to_f16(wide)));
    }
    // Parsing may have rounded the number onto the middle between two f16: move it back to its side.
    let wide = match compare_decimals(digits, &format!("{wide:.60}")) {
        Ordering::Less => wide.next_down(),
        Ordering::Equal => wide,
        Ordering::Greater => wide.next_up(),
    };
    Some(f16::from_bits(round_to_f16(wide)))
}

/// Returns the bits of the f16 nearest to `wide >= 0`.
fn round_to_f16(wide: f64) -> u16 {
    let bits = wide.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let biased = (bits >> 52) as i64;
    match biased {
        0 => 0, // far below the least f16
        _ => F16.round(fraction | 1 << 52, false, biased - 1075) as u16,
    }
}

/// Returns whether `wide` lies exactly between two neighbouring f16: its own neighbours round differently.
fn is_middle(wide: f64) -> bool {
    wide > 0.0 && round_to_f16(wide.next_down()) != round_to_f16(wide.next_up())
}

/// Compares two unsigned decimal numbers by value.
fn compare_decimals(left: &str, right: &str) -> Ordering {
    let ((left, left_exponent), (right, right_exponent)) = (normalize(left), normalize(right));
    match (left.is_empty(), right.is_empty()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => left_exponent.cmp(&right_exponent).then_with(|| left.cmp(&right)),
    }
}

/// Returns the digits `d` without zeros at either end and the exponent `e` of the number `0.d * 10^e`.
fn normalize(number: &str) -> (String, i64) {
    let (digits, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let significant = all.trim_start_matches('0');
    // An exponent that does not fit `i64` has no effect here: the caller has excluded such numbers by their size.
    let power: i64 = power.parse().unwrap_or(0);
    let shift = whole.len() as i64 - (all.len() - significant.len()) as i64;
    (significant.trim_end_matches('0').to_string(), power.saturating_add(shift))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_f16_and_every_middle_rounds_correctly() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (f16::from_bits(bits), f16::from_bits(bits + 1));
            assert_eq!(parse_f16(&format!("{:?}", low.to_f64())), Some(low));
            let middle = (low.to_f64() + high.to_f64()) / 2.0;
            let exact = format!("{middle:.60}");
            let even = if bits % 2 == 0 { low } else { high };
            assert_eq!(parse_f16(&exact), Some(even), "{exact}");
            assert_eq!(parse_f16(&format!("{exact}1")), Some(high), "just above {exact}");
        }
    }

    #[test]
    fn f16_just_below_a_middle_and_at_the_ends() {
        // 1 + 2^-11 is the middle between 1 and its successor.
        assert_eq!(parse_f16("1.00048828124999999999999999999"), Some(f16::ONE));
        assert_eq!(parse_f16("1.00048828125000000000000000001").unwrap().to_bits(), 0x3c01);
        assert_eq!(parse_f16("65519.999999999999999999999"), Some(f16::MAX));
        assert_eq!(parse_f16("65520"), Some(f16::INFINITY));
        assert_eq!(parse_f16("1e999"), Some(f16::INFINITY));
        assert_eq!(parse_f16("1e-999"), Some(f16::ZERO));
        assert_eq!(parse_f16("0"), Some(f16::ZERO));
        assert_eq!(parse_f16("0e9223372036854775807"), Some(f16::ZERO));
        assert_eq!(parse_f16("0.001e-9223372036854775808"), Some(f16::ZERO));
        // 2^-25, the middle between 0 and the least f16, and a little more.
        assert_eq!(parse_f16("2.98023223876953125e-8"), Some(f16::ZERO));
        assert_eq!(parse_f16("2.980232238769531250000001e-8").unwrap().to_bits(), 1);
        assert_eq!(parse_f16("00.00000002980232238769531250000001").unwrap().to_bits(), 1);
    }

    #[test]
    fn hexadecimal_floats_agree_with_decimal_ones() {
        let f64_of = |text| f64::from_bits(parse_hexadecimal(text, F64).unwrap());
        let f32_of = |text| f32::from_bits(parse_hexadecimal(text, F32).unwrap() as u32);
        assert_eq!(f64_of("1.8p3"), 12.0);
        assert_eq!(f64_of(".1p4"), 1.0);
        assert_eq!(f64_of("1.921fb54442d18p1"), std::f64::consts::PI);
        assert_eq!(f64_of("1p-1074"), f64::from_bits(1));
        assert_eq!(f64_of("1p-1075"), 0.0, "tie to even");
        assert_eq!(f64_of("1.8p-1075"), f64::from_bits(1));
        assert_eq!(f64_of("1p-9223372036854775807"), 0.0);
        assert_eq!(f64_of("1p9223372036854775807"), f64::INFINITY);
        assert_eq!(f64_of("1.fffffffffffff8p1023"), f64::INFINITY);
        assert_eq!(f64_of("1.fffffffffffff7p1023"), f64::MAX);
        assert_eq!(f32_of("1.000001p0"), 1.0, "tie to even");
        assert_eq!(f32_of("1.00000100000000000000001p0"), 1.0 + f32::EPSILON, "sticky digits");
        assert_eq!(f32_of("1p-149"), f32::from_bits(1));
        assert_eq!(f32_of("0p0"), 0.0);
        for malformed in ["", "p3", "1", "1p", ".p1", "1.gp1", "1p1.5"] {
            assert_eq!(parse_hexadecimal(malformed, F64), None, "{malformed}");
        }
    }
}
