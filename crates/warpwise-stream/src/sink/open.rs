//! Output files, by format.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[cfg(feature = "arrow")]
use super::arrow::ArrowTable;
use super::closed::{UntilClosed, Watched};
use super::lines::WholeLines;
#[cfg(feature = "parquet")]
use super::parquet::ParquetTable;
use super::table::{ColumnSink, Table};
use super::text::TextTable;
use super::{ArraySink, RawSink, Sink};
use crate::source::absent;

/// The format of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputFormat {
    /// Elements one after another, as in memory.
    Raw,
    /// NumPy's array file; not to a pipe, since its header contains the number of elements.
    Npy,
    /// One array in the language's binary format; not to a pipe either.
    Binary,
    /// One line per element, with commas within vectors.
    Csv,
    /// One line per element, with tabs within vectors.
    Tsv,
    /// Arrow IPC: a file, or a stream to a pipe.
    #[cfg(feature = "arrow")]
    Arrow,
    /// A Parquet file.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// A file under a temporary name until it is complete.
#[derive(Debug)]
pub struct Partial {
    partial: PathBuf,
    whole: PathBuf,
    /// Lock that keeps other processes from writing the file.
    _lock: File,
}

/// A sink, and its partial file if there is one.
pub type Created = (Box<dyn Sink>, Option<Partial>);

/// The sinks of a table's columns, and the table's partial file if there is one.
pub type CreatedTable = (Vec<Box<dyn Sink>>, Option<Partial>);

/// Creates a file, or opens standard output if the path is `-`. Without a `format`, the ending decides.
pub fn create(path: &Path, format: Option<OutputFormat>) -> Result<Box<dyn Sink>, String> {
    only(path, sinks(path, None, format, &unnamed())?)
}

/// Creates an output as [`create`] does, but a file has `.partial` appended to its name until [`Partial::complete`] is called.
/// Until then, an existing file stays unchanged. Pipes and devices have no partial file. A partial file left by an earlier stream
/// is overwritten; one that another process is writing is not.
pub fn create_partial(path: &Path, format: Option<OutputFormat>) -> Result<Created, String> {
    let (sinks, partial) = create_columns(path, format, &unnamed())?;
    Ok((only(path, sinks)?, partial))
}

/// Creates an output for the columns of these names as [`create_partial`] does. Only tables have several columns.
pub fn create_columns(
    path: &Path,
    format: Option<OutputFormat>,
    names: &[String],
) -> Result<CreatedTable, String> {
    let Some((partial, whole)) = partial_of(path) else {
        return Ok((sinks(path, None, format, names)?, None));
    };
    check_format(path, format, names)?;
    let failed = |message: String| format!("{}: {message}", partial.display());
    let file = claim(&partial).map_err(failed)?;
    let lock = file.try_clone().map_err(|error| failed(format!("cannot create: {error}")))?;
    let sinks = sinks(path, Some(file), format, names)?;
    Ok((sinks, Some(Partial { partial, whole, _lock: lock })))
}

/// Returns the names of the columns of an output for one result.
fn unnamed() -> [String; 1] {
    [String::new()]
}

fn only(path: &Path, sinks: Vec<Box<dyn Sink>>) -> Result<Box<dyn Sink>, String> {
    sinks.into_iter().next().ok_or_else(|| format!("{}: there are no results", path.display()))
}

/// Returns the sinks of columns that are written to a file, or to what the path names.
fn sinks(
    path: &Path,
    file: Option<File>,
    format: Option<OutputFormat>,
    names: &[String],
) -> Result<Vec<Box<dyn Sink>>, String> {
    let format = check_format(path, format, names)?;
    if path == Path::new("-") {
        return Ok(standard(format, names));
    }
    let name = path.display().to_string();
    let file = match file {
        Some(file) => file,
        None => File::create(path).map_err(|error| format!("{name}: cannot create: {error}"))?,
    };
    Ok(sinks_of_file(&name, file, format, names))
}

