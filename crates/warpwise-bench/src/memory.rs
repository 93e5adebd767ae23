//! What programs allocate and copy, with `short_circuit` and without it, beside what a program by hand has, and their times.
//!
//! Counts say the same on every machine; times are ratios between programs that ran in turn. Results are compared with the interpreter's
//! at small sizes, and with each other where they are measured.
//!
//! Absent: how often kernels copy, which nobody counts while one runs; the copies that stand in them are listed with all others.

mod counts;
mod report;
mod subjects;

use std::path::Path;

use warpwise_driver::Options;
use warpwise_driver::build::read_core;
use warpwise_driver::copies::{StayingCopy, staying_copies};

pub use counts::Counts;
pub use report::Report;
pub use subjects::{STEPS, Subject, subjects};

use crate::compare::{CLOSE, disagreement};
use crate::futhark::Futhark;
use crate::measure::contest;
use crate::ours::Ours;
use crate::peer::Peer;
use crate::value::{Kind, Value};
use crate::work::{Goal, Output, Work};
use counts::{Counted, interpreted};

/// What is measured, and how.
pub struct Settings<'s> {
    /// The repository.
    pub root: &'s Path,
    /// Threads of every program.
    pub threads: usize,
    /// How often every program gets a turn; times are left out if that is never.
    pub rounds: usize,
    /// Whether `futhark` takes part.
    pub with_futhark: bool,
}

/// What was found out about one subject.
pub struct Row {
    /// The program that was measured.
    pub subject: Subject,
    /// What it allocates and copies.
    pub with: Counts,
    /// The same without the pass.
    pub without: Counts,
    /// The copies that stand in the program.
    pub staying: Vec<StayingCopy>,
    /// The time without the pass over the time with it.
    pub gain: Option<f64>,
    /// The time of Futhark's code for several cores over ours.
    pub futhark: Option<f64>,
}

/// Sizes and steps at which results are compared with the interpreter's.
const SMALL: [(i64, i64); 3] = [(9, 5), (4, 2), (2, 3)];

/// Measures one subject.
pub fn measure(subject: &Subject, settings: &Settings<'_>) -> Result<Row, String> {
    let options = |without: &[&str]| Options {
        without: without.iter().map(|pass| pass.to_string()).collect(),
        entries: vec![subject.entry.to_string()],
        ..Options::default()
    };
    let (with, without) = (options(&[]), options(&["short_circuit"]));
    let path = settings.root.join("benchmarks").join(subject.file);
    let counted = |options: &Options| Counted::prepare(&path, subject.entry, settings.threads, options);
    let (mut ours, mut plain) = (counted(&with)?, counted(&without)?);
    let differ = |what: String| format!("{}: {what}", subject.entry);
    for (size, steps) in SMALL {
        let expected = interpreted(&path, subject.entry, &[size, steps])?;
        for program in [&mut ours, &mut plain] {
            let (results, _) = program.run(&[size, steps])?;
            disagreement(&expected, &results, CLOSE).map_or(Ok(()), |what| Err(differ(what)))?;
        }
    }
    let (results, with_counts) = ours.run(&[subject.size, STEPS])?;
    let (others, without_counts) = plain.run(&[subject.size, STEPS])?;
    disagreement(&results, &others, CLOSE).map_or(Ok(()), |what| Err(differ(what)))?;
    drop((ours, plain));
    let staying = read_core(&path, &with).and_then(|core| staying_copies(core, &with));
    let staying = staying.map_err(|error| error.to_string())?;
    let (gain, futhark) = times(subject, settings, &with, &without)?;
    Ok(Row { subject: *subject, with: with_counts, without: without_counts, staying, gain, futhark })
}

/// The time without the pass, and Futhark's, over ours.
fn times(
    subject: &Subject,
    settings: &Settings<'_>,
    with: &Options,
    without: &Options,
) -> Result<(Option<f64>, Option<f64>), String> {
    if settings.rounds == 0 {
        return Ok((None, None));
    }
    let (work, inputs) = (work(subject), [Value::i64(subject.size), Value::i64(STEPS)]);
    let prepare = |name: &str, options: &Options| {
        Ours::prepare(settings.root, name, &work, &inputs, settings.threads, options)
    };
    let mut peers: Vec<Box<dyn Peer>> =
        vec![Box::new(prepare("with", with)?), Box::new(prepare("without", without)?)];
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    if settings.with_futhark {
        let theirs =
            Futhark::start(settings.root, "multicore", &work, &inputs, settings.threads, folder.path())?;
        peers.push(Box::new(theirs));
    }
    let times = contest(&mut peers, settings.rounds, 3)?;
    let over = |position: usize| times.get(position).map(|other| other.over(&times[0]).median);
    Ok((over(1), over(2)))
}

/// A subject as other programs of this crate are described. Nobody reads the shape of its result.
fn work(subject: &Subject) -> Work {
    Work {
        name: subject.entry.to_string(),
        program: subject.file,
        entry: subject.entry,
        source: "",
        symbol: "",
        ispc: None,
        sizes: Vec::new(),
        inputs: Box::new(Vec::new),
        outputs: vec![Output::Array(Kind::F32, Vec::new())],
        tolerance: CLOSE,
        limit: None,
        goal: Goal::StrictC(1.0),
        fast: false,
    }
}
