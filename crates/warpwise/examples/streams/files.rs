//! Files of numbers, in their memory representation.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Number of bytes written at once: the system caches such writes in huge pages, which are faster to map.
const AT_ONCE: usize = 4 << 20;

/// Writes numbers as bytes.
pub fn write<const N: usize>(path: &Path, numbers: impl Iterator<Item = [u8; N]>) -> io::Result<()> {
    let mut output = BufWriter::with_capacity(AT_ONCE, File::create(path)?);
    for number in numbers {
        output.write_all(&number)?;
    }
    output.flush()
}
