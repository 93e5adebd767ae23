//! `warpwise stream`: an entry point over data that is larger than memory.

mod inputs;
mod outputs;
mod patterns;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use warpwise_driver::{Context, Entry, FlatType, Program};
use warpwise_runtime::array::Value;
use warpwise_runtime::formats::files::{write_file, write_values};
use warpwise_stream::Cause;
use warpwise_stream::pipeline::{self, Done, Grouping, Outcome, Settings};
use warpwise_stream::sink::{OutputFormat, Partial, Sink};
use warpwise_stream::source::{Format, Notes, Source};
use warpwise_stream::step::{Fold, Map, Scan, ScanNames, Step};

use crate::arguments::{describe, read_argument};
use crate::commands::host::refuse_host_program;
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{CacheOptions, CompileOptions, RunOptions};
use crate::output::{print, say};
use crate::places;
use crate::start::start;
use crate::tables::TableArguments;

use outputs::Outputs;

/// The entry points of a fold.
const FOLD: [&str; 3] = ["init", "step", "merge"];

/// The entry points of a scan; the last one may be absent.
const SCAN: [&str; 3] = ["init", "step", "last"];

/// Default maximum wait for more input if results go to a pipe or a terminal.
const PATIENCE: Duration = Duration::from_millis(100);

/// What to run over which data.
#[derive(Args, Debug)]
pub struct StreamArguments {
    /// The program
    file: PathBuf,
    /// The entry point that takes a chunk of elements (its last parameters) and gives arrays
    #[arg(short, long, default_value = "main", conflicts_with = "fold")]
    entry: String,
    /// Fold with the entry points `init`, `step` (chunk, then state) and `merge` (state, state)
    #[arg(long)]
    fold: bool,
    /// Pass a state from block to block: the entry points `init`, `step` (chunk and state to state and arrays) and, if it is there,
    /// `last` (state to arrays, after the last block)
    #[arg(long, conflicts_with_all = ["fold", "entry"])]
    scan: bool,
    /// Values for the parameters before the streamed ones
    #[arg(value_name = "ARG", conflicts_with = "fold")]
    arguments: Vec<String>,
    /// A file of elements, or - for standard input: one for all streamed parameters, or one for each. NAME=IN names the array that
    /// takes it. Several for a single parameter follow one another, as do the files that a quoted pattern ('*.csv') matches
    #[arg(short, long = "input", value_name = "[NAME=]IN", required = true)]
    inputs: Vec<PathBuf>,
    /// A column of the input (a name, or a number with --no-header), for arrays that do not take the column of their own name: one
    /// per streamed parameter, or NAME=COLUMN for the array NAME. `.length` after the name of a column of lists selects their
    /// lengths; a vector takes several columns of a table (COLUMN,COLUMN,...)
    #[arg(long = "column", value_name = "[NAME=]COLUMN")]
    columns: Vec<String>,
    /// Format of the inputs (raw, npy, csv, tsv, mtx, wav, arrow, parquet), instead of by their endings
    #[arg(long, value_name = "FORMAT")]
    input_format: Option<Format>,
    /// Shape of an element in raw data, such as 3,4
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    shape: Vec<i64>,
    /// Read files instead of mapping them into memory
    #[arg(long)]
    no_mmap: bool,
    /// Stop after this number of elements
    #[arg(long, value_name = "N")]
    take: Option<u64>,
    /// Write results to a file (.npy, .bin, .raw, .csv, .tsv, .arrow, .parquet; - is standard output) instead of printing them as
    /// csv: to one for all, a table with a column for each result, or to one for each. NAME=OUT names the result, for fields of
    /// records. The state of a fold may go to any file that `run` writes
    #[arg(short, long = "output", value_name = "[NAME=]OUT")]
    outputs: Vec<PathBuf>,
    /// Format of the outputs (raw, npy, csv, tsv, arrow, parquet), instead of by their endings
    #[arg(long, value_name = "FORMAT", conflicts_with = "fold")]
    output_format: Option<OutputFormat>,
    /// Number of elements in every call of the entry point, instead of about a mebibyte; the result may depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    block: Option<u64>,
    /// The entry point treats elements one by one: calls may get as many elements as is fastest
    #[arg(long, conflicts_with_all = ["block", "fold"])]
    elementwise: bool,
    /// Wait at most MS milliseconds for more input from a pipe, then compute on what has come, instead of waiting for a whole block.
    /// The default is 100 where results go to a pipe or a terminal; otherwise, and with --block, the stream waits for whole blocks
    #[arg(long, value_name = "MS", conflicts_with = "fold")]
    patience: Option<u64>,
    /// Print the amount of work, the throughput, and the memory used
    #[arg(long)]
    profile: bool,
    #[command(flatten)]
    table: TableArguments,
    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    cache: CacheOptions,
    #[command(flatten)]
    run: RunOptions,
}