/// Returns the format for a path, if it can hold these columns.
fn check_format(path: &Path, format: Option<OutputFormat>, names: &[String]) -> Result<OutputFormat, String> {
    let format = format_of(path, format)?;
    match (format.is_table(), names) {
        (true, _) | (false, [_]) => Ok(format),
        (false, _) => {
            let name = if path == Path::new("-") { STANDARD.to_string() } else { path.display().to_string() };
            Err(format!(
                "{name}: such an output holds one result, but there are {}: name an output for each, or a table (csv, tsv, arrow, parquet) for all",
                names.len()
            ))
        }
    }
}

/// Returns the temporary and the final path of the results for this path; `None` for standard output, pipes and devices.
pub fn partial_of(path: &Path) -> Option<(PathBuf, PathBuf)> {
    // A symbolic link stays a link.
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if path == Path::new("-") || whole.exists() && !whole.is_file() {
        return None;
    }
    let mut partial = whole.clone().into_os_string();
    partial.push(".partial");
    Some((PathBuf::from(partial), whole))
}

/// Opens an empty file of this name that nobody else writes as long as it is open. Links are not followed.
fn claim(path: &Path) -> Result<File, String> {
    let failed = |error: io::Error| format!("cannot create: {error}");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    loop {
        let file = options.open(path).map_err(|error| match path.is_symlink() {
            true => "is a link, which is not followed".to_string(),
            false => failed(error),
        })?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() || names(&metadata) > 1 {
            return Err("is in use for something else".to_string());
        }
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err("another process is writing this".to_string()),
            // Some file systems do not support locks.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        // The file may meanwhile have been completed, and then has another name.
        if fs::symlink_metadata(path).is_ok_and(|now| is_same(&metadata, &now)) {
            file.set_len(0).map_err(failed)?;
            return Ok(file);
        }
    }
}

#[cfg(unix)]
fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(unix)]
fn is_same(x: &Metadata, y: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (x.dev(), x.ino()) == (y.dev(), y.ino())
}

#[cfg(not(unix))]
fn names(_: &Metadata) -> u64 {
    1
}

#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

impl Partial {
    /// Returns the path of the partial file.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Removes the file.
    pub fn discard(self) -> Result<(), String> {
        fs::remove_file(&self.partial)
            .map_err(|error| format!("{}: cannot remove: {error}", self.partial.display()))
    }

    /// Gives the file its final name.
    pub fn complete(self) -> Result<(), String> {
        let Partial { partial, whole, _lock } = self;
        fs::rename(&partial, &whole).map_err(|error| format!("{}: cannot rename: {error}", partial.display()))
    }
}

/// Returns the format for a path.
fn format_of(path: &Path, format: Option<OutputFormat>) -> Result<OutputFormat, String> {
    let standard = path == Path::new("-");
    let name = if standard { STANDARD.to_string() } else { path.display().to_string() };
    let ending = path.extension().and_then(|ending| ending.to_str());
    let format = match (format, ending) {
        (Some(format), _) => format,
        (None, _) if standard => OutputFormat::Csv,
        (None, ending) => ending
            .and_then(OutputFormat::by_name)
            .ok_or_else(|| format!("{name}: what format? The endings known are {NAMES}; --output-format FORMAT says it for other names"))?
            .map_err(|feature| absent(&name, feature))?,
    };
    if standard && matches!(format, OutputFormat::Npy | OutputFormat::Binary) {
        return Err(format!("{name}: such a file says first how many elements it has; write to a file"));
    }
    Ok(format)
}

/// Name of standard output in messages.
const STANDARD: &str = "standard output";

fn standard(format: OutputFormat, names: &[String]) -> Vec<Box<dyn Sink>> {
    let output = UntilClosed::new(io::stdout());
    let closed = output.closed();
    sinks_to(STANDARD, BufWriter::with_capacity(1 << 16, output), closed, format, names, true)
}

