//! `warpwise-bench-suite`: measures the unmodified programs of a folder, in comparison with Futhark.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use warpwise_bench::futhark;
use warpwise_bench::suite::{Setting, Settings, measure};
use warpwise_driver::{Context, Dialect, Target};

/// Runs every case of every program in a folder, with this command and, if it is on the path, with `futhark`.
#[derive(Parser)]
struct Arguments {
    /// The folder with the programs.
    corpus: PathBuf,
    /// Only programs whose paths contain one of these; the report keeps its figures of the others.
    only: Vec<String>,
    /// Warpwise's command.
    #[arg(long, default_value = "target/release/warpwise")]
    warpwise: PathBuf,
    /// Run on a CUDA device (`cuda`, `cuda:N`), with arrays in its memory, instead of the processor.
    #[arg(long, default_value = "cpu")]
    device: Target,
    /// Time limit of a command for one program, in seconds.
    #[arg(long, default_value_t = 300)]
    seconds: u32,
    /// Number of runs of each case, instead of as many as make its median stable.
    #[arg(long)]
    runs: Option<u32>,
    /// Leave Futhark out although it is on the path.
    #[arg(long)]
    no_futhark: bool,
    /// The folder that the report is written to, anew after each program.
    #[arg(long, default_value = "benchmarks/results")]
    results: PathBuf,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("warpwise-bench-suite: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let at = |path: &PathBuf| path.canonicalize().map_err(|error| format!("{}: {error}", path.display()));
    let with_futhark = !arguments.no_futhark && futhark::is_on_path();
    let setting = match arguments.device {
        Target::Cpu => Setting::processor(with_futhark),
        Target::Device(Dialect::Cuda, number) => {
            let memory = Context::new().device_memory(Dialect::Cuda, number);
            Setting::cuda(memory.map_err(|error| error.to_string())?.device().name(), with_futhark)
        }
        Target::Device(Dialect::OpenCl, _) => {
            return Err(
                "programs run on the processor or on a CUDA device: expected cpu, cuda or cuda:N".to_string()
            );
        }
    };
    let settings = Settings {
        corpus: &at(&arguments.corpus)?,
        warpwise: &at(&arguments.warpwise)?,
        setting,
        device: (arguments.device != Target::Cpu).then(|| arguments.device.to_string()),
        seconds: arguments.seconds,
        runs: arguments.runs,
        only: &arguments.only,
        results: &arguments.results,
    };
    measure(&settings, |row| println!("{}", row.line()))
}
