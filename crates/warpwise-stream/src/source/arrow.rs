//! Arrow IPC: files (also called Feather) and streams, uncompressed or compressed by LZ4 or Zstandard.
//!
//! Both are read from front to back, so pipes can be read as well; a file's footer is read only to check that the file is
//! complete. In a file that is mapped into memory, pages of other columns are never touched. A column is found by its name among
//! the outermost columns. It holds numbers, truth values (one byte each in the stream), times (as the integers that represent
//! them), or lists of these.
//!
//! The writer of a file chooses the size of its batches. The memory of a batch beyond the mapped file (data read from a pipe, or
//! decompressed) is counted against the memory limit before it is filled; a damaged file may state any size.
//!
//! Absent: dictionaries, decimal numbers, big-endian data.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::RecordBatchDecoder;
use arrow_ipc::{Endianness, Message, MessageHeader, RecordBatch, root_as_message};
use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use memmap2::Mmap;
use warpwise_runtime::memory::MemoryPool;

use super::Wanted;
use super::arrow_array::{column_type, numbers};
use super::column::{Asked, Batch, Batches, ColumnSource, asked, guarded, missing_number};
use super::counted::Counted;

const MAGIC: &[u8; 6] = b"ARROW1";
/// Marker in front of the length of a message.
const CONTINUES: [u8; 4] = [0xff; 4];
/// Maximum number of padding words, of eight bytes each, at the beginning of a file.
const MOST_PADDING: usize = 8;
/// Maximum size of a footer in bytes.
const LONGEST_FOOTER: u64 = 1 << 28;

/// A source of bytes.
pub enum ArrowInput {
    /// A mapped file, and the current position in it.
    Mapped(Buffer, usize),
    /// Any other input.
    Reader(Box<dyn io::Read + Send>),
}

/// Reader of the record batches of a file or stream.
struct ArrowBatches {
    input: ArrowInput,
    /// Whether the input is a file, with a footer.
    is_file: bool,
    schema: SchemaRef,
    asked: Asked,
    /// Number of rows so far.
    row: u64,
    /// Memory pool that counts the batches.
    memory: MemoryPool,
    /// Value of null numbers.
    missing: Option<Vec<u8>>,
}

/// Opens a column of an Arrow file or stream.
pub fn arrow(
    name: &str,
    input: ArrowInput,
    column: Option<&str>,
    wanted: Wanted,
    missing: Option<&str>,
    memory: MemoryPool,
) -> Result<ColumnSource, String> {
    let mut opened = guarded(|| ArrowBatches::open(input, column, memory))
        .map_err(|message| format!("{name}: {message}"))?;
    let field = opened.schema.field(opened.asked.column);
    let Some(ty) = column_type(field.data_type()) else {
        let column = &opened.asked.name;
        return Err(format!("{name}: column `{column}` holds {}, not numbers", field.data_type()));
    };
    opened.missing = missing_number(missing, ty.scalar).map_err(|message| format!("{name}: {message}"))?;
    ColumnSource::new(name, opened.asked.clone(), ty, wanted, Box::new(opened))
}

/// Reads the names of the columns of an Arrow file or stream.
pub(super) fn names(mut input: ArrowInput) -> Result<Vec<String>, String> {
    let (schema, _) = guarded(|| schema(&mut input))?;
    Ok(schema.fields().iter().map(|field| field.name().clone()).collect())
}

