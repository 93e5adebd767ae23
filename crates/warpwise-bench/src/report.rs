//! The performance table: single rows for the terminal, the whole table as Markdown and JSON.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::measure::{Ratio, geometric_mean};

/// The column of Warpwise itself.
pub const OURS: &str = "Warpwise";

/// One row of the table.
#[derive(Serialize)]
pub struct Row {
    /// The work's name.
    pub name: String,
    /// Median times of all programs, in milliseconds.
    pub times: Vec<(String, f64)>,
    /// Ratios of the other programs' times to Warpwise's under the same licence.
    pub ratios: Vec<(String, Ratio)>,
    /// Shares of the limit that the programs reach, if the limit is known.
    pub shares: Vec<(String, Ratio)>,
    /// The figure by which the row is judged.
    pub goal: String,
    /// The required value, if there is one.
    pub floor: Option<f64>,
    /// The measured value, if Warpwise took part.
    pub measured: Option<Ratio>,
    /// Differences from the first program's results, and the reasons why Warpwise could not take part.
    pub problems: Vec<String>,
    /// Further information, such as the compiler of the C program.
    pub notes: Vec<String>,
}

/// Tolerance within which a figure counts as reaching its floor.
const SLACK: f64 = 0.05;

impl Row {
    /// Returns whether the floor is reached; `None` if nothing is required or measured.
    pub fn is_reached(&self) -> Option<bool> {
        Some(self.measured?.median >= self.floor? - SLACK)
    }

    /// Returns the row in a few lines for the terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.name);
        for (name, milliseconds) in &self.times {
            let _ = write!(text, "    {name:<20} {milliseconds:>9.2} ms");
            if let Some(ratio) = find(&self.ratios, name) {
                let _ = write!(text, "   theirs / ours {}", spread(ratio));
            }
            if let Some(share) = find(&self.shares, name) {
                let _ = write!(text, "   share of the limit {}", spread(share));
            }
            text.push('\n');
        }
        for problem in &self.problems {
            let _ = writeln!(text, "    PROBLEM: {problem}");
        }
        if !self.notes.is_empty() {
            let _ = writeln!(text, "    ({})", self.notes.join(", "));
        }
        if let Some(measured) = self.measured {
            let _ = writeln!(text, "    {}: {}{}", self.goal, spread(measured), self.verdict());
        }
        text
    }

    fn verdict(&self) -> String {
        match (self.floor, self.is_reached()) {
            (Some(floor), Some(true)) => format!(", asked {floor}: reached"),
            (Some(floor), Some(false)) => format!(", asked {floor}: NOT REACHED"),
            _ => String::new(),
        }
    }
}

/// All results of one run of the benchmarks.
#[derive(Serialize)]
pub struct Report {
    /// Name of the machine.
    pub machine: String,
    /// The number of threads of every program.
    pub threads: usize,
    /// The table.
    pub rows: Vec<Row>,
    /// Figures besides the table: names and measured values.
    pub figures: Vec<(String, String)>,
}

impl Report {
    /// Returns the whole report as Markdown.
    pub fn markdown(&self) -> String {
        let columns = self.columns();
        let mut text = format!("# Performance\n\n{}, {} threads.\n\n", self.machine, self.threads);
        text.push_str("Times in milliseconds; ratios are the other's time over ours, with the spread over the rounds.\n\n");
        let _ = writeln!(text, "| work | {} | judged by | figure | asked |", columns.join(" | "));
        let _ = writeln!(text, "|---|{}---|---|---|", "---|".repeat(columns.len()));
        for row in &self.rows {
            let cells: Vec<String> = columns.iter().map(|column| cell(row, column)).collect();
            let figure = row.measured.map_or("–".into(), spread);
            let asked = row.floor.map_or("–".into(), |floor| floor.to_string());
            let _ = writeln!(
                text,
                "| {} | {} | {} | {figure} | {asked} |",
                row.name,
                cells.join(" | "),
                row.goal
            );
        }
        text.push('\n');
        for (name, figure) in self.summary() {
            let _ = writeln!(text, "- {name}: {figure}");
        }
        for row in &self.rows {
            for problem in &row.problems {
                let _ = writeln!(text, "- PROBLEM in {}: {problem}", row.name);
            }
        }
        text
    }

