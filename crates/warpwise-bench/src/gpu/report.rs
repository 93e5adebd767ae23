//! The table of measurements on a device: single rows for the terminal, the whole table as Markdown and JSON.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::measure::Ratio;

/// All other programs that may take part, in the order of their columns.
const COLUMNS: [&str; 8] = ["by hand", "CUB", "cuBLAS", "CuPy", "PyTorch", "JAX", "Numba", "NumPy"];

/// The measurements on a device.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// The device's name according to the driver.
    pub device: String,
    /// Libraries of Python that took part, with versions.
    pub there: Vec<String>,
    /// Absent programs, with reasons.
    pub absent: Vec<String>,
    /// The rows, one per work.
    pub rows: Vec<Row>,
}

/// A work with medians of times, without copies to and from the device.
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    /// The work's name.
    pub name: String,
    /// Milliseconds of Warpwise's program, if it ran.
    pub ours_ms: Option<f64>,
    /// Share of the limit, if that is known.
    pub share: Option<Share>,
    /// The other programs.
    pub peers: Vec<PeerTime>,
    /// The figure by which the row is judged, if it was measured.
    pub figure: Option<Figure>,
    /// Failures, and differences from the processor's results.
    pub problems: Vec<String>,
}

/// The share of a device's limit that Warpwise's program reached.
#[derive(Debug, Serialize, Deserialize)]
pub struct Share {
    /// `copy` or `arithmetic`.
    pub of: String,
    /// The unit of the rate.
    pub unit: String,
    /// The rate that the device's probes reached.
    pub rate: f64,
    /// The share.
    pub ratio: Ratio,
}

/// The time of another program.
#[derive(Debug, Serialize, Deserialize)]
pub struct PeerTime {
    /// Its name.
    pub name: String,
    /// Its milliseconds.
    pub ms: f64,
    /// Its time over Warpwise's.
    pub ratio: Ratio,
}

/// A required figure.
#[derive(Debug, Serialize, Deserialize)]
pub struct Figure {
    /// Name of the figure.
    pub of: String,
    /// Measured value, if the required programs took part.
    pub ratio: Option<Ratio>,
    /// Required minimum.
    pub asked: f64,
}

impl Figure {
    /// Returns the verdict in words, with values rounded to two decimals as in the table.
    pub fn verdict(&self) -> &'static str {
        let hundredths = |x: f64| (100.0 * x).round();
        match self.ratio {
            Some(ratio) if hundredths(ratio.median) >= hundredths(self.asked) => "reached",
            Some(_) => "NOT REACHED",
            None => "not measured",
        }
    }
}

fn spread(Ratio { median, low, high }: Ratio) -> String {
    format!("{median:.2} ({low:.2} to {high:.2})")
}

impl Row {
    /// Creates the row of a work that could not be measured.
    pub fn failed(name: &str, error: String) -> Row {
        let problems = vec![error];
        Row { name: name.to_string(), ours_ms: None, share: None, peers: Vec::new(), figure: None, problems }
    }

