//! Opening files by their format.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::Path;
use std::str::FromStr;

#[cfg(feature = "csv")]
use encoding_rs::Encoding;
#[cfg(feature = "gzip")]
use flate2::read::MultiGzDecoder;
use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;
use warpwise_runtime::memory::MemoryPool;

#[cfg(feature = "csv")]
use super::TableSource;
#[cfg(feature = "wav")]
use super::WavSource;
#[cfg(feature = "arrow")]
use super::arrow::{ArrowInput, arrow};
use super::binding::{Leaf, bind};
use super::bytes::Rows;
use super::notes::Notes;
#[cfg(feature = "parquet")]
use super::parquet::parquet;
use super::piped::{Arrivals, Piped};
#[cfg(feature = "csv")]
use super::table_style::TableOptions;
use super::table_style::TableStyle;
#[cfg(feature = "wav")]
use super::wav;
use super::{ByteSource, MappedSource, MatrixMarketSource, Source};
use crate::element::ElementType;

/// The format of a file of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Elements one after another, as in memory.
    Raw,
    /// NumPy's array file.
    Npy,
    /// One array in the language's binary format.
    Binary,
    /// Text with commas between fields.
    Csv,
    /// Text with tabs between fields.
    Tsv,
    /// A Matrix Market file.
    MatrixMarket,
    /// WAV audio.
    Wav,
    /// Arrow IPC, as a file or a stream.
    Arrow,
    /// A Parquet file.
    Parquet,
}

/// The elements that the program takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wanted {
    /// Type of the scalars.
    pub scalar: ValueType,
    /// Number of dimensions of an element.
    pub rank: usize,
}

/// Options of a source.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// The format; if `None`, the file's ending decides.
    pub format: Option<Format>,
    /// The requested column of a table.
    pub column: Option<String>,
    /// Whether the first line of a table holds no names.
    pub no_header: bool,
    /// Notation of a table.
    pub table: TableStyle,
    /// Receiver of notes about the input.
    pub notes: Notes,
    /// Sizes of an element in raw data.
    pub shape: Vec<i64>,
    /// Whether files are read even if they could be mapped into memory.
    pub unmapped: bool,
    /// Memory for data that is read in larger units than requested, which counts in it. If `None`, each source may take as much
    /// as [`MemoryPool::with_default_limit`] allows.
    pub memory: Option<MemoryPool>,
}

impl SourceOptions {
    /// Returns the format of an input.
    pub fn format_of(&self, path: &Path) -> Result<Format, String> {
        self.format.or_else(|| Format::of(path)).ok_or_else(|| {
            format!(
                "{}: what format is this? The endings known are {}, also with .gz; --input-format FORMAT says it for other names",
                name_of(path),
                Format::NAMES.join(", ")
            )
        })
    }
}

#[cfg(feature = "arrow")]
impl SourceOptions {
    fn memory(&self) -> MemoryPool {
        self.memory.clone().unwrap_or_else(MemoryPool::with_default_limit)
    }
}

/// Opens an input for several arrays, which take columns of it as [`bind`] describes. An input without columns suffices for one
/// array only.
pub fn open_columns(
    path: &Path,
    leaves: &[Leaf],
    options: &SourceOptions,
) -> Result<Vec<Box<dyn Source>>, String> {
    let name = name_of(path);
    let located = |message: String| format!("{name}: {message}");
    let format = options.format_of(path)?;
    if matches!(format, Format::Csv | Format::Tsv) {
        return open_table(path, format, leaves, options);
    }
    let names = column_names(path, format).map_err(located)?;
    let columns = match (&names, leaves) {
        (Some(names), _) => {
            bind(&names.iter().map(String::as_str).collect::<Vec<_>>(), leaves).map_err(located)?
        }
        (None, [only]) => vec![only.column.clone()],
        (None, _) => {
            let arrays = leaves.iter().map(|leaf| format!("`{}`", leaf.name)).collect::<Vec<_>>().join(", ");
            let first = leaves.first().map_or("", |leaf| &leaf.name);
            let remedy = match format.has_columns() {
                true => "only one column can be read from a pipe in this format: write it to a file first"
                    .to_string(),
                false => format!("`--input {first}=FILE` names a file for one of them"),
            };
            return Err(located(format!("one such input cannot hold all of {arrays}; {remedy}")));
        }
    };
    let source = |(leaf, column): (&Leaf, Option<String>)| {
        open(path, leaf.wanted, &SourceOptions { column, ..options.clone() })
    };
    leaves.iter().zip(columns).map(source).collect()
}

