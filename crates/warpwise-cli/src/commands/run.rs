//! `warpwise run`: one call of one entry point, or a host program ([`super::host`]).

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::Args;
use warpwise_driver::build::read_core;
use warpwise_driver::copies::staying_copies;
use warpwise_driver::{Context, Entry, Options, Program};
use warpwise_runtime::array::Value;
use warpwise_runtime::formats::files::{FileFormat, unwritable, write_beside, write_values};
use warpwise_runtime::formats::whole::WholeFile;

use crate::arguments::{assigned, read_arguments};
use crate::commands::chunks::{Large, is_out_of_memory};
use crate::commands::host::{HostOptions, HostRun, is_host_program, run_host};
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{CacheOptions, CompileOptions, RunOptions};
use crate::output::{Progress, print, say, write_json};
use crate::places;
use crate::profile::{Phases, trace};
use crate::results::in_order;
use crate::shortened::Shortened;
use crate::start;

/// What to run.
#[derive(Args, Debug)]
pub struct RunArguments {
    /// The program
    file: PathBuf,
    /// The entry point [default: main]
    #[arg(short, long)]
    entry: Option<String>,
    /// Values as text, or files with values (text, binary, .npy, .png), in order or as NAME=VALUE; without any, standard input is read
    #[arg(value_name = "ARG")]
    arguments: Vec<String>,
    /// Write the results to a file, one per result (NAME=OUT for the fields of a record) or one for all; the ending selects the format: .npy, .npz, .png, .jpg, .csv,
    /// .tsv, .bin, or .txt and none for text
    #[arg(short, long = "output", value_name = "[NAME=]OUT")]
    outputs: Vec<PathBuf>,
    /// Write results in the binary format
    #[arg(long)]
    binary: bool,
    /// Print the time of each phase and kernel, and the memory used
    #[arg(long)]
    profile: bool,
    /// Write a trace of phases, kernels and copies for Perfetto or Chrome (`chrome://tracing`)
    #[arg(long, value_name = "OUT")]
    profile_trace: Option<PathBuf>,
    /// Report what the cache does
    #[arg(short, long)]
    verbose: bool,
    /// Print results in full even if they are larger than the terminal
    #[arg(long)]
    full: bool,
    #[command(flatten)]
    host: HostOptions,
    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    cache: CacheOptions,
    #[command(flatten)]
    run: RunOptions,
}

/// Compiles the program, reads the arguments, calls the entry point, and writes the results.
pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    if is_host_program(&arguments.file) {
        refuse_options(arguments)?;
        return run_host(&HostRun {
            file: &arguments.file,
            arguments: &arguments.arguments,
            host: &arguments.host,
            compile: &arguments.compile,
            cache: &arguments.cache,
            run: &arguments.run,
            profile: arguments.profile,
            verbose: arguments.verbose,
        });
    }
    let context = start::context(&arguments.run, &arguments.cache)?;
    let mut phases = Phases::new(arguments.profile);
    phases.keep(arguments.profile_trace.is_some());
    let built = start::compile(&arguments.file, &arguments.compile, &arguments.cache, &[arguments.entry()])?;
    if arguments.verbose {
        say(&cache_remark(built.cached, built.not_kept.as_deref()));
    }
    phases.done(if built.cached { "take from the cache" } else { "compile" });
    let program = start::load(built, &context, &arguments.run)?;
    phases.done("load");
    let entry = program.entry(arguments.entry()).map_err(Failure::Call)?;
    let words = assigned(entry, &arguments.arguments)?;
    check_count(entry, &arguments.outputs)?;
    let outputs = in_order(&arguments.outputs, &entry.result_names(0)).map_err(Failure::Failed)?;
    let assigned = Assigned { words, outputs };
    check_places(arguments, &assigned)?;
    check_outputs(entry, &assigned.outputs, arguments.binary)?;
    let results = call((arguments, &assigned), &context, &program, &mut phases)?;
    phases.spent(&program.profile());
    write_results((arguments, &assigned.outputs), &results)?;
    phases.done("write results");
    phases.memory(context.memory().statistics().peak_live);
    if arguments.profile {
        let options = Options { entries: vec![arguments.entry().to_string()], ..arguments.compile.options() };
        phases.copies(&staying_copies(read_core(&arguments.file, &options)?, &options)?);
    }
    if let Some((statistics, traffic)) = program.device_memory() {
        phases.device_memory(statistics, traffic);
    }
    if let Some(out) = &arguments.profile_trace {
        write_json(out, &trace(phases.begin, &phases.kept, &program.steps()))?;
    }
    Ok(0)
}

