//! The report on memory, as Markdown.

use std::fmt::Write as _;
use std::path::Path;

use warpwise_driver::copies::StayingCopy;

use super::{Counts, Row, STEPS};
use crate::report::machine;

/// Maximum total size of small blocks, which are not a program's arrays, in bytes.
const SMALL: u64 = 1 << 16;

/// The whole report.
#[derive(Default)]
pub struct Report {
    /// The rows, one per subject.
    pub rows: Vec<Row>,
}

impl Row {
    /// Returns whether the program copies arrays, or uses more than 1.5 times the memory of a handwritten program, apart from
    /// small blocks.
    fn is_more(&self) -> bool {
        self.with.copies > 0 || self.with.peak > self.subject.by_hand / 2 * 3 + SMALL
    }

    /// Returns the row for the terminal.
    pub fn line(&self) -> String {
        let Row { subject, with, without, .. } = self;
        let mark = if self.is_more() { "  more than by hand" } else { "" };
        format!(
            "{:<18} by hand {}; with the pass {}; without {}; without / with {}, Futhark / ours {}{mark}",
            subject.entry,
            megabytes(subject.by_hand),
            text(with),
            text(without),
            ratio(self.gain),
            ratio(self.futhark),
        )
    }
}

fn text(counts: &Counts) -> String {
    let Counts { allocations, copies, copied, peak } = counts;
    format!(
        "{allocations} allocations, {copies} copies of {}, {} at most",
        megabytes(*copied),
        megabytes(*peak)
    )
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or("–".to_string(), |ratio| format!("{ratio:.2}"))
}

impl Report {
    /// Writes `memory.md` into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let path = folder.join("memory.md");
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, self.markdown()));
        written.map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Returns the report, with programs that exceed handwritten ones first.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "# Allocations and copies\n\n\
             `make bench-memory`, {}. Every program does its step {STEPS} times. Allocations and copies are those of the host for all\n\
             steps, with `short_circuit` and without it; most allocations are blocks that are used again. `By hand` is the memory of a\n\
             program in C, which copies nothing. Counts are the same on every machine. Times are ratios: without the pass over with it, and\n\
             Futhark's code for several cores over ours.\n\n",
            machine()
        );
        let more = self.rows.iter().filter(|row| row.is_more()).count();
        let _ = writeln!(
            text,
            "{} programs; {more} copy something or have an array more than by hand, and come first.\n",
            self.rows.len()
        );
        text += "| program | by hand | at most | at most without | copies | copied | copies without | copied without | allocations | without / with | Futhark / ours |\n";
        text += "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
        let (more, others): (Vec<&Row>, Vec<&Row>) = self.rows.iter().partition(|row| row.is_more());
        for Row { subject, with, without, gain, futhark, .. } in more.into_iter().chain(others) {
            let name = subject.file.trim_start_matches("memory/").trim_end_matches(".fut");
            let _ = writeln!(
                text,
                "| {name} `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
                subject.entry,
                megabytes(subject.by_hand),
                megabytes(with.peak),
                megabytes(without.peak),
                with.copies,
                megabytes(with.copied),
                without.copies,
                megabytes(without.copied),
                with.allocations,
                ratio(*gain),
                ratio(*futhark),
            );
        }
        text + &self.reasons()
    }

    /// Lists the remaining copies of the programs, with their reasons.
    fn reasons(&self) -> String {
        let mut text = "\n## Copies that stay\n\n".to_string();
        for Row { subject, staying, .. } in &self.rows {
            for StayingCopy { place, array, in_kernel, why } in staying {
                let place = place.rsplit('/').next().unwrap_or(place);
                let of = if *in_kernel { " in a kernel" } else { "" };
                let why = why.replace("benchmarks/memory/", "");
                let _ = writeln!(text, "- `{}`, {place}: `{array}` is copied{of}: {why}", subject.entry);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::subjects;
    use super::*;

    #[test]
    fn what_is_more_than_by_hand_stands_first() {
        let row = |number: usize, arrays: u64, copies: u64| Row {
            subject: subjects()[number],
            with: Counts { copies, peak: arrays * subjects()[number].by_hand, ..Counts::default() },
            without: Counts { copied: 2_500_000, ..Counts::default() },
            staying: Vec::new(),
            gain: Some(1.5),
            futhark: None,
        };
        let text = Report { rows: vec![row(0, 1, 0), row(1, 1, 3), row(2, 2, 0)] }.markdown();
        let rows = text.lines().filter(|line| line.starts_with('|'));
        let entries: Vec<&str> = rows.filter_map(|line| line.split('`').nth(1)).collect();
        assert_eq!(entries, ["same_row", "next_rows", "other_row"], "{text}");
        assert!(text.contains("3 programs; 2 copy"), "{text}");
        assert!(text.contains("| 2.5 MB | 0 | 1.50 | – |"), "{text}");
    }
}
