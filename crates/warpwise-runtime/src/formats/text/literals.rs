//! Scalars in text: the value of a token in each element type.

use half::f16;
use warpwise_prim::ValueType;

use super::floats;
use super::floats::{F32, F64, Layout, parse_f16, parse_hexadecimal};
use crate::array::Element;

/// A type whose values can be written in text.
pub(super) trait Literal: Element {
    /// Parses a whole token. If `strict`, a token without suffix must have this type by itself; otherwise the token takes on this
    /// type if it can.
    fn parse(token: &[u8], strict: bool) -> Result<Self, String>;

    /// Parses plain decimal digits at the start of `text`, which a suffix of this type may follow and the end of the token must,
    /// and returns the value and its length in bytes. `None` means that [`Literal::parse`] has to decide.
    fn parse_quickly(_text: &[u8], _strict: bool) -> Option<(Self, usize)> {
        None
    }
}

/// Returns whether a byte can be part of a token (signs aside).
pub(super) fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_'
}

/// Returns the length of the token at the start of `text`. A sign belongs to the token at its start and after the letter of an
/// exponent.
pub(super) fn token_length(text: &[u8]) -> usize {
    let hexadecimal = matches!(text, [b'0', b'x', ..] | [b'-' | b'+', b'0', b'x', ..]);
    let mut previous = None;
    for (at, &byte) in text.iter().enumerate() {
        let exponent = match previous {
            Some(b'e' | b'E') => !hexadecimal,
            Some(b'p' | b'P') => hexadecimal,
            _ => at == 0,
        };
        if !is_token_byte(byte) && !(exponent && (byte == b'-' || byte == b'+')) {
            return at;
        }
        previous = Some(byte);
    }
    text.len()
}

/// Returns the type that a token has by itself, or `None` if it does not look like a scalar.
pub(super) fn type_of(token: &[u8]) -> Option<ValueType> {
    let text = std::str::from_utf8(token).ok()?;
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned == "true" || unsigned == "false" {
        return Some(ValueType::Bool);
    }
    if let Some(name) = unsigned.strip_suffix(".nan").or(unsigned.strip_suffix(".inf")) {
        return ValueType::from_name(name).filter(|ty| ty.scalar().is_float());
    }
    if !unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    let hexadecimal = unsigned.starts_with("0x") || unsigned.starts_with("0X");
    let fractional = match hexadecimal {
        true => unsigned.contains(['.', 'p', 'P']),
        false => unsigned.contains(['.', 'e', 'E']),
    };
    let suffix = ValueType::ALL.into_iter().find(|ty| {
        // `0x1f32` ends in digits, not in a suffix.
        unsigned.ends_with(ty.name()) && !(hexadecimal && !fractional && ty.scalar().is_float())
    });
    suffix.or(Some(if fractional { ValueType::F64 } else { ValueType::I32 }))
}

