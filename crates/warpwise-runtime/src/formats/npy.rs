//! `.npy` files, versions 1 to 3, of all supported element types, of either byte order and either order of dimensions.
//!
//! The header is a Python dictionary with exactly the keys `descr`, `fortran_order` and `shape`. A file with an empty shape is a
//! scalar.

use std::io::{self, Write};
use std::sync::Arc;

use warpwise_prim::{Scalar, ScalarType, ValueType};

use super::binary::check_bools;
use super::error::{Fault, FormatError};
use super::input::Input;
use super::{ExpectedType, Source};
use crate::array::{Array, Shape, Value, element_count};
use crate::memory::{Block, MemoryPool, OutOfMemory};

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Contents of the header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NpyHeader {
    /// Element type.
    pub ty: ValueType,
    /// Whether the most significant byte of an element comes first.
    pub big_endian: bool,
    /// Whether the first dimension varies fastest.
    pub fortran_order: bool,
    /// Sizes, outermost first; none for a scalar.
    pub shape: Shape,
}

/// Reads an `.npy` file.
pub fn read_npy(
    source: Source<'_>,
    expected: Option<ExpectedType>,
    pool: &MemoryPool,
) -> Result<Value, FormatError> {
    let mut input = Input::new(source.reader, source.length);
    read(&mut input, expected, pool).map_err(|fault| fault.in_bytes(source.name, expected))
}

/// Reads only the header; the reader is then at the first element.
pub fn read_npy_header(source: Source<'_>) -> Result<NpyHeader, FormatError> {
    let mut input = Input::new(source.reader, source.length);
    read_header(&mut input).map_err(|fault| fault.in_bytes(source.name, None))
}

/// Writes an `.npy` file of version 1 (2 if the header is too long for version 1).
pub fn write_npy(output: &mut dyn Write, value: &Value) -> io::Result<()> {
    output.write_all(&npy_header(value.element_type(), value.shape(), value.shape()))?;
    match value {
        Value::Scalar { value, .. } => output.write_all(&value.to_bits().to_le_bytes()[..value.ty().bytes()]),
        Value::Array { array, .. } => output.write_all(array.bytes()),
    }
}

/// Returns the header for elements of this type and shape, in the byte order of this machine. It is long enough to be replaced
/// later by the header for the shape `room`.
pub fn npy_header(ty: ValueType, shape: &[i64], room: &[i64]) -> Vec<u8> {
    let text = dictionary(ty, shape);
    let longest = dictionary(ty, room).len().max(text.len());
    let long = longest + 1 + 10 + 63 > usize::from(u16::MAX);
    let prefix = if long { 12 } else { 10 };
    // The elements begin at a multiple of 64 bytes.
    let padded = (prefix + longest + 1).next_multiple_of(64) - prefix;
    let length = (padded as u32).to_le_bytes();
    let mut header = MAGIC.to_vec();
    header.extend([if long { 2 } else { 1 }, 0]);
    header.extend(if long { &length } else { &length[..2] });
    header.extend(format!("{text:<width$}\n", width = padded - 1).into_bytes());
    header
}

fn dictionary(ty: ValueType, shape: &[i64]) -> String {
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let sizes = if shape.len() == 1 { sizes.trim_end() } else { sizes.trim_end_matches(", ") };
    format!("{{'descr': '{}', 'fortran_order': False, 'shape': ({sizes}), }}", type_code(ty))
}

/// Returns whether a file that begins with these bytes claims to be an `.npy` file.
#[cfg(feature = "files")]
pub(super) fn looks_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

fn read(input: &mut Input<'_>, expected: Option<ExpectedType>, pool: &MemoryPool) -> Result<Value, Fault> {
    let header = read_header(input)?;
    if let Some(expected) = expected {
        let found = ExpectedType { elem: header.ty, rank: header.shape.len() };
        expected.check(found).map_err(|message| Fault::new(0, message))?;
    }
    let elem = header.ty.scalar();
    let bytes = element_count(&header.shape).and_then(|count| count.checked_mul(elem.bytes() as u64));
    let start = input.position();
    let mut block = input.take_block(bytes, pool, "the elements")?;
    if !input.at_end()? {
        return Err(Fault::new(input.position(), "there is more input after the last element"));
    }
    if elem == ScalarType::Bool {
        check_bools(block.as_slice(), start)?;
    }
    if header.big_endian {
        block.as_mut_slice().chunks_exact_mut(elem.bytes()).for_each(<[u8]>::reverse);
    }
    if header.shape.is_empty() {
        let mut bits = [0; 8];
        bits[..elem.bytes()].copy_from_slice(block.as_slice());
        return Ok(Value::scalar(header.ty, Scalar::from_bits(elem, u64::from_le_bytes(bits))));
    }
    if header.fortran_order && header.shape.len() > 1 {
        block =
            to_row_major(&block, &header.shape, elem, pool).map_err(|error| Fault::memory(start, error))?;
    }
    let array = Array::from_block(elem, &header.shape, Arc::new(block))
        .ok_or_else(|| Fault::new(start, "the elements do not fill the array"))?;
    Ok(Value::array(header.ty, array))
}