/// Returns the sinks of an open file, which may be a pipe or a device.
fn sinks_of_file(name: &str, file: File, format: OutputFormat, names: &[String]) -> Vec<Box<dyn Sink>> {
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let lines =
        |file, separator| columns(Box::new(TextTable::new(name, WholeLines::new(file), separator)), names);
    match format {
        OutputFormat::Npy => return vec![Box::new(ArraySink::npy(name, file))],
        OutputFormat::Binary => return vec![Box::new(ArraySink::binary(name, file))],
        OutputFormat::Raw if is_file => return vec![Box::new(ArraySink::raw(name, file))],
        OutputFormat::Csv if is_file => return lines(file, ','),
        OutputFormat::Tsv if is_file => return lines(file, '\t'),
        _ => {}
    }
    let output = UntilClosed::new(file);
    let closed = output.closed();
    sinks_to(name, BufWriter::with_capacity(1 << 16, output), closed, format, names, !is_file)
}

/// Returns the sinks of an output that its reader may close.
// Only Arrow has a special form for pipes.
#[cfg_attr(not(feature = "arrow"), allow(unused_variables))]
fn sinks_to<W: io::Write + Send + 'static>(
    name: &str,
    output: W,
    closed: Arc<AtomicBool>,
    format: OutputFormat,
    names: &[String],
    is_pipe: bool,
) -> Vec<Box<dyn Sink>> {
    let table: Box<dyn Table> = match format {
        OutputFormat::Raw | OutputFormat::Npy | OutputFormat::Binary => {
            let sink: Box<dyn Sink> = Box::new(RawSink::new(name, output));
            return vec![Box::new(Watched::new(sink, closed))];
        }
        OutputFormat::Csv => Box::new(TextTable::new(name, output, ',')),
        OutputFormat::Tsv => Box::new(TextTable::new(name, output, '\t')),
        #[cfg(feature = "arrow")]
        OutputFormat::Arrow if is_pipe => Box::new(ArrowTable::stream(name, output)),
        #[cfg(feature = "arrow")]
        OutputFormat::Arrow => Box::new(ArrowTable::file(name, output)),
        #[cfg(feature = "parquet")]
        OutputFormat::Parquet => Box::new(ParquetTable::new(name, output)),
    };
    columns(Box::new(Watched::new(table, closed)), names)
}

/// Returns the sinks of a table's columns.
fn columns(table: Box<dyn Table>, names: &[String]) -> Vec<Box<dyn Sink>> {
    ColumnSink::several(table, names).into_iter().map(|sink| Box::new(sink) as Box<dyn Sink>).collect()
}

const NAMES: &str = "raw, npy, bin, csv, tsv, arrow, parquet";

impl OutputFormat {
    /// Returns whether the format has columns, so that it can hold several results.
    pub fn is_table(self) -> bool {
        match self {
            OutputFormat::Raw | OutputFormat::Npy | OutputFormat::Binary => false,
            OutputFormat::Csv | OutputFormat::Tsv => true,
            #[cfg(feature = "arrow")]
            OutputFormat::Arrow => true,
            #[cfg(feature = "parquet")]
            OutputFormat::Parquet => true,
        }
    }

    /// Returns the format of this name, or the feature that this build lacks to write it; `None` for unknown names.
    fn by_name(name: &str) -> Option<Result<OutputFormat, &'static str>> {
        match name {
            "raw" => Some(Ok(OutputFormat::Raw)),
            "npy" => Some(Ok(OutputFormat::Npy)),
            "bin" => Some(Ok(OutputFormat::Binary)),
            "csv" => Some(Ok(OutputFormat::Csv)),
            "tsv" => Some(Ok(OutputFormat::Tsv)),
            #[cfg(feature = "arrow")]
            "arrow" | "feather" => Some(Ok(OutputFormat::Arrow)),
            #[cfg(not(feature = "arrow"))]
            "arrow" | "feather" => Some(Err("arrow")),
            #[cfg(feature = "parquet")]
            "parquet" => Some(Ok(OutputFormat::Parquet)),
            #[cfg(not(feature = "parquet"))]
            "parquet" => Some(Err("parquet")),
            _ => None,
        }
    }
}

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<OutputFormat, String> {
        let known = OutputFormat::by_name(text).ok_or_else(|| format!("the formats are {NAMES}"))?;
        known.map_err(|feature| absent(text, feature))
    }
}