/// Returns whether a token is `inf`, `infinity` or `nan`, in small or capital letters, which have no type by themselves.
pub(super) fn is_bare_float(token: &[u8]) -> bool {
    let (_, name) = split_sign(token);
    ["inf", "infinity", "nan"].iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

impl Literal for bool {
    fn parse(token: &[u8], _strict: bool) -> Result<bool, String> {
        match token {
            b"true" => Ok(true),
            b"false" => Ok(false),
            _ => Err(not_a(token, ValueType::Bool)),
        }
    }
}

/// Implements integers: plain decimal digits by a fast path, everything else by the general one.
macro_rules! integers {
    ($($int:ty, $signed:ty, $unsigned:ty, $name:literal;)*) => {
        $(impl Literal for $int {
            fn parse(token: &[u8], strict: bool) -> Result<$int, String> {
                let (value, any_pattern) = parse_integer(token, <$int>::TYPE, strict)?;
                let in_range = <$int>::try_from(value).ok();
                let unsigned = || <$unsigned>::try_from(value).ok().map(|bits| bits as $int);
                let pattern = || unsigned().or_else(|| Some(<$signed>::try_from(value).ok()? as $int));
                in_range.or_else(|| pattern().filter(|_| any_pattern)).ok_or_else(|| {
                    format!("`{}` is out of range for {}", token.escape_ascii(), $name)
                })
            }

            #[inline]
            fn parse_quickly(text: &[u8], strict: bool) -> Option<($int, usize)> {
                let (value, mut length) = quick_decimal(text)?;
                if text[length..].starts_with($name.as_bytes()) {
                    length += $name.len();
                } else if strict && <$int>::TYPE != ValueType::I32 {
                    return None;
                }
                let ends = text.get(length).is_none_or(|&next| !is_token_byte(next));
                let value = <$int>::try_from(value).ok()?;
                ends.then_some((value, length))
            }
        })*
    };
}

integers! {
    i8, i8, u8, "i8";
    i16, i16, u16, "i16";
    i32, i32, u32, "i32";
    i64, i64, u64, "i64";
    u8, i8, u8, "u8";
    u16, i16, u16, "u16";
    u32, i32, u32, "u32";
    u64, i64, u64, "u64";
}

impl Literal for f16 {
    fn parse(token: &[u8], strict: bool) -> Result<f16, String> {
        parse_float(token, ValueType::F16, floats::F16, strict, |digits| {
            Some(u64::from(parse_f16(digits)?.to_bits()))
        })
        .map(|bits| f16::from_bits(bits as u16))
    }
}

impl Literal for f32 {
    fn parse(token: &[u8], strict: bool) -> Result<f32, String> {
        parse_float(token, ValueType::F32, F32, strict, |digits| {
            Some(u64::from(digits.parse::<f32>().ok()?.to_bits()))
        })
        .map(|bits| f32::from_bits(bits as u32))
    }

    #[inline]
    fn parse_quickly(text: &[u8], strict: bool) -> Option<(f32, usize)> {
        let (digits, length) = quick_float(text, b"f32", !strict)?;
        Some((digits.parse().ok()?, length))
    }
}

impl Literal for f64 {
    fn parse(token: &[u8], strict: bool) -> Result<f64, String> {
        parse_float(token, ValueType::F64, F64, strict, |digits| Some(digits.parse::<f64>().ok()?.to_bits()))
            .map(f64::from_bits)
    }

    #[inline]
    fn parse_quickly(text: &[u8], strict: bool) -> Option<(f64, usize)> {
        let (digits, length) = quick_float(text, b"f64", !strict)?;
        Some((digits.parse().ok()?, length))
    }
}

/// Parses a decimal integer of up to 18 characters, an optional minus included, and returns its length.
#[inline]
fn quick_decimal(text: &[u8]) -> Option<(i64, usize)> {
    let negative = text.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut value = 0;
    let mut length = start;
    while let Some(digit) = text.get(length).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        if length == 18 {
            return None;
        }
        value = value * 10 + i64::from(digit);
        length += 1;
    }
    (length > start).then_some((if negative { -value } else { value }, length))
}

/// Scans a decimal number with a point (if `plain`, also without) and returns its digits and its length with the suffix.
#[inline]
fn quick_float<'a>(text: &'a [u8], suffix: &[u8], plain: bool) -> Option<(&'a str, usize)> {
    let mut length = usize::from(text.first() == Some(&b'-'));
    let mut point = false;
    if !text.get(length)?.is_ascii_digit() {
        return None;
    }
    while let Some(&byte) = text.get(length) {
        match byte {
            b'0'..=b'9' => {}
            b'.' if !point => point = true,
            b'e' | b'E' if matches!(text.get(length + 1), Some(b'-' | b'+')) => {
                point = true;
                length += 1;
            }
            b'e' | b'E' => point = true,
            _ => break,
        }
        length += 1;
    }
    let digits = std::str::from_utf8(&text[..length]).ok()?;
    let suffixed = text[length..].starts_with(suffix);
    // Without a suffix, a number with a point is an f64.
    let fits = suffixed || plain || (point && suffix == b"f64");
    let end = length + if suffixed { suffix.len() } else { 0 };
    let ends = text.get(end).is_none_or(|&next| !is_token_byte(next));
    (fits && ends).then_some((digits, end))
}

