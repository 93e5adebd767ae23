//! Parquet files: one leaf column, page by page, uncompressed or compressed by Snappy, Gzip, LZ4 or Zstandard.
//!
//! A column is found by its whole path (`a.b`), or by its outermost name if it is the only leaf below that. It holds numbers,
//! truth values (one byte each in the stream), dates and times (as the integers that represent them), or lists of these. A file
//! describes its contents at its end, so it cannot be read from a pipe.
//!
//! A page with a wrong checksum is an error; a page without one is accepted as it is.
//!
//! Absent: lists of lists, decimal numbers, encryption.

use std::fs::File;
use std::io::{self, BufReader};

use arrow_buffer::Buffer;
use bytes::Bytes;
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, FileReader, Length};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;

use super::Wanted;
use super::column::{
    Asked, Batch, Batches, ColumnSource, ColumnType, Rows, asked, guarded, missing_number, null_in,
};

/// Maximum number of rows decoded at a time.
const ROWS: usize = 1 << 14;

/// A file that is never read beyond its end.
struct Checked(File);

/// Reader of the rows of a column.
struct ParquetBatches {
    file: SerializedFileReader<Checked>,
    asked: Asked,
    scalar: ValueType,
    /// Definition level of a number, and the minimum level of a list with elements.
    present: i16,
    nonempty: i16,
    is_list: bool,
    /// Number of the next group of rows.
    group: usize,
    reader: Option<ColumnReader>,
    /// Number of rows so far.
    row: u64,
    rows: u64,
    /// Value of null numbers.
    missing: Option<Vec<u8>>,
}

/// Levels and numbers of some rows.
struct Decoded {
    rows: usize,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    /// The non-null numbers, as in memory.
    numbers: Vec<u8>,
}

/// Opens a column of a Parquet file.
pub fn parquet(
    name: &str,
    file: File,
    column: Option<&str>,
    wanted: Wanted,
    missing: Option<&str>,
) -> Result<ColumnSource, String> {
    let located = |message: String| format!("{name}: {message}");
    let (mut opened, ty) = guarded(|| ParquetBatches::open(file, column)).map_err(located)?;
    opened.missing = missing_number(missing, ty.scalar).map_err(located)?;
    ColumnSource::new(name, opened.asked.clone(), ty, wanted, Box::new(opened))
}

/// Reads the names of the columns of a Parquet file.
pub(super) fn names(file: File) -> Result<Vec<String>, String> {
    guarded(|| {
        let file = SerializedFileReader::new(Checked(file)).map_err(damaged)?;
        Ok(leaf_names(file.metadata().file_metadata().schema_descr()))
    })
}

/// Returns the name of each leaf column: the outermost name if no other leaf has it, else the whole path.
fn leaf_names(schema: &SchemaDescriptor) -> Vec<String> {
    let roots: Vec<&str> =
        (0..schema.num_columns()).map(|leaf| schema.get_column_root(leaf).name()).collect();
    let short = |leaf: usize| roots.iter().filter(|&&root| root == roots[leaf]).count() == 1;
    let path = |leaf: usize| schema.column(leaf).path().string();
    (0..roots.len()).map(|leaf| if short(leaf) { roots[leaf].to_string() } else { path(leaf) }).collect()
}

impl ParquetBatches {
    fn open(file: File, column: Option<&str>) -> Result<(ParquetBatches, ColumnType), String> {
        let file = SerializedFileReader::new(Checked(file)).map_err(damaged)?;
        let metadata = file.metadata().file_metadata();
        let schema = metadata.schema_descr();
        let paths: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
        let names = leaf_names(schema);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let by_path = column.and_then(|column| paths.iter().position(|path| path == column));
        let asked = match by_path {
            Some(leaf) => Asked { column: leaf, name: paths[leaf].clone(), lengths: false },
            None => asked(&names, column)?,
        };
        let leaf = schema.column(asked.column);
        let scalar = scalar(&leaf).ok_or_else(|| format!("column `{}` does not hold numbers", asked.name))?;
        if leaf.max_rep_level() > 1 {
            return Err(format!("column `{}` holds lists of lists, which are not supported", asked.name));
        }
        let is_list = leaf.max_rep_level() == 1;
        let (present, nonempty) = (leaf.max_def_level(), leaf.repeated_ancestor_def_level());
        let rows = u64::try_from(metadata.num_rows()).map_err(damaged)?;
        let ty = ColumnType { scalar, rows: if is_list { Rows::Lists } else { Rows::Arrays(Shape::new()) } };
        let (group, reader, row) = (0, None, 0);
        let missing = None;
        let batches = ParquetBatches {
            file,
            asked,
            scalar,
            present,
            nonempty,
            is_list,
            group,
            reader,
            row,
            rows,
            missing,
        };
        Ok((batches, ty))
    }

