//! Parquet files: one column called `value`, of numbers or of lists, compressed by Snappy.

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

use super::{COLUMN, Flow, Sink};
use crate::element::ElementType;

/// Minimum size of a group of rows in bytes, except for the last group.
const GROUP: usize = 8 << 20;

/// A sink that writes a Parquet file.
pub struct ParquetSink<W: Write + Send> {
    name: String,
    output: Option<W>,
    writer: Option<SerializedFileWriter<W>>,
    scalar: ValueType,
    /// Number of numbers in a list; `None` if elements are numbers.
    list: Option<usize>,
    /// Bytes that are not yet written.
    bytes: Vec<u8>,
}

impl<W: Write + Send> ParquetSink<W> {
    /// Writes to `output`.
    pub fn new(name: &str, output: W) -> ParquetSink<W> {
        let (name, bytes) = (name.to_string(), Vec::new());
        ParquetSink { name, output: Some(output), writer: None, scalar: ValueType::I64, list: None, bytes }
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let (Some(writer), false) = (&mut self.writer, self.bytes.is_empty()) else { return Ok(()) };
        let mut group = writer.next_row_group()?;
        while let Some(mut column) = group.next_column()? {
            write_column(&mut column, self.scalar, self.list, &self.bytes)?;
            column.close()?;
        }
        group.close()?;
        self.bytes.clear();
        Ok(())
    }
}

impl<W: Write + Send> Sink for ParquetSink<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, element: &ElementType) -> Result<(), String> {
        self.scalar = element.scalar;
        self.list = match element.shape.as_slice() {
            [] => None,
            &[size] if size > 0 => Some(size as usize),
            _ => return Err(format!("elements of type {element} are neither numbers nor lists of numbers")),
        };
        let schema = schema(self.scalar, self.list.is_some()).map_err(text)?;
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

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        self.bytes.extend_from_slice(elements.bytes());
        if self.bytes.len() >= GROUP {
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

fn schema(scalar: ValueType, is_list: bool) -> Result<Type, ParquetError> {
    let name = if is_list { "element" } else { COLUMN };
    let number = |physical, converted| {
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_converted_type(converted)
    };
    let number = match scalar {
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
    let mut column = Arc::new(number.build()?);
    if is_list {
        let list = Type::group_type_builder("list").with_repetition(Repetition::REPEATED);
        let list = Arc::new(list.with_fields(vec![column]).build()?);
        let whole = Type::group_type_builder(COLUMN)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::List));
        column = Arc::new(whole.with_fields(vec![list]).build()?);
    }
    Type::group_type_builder("schema").with_fields(vec![column]).build()
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
