//! Searches for cliffs: nests and shapes that the full pipeline makes slow, or wrong.
//!
//! Reading order: an [`operation::Operation`] is a part of a program with holes; a [`pattern::Pattern`] is a nest of operations,
//! with its extents left open; a [`grid::Grid`] has extents; [`draw`] draws all of these from a seed; a [`trial::Trial`] runs a
//! pattern compiled by the full pipeline and the same pattern compiled in the plainest way; [`minimise`] reduces patterns that
//! are slow or wrong; [`report`] writes the results.
//!
//! There are two parts. The table has every operation alone over rows of growing length; the sample has patterns drawn from the
//! seed.

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

/// The settings of the measurement.
pub struct Settings<'s> {
    /// Seed of the random choices.
    pub seed: u64,
    /// Number of drawn patterns.
    pub samples: usize,
    /// Number of shapes per pattern.
    pub shapes: usize,
    /// Approximate number of elements of an input.
    pub total: i64,
    /// Element type of the table; none leaves the table out.
    pub table: Option<Element>,
    /// Parts of the names of the selected patterns; empty selects all.
    pub only: &'s [String],
    /// Whether `futhark` takes part in the table.
    pub with_futhark: bool,
    /// Number of threads of the full pipeline's code.
    pub threads: usize,
}

/// A pattern on a shape.
#[derive(Clone, Debug)]
pub struct Point {
    /// The extents of the input.
    pub shape: Vec<i64>,
    /// Times of both programs, or the reason of a failure.
    pub ran: Result<Seconds, String>,
    /// Seconds of Futhark's code.
    pub theirs: Option<f64>,
}

impl Point {
    /// Returns the speed-up, unless the run is dominated by the call, whose cost is a separate matter.
    pub fn speedup(&self) -> Option<f64> {
        /// Seconds of the plainest code from which on a run is not dominated by the call.
        const CALL: f64 = 50e-6;
        let seconds = self.ran.as_ref().ok()?;
        (seconds.plain >= CALL).then(|| seconds.speedup())
    }
}

/// Measures the table and the sample; `told` is called with every row.
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

/// Measures a pattern on some shapes, with inputs from a seed.
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
