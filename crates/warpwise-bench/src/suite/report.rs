//! The report on a folder of programs, as Markdown and JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Times;
use crate::futhark::BACK_ENDS;
use crate::gpu::in_file_names;
use crate::measure::{geometric_mean, median};
use crate::report::machine;

/// Time in microseconds below which a case of Futhark measures the cost of a call.
const CALL: f64 = 20.0;

/// Ratio above which the programs cannot have done the same work: one of them computes only what the result needs. The mean leaves
/// such cases out.
const SKIPPED: f64 = 100.0;

/// A case of a program.
#[derive(Serialize, Deserialize)]
pub struct Row {
    /// Path of the program in the folder.
    pub program: String,
    /// The entry point.
    pub entry: String,
    /// Name of the case in the test block.
    pub case: String,
    /// Warpwise's median in microseconds.
    pub ours: Option<f64>,
    /// Medians of Futhark's back ends, in the order of [`Setting::back_ends`].
    pub theirs: Vec<Option<f64>>,
}

/// The machine of a measurement, and the programs compared with Warpwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The processor or the device.
    pub machine: String,
    /// Whether the machine is a device: then all arrays are in its memory before and after the timed part.
    pub is_device: bool,
    /// Futhark's back ends; none if it takes no part.
    pub back_ends: Vec<String>,
}

/// The whole report.
#[derive(Serialize, Deserialize)]
pub struct Report {
    /// The machine, and the programs compared with Warpwise.
    #[serde(flatten)]
    pub setting: Setting,
    /// The rows, one per case.
    pub rows: Vec<Row>,
    /// Programs of which a command ran no case, with the commands and their reasons.
    pub failures: BTreeMap<String, Vec<(String, String)>>,
}

impl Row {
    /// Returns Futhark's best time.
    fn best(&self) -> Option<f64> {
        self.theirs.iter().copied().flatten().min_by(f64::total_cmp)
    }

    /// Returns Futhark's best time over Warpwise's. Futhark counts whole microseconds; a time of 0 gives no ratio.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.best().filter(|best| *best > 0.0)? / self.ours?)
    }

    /// Returns the row for the terminal.
    pub fn line(&self) -> String {
        let Row { program, entry, case, .. } = self;
        let ratio = self.ratio().map_or("–".to_string(), |ratio| format!("{ratio:.2}"));
        format!(
            "{program}:{entry} {case}: ours {}, Futhark's best {}, ratio {ratio}",
            time(self.ours),
            time(self.best())
        )
    }
}

impl Setting {
    /// Creates the setting of the processor, with Futhark's back ends for it.
    pub fn processor(with_futhark: bool) -> Setting {
        let back_ends = BACK_ENDS.iter().filter(|_| with_futhark).map(|name| name.to_string()).collect();
        Setting { machine: machine(), is_device: false, back_ends }
    }

    /// Creates the setting of a CUDA device, by its name, with Futhark's back end for such devices.
    pub fn cuda(name: String, with_futhark: bool) -> Setting {
        let back_ends = with_futhark.then(|| "cuda".to_string());
        Setting { machine: name, is_device: true, back_ends: Vec::from_iter(back_ends) }
    }

    /// Returns the name of the report's file without extension.
    fn file(&self) -> String {
        if self.is_device {
            format!("gpu-{}-suite", in_file_names(&self.machine))
        } else {
            "suite".to_string()
        }
    }
}

impl Report {
    pub(super) fn new(setting: Setting) -> Report {
        Report { setting, rows: Vec::new(), failures: BTreeMap::new() }
    }

