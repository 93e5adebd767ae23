//! Conversion of values of an interface to and from streams: leaf after leaf, in the binary format.

use std::io::{self, Write};

use warpwise_runtime::array::{Value, element_count};
use warpwise_runtime::formats::files::write_values;
use warpwise_runtime::formats::{ExpectedType, Source, binary_header, read_values};

use crate::abi::part;
use crate::interface::{Interface, TypeRef};
use crate::program::Program;
use crate::value::{Held, Problem, misuse};

/// Writes a value.
pub fn write_held(output: &mut dyn Write, value: &Held) -> io::Result<()> {
    write_values(output, &value.leaves, true)
}

/// Reads a value of this type from bytes.
pub fn read_held(program: &Program, ty: TypeRef, name: &str, bytes: &[u8]) -> Result<Held, Problem> {
    let expected = expected(&program.interface, ty);
    let leaves = read_values(Source::bytes(name, bytes), Some(&expected), program.memory())
        .map_err(|error| Problem::Program(error.to_string()))?;
    Ok(Held::new(&program.interface, ty, leaves))
}

/// Reads a value of this type from memory that begins at `start`.
///
/// # Safety
/// A value that [`write_held`] wrote begins there, whatever its type.
pub unsafe fn read_stored(program: &Program, ty: TypeRef, start: *const u8) -> Result<Held, Problem> {
    let mut length = 0;
    for (number, leaf) in expected(&program.interface, ty).into_iter().enumerate() {
        // SAFETY: guaranteed by the caller; the leaves before this one are as expected.
        let leaf_length = unsafe { stored_length(start.add(length), leaf) };
        length += leaf_length.ok_or_else(|| {
            let name = program.interface.name(ty);
            misuse(&format!("these bytes are no value of type {name}: part {} of it is {leaf}", number + 1))
        })?;
    }
    // SAFETY: the headers say that the value has this length.
    read_held(program, ty, "bytes", unsafe { part(start, length) })
}

/// Returns the length of a leaf in the binary format; `None` if a value of another type begins at `start`. Nothing is read behind the
/// first byte that differs.
///
/// # Safety
/// A value in the binary format begins at `start`.
unsafe fn stored_length(start: *const u8, leaf: ExpectedType) -> Option<usize> {
    let mut header = binary_header(leaf.elem, &vec![0; leaf.rank]).ok()?;
    let sizes = leaf.rank * size_of::<i64>();
    header.truncate(header.len() - sizes);
    // SAFETY: as long as the bytes agree, they are those of such a value's header.
    let agrees = header.iter().enumerate().all(|(at, &byte)| unsafe { *start.add(at) } == byte);
    if !agrees {
        return None;
    }
    // SAFETY: the sizes follow.
    let shape = unsafe { part(start.add(header.len()), sizes) };
    let shape: Vec<i64> = shape
        .chunks_exact(size_of::<i64>())
        .map(|size| i64::from_le_bytes(size.try_into().unwrap_or_default()))
        .collect();
    let bytes = element_count(&shape)?.checked_mul(leaf.elem.scalar().bytes() as u64)?;
    usize::try_from(bytes).ok()?.checked_add(header.len() + sizes)
}

/// Returns the leaves of a type in the form that readers take.
pub fn expected(interface: &Interface, ty: TypeRef) -> Vec<ExpectedType> {
    interface.leaves(ty).into_iter().map(|(elem, rank)| ExpectedType { elem, rank }).collect()
}

/// Groups leaves into consecutive values of these types.
pub fn group(interface: &Interface, types: &[TypeRef], leaves: Vec<Value>) -> Vec<Held> {
    let mut leaves = leaves.into_iter();
    let one = |&ty: &TypeRef| {
        let count = interface.leaves(ty).len();
        Held::new(interface, ty, leaves.by_ref().take(count).collect())
    };
    types.iter().map(one).collect()
}
