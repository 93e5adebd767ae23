//! Constants: `4` (an `i64`), `4i32`, `1.5f32`, `true`, `f32.inf`, `-f64.inf`, `f32.nan`, and any other
//! NaN by its bits, `f32.bits.0x7fc00001`. Reading a constant back gives the same bits.

use std::fmt::Display;
use std::fmt::LowerExp;

use warpwise_prim::{Scalar, ScalarType};

/// A constant as text.
pub(crate) fn scalar_text(value: Scalar) -> String {
    match value {
        Scalar::Bool(x) => x.to_string(),
        Scalar::I8(x) => format!("{x}i8"),
        Scalar::I16(x) => format!("{x}i16"),
        Scalar::I32(x) => format!("{x}i32"),
        Scalar::I64(x) => x.to_string(),
        Scalar::F16(x) => float_text(value, x.to_f64(), x.to_f32()),
        Scalar::F32(x) => float_text(value, x.into(), x),
        Scalar::F64(x) => float_text(value, x, x),
    }
}

/// The constant written `f32.inf`, `f32.nan` or `f32.bits.0x...`, if the text is one of these.
pub(crate) fn parse_special_float(text: &str) -> Option<Scalar> {
    let (ty, rest) = text.split_once('.')?;
    let ty = ScalarType::from_name(ty).filter(|ty| ty.is_float())?;
    match rest {
        "inf" => Some(infinity(ty)),
        "nan" => Some(nan(ty)),
        _ => {
            let bits = u64::from_str_radix(rest.strip_prefix("bits.0x")?, 16).ok()?;
            Some(Scalar::from_bits(ty, bits))
        }
    }
}

/// `wide` is the value, `shown` what prints with the fewest digits.
fn float_text(value: Scalar, wide: f64, shown: impl Display + LowerExp) -> String {
    let ty = value.ty();
    let magnitude = wide.abs();
    if wide.is_nan() {
        return if value == nan(ty) {
            format!("{ty}.nan")
        } else {
            format!("{ty}.bits.{:#x}", value.to_bits())
        };
    }
    if wide.is_infinite() {
        return if wide > 0.0 { format!("{ty}.inf") } else { format!("-{ty}.inf") };
    }
    if magnitude == 0.0 || (1e-5..1e16).contains(&magnitude) {
        format!("{shown}{ty}")
    } else {
        format!("{shown:e}{ty}")
    }
}

fn infinity(ty: ScalarType) -> Scalar {
    Scalar::from_bits(ty, exponent_mask(ty))
}

/// The quiet NaN without sign and payload.
fn nan(ty: ScalarType) -> Scalar {
    let mask = exponent_mask(ty);
    Scalar::from_bits(ty, mask | ((mask & mask.wrapping_neg()) >> 1))
}

/// The exponent bits of a float type.
fn exponent_mask(ty: ScalarType) -> u64 {
    match ty {
        ScalarType::F16 => 0x7c00,
        ScalarType::F32 => 0x7f80_0000,
        ScalarType::F64 => 0x7ff0_0000_0000_0000,
        ScalarType::Bool | ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => 0,
    }
}