/// Reorders elements whose first dimension varies fastest to row-major order.
fn to_row_major(
    block: &Block,
    shape: &[i64],
    elem: ScalarType,
    pool: &MemoryPool,
) -> Result<Block, OutOfMemory> {
    let width = elem.bytes();
    let mut result = pool.allocate_unique(block.bytes() as u64)?;
    let mut strides = Shape::new();
    let mut stride = 1;
    for &size in shape {
        strides.push(stride);
        stride *= size;
    }
    let mut index: Shape = shape.iter().map(|_| 0).collect();
    for target in result.as_mut_slice().chunks_exact_mut(width) {
        let place = index.iter().zip(&strides).map(|(index, stride)| index * stride).sum::<i64>();
        target.copy_from_slice(&block.as_slice()[place as usize * width..][..width]);
        for (index, &size) in index.iter_mut().zip(shape).rev() {
            *index += 1;
            if *index < size {
                break;
            }
            *index = 0;
        }
    }
    Ok(result)
}

fn read_header(input: &mut Input<'_>) -> Result<NpyHeader, Fault> {
    if input.take::<6>("the header")? != *MAGIC {
        return Err(Fault::new(0, "this is no .npy file"));
    }
    let [major, minor] = input.take("the header")?;
    let length = match major {
        1 => u32::from(u16::from_le_bytes(input.take("the header")?)),
        2 | 3 => u32::from_le_bytes(input.take("the header")?),
        _ => return Err(Fault::new(6, format!("version {major}.{minor} of .npy is not known"))),
    };
    if length > 1 << 20 {
        return Err(Fault::new(8, format!("a header of {length} bytes is absurd")));
    }
    let start = input.position();
    let mut text = Vec::new();
    for _ in 0..length {
        text.extend(input.take::<1>("the header")?);
    }
    let text = std::str::from_utf8(&text).map_err(|_| Fault::new(start, "the header is no text"))?;
    parse_dictionary(text).map_err(|message| Fault::new(start, message))
}

fn parse_dictionary(text: &str) -> Result<NpyHeader, String> {
    let malformed = || "the header is no dictionary of descr, fortran_order and shape".to_string();
    let (mut ty, mut order, mut shape) = (None, None, None);
    let mut rest =
        text.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).ok_or_else(malformed)?;
    loop {
        rest = rest.trim_start().trim_start_matches(',').trim_start();
        if rest.is_empty() {
            break;
        }
        let (key, after) = quoted(rest).ok_or_else(malformed)?;
        let after = after.trim_start().strip_prefix(':').ok_or_else(malformed)?.trim_start();
        rest = match key {
            "descr" => {
                let (code, after) = quoted(after)
                    .ok_or("structured element types are not supported; one number or bool is")?;
                ty = Some(parse_type(code)?);
                after
            }
            "fortran_order" => {
                let (value, after) = match (after.strip_prefix("True"), after.strip_prefix("False")) {
                    (Some(after), _) => (true, after),
                    (None, Some(after)) => (false, after),
                    (None, None) => return Err(malformed()),
                };
                order = Some(value);
                after
            }
            "shape" => {
                let (sizes, after) =
                    after.strip_prefix('(').and_then(|after| after.split_once(')')).ok_or_else(malformed)?;
                shape = Some(parse_shape(sizes)?);
                after
            }
            other => return Err(format!("the header has an unknown key `{other}`")),
        };
    }
    let ((ty, big_endian), fortran_order, shape) =
        (ty.ok_or_else(malformed)?, order.ok_or_else(malformed)?, shape.ok_or_else(malformed)?);
    Ok(NpyHeader { ty, big_endian, fortran_order, shape })
}

/// Splits `text` into the quoted string at its start and the rest.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|&quote| quote == '\'' || quote == '"')?;
    text[1..].split_once(quote)
}

fn parse_shape(sizes: &str) -> Result<Shape, String> {
    let sizes = sizes.trim();
    let sizes = sizes.strip_suffix(',').unwrap_or(sizes);
    if sizes.is_empty() {
        return Ok(Shape::new());
    }
    let size = |text: &str| {
        // Python 2 wrote long integers with an L.
        let text = text.trim();
        let digits = text.strip_suffix('L').unwrap_or(text);
        digits.parse().ok().filter(|&size: &i64| size >= 0).ok_or(format!("`{text}` is no size"))
    };
    let shape: Shape = sizes.split(',').map(size).collect::<Result<_, _>>()?;
    if shape.len() > 255 { Err("more than 255 dimensions".into()) } else { Ok(shape) }
}

/// Parses a type code; returns the type and whether it is big-endian.
fn parse_type(code: &str) -> Result<(ValueType, bool), String> {
    let (order, name) = match code.as_bytes() {
        [order @ (b'<' | b'>' | b'=' | b'|'), ..] => (*order, &code[1..]),
        _ => (b'=', code),
    };
    let ty = ValueType::ALL.into_iter().find(|&ty| &type_code(ty)[1..] == name);
    let ty = ty.or(if name == "?" { Some(ValueType::Bool) } else { None });
    match ty {
        Some(ty) => Ok((ty, order == b'>' && ty.scalar().bytes() > 1)),
        None => Err(format!("elements of type `{code}` are not supported")),
    }
}

fn type_code(ty: ValueType) -> &'static str {
    match ty {
        ValueType::Bool => "|b1",
        ValueType::I8 => "|i1",
        ValueType::I16 => "<i2",
        ValueType::I32 => "<i4",
        ValueType::I64 => "<i8",
        ValueType::U8 => "|u1",
        ValueType::U16 => "<u2",
        ValueType::U32 => "<u4",
        ValueType::U64 => "<u8",
        ValueType::F16 => "<f2",
        ValueType::F32 => "<f4",
        ValueType::F64 => "<f8",
    }
}
