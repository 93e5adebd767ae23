//! The benefit of each optimisation: every benchmark program compiled without it, against the usual code.
//!
//! A ratio is the time without over the time with, so 2.00 means that the optimisation halves the time. Variants of one program
//! run in turn as everywhere in this crate, on the same inputs, and their results must agree. The run-time checks are a column of
//! the same kind: their ratio, below 1, is their cost.

use std::fmt::Write as _;
use std::path::Path;

use warpwise_driver::Options;
use warpwise_opt::pass::Pass;
use warpwise_opt::pipelines::OPTIONAL;

use crate::compare::disagreement;
use crate::measure::{contest, geometric_mean};
use crate::ours::Ours;
use crate::peer::Peer;
use crate::work::Work;

/// The compilation with one feature turned off.
pub struct Variant {
    /// The column's name.
    pub name: String,
    /// Compiler options without the feature.
    pub options: Options,
    /// Number of threads; all, unless parallelism is the feature turned off.
    pub threads: Option<usize>,
}

/// The result of one program and one variant.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// The time without over the time with.
    Ratio(f64),
    /// The variant does not run, or gives another result.
    Failed(String),
    /// The program is too fast for a figure.
    Quick,
}

/// The results of all programs and all variants.
pub struct Table {
    /// The variants' names.
    pub columns: Vec<String>,
    /// The programs' names, each with a cell per variant.
    pub rows: Vec<(String, Vec<Cell>)>,
}

/// The settings of the measurement.
pub struct Settings<'a> {
    /// The repository.
    pub root: &'a Path,
    /// Number of threads of every program.
    pub threads: usize,
    /// Number of rounds; every variant gets a turn in each.
    pub rounds: usize,
    /// Minimum number of counted runs of a turn.
    pub repetitions: usize,
}

/// Ratio above which the second run, which determined it, suffices.
const CLEAR: f64 = 8.0;

/// Returns a variant for every pass that can be left out, then the variants that do not concern passes.
pub fn variants() -> Vec<Variant> {
    let variant = |name: &str, options| Variant { name: name.to_string(), options, threads: None };
    let without = |pass: &Pass| {
        variant(pass.name, Options { without: vec![pass.name.to_string()], ..Options::default() })
    };
    let mut variants: Vec<Variant> = OPTIONAL.iter().map(without).collect();
    variants.push(variant("vectors", Options { vector_width: Some(1), ..Options::default() }));
    variants.push(Variant { threads: Some(1), ..variant("threads", Options::default()) });
    variants.push(variant("checks", Options { unsafe_: true, ..Options::default() }));
    variants
}

/// Returns the first work of each benchmark program, except the small programs of a few lines.
pub fn programs(works: &[Work]) -> Vec<&Work> {
    let mut chosen: Vec<&Work> = Vec::new();
    for work in works.iter().filter(|work| !work.program.starts_with("micro/")) {
        if chosen.iter().all(|other| other.program != work.program) {
            chosen.push(work);
        }
    }
    chosen
}

/// Measures all variants of one program.
pub fn row(work: &Work, variants: &[Variant], settings: &Settings) -> Result<Vec<Cell>, String> {
    let inputs = (work.inputs)();
    let prepare = |name: &str, options: &Options, threads: Option<usize>| {
        let threads = threads.unwrap_or(settings.threads);
        Ours::prepare(settings.root, name, work, &inputs, threads, options)
    };
    let mut usual = prepare("usual", &Options::default(), None)?;
    usual.run()?;
    let time = usual.run()?.as_secs_f64();
    let expected = usual.results()?;
    let mut peers: Vec<Box<dyn Peer>> = vec![Box::new(usual)];
    let mut cells = Vec::new();
    let mut measured = Vec::new();
    for (position, variant) in variants.iter().enumerate() {
        let tried = prepare(&variant.name, &variant.options, variant.threads).and_then(|mut ours| {
            // The first run touches memory for the first time.
            ours.run()?;
            let ratio = ours.run()?.as_secs_f64() / time;
            let results = ours.results()?;
            disagreement(&expected, &results, work.tolerance).map_or(Ok((ours, ratio)), Err)
        });
        cells.push(match tried {
            Err(problem) => Cell::Failed(problem.lines().next().unwrap_or_default().to_string()),
            Ok((_, ratio)) if ratio > CLEAR => Cell::Ratio(ratio),
            Ok((ours, ratio)) => {
                measured.push(position);
                peers.push(Box::new(ours));
                Cell::Ratio(ratio)
            }
        });
    }
    let times = contest(&mut peers, settings.rounds, settings.repetitions)?;
    for (position, without) in measured.into_iter().zip(&times[1..]) {
        cells[position] = Cell::Ratio(without.over(&times[0]).median);
    }
    Ok(cells)
}