/// Opens a table of text for several arrays.
#[cfg(feature = "csv")]
fn open_table(
    path: &Path,
    format: Format,
    leaves: &[Leaf],
    options: &SourceOptions,
) -> Result<Vec<Box<dyn Source>>, String> {
    let name = name_of(path);
    let input = Input::open(path).map_err(|error| format!("{name}: cannot read: {error}"))?;
    let table = table_options(format, input.mark, options);
    let sources = TableSource::several(&name, input.reader, leaves, &table, input.arrivals)?;
    Ok(sources.into_iter().map(|source| Box::new(source) as Box<dyn Source>).collect())
}

#[cfg(not(feature = "csv"))]
fn open_table(path: &Path, _: Format, _: &[Leaf], _: &SourceOptions) -> Result<Vec<Box<dyn Source>>, String> {
    Err(absent(&name_of(path), "csv"))
}

/// Returns the names of an input's columns, if it has columns and they can be found out before it is read.
fn column_names(path: &Path, format: Format) -> Result<Option<Vec<String>>, String> {
    let failed = |error: io::Error| format!("cannot read: {error}");
    let is_file = path.is_file();
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet if is_file => super::parquet::names(File::open(path).map_err(failed)?).map(Some),
        #[cfg(feature = "arrow")]
        Format::Arrow if is_file => {
            let Input { reader, .. } = Input::open(path).map_err(failed)?;
            super::arrow::names(ArrowInput::Reader(reader)).map(Some)
        }
        Format::MatrixMarket if is_file => Ok(Some(MatrixMarketSource::COLUMNS.map(str::to_string).to_vec())),
        Format::Raw
        | Format::Npy
        | Format::Binary
        | Format::Csv
        | Format::Tsv
        | Format::MatrixMarket
        | Format::Wav
        | Format::Arrow
        | Format::Parquet => Ok(None),
    }
}

/// Returns the name of an input in messages.
fn name_of(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_string() } else { path.display().to_string() }
}

/// Opens a file, or standard input if the path is `-`. Data compressed by gzip is decompressed. Uncompressed files of raw data,
/// of an array, of audio or in Arrow's format are mapped into memory where possible.
pub fn open(path: &Path, wanted: Wanted, options: &SourceOptions) -> Result<Box<dyn Source>, String> {
    let standard = path == Path::new("-");
    let name = name_of(path);
    let failed = |error: io::Error| format!("{name}: cannot read: {error}");
    let format = options.format_of(path)?;
    let is_compressed = path.extension().is_some_and(|ending| ending == "gz");
    let file = if standard { None } else { Some(File::open(path).map_err(failed)?) };
    let in_place = match &file {
        Some(file) if !is_compressed => from_file(format, &name, file, wanted, options)?,
        Some(_) | None => None,
    };
    let source = match (in_place, file) {
        (Some(source), _) => source,
        (None, file) => {
            let input = Input::new(file, is_compressed).map_err(failed)?;
            read_as(format, &name, input, wanted, options)?
        }
    };
    let element = source.element();
    if (element.scalar, element.shape.len()) != (wanted.scalar, wanted.rank) {
        let expected = format!("{}{}", "[]".repeat(wanted.rank), wanted.scalar.name());
        return Err(format!("{name}: the elements are of type {element}, but {expected} is expected"));
    }
    Ok(source)
}

