//! Files for results, by their format.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::closed::{UntilClosed, Watched};
use super::{ArraySink, ArrowSink, ParquetSink, RawSink, Sink, TextSink};

/// How elements are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputFormat {
    /// One after another, as in memory.
    Raw,
    /// NumPy's array file; not to a pipe, since its header says how many there are.
    Npy,
    /// One array in the language's binary format; not to a pipe, either.
    Binary,
    /// A line each, with commas within vectors.
    Csv,
    /// A line each, with tabs within vectors.
    Tsv,
    /// Arrow IPC: a file, or a stream to a pipe.
    Arrow,
    /// A Parquet file.
    Parquet,
}

/// A file under another name until it is whole.
#[derive(Debug)]
pub struct Partial {
    partial: PathBuf,
    whole: PathBuf,
}

/// A sink, and what becomes of its file.
pub type Created = (Box<dyn Sink>, Option<Partial>);

/// Creates a file, or takes standard output if the path is `-`. The format is told by the ending unless given.
pub fn create(path: &Path, format: Option<OutputFormat>) -> Result<Box<dyn Sink>, String> {
    create_at(path, path, format)
}

/// As [`create`], but what becomes a file has `.partial` behind its name until [`Partial::complete`] is called. A file
/// that was there stays as it is until then. There is nothing to complete of pipes and devices.
pub fn create_partial(path: &Path, format: Option<OutputFormat>) -> Result<Created, String> {
    // A link stays one.
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let special = path == Path::new("-") || whole.exists() && !whole.is_file();
    if special {
        return Ok((create(path, format)?, None));
    }
    let mut partial = whole.clone().into_os_string();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let sink = create_at(&partial, path, format)?;
    Ok((sink, Some(Partial { partial, whole })))
}

impl Partial {
    /// What there is of the file.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Gives the file its name.
    pub fn complete(self) -> Result<(), String> {
        let Partial { partial, whole } = self;
        std::fs::rename(&partial, &whole)
            .map_err(|error| format!("{}: cannot rename: {error}", partial.display()))
    }
}

/// Creates the file at `place` for the results that `path` names.
fn create_at(place: &Path, path: &Path, format: Option<OutputFormat>) -> Result<Box<dyn Sink>, String> {
    let standard = path == Path::new("-");
    let name = if standard { "standard output".to_string() } else { path.display().to_string() };
    let ending = path.extension().and_then(|ending| ending.to_str());
    let told = || if standard { Some(OutputFormat::Csv) } else { ending?.parse().ok() };
    let format = format.or_else(told);
    let format = format.ok_or_else(|| format!("{name}: what format? The endings known are {NAMES}"))?;
    if standard && matches!(format, OutputFormat::Npy | OutputFormat::Binary) {
        return Err(format!("{name}: such a file says first how many elements it has; write to a file"));
    }
    if standard {
        let output = UntilClosed::new(io::stdout());
        let closed = output.closed();
        let sink = sink_to(&name, BufWriter::with_capacity(1 << 16, output), format, true);
        return Ok(Box::new(Watched::new(sink, closed)));
    }
    let file = File::create(place).map_err(|error| format!("{name}: cannot create: {error}"))?;
    match format {
        OutputFormat::Npy => return Ok(Box::new(ArraySink::npy(&name, file))),
        OutputFormat::Binary => return Ok(Box::new(ArraySink::binary(&name, file))),
        _ => {}
    }
    let is_pipe = file.metadata().is_ok_and(|metadata| !metadata.is_file());
    let output = UntilClosed::new(file);
    let closed = output.closed();
    let sink = sink_to(&name, BufWriter::with_capacity(1 << 16, output), format, is_pipe);
    Ok(Box::new(Watched::new(sink, closed)))
}

fn sink_to<W: io::Write + Send + 'static>(
    name: &str,
    output: W,
    format: OutputFormat,
    is_pipe: bool,
) -> Box<dyn Sink> {
    match format {
        OutputFormat::Raw | OutputFormat::Npy | OutputFormat::Binary => Box::new(RawSink::new(name, output)),
        OutputFormat::Csv => Box::new(TextSink::new(name, output, ',')),
        OutputFormat::Tsv => Box::new(TextSink::new(name, output, '\t')),
        OutputFormat::Arrow if is_pipe => Box::new(ArrowSink::stream(name, output)),
        OutputFormat::Arrow => Box::new(ArrowSink::file(name, output)),
        OutputFormat::Parquet => Box::new(ParquetSink::new(name, output)),
    }
}

const NAMES: &str = "raw, npy, bin, csv, tsv, arrow, parquet";

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<OutputFormat, String> {
        match text {
            "raw" => Ok(OutputFormat::Raw),
            "npy" => Ok(OutputFormat::Npy),
            "bin" => Ok(OutputFormat::Binary),
            "csv" => Ok(OutputFormat::Csv),
            "tsv" => Ok(OutputFormat::Tsv),
            "arrow" | "feather" => Ok(OutputFormat::Arrow),
            "parquet" => Ok(OutputFormat::Parquet),
            _ => Err(format!("the formats are {NAMES}")),
        }
    }
}
