//! Looks for cliffs: nests and shapes that the full pipeline makes slow, or wrong.
//!
//! Reading order: an [`operation::Operation`] is a piece of program with holes; a [`pattern::Pattern`] is a nest of them, with its extents
//! left open; a [`grid::Grid`] has extents; [`draw`] draws all of these by a seed; a [`trial::Trial`] runs a pattern compiled by the full
//! pipeline beside the same compiled in the plainest way; [`minimise`] makes what is slow or wrong smaller; [`report`] writes it down.
//!
//! There are two parts. The table has every operation alone over rows of growing length; the sample has patterns drawn by the seed.

pub mod draw;
pub mod grid;
pub mod minimise;
pub mod operation;
pub mod pattern;
pub mod report;
pub mod theirs;
pub mod trial;

use warpwise_ir::generate::Random;

use operation::Element;
use pattern::Pattern;
use report::{Report, Row};
use trial::{Contexts, Seconds, Trial};

/// What is measured.
pub struct Settings<'s> {
    /// Where the random choices begin.
    pub seed: u64,
    /// How many patterns are drawn.
    pub samples: usize,
    /// Shapes of each of them.
    pub shapes: usize,
    /// About how many elements an input has.
    pub total: i64,
    /// The elements of the table.
    pub table: Option<Element>,
    /// Parts of the names of patterns wanted; all if there are none.
    pub only: &'s [String],
    /// Whether `futhark` takes part in the table.
    pub with_futhark: bool,
    /// The threads of the full pipeline's code.
    pub threads: usize,
}

/// A pattern on a shape.
#[derive(Clone, Debug)]
pub struct Point {
    /// The extents of the input.
    pub shape: Vec<i64>,
    /// Seconds of both; or what is wrong.
    pub ran: Result<Seconds, String>,
    /// Seconds of Futhark's code.
    pub theirs: Option<f64>,
}

impl Point {
    /// The speed-up where the run is more than a call, whose cost is another matter.
    pub fn speedup(&self) -> Option<f64> {
        /// Seconds of the plainest code from which on a run is more than a call.
        const CALL: f64 = 50e-6;
        let seconds = self.ran.as_ref().ok()?;
        (seconds.plain >= CALL).then(|| seconds.speedup())
    }
}

/// Measures the table and the sample; `told` hears of every row.
pub fn measure(settings: &Settings<'_>, mut told: impl FnMut(&Row)) -> Report {
    let contexts = Contexts::new(settings.threads);
    let mut report = Report::new(settings);
    let is_wanted = |pattern: &Pattern| {
        let name = pattern.to_string();
        settings.only.is_empty() || settings.only.iter().any(|part| name.contains(part.as_str()))
    };
    let shapes = grid::Grid::columns(settings.total).shapes;
    for pattern in settings.table.iter().flat_map(|element| draw::single(*element)).filter(is_wanted) {
        let mut row = row(&pattern, &shapes, settings.seed, &contexts);
        if settings.with_futhark {
            row.problem = theirs::add(&mut row.points, &pattern, settings.seed, &contexts).err();
        }
        told(&row);
        report.table.push(row);
    }
    let mut random = Random::new(settings.seed);
    for number in 0..settings.samples {
        let pattern = draw::pattern(&mut random);
        let shapes = draw::shapes(&mut random, pattern.rank, settings.total, settings.shapes);
        if is_wanted(&pattern) {
            let row = row(&pattern, &shapes, settings.seed + number as u64, &contexts);
            told(&row);
            report.sample.push(row);
        }
    }
    report
}

/// A pattern on some shapes, with inputs by a seed.
pub fn row(pattern: &Pattern, shapes: &[Vec<i64>], seed: u64, contexts: &Contexts) -> Row {
    let trial = Trial::prepare(pattern, contexts);
    let point = |shape: &Vec<i64>| {
        let ran = match &trial {
            Err(problem) => Err(problem.clone()),
            Ok(trial) => run(trial, pattern, shape, seed, contexts),
        };
        Point { shape: shape.clone(), ran, theirs: None }
    };
    let points = shapes.iter().map(point).collect();
    Row {
        pattern: pattern.clone(),
        points,
        compile: trial.map_or(f64::NAN, |trial| trial.compile),
        problem: None,
    }
}

/// Runs a trial on a shape.
fn run(
    trial: &Trial,
    pattern: &Pattern,
    shape: &[i64],
    seed: u64,
    contexts: &Contexts,
) -> Result<Seconds, String> {
    let input = draw::input(&mut Random::new(seed), pattern.element, shape, contexts.memory())?;
    trial.agree(&input)?;
    trial.time(&input)
}
