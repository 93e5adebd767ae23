//! Files of values: the one place that opens them.
//!
//! A file is read by what is in it and written by what its name ends in: `.npy`, `.png`, `.bin` for
//! binary, anything else for text.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::npy::{looks_npy, read_npy};
use super::png::{looks_png, read_png};
use super::whole::WholeFile;
use super::{
    ExpectedType, FormatError, Position, Source, read_values, write_binary, write_npy, write_png, write_text,
};
use crate::array::Value;
use crate::memory::MemoryPool;

/// Reads a file of any known format. With `expected` types there must be exactly as many values, of
/// these types.
pub fn read_file(
    path: &Path,
    expected: Option<&[ExpectedType]>,
    pool: &MemoryPool,
) -> Result<Vec<Value>, FormatError> {
    let name = path.display().to_string();
    let failed = |error: io::Error| file_error(&name, format!("cannot read: {error}"));
    let mut file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    // Only of a regular file is the length known; a pipe cannot be rewound either.
    if !metadata.is_file() {
        return read_values(Source::stream(&name, file), expected, pool);
    }
    let mut magic = Vec::new();
    (&mut file).take(8).read_to_end(&mut magic).map_err(failed)?;
    file.rewind().map_err(failed)?;
    let source = Source { name: &name, reader: Box::new(file), length: Some(metadata.len()) };
    if !looks_npy(&magic) && !looks_png(&magic) {
        return read_values(source, expected, pool);
    }
    let wanted = expected.and_then(|types| types.first().copied());
    let value =
        if looks_npy(&magic) { read_npy(source, wanted, pool)? } else { read_png(source, wanted, pool)? };
    match expected {
        Some(types) if types.len() != 1 => {
            Err(file_error(&name, format!("{} values are expected, the file holds one", types.len())))
        }
        Some(_) | None => Ok(vec![value]),
    }
}

/// Writes values to a file in the format that its name asks for; `.npy` and `.png` hold one value. The file is whole, or is what it was
/// before.
pub fn write_file(path: &Path, values: &[Value]) -> Result<(), FormatError> {
    let written = write_beside(path, values, false)?;
    written.complete().map_err(|error| unwritable(path, error))
}

/// As [`write_file`], or in the binary format whatever the name asks for; the file is still to be completed.
pub fn write_beside(path: &Path, values: &[Value], binary: bool) -> Result<WholeFile, FormatError> {
    let name = path.display().to_string();
    let failed = |error: io::Error| unwritable(path, error);
    let extension =
        path.extension().and_then(|extension| extension.to_str()).filter(|_| !binary).unwrap_or("");
    let single = match (extension, values) {
        ("npy" | "png", [value]) => Some(value),
        ("npy" | "png", _) => {
            let message = format!("a .{extension} file holds one value, not {}", values.len());
            return Err(file_error(&name, message));
        }
        _ => None,
    };
    let mut output = WholeFile::create(path).map_err(failed)?;
    match single {
        Some(value) if extension == "npy" => write_npy(&mut output, value).map_err(failed)?,
        Some(value) => write_png(&mut output, &name, value)?,
        None => write_values(&mut output, values, binary || extension == "bin").map_err(failed)?,
    }
    output.flush().map_err(failed)?;
    Ok(output)
}

/// Writes values in the binary format, or as text with a line for each.
pub fn write_values(output: &mut dyn Write, values: &[Value], binary: bool) -> io::Result<()> {
    for value in values {
        if binary {
            write_binary(output, value)?;
        } else {
            write_text(output, value)?;
            output.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// The error of a file that cannot be written.
pub fn unwritable(path: &Path, error: io::Error) -> FormatError {
    file_error(&path.display().to_string(), format!("cannot write: {error}"))
}

fn file_error(name: &str, message: String) -> FormatError {
    FormatError { source: name.into(), position: Position::File, expected: None, message }
}
