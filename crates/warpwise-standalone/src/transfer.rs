//! Conversion of values of an interface to and from streams: leaf after leaf, in the binary format.

use std::io::{self, Write};

use warpwise_runtime::array::Value;
use warpwise_runtime::formats::files::write_values;
use warpwise_runtime::formats::{ExpectedType, Source, read_values};

use crate::interface::{Interface, TypeRef};
use crate::program::Program;
use crate::value::{Held, Problem};

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
