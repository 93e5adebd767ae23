//! Names and constants in C syntax.

use warpwise_prim::Scalar;

/// Returns an identifier made of the name's letters, digits and underscores, prefixed if it does not begin with a letter.
pub(super) fn identifier(name: &str) -> String {
    let kept: String = name.chars().filter(|&c| c.is_ascii_alphanumeric() || c == '_').collect();
    if kept.starts_with(|c: char| c.is_ascii_alphabetic()) { kept } else { format!("v{kept}") }
}

/// Returns a constant as an expression that can be an operand anywhere. Floats read back bit for bit, except for the bits of a
/// NaN; an `f16` is written as its bits.
pub(super) fn literal(value: Scalar) -> String {
    match value {
        Scalar::Bool(x) => u8::from(x).to_string(),
        Scalar::I8(x) => signed(x.into()),
        Scalar::I16(x) => signed(x.into()),
        Scalar::I32(i32::MIN) => "(-2147483647 - 1)".to_string(),
        Scalar::I32(x) => signed(x.into()),
        Scalar::I64(i64::MIN) => "(-9223372036854775807 - 1)".to_string(),
        Scalar::I64(x) => signed(x),
        Scalar::F16(x) => format!("0x{:04x}", x.to_bits()),
        Scalar::F32(x) => float(x.into(), &format!("{x:?}f")),
        Scalar::F64(x) if x.is_nan() || x.is_infinite() => format!("((double){})", float(x, "")),
        Scalar::F64(x) => float(x, &format!("{x:?}")),
    }
}

fn signed(x: i64) -> String {
    if x < 0 { format!("({x})") } else { x.to_string() }
}

/// Returns a float as an expression; `digits` is its text if it is finite.
fn float(x: f64, digits: &str) -> String {
    if x.is_nan() {
        "NAN".to_string()
    } else if x.is_infinite() {
        if x > 0.0 { "INFINITY" } else { "(-INFINITY)" }.to_string()
    } else if x.is_sign_negative() {
        format!("({digits})")
    } else {
        digits.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        for (name, expected) in
            [("x", "x"), ("x'", "x"), ("+^", "v"), ("", "v"), ("2d", "v2d"), ("_a", "v_a"), ("größe", "gre")]
        {
            assert_eq!(identifier(name), expected, "{name}");
        }
    }

    #[test]
    fn constants_read_back() {
        for (value, expected) in [
            (Scalar::Bool(true), "1"),
            (Scalar::I8(-128), "(-128)"),
            (Scalar::I32(i32::MIN), "(-2147483647 - 1)"),
            (Scalar::I64(i64::MIN), "(-9223372036854775807 - 1)"),
            (Scalar::I64(i64::MAX), "9223372036854775807"),
            (Scalar::F16(half::f16::from_f32(1.5)), "0x3e00"),
            (Scalar::F32(0.1), "0.1f"),
            (Scalar::F32(1e30), "1e30f"),
            (Scalar::F64(-0.0), "(-0.0)"),
            (Scalar::F64(5e-324), "5e-324"),
            (Scalar::F32(f32::NEG_INFINITY), "(-INFINITY)"),
            (Scalar::F64(f64::NAN), "((double)NAN)"),
        ] {
            assert_eq!(literal(value), expected, "{value:?}");
        }
    }
}
