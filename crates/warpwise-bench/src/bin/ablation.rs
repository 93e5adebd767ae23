//! `warpwise-ablation`: prints the output of `make ablation`, and writes the page and the picture in `docs/`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use warpwise_bench::ablation::{self, Cell, Settings, Table};
use warpwise_bench::picture::{self, Caption};
use warpwise_bench::work;

/// Turns each optimisation off in turn and measures every benchmark program without it.
#[derive(Parser)]
struct Arguments {
    /// Only programs whose names contain one of these.
    only: Vec<String>,
    /// Only these optimisations.
    #[arg(long, value_delimiter = ',')]
    without: Vec<String>,
    /// Threads of every program; all cores if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Number of rounds; every variant gets a turn in each.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Minimum number of counted runs of a turn.
    #[arg(long, default_value_t = 2)]
    repetitions: usize,
    /// Factor by which all sizes are multiplied, for a quick look.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// The folder that the page and the picture are written to.
    #[arg(long, default_value = "docs")]
    results: PathBuf,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("warpwise-ablation: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let threads =
        arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    let settings = Settings {
        root: Path::new("."),
        threads,
        rounds: arguments.rounds.max(1),
        repetitions: arguments.repetitions.max(1),
    };
    let mut variants = ablation::variants();
    if !arguments.without.is_empty() {
        variants.retain(|variant| arguments.without.contains(&variant.name));
    }
    let works = work::works(arguments.scale);
    let columns: Vec<String> = variants.iter().map(|variant| variant.name.clone()).collect();
    let mut table = Table { columns, rows: Vec::new() };
    print!("{}", ablation::header(table.columns.iter().map(String::as_str)));
    for work in ablation::programs(&works).into_iter().filter(|work| is_wanted(arguments, &work.name)) {
        let cells =
            ablation::row(work, &variants, &settings).map_err(|error| format!("{}: {error}", work.name))?;
        print!("{}", ablation::line(&work.name, cells.iter().map(Cell::text)));
        table.rows.push((work.name.clone(), cells));
    }
    write(&arguments.results, &table, threads)?;
    let problems = table.problems();
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn is_wanted(arguments: &Arguments, name: &str) -> bool {
    arguments.only.is_empty() || arguments.only.iter().any(|part| name.contains(part.as_str()))
}

fn write(folder: &Path, table: &Table, threads: usize) -> Result<(), String> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let caption = Caption {
        title: "Time without an optimisation, over the time with it",
        legend: "Red: slower without it. Blue: faster without it. White: no difference.",
        is_high_good: false,
    };
    write("ablation.svg", &picture::svg(&caption, table))?;
    write("ablation.md", &page(table, threads))
}

/// Returns the page around the picture.
fn page(table: &Table, threads: usize) -> String {
    format!(
        "# What each optimisation is worth\n\n\
         `make ablation` compiles every benchmark program without one optimisation at a time and runs it against the usual\n\
         code, on {threads} threads. A figure is the time without over the time with: 2.00 means that the optimisation halves\n\
         the time. Results were compared each time. The columns up to `vectors` are passes\n\
         (`warpwise dev --help` says what each does); `vectors` computes one element at a time, `threads` uses one\n\
         thread, and `checks` leaves out all run-time checks, so that its figures are what these cost.\n\n\
         ![The table below as a picture](ablation.svg)\n\n{}",
        table.markdown()
    )
}
