//! The time of a whole `warpwise run` of a short program, with and without its compiled code in the cache, and the time to
//! compile and load large programs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use warpwise_driver::build::build;
use warpwise_driver::{Context, Options};
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

use crate::measure::Ratio;

const RUNS: usize = 7;

/// Large programs, with the seconds within which they should be compiled and ready.
const LARGE: [(&str, &str, u32); 3] = [
    ("OptionPricing", "option_pricing.fut", 1),
    ("LocVolCalib", "locvolcalib.fut", 1),
    ("Myocyte", "myocyte.fut", 2),
];

/// Number of compilations of each program.
const COMPILATIONS: usize = 3;

/// Returns the figures, each with a name.
pub fn figures(warpwise: &Path, root: &Path, folder: &Path) -> Result<Vec<(String, String)>, String> {
    let mut cold = Vec::new();
    let mut cached = Vec::new();
    for run in 0..RUNS {
        let cache = folder.join(format!("cache-{run}"));
        cold.push(milliseconds(warpwise, root, &cache)?);
        cached.push(milliseconds(warpwise, root, &cache)?);
    }
    let figure = |times| {
        let Ratio { median, low, high } = Ratio::of(times);
        format!("{median:.0} ms ({low:.0} to {high:.0})")
    };
    let mut figures = vec![
        ("whole process, nothing cached (asked 200 ms)".into(), figure(cold)),
        ("whole process, code cached (asked 40 ms)".into(), figure(cached)),
    ];
    for (name, program, asked) in LARGE {
        let path = root.join("benchmarks").join(program);
        let times: Result<Vec<f64>, String> = (0..COMPILATIONS).map(|_| compile(&path)).collect();
        let Ratio { median, low, high } = Ratio::of(times.map_err(|error| format!("{name}: {error}"))?);
        let text = format!("{median:.2} s ({low:.2} to {high:.2})");
        figures.push((format!("compile and start, {name} (asked {asked} s)"), text));
    }
    Ok(figures)
}

/// Returns the seconds until a program that is in no cache can be called.
fn compile(path: &Path) -> Result<f64, String> {
    let context = Context::with(ThreadPool::new(1), MemoryPool::with_default_limit());
    let start = Instant::now();
    let built = build(path, &Options::default(), None).map_err(|error| error.to_string())?;
    built.compiled.load(&context).map_err(|error| error.to_string())?;
    Ok(start.elapsed().as_secs_f64())
}

fn milliseconds(warpwise: &Path, root: &Path, cache: &Path) -> Result<f64, String> {
    let mut command = Command::new(warpwise);
    command.arg("run").arg("--cache").arg(cache).arg(root.join("examples/tour.fut"));
    command.arg("[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]").stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status().map_err(|error| format!("{command:?}: {error}"))?;
    let time = 1e3 * start.elapsed().as_secs_f64();
    if status.success() { Ok(time) } else { Err(format!("{command:?} failed")) }
}
