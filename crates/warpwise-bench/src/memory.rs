//! Allocations and copies of programs, with `short_circuit` and without it, next to the memory of a handwritten program, and
//! their times.
//!
//! Counts are the same on every machine; times are ratios between programs that ran in turn. Results are compared with the
//! interpreter's at small sizes, and with each other at the measured sizes.
//!
//! Absent: the number of copies that kernels make, which is not counted at run time; the copies in their code are listed with all
//! others.

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

/// The settings of the measurement.
pub struct Settings<'s> {
    /// The repository.
    pub root: &'s Path,
    /// Number of threads of every program.
    pub threads: usize,
    /// Number of rounds; every program gets a turn in each. 0 leaves times out.
    pub rounds: usize,
    /// Whether `futhark` takes part.
    pub with_futhark: bool,
}

/// The results of one subject.
pub struct Row {
    /// The measured program.
    pub subject: Subject,
    /// Its allocations and copies.
    pub with: Counts,
    /// The same without the pass.
    pub without: Counts,
    /// The copies that remain in the program.
    pub staying: Vec<StayingCopy>,
    /// The time without the pass over the time with it.
    pub gain: Option<f64>,
    /// The time of Futhark's multicore code over Warpwise's.
    pub futhark: Option<f64>,
}

/// Sizes and numbers of steps at which results are compared with the interpreter's.
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

/// Returns the time without the pass, and Futhark's, over the time with the pass.
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

/// Returns a subject as a work. The shape of its result is not used.
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
