//! `.npz` files, which are only written: archives of `.npy` files, named like NumPy's unnamed arrays.

use std::io::{self, Write};

use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

use super::npy::write_npy;
use crate::array::Value;

/// Writes values as `arr_0`, `arr_1` etc.
pub(super) fn write_npz(output: impl Write, values: &[Value]) -> io::Result<()> {
    let mut archive = ZipWriter::new_stream(output);
    for (number, value) in values.iter().enumerate() {
        let large = value.bytes() >= u32::MAX.into();
        let options =
            SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(large);
        archive.start_file(format!("arr_{number}.npy"), options)?;
        write_npy(&mut archive, value)?;
    }
    archive.finish()?;
    Ok(())
}