    /// Decodes the next rows of the group, if there are any.
    fn decode(&mut self) -> Result<Decoded, String> {
        let Some(reader) = &mut self.reader else { return Ok(Decoded::none()) };
        match reader {
            ColumnReader::BoolColumnReader(reader) => read(reader, |x| Ok([u8::from(*x)])),
            // Unsigned integers are stored as signed ones with the same bits.
            ColumnReader::Int32ColumnReader(reader) => match self.scalar {
                ValueType::I8 => read(reader, |x| i8::try_from(*x).map(i8::to_le_bytes).map_err(damaged)),
                ValueType::I16 => read(reader, |x| i16::try_from(*x).map(i16::to_le_bytes).map_err(damaged)),
                ValueType::U8 => read(reader, |x| u8::try_from(*x).map(u8::to_le_bytes).map_err(damaged)),
                ValueType::U16 => read(reader, |x| u16::try_from(*x).map(u16::to_le_bytes).map_err(damaged)),
                _ => read(reader, |x| Ok(x.to_le_bytes())),
            },
            ColumnReader::Int64ColumnReader(reader) => read(reader, |x| Ok(x.to_le_bytes())),
            ColumnReader::FloatColumnReader(reader) => read(reader, |x| Ok(x.to_le_bytes())),
            ColumnReader::DoubleColumnReader(reader) => read(reader, |x| Ok(x.to_le_bytes())),
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                read(reader, |x| <[u8; 2]>::try_from(x.data()).map_err(damaged))
            }
            ColumnReader::Int96ColumnReader(_) | ColumnReader::ByteArrayColumnReader(_) => {
                Ok(Decoded::none())
            }
        }
    }

    /// Opens the next group of rows and returns whether there is one.
    fn next_group(&mut self) -> Result<bool, String> {
        if self.group == self.file.num_row_groups() {
            return Ok(false);
        }
        let group = self.file.get_row_group(self.group).map_err(damaged)?;
        self.reader = Some(group.get_column_reader(self.asked.column).map_err(damaged)?);
        self.group += 1;
        Ok(true)
    }

    /// Returns whether a number with this definition level is null, and stands for the missing value. Null lists do not.
    fn is_missing(&self, definition: i16) -> bool {
        let is_in_list = !self.is_list || definition >= self.nonempty;
        self.missing.is_some() && definition < self.present && is_in_list
    }

    /// Returns the numbers with the missing value in the places of null ones.
    fn filled(&self, definitions: &[i16], numbers: &[u8], missing: &[u8]) -> Vec<u8> {
        let mut present = numbers.chunks_exact(missing.len());
        let mut filled = Vec::with_capacity(definitions.len() * missing.len());
        for &definition in definitions {
            if definition == self.present {
                filled.extend_from_slice(present.next().unwrap_or(missing));
            } else if self.is_missing(definition) {
                filled.extend_from_slice(missing);
            }
        }
        filled
    }

    /// Makes a batch of the rows up to the first that is null or holds a null.
    fn batch(&mut self, decoded: Decoded) -> Batch {
        let Decoded { rows, definitions, repetitions, mut numbers } = decoded;
        // Definition levels are absent where nothing can be null.
        if let Some(missing) = self.missing.as_ref().filter(|_| !definitions.is_empty()) {
            numbers = self.filled(&definitions, &numbers, missing);
        }
        let width = self.scalar.scalar().bytes();
        let mut ends: Vec<usize> = Vec::new();
        let mut null = None;
        let mut count = 0;
        for (place, &definition) in definitions.iter().enumerate() {
            let begins = repetitions.get(place).is_none_or(|&repetition| repetition == 0);
            if begins && place > 0 {
                ends.push(count);
            }
            let empty = self.is_list && definition + 1 == self.nonempty;
            if definition < self.present && !empty && !self.is_missing(definition) {
                null = Some(ends.len());
                break;
            }
            count += usize::from(!empty);
        }
        if definitions.is_empty() {
            // Without levels, nothing can be null.
            ends = if self.is_list { Vec::new() } else { (1..=rows).collect() };
        } else if null.is_none() {
            ends.push(count);
        }
        let fault = null.map(|row| {
            let row = self.row + row as u64;
            null_in(row, &self.asked.name)
        });
        self.row += rows as u64;
        let count = ends.last().copied().unwrap_or(0);
        let numbers = Buffer::from_vec(numbers).slice_with_length(0, count * width);
        Batch { numbers, ends: self.is_list.then_some(ends), fault, counted: None }
    }
}