/// The words and files of a command line, in the order of parameters and results.
struct Assigned {
    /// A word for each parameter; other words if values come from elsewhere.
    words: Vec<String>,
    /// No file, one for all results, or one for each.
    outputs: Vec<PathBuf>,
}

/// Fails if an option is given that means nothing for host programs, which write their results themselves.
fn refuse_options(arguments: &RunArguments) -> Result<(), Failure> {
    let given = [
        ("--entry", arguments.entry.is_some()),
        ("--output", !arguments.outputs.is_empty()),
        ("--binary", arguments.binary),
        ("--full", arguments.full),
        ("--profile-trace", arguments.profile_trace.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(Failure::Failed(format!(
            "{}: this is a host program, for which {option} means nothing",
            arguments.file.display()
        ))),
    }
}

impl RunArguments {
    fn entry(&self) -> &str {
        self.entry.as_deref().unwrap_or("main")
    }
}

/// Prints why a large argument cannot be processed in chunks, and the remedies.
fn say_refused(why: &str) {
    say(&format!("note: the entry point cannot be run in chunks: {why}"));
    say(
        "note: a larger `--memory-limit` runs it as a whole; `warpwise stream` runs programs that say themselves what becomes of a chunk",
    );
}

/// Reads the arguments and calls the entry point: with everything in memory, or else in chunks. Returns the results; `None` for those
/// already written to their files.
fn call(
    (arguments, assigned): (&RunArguments, &Assigned),
    context: &Context,
    program: &Program,
    phases: &mut Phases,
) -> Result<Vec<Option<Value>>, Failure> {
    let entry = program.entry(arguments.entry()).map_err(Failure::Call)?;
    let (words, options) = (&assigned.words, arguments.compile.options());
    // With `--binary` the name of a file does not tell its format.
    let outputs = if arguments.binary { &[][..] } else { &assigned.outputs };
    let cache = arguments.cache.cache();
    let cache = cache.as_ref();
    let large = Large { file: &arguments.file, options: &options, entry, words, outputs, context, cache };
    let takes_arrays = entry.parameters().iter().any(|parameter| parameter.rank > 0);
    let mut refused = None;
    if large.bytes_in_files() > context.memory().limit() {
        match large.run("the arguments do not fit into memory")? {
            Ok(results) => return Ok(results),
            Err(why) => refused = Some(why),
        }
    }
    let values = read_arguments(entry, words, context.memory());
    if let (Err(_), Some(why)) = (&values, &refused) {
        say_refused(why);
    }
    let values = values?;
    phases.done("read arguments");
    if arguments.profile_trace.is_some() {
        program.start_steps();
    } else if arguments.profile {
        program.start_profile();
    }
    let progress = Progress::of(format!("running {}", arguments.entry()));
    let called = interrupt::stoppable(|| program.call(arguments.entry(), values));
    drop(progress);
    let results = match called {
        Err(error) if is_out_of_memory(&error) && takes_arrays && !words.is_empty() => {
            context.memory().trim();
            match large.run("memory does not suffice for all rows at once")? {
                Ok(results) => results,
                Err(why) => {
                    say_refused(&why);
                    return Err(Failure::Call(error));
                }
            }
        }
        called => called.map_err(Failure::Call)?.into_iter().map(Some).collect(),
    };
    phases.done("run");
    Ok(results)
}

/// Describes whether the program came from the cache.
pub fn cache_remark(cached: bool, not_kept: Option<&str>) -> String {
    match (cached, not_kept) {
        (true, _) => "the compiled program was in the cache".to_string(),
        (false, None) => "the program was compiled".to_string(),
        (false, Some(why)) => format!("the program was compiled; it cannot be kept in the cache: {why}"),
    }
}

/// Checks before the program runs that its results can be written.
fn check_outputs(entry: &Entry, outputs: &[PathBuf], binary: bool) -> Result<(), Failure> {
    let results = entry.results().len();
    for path in outputs.iter().filter(|_| !binary) {
        FileFormat::of(path)?;
    }
    let single = |path: &Path| !binary && FileFormat::of(path).is_ok_and(FileFormat::is_of_one_value);
    match outputs {
        [] => Ok(()),
        [only] if results != 1 && single(only) => Err(Failure::Failed(format!(
            "{}: such a file holds one value, but the entry point `{}` gives {results}: name a file for each",
            only.display(),
            entry.point.name
        ))),
        [_, ..] => Ok(()),
    }
}

/// Checks that there is one output for all results, or one for each.
fn check_count(entry: &Entry, outputs: &[PathBuf]) -> Result<(), Failure> {
    let results = entry.results().len();
    if outputs.len() <= 1 || outputs.len() == results {
        return Ok(());
    }
    Err(Failure::Failed(format!(
        "{} output files are named, but the entry point `{}` gives {results} {}",
        outputs.len(),
        entry.point.name,
        if results == 1 { "value" } else { "values" }
    )))
}

/// Checks that results overwrite neither one another nor an input.
fn check_places(arguments: &RunArguments, assigned: &Assigned) -> Result<(), Failure> {
    let words = assigned.words.iter().map(Path::new).filter(|path| path.is_file());
    let inputs = words.chain([arguments.file.as_path()]);
    let traces = arguments.profile_trace.iter().filter(|path| path.as_os_str() != "-");
    places::check(inputs, assigned.outputs.iter().chain(traces).map(PathBuf::as_path))
}

fn write_results(
    (arguments, outputs): (&RunArguments, &[PathBuf]),
    results: &[Option<Value>],
) -> Result<(), Failure> {
    let format = |path: &Path| if arguments.binary { Ok(FileFormat::Binary) } else { FileFormat::of(path) };
    let present: Vec<Value> = results.iter().flatten().cloned().collect();
    match outputs {
        [] if arguments.binary || arguments.full || !io::stdout().is_terminal() => {
            print(|output| write_values(output, &present, arguments.binary))
        }
        [] => print_shortened(&present),
        [_] if present.is_empty() && !results.is_empty() => Ok(()),
        [only] => complete(vec![(only, write_beside(only, &present, format(only)?)?)]),
        several => {
            let mut written = Vec::new();
            for (path, result) in several.iter().zip(results) {
                if let Some(result) = result {
                    let values = std::slice::from_ref(result);
                    written.push((path, write_beside(path, values, format(path)?)?));
                }
            }
            complete(written)
        }
    }
}

/// Prints values, large arrays shortened.
fn print_shortened(values: &[Value]) -> Result<(), Failure> {
    let shown: Vec<Shortened> = values.iter().map(Shortened::of).collect();
    print(|output| shown.iter().try_for_each(|value| writeln!(output, "{}", value.text)))?;
    if shown.iter().any(|value| value.is_shorter) {
        say(
            "note: `...` stands for elements that are not shown; --full shows all, and -o writes them to a file",
        );
    }
    Ok(())
}

/// Gives files their final names, once all are written.
fn complete(written: Vec<(&PathBuf, WholeFile)>) -> Result<(), Failure> {
    let completed =
        |(path, file): (&PathBuf, WholeFile)| file.complete().map_err(|error| unwritable(path, error));
    Ok(written.into_iter().try_for_each(completed)?)
}