/// Compiles the program, then runs it over the data, which is read, processed and written concurrently.
pub fn stream(arguments: &StreamArguments) -> Result<u8, Failure> {
    refuse_host_program(&arguments.file)?;
    let StreamArguments { file, compile, run, cache, .. } = arguments;
    let entries = match arguments {
        StreamArguments { fold: true, .. } => &FOLD[..],
        StreamArguments { scan: true, .. } => &SCAN,
        StreamArguments { entry, .. } => &[entry.as_str()],
    };
    let (context, program) = start(file, compile, run, cache, entries)?;
    match arguments {
        StreamArguments { fold: true, .. } => fold(arguments, &program, &context),
        StreamArguments { scan: true, .. } => scan(arguments, &program, &context),
        StreamArguments { .. } => map(arguments, &program, &context),
    }
}

fn map(arguments: &StreamArguments, program: &Program, context: &Context) -> Result<u8, Failure> {
    let entry = program.entry(&arguments.entry).map_err(Failure::Call)?;
    let fixed = fixed(entry, arguments, context)?;
    let mut step = Map::new(program, &arguments.entry, fixed).map_err(Failure::Failed)?;
    let (streamed, names) = (step.streamed().to_vec(), step.names().to_vec());
    write_through(arguments, context, &mut step, &streamed, &names)
}

fn scan(arguments: &StreamArguments, program: &Program, context: &Context) -> Result<u8, Failure> {
    let [init, step, last] = SCAN.map(str::to_string);
    let fixed = fixed(program.entry(&step).map_err(Failure::Call)?, arguments, context)?;
    let mut step = Scan::new(program, ScanNames { init, step, last }, fixed).map_err(Failure::Failed)?;
    let (streamed, names) = (step.streamed().to_vec(), step.names().to_vec());
    write_through(arguments, context, &mut step, &streamed, &names)
}

/// Runs a step over the inputs, and writes its results, which have these names.
fn write_through(
    arguments: &StreamArguments,
    context: &Context,
    step: &mut dyn Step,
    streamed: &[FlatType],
    names: &[String],
) -> Result<u8, Failure> {
    let notes = Notes::default();
    let sources = inputs::sources(arguments, streamed, context, &notes)?;
    say_all(&notes);
    let Outputs { sinks, partial, are_files } = outputs::outputs(arguments, names)?;
    let grouping = grouping(arguments, &sources);
    let pace = Pace { grouping, patience: patience(arguments, !are_files) };
    let ran = drive(context, pace, sources, step, (sinks, &partial), arguments.profile);
    say_all(&notes);
    complete(partial, ran)?;
    Ok(0)
}

fn fold(arguments: &StreamArguments, program: &Program, context: &Context) -> Result<u8, Failure> {
    let names = FOLD.map(str::to_string);
    let mut step = Fold::new(program, names).map_err(Failure::Failed)?;
    check_places(arguments, arguments.outputs.iter())?;
    let notes = Notes::default();
    let sources = inputs::sources(arguments, step.streamed(), context, &notes)?;
    say_all(&notes);
    let pace = Pace { grouping: grouping(arguments, &sources), patience: None };
    let ran = drive(context, pace, sources, &mut step, (Vec::new(), &[]), arguments.profile);
    say_all(&notes);
    ran.result?;
    let state = step.finish().map_err(Failure::Call)?;
    match arguments.outputs.as_slice() {
        [] => print(|output| write_values(output, &state, false))?,
        [only] => write_file(only, &state)?,
        several if several.len() == state.len() => several
            .iter()
            .zip(&state)
            .try_for_each(|(path, value)| write_file(path, std::slice::from_ref(value)))?,
        several => return Err(wrong_outputs(several.len(), state.len())),
    }
    Ok(0)
}

/// Reads the values of the parameters before the streamed ones.
fn fixed(entry: &Entry, arguments: &StreamArguments, context: &Context) -> Result<Vec<Value>, Failure> {
    let parameters = entry.parameters();
    let words = &arguments.arguments;
    let streamed = parameters.get(words.len()..).unwrap_or_default();
    if streamed.first().is_none_or(|first| first.rank == 0) {
        return Err(Failure::Failed(format!(
            "the entry point `{}` takes {} values: {}; {} given as arguments, and the inputs are for the others, which must be arrays",
            entry.point.name,
            parameters.len(),
            describe(&parameters),
            if words.len() == 1 { "one is".to_string() } else { format!("{} are", words.len()) }
        )));
    }
    let given = words.iter().zip(&parameters).enumerate();
    given.map(|(index, (word, parameter))| read_argument(index, word, parameter, context.memory())).collect()
}

fn say_all(notes: &Notes) {
    notes.take().iter().for_each(|note| say(&format!("note: {note}")));
}

/// Checks that results overwrite neither one another nor an input.
fn check_places<'p>(
    arguments: &StreamArguments,
    outputs: impl Iterator<Item = &'p PathBuf>,
) -> Result<(), Failure> {
    let is_named = |path: &&PathBuf| path.as_os_str() != "-";
    let outputs: Vec<PathBuf> = outputs.filter(is_named).cloned().collect();
    let words = arguments.arguments.iter().map(PathBuf::from).filter(|path| path.is_file());
    let inputs = inputs::files(&arguments.inputs).into_iter().filter(|path| is_named(&path));
    let read: Vec<PathBuf> = words.chain(inputs).chain([arguments.file.clone()]).collect();
    places::check(read.iter().map(PathBuf::as_path), outputs.iter().map(PathBuf::as_path))
}

