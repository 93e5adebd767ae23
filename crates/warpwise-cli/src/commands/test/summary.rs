//! The summary of a test run: one line, or a table by folder and by expected behaviour.
//!
//! ```text
//! folder        run  compile   reject    said
//! tests       21/21      3/4      8/8       7
//! tests/deep    5/6        -      1/1       1
//! all         26/27      3/4      9/9       8
//! ```
//!
//! Each cell holds the number of passed programs and the total. `said` counts the programs that were rejected with exactly the message
//! that they expect, whichever comparison of messages was chosen.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Outcome, Status};

/// The expected behaviour of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The program runs.
    Run,
    /// The program compiles; there is nothing to run.
    #[default]
    Compile,
    /// The program is rejected.
    Reject,
}

const KINDS: [Kind; 3] = [Kind::Run, Kind::Compile, Kind::Reject];

/// The counts for a group of programs.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Number of passed programs and total, for each kind.
    kinds: [(usize, usize); 3],
    said: usize,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        let (passed, all) = &mut self.kinds[outcome.kind as usize];
        *passed += usize::from(outcome.status == Status::Passed);
        *all += 1;
        self.said += usize::from(outcome.said);
    }

    fn cells(&self) -> Vec<String> {
        let cell = |kind: Kind| match self.kinds[kind as usize] {
            (_, 0) => "-".to_string(),
            (passed, all) => format!("{passed}/{all}"),
        };
        let rejected = self.kinds[Kind::Reject as usize].1;
        let said = if rejected == 0 { "-".to_string() } else { self.said.to_string() };
        KINDS.into_iter().map(cell).chain([said]).collect()
    }
}

/// Formats the line that says how many programs and cases passed, failed and were skipped, and how many programs have no tests.
pub fn line(outcomes: &[Outcome]) -> String {
    let programs = counts(outcomes.iter().map(|outcome| outcome.status));
    let cases = counts(outcomes.iter().flat_map(|outcome| &outcome.cases).map(|case| case.status));
    let untested = |outcome: &&Outcome| outcome.kind == Kind::Compile && outcome.status == Status::Passed;
    let without = match outcomes.iter().filter(untested).count() {
        0 => String::new(),
        1 if outcomes.len() == 1 => "; it has no tests, and was only compiled".to_string(),
        1 => "; 1 program has no tests, and was only compiled".to_string(),
        count => format!("; {count} programs have no tests, and were only compiled"),
    };
    if outcomes.iter().all(|outcome| outcome.cases.is_empty()) {
        return format!("{programs}{without}");
    }
    format!("{programs} (cases: {cases}){without}")
}

fn counts(statuses: impl Iterator<Item = Status>) -> String {
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for status in statuses {
        match status {
            Status::Passed => passed += 1,
            Status::Unsupported => skipped += 1,
            Status::Failed | Status::Crashed | Status::Timeout | Status::Internal => failed += 1,
        }
    }
    format!("{passed} passed, {failed} failed, {skipped} skipped")
}

/// Formats the table of counts by folder.
pub fn table(outcomes: &[Outcome]) -> String {
    let mut folders: BTreeMap<String, Counts> = BTreeMap::new();
    let mut total = Counts::default();
    for outcome in outcomes {
        let folder = Path::new(&outcome.program).parent().filter(|path| !path.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        folders.entry(folder.display().to_string()).or_default().add(outcome);
        total.add(outcome);
    }
    let heads = ["folder", "run", "compile", "reject", "said"].map(str::to_string).to_vec();
    let row = |name: &str, counts: &Counts| [vec![name.to_string()], counts.cells()].concat();
    let mut rows = vec![heads];
    rows.extend(folders.iter().map(|(folder, counts)| row(folder, counts)));
    rows.push(row("all", &total));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(&widths).skip(1).map(|(cell, width)| format!("  {cell:>width$}"));
        format!("{:width$}{}", row[0], cells.collect::<String>(), width = widths[0])
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::CaseOutcome;
    use super::*;

    fn outcome(program: &str, status: Status, kind: Kind, said: bool) -> Outcome {
        let (program, message, cases) = (program.to_string(), String::new(), Vec::new());
        Outcome { program, status, message, kind, said, cases }
    }

    #[test]
    fn figures_are_by_folder_and_kind() {
        let outcomes = [
            outcome("a/x.fut", Status::Passed, Kind::Run, false),
            outcome("a/y.fut", Status::Failed, Kind::Run, false),
            outcome("a/b/z.fut", Status::Passed, Kind::Reject, true),
            outcome("a/b/w.fut", Status::Unsupported, Kind::Reject, false),
            outcome("v.fut", Status::Passed, Kind::Compile, false),
        ];
        let expected = "folder  run  compile  reject  said\n\
                        .         -      1/1       -     -\n\
                        a       1/2        -       -     -\n\
                        a/b       -        -     1/2     1\n\
                        all     1/2      1/1     1/2     1";
        assert_eq!(table(&outcomes), expected);
        let without = "; 1 program has no tests, and was only compiled";
        assert_eq!(line(&outcomes), format!("3 passed, 1 failed, 1 skipped{without}"));
        let alone = "1 passed, 0 failed, 0 skipped; it has no tests, and was only compiled";
        assert_eq!(line(&outcomes[4..]), alone);
        let case = |status| CaseOutcome {
            entry: String::new(),
            case: String::new(),
            line: 1,
            status,
            message: String::new(),
        };
        let cases = vec![case(Status::Passed), case(Status::Failed), case(Status::Passed)];
        let outcome = Outcome { cases, ..outcomes[1].clone() };
        assert_eq!(line(&[outcome]), "0 passed, 1 failed, 0 skipped (cases: 2 passed, 1 failed, 0 skipped)");
    }

    #[test]
    fn no_programs_are_a_table_without_rows() {
        assert_eq!(table(&[]), "folder  run  compile  reject  said\nall       -        -       -     -");
    }
}