    /// Returns the existing report of a folder for continuation; a new one if there is none.
    ///
    /// # Errors
    /// The report cannot be read, or has another machine or other commands: all figures of a table must be comparable.
    pub(super) fn gone_on_with(folder: &Path, setting: Setting) -> Result<Report, String> {
        let path = folder.join(setting.file() + ".json");
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Report::new(setting)),
            text => text.map_err(|error| format!("{}: {error}", path.display()))?,
        };
        let former: Report =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        if former.setting != setting {
            return Err(format!(
                "{} was measured on another machine or with other commands: name another folder by `--results`",
                path.display()
            ));
        }
        Ok(former)
    }

    /// Replaces the figures of a program.
    pub(super) fn replace(&mut self, program: &str, rows: Vec<Row>, ours: &Times, theirs: &[Times]) {
        self.rows.retain(|row| row.program != program);
        self.rows.extend(rows);
        self.failures.remove(program);
        self.add_failures(program, ours, theirs);
    }

    fn add_failures(&mut self, program: &str, ours: &Times, theirs: &[Times]) {
        let back_ends = self.setting.back_ends.iter().map(String::as_str);
        let commands = std::iter::once(("warpwise", ours)).chain(back_ends.zip(theirs));
        let failed: Vec<(String, String)> = commands
            .filter_map(|(command, times)| Some((command.to_string(), times.as_ref().err()?.clone())))
            .collect();
        if !failed.is_empty() {
            self.failures.insert(program.to_string(), failed);
        }
    }

    /// Returns the ratios of the cases that take Futhark less than [`CALL`] microseconds, or of the others.
    fn ratios(&self, of_calls: bool) -> Vec<f64> {
        let wanted = self.rows.iter().filter(|row| row.best().is_some_and(|best| (best < CALL) == of_calls));
        wanted.filter_map(Row::ratio).collect()
    }

    /// Returns the report as Markdown, the worst ratios first.
    pub fn markdown(&self) -> String {
        let Setting { machine, is_device, back_ends } = &self.setting;
        let place = if *is_device { ", arrays on the device before and after" } else { "" };
        let mut text = format!("# Programs of others\n\n{machine}{place}.\n\n");
        for (what, of_calls) in [("of 20 µs and more", false), ("under 20 µs", true)] {
            let mut ratios = self.ratios(of_calls);
            let (done, skipped): (Vec<f64>, Vec<f64>) = ratios.iter().partition(|ratio| **ratio <= SKIPPED);
            let Some(mean) = geometric_mean(&done) else { continue };
            let without = match skipped.len() {
                0 => String::new(),
                count => format!(" (without {count} above {SKIPPED}, where work is left out)"),
            };
            let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let below = ratios.iter().filter(|ratio| **ratio < 1.0).count();
            let _ = writeln!(
                text,
                "- {} cases {what}, Futhark's best time / ours: geometric mean {mean:.2}{without}, median {:.2}, least {least:.2}, {below} under 1",
                ratios.len(),
                median(&mut ratios)
            );
        }
        let theirs: String = back_ends.iter().map(|name| format!(" Futhark {name} |")).collect();
        let rule = "---|".repeat(back_ends.len());
        let _ = writeln!(
            text,
            "\n| program | case | ours |{theirs} Futhark's best / ours |\n|---|---|---|{rule}---|"
        );
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| {
            let key = |row: &Row| row.ratio().unwrap_or(f64::INFINITY);
            key(a).total_cmp(&key(b))
        });
        for row in rows {
            let times: String = row.theirs.iter().map(|theirs| format!(" {} |", time(*theirs))).collect();
            let ratio = row.ratio().map_or("–".to_string(), |ratio| format!("{ratio:.2}"));
            let Row { program, entry, case, ours, .. } = row;
            let case = case.replace('|', "\\|");
            let _ = writeln!(text, "| {program} {entry} | {case} | {} |{times} {ratio} |", time(*ours));
        }
        if !self.failures.is_empty() {
            text += "\nWithout figures:\n\n";
        }
        for (program, reasons) in &self.failures {
            let reasons: Vec<String> =
                reasons.iter().map(|(command, reason)| format!("{command}: {}", reason.trim())).collect();
            let _ = writeln!(text, "- {program}: {}", reasons.join("; "));
        }
        text
    }

    /// Writes the report as Markdown and JSON.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let json = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for (ending, text) in [(".md", self.markdown()), (".json", json + "\n")] {
            let path = folder.join(self.setting.file() + ending);
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }
}

/// Formats a time in microseconds with a readable unit.
fn time(microseconds: Option<f64>) -> String {
    match microseconds {
        None => "–".to_string(),
        Some(time) if time < 1e3 => format!("{time:.1} µs"),
        Some(time) if time < 1e6 => format!("{:.2} ms", time / 1e3),
        Some(time) => format!("{:.2} s", time / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_below_futharks_clock_has_no_ratio() {
        let row = |theirs| Row {
            program: "p.fut".to_string(),
            entry: "main".to_string(),
            case: "1".to_string(),
            ours: Some(2.0),
            theirs: vec![Some(theirs), None],
        };
        assert_eq!(row(0.0).ratio(), None);
        assert_eq!(row(3.0).ratio(), Some(1.5));
        let mut report = Report::new(Setting::processor(true));
        report.rows = vec![row(0.0), row(3.0)];
        let text = report.markdown();
        assert!(
            text.contains("1 cases under 20 µs")
                && text.contains("geometric mean 1.50, median 1.50, least 1.50"),
            "{text}"
        );
        assert!(text.contains("| 2.0 µs | 0.0 µs | – | – |"), "{text}");
    }

    #[test]
    fn cases_whose_work_is_left_out_are_not_in_the_mean() {
        let row = |ours, theirs| Row {
            program: "p.fut".to_string(),
            entry: "main".to_string(),
            case: "1".to_string(),
            ours: Some(ours),
            theirs: vec![Some(theirs), None],
        };
        let mut report = Report::new(Setting::processor(true));
        report.rows = vec![row(10.0, 40.0), row(10.0, 90.0), row(2.0, 2000.0)];
        let text = report.markdown();
        let line = "geometric mean 6.00 (without 1 above 100, where work is left out), median 9.00";
        assert!(text.contains(line), "{text}");
    }
}
