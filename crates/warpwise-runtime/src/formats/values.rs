//! Streams of values: text and binary in any mixture, compressed or not.

use std::io::{Cursor, Read};

#[cfg(feature = "files")]
use flate2::read::MultiGzDecoder;

use super::binary::{looks_binary, read_binary};
use super::error::Fault;
use super::input::Input;
use super::text::Parser;
use super::{ExpectedType, FormatError};
use crate::array::Value;
use crate::memory::MemoryPool;

/// The byte order mark, which some programs put before text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A source of values.
pub struct Source<'a> {
    /// Name for messages.
    pub name: &'a str,
    /// Reader of the bytes.
    pub reader: Box<dyn Read + 'a>,
    /// Number of bytes, if known.
    pub length: Option<u64>,
}

impl<'a> Source<'a> {
    /// Makes a source from bytes in memory.
    pub fn bytes(name: &'a str, bytes: &'a [u8]) -> Source<'a> {
        Source { name, reader: Box::new(bytes), length: Some(bytes.len() as u64) }
    }

    /// Makes a source from a stream of unknown length.
    pub fn stream(name: &'a str, reader: impl Read + 'a) -> Source<'a> {
        Source { name, reader: Box::new(reader), length: None }
    }
}

/// Reads the values of a text or binary stream, which may be compressed.
///
/// If `expected` is given, the number of values and their types must match it, and text may leave out the suffixes of numbers.
/// Otherwise all values are read, and numbers without suffix are `i32` or, with a point or an exponent, `f64`.
pub fn read_values(
    source: Source<'_>,
    expected: Option<&[ExpectedType]>,
    pool: &MemoryPool,
) -> Result<Vec<Value>, FormatError> {
    let name = source.name;
    let next = |values: &Vec<Value>| expected.and_then(|types| types.get(values.len()).copied());
    let mut values = Vec::new();
    let mut input = decompress(source).map_err(|fault| fault.in_bytes(name, next(&values)))?;
    // Binary values are read from the stream itself; the first text pulls the rest into memory.
    while let Some(offset) =
        skip_to_binary(&mut input).map_err(|fault| fault.in_bytes(name, next(&values)))?
    {
        let wanted = next(&values);
        if expected.is_some() && wanted.is_none() {
            return Err(left_over(offset, &values).in_bytes(name, None));
        }
        let value = read_binary(&mut input, wanted, pool).map_err(|fault| fault.in_bytes(name, wanted))?;
        values.push(value);
    }
    let base = input.position();
    let content = input.rest(pool.limit()).map_err(|fault| fault.in_bytes(name, next(&values)))?;
    let content = content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&content);
    read_rest(name, base, content, expected, values, pool)
}

/// Reads the values in `content`, which begins at `base` in the source and follows the first `values`.
fn read_rest(
    name: &str,
    base: u64,
    content: &[u8],
    expected: Option<&[ExpectedType]>,
    mut values: Vec<Value>,
    pool: &MemoryPool,
) -> Result<Vec<Value>, FormatError> {
    let locate = |fault: Fault, wanted| match base {
        0 => fault.in_text(name, content, wanted),
        _ => Fault { offset: fault.offset + base, ..fault }.in_bytes(name, wanted),
    };
    let mut at = 0;
    loop {
        let wanted = expected.and_then(|types| types.get(values.len()).copied());
        let mut parser = Parser::new(content, at, wanted, pool);
        at = parser.skip_space();
        let all_there = expected.is_none_or(|types| values.len() == types.len());
        if at == content.len() && all_there {
            return Ok(values);
        }
        if at == content.len() {
            let message = format!("the input ends after {} values", values.len());
            return Err(locate(Fault::new(at as u64, message), wanted));
        }
        if expected.is_some() && wanted.is_none() {
            return Err(locate(left_over(at as u64, &values), None));
        }
        if looks_binary(&content[at..]) {
            let rest = &content[at..];
            let mut input = Input::new(Box::new(rest), Some(rest.len() as u64));
            let value = read_binary(&mut input, wanted, pool).map_err(|fault| {
                let offset = base + at as u64 + fault.offset;
                Fault { offset, ..fault }.in_bytes(name, wanted)
            })?;
            values.push(value);
            at += input.position() as usize;
        } else {
            values.push(parser.value().map_err(|fault| locate(fault, wanted))?);
            at = parser.at();
        }
    }
}

/// Skips white space before a binary value and returns the value's position; `None`, with nothing skipped, if no binary value
/// follows.
fn skip_to_binary(input: &mut Input<'_>) -> Result<Option<u64>, Fault> {
    let ahead = input.look_ahead()?;
    let blank = ahead.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    if !looks_binary(&ahead[blank..]) {
        return Ok(None);
    }
    for _ in 0..blank {
        input.take::<1>("white space")?;
    }
    Ok(Some(input.position()))
}

fn decompress<'a>(source: Source<'a>) -> Result<Input<'a>, Fault> {
    let mut reader = source.reader;
    let mut magic = [0; 2];
    let mut filled = 0;
    while filled < 2 {
        match reader.read(&mut magic[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Fault::io(filled as u64, &error)),
        }
    }
    let whole = Cursor::new(magic).take(filled as u64).chain(reader);
    if magic[..filled] == [0x1f, 0x8b] {
        return decompressed(whole);
    }
    Ok(Input::new(Box::new(whole), source.length))
}

#[cfg(feature = "files")]
fn decompressed<'a>(compressed: impl Read + 'a) -> Result<Input<'a>, Fault> {
    Ok(Input::new(Box::new(MultiGzDecoder::new(compressed)), None))
}

#[cfg(not(feature = "files"))]
fn decompressed<'a>(_: impl Read + 'a) -> Result<Input<'a>, Fault> {
    let message = "it is compressed, and this build of Warpwise was made without the feature `files`";
    Err(Fault::new(0, message.to_string()))
}

fn left_over(offset: u64, values: &[Value]) -> Fault {
    Fault::new(offset, format!("there is more input after the {} expected values", values.len()))
}
