//! The text form of constants, printed and parsed: `true`, `-3i32`, `1.5f32`, `1e-7f64`, `-f64.inf`, `f32.nan`.
//!
//! Printing and then parsing restores the same bits. Floats are printed with the fewest digits that do so, and always with a point
//! or an exponent. `f32.nan` is the canonical NaN; any other NaN is followed by its bits in hexadecimal: `f32.nan.0xffc00001`. A
//! constant thus consists of letters, digits and points, with `-` at its start or in an exponent.
//!
//! The parser accepts an integer that fits the type as signed or as unsigned (`255i8` is `-1i8`), and floats with any number of
//! digits. It returns `None` for a value that does not fit, floats included. One limit: an f16 with more than 17 digits that lies
//! next to the midpoint of two f16 may round the other way.

use std::fmt;

use half::f16;

use crate::types::ScalarType;
use crate::value::Scalar;

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Scalar::Bool(x) => write!(f, "{x}"),
            Scalar::I8(x) => write!(f, "{x}i8"),
            Scalar::I16(x) => write!(f, "{x}i16"),
            Scalar::I32(x) => write!(f, "{x}i32"),
            Scalar::I64(x) => write!(f, "{x}i64"),
            Scalar::F16(x) if x.is_finite() => write!(f, "{:?}f16", shortest_f16(x)),
            Scalar::F32(x) if x.is_finite() => write!(f, "{x:?}f32"),
            Scalar::F64(x) if x.is_finite() => write!(f, "{x:?}f64"),
            Scalar::F16(_) | Scalar::F32(_) | Scalar::F64(_) => write_special(*self, f),
        }
    }
}

impl Scalar {
    /// Parses a constant; returns `None` where the text is not one.
    pub fn parse(text: &str) -> Option<Scalar> {
        match text {
            "true" => return Some(Scalar::Bool(true)),
            "false" => return Some(Scalar::Bool(false)),
            _ => {}
        }
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
            return parse_special(text, unsigned);
        }
        let ty =
            ScalarType::ALL.into_iter().find(|ty| *ty != ScalarType::Bool && text.ends_with(ty.name()))?;
        let digits = &text[..text.len() - ty.name().len()];
        if ty.is_int() { parse_int(digits, ty) } else { parse_float(digits, ty) }
    }
}

fn write_special(x: Scalar, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let ty = x.ty();
    match x.as_float() {
        Some(value) if value.is_infinite() => {
            write!(f, "{}{ty}.inf", if value < 0.0 { "-" } else { "" })
        }
        _ if x == Scalar::float(ty, f64::NAN) => write!(f, "{ty}.nan"),
        _ => write!(f, "{ty}.nan.0x{:x}", x.to_bits()),
    }
}

/// Returns the f64 with the fewest decimal digits that rounds to `x`. Printed, it is also the shortest form of `x`.
fn shortest_f16(x: f16) -> f64 {
    let exact = x.to_f64();
    let with_digits = |n: usize| format!("{exact:.n$e}").parse().unwrap_or(exact);
    (0..5)
        .map(with_digits)
        .find(|&short| Scalar::float(ScalarType::F16, short) == Scalar::F16(x))
        .unwrap_or(exact)
}

fn parse_int(digits: &str, ty: ScalarType) -> Option<Scalar> {
    if !digits.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let value: i128 = digits.parse().ok()?;
    let (least, past_greatest) = (-1i128 << (ty.bits() - 1), 1i128 << ty.bits());
    (least <= value && value < past_greatest).then(|| Scalar::int(ty, value as i64))
}

fn parse_float(digits: &str, ty: ScalarType) -> Option<Scalar> {
    let value = match ty {
        ScalarType::F32 => Scalar::F32(digits.parse().ok()?),
        _ => Scalar::float(ty, digits.parse().ok()?),
    };
    value.as_float().filter(|x| x.is_finite()).map(|_| value)
}

