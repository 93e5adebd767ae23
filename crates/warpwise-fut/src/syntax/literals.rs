//! Numbers, characters and strings: their extent in the text, and their values.
//!
//! | form | example |
//! |---|---|
//! | decimal, hexadecimal, binary, roman | `1_000`, `0xff`, `0b1010`, `0rXIV`, each with a suffix `i8` to `u64` |
//! | decimal float | `1.5`, `1e-3`, `2f32`: with a fraction, an exponent or a suffix `f16` to `f64` |
//! | hexadecimal float | `0x1.8p3`, `0x1.8p3f32`: fraction and exponent are needed |
//! | character, string | `'a'`, `'\n'`, `'\955'`, `"a\x41\&1"` |
//!
//! An integer with a suffix wraps; one without may have up to 128 bits.

use half::f16;

use crate::syntax::ast::{Literal, PrimType};

/// A mistake in a literal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadLiteral {
    /// One sentence that describes the mistake.
    pub message: String,
    /// A suggested fix; may be empty.
    pub hint: String,
}

const INT_SUFFIXES: [(&str, PrimType); 8] = [
    ("i8", PrimType::I8),
    ("i16", PrimType::I16),
    ("i32", PrimType::I32),
    ("i64", PrimType::I64),
    ("u8", PrimType::U8),
    ("u16", PrimType::U16),
    ("u32", PrimType::U32),
    ("u64", PrimType::U64),
];

const FLOAT_SUFFIXES: [(&str, PrimType); 3] =
    [("f16", PrimType::F16), ("f32", PrimType::F32), ("f64", PrimType::F64)];

/// Returns the length of the number at the start of `bytes`, which start with a digit. Directly after a dot (`after_dot`),
/// excludes the fraction, exponent or suffix of a float.
pub fn scan_number(bytes: &[u8], after_dot: bool) -> usize {
    if let Some(radix) = Radix::of(bytes) {
        let digits = 2 + run(&bytes[2..], |b| radix.has(b) || b == b'_');
        if radix == Radix::Hex
            && let Some(float) = scan_hex_fraction(&bytes[digits..])
        {
            return digits + float + suffix_length(&bytes[digits + float..], &FLOAT_SUFFIXES);
        }
        return digits + suffix_length(&bytes[digits..], &INT_SUFFIXES);
    }
    let digits = run(bytes, is_decimal);
    if after_dot {
        return digits + suffix_length(&bytes[digits..], &INT_SUFFIXES);
    }
    let mantissa = digits + scan_fraction(&bytes[digits..]);
    let float = mantissa + scan_exponent(&bytes[mantissa..]);
    let suffix = suffix_length(&bytes[float..], &FLOAT_SUFFIXES);
    if float == digits && suffix == 0 {
        return digits + suffix_length(&bytes[digits..], &INT_SUFFIXES);
    }
    float + suffix
}

/// Returns the value of a number that [`scan_number`] measured.
pub fn decode_number(text: &str) -> Result<Literal, BadLiteral> {
    let digits: String = text.chars().filter(|&c| c != '_').collect();
    let radix = Radix::of(text.as_bytes());
    if radix == Some(Radix::Hex) && digits.contains('.') {
        let (number, ty) = split_suffix(&digits, &FLOAT_SUFFIXES);
        return Ok(float_literal(decode_hex_float(&number[2..]), ty));
    }
    if radix.is_none() {
        let (number, ty) = split_suffix(&digits, &FLOAT_SUFFIXES);
        if ty.is_some() || number.contains(['.', 'e', 'E']) {
            return decode_decimal_float(number, ty);
        }
    }
    let (number, ty) = split_suffix(&digits, &INT_SUFFIXES);
    let value = match radix {
        None => fold_digits(number, 10, ty.is_some()),
        Some(Radix::Hex) => fold_digits(&number[2..], 16, ty.is_some()),
        Some(Radix::Binary) => fold_digits(&number[2..], 2, ty.is_some()),
        Some(Radix::Roman) => Some(decode_roman(&number[2..])),
    };
    let value = value.ok_or_else(|| BadLiteral {
        message: "this integer has more than 128 bits".to_string(),
        hint: "write a float with an exponent if a float is meant, as in `1e40`".to_string(),
    })?;
    Ok(int_literal(value, ty))
}

/// Returns the value of a character literal, given with its quotes.
pub fn decode_char(text: &str) -> Result<char, BadLiteral> {
    let mut chars = Chars { rest: &text[1..text.len() - 1] };
    match chars.next_char()? {
        Some(c) if chars.rest.is_empty() => Ok(c),
        _ => Err(bad("this is not one character", "write text between double quotes")),
    }
}