/// Returns a source that needs the file itself, not only its bytes in order, if there is one for the format; otherwise the file
/// is at its start.
fn from_file(
    format: Format,
    name: &str,
    mut file: &File,
    wanted: Wanted,
    options: &SourceOptions,
) -> Result<Option<Box<dyn Source>>, String> {
    let failed = |error: io::Error| format!("{name}: cannot read: {error}");
    let metadata = file.metadata().map_err(failed)?;
    let mappable = metadata.is_file() && metadata.len() > 0 && !options.unmapped;
    let own = || file.try_clone().map_err(failed);
    let boxed = |source: MappedSource| Box::new(source) as Box<dyn Source>;
    let column = options.column.as_deref();
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet if metadata.is_file() => {
            Ok(Some(Box::new(parquet(name, own()?, column, wanted, options.table.missing.as_deref())?)))
        }
        Format::Raw if mappable && column.is_none() && !is_gzip(file).map_err(failed)? => {
            let element = ElementType { scalar: wanted.scalar, shape: Shape::from_slice(&options.shape) };
            Ok(MappedSource::new(name, own()?, element, 0, None).map_err(failed)?.map(boxed))
        }
        Format::Npy | Format::Binary if mappable && column.is_none() && !is_gzip(file).map_err(failed)? => {
            let rows = if format == Format::Npy { Rows::of_npy } else { Rows::of_binary };
            let rows = rows(name, &mut file)?;
            let at = file.stream_position().map_err(failed)?;
            file.rewind().map_err(failed)?;
            if rows.big_endian {
                return Ok(None);
            }
            let mapped = MappedSource::new(name, own()?, rows.element, at, Some(rows.count));
            Ok(mapped.map_err(failed)?.map(boxed))
        }
        #[cfg(feature = "wav")]
        Format::Wav if mappable && column.is_none() && !is_gzip(file).map_err(failed)? => {
            Ok(wav::mapped(name, file, wanted.rank)?.map(boxed))
        }
        #[cfg(feature = "arrow")]
        Format::Arrow if mappable && !is_gzip(file).map_err(failed)? => {
            let input = ArrowInput::mapped(file).map_err(failed)?;
            Ok(Some(Box::new(arrow(
                name,
                input,
                column,
                wanted,
                options.table.missing.as_deref(),
                options.memory(),
            )?)))
        }
        Format::Raw
        | Format::Npy
        | Format::Binary
        | Format::Arrow
        | Format::Parquet
        | Format::Csv
        | Format::Tsv
        | Format::MatrixMarket
        | Format::Wav => Ok(None),
    }
}

/// Returns whether a file that is at its start begins with the magic bytes of gzip.
fn is_gzip(mut file: &File) -> io::Result<bool> {
    let mut start = Vec::new();
    file.take(2).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(start == GZIP)
}

fn read_as(
    format: Format,
    name: &str,
    Input {
        mut reader,
        arrivals,
        #[cfg(feature = "csv")]
        mark,
    }: Input,
    wanted: Wanted,
    options: &SourceOptions,
) -> Result<Box<dyn Source>, String> {
    let scalar = wanted.scalar;
    if let (false, Some(column)) = (format.has_columns(), &options.column) {
        return Err(format!("{name}: such a file has no columns, so none is called `{column}`"));
    }
    Ok(match format {
        Format::Raw => {
            let element = ElementType { scalar, shape: Shape::from_slice(&options.shape) };
            Box::new(ByteSource::raw(name, reader, element)?.arriving(arrivals))
        }
        Format::Npy => {
            let rows = Rows::of_npy(name, &mut reader)?;
            Box::new(ByteSource::rows(name, reader, rows).arriving(arrivals))
        }
        Format::Binary => {
            let rows = Rows::of_binary(name, &mut reader)?;
            Box::new(ByteSource::rows(name, reader, rows).arriving(arrivals))
        }
        #[cfg(feature = "csv")]
        Format::Csv | Format::Tsv => {
            let leaf = Leaf { name: String::new(), wanted, column: options.column.clone() };
            let table = table_options(format, mark, options);
            let mut sources = TableSource::several(name, reader, &[leaf], &table, arrivals)?;
            Box::new(sources.pop().ok_or_else(|| format!("{name}: nothing is read"))?)
        }
        Format::MatrixMarket => {
            Box::new(MatrixMarketSource::new(name, reader, scalar, options.column.as_deref())?)
        }
        #[cfg(feature = "wav")]
        Format::Wav => Box::new(WavSource::new(name, Box::new(io::BufReader::new(reader)), wanted.rank)?),
        #[cfg(feature = "arrow")]
        Format::Arrow => Box::new(arrow(
            name,
            ArrowInput::Reader(reader),
            options.column.as_deref(),
            wanted,
            options.table.missing.as_deref(),
            options.memory(),
        )?),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Err(absent(name, "parquet")),
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            return Err(format!(
                "{name}: a Parquet file says at its end what it holds; it cannot be read from a pipe"
            ));
        }
        #[cfg(not(feature = "csv"))]
        Format::Csv | Format::Tsv => return Err(absent(name, "csv")),
        #[cfg(not(feature = "wav"))]
        Format::Wav => return Err(absent(name, "wav")),
        #[cfg(not(feature = "arrow"))]
        Format::Arrow => return Err(absent(name, "arrow")),
    })
}

