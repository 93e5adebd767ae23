//! `warpwise-bench-memory`: measures allocations and copies of programs, and writes the page in `benchmarks/results`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use warpwise_bench::futhark;
use warpwise_bench::memory::{Report, Settings, measure, subjects};

/// Counts allocations and copies of the programs in `benchmarks/memory`, with `short_circuit` and without it, and times both, and
/// `futhark multicore` if it is on the path.
#[derive(Parser)]
struct Arguments {
    /// Only entry points whose names contain one of these.
    only: Vec<String>,
    /// Threads of every program; all cores if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Number of rounds; every program gets a turn in each. 0 leaves times out.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// The folder that the page is written to.
    #[arg(long, default_value = "benchmarks/results")]
    results: PathBuf,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("warpwise-bench-memory: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let settings = Settings {
        root: Path::new("."),
        threads: arguments.threads.unwrap_or_else(cores),
        rounds: arguments.rounds,
        with_futhark: arguments.rounds > 0 && futhark::is_on_path(),
    };
    let is_wanted =
        |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|part| name.contains(part));
    let mut report = Report::default();
    for subject in subjects().iter().filter(|subject| is_wanted(subject.entry)) {
        let row = measure(subject, &settings)?;
        println!("{}", row.line());
        report.rows.push(row);
    }
    report.write(&arguments.results)
}