impl ArrowInput {
    /// Maps a file.
    pub fn mapped(file: &File) -> io::Result<ArrowInput> {
        // SAFETY: concurrent writes to the file may be visible or not; no code relies on either.
        let map = unsafe { Mmap::map(file)? };
        let Some(start) = NonNull::new(map.as_ptr().cast_mut()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let length = map.len();
        // SAFETY: nobody writes to the buffer, and the buffer keeps the mapping.
        let buffer = unsafe { Buffer::from_custom_allocation(start, length, Arc::new(map)) };
        Ok(ArrowInput::Mapped(buffer, 0))
    }

    /// Returns the next `count` bytes, or `None` at the end.
    fn take(&mut self, count: u64) -> Result<Option<Buffer>, String> {
        let bytes = match self {
            ArrowInput::Mapped(buffer, at) => {
                let part = (buffer.len() - *at).min(usize::try_from(count).unwrap_or(usize::MAX));
                *at += part;
                buffer.slice_with_length(*at - part, part)
            }
            ArrowInput::Reader(reader) => up_to(reader, count)?,
        };
        match bytes.len() as u64 {
            found if found == count => Ok(Some(bytes)),
            0 => Ok(None),
            _ => Err(cut()),
        }
    }

    /// Returns the remaining bytes, up to the maximum size of a footer.
    fn rest(&mut self) -> Result<Buffer, String> {
        match self {
            ArrowInput::Mapped(buffer, at) => Ok(buffer.slice(*at)),
            ArrowInput::Reader(reader) => up_to(reader, LONGEST_FOOTER),
        }
    }

    /// Returns the `count` bytes of a batch; bytes that are read (not mapped) are counted in `memory`.
    fn body(&mut self, count: u64, memory: &MemoryPool) -> Result<Buffer, String> {
        match self {
            ArrowInput::Mapped(..) => self.demand(count),
            ArrowInput::Reader(reader) => {
                let mut block = Counted::new(memory, count)?;
                let filled = block.fill(reader).map_err(|error| format!("cannot read: {error}"))?;
                if filled as u64 == count { Ok(block.into_buffer()) } else { Err(cut()) }
            }
        }
    }

    /// Returns the next `count` bytes as [`ArrowInput::take`] does; the end of the input is an error.
    fn demand(&mut self, count: u64) -> Result<Buffer, String> {
        self.take(count)?.ok_or_else(cut)
    }
}

/// Reads up to `count` bytes: memory grows with the bytes that arrive, whatever size a damaged file states.
fn up_to(reader: &mut dyn io::Read, count: u64) -> Result<Buffer, String> {
    let mut bytes = Vec::new();
    let read = io::Read::read_to_end(&mut io::Read::take(reader, count), &mut bytes);
    read.map_err(|error| format!("cannot read: {error}"))?;
    Ok(Buffer::from_vec(bytes))
}

fn cut() -> String {
    "the input ends early".to_string()
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("the file is damaged: {error}")
}

/// Reads the schema at the start of the input. Returns whether the input is a file, too.
fn schema(input: &mut ArrowInput) -> Result<(Schema, bool), String> {
    let start = input.demand(8)?;
    let is_file = start.starts_with(MAGIC);
    let mut first = if is_file { input.demand(8)? } else { start };
    // Some writers pad the space before the first message with zeros.
    for _ in 1..MOST_PADDING {
        if is_file && *first == [0; 8] {
            first = input.demand(8)?;
        }
    }
    // Before version 0.15 there was only the length, without the marker.
    let continues = first.starts_with(&CONTINUES);
    first = first.slice(if continues { 4 } else { 0 });
    let length = u32::from_le_bytes([first[0], first[1], first[2], first[3]]);
    let mut metadata = if continues { Vec::new() } else { first[4..].to_vec() };
    let rest = u64::from(length).checked_sub(metadata.len() as u64).ok_or_else(cut)?;
    metadata.extend_from_slice(&input.demand(rest)?);
    let message = root_as_message(&metadata).map_err(|_| "this is no Arrow file".to_string())?;
    let schema = message.header_as_schema().ok_or("the file does not begin with a schema")?;
    if schema.endianness() == Endianness::Big {
        return Err("big-endian data is not supported".to_string());
    }
    Ok((fb_to_schema(schema), is_file))
}

impl ArrowBatches {
    /// Reads the schema, and finds the column.
    fn open(mut input: ArrowInput, column: Option<&str>, memory: MemoryPool) -> Result<ArrowBatches, String> {
        let (schema, is_file) = schema(&mut input)?;
        let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        let asked = asked(&names, column)?;
        Ok(ArrowBatches { input, is_file, schema: Arc::new(schema), asked, row: 0, memory, missing: None })
    }

    /// Returns the next message and its body, or `None` at the end.
    fn message(&mut self) -> Result<Option<(Vec<u8>, Buffer)>, String> {
        let Some(mut length) = self.input.take(4)? else {
            return if self.is_file { Err(cut()) } else { Ok(None) };
        };
        if *length == CONTINUES {
            length = self.input.demand(4)?;
        }
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
        if length == 0 {
            return if self.is_file { self.footer().map(|()| None) } else { Ok(None) };
        }
        // The copy is aligned as the message's contents require.
        let metadata = self.input.demand(u64::from(length))?.to_vec();
        let body = root_as_message(&metadata).map_err(damaged)?.bodyLength();
        let body = u64::try_from(body).map_err(damaged)?;
        let body = if body == 0 {
            Buffer::from_vec(Vec::<u8>::new())
        } else {
            self.input.body(body, &self.memory)?
        };
        Ok(Some((metadata, body)))
    }

    /// Checks that the footer is complete.
    fn footer(&mut self) -> Result<(), String> {
        let rest = self.input.rest()?;
        let whole = rest.last_chunk::<10>().is_some_and(|end| {
            let length = u32::from_le_bytes([end[0], end[1], end[2], end[3]]);
            end.ends_with(MAGIC) && length as usize + end.len() == rest.len()
        });
        if whole { Ok(()) } else { Err("the file's footer is damaged".to_string()) }
    }

