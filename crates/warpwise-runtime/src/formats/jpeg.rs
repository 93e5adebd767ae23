//! `.jpg` images, which are only written: arrays of bytes as for `.png`, but without transparency.

use std::io::{self, Write};

use jpeg_encoder::{ColorType, Encoder};
use png::BitDepth;

use super::png::Picture;
use crate::array::Value;

/// Quality, out of 100: the loss is hardly visible.
const QUALITY: u8 = 92;

/// Writes a `.jpg` file.
pub(super) fn write_jpeg(output: &mut dyn Write, value: &Value) -> Result<(), String> {
    let Picture { width, height, channels, depth, pixels } = Picture::of(value)?;
    if depth != BitDepth::Eight {
        return Err("a .jpg file cannot hold channels of 16 bits; write a .png file".to_string());
    }
    let color = match channels {
        1 => ColorType::Luma,
        3 => ColorType::Rgb,
        _ => return Err("a .jpg file cannot hold transparency; write a .png file".to_string()),
    };
    let side = |size: u32| u16::try_from(size).map_err(|_| "a .jpg image has at most 65535 rows and columns");
    let encoder = Encoder::new(Unsized(output), QUALITY);
    encoder
        .encode(&pixels, side(width)?, side(height)?, color)
        .map_err(|error| format!("cannot write: {error}"))
}

/// A sized writer, as the encoder requires one.
struct Unsized<'o>(&'o mut dyn Write);

impl Write for Unsized<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