/// Returns the text of a string literal, given with its quotes.
pub fn decode_string(text: &str) -> Result<String, BadLiteral> {
    let mut chars = Chars { rest: &text[1..text.len() - 1] };
    let mut value = String::with_capacity(chars.rest.len());
    while !chars.rest.is_empty() {
        value.extend(chars.next_char()?);
    }
    Ok(value)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Radix {
    Hex,
    Binary,
    Roman,
}

impl Radix {
    /// Returns the radix that a prefix announces, if a digit of the radix follows.
    fn of(bytes: &[u8]) -> Option<Radix> {
        let radix = match bytes {
            [b'0', b'x' | b'X', ..] => Radix::Hex,
            [b'0', b'b' | b'B', ..] => Radix::Binary,
            [b'0', b'r' | b'R', ..] => Radix::Roman,
            _ => return None,
        };
        bytes.get(2).filter(|&&b| radix.has(b)).map(|_| radix)
    }

    fn has(self, byte: u8) -> bool {
        match self {
            Radix::Hex => byte.is_ascii_hexdigit(),
            Radix::Binary => matches!(byte, b'0' | b'1'),
            Radix::Roman => b"IVXLCDM".contains(&byte),
        }
    }
}

fn run(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&b| belongs(b)).count()
}

fn is_decimal(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'_'
}

fn starts_with_digit(bytes: &[u8], is_digit: impl Fn(&u8) -> bool) -> bool {
    bytes.first().is_some_and(is_digit)
}

fn scan_fraction(bytes: &[u8]) -> usize {
    match bytes {
        [b'.', rest @ ..] if starts_with_digit(rest, u8::is_ascii_digit) => 1 + run(rest, is_decimal),
        _ => 0,
    }
}

fn scan_exponent(bytes: &[u8]) -> usize {
    let sign = matches!(bytes.get(1), Some(b'+' | b'-')) as usize;
    match bytes {
        [b'e' | b'E', rest @ ..] if starts_with_digit(&rest[sign..], u8::is_ascii_digit) => {
            1 + sign + run(&rest[sign..], |b| b.is_ascii_digit())
        }
        _ => 0,
    }
}

/// Returns the length of a fraction with exponent, such as `.8p3`, if both exist.
fn scan_hex_fraction(bytes: &[u8]) -> Option<usize> {
    let [b'.', rest @ ..] = bytes else { return None };
    if !starts_with_digit(rest, u8::is_ascii_hexdigit) {
        return None;
    }
    let fraction = 1 + run(rest, |b| b.is_ascii_hexdigit() || b == b'_');
    let [b'p' | b'P', exponent @ ..] = &bytes[fraction..] else { return None };
    let sign = matches!(exponent.first(), Some(b'+' | b'-')) as usize;
    let digits = run(&exponent[sign..], is_decimal);
    exponent[sign..][..digits].iter().any(u8::is_ascii_digit).then_some(fraction + 1 + sign + digits)
}

fn suffix_length(bytes: &[u8], suffixes: &[(&str, PrimType)]) -> usize {
    suffixes.iter().find(|(name, _)| bytes.starts_with(name.as_bytes())).map_or(0, |(name, _)| name.len())
}

fn split_suffix<'a>(text: &'a str, suffixes: &[(&str, PrimType)]) -> (&'a str, Option<PrimType>) {
    let split = |&(name, ty): &(&str, PrimType)| Some((text.strip_suffix(name)?, Some(ty)));
    suffixes.iter().find_map(split).unwrap_or((text, None))
}

/// Returns the value of digits: wrapped to 128 bits with `wrap`, and otherwise `None` if it does not fit.
fn fold_digits(digits: &str, radix: u32, wrap: bool) -> Option<u128> {
    digits.chars().filter_map(|c| c.to_digit(radix)).try_fold(0u128, |value, digit| {
        if wrap {
            Some(value.wrapping_mul(radix.into()).wrapping_add(digit.into()))
        } else {
            value.checked_mul(radix.into())?.checked_add(digit.into())
        }
    })
}

