//! Files of values. This is the only module that opens them.
//!
//! A file's format is recognised by its contents when reading, and chosen by the ending of its name ([`FileFormat`]) when
//! writing.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::jpeg::write_jpeg;
use super::npy::{looks_npy, read_npy};
use super::npz::write_npz;
use super::png::{looks_png, read_png};
use super::table::write_table;
use super::whole::WholeFile;
use super::{
    ExpectedType, FormatError, Position, Source, read_values, write_binary, write_npy, write_png, write_text,
};
use crate::array::Value;
use crate::memory::MemoryPool;

/// Reads a file of any known format. If `expected` is given, the number of values and their types must match it.
pub fn read_file(
    path: &Path,
    expected: Option<&[ExpectedType]>,
    pool: &MemoryPool,
) -> Result<Vec<Value>, FormatError> {
    let name = path.display().to_string();
    let failed = |error: io::Error| file_error(&name, format!("cannot read: {error}"));
    let mut file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    // The length is known only for regular files, and a pipe cannot be rewound either.
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

/// Format of a file to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileFormat {
    /// Text, one line per value: `.txt`, `.out`, or no ending.
    Text,
    /// The language's binary format: `.bin`.
    Binary,
    /// One NumPy value: `.npy`.
    Npy,
    /// Several NumPy values: `.npz`.
    Npz,
    /// An image: `.png`.
    Png,
    /// An image: `.jpg`, `.jpeg`.
    Jpeg,
    /// Columns separated by commas: `.csv`.
    Csv,
    /// Columns separated by tabs: `.tsv`.
    Tsv,
}

impl FileFormat {
    /// Returns the format for the ending of a file name.
    pub fn of(path: &Path) -> Result<FileFormat, FormatError> {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        Ok(match ending.as_deref() {
            None | Some("txt" | "out") => FileFormat::Text,
            Some("bin") => FileFormat::Binary,
            Some("npy") => FileFormat::Npy,
            Some("npz") => FileFormat::Npz,
            Some("png") => FileFormat::Png,
            Some("jpg" | "jpeg") => FileFormat::Jpeg,
            Some("csv") => FileFormat::Csv,
            Some("tsv") => FileFormat::Tsv,
            Some(other) => {
                let known = ".txt or none for text, .bin, .npy, .npz, .png, .jpg, .csv, .tsv";
                let message = format!("what format is `.{other}`? The endings known are {known}");
                return Err(file_error(&path.display().to_string(), message));
            }
        })
    }

    /// Returns whether a file of this format holds exactly one value.
    pub fn is_of_one_value(self) -> bool {
        matches!(self, FileFormat::Npy | FileFormat::Png | FileFormat::Jpeg)
    }
}

/// Writes values to a file in the format that its name's ending selects. On failure the file stays as it was before.
pub fn write_file(path: &Path, values: &[Value]) -> Result<(), FormatError> {
    let written = write_beside(path, values, FileFormat::of(path)?)?;
    written.complete().map_err(|error| unwritable(path, error))
}

/// Writes values as [`write_file`] does, in a given format; the caller has to complete the file.
pub fn write_beside(path: &Path, values: &[Value], format: FileFormat) -> Result<WholeFile, FormatError> {
    let name = path.display().to_string();
    let failed = |error: io::Error| unwritable(path, error);
    let wrong = |message: String| file_error(&name, message);
    let single = match values {
        [value] => Ok(value),
        several => Err(wrong(format!("such a file holds one value, not {}", several.len()))),
    };
    if format.is_of_one_value() {
        single.clone()?;
    }
    let mut output = WholeFile::create(path).map_err(failed)?;
    match format {
        FileFormat::Text => write_values(&mut output, values, false).map_err(failed)?,
        FileFormat::Binary => write_values(&mut output, values, true).map_err(failed)?,
        FileFormat::Npy => write_npy(&mut output, single?).map_err(failed)?,
        FileFormat::Npz => write_npz(&mut output, values).map_err(failed)?,
        FileFormat::Png => write_png(&mut output, &name, single?)?,
        FileFormat::Jpeg => write_jpeg(&mut output, single?).map_err(wrong)?,
        FileFormat::Csv => write_table(&mut output, values, ',').map_err(failed)?.map_err(wrong)?,
        FileFormat::Tsv => write_table(&mut output, values, '\t').map_err(failed)?.map_err(wrong)?,
    }
    output.flush().map_err(failed)?;
    Ok(output)
}

/// Writes values in the binary format, or as text with one line per value.
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

/// Makes the error for a file that cannot be written.
pub fn unwritable(path: &Path, error: io::Error) -> FormatError {
    file_error(&path.display().to_string(), format!("cannot write: {error}"))
}

fn file_error(name: &str, message: String) -> FormatError {
    FormatError { source: name.into(), position: Position::File, expected: None, message }
}
