//! The report, for the terminal, as Markdown and as pictures.

use std::fmt::Write as _;
use std::path::Path;

use super::grid::INNER;
use super::pattern::Pattern;
use super::trial::{Contexts, TOLERANCE};
use super::{Point, Settings, minimise};
use crate::ablation::{Cell, Table};
use crate::measure::geometric_mean;
use crate::picture::{self, Caption};
use crate::report::machine;

/// Heading of the handwritten notes at the end of the page, which are kept when the page is rewritten.
const NOTES: &str = "\n## What stays, and why\n";

/// Number of the worst points that are minimised and listed.
const WORST: usize = 30;

/// A pattern with its points.
#[derive(Clone, Debug)]
pub struct Row {
    /// The pattern.
    pub pattern: Pattern,
    /// The points, one per shape.
    pub points: Vec<Point>,
    /// Compilation time of the full pipeline, in seconds.
    pub compile: f64,
    /// The reason why there are no times of Futhark.
    pub problem: Option<String>,
}

/// A minimised point that was slow or wrong.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The pattern as it was drawn.
    pub drawn: Pattern,
    /// The minimised pattern.
    pub pattern: Pattern,
    /// The point of the minimised pattern.
    pub point: Point,
}

/// The whole report.
pub struct Report {
    about: String,
    seed: u64,
    /// Every operation alone, over the columns of the grid.
    pub table: Vec<Row>,
    /// Drawn patterns.
    pub sample: Vec<Row>,
    /// The worst points of both.
    pub worst: Vec<Reduced>,
}

impl Row {
    /// Returns a line for the terminal: the pattern, and the speed-up on each shape.
    pub fn line(&self) -> String {
        let mut text = format!("{} (compiled in {:.2} s):", self.pattern, self.compile);
        for point in &self.points {
            let _ = write!(text, " {}={}", shape(&point.shape), outcome(point));
        }
        if let Some(problem) = &self.problem {
            let _ = write!(text, " (Futhark: {problem})");
        }
        text
    }
}

impl Report {
    /// Creates an empty report.
    pub fn new(settings: &Settings<'_>) -> Report {
        let about = format!(
            "{}, {} threads against one, about {} elements, seed {}, {} patterns on {} shapes each.",
            machine(),
            settings.threads,
            settings.total,
            settings.seed,
            settings.samples,
            settings.shapes
        );
        Report { about, seed: settings.seed, table: Vec::new(), sample: Vec::new(), worst: Vec::new() }
    }

    /// Minimises the worst points, which include all faults.
    pub fn reduce(&mut self, contexts: &Contexts) {
        let rows = self.table.iter().chain(&self.sample);
        let mut points: Vec<(&Pattern, &Point)> =
            rows.flat_map(|row| row.points.iter().map(|point| (&row.pattern, point))).collect();
        let badness = |point: &Point| if point.ran.is_err() { Some(0.0) } else { point.speedup() };
        points.retain(|(_, point)| badness(point).is_some_and(|speedup| speedup < 1.0));
        points.sort_by(|(_, a), (_, b)| badness(a).partial_cmp(&badness(b)).expect("no speed-up is NaN"));
        let faults = points.iter().filter(|(_, point)| point.ran.is_err()).count();
        points.truncate(WORST.max(faults));
        let reduced = points.into_iter().map(|(drawn, point)| {
            let (pattern, point) = minimise::minimise(drawn, point, self.seed, contexts);
            Reduced { drawn: drawn.clone(), pattern, point }
        });
        self.worst = reduced.collect();
    }

    /// Returns descriptions of the faults.
    pub fn faults(&self) -> Vec<String> {
        let faults = self.worst.iter().filter_map(|reduced| {
            let problem = reduced.point.ran.as_ref().err()?;
            let text = reduced.pattern.program();
            Some(format!("{} on {}: {problem}\n{text}", reduced.pattern, shape(&reduced.point.shape)))
        });
        faults.collect()
    }

    /// Returns the worst points, one per line.
    pub fn worst_lines(&self) -> String {
        let mut text = String::new();
        for Reduced { pattern, point, .. } in &self.worst {
            let _ = writeln!(text, "{} {pattern} on {}", outcome(point), shape(&point.shape));
        }
        text
    }

