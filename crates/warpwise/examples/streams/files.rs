//! Numbers in files, as they lie in memory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes numbers as bytes.
pub fn write<const N: usize>(path: &Path, numbers: impl Iterator<Item = [u8; N]>) -> io::Result<()> {
    let mut output = BufWriter::with_capacity(1 << 20, File::create(path)?);
    for number in numbers {
        output.write_all(&number)?;
    }
    output.flush()
}
