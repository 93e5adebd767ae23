//! The table of what was measured on a device.

use std::fmt;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use crate::measure::Ratio;

/// What was measured on a device.
#[derive(Debug, Serialize)]
pub struct Report {
    /// What the driver calls the device.
    pub device: String,
    /// The works.
    pub rows: Vec<Row>,
}

/// A work: medians, copies to and from the device not included.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The work's name.
    pub work: String,
    /// Milliseconds of our program.
    pub ours_ms: f64,
    /// Milliseconds of the kernels by hand.
    pub by_hand_ms: f64,
    /// The time by hand over ours.
    pub ratio: Ratio,
}

impl Report {
    /// Writes `gpu-<device>-by-hand.md` and `.json`; gives the table's path.
    pub fn write(&self, folder: &Path) -> Result<std::path::PathBuf, String> {
        let words: Vec<String> = self
            .device
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        let path = folder.join(format!("gpu-{}-by-hand.md", words.join("-")));
        let json = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        std::fs::write(path.with_extension("json"), json + "\n").map_err(|error| error.to_string())?;
        std::fs::write(&path, self.table()).map_err(|error| error.to_string())?;
        Ok(path)
    }

    fn table(&self) -> String {
        let mut text = format!(
            "# Programs against kernels by hand on {}\n\nMedians in milliseconds, arrays on the device before and after; all results \
             agree with the processor's.\n\n| work | ours | by hand | by hand / ours | spread |\n|---|---:|---:|---:|---|\n",
            self.device
        );
        for Row { work, ours_ms, by_hand_ms, ratio } in &self.rows {
            let Ratio { median, low, high } = ratio;
            let _ = writeln!(
                text,
                "| {work} | {ours_ms:.3} | {by_hand_ms:.3} | {median:.2} | {low:.2} to {high:.2} |"
            );
        }
        text
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Row { work, ours_ms, by_hand_ms, ratio } = self;
        write!(f, "{work}: {ours_ms:.3} ms, by hand {by_hand_ms:.3} ms, ratio {:.2}", ratio.median)
    }
}