    /// Returns the means over all rows, and the other figures.
    pub fn summary(&self) -> Vec<(String, String)> {
        let mut summary = Vec::new();
        for column in self.columns() {
            let ratios: Vec<f64> = self
                .rows
                .iter()
                .filter_map(|row| find(&row.ratios, &column))
                .map(|ratio| ratio.median)
                .collect();
            if let Some(mean) = geometric_mean(&ratios) {
                let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
                let figure = format!("{mean:.2} over {} works, the least {least:.2}", ratios.len());
                summary.push((format!("{column} / ours, geometric mean"), figure));
            }
        }
        let verdicts: Vec<bool> = self.rows.iter().filter_map(Row::is_reached).collect();
        if !verdicts.is_empty() {
            let reached = verdicts.iter().filter(|reached| **reached).count();
            summary.push(("figures reached".into(), format!("{reached} of {}", verdicts.len())));
        }
        summary.extend(self.figures.iter().cloned());
        summary
    }

    /// Writes `performance.md` and `performance.json` into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let json = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))
        };
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        write("performance.md", &self.markdown())?;
        write("performance.json", &json)
    }

    /// Returns the names of all programs, in the order in which they first appear.
    fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = Vec::new();
        for (name, _) in self.rows.iter().flat_map(|row| &row.times) {
            if !columns.contains(name) {
                columns.push(name.clone());
            }
        }
        columns
    }
}

fn cell(row: &Row, column: &str) -> String {
    let Some(milliseconds) = find(&row.times, column) else { return "–".into() };
    match find(&row.ratios, column) {
        Some(ratio) => format!("{milliseconds:.2} ({:.2})", ratio.median),
        None => format!("{milliseconds:.2}"),
    }
}

fn spread(ratio: Ratio) -> String {
    format!("{:.2} ({:.2} to {:.2})", ratio.median, ratio.low, ratio.high)
}

fn find<T: Copy>(list: &[(String, T)], name: &str) -> Option<T> {
    list.iter().find(|(other, _)| other == name).map(|(_, value)| *value)
}

/// Returns the processor's name, if the system provides it.
pub fn machine() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = information
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .and_then(|rest| rest.split_once(':'));
    name.map_or("an unnamed processor".into(), |(_, name)| name.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(median: f64, floor: f64) -> Row {
        let ratio = Ratio { median, low: median - 0.1, high: median + 0.1 };
        Row {
            name: "sum".into(),
            times: vec![(OURS.into(), 2.0), ("C strict".into(), 2.0 * median)],
            ratios: vec![("C strict".into(), ratio)],
            shares: Vec::new(),
            goal: "C strict / ours".into(),
            floor: Some(floor),
            measured: Some(ratio),
            problems: Vec::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn floors_have_some_slack() {
        assert_eq!(row(0.86, 0.9).is_reached(), Some(true));
        assert_eq!(row(0.84, 0.9).is_reached(), Some(false));
    }

    #[test]
    fn means_and_verdicts_stand_in_the_summary() {
        let rows = vec![row(0.5, 0.9), row(2.0, 0.9)];
        let report = Report { machine: "a machine".into(), threads: 2, rows, figures: Vec::new() };
        let text = report.markdown();
        assert!(
            text.contains("C strict / ours, geometric mean: 1.00 over 2 works, the least 0.50"),
            "{text}"
        );
        assert!(text.contains("figures reached: 1 of 2"), "{text}");
        assert!(text.contains("| sum | 2.00 | 4.00 (2.00) |"), "{text}");
    }
}
