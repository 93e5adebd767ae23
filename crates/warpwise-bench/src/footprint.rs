//! Peak memory of a work, of Warpwise against the C program.
//!
//! Each program runs alone in a child process with its inputs in place. The figure is the largest resident size from then on,
//! including inputs and results, after two runs. Warpwise's code comes from a cache, as the C program is compiled beforehand:
//! neither compiler counts.

use std::process::Command;
use std::rc::Rc;

use warpwise_driver::Options;
use warpwise_driver::cache::{DEFAULT_BOUND, DiskCache};

use crate::baseline::{Baselines, Licence};
use crate::measure::geometric_mean;
use crate::ours::Ours;
use crate::peer::Peer;
use crate::work::Work;

/// The program measured in a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Who {
    /// Warpwise.
    Ours,
    /// The C program.
    C,
}

/// Measures some works through child processes of this program; returns the mean ratio and the largest.
pub fn figures(works: &[Work], scale: f64) -> Result<Vec<(String, String)>, String> {
    let mut ratios = Vec::new();
    for work in works.iter().filter(|work| is_measured(work)) {
        // The first process compiles.
        peak_in_child(work, "ours", scale)?;
        ratios.push((peak_in_child(work, "ours", scale)? / peak_in_child(work, "c", scale)?, &work.name));
    }
    ratios.sort_by(|x, y| y.0.total_cmp(&x.0));
    let all: Vec<f64> = ratios.iter().map(|(ratio, _)| *ratio).collect();
    let Some(mean) = geometric_mean(&all) else { return Ok(Vec::new()) };
    let above = ratios.iter().enumerate().filter(|(number, (ratio, _))| *number == 0 || *ratio > ASKED);
    let above: Vec<String> = above.map(|(_, (ratio, name))| format!("{ratio:.2} ({name})")).collect();
    let text = format!("mean {mean:.2} over {} works, largest {}", all.len(), above.join(", "));
    Ok(vec![(format!("peak memory, ours / C (asked at most {ASKED})"), text)])
}

/// Required ratio.
const ASKED: f64 = 1.2;

/// Returns whether a work is measured. Of works that differ only in types and sizes, one of each kind is.
fn is_measured(work: &Work) -> bool {
    let left_out =
        ["map_f64", "saxpy_f64", "sum_", "dot_", "scan exclusive", "scan inclusive_i32", "filter 1 %"];
    !left_out.iter().any(|name| work.name.starts_with(name))
}

fn peak_in_child(work: &Work, who: &str, scale: f64) -> Result<f64, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(this);
    command.args([&work.name, "--peak-memory-of", who, "--scale", &scale.to_string()]);
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim()
        .parse()
        .map_err(|_| format!("{}, {who}: {}", work.name, String::from_utf8_lossy(&output.stderr)))
}

/// Returns the peak memory of one work in this process, in bytes.
pub fn peak(work: &Work, who: Who, baselines: &Baselines, root: &std::path::Path) -> Result<f64, String> {
    let inputs = Rc::new((work.inputs)());
    let mut peer: Box<dyn Peer> = match who {
        Who::Ours => {
            let cache = DiskCache::new(std::env::temp_dir().join("warpwise-bench-cache"), DEFAULT_BOUND);
            let (threads, options) = (baselines.threads(), Options::default());
            Box::new(Ours::prepare_cached(root, "ours", work, &inputs, threads, &options, Some(&cache))?)
        }
        Who::C => Box::new(baselines.c(work, &baselines.c_compilers[0], Licence::Strict, &inputs)?),
    };
    // Warpwise has copied the inputs; only the C program still holds these.
    drop(inputs);
    std::fs::write("/proc/self/clear_refs", "5").map_err(|error| format!("resetting the peak: {error}"))?;
    peer.run()?;
    peer.run()?;
    let status = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .ok_or("the system does not tell the peak")?;
    let kilobytes: f64 =
        line.trim().trim_end_matches(" kB").parse().map_err(|_| format!("not a size: {line}"))?;
    Ok(1024.0 * kilobytes)
}