    fn decode(&self, message: &Message, body: &Buffer) -> Result<Option<Batch>, String> {
        let batch = match message.header_type() {
            MessageHeader::RecordBatch => message.header_as_record_batch().ok_or_else(cut)?,
            // Dictionaries belong to other columns.
            MessageHeader::DictionaryBatch => return Ok(None),
            other => return Err(damaged(format!("an unexpected message {}", other.0))),
        };
        let column = self.asked.column;
        let parts = parts(&batch, body)?;
        let own = self.parts_of_column(parts.len());
        let bytes = parts[own].iter().fold(self.converted(&batch), |sum, &bytes| sum.saturating_add(bytes));
        let counted = if bytes > 0 { Some(Counted::new(&self.memory, bytes)?) } else { None };
        let (version, none) = (message.version(), HashMap::new());
        let projection = [column];
        let decoded = RecordBatchDecoder::try_new(body, batch, Arc::clone(&self.schema), &none, &version)
            .and_then(|decoder| decoder.with_projection(Some(&projection)).read_record_batch())
            .map_err(damaged)?;
        Ok(Some(Batch {
            counted,
            ..numbers(decoded.column(0), &self.asked.name, self.row, self.missing.as_deref())
        }))
    }

    /// Returns the range of the column's parts of a batch if the types of the preceding columns determine it, else of all parts.
    fn parts_of_column(&self, all: usize) -> Range<usize> {
        let fields = self.schema.fields();
        let count = |fields: &[FieldRef]| fields.iter().map(|field| part_count(field.data_type())).sum();
        let before: Option<usize> = count(&fields[..self.asked.column]);
        let own: Option<usize> = count(&fields[self.asked.column..=self.asked.column]);
        match before.zip(own) {
            Some((before, own)) if before + own <= all => before..before + own,
            Some(_) | None => 0..all,
        }
    }

    /// Returns the size in bytes of the converted data: truth values, and the ends of lists.
    fn converted(&self, batch: &RecordBatch) -> u64 {
        let rows = batch.length().max(0) as u64;
        match self.schema.field(self.asked.column).data_type() {
            DataType::Boolean => rows,
            other if self.missing.is_some() && other.is_primitive() => {
                rows.saturating_mul(other.primitive_width().unwrap_or(8) as u64)
            }
            DataType::List(_) | DataType::LargeList(_) => rows.saturating_mul(8),
            _ => 0,
        }
    }
}

/// Returns the number of parts of a batch that a column of this type has, if the type is known here.
fn part_count(ty: &DataType) -> Option<usize> {
    Some(match ty {
        DataType::Null => 0,
        DataType::Boolean | DataType::FixedSizeBinary(_) => 2,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => 3,
        DataType::List(inner) | DataType::LargeList(inner) => 2 + part_count(inner.data_type())?,
        DataType::FixedSizeList(inner, _) => 1 + part_count(inner.data_type())?,
        DataType::Struct(fields) => {
            1 + fields.iter().map(|field| part_count(field.data_type())).sum::<Option<usize>>()?
        }
        DataType::Dictionary(..) => 2,
        other if other.is_primitive() => 2,
        _ => return None,
    })
}

/// Returns the decompressed size of each part of a batch in bytes; 0 for parts that are used in place. All parts must lie in the
/// batch's body.
fn parts(batch: &RecordBatch, body: &Buffer) -> Result<Vec<u64>, String> {
    let compressed = batch.compression().is_some();
    let mut all = Vec::new();
    for part in batch.buffers().into_iter().flatten() {
        let range = usize::try_from(part.offset()).ok().zip(usize::try_from(part.length()).ok());
        let bytes = range.and_then(|(at, length)| body.get(at..at.checked_add(length)?));
        let bytes = bytes.ok_or_else(|| damaged("a part lies outside"))?;
        let size = bytes.first_chunk().map(|size| i64::from_le_bytes(*size)).filter(|_| compressed);
        // A negative size marks a part that is not compressed.
        all.push(size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0));
    }
    Ok(all)
}

impl Batches for ArrowBatches {
    fn next(&mut self) -> Result<Option<Batch>, String> {
        while let Some((metadata, body)) = self.message()? {
            let message = root_as_message(&metadata).map_err(damaged)?;
            if let Some(batch) = self.decode(&message, &body)? {
                let rows = message.header_as_record_batch().map_or(0, |batch| batch.length());
                self.row += rows as u64;
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn rows(&self) -> Option<u64> {
        None
    }
}