impl Batches for ParquetBatches {
    fn next(&mut self) -> Result<Option<Batch>, String> {
        loop {
            let decoded = self.decode()?;
            if decoded.rows > 0 {
                return Ok(Some(self.batch(decoded)));
            }
            if !self.next_group()? {
                break;
            }
        }
        match self.row == self.rows {
            true => Ok(None),
            false => Err(damaged(format!("it says that it has {} rows, but has {}", self.rows, self.row))),
        }
    }

    fn rows(&self) -> Option<u64> {
        Some(self.rows)
    }
}

impl Decoded {
    fn none() -> Decoded {
        Decoded { rows: 0, definitions: Vec::new(), repetitions: Vec::new(), numbers: Vec::new() }
    }
}

/// Decodes some rows.
fn read<T: DataType, const N: usize>(
    reader: &mut ColumnReaderImpl<T>,
    bytes: impl Fn(&T::T) -> Result<[u8; N], String>,
) -> Result<Decoded, String> {
    let (mut definitions, mut repetitions, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let (rows, _, _) = reader
        .read_records(ROWS, Some(&mut definitions), Some(&mut repetitions), &mut values)
        .map_err(damaged)?;
    let mut numbers = Vec::with_capacity(values.len() * N);
    for value in &values {
        numbers.extend(bytes(value)?);
    }
    Ok(Decoded { rows, definitions, repetitions, numbers })
}

/// Returns the type of a column's numbers, if it holds numbers.
fn scalar(column: &ColumnDescriptor) -> Option<ValueType> {
    let logical = column.logical_type_ref();
    let converted = match logical {
        Some(logical) => ConvertedType::from(Some(logical.clone())),
        None => column.converted_type(),
    };
    if converted == ConvertedType::DECIMAL {
        return None;
    }
    let integer = |plain: ValueType| match converted {
        ConvertedType::INT_8 => ValueType::I8,
        ConvertedType::INT_16 => ValueType::I16,
        ConvertedType::UINT_8 => ValueType::U8,
        ConvertedType::UINT_16 => ValueType::U16,
        ConvertedType::UINT_32 => ValueType::U32,
        ConvertedType::UINT_64 => ValueType::U64,
        _ => plain,
    };
    // The annotation must fit the stored type.
    let fits = |ty: ValueType, stored: usize| {
        let bytes = ty.scalar().bytes();
        (bytes == stored || stored == 4 && bytes < 4).then_some(ty)
    };
    match column.physical_type() {
        Physical::BOOLEAN => Some(ValueType::Bool),
        Physical::INT32 => fits(integer(ValueType::I32), 4),
        Physical::INT64 => fits(integer(ValueType::I64), 8),
        Physical::FLOAT => Some(ValueType::F32),
        Physical::DOUBLE => Some(ValueType::F64),
        Physical::FIXED_LEN_BYTE_ARRAY => {
            let is_half = matches!(logical, Some(LogicalType::Float16)) && column.type_length() == 2;
            is_half.then_some(ValueType::F16)
        }
        Physical::INT96 | Physical::BYTE_ARRAY => None,
    }
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("the file is damaged: {error}")
}

impl Length for Checked {
    fn len(&self) -> u64 {
        Length::len(&self.0)
    }
}

impl ChunkReader for Checked {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> ParquetResult<BufReader<File>> {
        self.0.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::External(Box::new(io::Error::from(io::ErrorKind::UnexpectedEof))));
        }
        self.0.get_bytes(start, length)
    }
}
