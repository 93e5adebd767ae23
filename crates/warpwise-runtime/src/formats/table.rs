//! Tables as text, which are only written: a vector is one column, a matrix several.

#[cfg(feature = "files")]
use std::io::{self, Write};

use warpwise_prim::{Scalar, ValueType};

#[cfg(feature = "files")]
use crate::array::Value;

/// Appends a number without its type, in the notation that other programs read.
pub fn push_number(text: &mut String, ty: ValueType, bytes: &[u8]) {
    let mut bits = [0; 8];
    bits[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(bits);
    if ty.is_unsigned() {
        // The bytes beyond the type are zero.
        text.push_str(&bits.to_string());
        return;
    }
    text.push_str(&match Scalar::from_bits(ty.scalar(), bits) {
        Scalar::Bool(x) => x.to_string(),
        Scalar::I8(x) => x.to_string(),
        Scalar::I16(x) => x.to_string(),
        Scalar::I32(x) => x.to_string(),
        Scalar::I64(x) => x.to_string(),
        Scalar::F16(x) => x.to_string(),
        Scalar::F32(x) => x.to_string(),
        Scalar::F64(x) => x.to_string(),
    });
}

/// The columns of a value, row by row.
#[cfg(feature = "files")]
struct Columns<'v> {
    ty: ValueType,
    bytes: &'v [u8],
    /// Size of a row in bytes.
    row: usize,
}

/// Writes values as the columns of one table.
#[cfg(feature = "files")]
pub(super) fn write_table(
    output: &mut dyn Write,
    values: &[Value],
    separator: char,
) -> io::Result<Result<(), String>> {
    let mut rows = None;
    let mut all = Vec::new();
    for value in values {
        let (Value::Array { ty, array }, Some((&count, rest @ ([] | [_])))) =
            (value, value.shape().split_first())
        else {
            return Ok(Err(format!(
                "the columns of a table are vectors and matrices, not {}",
                value.type_text()
            )));
        };
        if *rows.get_or_insert(count) != count {
            return Ok(Err("the columns of a table have as many rows as each other".to_string()));
        }
        let row = array.elem().bytes() * rest.first().map_or(1, |&width| width as usize);
        all.push(Columns { ty: *ty, bytes: array.bytes(), row });
    }
    let mut line = String::new();
    for row in 0..rows.unwrap_or(0) as usize {
        line.clear();
        for Columns { ty, bytes, row: size } in &all {
            for number in bytes[row * size..][..*size].chunks_exact(ty.scalar().bytes()) {
                if !line.is_empty() {
                    line.push(separator);
                }
                push_number(&mut line, *ty, number);
            }
        }
        line.push('\n');
        output.write_all(line.as_bytes())?;
    }
    Ok(Ok(()))
}
