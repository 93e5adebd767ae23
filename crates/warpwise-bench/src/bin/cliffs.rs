//! `warpwise-bench-cliffs`: searches for nests and shapes that the compiler makes slow, or wrong.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use warpwise_bench::cliffs::operation::Element;
use warpwise_bench::cliffs::trial::Contexts;
use warpwise_bench::cliffs::{Settings, measure};
use warpwise_bench::futhark;

/// Runs every operation alone and patterns drawn from a seed, compared with the same compiled in the plainest way, and with
/// Futhark.
#[derive(Parser)]
struct Arguments {
    /// Only patterns whose names contain one of these.
    only: Vec<String>,
    /// Seed of patterns, shapes and inputs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of drawn patterns.
    #[arg(long, default_value_t = 300)]
    samples: usize,
    /// Number of shapes per pattern.
    #[arg(long, default_value_t = 4)]
    shapes: usize,
    /// Approximate number of elements of an input.
    #[arg(long, default_value_t = 1 << 20)]
    total: i64,
    /// Element type of the table of single operations.
    #[arg(long, default_value = "f32")]
    element: String,
    /// Leave the table out.
    #[arg(long)]
    no_table: bool,
    /// Threads of the full pipeline's code; all cores if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Leave Futhark out although it is on the path.
    #[arg(long)]
    no_futhark: bool,
    /// The folder that the page and the pictures are written to; nothing is written if not given.
    #[arg(long)]
    results: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("warpwise-bench-cliffs: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let element = Element::ALL.into_iter().find(|element| element.name() == arguments.element);
    let element =
        element.ok_or_else(|| format!("there is no table for elements of type `{}`", arguments.element))?;
    let threads =
        arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    let settings = Settings {
        seed: arguments.seed,
        samples: arguments.samples,
        shapes: arguments.shapes,
        total: arguments.total.max(1),
        table: (!arguments.no_table).then_some(element),
        only: &arguments.only,
        with_futhark: !arguments.no_futhark && futhark::is_on_path(),
        threads,
    };
    let mut report = measure(&settings, |row| println!("{}", row.line()));
    report.reduce(&Contexts::new(threads));
    print!("\n{}", report.worst_lines());
    if let Some(folder) = &arguments.results {
        report.write(folder)?;
    }
    let faults = report.faults();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}
