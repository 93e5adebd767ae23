//! The speed-up of two threads over one, on works that are bound by arithmetic.

use std::path::Path;

use warpwise_driver::Options;

use crate::measure::contest;
use crate::ours::Ours;
use crate::peer::Peer;
use crate::work::{Work, compute_bound};

/// Returns the figures, each with a name; none on a machine with one core.
pub fn figures(root: &Path, works: &[Work], rounds: usize) -> Result<Vec<(String, String)>, String> {
    if std::thread::available_parallelism().map_or(1, |n| n.get()) < 2 {
        return Ok(Vec::new());
    }
    works.iter().filter(|work| compute_bound(work)).map(|work| figure(root, work, rounds)).collect()
}

fn figure(root: &Path, work: &Work, rounds: usize) -> Result<(String, String), String> {
    let inputs = (work.inputs)();
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    for threads in [1, 2] {
        let name = format!("{threads} threads");
        let ours = Ours::prepare(root, &name, work, &inputs, threads, &Options::default());
        peers.push(Box::new(ours.map_err(|error| format!("{}, {name}: {error}", work.name))?));
    }
    let times = contest(&mut peers, rounds, 1)?;
    let ratio = times[0].over(&times[1]);
    let text = format!("{:.2} ({:.2} to {:.2})", ratio.median, ratio.low, ratio.high);
    Ok((format!("two threads against one (asked 1.9), {}", work.name), text))
}
