//! `warpwise run` with insufficient memory: in chunks, if the shape of the entry point allows it.
//!
//! The results are bitwise equal to those of a run with enough memory. Arguments in `.npy` files and in binary files are read as
//! they are needed, and results for such files are written as they come; everything else has to fit into memory.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use warpwise_driver::cache::DiskCache;
use warpwise_driver::chunks::{ChunksError, build_chunks};
use warpwise_driver::{CallError, Context, Entry, FlatType, Options, ResultOf};
use warpwise_runtime::array::Value;
use warpwise_runtime::execute::RunError;
use warpwise_runtime::formats::is_binary;
use warpwise_stream::chunks::{Chunks, Given};
use warpwise_stream::pipeline::Grouping;
use warpwise_stream::sink::{Gathered, MemorySink, OutputFormat, Partial, Sink, create_partial};
use warpwise_stream::source::{Format, Source, SourceOptions, ValueSource, Wanted, open};

use super::stream::{Pace, Ran, complete, drive};
use crate::arguments::read_argument;
use crate::failure::Failure;
use crate::output::say;

/// A run with insufficient memory.
pub struct Large<'a> {
    /// File of the program.
    pub file: &'a Path,
    /// Options that it is compiled with.
    pub options: &'a Options,
    /// Entry point to run.
    pub entry: &'a Entry,
    /// Word for each of its parameters.
    pub words: &'a [String],
    /// Output files.
    pub outputs: &'a [PathBuf],
    /// Threads and memory that it runs on.
    pub context: &'a Context,
    /// Cache of compiled pieces.
    pub cache: Option<&'a DiskCache>,
}

/// The sources of rows.
type Sources = Vec<Box<dyn Source>>;

/// Number of rows below which the code for a row may combine floats in another order.
const FEW_ROWS: u64 = 64;

/// Maximum number of rows of a chunk.
const MOST_ROWS: u64 = 1 << 20;

/// Ratio of the memory to the size of a chunk. It is large because several chunks are in flight, and their results need memory as well.
const PART: u64 = 32;

impl Large<'_> {
    /// Returns the total size of those argument files that can be read in parts.
    pub fn bytes_in_files(&self) -> u64 {
        self.words.iter().filter(|word| format_in_parts(word).is_some()).map(|word| size(word)).sum()
    }

    /// Runs in chunks. Returns the results in order, `None` for those written to their files, or the reason why chunks are impossible.
    pub fn run(&self, why: &str) -> Result<Result<Vec<Option<Value>>, String>, Failure> {
        let parameters = self.entry.parameters();
        let arrays = (0..parameters.len()).filter(|&number| parameters[number].rank > 0);
        let Some(largest) = arrays.max_by_key(|&number| self.words.get(number).map_or(0, |word| size(word)))
        else {
            return Ok(Err("no argument is an array".to_string()));
        };
        if self.words.len() != parameters.len() {
            return Ok(Err("its arguments are not named one by one".to_string()));
        }
        let built = match build_chunks(self.file, self.options, &self.entry.point.name, largest, self.cache) {
            Ok(built) => built.made,
            Err(ChunksError::Refused(why)) => return Ok(Err(why)),
            Err(ChunksError::Build(error)) => return Err(Failure::Build(error)),
        };
        let program =
            built.compiled.load(self.context).map_err(|error| Failure::Failed(error.to_string()))?;
        let (given, sources) = self.given(&parameters, &built.shape.streamed)?;
        let rows = chunk_rows(&sources, built.rows, built.shape.rounds_inside, self.context.memory().limit());
        let name = &parameters[largest].name;
        say(&format!("note: {why}; the entry point runs on {rows} rows of `{name}` at a time"));
        let mut step = Chunks::new(&program, &built.shape, given).map_err(Failure::Call)?;
        let Outputs { sinks, partial, gathered } = self.outputs(&built.shape.results)?;
        let pace = Pace { grouping: Grouping::Blocks(rows), patience: None };
        let ran = drive(self.context, pace, sources, &mut step, (sinks, &partial), false);
        let Ran { elements, result } = ran;
        let finished = result.and_then(|()| step.finish().map_err(Failure::Call));
        let (result, after) = match finished {
            Ok(after) => (Ok(()), after),
            Err(failure) => (Err(failure), Vec::new()),
        };
        complete(partial, Ran { elements, result })?;
        Ok(Ok(results(&built.shape.results, &gathered, &after)))
    }

    /// Reads the arguments that are not streamed, and opens sources for those that are.
    fn given(&self, parameters: &[FlatType], streamed: &[usize]) -> Result<(Vec<Given>, Sources), Failure> {
        let (mut given, mut sources) = (Vec::new(), Vec::new());
        for (number, (parameter, word)) in parameters.iter().zip(self.words).enumerate() {
            if !streamed.contains(&number) {
                given.push(Given::Whole(read_argument(number, word, parameter, self.context.memory())?));
                continue;
            }
            let source = self.source(number, parameter, word)?;
            let element = source.element();
            let rows = source.left().unwrap_or(0);
            given.push(Given::Rows(element.shape_of(rows).to_vec()));
            sources.push(source);
        }
        Ok((given, sources))
    }

    fn source(&self, number: usize, parameter: &FlatType, word: &str) -> Result<Box<dyn Source>, Failure> {
        if let Some(format) = format_in_parts(word) {
            let wanted = Wanted { scalar: parameter.element, rank: parameter.rank.saturating_sub(1) };
            let options = SourceOptions { format: Some(format), ..SourceOptions::default() };
            return open(Path::new(word), wanted, &options).map_err(Failure::Failed);
        }
        let value = read_argument(number, word, parameter, self.context.memory())?;
        let Value::Array { ty, array } = value else {
            return Err(Failure::Failed(format!("{word}: no array")));
        };
        Ok(Box::new(ValueSource::new(&parameter.name, ty, array).map_err(Failure::Failed)?))
    }

    fn outputs(&self, results: &[ResultOf]) -> Result<Outputs, Failure> {
        let mut outputs = Outputs { sinks: Vec::new(), partial: Vec::new(), gathered: Vec::new() };
        for (number, result) in results.iter().enumerate() {
            let ResultOf::Output(_) = result else { continue };
            let own = self.outputs.get(number).filter(|_| self.outputs.len() == results.len());
            let format = own.and_then(|path| path.extension()).and_then(|ending| match ending.to_str()? {
                "npy" => Some(OutputFormat::Npy),
                "bin" => Some(OutputFormat::Binary),
                _ => None,
            });
            match own.zip(format) {
                Some((path, format)) => {
                    let created = create_partial(path, Some(format));
                    let (sink, partial) = created.map_err(Failure::Failed)?;
                    outputs.sinks.push(sink);
                    outputs.partial.extend(partial);
                    outputs.gathered.push(None);
                }
                None => {
                    let sink = MemorySink::new(&format!("result {}", number + 1), self.context.memory());
                    outputs.gathered.push(Some(sink.gathered()));
                    outputs.sinks.push(Box::new(sink));
                }
            }
        }
        Ok(outputs)
    }
}

