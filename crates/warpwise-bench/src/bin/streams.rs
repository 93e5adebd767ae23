//! `warpwise-bench-streams`: streams and sequences against whole arrays, over data larger than the budget, and with slow sources.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use warpwise_bench::baseline::Baselines;
use warpwise_bench::{sequences, streams};

/// Measures streams and sequences: against whole arrays in memory, over a file of four times the budget, with a slow source, against C.
#[derive(Parser)]
struct Arguments {
    /// Threads; all cores if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Number of rounds; every program gets a turn in each.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Number of numbers in the file that streams read; 0 leaves streams out.
    #[arg(long, default_value_t = 1_000_000_000)]
    numbers: u64,
    /// Size of the files of every sequence, in megabytes; 0 leaves sequences out.
    #[arg(long, default_value_t = 1024)]
    megabytes: u64,
    /// Only measure the sequences of this program.
    #[arg(long)]
    program: Option<String>,
    /// The library `libmkl_rt`, to compare products of sparse matrices with.
    #[arg(long)]
    mkl: Option<PathBuf>,
    /// The folder that the table is written to.
    #[arg(long, default_value = "benchmarks/results")]
    results: PathBuf,
    /// Only run this program over this file with a budget of this many bytes; for measuring its memory.
    #[arg(long, num_args = 3, hide = true)]
    only: Vec<String>,
    /// Like `--only`, for a program of sequences over a folder.
    #[arg(long, num_args = 3, hide = true)]
    only_sequence: Vec<String>,
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
    if let [name, folder, budget] = arguments.only_sequence.as_slice() {
        let budget = budget.parse().map_err(|_| format!("`{budget}` is no number of bytes"))?;
        return sequences::only(name, folder.as_ref(), budget, threads);
    }
    let rounds = arguments.rounds.max(1);
    let (mut text, mut data) = (String::new(), Vec::new());
    if arguments.numbers > 0 {
        let report = streams::report(threads, rounds, arguments.numbers.max(1 << 16))?;
        text.push_str(&report.markdown());
        data.push(serde_json::to_value(&report).map_err(|error| error.to_string())?);
    }
    if arguments.megabytes > 0 {
        let baselines = Baselines::find(Path::new("."), threads)?;
        let report = sequences::report(
            &baselines,
            rounds,
            arguments.megabytes << 20,
            arguments.program.as_deref(),
            arguments.mkl.as_deref(),
        )?;
        text.push_str(&format!("\n{}", report.markdown()));
        data.push(serde_json::to_value(&report).map_err(|error| error.to_string())?);
    }
    std::fs::create_dir_all(&arguments.results).map_err(|error| error.to_string())?;
    let written = |name: &str, text: &str| {
        let path = arguments.results.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    written("streams.md", &text)?;
    written("streams.json", &serde_json::to_string_pretty(&data).map_err(|error| error.to_string())?)?;
    print!("{text}");
    Ok(())
}
