//! `warpwise-bench-embedded`: the language embedded in Rust against C, and against `ndarray` with `rayon`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use warpwise_bench::baseline::Baselines;
use warpwise_bench::embedded;

/// Compares programs embedded in Rust with the same programs in C and in handwritten Rust, all run in turn.
#[derive(Parser)]
struct Arguments {
    /// Threads of every program; all cores if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Number of rounds; every program gets a turn in each.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Minimum number of counted runs of a turn.
    #[arg(long, default_value_t = 3)]
    repetitions: usize,
    /// Factor by which all sizes are multiplied, for a quick look.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// The folder that the table is written to.
    #[arg(long, default_value = "benchmarks/results")]
    results: PathBuf,
    /// Part of the name of a measurement: a work, `calls`, `first calls`, `sorts`, `stealing` or `dictionary`. May be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Only prints the time of the first call of a small program, with compiled code kept in this folder.
    #[arg(long, hide = true)]
    first_call: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("warpwise-bench-embedded: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    if let Some(cache) = &arguments.first_call {
        println!("{}", embedded::calls::first_call(cache)?);
        return Ok(());
    }
    let threads =
        arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    // The pool of the handwritten programs has as many threads.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().map_err(|error| error.to_string())?;
    let baselines = Baselines::find(Path::new("."), threads)?;
    let (rounds, repetitions) = (arguments.rounds.max(1), arguments.repetitions.max(1));
    let (scale, only) = (arguments.scale, arguments.only.as_slice());
    let report =
        embedded::measure(&embedded::Settings { baselines: &baselines, rounds, repetitions, scale, only })?;
    report.write(&arguments.results)?;
    println!("written to {}", arguments.results.join("embedded.md").display());
    Ok(())
}
