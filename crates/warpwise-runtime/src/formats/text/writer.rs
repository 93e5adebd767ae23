//! Writing of values as text that reads back as the same bits (except for the payload of NaN).

use std::io::{self, Write};

use half::f16;
use warpwise_prim::{Scalar, ScalarType, ValueType};

use crate::array::{Array, Value};

/// Writes one value on one line, without a newline: `[1i32, 2i32]`, `f32.nan`, `empty([0][2]i32)`.
pub fn write_text(output: &mut dyn Write, value: &Value) -> io::Result<()> {
    match value {
        Value::Scalar { ty, value } => write_scalar(output, *ty, *value),
        Value::Array { array, .. } if array.is_empty() => {
            write!(output, "empty({})", value.type_text())
        }
        Value::Array { ty, array } => write_elements(output, *ty, array),
    }
}

/// Writes the elements, with brackets wherever a dimension begins or ends.
fn write_elements(output: &mut dyn Write, ty: ValueType, array: &Array) -> io::Result<()> {
    let width = array.elem().bytes();
    // Number of elements in one item of each dimension, innermost first.
    let mut items = Vec::with_capacity(array.rank());
    let mut length = 1_u64;
    for &size in array.shape().iter().rev() {
        length *= size as u64;
        items.push(length);
    }
    for (index, bytes) in (0_u64..).zip(array.bytes().chunks_exact(width)) {
        if index > 0 {
            output.write_all(b", ")?;
        }
        for _ in items.iter().filter(|&&length| index.is_multiple_of(length)) {
            output.write_all(b"[")?;
        }
        let mut bits = [0; 8];
        bits[..width].copy_from_slice(bytes);
        write_scalar(output, ty, Scalar::from_bits(array.elem(), u64::from_le_bytes(bits)))?;
        for _ in items.iter().filter(|&&length| (index + 1).is_multiple_of(length)) {
            output.write_all(b"]")?;
        }
    }
    Ok(())
}

fn write_scalar(output: &mut dyn Write, ty: ValueType, value: Scalar) -> io::Result<()> {
    match value {
        Scalar::Bool(value) => write!(output, "{value}"),
        Scalar::I8(value) if ty.is_unsigned() => write!(output, "{}u8", value as u8),
        Scalar::I16(value) if ty.is_unsigned() => write!(output, "{}u16", value as u16),
        Scalar::I32(value) if ty.is_unsigned() => write!(output, "{}u32", value as u32),
        Scalar::I64(value) if ty.is_unsigned() => write!(output, "{}u64", value as u64),
        Scalar::I8(value) => write!(output, "{value}i8"),
        Scalar::I16(value) => write!(output, "{value}i16"),
        Scalar::I32(value) => write!(output, "{value}i32"),
        Scalar::I64(value) => write!(output, "{value}i64"),
        Scalar::F16(value) if value.is_finite() => write!(output, "{:?}f16", shortest_f16(value)),
        Scalar::F32(value) if value.is_finite() => write!(output, "{value:?}f32"),
        Scalar::F64(value) if value.is_finite() => write!(output, "{value:?}f64"),
        Scalar::F16(value) => write_special(output, ScalarType::F16, value.to_f64()),
        Scalar::F32(value) => write_special(output, ScalarType::F32, value.into()),
        Scalar::F64(value) => write_special(output, ScalarType::F64, value),
    }
}

/// Writes an infinity or NaN; the sign of a NaN is dropped.
fn write_special(output: &mut dyn Write, ty: ScalarType, value: f64) -> io::Result<()> {
    let sign = if value == f64::NEG_INFINITY { "-" } else { "" };
    let name = if value.is_nan() { "nan" } else { "inf" };
    write!(output, "{sign}{ty}.{name}")
}

/// Returns the decimal number with the fewest digits whose nearest f16 is `value`.
fn shortest_f16(value: f16) -> f64 {
    let exact = value.to_f64();
    (0..5)
        .map(|digits| format!("{exact:.digits$e}").parse().unwrap_or(exact))
        .find(|&short: &f64| f16::from_f64(short) == value)
        .unwrap_or(exact)
}
