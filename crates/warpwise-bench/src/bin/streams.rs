//! `warpwise-bench-streams`: streams against whole arrays, over data larger than the budget, and with a slow source.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use warpwise_bench::streams;

/// Measures streams: against whole arrays in memory, over a file of four times the budget, with a slow source.
#[derive(Parser)]
struct Arguments {
    /// Threads; all cores if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// How often everything gets a turn.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Numbers in the file.
    #[arg(long, default_value_t = 1_000_000_000)]
    numbers: u64,
    /// The folder that the table is written to.
    #[arg(long, default_value = "benchmarks/results")]
    results: PathBuf,
    /// Only run this program over this file within so many bytes; for measuring its memory.
    #[arg(long, num_args = 3, hide = true)]
    only: Vec<String>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("warpwise-bench-streams: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let threads =
        arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    if let [name, file, budget] = arguments.only.as_slice() {
        let budget = budget.parse().map_err(|_| format!("`{budget}` is no number of bytes"))?;
        return streams::only(name, file.as_ref(), budget, threads);
    }
    let report = streams::report(threads, arguments.rounds.max(1), arguments.numbers.max(1 << 16))?;
    std::fs::create_dir_all(&arguments.results).map_err(|error| error.to_string())?;
    let written = |name: &str, text: &str| {
        let path = arguments.results.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    written("streams.md", &report.markdown())?;
    written("streams.json", &serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?)?;
    print!("{}", report.markdown());
    Ok(())
}
