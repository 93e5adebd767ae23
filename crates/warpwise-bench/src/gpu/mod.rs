//! Devices: our programs against kernels written by hand, both on arrays that lie there already.
//!
//! The kernels (`benchmarks/baselines/gpu`) are one text for CUDA C and OpenCL C: measured on CUDA devices, tested on OpenCL ones. They
//! are compiled as those of our programs are, by the device's driver or NVRTC, with the same licence for floats. Results are
//! compared with those of the processor.

mod by_hand;
mod report;
mod resident;

use std::path::Path;

use warpwise_driver::{Context, Dialect, Options};

use crate::compare::disagreement;
use crate::measure::contest;
use crate::ours::Ours;
use crate::peer::Peer;
use crate::work::{Work, works};

pub use by_hand::{ByHand, SOURCES, kernel_text};
pub use report::{Report, Row};
pub use resident::Resident;

/// What is measured, and how.
pub struct Settings<'a> {
    /// The repository.
    pub root: &'a Path,
    /// The kind of device, and its number.
    pub device: (Dialect, usize),
    /// How often every program gets a turn.
    pub rounds: usize,
    /// How many runs a turn has.
    pub repetitions: usize,
    /// What all sizes are multiplied by.
    pub scale: f64,
}

/// The works that there are kernels by hand for.
pub fn works_by_hand(scale: f64) -> Vec<Work> {
    works(scale).into_iter().filter(|work| by_hand::source_of(work).is_some()).collect()
}

/// Measures all works that there are kernels for.
pub fn measure(settings: &Settings<'_>) -> Result<Report, String> {
    let name = resident::name_of(settings.device)?;
    let mut rows = Vec::new();
    for work in works_by_hand(settings.scale) {
        let row = row(settings, &work).map_err(|error| format!("{}: {error}", work.name))?;
        println!("{row}");
        rows.push(row);
    }
    Ok(Report { device: name, rows })
}

/// One work: both programs in turn, their results against the processor's.
fn row(settings: &Settings<'_>, work: &Work) -> Result<Row, String> {
    let inputs = (work.inputs)();
    let context = Context::new();
    let ours = Resident::prepare(settings.root, work, &inputs, &context, settings.device)?;
    let hand = ByHand::prepare(work, &inputs, &context, settings.device)?;
    let mut peers: Vec<Box<dyn Peer>> = vec![Box::new(ours), Box::new(hand)];
    let times = contest(&mut peers, settings.rounds, settings.repetitions)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut processor = Ours::prepare(settings.root, "cpu", work, &inputs, threads, &Options::default())?;
    processor.run()?;
    let expected = processor.results()?;
    for peer in &mut peers {
        if let Some(difference) = disagreement(&expected, &peer.results()?, work.tolerance) {
            return Err(format!("{} and the processor disagree: {difference}", peer.name()));
        }
    }
    let [ours, hand] = &times[..] else { return Err("two programs have two times".to_string()) };
    Ok(Row {
        work: work.name.clone(),
        ours_ms: ours.median() * 1e3,
        by_hand_ms: hand.median() * 1e3,
        ratio: hand.over(ours),
    })
}