    /// Returns the row in a few lines for the terminal.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.name);
        if let Some(ms) = self.ours_ms {
            let _ = writeln!(text, "    {:<12} {ms:>9.3} ms", "Warpwise");
        }
        for PeerTime { name, ms, ratio } in &self.peers {
            let _ = writeln!(text, "    {name:<12} {ms:>9.3} ms   theirs / ours {}", spread(*ratio));
        }
        if let Some(Share { of, unit, rate, ratio }) = &self.share {
            let _ = writeln!(text, "    share of {of}, {rate:.0} {unit}: {}", spread(*ratio));
        }
        for problem in &self.problems {
            let _ = writeln!(text, "    PROBLEM: {problem}");
        }
        if let Some(figure) = &self.figure {
            let measured = figure.ratio.map_or("–".to_string(), spread);
            let _ = writeln!(
                text,
                "    {}: {measured}, asked {:.2}: {}",
                figure.of,
                figure.asked,
                figure.verdict()
            );
        }
        text
    }

    /// Returns the failures, with the row's name.
    pub fn named_problems(&self) -> Vec<String> {
        self.problems.iter().map(|problem| format!("{}: {problem}", self.name)).collect()
    }

    fn cells(&self, columns: &[&str]) -> String {
        let dash = || "–".to_string();
        let mut cells = vec![self.name.clone(), self.ours_ms.map_or(dash(), |ms| format!("{ms:.3}"))];
        for column in columns {
            let peer = self.peers.iter().find(|peer| peer.name == *column);
            cells.push(peer.map_or(dash(), |peer| format!("{:.3}: {}", peer.ms, spread(peer.ratio))));
        }
        let share = self.share.as_ref();
        cells.push(share.map_or(dash(), |share| format!("{}: {}", share.of, spread(share.ratio))));
        if let Some(figure) = &self.figure {
            let measured = figure.ratio.map_or(dash(), |ratio| format!("{:.2}", ratio.median));
            let asked = format!("{:.2}", figure.asked);
            cells.extend([figure.of.clone(), measured, asked, figure.verdict().to_string()]);
        } else {
            cells.extend([dash(), dash(), dash(), "FAILED".to_string()]);
        }
        format!("| {} |", cells.join(" | "))
    }
}

