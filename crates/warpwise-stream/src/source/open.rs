//! Opening files by their format.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read as _};
use std::path::Path;
use std::str::FromStr;

use flate2::read::MultiGzDecoder;
use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;

use super::table::TableOptions;
use super::{ByteSource, MatrixMarketSource, Source, TableSource, WavSource};
use crate::element::ElementType;

/// How elements lie in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// One after another, as in memory.
    Raw,
    /// NumPy's array file.
    Npy,
    /// Text with commas.
    Csv,
    /// Text with tabs.
    Tsv,
    /// A Matrix Market file.
    MatrixMarket,
    /// Audio.
    Wav,
}

/// What the program takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// The type of the scalars.
    pub scalar: ValueType,
    /// The number of dimensions of an element.
    pub rank: usize,
}

/// What of a file is wanted.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// The format; told by the file's ending without one.
    pub format: Option<Format>,
    /// The column of a table.
    pub column: Option<String>,
    /// The first line of a table holds no names.
    pub no_header: bool,
    /// The sizes of an element in raw data.
    pub shape: Vec<i64>,
}

/// Opens a file, or standard input if the path is `-`. Data compressed by gzip is decompressed.
pub fn open(path: &Path, wanted: Wanted, options: &SourceOptions) -> Result<Box<dyn Source>, String> {
    let standard = path == Path::new("-");
    let name = if standard { "standard input".to_string() } else { path.display().to_string() };
    let failed = |error: io::Error| format!("{name}: cannot read: {error}");
    let reader: Box<dyn io::Read + Send> =
        if standard { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(failed)?) };
    let format = options.format.or_else(|| Format::of(path)).ok_or_else(|| {
        format!(
            "{name}: what format is this? The endings known are {}, also with .gz",
            Format::NAMES.join(", ")
        )
    })?;
    let is_compressed = path.extension().is_some_and(|ending| ending == "gz");
    let source =
        read_as(format, &name, decompressed(reader, is_compressed).map_err(failed)?, wanted, options)?;
    let element = source.element();
    if (element.scalar, element.shape.len()) != (wanted.scalar, wanted.rank) {
        let expected = format!("{}{}", "[]".repeat(wanted.rank), wanted.scalar.name());
        return Err(format!("{name}: the elements are of type {element}, but {expected} is expected"));
    }
    Ok(source)
}

fn read_as(
    format: Format,
    name: &str,
    reader: Box<dyn io::Read + Send>,
    wanted: Wanted,
    options: &SourceOptions,
) -> Result<Box<dyn Source>, String> {
    let Wanted { scalar, rank } = wanted;
    let has_columns = matches!(format, Format::Csv | Format::Tsv | Format::MatrixMarket);
    if let (false, Some(column)) = (has_columns, &options.column) {
        return Err(format!("{name}: such a file has no columns, so none is called `{column}`"));
    }
    let table =
        |separator| TableOptions { separator, header: !options.no_header, column: options.column.clone() };
    Ok(match format {
        Format::Raw => {
            let element = ElementType { scalar, shape: Shape::from_slice(&options.shape) };
            Box::new(ByteSource::raw(name, reader, element)?)
        }
        Format::Npy => Box::new(ByteSource::npy(name, reader)?),
        Format::Csv => Box::new(TableSource::new(name, reader, (scalar, rank), &table(b','))?),
        Format::Tsv => Box::new(TableSource::new(name, reader, (scalar, rank), &table(b'\t'))?),
        Format::MatrixMarket => {
            Box::new(MatrixMarketSource::new(name, reader, scalar, options.column.as_deref())?)
        }
        Format::Wav => Box::new(WavSource::new(name, Box::new(BufReader::new(reader)), rank)?),
    })
}

/// Decompresses what is `named` so or begins so.
fn decompressed(mut reader: Box<dyn io::Read + Send>, named: bool) -> io::Result<Box<dyn io::Read + Send>> {
    let mut start = Vec::new();
    (&mut reader).take(2).read_to_end(&mut start)?;
    let compressed = named || start == [0x1f, 0x8b];
    let whole = Cursor::new(start).chain(reader);
    Ok(if compressed { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) })
}

impl Format {
    const NAMES: [&'static str; 6] = ["raw", "npy", "csv", "tsv", "mtx", "wav"];

    /// By the ending of a name.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = |path: &Path| path.extension().and_then(|ending| ending.to_str()).map(str::to_string);
        match ending(path)?.as_str() {
            "gz" => ending(&path.with_extension(""))?.parse().ok(),
            other => other.parse().ok(),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Format, String> {
        match text {
            "raw" => Ok(Format::Raw),
            "npy" => Ok(Format::Npy),
            "csv" => Ok(Format::Csv),
            "tsv" => Ok(Format::Tsv),
            "mtx" => Ok(Format::MatrixMarket),
            "wav" => Ok(Format::Wav),
            _ => Err(format!("the formats are {}", Format::NAMES.join(", "))),
        }
    }
}
