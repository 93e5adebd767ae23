//! Arrow arrays in memory: the numbers they hold, and the location of these.
//!
//! Numbers are used in place; truth values, which are bits in Arrow, become bytes.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::Buffer;
use arrow_schema::DataType;
use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;

use super::column::{Batch, ColumnType, Rows, null_in};
use crate::element::ElementType;

/// The rows of an Arrow array, which are numbers or lists of equal length.
#[derive(Clone, Debug)]
pub struct ArrowRows {
    /// Type of a row.
    pub element: ElementType,
    /// Number of rows before the first one that is null or holds a null.
    pub count: u64,
    /// Whether such a row follows.
    pub null: bool,
    /// Numbers of the rows, in row-major order.
    pub bytes: Buffer,
    /// Whether these bytes are a copy.
    pub copied: bool,
}

impl ArrowRows {
    /// Returns the rows of an array, if they are numbers or lists of equal length.
    pub fn of(array: &ArrayRef) -> Option<ArrowRows> {
        let ColumnType { scalar, rows: Rows::Arrays(shape) } = column_type(array.data_type())? else {
            return None;
        };
        let batch = numbers(array, "", 0, None);
        let element = ElementType { scalar, shape };
        let null = batch.fault.is_some();
        let row = element.bytes().unwrap_or(0);
        let count = match (null, row) {
            (false, _) => array.len() as u64,
            (true, 0) => 0,
            (true, row) => batch.numbers.len() as u64 / row,
        };
        Some(ArrowRows { element, count, null, bytes: batch.numbers, copied: scalar == ValueType::Bool })
    }
}

/// Returns the type of a column of numbers, or `None` for any other column.
pub(super) fn column_type(ty: &DataType) -> Option<ColumnType> {
    let mut shape = Shape::new();
    let mut inner = ty;
    while let DataType::FixedSizeList(field, size) = inner {
        shape.push(i64::from(*size));
        inner = field.data_type();
    }
    if let (DataType::List(field) | DataType::LargeList(field), true) = (inner, shape.is_empty()) {
        return Some(ColumnType { scalar: scalar(field.data_type())?, rows: Rows::Lists });
    }
    Some(ColumnType { scalar: scalar(inner)?, rows: Rows::Arrays(shape) })
}

fn scalar(ty: &DataType) -> Option<ValueType> {
    Some(match ty {
        DataType::Boolean => ValueType::Bool,
        DataType::Int8 => ValueType::I8,
        DataType::Int16 => ValueType::I16,
        DataType::Int32 | DataType::Date32 | DataType::Time32(_) => ValueType::I32,
        DataType::Int64
        | DataType::Date64
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_) => ValueType::I64,
        DataType::UInt8 => ValueType::U8,
        DataType::UInt16 => ValueType::U16,
        DataType::UInt32 => ValueType::U32,
        DataType::UInt64 => ValueType::U64,
        DataType::Float16 => ValueType::F16,
        DataType::Float32 => ValueType::F32,
        DataType::Float64 => ValueType::F64,
        _ => return None,
    })
}

/// Returns the numbers of the rows of an array up to the first null. Null numbers become `missing`, if that is given.
pub(super) fn numbers(column: &ArrayRef, name: &str, first_row: u64, missing: Option<&[u8]>) -> Batch {
    let mut array = Arc::clone(column);
    // Number of values per row, unless rows have ends.
    let mut per_row = 1;
    let mut ends: Option<Vec<usize>> = None;
    let mut good = column.len();
    loop {
        let is_filled = missing.is_some() && scalar(array.data_type()).is_some();
        if let Some(null) = first_null(&array).filter(|_| !is_filled) {
            let row = match &ends {
                Some(ends) => ends.partition_point(|&end| end <= null),
                None => null / per_row.max(1),
            };
            good = good.min(row);
        }
        array = match array.data_type() {
            DataType::FixedSizeList(_, size) => {
                per_row *= *size as usize;
                Arc::clone(array.as_fixed_size_list().values())
            }
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                let from = list.offsets()[0] as usize;
                ends = Some(list.offsets()[1..].iter().map(|&end| end as usize - from).collect());
                list.values().slice(from, list.values().len() - from)
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                let from = list.offsets()[0] as usize;
                ends = Some(list.offsets()[1..].iter().map(|&end| end as usize - from).collect());
                list.values().slice(from, list.values().len() - from)
            }
            _ => break,
        };
    }
    let fault = (good < column.len()).then(|| {
        let row = first_row + good as u64;
        null_in(row, name)
    });
    let count = match &mut ends {
        Some(ends) => {
            ends.truncate(good);
            ends.last().copied().unwrap_or(0)
        }
        None => good * per_row,
    };
    let numbers = match missing {
        Some(missing) if first_null(&array).is_some() => filled(&array, count, missing),
        Some(_) | None => bytes(&array, count),
    };
    Batch { numbers, ends, fault, counted: None }
}