/// Parses infinities and NaNs.
fn parse_special(text: &str, unsigned: &str) -> Option<Scalar> {
    let (name, rest) = unsigned.split_once('.')?;
    let ty = ScalarType::from_name(name).filter(|ty| ty.is_float())?;
    let negative = text.len() != unsigned.len();
    match rest {
        "inf" if negative => Some(Scalar::float(ty, f64::NEG_INFINITY)),
        "inf" => Some(Scalar::float(ty, f64::INFINITY)),
        "nan" if !negative => Some(Scalar::float(ty, f64::NAN)),
        _ if negative => None,
        _ => {
            let digits = rest.strip_prefix("nan.0x").filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
            let bits = u64::from_str_radix(digits, 16).ok()?;
            let value = Scalar::from_bits(ty, bits);
            (value.to_bits() == bits && value.as_float().is_some_and(f64::is_nan)).then_some(value)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::values;

    #[test]
    fn constants_read_as_expected() {
        let shown = [
            (Scalar::Bool(true), "true"),
            (Scalar::I32(3), "3i32"),
            (Scalar::I8(-128), "-128i8"),
            (Scalar::I64(i64::MIN), "-9223372036854775808i64"),
            (Scalar::F32(1.5), "1.5f32"),
            (Scalar::F32(0.1), "0.1f32"),
            (Scalar::F32(-0.0), "-0.0f32"),
            (Scalar::F64(1e300), "1e300f64"),
            (Scalar::F64(1e-7), "1e-7f64"),
            (Scalar::F16(f16::from_f32(0.1)), "0.1f16"),
            (Scalar::F16(f16::MAX), "65500.0f16"),
            (Scalar::F16(f16::from_bits(1)), "6e-8f16"),
            (Scalar::F32(f32::INFINITY), "f32.inf"),
            (Scalar::F64(f64::NEG_INFINITY), "-f64.inf"),
            (Scalar::F32(f32::from_bits(0x7fc0_0000)), "f32.nan"),
            (Scalar::F32(f32::from_bits(0xffc0_0001)), "f32.nan.0xffc00001"),
        ];
        for (value, text) in shown {
            assert_eq!(value.to_string(), text);
            assert_eq!(Scalar::parse(text), Some(value), "{text}");
        }
    }

    #[test]
    fn unsigned_spellings_and_long_digits_are_taken() {
        assert_eq!(Scalar::parse("255i8"), Some(Scalar::I8(-1)));
        assert_eq!(Scalar::parse("18446744073709551615i64"), Some(Scalar::I64(-1)));
        assert_eq!(Scalar::parse("1f32"), Some(Scalar::F32(1.0)));
        assert_eq!(Scalar::parse("0.1000000000000000055511151231257827f64"), Some(Scalar::F64(0.1)));
    }

    #[test]
    fn what_is_no_constant_is_refused() {
        let wrong = [
            "",
            "-",
            "3",
            "i32",
            "-true",
            "256i8",
            "-129i8",
            "--1i8",
            "+1i8",
            "1.5i32",
            "3bool",
            "1e999f64",
            "1e6f16",
            "f32",
            "f32.",
            "f32.infinity",
            "i32.inf",
            "-f32.nan",
            "f32.nan.0x1",
            "f32.nan.0x",
            "f32.nan.0x7f800000",
            "f32.nan.0x1ffc00000",
            "f32.nan.0x+7fc00001",
            "1_0i32",
            "1e+f32",
            "é",
            "1éf32",
        ];
        for text in wrong {
            assert_eq!(Scalar::parse(text), None, "{text}");
        }
    }

    #[test]
    fn every_f16_survives_with_five_digits_at_most() {
        for bits in 0..=u16::MAX {
            let value = Scalar::F16(f16::from_bits(bits));
            let text = value.to_string();
            assert_eq!(Scalar::parse(&text), Some(value), "{text}");
            if let Scalar::F16(x) = value
                && x.is_finite()
            {
                let mantissa = text.trim_end_matches("f16").split('e').next().unwrap();
                let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
                assert!(digits.trim_matches('0').len() <= 5, "{text}");
            }
        }
    }

    #[test]
    fn samples_of_every_type_survive() {
        for value in ScalarType::ALL.into_iter().flat_map(values) {
            assert_eq!(Scalar::parse(&value.to_string()), Some(value), "{value}");
        }
    }

    proptest! {
        #[test]
        fn every_value_survives(bits: u64, ty in prop::sample::select(&ScalarType::ALL[..])) {
            let value = Scalar::from_bits(ty, bits);
            prop_assert_eq!(Scalar::parse(&value.to_string()), Some(value));
        }

        #[test]
        fn any_text_is_taken_or_refused(text in r"-?[0-9a-fx.ni+-]{0,8}(i8|i64|f16|f32|f64)?|\PC{0,6}") {
            if let Some(value) = Scalar::parse(&text) {
                prop_assert_eq!(Scalar::parse(&value.to_string()), Some(value));
            }
        }
    }
}
