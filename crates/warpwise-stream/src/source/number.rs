//! Numbers in the text of tables.

use half::f16;
use warpwise_prim::ValueType;

use super::table_style::shown;

/// Parses `text` as a value of type `ty` and writes it to `target`, which has the size of the type.
pub(super) fn parse(text: &str, ty: ValueType, target: &mut [u8]) -> Result<(), String> {
    let text = text.trim();
    macro_rules! number {
        ($rust:ty) => {
            text.parse::<$rust>().map(|value| target.copy_from_slice(&value.to_le_bytes())).ok()
        };
    }
    let parsed = match ty {
        ValueType::Bool => {
            let truth = match text {
                "1" => Some(1),
                "0" => Some(0),
                _ if text.eq_ignore_ascii_case("true") => Some(1),
                _ if text.eq_ignore_ascii_case("false") => Some(0),
                _ => None,
            };
            truth.map(|truth| target.fill(truth))
        }
        ValueType::I8 => number!(i8),
        ValueType::I16 => number!(i16),
        ValueType::I32 => number!(i32),
        ValueType::I64 => number!(i64),
        ValueType::U8 => number!(u8),
        ValueType::U16 => number!(u16),
        ValueType::U32 => number!(u32),
        ValueType::U64 => number!(u64),
        ValueType::F16 => number!(f16),
        ValueType::F32 => number!(f32),
        ValueType::F64 => number!(f64),
    };
    parsed.ok_or_else(|| format!("`{}` is no {}", shown(text), ty.name()))
}