/// Returns the first values of an array of numbers, with `missing` for nulls.
fn filled(array: &ArrayRef, count: usize, missing: &[u8]) -> Buffer {
    let mut numbers = bytes(array, count).to_vec();
    for (place, number) in numbers.chunks_exact_mut(missing.len()).enumerate() {
        if array.is_null(place) {
            number.copy_from_slice(missing);
        }
    }
    Buffer::from_vec(numbers)
}

fn first_null(array: &ArrayRef) -> Option<usize> {
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0)?;
    nulls.iter().position(|valid| !valid)
}

/// Returns the first values of an array of numbers, as they are in memory.
fn bytes(array: &ArrayRef, count: usize) -> Buffer {
    if let Some(truths) = array.as_boolean_opt() {
        return Buffer::from_vec(truths.values().iter().take(count).map(u8::from).collect::<Vec<_>>());
    }
    let data = array.to_data();
    let width = data.data_type().primitive_width().unwrap_or(1);
    data.buffers()[0].slice_with_length(data.offset() * width, count * width)
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::{FixedSizeListBuilder, Float32Builder};
    use arrow_array::{BooleanArray, Int32Array, StringArray};

    use super::*;

    fn rows(array: impl Array + 'static) -> Option<ArrowRows> {
        ArrowRows::of(&(Arc::new(array) as ArrayRef))
    }

    #[test]
    fn numbers_stay_where_they_are() {
        let array = Int32Array::from((0..10).collect::<Vec<_>>());
        let start = array.values().inner().as_ptr();
        let part = rows(array.slice(3, 4)).unwrap();
        assert_eq!(part.bytes.as_ptr(), start.wrapping_add(12));
        assert_eq!((part.count, part.bytes.len(), part.null, part.copied), (4, 16, false, false));
        assert_eq!(rows(array.slice(3, 0)).unwrap().count, 0);
    }

    #[test]
    fn nulls_end_them_and_truth_values_are_bytes() {
        let some = rows(Int32Array::from(vec![Some(1), Some(2), None, Some(4)])).unwrap();
        assert_eq!((some.count, some.null, some.bytes.len()), (2, true, 8));
        let truths = BooleanArray::from(vec![true, false, true, true, false]);
        let truths = rows(truths.slice(1, 3)).unwrap();
        assert_eq!((&truths.bytes[..], truths.copied), (&[0, 1, 1][..], true));
        assert!(rows(StringArray::from(vec!["text"])).is_none());
    }

    #[test]
    fn lists_of_one_length_are_rows() {
        let mut lists = FixedSizeListBuilder::new(Float32Builder::new(), 2);
        for row in 0..4 {
            lists.values().append_slice(&[row as f32, -1.0]);
            lists.append(true);
        }
        let rows = rows(lists.finish().slice(1, 2)).unwrap();
        assert_eq!((rows.element.to_string(), rows.count), ("[2]f32".to_string(), 2));
        let numbers: Vec<f32> = rows.bytes.typed_data::<f32>().to_vec();
        assert_eq!(numbers, [1.0, -1.0, 2.0, -1.0]);
    }
}
