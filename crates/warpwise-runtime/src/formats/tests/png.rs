//! `.png`: round trips, conversions, truncated and corrupt images.

use super::*;

fn png_bytes(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_png(&mut bytes, "a.png", value).unwrap();
    bytes
}

#[test]
fn png_files_come_back() {
    let pixels: Vec<u8> = (0..5 * 7 * 4).map(|i| (i * 31 % 256) as u8).collect();
    for shape in [&[5, 7][..], &[5, 7, 3], &[5, 7, 4], &[1, 1]] {
        let count = shape.iter().product::<i64>() as usize;
        let value = array(shape, &pixels[..count]);
        let bytes = png_bytes(&value);
        assert_eq!(read_png(Source::bytes("a.png", &bytes), None, &pool()).unwrap(), value);
        let deep = array(shape, &pixels[..count].iter().map(|&x| u16::from(x) * 251).collect::<Vec<_>>());
        let deep_bytes = png_bytes(&deep);
        assert_eq!(read_png(Source::bytes("a.png", &deep_bytes), None, &pool()).unwrap(), deep);
        let refused = read_png(Source::bytes("a.png", &deep_bytes), Some(ty("[][]u8")), &pool());
        assert!(refused.unwrap_err().to_string().contains("u16"), "channels are never cut");
        for length in 0..bytes.len() {
            let truncated = read_png(Source::bytes("a.png", &bytes[..length]), None, &pool());
            let error = truncated.expect_err("truncated").to_string();
            assert!(error.starts_with("a.png: "), "{error}");
        }
    }
}

/// Encodes rows that are already packed.
fn encode(color: ::png::ColorType, depth: ::png::BitDepth, palette: Option<Vec<u8>>, row: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, 2, 1);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if let Some(palette) = palette {
        encoder.set_palette(palette);
    }
    encoder.write_header().unwrap().write_image_data(row).unwrap();
    bytes
}

#[test]
fn png_palettes_depths_and_transparency_are_converted() {
    use ::png::{BitDepth, ColorType};
    let palette = Some(vec![1, 2, 3, 4, 5, 6]);
    for (bytes, expect) in [
        (
            encode(ColorType::Indexed, BitDepth::Eight, palette.clone(), &[1, 0]),
            array(&[1, 2, 3], &[4_u8, 5, 6, 1, 2, 3]),
        ),
        (
            encode(ColorType::Indexed, BitDepth::One, palette, &[0b0100_0000]),
            array(&[1, 2, 3], &[1_u8, 2, 3, 4, 5, 6]),
        ),
        (
            encode(ColorType::Grayscale, BitDepth::Sixteen, None, &[200, 1, 100, 2]),
            array(&[1, 2], &[0xc801_u16, 0x6402]),
        ),
        (
            encode(ColorType::Rgb, BitDepth::Sixteen, None, &[1, 2, 0, 3, 0, 4, 0, 5, 0, 6, 7, 8]),
            array(&[1, 2, 3], &[0x102_u16, 3, 4, 5, 6, 0x708]),
        ),
        (
            encode(ColorType::GrayscaleAlpha, BitDepth::Sixteen, None, &[1, 2, 3, 4, 0, 5, 0, 6]),
            array(&[1, 2, 4], &[0x102_u16, 0x102, 0x102, 0x304, 5, 5, 5, 6]),
        ),
        (encode(ColorType::Grayscale, BitDepth::Four, None, &[0xf1]), array(&[1, 2], &[255_u8, 17])),
        (
            encode(ColorType::GrayscaleAlpha, BitDepth::Eight, None, &[9, 8, 7, 6]),
            array(&[1, 2, 4], &[9_u8, 9, 9, 8, 7, 7, 7, 6]),
        ),
    ] {
        assert_eq!(read_png(Source::bytes("a.png", &bytes), None, &pool()).unwrap(), expect);
    }
}

#[test]
fn malformed_png_files_are_errors() {
    let bytes = png_bytes(&array(&[2, 2], &[1_u8, 2, 3, 4]));
    for at in 0..bytes.len() {
        let mut corrupt = bytes.clone();
        corrupt[at] ^= 0x55;
        // A decoder may ignore a wrong checksum of the image data.
        if let Err(error) = read_png(Source::bytes("a.png", &corrupt), None, &pool()) {
            assert!(error.to_string().starts_with("a.png: "), "{error}");
        }
    }
    // The largest possible size, with a correct checksum.
    let mut header = b"\0\0\0\x0dIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x00\x00\x00\x00".to_vec();
    let mut crc = flate2::Crc::new();
    crc.update(&header[4..]);
    header.extend(crc.sum().to_be_bytes());
    let absurd = [&bytes[..8], &header, &bytes[33..]].concat();
    let error = read_png(Source::bytes("a.png", &absurd), None, &pool()).unwrap_err().to_string();
    assert!(
        error.contains("2147483647 by 2147483647 pixels do not fit") || error.contains("corrupt"),
        "{error}"
    );
    let wrong = read_png(Source::bytes("a.png", &bytes), Some(ty("[][][]u8")), &pool()).unwrap_err();
    assert_eq!(wrong.to_string(), "a.png: expected a value of type [][][]u8: found one of type [][]u8");
    for value in [array(&[2, 2], &[0_i32; 4]), array(&[2, 2], &[0_i8; 4]), array(&[1, 1, 2], &[0_u8; 2])] {
        assert!(write_png(&mut Vec::new(), "a.png", &value).unwrap_err().message.contains("an image is"));
    }
    let empty = write_png(&mut Vec::new(), "a.png", &array::<u8>(&[0, 2], &[])).unwrap_err();
    assert_eq!(empty.to_string(), "a.png: an image of 2 by 0 pixels cannot be written");
}
