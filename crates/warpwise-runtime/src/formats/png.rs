//! `.png` images as arrays of channels: grey `[h][w]u8`, RGB `[h][w][3]u8`, RGBA `[h][w][4]u8`. Images with channels of 16 bits
//! are arrays of `u16`.
//!
//! When reading, palettes are resolved, grey with transparency becomes RGBA, and depths below 8 bits are widened. Only the first
//! image of an animation is read.

use std::borrow::Cow;
use std::io::{Cursor, Read, Write};
use std::sync::Arc;

use png::{BitDepth, ColorType, Decoder, DecodingError, Encoder, Limits, Transformations};
use warpwise_prim::ValueType;

use super::error::{Fault, FormatError, Position};
use super::{ExpectedType, Source};
use crate::array::{Array, Value};
use crate::memory::{Block, MemoryPool};

const MAGIC: &[u8; 8] = b"\x89PNG\r\n\x1a\n";

/// Best compression ratio of Deflate; images that claim more are corrupt.
const BEST_COMPRESSION: u64 = 1100;

/// Reads a `.png` file.
pub fn read_png(
    source: Source<'_>,
    expected: Option<ExpectedType>,
    pool: &MemoryPool,
) -> Result<Value, FormatError> {
    read(source.reader, expected, pool).map_err(|fault| FormatError {
        source: source.name.into(),
        position: Position::File,
        expected,
        message: fault.message,
    })
}

/// Writes a `.png` file.
pub fn write_png(output: &mut dyn Write, name: &str, value: &Value) -> Result<(), FormatError> {
    let error = |message: String| FormatError {
        source: name.into(),
        position: Position::File,
        expected: None,
        message,
    };
    let Picture { width, height, channels, depth, pixels } = Picture::of(value).map_err(error)?;
    let color = match channels {
        1 => ColorType::Grayscale,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    };
    let mut encoder = Encoder::new(output, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&pixels)?;
        writer.finish()
    });
    written.map_err(|fault| error(format!("cannot write: {fault}")))
}

/// An array in the form of an image.
pub(super) struct Picture<'v> {
    pub width: u32,
    pub height: u32,
    /// Channels per pixel: 1 (grey), 3 or 4.
    pub channels: u8,
    /// Bits per channel: 8 or 16.
    pub depth: BitDepth,
    /// The channels; those of 16 bits begin with the higher byte.
    pub pixels: Cow<'v, [u8]>,
}

impl Picture<'_> {
    /// Views an array as an image, or returns the reason why it is none.
    pub(super) fn of(value: &Value) -> Result<Picture<'_>, String> {
        let channels = match *value.shape() {
            [_, _] => Some(1),
            [_, _, channels @ (3 | 4)] => Some(channels as u8),
            _ => None,
        };
        let (depth, pixels) = match value.element_type() {
            ValueType::U8 => (BitDepth::Eight, value.as_slice::<u8>().map(Cow::Borrowed)),
            ValueType::U16 => (BitDepth::Sixteen, value.as_slice::<u16>().map(high_bytes_first)),
            _ => (BitDepth::Eight, None),
        };
        let (Some(channels), Some(pixels), &[height, width, ..]) = (channels, pixels, value.shape()) else {
            let ty = value.type_text();
            return Err(format!("an image is [h][w]u8, [h][w][3]u8, [h][w][4]u8, or as many u16, not {ty}"));
        };
        let side = |size: i64| u32::try_from(size).ok().filter(|&size| (1..1 << 31).contains(&size));
        match (side(width), side(height)) {
            (Some(width), Some(height)) => Ok(Picture { width, height, channels, depth, pixels }),
            _ => Err(format!("an image of {width} by {height} pixels cannot be written")),
        }
    }
}

fn high_bytes_first(channels: &[u16]) -> Cow<'_, [u8]> {
    Cow::Owned(channels.iter().flat_map(|channel| channel.to_be_bytes()).collect())
}