/// Gives the outputs of a finished stream their names. After a failure, prints where the outputs are, or removes them if nothing was
/// computed.
pub(super) fn complete(partial: Vec<Partial>, Ran { elements, result }: Ran) -> Result<(), Failure> {
    let done = |partial: Partial| match (&result, elements) {
        (Ok(()), _) => partial.complete(),
        (Err(_), 0) => partial.discard(),
        (Err(_), _) => {
            say(&format!("note: what was computed before is in {}", partial.path().display()));
            Ok(())
        }
    };
    let completed = partial.into_iter().try_for_each(done).map_err(Failure::Failed);
    result.and(completed)
}

fn wrong_outputs(named: usize, results: usize) -> Failure {
    let results = if results == 1 { "is one value" } else { &format!("are {results} values") };
    Failure::Failed(format!("{named} outputs are named, but there {results}"))
}

/// The elements that one call of the program gets.
pub(super) struct Pace {
    /// Grouping of elements.
    pub grouping: Grouping,
    /// Maximum wait for more elements.
    pub patience: Option<Duration>,
}

/// Runs a stream to its end, and shows the progress meanwhile. If it is interrupted, the output files are completed first.
pub(super) fn drive(
    context: &Context,
    Pace { grouping, patience }: Pace,
    sources: Vec<Box<dyn Source>>,
    step: &mut dyn Step,
    (sinks, files): (Vec<Box<dyn Sink>>, &[Partial]),
    profile: bool,
) -> Ran {
    let (memory, cancel) = (context.memory().clone(), context.threads().cancel_flag().clone());
    let settings = Settings { grouping, memory, patience, cancel };
    let display = Display::new(sources.first().and_then(|source| source.left()));
    let mut observe = |done: &Done| display.show(done);
    let grace = if files.is_empty() { interrupt::PATIENCE } else { interrupt::PATIENCE_WITH_FILES };
    let run = || pipeline::run(sources, step, sinks, &settings, &mut observe);
    let outcome = interrupt::stoppable_within(grace, run);
    if profile {
        say(&display.text(&outcome.done));
    }
    drop(display);
    Ran { elements: outcome.done.elements, result: failure(outcome) }
}

/// The outcome of a stream.
pub(super) struct Ran {
    /// Number of processed elements.
    pub elements: u64,
    /// The reason why the stream ended early, if it did.
    pub result: Result<(), Failure>,
}

fn grouping(arguments: &StreamArguments, sources: &[Box<dyn Source>]) -> Grouping {
    match arguments.block {
        Some(count) => Grouping::Blocks(count),
        None if arguments.elementwise => Grouping::Elementwise,
        None => Grouping::usual(sources),
    }
}

/// Returns the maximum wait for more input once there is some. If a result is not a file, a user may be watching it.
fn patience(arguments: &StreamArguments, is_seen: bool) -> Option<Duration> {
    match arguments.patience {
        Some(milliseconds) => Some(Duration::from_millis(milliseconds)),
        None if arguments.elementwise => Some(Duration::ZERO),
        None => (is_seen && arguments.block.is_none()).then_some(PATIENCE),
    }
}

fn failure(outcome: Outcome) -> Result<(), Failure> {
    let Some(error) = outcome.error else { return Ok(()) };
    match &error.cause {
        Cause::Cancelled => Err(Failure::Call(warpwise_driver::CallError::Run(
            warpwise_runtime::execute::RunError::Interrupted,
        ))),
        _ => Err(Failure::Failed(error.to_string())),
    }
}

/// A progress display on a terminal.
struct Display {
    bar: Option<ProgressBar>,
    start: Instant,
}

impl Display {
    fn new(elements: Option<u64>) -> Display {
        let template =
            if elements.is_some() { "{bar:30} {percent}% {msg} (eta {eta})" } else { "{spinner} {msg}" };
        let style = ProgressStyle::with_template(template).ok().filter(|_| io::stderr().is_terminal());
        let bar = style.map(|style| {
            let bar = elements.map_or_else(ProgressBar::no_length, ProgressBar::new).with_style(style);
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        Display { bar, start: Instant::now() }
    }

    fn show(&self, done: &Done) {
        if let Some(bar) = &self.bar {
            bar.set_position(done.elements);
            bar.set_message(self.text(done));
        }
    }

    fn text(&self, done: &Done) -> String {
        let seconds = self.start.elapsed().as_secs_f64().max(1e-9);
        format!(
            "{} elements, {}, {}/s, {} chunks, the last of {}, memory {}",
            done.elements,
            HumanBytes(done.bytes),
            HumanBytes((done.bytes as f64 / seconds) as u64),
            done.chunks,
            done.chunk,
            HumanBytes(done.memory),
        )
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
