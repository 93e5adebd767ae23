//! `warpwise-bench-mexpr`: host programs against the array language, the sequential host, copying and OCaml.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use warpwise_bench::mexpr;

/// Measures host programs (`.mc`): their accelerated expressions, the marshalling of values, and the sequential host.
#[derive(Parser)]
struct Arguments {
    /// Threads; all cores if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Number of rounds; every program gets a turn in each.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Fraction of the usual sizes, for a quick look.
    #[arg(long, default_value_t = 1.0)]
    share: f64,
    /// Only the sequential host, printed and not kept.
    #[arg(long)]
    host_only: bool,
    /// The repository.
    #[arg(long, default_value = ".")]
    root: PathBuf,
    /// The folder that the tables are written to.
    #[arg(long, default_value = "benchmarks/results")]
    results: PathBuf,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("warpwise-bench-mexpr: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let threads =
        arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    if arguments.host_only {
        let host = mexpr::host::figures(arguments.rounds.max(1), arguments.share)?;
        let report = mexpr::Report { threads, work: Vec::new(), moving: Vec::new(), host };
        print!("{}", report.markdown());
        return Ok(());
    }
    let report = mexpr::report(&arguments.root, threads, arguments.rounds.max(1), arguments.share)?;
    std::fs::create_dir_all(&arguments.results).map_err(|error| error.to_string())?;
    let written = |name: &str, text: &str| {
        let path = arguments.results.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    written("mexpr.md", &report.markdown())?;
    written("mexpr.json", &serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?)?;
    print!("{}", report.markdown());
    Ok(())
}