/// Decodes Roman numerals, largest first; text that violates the convention is read greedily.
fn decode_roman(mut digits: &str) -> u128 {
    const NUMERALS: [(&str, u128); 13] = [
        ("M", 1000),
        ("CM", 900),
        ("D", 500),
        ("CD", 400),
        ("C", 100),
        ("XC", 90),
        ("L", 50),
        ("XL", 40),
        ("X", 10),
        ("IX", 9),
        ("V", 5),
        ("IV", 4),
        ("I", 1),
    ];
    let mut value = 0;
    while let Some((numeral, worth)) = NUMERALS.iter().find(|(numeral, _)| digits.starts_with(numeral)) {
        value += worth;
        digits = &digits[numeral.len()..];
    }
    value
}

fn decode_decimal_float(number: &str, ty: Option<PrimType>) -> Result<Literal, BadLiteral> {
    let malformed = || bad("this is not a number", "");
    if ty == Some(PrimType::F32) {
        return Ok(Literal::F32(number.parse().map_err(|_| malformed())?));
    }
    Ok(float_literal(number.parse().map_err(|_| malformed())?, ty))
}

/// Decodes `1.8p3`, without prefix. Digits that do not fit only set a sticky bit, which decides ties.
fn decode_hex_float(text: &str) -> f64 {
    let (mantissa, exponent) = text.split_once(['p', 'P']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value = 0u128;
    let mut scale = 0i64;
    for (position, digit) in whole.chars().chain(fraction.chars()).filter_map(|c| c.to_digit(16)).enumerate()
    {
        let is_fraction = position >= whole.len();
        if value >> 120 == 0 {
            value = value << 4 | u128::from(digit);
            scale -= 4 * i64::from(is_fraction);
        } else {
            value |= u128::from(digit != 0); // Sticky bit: decides a tie.
            scale += 4 * i64::from(!is_fraction);
        }
    }
    let negative = exponent.starts_with('-');
    let size = exponent.trim_start_matches(['+', '-']).parse::<i64>().unwrap_or(i64::MAX / 2);
    let power = scale.saturating_add(if negative { -size } else { size });
    scale_by_power_of_two(value, power)
}

/// Returns `value * 2^power`, rounded once: first to the precision of a float at that exponent, then scaled exactly.
fn scale_by_power_of_two(value: u128, power: i64) -> f64 {
    let bits = 128 - i64::from(value.leading_zeros());
    let drop = (bits - 53).max((-1074i64).saturating_sub(power)).max(0);
    if drop > bits {
        return 0.0;
    }
    let kept = if drop == 0 { value } else { round_shift(value, drop as u32) };
    let exponent = (power + drop).min(2000) as i32; // Scaled in two halves, since `powi` cannot represent 2^-1074.
    kept as f64 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

/// Returns `value / 2^n`, ties to even.
fn round_shift(value: u128, n: u32) -> u128 {
    let floor = value.checked_shr(n).unwrap_or(0);
    let rest = value - floor.checked_shl(n).unwrap_or(0);
    let half = 1u128.checked_shl(n - 1).unwrap_or(u128::MAX);
    floor + u128::from(rest > half || (rest == half && floor & 1 == 1))
}

fn float_literal(value: f64, ty: Option<PrimType>) -> Literal {
    match ty {
        Some(PrimType::F16) => Literal::F16(f16::from_f64(value)),
        Some(PrimType::F32) => Literal::F32(value as f32),
        Some(PrimType::F64) => Literal::F64(value),
        _ => Literal::Float(value),
    }
}

fn int_literal(value: u128, ty: Option<PrimType>) -> Literal {
    match ty {
        Some(PrimType::I8) => Literal::I8(value as i8),
        Some(PrimType::I16) => Literal::I16(value as i16),
        Some(PrimType::I32) => Literal::I32(value as i32),
        Some(PrimType::I64) => Literal::I64(value as i64),
        Some(PrimType::U8) => Literal::U8(value as u8),
        Some(PrimType::U16) => Literal::U16(value as u16),
        Some(PrimType::U32) => Literal::U32(value as u32),
        Some(PrimType::U64) => Literal::U64(value as u64),
        _ => Literal::Int(value),
    }
}

fn bad(message: &str, hint: &str) -> BadLiteral {
    BadLiteral { message: message.to_string(), hint: hint.to_string() }
}

/// The unread text between quotes.
struct Chars<'a> {
    rest: &'a str,
}

impl Chars<'_> {
    /// Returns the next character; `None` at the end, and for `\&`, which denotes nothing.
    fn next_char(&mut self) -> Result<Option<char>, BadLiteral> {
        let Some(first) = self.take_char() else { return Ok(None) };
        if first != '\\' {
            return Ok(Some(first));
        }
        let digits_follow = self.rest.starts_with(|c: char| c.is_ascii_digit());
        if digits_follow {
            return self.code(10).map(Some);
        }
        match self.take_char() {
            Some('&') => Ok(None),
            Some('x') => self.code(16).map(Some),
            Some('o') => self.code(8).map(Some),
            Some('a') => Ok(Some('\x07')),
            Some('b') => Ok(Some('\x08')),
            Some('f') => Ok(Some('\x0c')),
            Some('n') => Ok(Some('\n')),
            Some('r') => Ok(Some('\r')),
            Some('t') => Ok(Some('\t')),
            Some('v') => Ok(Some('\x0b')),
            Some(c @ ('\\' | '"' | '\'')) => Ok(Some(c)),
            _ => Err(bad(
                "there is no such escape",
                "the escapes are \\a \\b \\f \\n \\r \\t \\v \\\\ \\\" \\' \\& and codes such as \\955 and \\x3bb",
            )),
        }
    }

    fn take_char(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn code(&mut self, radix: u32) -> Result<char, BadLiteral> {
        let length = self.rest.find(|c: char| !c.is_digit(radix)).unwrap_or(self.rest.len());
        let digits = &self.rest[..length];
        self.rest = &self.rest[length..];
        let code = u32::from_str_radix(digits, radix).ok();
        code.and_then(char::from_u32).ok_or_else(|| bad("this escape is not the code of a character", ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, value: Literal) {
        assert_eq!(scan_number(text.as_bytes(), false), text.len(), "{text}");
        assert_eq!(decode_number(text), Ok(value), "{text}");
    }

    #[test]
    fn integers() {
        check("0", Literal::Int(0));
        check("1_000", Literal::Int(1000));
        check("0xFf", Literal::Int(255));
        check("0b1_01", Literal::Int(5));
        check("0rMCMXCIV", Literal::Int(1994));
        check("300u8", Literal::U8(44));
        check("0xffi8", Literal::I8(-1));
        check("340282366920938463463374607431768211456i32", Literal::I32(0));
        assert!(decode_number("340282366920938463463374607431768211456").is_err());
    }

    #[test]
    fn floats() {
        check("1.5", Literal::Float(1.5));
        check("1e-3", Literal::Float(1e-3));
        check("1_0.2_5e1", Literal::Float(102.5));
        check("2f32", Literal::F32(2.0));
        check("0.1f32", Literal::F32(0.1));
        check("1.5f16", Literal::F16(f16::from_f32(1.5)));
        check("1e999", Literal::Float(f64::INFINITY));
    }

    #[test]
    fn hexadecimal_floats() {
        check("0x1.8p3", Literal::Float(12.0));
        check("0x1.fp3", Literal::Float(15.5));
        check("0x1.8p-1f32", Literal::F32(0.75));
        check("0x1.0p1023", Literal::Float(2f64.powi(1023)));
        check("0x1.0p1024", Literal::Float(f64::INFINITY));
        check("0x0.0p99999999999999999999", Literal::Float(0.0));
        check("0x1.0p-1074", Literal::Float(5e-324));
        check("0x1.0p-1076", Literal::Float(0.0));
        check("0x1.0p-99999999999999999999", Literal::Float(0.0));
        check("0x0.00000000000000000000000000000000000000001p164", Literal::Float(1.0));
        check("0x1.00000000000008p0", Literal::Float(1.0));
        check("0x1.000000000000080000000000000000000000000000001p0", Literal::Float(1.0 + f64::EPSILON));
    }

    #[test]
    fn the_end_of_a_number() {
        for (text, length) in [
            ("1.x", 1),
            ("1..2", 1),
            ("1i80", 3),
            ("0x", 1),
            ("0b2", 1),
            ("1e", 1),
            ("0x1.8", 3),
            ("1.5i8", 3),
        ] {
            assert_eq!(scan_number(text.as_bytes(), false), length, "{text}");
        }
        assert_eq!(scan_number(b"0.1", true), 1);
        assert_eq!(scan_number(b"0f32", true), 1);
    }

    #[test]
    fn characters_and_strings() {
        assert_eq!(decode_char("'a'"), Ok('a'));
        assert_eq!(decode_char(r"'\''"), Ok('\''));
        assert_eq!(decode_char(r"'\955'"), Ok('λ'));
        assert!(decode_char(r"'\55555555555'").is_err());
        assert!(decode_char(r"'\&'").is_err());
        assert!(decode_char(r"'\q'").is_err());
        assert_eq!(decode_string(r#""a\x41\&1\n\"""#).as_deref(), Ok("aA1\n\""));
        assert!(decode_string(r#""\xd800""#).is_err());
    }
}
