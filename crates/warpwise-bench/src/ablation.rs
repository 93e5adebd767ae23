//! What each optimisation is worth: every benchmark program compiled without it, against the usual code.
//!
//! A ratio is the time without over the time with, so 2.00 means that the optimisation halves the time. Variants of
//! one program run in turn as everywhere in this crate, on the same inputs, and their results must agree. The run-time
//! checks are a column of the same kind: their ratio, below 1, is what they cost.

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

/// One thing turned off.
pub struct Variant {
    /// The column's name.
    pub name: String,
    /// How programs are compiled without it.
    pub options: Options,
    /// How many threads run them; all, unless parallelism is what is turned off.
    pub threads: Option<usize>,
}

/// What was measured for one program and one variant.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// The time without over the time with.
    Ratio(f64),
    /// It does not run, or gives something else.
    Failed(String),
    /// It runs too short a time for a figure.
    Quick,
}

/// All programs, all variants.
pub struct Table {
    /// The variants' names.
    pub columns: Vec<String>,
    /// The programs' names, each with a cell per variant.
    pub rows: Vec<(String, Vec<Cell>)>,
}

/// How to measure.
pub struct Settings<'a> {
    /// The repository.
    pub root: &'a Path,
    /// Threads of every program.
    pub threads: usize,
    /// How often every variant gets a turn.
    pub rounds: usize,
    /// How many runs a turn has.
    pub repetitions: usize,
}

/// Above this ratio the second run, which found it out, is enough.
const CLEAR: f64 = 8.0;

/// Every pass that can be left out, then what is no pass.
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

/// The first work of each benchmark program; the small programs of a few lines are left out.
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
            // The first run takes memory that nobody has used.
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
    /// The geometric mean of a column, where anything was measured.
    pub fn mean(&self, column: usize) -> Option<f64> {
        let ratio = |(_, cells): &(String, Vec<Cell>)| match &cells[column] {
            Cell::Ratio(ratio) => Some(*ratio),
            Cell::Failed(_) | Cell::Quick => None,
        };
        geometric_mean(&self.rows.iter().filter_map(ratio).collect::<Vec<_>>())
    }

    /// As text, a line for each program.
    pub fn text(&self) -> String {
        let mut text = header(self.columns.iter().map(String::as_str));
        for (name, cells) in &self.rows {
            text.push_str(&line(name, cells.iter().map(Cell::text)));
        }
        let means = (0..self.columns.len()).map(|column| self.mean(column));
        text.push_str(&line("geometric mean", means.map(|mean| mean.map_or("–".into(), figure))));
        text
    }

    /// What failed, in words.
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

    /// As a table in Markdown.
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
    /// The figure, or that there is none.
    pub fn text(&self) -> String {
        match self {
            Cell::Ratio(ratio) => figure(*ratio),
            Cell::Failed(_) => "fails".into(),
            Cell::Quick => "–".into(),
        }
    }
}

/// The heading of the text.
pub fn header<'a>(columns: impl Iterator<Item = &'a str>) -> String {
    line("time without / with", columns.map(str::to_string))
}

/// One line of the text.
pub fn line(name: &str, cells: impl Iterator<Item = String>) -> String {
    let mut text = format!("{name:<24}");
    cells.for_each(|cell| {
        let _ = write!(text, " {cell:>11}");
    });
    text.push('\n');
    text
}

/// A ratio with as many digits as mean something.
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
