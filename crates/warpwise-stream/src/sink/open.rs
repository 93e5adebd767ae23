//! Files for results, by their format.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::str::FromStr;

use super::{NpySink, RawSink, Sink, TextSink};

/// How elements are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputFormat {
    /// One after another, as in memory.
    Raw,
    /// NumPy's array file; not to a pipe, since its header says how many there are.
    Npy,
    /// A line each, with commas within vectors.
    Csv,
    /// A line each, with tabs within vectors.
    Tsv,
}

/// Creates a file, or takes standard output if the path is `-`. The format is told by the ending unless given.
pub fn create(path: &Path, format: Option<OutputFormat>) -> Result<Box<dyn Sink>, String> {
    let standard = path == Path::new("-");
    let name = if standard { "standard output".to_string() } else { path.display().to_string() };
    let ending = path.extension().and_then(|ending| ending.to_str());
    let told = || if standard { Some(OutputFormat::Csv) } else { ending?.parse().ok() };
    let format = format.or_else(told);
    let format = format.ok_or_else(|| format!("{name}: what format? The endings known are {NAMES}"))?;
    if standard && format == OutputFormat::Npy {
        return Err(format!("{name}: an .npy file says first how many elements it has; write to a file"));
    }
    let output: Box<dyn io::Write + Send> = if standard {
        Box::new(io::stdout())
    } else {
        let file = File::create(path).map_err(|error| format!("{name}: cannot create: {error}"))?;
        if format == OutputFormat::Npy {
            return Ok(Box::new(NpySink::new(&name, file)));
        }
        Box::new(file)
    };
    let buffered = BufWriter::with_capacity(1 << 16, output);
    Ok(match format {
        OutputFormat::Raw | OutputFormat::Npy => Box::new(RawSink::new(&name, buffered)),
        OutputFormat::Csv => Box::new(TextSink::new(&name, buffered, ',')),
        OutputFormat::Tsv => Box::new(TextSink::new(&name, buffered, '\t')),
    })
}

const NAMES: &str = "raw, npy, csv, tsv";

impl FromStr for OutputFormat {
    type Err = String;

    fn from_str(text: &str) -> Result<OutputFormat, String> {
        match text {
            "raw" => Ok(OutputFormat::Raw),
            "npy" => Ok(OutputFormat::Npy),
            "csv" => Ok(OutputFormat::Csv),
            "tsv" => Ok(OutputFormat::Tsv),
            _ => Err(format!("the formats are {NAMES}")),
        }
    }
}
