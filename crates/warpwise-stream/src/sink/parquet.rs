//! Parquet files: columns of numbers or of lists, compressed by Snappy. A column without a name is called `value`.

use std::io::Write;
use std::sync::Arc;

use half::f16;
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{
    BoolType, ByteArray, DataType, DoubleType, FixedLenByteArray, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use warpwise_prim::ValueType;
use warpwise_runtime::array::Array;

use super::table::{Column, Table};
use super::{COLUMN, Flow};
use crate::element::ElementType;

/// Minimum size of a group of rows in bytes, except for the last group.
const GROUP: usize = 8 << 20;

/// A table that becomes a Parquet file.
pub(super) struct ParquetTable<W: Write + Send> {
    name: String,
    output: Option<W>,
    writer: Option<SerializedFileWriter<W>>,
    columns: Vec<Pending>,
}

/// A column, and its rows that are not yet written.
struct Pending {
    scalar: ValueType,
    /// Number of numbers in a list; `None` if elements are numbers.
    list: Option<usize>,
    bytes: Vec<u8>,
}

impl<W: Write + Send> ParquetTable<W> {
    /// Writes to `output`.
    pub(super) fn new(name: &str, output: W) -> ParquetTable<W> {
        ParquetTable { name: name.to_string(), output: Some(output), writer: None, columns: Vec::new() }
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let is_empty = self.columns.iter().all(|column| column.bytes.is_empty());
        let (Some(writer), false) = (&mut self.writer, is_empty) else { return Ok(()) };
        let mut group = writer.next_row_group()?;
        for Pending { scalar, list, bytes } in &mut self.columns {
            let Some(mut column) = group.next_column()? else { break };
            write_column(&mut column, *scalar, *list, bytes)?;
            column.close()?;
            bytes.clear();
        }
        group.close()?;
        Ok(())
    }
}

impl<W: Write + Send> Table for ParquetTable<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, columns: &[Column]) -> Result<(), String> {
        let column = |(_, element): &Column| {
            let list = match element.shape.as_slice() {
                [] => None,
                &[size] if size > 0 => Some(size as usize),
                _ => {
                    return Err(format!(
                        "elements of type {element} are neither numbers nor lists of numbers"
                    ));
                }
            };
            Ok(Pending { scalar: element.scalar, list, bytes: Vec::new() })
        };
        self.columns = columns.iter().map(column).collect::<Result<_, String>>()?;
        let fields = columns.iter().map(|(name, element)| {
            let name = if name.is_empty() { COLUMN } else { name };
            field(name, element).map(Arc::new)
        });
        let fields = fields.collect::<Result<Vec<_>, _>>().map_err(text)?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build().map_err(text)?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None)
            .build();
        if let Some(output) = self.output.take() {
            let writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties));
            self.writer = Some(writer.map_err(text)?);
        }
        Ok(())
    }

    fn write(&mut self, columns: &[Array]) -> Result<Flow, String> {
        for (column, elements) in self.columns.iter_mut().zip(columns) {
            column.bytes.extend_from_slice(elements.bytes());
        }
        if self.columns.iter().map(|column| column.bytes.len()).sum::<usize>() >= GROUP {
            self.write_group().map_err(text)?;
        }
        Ok(Flow::More)
    }

    fn finish(&mut self) -> Result<(), String> {
        let written = self.write_group().map_err(text);
        let Some(mut writer) = self.writer.take() else { return written };
        let finished = writer.finish().map_err(text);
        written.and(finished).and(writer.inner_mut().flush().map_err(|error| error.to_string()))
    }
}

fn text(error: ParquetError) -> String {
    match error {
        ParquetError::External(error) => error.to_string(),
        error => error.to_string(),
    }
}

/// Describes a column.
fn field(name: &str, element: &ElementType) -> Result<Type, ParquetError> {
    let is_list = !element.shape.is_empty();
    let inner = if is_list { "element" } else { name };
    let number = |physical, converted| {
        Type::primitive_type_builder(inner, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_converted_type(converted)
    };
    let number = match element.scalar {
        ValueType::Bool => number(Physical::BOOLEAN, ConvertedType::NONE),
        ValueType::I8 => number(Physical::INT32, ConvertedType::INT_8),
        ValueType::I16 => number(Physical::INT32, ConvertedType::INT_16),
        ValueType::I32 => number(Physical::INT32, ConvertedType::NONE),
        ValueType::I64 => number(Physical::INT64, ConvertedType::NONE),
        ValueType::U8 => number(Physical::INT32, ConvertedType::UINT_8),
        ValueType::U16 => number(Physical::INT32, ConvertedType::UINT_16),
        ValueType::U32 => number(Physical::INT32, ConvertedType::UINT_32),
        ValueType::U64 => number(Physical::INT64, ConvertedType::UINT_64),
        ValueType::F16 => number(Physical::FIXED_LEN_BYTE_ARRAY, ConvertedType::NONE)
            .with_length(2)
            .with_logical_type(Some(LogicalType::Float16)),
        ValueType::F32 => number(Physical::FLOAT, ConvertedType::NONE),
        ValueType::F64 => number(Physical::DOUBLE, ConvertedType::NONE),
    };
    let number = number.build()?;
    if !is_list {
        return Ok(number);
    }
    let list = Type::group_type_builder("list").with_repetition(Repetition::REPEATED);
    let list = Arc::new(list.with_fields(vec![Arc::new(number)]).build()?);
    Type::group_type_builder(name)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![list])
        .build()
}

fn write_column(
    column: &mut SerializedColumnWriter,
    scalar: ValueType,
    list: Option<usize>,
    bytes: &[u8],
) -> Result<(), ParquetError> {
    macro_rules! write {
        ($format:ty, $rust:ty, $stored:ty) => {
            write::<$format, _>(column, list, bytes, |x| <$rust>::from_le_bytes(x) as $stored)
        };
    }
    match scalar {
        ValueType::Bool => write::<BoolType, 1>(column, list, bytes, |[byte]| byte != 0),
        ValueType::I8 => write!(Int32Type, i8, i32),
        ValueType::I16 => write!(Int32Type, i16, i32),
        ValueType::I32 => write!(Int32Type, i32, i32),
        ValueType::I64 => write!(Int64Type, i64, i64),
        ValueType::U8 => write!(Int32Type, u8, i32),
        ValueType::U16 => write!(Int32Type, u16, i32),
        // Stored as signed integers with the same bits.
        ValueType::U32 => write!(Int32Type, u32, i32),
        ValueType::U64 => write!(Int64Type, u64, i64),
        ValueType::F16 => write::<FixedLenByteArrayType, 2>(column, list, bytes, |x| {
            FixedLenByteArray::from(ByteArray::from(f16::from_le_bytes(x).to_le_bytes().to_vec()))
        }),
        ValueType::F32 => write!(FloatType, f32, f32),
        ValueType::F64 => write!(DoubleType, f64, f64),
    }
}

fn write<T: DataType, const N: usize>(
    column: &mut SerializedColumnWriter,
    list: Option<usize>,
    bytes: &[u8],
    value: impl Fn([u8; N]) -> T::T,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = bytes.as_chunks().0.iter().map(|x| value(*x)).collect();
    let (mut definitions, mut repetitions) = (None, None);
    if let Some(size) = list {
        definitions = Some(vec![1; values.len()]);
        repetitions = Some((0..values.len()).map(|place| i16::from(place % size > 0)).collect::<Vec<_>>());
    }
    column.typed::<T>().write_batch(&values, definitions.as_deref(), repetitions.as_deref())?;
    Ok(())
}
