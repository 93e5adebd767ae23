//! The binary format, version 2: `b`, the version, the rank in a byte, the element type in four characters, the sizes as
//! little-endian `u64`, and the elements in row-major order, little-endian.

use std::io::{self, Write};
use std::sync::Arc;

use warpwise_prim::{Scalar, ScalarType, ValueType};

use super::ExpectedType;
use super::error::{Fault, FormatError};
use super::input::Input;
use super::values::Source;
use crate::array::{Array, Shape, Value, element_count};
use crate::memory::MemoryPool;

const VERSION: u8 = 2;

/// Returns whether data that starts with these bytes is in this format. Text never is.
pub fn is_binary(start: [u8; 2]) -> bool {
    start == [b'b', VERSION]
}

/// Writes one value.
pub fn write_binary(output: &mut dyn Write, value: &Value) -> io::Result<()> {
    output.write_all(&binary_header(value.element_type(), value.shape())?)?;
    match value {
        Value::Scalar { value, .. } => output.write_all(&value.to_bits().to_le_bytes()[..value.ty().bytes()]),
        Value::Array { array, .. } => output.write_all(array.bytes()),
    }
}

/// Returns the header for an array of this element type and shape.
pub fn binary_header(ty: ValueType, shape: &[i64]) -> io::Result<Vec<u8>> {
    let rank = u8::try_from(shape.len())
        .map_err(|_| io::Error::other("the binary format has at most 255 dimensions"))?;
    let mut header = vec![b'b', VERSION, rank];
    header.extend(format!("{:>4}", ty.name()).into_bytes());
    header.extend(shape.iter().flat_map(|&size| (size as u64).to_le_bytes()));
    Ok(header)
}

/// Returns whether a binary value begins here. No text value begins with these bytes. A lone `b` at the end of the input counts
/// as well, so that truncation is reported as such.
pub(super) fn looks_binary(bytes: &[u8]) -> bool {
    matches!(bytes, [b'b'] | [b'b', 0..=8, ..])
}

/// The header in front of the elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BinaryHeader {
    /// Element type.
    pub ty: ValueType,
    /// Sizes, outermost first; none for a scalar.
    pub shape: Shape,
}

/// Reads only the header of a value; the reader is then at the first element.
pub fn read_binary_header(source: Source<'_>) -> Result<BinaryHeader, FormatError> {
    let mut input = Input::new(source.reader, source.length);
    read_header(&mut input, None).map_err(|fault| fault.in_bytes(source.name, None))
}

/// Reads one value.
pub(super) fn read_binary(
    input: &mut Input<'_>,
    expected: Option<ExpectedType>,
    pool: &MemoryPool,
) -> Result<Value, Fault> {
    let BinaryHeader { ty, shape } = read_header(input, expected)?;
    let elem = ty.scalar();
    let bytes = element_count(&shape).and_then(|count| count.checked_mul(elem.bytes() as u64));
    let data_start = input.position();
    if shape.is_empty() {
        return read_scalar(input, ty);
    }
    let block = input.take_block(bytes, pool, "the elements")?;
    if elem == ScalarType::Bool {
        check_bools(block.as_slice(), data_start)?;
    }
    let array = Array::from_block(elem, &shape, Arc::new(block))
        .ok_or_else(|| Fault::new(data_start, "the elements do not fill the array"))?;
    Ok(Value::array(ty, array))
}

fn read_header(input: &mut Input<'_>, expected: Option<ExpectedType>) -> Result<BinaryHeader, Fault> {
    let start = input.position();
    let [mark, version] = input.take("the header")?;
    if mark != b'b' {
        return Err(Fault::new(start, "this is no value of the binary format"));
    }
    if version != VERSION {
        return Err(Fault::new(start + 1, format!("version {version} of the binary format is not known")));
    }
    let [rank] = input.take("the header")?;
    let ty = read_type(input)?;
    if let Some(expected) = expected {
        let found = ExpectedType { elem: ty, rank: rank.into() };
        expected.check(found).map_err(|message| Fault::new(start, message))?;
    }
    let shape = (0..rank).map(|_| read_size(input)).collect::<Result<Shape, Fault>>()?;
    Ok(BinaryHeader { ty, shape })
}

/// Checks that the bytes of `bool`s, which begin at `offset`, are 0 or 1.
pub(super) fn check_bools(bytes: &[u8], offset: u64) -> Result<(), Fault> {
    // The fold over all bytes comes first because it vectorises, a search does not.
    if bytes.iter().fold(0, |any, &byte| any | byte) <= 1 {
        return Ok(());
    }
    let at = bytes.iter().position(|&byte| byte > 1).unwrap_or(0);
    let message = format!("the byte {} is no truth value; 0 and 1 are", bytes[at]);
    Err(Fault::new(offset + at as u64, message))
}

fn read_type(input: &mut Input<'_>) -> Result<ValueType, Fault> {
    let place = input.position();
    let name: [u8; 4] = input.take("the header")?;
    ValueType::ALL
        .into_iter()
        .find(|ty| format!("{:>4}", ty.name()).as_bytes() == name)
        .ok_or_else(|| Fault::new(place, format!("`{}` names no element type", name.escape_ascii())))
}

fn read_size(input: &mut Input<'_>) -> Result<i64, Fault> {
    let place = input.position();
    let size = u64::from_le_bytes(input.take("the sizes")?);
    i64::try_from(size).map_err(|_| Fault::new(place, format!("the size {size} is out of range")))
}

fn read_scalar(input: &mut Input<'_>, ty: ValueType) -> Result<Value, Fault> {
    let place = input.position();
    let mut bits = [0; 8];
    for byte in &mut bits[..ty.scalar().bytes()] {
        [*byte] = input.take("the value")?;
    }
    if ty == ValueType::Bool {
        check_bools(&bits[..1], place)?;
    }
    Ok(Value::scalar(ty, Scalar::from_bits(ty.scalar(), u64::from_le_bytes(bits))))
}