    /// Returns the page, without notes.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "# Cliffs\n\n{}\n\n`make bench-cliffs` compiles nests by the full pipeline and in the plainest way (one thread, no vectors, \
             nothing fused), runs both on the same inputs and compares the results: integers exactly, floats within {TOLERANCE} of the \
             largest. A figure is the plainest code's least time over the full pipeline's. Runs whose plainest code takes less than \
             50 µs are compared and not counted.\n\n",
            self.about
        );
        for (what, rows) in [("Operations alone", &self.table), ("Patterns drawn", &self.sample)] {
            let ratios: Vec<f64> =
                rows.iter().flat_map(|row| row.points.iter().filter_map(Point::speedup)).collect();
            let _ = writeln!(text, "- {what}: {}", summary(&ratios));
        }
        if self.has_theirs() {
            let theirs = self.table.iter().flat_map(|row| row.points.iter().filter_map(over_theirs));
            let theirs: Vec<f64> = theirs.collect();
            let _ = writeln!(text, "- Operations alone, Futhark multicore / ours: {}", summary(&theirs));
        }
        text += "\n![Speed-up by operation and length of rows](cliffs.svg)\n";
        if self.has_theirs() {
            text += "\n![Futhark's time over ours](cliffs-futhark.svg)\n";
        }
        text += "\n## The worst\n\nEach is what remains of a drawn pattern when steps are dropped that do not matter.\n\n";
        text += "| plainest / full | pattern | shape | drawn as |\n|---:|---|---|---|\n";
        for Reduced { drawn, pattern, point } in &self.worst {
            let _ = writeln!(text, "| {} | {pattern} | {} | {drawn} |", outcome(point), shape(&point.shape));
        }
        text += "\n## The longest compilations\n\n| seconds | pattern |\n|---:|---|\n";
        let mut rows: Vec<&Row> = self.table.iter().chain(&self.sample).collect();
        rows.sort_by(|a, b| b.compile.total_cmp(&a.compile));
        for row in rows.iter().filter(|row| row.compile.is_finite()).take(10) {
            let _ = writeln!(text, "| {:.2} | {} |", row.compile, row.pattern);
        }
        text
    }

    fn has_theirs(&self) -> bool {
        self.table.iter().any(|row| row.points.iter().any(|point| point.theirs.is_some()))
    }

    /// Returns the table with a cell for each point.
    fn cells(&self, ratio: impl Fn(&Point) -> Option<f64>) -> Table {
        let cell = |point: &Point| match (&point.ran, ratio(point)) {
            (Err(problem), _) => Cell::Failed(problem.clone()),
            (Ok(_), Some(ratio)) => Cell::Ratio(ratio),
            (Ok(_), None) => Cell::Quick,
        };
        let row = |row: &Row| (row.pattern.steps_text(), row.points.iter().map(cell).collect());
        let columns = INNER.iter().map(|extent| extent.to_string()).collect();
        Table { columns, rows: self.table.iter().map(row).collect() }
    }

    /// Writes `cliffs.md`, `cliffs.svg` and, if Futhark took part, `cliffs-futhark.svg`; keeps the notes of an existing page.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let page = folder.join("cliffs.md");
        let before = std::fs::read_to_string(&page).unwrap_or_default();
        let notes = before.find(NOTES).map_or("", |start| &before[start..]);
        let ours = Caption {
            title: "Time of the plainest code over the full pipeline's, by length of rows",
            legend: "Blue: the full pipeline's code is faster. Red: it is slower.",
            is_high_good: true,
        };
        let theirs = Caption {
            title: "Time of Futhark's code (multicore) over ours, by length of rows",
            legend: "Blue: ours is faster. Red: it is slower.",
            is_high_good: true,
        };
        let mut files = vec![
            (page.clone(), self.markdown() + notes),
            (folder.join("cliffs.svg"), picture::svg(&ours, &self.cells(Point::speedup))),
        ];
        if self.has_theirs() {
            files.push((folder.join("cliffs-futhark.svg"), picture::svg(&theirs, &self.cells(over_theirs))));
        }
        for (path, text) in files {
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }
}

/// Returns Futhark's time over Warpwise's.
fn over_theirs(point: &Point) -> Option<f64> {
    point.speedup()?;
    Some(point.theirs? / point.ran.as_ref().ok()?.full)
}

fn summary(ratios: &[f64]) -> String {
    let Some(mean) = geometric_mean(ratios) else { return "nothing measured".to_string() };
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let below = ratios.iter().filter(|ratio| **ratio < 1.0).count();
    format!("{} points, geometric mean {mean:.2}, least {least:.2}, {below} under 1", ratios.len())
}

fn shape(extents: &[i64]) -> String {
    extents.iter().map(|extent| format!("[{extent}]")).collect()
}

fn outcome(point: &Point) -> String {
    match &point.ran {
        Err(_) => "wrong".to_string(),
        Ok(seconds) => format!("{:.2}", seconds.speedup()),
    }
}