/// Returns whether a file that begins with these bytes claims to be a `.png` file.
pub(super) fn looks_png(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

fn read(
    mut reader: Box<dyn Read + '_>,
    expected: Option<ExpectedType>,
    pool: &MemoryPool,
) -> Result<Value, Fault> {
    let mut file = Vec::new();
    reader.read_to_end(&mut file).map_err(|error| Fault::io(0, &error))?;
    let limit = usize::try_from(pool.limit()).unwrap_or(usize::MAX);
    let mut decoder = Decoder::new_with_limits(Cursor::new(&file), Limits { bytes: limit });
    decoder.set_transformations(Transformations::EXPAND);
    let mut image = decoder.read_info().map_err(corrupt)?;
    let (width, height) = image.info().size();
    let (color, depth) = image.output_color_type();
    let channels = color.samples();
    let ty = if depth == BitDepth::Sixteen { ValueType::U16 } else { ValueType::U8 };
    let found = ExpectedType { elem: ty, rank: if channels == 1 { 2 } else { 3 } };
    if let Some(expected) = expected {
        expected
            .check(found)
            .map_err(|message| Fault::new(0, format!("{message}{}", depth_hint(expected, found))))?;
    }
    let bytes = image.output_buffer_size().map(|bytes| bytes as u64);
    if bytes.is_none_or(|bytes| bytes / BEST_COMPRESSION > file.len() as u64) {
        let message = format!("corrupt: {width} by {height} pixels do not fit {} bytes", file.len());
        return Err(Fault::new(0, message));
    }
    let mut block = pool.allocate_elements(bytes, 1).map_err(|error| Fault::memory(0, error))?;
    image.next_frame(block.as_mut_slice()).map_err(corrupt)?;
    image.finish().map_err(corrupt)?;
    if ty == ValueType::U16 {
        block
            .as_mut_slice()
            .as_chunks_mut::<2>()
            .0
            .iter_mut()
            .for_each(|channel| *channel = u16::from_be_bytes(*channel).to_ne_bytes());
    }
    let (height, width) = (i64::from(height), i64::from(width));
    let (block, shape) = match channels {
        1 => (block, vec![height, width]),
        2 => (grey_alpha_to_rgba(&block, ty.scalar().bytes(), pool)?, vec![height, width, 4]),
        _ => (block, vec![height, width, channels as i64]),
    };
    let array = Array::from_block(ty.scalar(), &shape, Arc::new(block))
        .ok_or_else(|| Fault::new(0, "corrupt: the pixels do not fill the image"))?;
    Ok(Value::array(ty, array))
}

/// Returns a hint for a program that takes channels of the other size.
fn depth_hint(expected: ExpectedType, found: ExpectedType) -> &'static str {
    match (expected.elem, found.elem) {
        (ValueType::U8, ValueType::U16) => "; the image has 16 bits per channel, which only `u16` holds",
        (ValueType::U16, ValueType::U8) => "; the image has 8 bits per channel, and no conversion is made",
        _ => "",
    }
}

/// Repeats the grey channel of each pixel three times. Channels have `size` bytes.
fn grey_alpha_to_rgba(pixels: &Block, size: usize, pool: &MemoryPool) -> Result<Block, Fault> {
    let mut rgba =
        pool.allocate_unique(2 * pixels.bytes() as u64).map_err(|error| Fault::memory(0, error))?;
    let sources = pixels.as_slice().chunks_exact(2 * size);
    for (pixel, source) in rgba.as_mut_slice().chunks_exact_mut(4 * size).zip(sources) {
        let (grey, alpha) = source.split_at(size);
        for (channel, source) in pixel.chunks_exact_mut(size).zip([grey, grey, grey, alpha]) {
            channel.copy_from_slice(source);
        }
    }
    Ok(rgba)
}

fn corrupt(error: DecodingError) -> Fault {
    match error {
        DecodingError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            Fault::new(0, "the file is truncated")
        }
        error => Fault::new(0, format!("corrupt: {error}")),
    }
}