impl Table {
    /// Returns the geometric mean of a column, if it has measurements.
    pub fn mean(&self, column: usize) -> Option<f64> {
        let ratio = |(_, cells): &(String, Vec<Cell>)| match &cells[column] {
            Cell::Ratio(ratio) => Some(*ratio),
            Cell::Failed(_) | Cell::Quick => None,
        };
        geometric_mean(&self.rows.iter().filter_map(ratio).collect::<Vec<_>>())
    }

    /// Returns the table as text, a line for each program.
    pub fn text(&self) -> String {
        let mut text = header(self.columns.iter().map(String::as_str));
        for (name, cells) in &self.rows {
            text.push_str(&line(name, cells.iter().map(Cell::text)));
        }
        let means = (0..self.columns.len()).map(|column| self.mean(column));
        text.push_str(&line("geometric mean", means.map(|mean| mean.map_or("–".into(), figure))));
        text
    }

    /// Returns descriptions of the failures.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, cells) in &self.rows {
            for (column, cell) in self.columns.iter().zip(cells) {
                if let Cell::Failed(problem) = cell {
                    problems.push(format!("{name} without {column}: {problem}"));
                }
            }
        }
        problems
    }

    /// Returns the table in Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("| program | {} |\n", self.columns.join(" | "));
        let _ = writeln!(text, "|---|{}", "---:|".repeat(self.columns.len()));
        for (name, cells) in &self.rows {
            let cells: Vec<String> = cells.iter().map(Cell::text).collect();
            let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
        }
        let means = (0..self.columns.len()).map(|column| self.mean(column).map_or("–".into(), figure));
        let _ = writeln!(text, "| geometric mean | {} |", means.collect::<Vec<_>>().join(" | "));
        text
    }
}

impl Cell {
    /// Returns the figure, or a mark if there is none.
    pub fn text(&self) -> String {
        match self {
            Cell::Ratio(ratio) => figure(*ratio),
            Cell::Failed(_) => "fails".into(),
            Cell::Quick => "–".into(),
        }
    }
}

/// Returns the heading of the text.
pub fn header<'a>(columns: impl Iterator<Item = &'a str>) -> String {
    line("time without / with", columns.map(str::to_string))
}

/// Formats one line of the text.
pub fn line(name: &str, cells: impl Iterator<Item = String>) -> String {
    let mut text = format!("{name:<24}");
    cells.for_each(|cell| {
        let _ = write!(text, " {cell:>11}");
    });
    text.push('\n');
    text
}

/// Formats a ratio with its significant digits.
pub fn figure(ratio: f64) -> String {
    if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.1}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let rows = vec![
            ("a".to_string(), vec![Cell::Ratio(2.0), Cell::Failed("no memory".into())]),
            ("b".to_string(), vec![Cell::Ratio(8.0), Cell::Ratio(0.5)]),
        ];
        Table { columns: vec!["fuse".into(), "tile".into()], rows }
    }

    #[test]
    fn means_leave_failures_out_and_failures_are_named() {
        let table = table();
        assert_eq!(table.mean(0), Some(4.0));
        assert_eq!(table.mean(1), Some(0.5));
        assert_eq!(table.problems(), ["a without tile: no memory"]);
        assert!(table.text().ends_with("4.00        0.50\n"), "{}", table.text());
        assert!(table.markdown().contains("| a | 2.00 | fails |"));
    }

    #[test]
    fn every_program_stands_in_the_table_once() {
        let works = crate::work::works(0.01);
        let programs = programs(&works);
        for name in ["kmeans.fut", "option_pricing.fut", "sgemm.fut", "mandelbrot.fut"] {
            assert_eq!(programs.iter().filter(|work| work.program == name).count(), 1, "{name}");
        }
        assert!(programs.iter().all(|work| !work.program.starts_with("micro/")));
    }

    #[test]
    fn every_pass_that_can_be_left_out_has_a_column() {
        let names: Vec<String> = variants().into_iter().map(|variant| variant.name).collect();
        assert!(OPTIONAL.iter().all(|pass| names.iter().any(|name| name == pass.name)));
    }
}
