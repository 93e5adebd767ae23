//! Numbers in files, as they lie in memory.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// What is written at once: the system keeps it in huge pages, and it takes less time to map these.
const AT_ONCE: usize = 4 << 20;

/// Writes numbers as bytes.
pub fn write<const N: usize>(path: &Path, numbers: impl Iterator<Item = [u8; N]>) -> io::Result<()> {
    let mut output = BufWriter::with_capacity(AT_ONCE, File::create(path)?);
    for number in numbers {
        output.write_all(&number)?;
    }
    output.flush()
}
