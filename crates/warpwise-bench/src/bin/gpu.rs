//! `warpwise-bench-gpu`: programs on a device against CUDA kernels written by hand.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use warpwise_bench::gpu::{self, Settings};
use warpwise_driver::Target;

/// Compares programs on a device with kernels written by hand, run in turn on arrays that lie there, results checked.
#[derive(Parser)]
struct Arguments {
    /// The device: cuda, cuda:N, opencl or opencl:N.
    #[arg(long, default_value = "cuda")]
    device: Target,
    /// How often every program gets a turn.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How many runs a turn has.
    #[arg(long, default_value_t = 3)]
    repetitions: usize,
    /// What all sizes are multiplied by; for a quick look.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// The folder that the table is written to.
    #[arg(long, default_value = "benchmarks/results")]
    results: PathBuf,
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
    let report = gpu::measure(&Settings {
        root: Path::new("."),
        device: (dialect, number),
        rounds: arguments.rounds.max(1),
        repetitions: arguments.repetitions.max(1),
        scale: arguments.scale,
    })?;
    println!("written to {}", report.write(&arguments.results)?.display());
    Ok(())
}