/// Returns a device's name in the form for file names.
pub fn in_file_names(device: &str) -> String {
    let words = device.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

impl Report {
    /// Returns the path of the table: `gpu-<device>-resident.md`; the JSON file is next to it.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("gpu-{}-resident.md", in_file_names(&self.device)))
    }

    /// Returns the rows of the existing report at this path; empty if there is none.
    pub fn rows_before(path: &Path) -> Vec<Row> {
        let text = std::fs::read_to_string(path.with_extension("json")).unwrap_or_default();
        serde_json::from_str(&text).map(|report: Report| report.rows).unwrap_or_default()
    }

    /// Inserts a row at its place in an order of names, replacing a row of the same name; rows with other names are removed.
    pub fn put(&mut self, row: Row, order: &[&str]) {
        let place = |row: &Row| order.iter().position(|name| *name == row.name);
        self.rows.retain(|other| other.name != row.name && place(other).is_some());
        self.rows.push(row);
        self.rows.sort_by_key(place);
    }

    /// Writes the table as Markdown and JSON.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let path = self.path(folder);
        let json = serde_json::to_string_pretty(self).map_err(|error| error.to_string())?;
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        std::fs::write(path.with_extension("json"), json + "\n").map_err(|error| error.to_string())?;
        std::fs::write(&path, self.markdown()).map_err(|error| error.to_string())
    }

    /// Returns the number of reached figures, in words.
    pub fn summary(&self) -> String {
        let count = |wanted: &str| {
            let verdicts = self.rows.iter().filter_map(|row| row.figure.as_ref()).map(Figure::verdict);
            verdicts.filter(|verdict| *verdict == wanted).count()
        };
        format!("figures reached: {} of {}", count("reached"), self.rows.len())
    }

    /// Returns the failures of all rows.
    pub fn problems(&self) -> Vec<String> {
        self.rows.iter().flat_map(Row::named_problems).collect()
    }

    /// Returns the report as Markdown.
    pub fn markdown(&self) -> String {
        let took_part =
            |name: &&str| self.rows.iter().any(|row| row.peers.iter().any(|peer| peer.name == *name));
        let columns: Vec<&str> = COLUMNS.into_iter().filter(took_part).collect();
        let heads: String = columns.iter().map(|column| format!(" {column} |")).collect();
        let mut text = format!(
            "# Programs on {}\n\nMedians in milliseconds, arrays on the device before and after. Behind the time of others stands \
             theirs over ours, with its spread over the rounds. All results were compared with the processor's.\n\n\
             | work | Warpwise |{heads} share of the limit | judged by | figure | asked | |\n",
            self.device
        );
        let _ = writeln!(text, "|---|---:|{}---|---|---:|---:|---|", "---|".repeat(columns.len()));
        for row in &self.rows {
            let _ = writeln!(text, "{}", row.cells(&columns));
        }
        let _ = writeln!(text, "\n- {}", self.summary());
        for (of, unit, rate) in self.rates() {
            let _ = writeln!(
                text,
                "- the limit {of}: {rate:.0} {unit}, measured beside each row; this is the median"
            );
        }
        let lines = |what: &str, of: &[String]| -> String {
            of.iter().map(|it| format!("- {what}: {it}\n")).collect()
        };
        text += &lines("there", &self.there);
        text += &lines("not there", &self.absent);
        text += &lines("PROBLEM", &self.problems());
        text
    }

    /// Returns the limits by name and unit, with the median of the measured rates.
    fn rates(&self) -> Vec<(&str, &str, f64)> {
        let mut rates: Vec<(&str, &str, Vec<f64>)> = Vec::new();
        for share in self.rows.iter().filter_map(|row| row.share.as_ref()) {
            match rates.iter_mut().find(|(of, ..)| *of == share.of) {
                Some((.., measured)) => measured.push(share.rate),
                None => rates.push((&share.of, &share.unit, vec![share.rate])),
            }
        }
        rates.into_iter().map(|(of, unit, measured)| (of, unit, Ratio::of(measured).median)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, median: f64) -> Row {
        let ratio = Ratio { median, low: median - 0.01, high: median + 0.01 };
        let share = Share { of: "copy".into(), unit: "GB/s".into(), rate: 3000.0, ratio };
        let peers = vec![PeerTime { name: "CUB".into(), ms: 2.0 * median, ratio }];
        let figure = Figure { of: "CUB / ours".into(), ratio: Some(ratio), asked: 1.0 };
        let name = name.to_string();
        Row {
            name,
            ours_ms: Some(2.0),
            share: Some(share),
            peers,
            figure: Some(figure),
            problems: Vec::new(),
        }
    }

    fn report() -> Report {
        let mut report = Report {
            device: "A Device (2)".into(),
            there: vec!["JAX 1".into()],
            absent: vec!["CuPy: no module".into()],
            rows: Vec::new(),
        };
        let order = ["first", "second", "third"];
        report.put(row("third", 0.5), &order);
        report.put(row("first", 0.996), &order);
        report.put(Row::failed("second", "no time left".into()), &order);
        report
    }

    #[test]
    fn the_table_says_who_reached_what_and_who_was_not_there() {
        let text = report().markdown();
        assert!(text.contains("| first | 2.000 | 1.992: 1.00 (0.99 to 1.01) | copy: 1.00 (0.99 to 1.01) | CUB / ours | 1.00 | 1.00 | reached |"), "{text}");
        assert!(text.contains("| 0.50 | 1.00 | NOT REACHED |"), "{text}");
        assert!(text.contains("| second | – | – | – | – | – | – | FAILED |"), "{text}");
        for line in [
            "figures reached: 1 of 3",
            "the limit copy: 3000 GB/s",
            "there: JAX 1",
            "not there: CuPy: no module",
            "PROBLEM: second: no time left",
        ] {
            assert!(text.contains(&format!("- {line}")), "{line}: {text}");
        }
    }

    #[test]
    fn rows_of_parts_come_together_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let mut report = report();
        let path = report.path(folder.path());
        assert_eq!(path.file_name().unwrap(), "gpu-a-device-2-resident.md");
        assert!(Report::rows_before(&path).is_empty());
        report.write(folder.path()).unwrap();
        report.rows = Report::rows_before(&path);
        report.put(row("second", 2.0), &["first", "second"]);
        let names: Vec<&str> = report.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["first", "second"]);
        assert!(report.problems().is_empty());
    }
}
