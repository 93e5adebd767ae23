//! The report on the embedding, with the required figures, as Markdown and JSON.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::measure::Ratio;

/// The whole report.
#[derive(Serialize)]
pub struct Report {
    /// The processor.
    pub machine: String,
    /// Number of threads of every program.
    pub threads: usize,
    /// The rows of the table, one per work.
    pub rows: Vec<Row>,
    /// Figures outside the table.
    pub figures: Vec<Figure>,
    /// Measurements that were not possible, with reasons.
    pub missing: Vec<String>,
}

/// A work, computed by several programs in turn.
#[derive(Serialize)]
pub struct Row {
    /// The work's name.
    pub work: String,
    /// Median times of all programs, in milliseconds.
    pub times: Vec<(String, f64)>,
    /// The best C's time over Warpwise's.
    pub over_c: Figure,
    /// The time of handwritten Rust over Warpwise's.
    pub over_hand: Figure,
}

/// A measured quantity.
#[derive(Serialize)]
pub struct Figure {
    /// Name of the quantity.
    pub name: String,
    /// Unit; empty for a ratio.
    pub unit: &'static str,
    /// The median with its spread.
    pub measured: Ratio,
    /// The requirement on the median, if there is one.
    pub asked: Option<Asked>,
}

/// A requirement on a figure.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// A lower bound.
    AtLeast(f64),
    /// An upper bound.
    AtMost(f64),
}

impl Figure {
    /// Creates a figure with a requirement.
    pub fn asked(name: impl Into<String>, unit: &'static str, measured: Ratio, asked: Asked) -> Figure {
        Figure { name: name.into(), unit, measured, asked: Some(asked) }
    }

    /// Creates a figure without a requirement.
    pub fn beside(name: impl Into<String>, unit: &'static str, measured: Ratio) -> Figure {
        Figure { name: name.into(), unit, measured, asked: None }
    }

    /// Returns whether the figure meets its requirement.
    pub fn is_reached(&self) -> bool {
        match self.asked {
            None => true,
            Some(Asked::AtLeast(least)) => self.measured.median >= least,
            Some(Asked::AtMost(most)) => self.measured.median <= most,
        }
    }

    /// Returns the figure with its spread, marked if it misses its requirement.
    fn text(&self) -> String {
        let Ratio { median, low, high } = self.measured;
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let verdict = if self.is_reached() { "" } else { ", **missed**" };
        format!("{median:.2}{unit} ({low:.2} to {high:.2}){verdict}")
    }

    /// Returns a line of a list.
    pub fn line(&self) -> String {
        let asked = match self.asked {
            None => String::new(),
            Some(Asked::AtLeast(least)) => format!(" (asked: at least {least})"),
            Some(Asked::AtMost(most)) => format!(" (asked: at most {most})"),
        };
        format!("- {}{asked}: {}\n", self.name, self.text())
    }
}

impl Row {
    /// Returns a line of the table.
    pub fn line(&self) -> String {
        let times: Vec<String> = self.times.iter().map(|(_, time)| format!("{time:.2}")).collect();
        format!(
            "| {} | {} | {} | {} |\n",
            self.work,
            times.join(" | "),
            self.over_c.text(),
            self.over_hand.text()
        )
    }
}

impl Report {
    /// Returns the report as Markdown.
    pub fn markdown(&self) -> String {
        let mut text =
            format!("# The language embedded in Rust\n\n{}, {} threads.\n\n", self.machine, self.threads);
        text += "Times in milliseconds; ratios are the other's time over ours, with the spread over the rounds.\n\n";
        text += "| work | ours | C | by hand (ndarray, rayon) | C / ours, asked 0.9 | by hand / ours, asked 1.5 |\n";
        text += "|---|---|---|---|---|---|\n";
        self.rows.iter().for_each(|row| text += &row.line());
        text.push('\n');
        self.figures.iter().for_each(|figure| text += &figure.line());
        self.missing.iter().for_each(|reason| text += &format!("- not measured: {reason}\n"));
        let all = self.rows.iter().flat_map(|row| [&row.over_c, &row.over_hand]).chain(&self.figures);
        let asked: Vec<&Figure> = all.filter(|figure| figure.asked.is_some()).collect();
        let reached = asked.iter().filter(|figure| figure.is_reached()).count();
        let _ = writeln!(text, "- figures reached: {reached} of {}", asked.len());
        text
    }

    /// Writes `embedded.md` and `embedded.json` into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let json = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for (name, text) in [("embedded.md", self.markdown()), ("embedded.json", json)] {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(median: f64) -> Ratio {
        Ratio { median, low: median, high: median }
    }

    #[test]
    fn what_is_missed_is_said() {
        let figure = |measured, asked| Figure::asked("x", "ms", ratio(measured), asked);
        assert!(figure(0.9, Asked::AtLeast(0.9)).is_reached());
        assert!(!figure(0.89, Asked::AtLeast(0.9)).is_reached());
        assert!(figure(2.0, Asked::AtMost(2.0)).is_reached());
        let row = Row {
            work: "w".into(),
            times: vec![("ours".into(), 1.0), ("C".into(), 0.8), ("by hand".into(), 2.0)],
            over_c: Figure::asked("C / ours", "", ratio(0.8), Asked::AtLeast(0.9)),
            over_hand: Figure::asked("by hand / ours", "", ratio(2.0), Asked::AtLeast(1.5)),
        };
        let figures = vec![figure(2.5, Asked::AtMost(2.0)), Figure::beside("y", "MH/s", ratio(7.0))];
        let report =
            Report { machine: "m".into(), threads: 2, rows: vec![row], figures, missing: vec!["z".into()] };
        let text = report.markdown();
        for part in [
            "| w | 1.00 | 0.80 | 2.00 | 0.80 (0.80 to 0.80), **missed** | 2.00 (2.00 to 2.00) |",
            "- x (asked: at most 2): 2.50 ms (2.50 to 2.50), **missed**",
            "- y: 7.00 MH/s (7.00 to 7.00)\n",
            "- not measured: z",
            "- figures reached: 1 of 3",
        ] {
            assert!(text.contains(part), "no `{part}` in\n{text}");
        }
    }
}
