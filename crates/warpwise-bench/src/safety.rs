//! The cost of run-time checks: every work with them against the same with `--unsafe`.

use std::path::Path;

use warpwise_driver::Options;

use crate::measure::{contest, geometric_mean};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::work::Work;

/// Required geometric mean.
const ASKED: f64 = 0.95;

/// Returns the figures, each with a name: the time without checks over the time with them, for works where the two differ and
/// overall.
pub fn figures(
    root: &Path,
    works: &[&Work],
    threads: usize,
    (rounds, repetitions): (usize, usize),
) -> Result<Vec<(String, String)>, String> {
    let mut figures = Vec::new();
    let mut medians = Vec::new();
    for work in works {
        let inputs = (work.inputs)();
        let mut peers: Vec<Box<dyn Peer>> = Vec::new();
        for (name, unsafe_) in [("unchecked", true), ("checked", false)] {
            let options = Options { unsafe_, ..Options::default() };
            let ours = Ours::prepare(root, name, work, &inputs, threads, &options);
            peers.push(Box::new(ours.map_err(|error| format!("{}, {name}: {error}", work.name))?));
        }
        let times =
            contest(&mut peers, rounds, repetitions).map_err(|error| format!("{}, {error}", work.name))?;
        let ratio = times[0].over(&times[1]);
        medians.push(ratio.median);
        if ratio.median < ASKED {
            let text = format!("{:.2} ({:.2} to {:.2})", ratio.median, ratio.low, ratio.high);
            figures.push((format!("safe against --unsafe, {}", work.name), text));
        }
    }
    if let Some(mean) = geometric_mean(&medians) {
        let least = medians.iter().copied().fold(f64::INFINITY, f64::min);
        let text = format!("{mean:.2} over {} works, the least {least:.2}", medians.len());
        figures.push((format!("safe against --unsafe, geometric mean (asked {ASKED})"), text));
    }
    Ok(figures)
}
