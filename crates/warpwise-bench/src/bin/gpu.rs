//! `warpwise-bench-gpu`: programs on a device against other programs and the device's limits; writes the table.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use warpwise_bench::gpu::{self, PythonOn, Settings};
use warpwise_driver::Target;

/// Compares programs on a device with handwritten kernels and libraries, run in turn on arrays in its memory, with checked
/// results.
#[derive(Parser)]
struct Arguments {
    /// Only works whose names contain one of these.
    only: Vec<String>,
    /// The device: cuda, cuda:N, opencl or opencl:N.
    #[arg(long, default_value = "cuda")]
    device: Target,
    /// Number of rounds; every program gets a turn in each.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Minimum number of counted runs of a turn.
    #[arg(long, default_value_t = 3)]
    repetitions: usize,
    /// Factor by which all sizes are multiplied, for a quick look.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Every PARTSth work, from the PARTth on, as PART/PARTS; added to those measured before.
    #[arg(long, default_value = "1/1", value_parser = part)]
    part: (usize, usize),
    /// Seconds after which no work is begun; works left out are named.
    #[arg(long)]
    seconds: Option<u64>,
    /// The command that runs Python.
    #[arg(long, default_value = "python3")]
    python: String,
    /// The processor on which libraries of Python compute.
    #[arg(long, default_value = "gpu")]
    python_on: PythonOn,
    /// The folder that the table is written to.
    #[arg(long, default_value = "benchmarks/results")]
    results: PathBuf,
}

/// Parses `PART/PARTS`, from 1.
fn part(text: &str) -> Result<(usize, usize), String> {
    let numbers =
        text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    numbers
        .filter(|&(part, parts)| 1 <= part && part <= parts)
        .ok_or("expected a part, such as 2/4".to_string())
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("warpwise-bench-gpu: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let Target::Device(dialect, number) = arguments.device else {
        return Err("expected a device: cuda, cuda:N, opencl or opencl:N".to_string());
    };
    let (report, problems) = gpu::measure(&Settings {
        root: Path::new("."),
        device: (dialect, number),
        rounds: arguments.rounds.max(1),
        repetitions: arguments.repetitions.max(1),
        scale: arguments.scale,
        only: &arguments.only,
        part: arguments.part,
        until: arguments.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds)),
        python: &arguments.python,
        python_on: arguments.python_on,
        results: &arguments.results,
    })?;
    println!("{}\nwritten to {}", report.summary(), report.path(&arguments.results).display());
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}
