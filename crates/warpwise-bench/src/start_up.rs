//! How long a whole `warpwise run` of a short program takes, with and without its compiled code in the cache.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::measure::Ratio;

const RUNS: usize = 7;

/// The figures, each with a name.
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
    Ok(vec![
        ("whole process, nothing cached (asked 250 ms)".into(), figure(cold)),
        ("whole process, code cached (asked 60 ms)".into(), figure(cached)),
    ])
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