/// The targets of rows of results.
struct Outputs {
    sinks: Vec<Box<dyn Sink>>,
    partial: Vec<Partial>,
    /// Results that are not written to a file immediately.
    gathered: Vec<Option<Gathered>>,
}

fn results(results: &[ResultOf], gathered: &[Option<Gathered>], after: &[Value]) -> Vec<Option<Value>> {
    let result = |result: &ResultOf| match *result {
        ResultOf::Output(place) => gathered.get(place)?.as_ref()?.take(),
        ResultOf::After(place) => after.get(place).cloned(),
    };
    results.iter().map(result).collect()
}

/// Returns the number of rows of a chunk, chosen so that several chunks and their results fit into memory.
fn chunk_rows(sources: &[Box<dyn Source>], demanded: Option<u64>, rounds_inside: bool, limit: u64) -> u64 {
    if let Some(rows) = demanded {
        return rows;
    }
    let row: u64 = sources.iter().filter_map(|source| source.element().bytes()).sum();
    let most = (limit / PART / row.max(1)).clamp(1, MOST_ROWS);
    let rows = 1 << most.ilog2();
    let total = sources.iter().filter_map(|source| source.left()).max().unwrap_or(0);
    if !rounds_inside || total < FEW_ROWS {
        return rows;
    }
    let few_left = |rows: u64| (1..FEW_ROWS).contains(&(total % rows));
    (rows.max(FEW_ROWS)..).find(|&rows| !few_left(rows)).unwrap_or(rows)
}

/// Returns whether a run failed because memory did not suffice.
pub fn is_out_of_memory(error: &CallError) -> bool {
    use warpwise_driver::ArgumentError;
    matches!(
        error,
        CallError::Run(RunError::OutOfMemory { .. }) | CallError::Argument(ArgumentError::OutOfMemory(_))
    )
}

/// Returns the format of a file whose rows can be read as they are needed; `None` for other words.
fn format_in_parts(word: &str) -> Option<Format> {
    let path = Path::new(word);
    if !path.is_file() {
        return None;
    }
    if word.ends_with(".npy") {
        return Some(Format::Npy);
    }
    let mut start = [0; 2];
    File::open(path).ok()?.read_exact(&mut start).ok()?;
    // Text and compressed files have to be read as a whole.
    is_binary(start).then_some(Format::Binary)
}

/// Returns the size of a file, or of the text of a value.
fn size(word: &str) -> u64 {
    std::fs::metadata(word).map_or(word.len() as u64, |metadata| metadata.len())
}