/// Parses an integer token. Also returns whether its value may be any bit pattern of the type's width, of either sign: a token
/// with a suffix, or an unsigned one that is not decimal.
fn parse_integer(token: &[u8], ty: ValueType, strict: bool) -> Result<(i128, bool), String> {
    check_type(token, ty, strict)?;
    let malformed = || not_a(token, ty);
    let (negative, digits) = split_sign(token);
    let digits = without_suffix(digits, ty).ok_or_else(malformed)?;
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        _ => (10, digits.as_str()),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
        return Err(malformed());
    }
    let any_pattern = (base != 10 && !negative) || is_suffixed(token, ty);
    // Numbers beyond 128 bits are out of every range.
    let magnitude = i128::from_str_radix(digits, base).unwrap_or(i128::MAX);
    Ok((if negative { -magnitude } else { magnitude }, any_pattern))
}

/// Parses a float token and returns its bits; `decimal` parses decimal digits.
fn parse_float(
    token: &[u8],
    ty: ValueType,
    layout: Layout,
    strict: bool,
    decimal: impl Fn(&str) -> Option<u64>,
) -> Result<u64, String> {
    let malformed = || not_a(token, ty);
    let (negative, digits) = split_sign(token);
    let is_bare = !strict && is_bare_float(token);
    if !is_bare {
        check_type(token, ty, strict)?;
    }
    let sign = u64::from(negative) << (ty.scalar().bits() - 1);
    if is_bare {
        let bits = decimal(&String::from_utf8_lossy(digits).to_ascii_lowercase()).ok_or_else(malformed)?;
        return Ok(bits | sign);
    }
    if digits.ends_with(b".nan") {
        return decimal("nan").ok_or_else(malformed).map(|bits| bits | sign);
    }
    if digits.ends_with(b".inf") {
        return decimal("inf").ok_or_else(malformed).map(|bits| bits | sign);
    }
    let digits = without_suffix(digits, ty).ok_or_else(malformed)?;
    let bits = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] if digits.contains(['p', 'P']) => parse_hexadecimal(&digits[2..], layout),
        [b'0', b'x' | b'X', rest @ ..] if !rest.is_empty() => {
            parse_hexadecimal(&format!("{}p0", &digits[2..]), layout)
        }
        [b'0'..=b'9' | b'.', ..] if digits.contains(|c: char| c.is_ascii_digit()) => decimal(&digits),
        _ => None,
    };
    bits.map(|bits| bits | sign).ok_or_else(malformed)
}

/// Fails unless a token can be read as a `ty`.
fn check_type(token: &[u8], ty: ValueType, strict: bool) -> Result<(), String> {
    let own = type_of(token).ok_or_else(|| not_a(token, ty))?;
    let suffixed = is_suffixed(token, own);
    let takes_on = match own {
        ValueType::I32 => ty != ValueType::Bool,
        ValueType::F64 => ty.scalar().is_float(),
        _ => false,
    };
    if own == ty || (!strict && !suffixed && takes_on) {
        Ok(())
    } else {
        Err(format!("`{}` is of type {own}, not {ty}", token.escape_ascii()))
    }
}

/// Returns whether a token names its type `own`.
pub(super) fn is_suffixed(token: &[u8], own: ValueType) -> bool {
    token.ends_with(own.name().as_bytes()) || token.ends_with(b".nan") || token.ends_with(b".inf")
}

fn split_sign(token: &[u8]) -> (bool, &[u8]) {
    match token {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    }
}

/// Returns the digits without the type's suffix and without underscores.
fn without_suffix(digits: &[u8], ty: ValueType) -> Option<String> {
    let text = std::str::from_utf8(digits).ok()?;
    let hexadecimal_integer =
        (text.starts_with("0x") || text.starts_with("0X")) && !text.contains(['p', 'P', '.']);
    let text = match text.strip_suffix(ty.name()) {
        Some(stripped) if !(hexadecimal_integer && ty.scalar().is_float()) => stripped,
        Some(_) | None => text,
    };
    Some(text.replace('_', ""))
}

fn not_a(token: &[u8], ty: ValueType) -> String {
    format!("`{}` is not a value of type {ty}", token.escape_ascii())
}
