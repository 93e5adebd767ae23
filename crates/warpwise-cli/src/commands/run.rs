//! `warpwise run`: one call of one entry point, or a host program ([`super::host`]).

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use warpwise_driver::Entry;
use warpwise_driver::build::build;
use warpwise_runtime::array::Value;
use warpwise_runtime::device::memory::{Copies, Traffic};
use warpwise_runtime::execute::Spent;
use warpwise_runtime::formats::files::{write_file, write_values};
use warpwise_runtime::memory::PoolStatistics;

use crate::arguments::read_arguments;
use crate::commands::host::{HostOptions, is_host_program, run_host};
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{CacheOptions, CompileOptions, RunOptions};
use crate::output::{Progress, print, say};

/// What to run.
#[derive(Args, Debug)]
pub struct RunArguments {
    /// The program
    file: PathBuf,
    /// The entry point
    #[arg(short, long, default_value = "main")]
    entry: String,
    /// Values as text, or files with values (text, binary, .npy, .png); without any, standard input is read
    #[arg(value_name = "ARG")]
    arguments: Vec<String>,
    /// Write the results to a file, one for each result or one for all; its ending tells the format (.npy, .png,
    /// .bin, text otherwise)
    #[arg(short, long = "output", value_name = "OUT")]
    outputs: Vec<PathBuf>,
    /// Write results in the binary format
    #[arg(long)]
    binary: bool,
    /// Say how long each phase and each kernel took, and how much memory was used
    #[arg(long)]
    profile: bool,
    /// Say what the cache does
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    host: HostOptions,
    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    cache: CacheOptions,
    #[command(flatten)]
    run: RunOptions,
}

/// Compiles, reads, runs, writes.
pub fn run(arguments: &RunArguments) -> Result<u8, Failure> {
    if is_host_program(&arguments.file) {
        return run_host(&arguments.file, &arguments.arguments, &arguments.host);
    }
    let mut context = arguments.run.context()?;
    if let Some(cache) = arguments.cache.cache() {
        context.keep_kernels(cache);
    }
    interrupt::watch(&context);
    let mut phases = Phases::new(arguments.profile);
    let progress = Progress::of(format!("compiling {}", arguments.file.display()));
    let built = build(&arguments.file, &arguments.compile.options(), arguments.cache.cache().as_ref())?;
    drop(progress);
    if !built.warnings.is_empty() {
        say(built.warnings.trim_end());
    }
    if arguments.verbose {
        say(&cache_remark(built.cached, built.not_kept.as_deref()));
    }
    phases.done(if built.cached { "take from the cache" } else { "compile" });
    let program = built.compiled.load(&context).map_err(|error| Failure::Failed(error.to_string()))?;
    phases.done("load");
    let entry = program.entry(&arguments.entry).map_err(Failure::Call)?;
    check_outputs(entry, &arguments.outputs)?;
    let values = read_arguments(entry, &arguments.arguments, context.memory())?;
    phases.done("read arguments");
    if arguments.profile {
        program.start_profile();
    }
    let progress = Progress::of(format!("running {}", arguments.entry));
    let results = interrupt::stoppable(|| program.call(&arguments.entry, values)).map_err(Failure::Call)?;
    drop(progress);
    phases.done("run");
    phases.spent(&program.profile());
    write_results(arguments, &results)?;
    phases.done("write results");
    phases.memory(context.memory().statistics().peak_live);
    if let Some((statistics, traffic)) = program.device_memory() {
        phases.device_memory(statistics, traffic);
    }
    Ok(0)
}

fn cache_remark(cached: bool, not_kept: Option<&str>) -> String {
    match (cached, not_kept) {
        (true, _) => "the compiled program was in the cache".to_string(),
        (false, None) => "the program was compiled".to_string(),
        (false, Some(why)) => format!("the program was compiled; it cannot be kept in the cache: {why}"),
    }
}

/// Finds out before the program runs whether its results can be written.
fn check_outputs(entry: &Entry, outputs: &[PathBuf]) -> Result<(), Failure> {
    let results = entry.results().len();
    let single = |path: &Path| matches!(path.extension().and_then(|e| e.to_str()), Some("npy" | "png"));
    match outputs {
        [] => Ok(()),
        [only] if results != 1 && single(only) => Err(Failure::Failed(format!(
            "{}: such a file holds one value, but the entry point `{}` gives {results}: name a file for each",
            only.display(),
            entry.point.name
        ))),
        [_] => Ok(()),
        several if several.len() == results => Ok(()),
        several => Err(Failure::Failed(format!(
            "{} output files are named, but the entry point `{}` gives {results} {}",
            several.len(),
            entry.point.name,
            if results == 1 { "value" } else { "values" }
        ))),
    }
}

fn write_results(arguments: &RunArguments, results: &[Value]) -> Result<(), Failure> {
    match arguments.outputs.as_slice() {
        [] => print(|output| write_values(output, results, arguments.binary)),
        [only] => write_to(only, results, arguments.binary),
        several => {
            let pairs = several.iter().zip(results);
            pairs
                .into_iter()
                .try_for_each(|(path, result)| write_to(path, std::slice::from_ref(result), arguments.binary))
        }
    }
}

fn write_to(path: &Path, values: &[Value], binary: bool) -> Result<(), Failure> {
    if !binary {
        return Ok(write_file(path, values)?);
    }
    let write = || -> io::Result<()> {
        let mut output = io::BufWriter::new(File::create(path)?);
        write_values(&mut output, values, true)?;
        io::Write::flush(&mut output)
    };
    write().map_err(|error| Failure::Failed(format!("{}: cannot write: {error}", path.display())))
}

/// Where the time goes.
struct Phases {
    shown: bool,
    start: Instant,
}

impl Phases {
    fn new(shown: bool) -> Phases {
        Phases { shown, start: Instant::now() }
    }

    /// Ends a phase.
    fn done(&mut self, name: &str) {
        if self.shown {
            say(&format!("{name:<20} {:>10.3} ms", 1e3 * self.start.elapsed().as_secs_f64()));
        }
        self.start = Instant::now();
    }

    /// What launches, copies and fills took, one line each.
    fn spent(&self, spent: &[Spent]) {
        for Spent { what, place, times, time, bytes } in spent {
            say(&format!(
                "  {what:<18} {:>10.3} ms {times:>7} times {:>10.3} MB each {:>9.3} GB/s  {place}",
                1e3 * time.as_secs_f64(),
                *bytes as f64 / *times as f64 / 1e6,
                *bytes as f64 / time.as_secs_f64().max(1e-9) / 1e9,
            ));
        }
    }

    fn memory(&self, peak: u64) {
        if self.shown {
            say(&format!("{:<20} {:>10.3} MB", "memory at most", peak as f64 / 1e6));
        }
    }

    /// What a device's memory did, one line for each kind of copy.
    fn device_memory(&self, statistics: PoolStatistics, traffic: Traffic) {
        if !self.shown {
            return;
        }
        let peak = statistics.peak_live as f64 / 1e6;
        say(&format!("{:<20} {peak:>10.3} MB", "device memory"));
        let Traffic { to_device, to_host, evicted, written_back, brought_back } = traffic;
        let kinds = [
            ("to the device", to_device),
            ("to the host", to_host),
            ("evicted", evicted),
            ("written back", written_back),
            ("brought back", brought_back),
        ];
        for (what, Copies { times, bytes }) in kinds {
            say(&format!("  {what:<18} {:>10.3} MB {times:>7} times", bytes as f64 / 1e6));
        }
    }
}
