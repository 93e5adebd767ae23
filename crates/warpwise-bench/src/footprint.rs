//! Peak memory of a work, ours against the C program's.
//!
//! Each runs alone in a child process with its inputs in place. What is taken is the largest resident size from
//! then on, inputs and results included, after two runs.

use std::process::Command;
use std::rc::Rc;

use warpwise::Options;

use crate::baseline::{Baselines, Licence};
use crate::measure::geometric_mean;
use crate::ours::Ours;
use crate::peer::Peer;
use crate::work::Work;

/// Who is measured in a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Who {
    /// Warpwise.
    Ours,
    /// The C program.
    C,
}

/// Measures some works through child processes of this program; gives the mean ratio and the largest.
pub fn figures(works: &[Work], scale: f64) -> Result<Vec<(String, String)>, String> {
    let mut ratios = Vec::new();
    let mut worst = (0.0, String::new());
    for work in works.iter().filter(|work| is_measured(work)) {
        let ratio = peak_in_child(work, "ours", scale)? / peak_in_child(work, "c", scale)?;
        ratios.push(ratio);
        if ratio > worst.0 {
            worst = (ratio, work.name.clone());
        }
    }
    let Some(mean) = geometric_mean(&ratios) else { return Ok(Vec::new()) };
    let text = format!("mean {mean:.2}, largest {:.2} ({})", worst.0, worst.1);
    Ok(vec![("peak memory, ours / C (asked at most 1.5)".into(), text)])
}

/// One work of each kind of program; the others allocate in the same way.
fn is_measured(work: &Work) -> bool {
    let names = [
        "saxpy_f32",
        "scan inclusive_f32",
        "filter half",
        "transpose",
        "Black",
        "nbody",
        "hotspot",
        "stencil",
        "kmeans",
    ];
    names.iter().any(|name| work.name.starts_with(name))
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

/// The peak of one work in this process, in bytes.
pub fn peak(work: &Work, who: Who, baselines: &Baselines, root: &std::path::Path) -> Result<f64, String> {
    let inputs = Rc::new((work.inputs)());
    let mut peer: Box<dyn Peer> = match who {
        Who::Ours => {
            Box::new(Ours::prepare(root, "ours", work, &inputs, baselines.threads(), &Options::default())?)
        }
        Who::C => Box::new(baselines.c(work, &baselines.c_compilers[0], Licence::Strict, &inputs)?),
    };
    // Ours has copied the inputs; only the C program still holds these.
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