/// Returns how a table is written.
#[cfg(feature = "csv")]
fn table_options(format: Format, mark: Option<&'static Encoding>, options: &SourceOptions) -> TableOptions {
    let separator = match (format, options.table.decimal) {
        (Format::Tsv, _) => b'\t',
        (_, Some(',')) => b';',
        _ => b',',
    };
    TableOptions {
        separator: options.table.separator.unwrap_or(separator),
        style: TableStyle { encoding: options.table.encoding.or(mark), ..options.table.clone() },
        header: !options.no_header,
        column: options.column.clone(),
        notes: options.notes.clone(),
    }
}

/// Returns the message for a file, or a format, that this build has no library for.
pub(crate) fn absent(name: &str, feature: &str) -> String {
    format!("{name}: this build of Warpwise was made without the feature `{feature}`")
}

/// The magic bytes of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Bytes to be read in order.
struct Input {
    reader: Box<dyn io::Read + Send>,
    /// Arrivals of a pipe or a terminal that is read uncompressed.
    arrivals: Option<Arrivals>,
    /// The encoding of text that begins with a byte order mark.
    #[cfg(feature = "csv")]
    mark: Option<&'static Encoding>,
}

impl Input {
    /// Opens a file, or standard input if the path is `-`, as [`Input::new`] does.
    fn open(path: &Path) -> io::Result<Input> {
        let file = if path == Path::new("-") { None } else { Some(File::open(path)?) };
        Input::new(file, path.extension().is_some_and(|ending| ending == "gz"))
    }

    /// Opens a file, or standard input if there is none. Decompresses it if it is `named` as compressed or begins like compressed
    /// data.
    fn new(file: Option<File>, named: bool) -> io::Result<Input> {
        let mut piped = match file {
            Some(file) => Piped::new(file),
            None => Piped::standard_input()?,
        };
        let arrivals = piped.arrivals()?;
        let start = piped.peek(GZIP.len())?;
        if named && !start.is_empty() && start != GZIP {
            let why = "its name says that it is compressed, but its contents are not compressed by gzip";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        if named || start == GZIP {
            return Input::decompressed(piped);
        }
        // UTF-8's mark is longer than `start`, and needs no special treatment.
        #[cfg(feature = "csv")]
        let mark = Encoding::for_bom(start).map(|(encoding, _)| encoding);
        Ok(Input {
            reader: Box::new(piped),
            arrivals,
            #[cfg(feature = "csv")]
            mark,
        })
    }

    #[cfg(feature = "gzip")]
    fn decompressed(piped: Piped) -> io::Result<Input> {
        Ok(Input {
            reader: Box::new(MultiGzDecoder::new(piped)),
            arrivals: None,
            #[cfg(feature = "csv")]
            mark: None,
        })
    }

    #[cfg(not(feature = "gzip"))]
    fn decompressed(_: Piped) -> io::Result<Input> {
        let why = "it is compressed, and this build of Warpwise was made without the feature `gzip`";
        Err(io::Error::new(io::ErrorKind::Unsupported, why))
    }
}

impl Format {
    const NAMES: [&'static str; 9] = ["raw", "npy", "bin", "csv", "tsv", "mtx", "wav", "arrow", "parquet"];

    /// Returns whether inputs of this format have columns with names or numbers.
    pub fn has_columns(&self) -> bool {
        match self {
            Format::Csv | Format::Tsv | Format::MatrixMarket | Format::Arrow | Format::Parquet => true,
            Format::Raw | Format::Npy | Format::Binary | Format::Wav => false,
        }
    }

    /// Returns the format for the ending of a name.
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
            "bin" => Ok(Format::Binary),
            "csv" => Ok(Format::Csv),
            "tsv" => Ok(Format::Tsv),
            "mtx" => Ok(Format::MatrixMarket),
            "wav" => Ok(Format::Wav),
            "arrow" | "arrows" | "feather" | "ipc" => Ok(Format::Arrow),
            "parquet" => Ok(Format::Parquet),
            _ => Err(format!("the formats are {}", Format::NAMES.join(", "))),
        }
    }
}
