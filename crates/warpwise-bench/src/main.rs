//! `warpwise-bench`: prints the performance table, and writes it to `benchmarks/results`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use warpwise_bench::baseline::Baselines;
use warpwise_bench::footprint::Who;
use warpwise_bench::report::{Report, machine};
use warpwise_bench::row::{Settings, measure};
use warpwise_bench::work::Work;
use warpwise_bench::{footprint, futhark, safety, scaling, start_up, work};

/// Compares Warpwise with other programs for the same work, all run in turn.
#[derive(Parser)]
struct Arguments {
    /// Only works whose names contain one of these. Besides works there are `threads`, `safety` (of the other selected works, or
    /// of all), `memory` and `start`.
    only: Vec<String>,
    /// The command whose start is timed.
    #[arg(long, default_value = "target/release/warpwise")]
    warpwise: PathBuf,
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
    /// Leave Futhark's compiler out although it is on the path.
    #[arg(long)]
    no_futhark: bool,
    /// Only print the peak memory of the named work, in bytes; used by this program to call itself.
    #[arg(long, hide = true)]
    peak_memory_of: Option<Who>,
    /// The folder that the report is written to.
    #[arg(long, default_value = "benchmarks/results")]
    results: PathBuf,
}

fn main() -> ExitCode {
    name_processor_to_openblas();
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("warpwise-bench: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Tells OpenBLAS the processor family to tune for, unless the user has. OpenBLAS takes processors newer than itself for the
/// oldest that it knows, and leaves their vectors unused.
fn name_processor_to_openblas() {
    const FAMILY: &str = "OPENBLAS_CORETYPE";
    #[cfg(target_arch = "x86_64")]
    if std::env::var_os(FAMILY).is_none() {
        let family = if std::arch::is_x86_feature_detected!("avx512bw") {
            "SkylakeX"
        } else if std::arch::is_x86_feature_detected!("avx2") {
            "Haswell"
        } else {
            return;
        };
        // SAFETY: no other thread exists yet.
        unsafe { std::env::set_var(FAMILY, family) };
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let root = Path::new(".");
    let threads =
        arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()));
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let baselines = Baselines::find(root, threads)?;
    let works = work::works(arguments.scale);
    if let Some(who) = arguments.peak_memory_of {
        let is_named = |work: &&Work| arguments.only.contains(&work.name);
        let work = works.iter().find(is_named).ok_or("no such work")?;
        println!("{}", footprint::peak(work, who, &baselines, root)?);
        return Ok(());
    }
    let settings = Settings {
        root,
        folder: folder.path(),
        baselines: &baselines,
        futhark: !arguments.no_futhark && futhark::is_on_path(),
        rounds: arguments.rounds.max(1),
        repetitions: arguments.repetitions.max(1),
        scale: arguments.scale,
    };
    let mut report = Report { machine: machine(), threads, rows: Vec::new(), figures: Vec::new() };
    let mut problems = Vec::new();
    for work in works.iter().filter(|work| is_wanted(arguments, &work.name)) {
        match measure(work, &settings) {
            Ok(row) => {
                print!("{}", row.text());
                report.rows.push(row);
            }
            Err(error) => problems.push(format!("{}: {error}", work.name)),
        }
    }
    let mut collect = |part: &str, figures: &dyn Fn() -> Result<Vec<(String, String)>, String>| {
        if is_wanted(arguments, part) {
            match figures() {
                Ok(figures) => report.figures.extend(figures),
                Err(error) => problems.push(format!("{part}: {error}")),
            }
        }
    };
    collect("threads", &|| scaling::figures(root, &works, arguments.rounds));
    collect("safety", &|| {
        let named: Vec<&Work> = works.iter().filter(|work| is_wanted(arguments, &work.name)).collect();
        let chosen = if named.is_empty() { works.iter().collect() } else { named };
        safety::figures(root, &chosen, threads, (settings.rounds, settings.repetitions))
    });
    collect("memory", &|| footprint::figures(&works, arguments.scale));
    collect("start", &|| start_up::figures(&arguments.warpwise, root, folder.path()));
    for (name, figure) in report.summary() {
        println!("{name}: {figure}");
    }
    report.write(&arguments.results)?;
    println!("written to {}", arguments.results.join("performance.md").display());
    for row in &report.rows {
        problems.extend(row.problems.iter().map(|problem| format!("{}: {problem}", row.name)));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n")) }
}

fn is_wanted(arguments: &Arguments, name: &str) -> bool {
    arguments.only.is_empty() || arguments.only.iter().any(|part| name.contains(part.as_str()))
}
