//! A folder of programs by other authors, unmodified and with all their data sets, in comparison with Futhark.
//!
//! Both commands read the test blocks of the same file, run every case until its median is stable, and write their figures as
//! data, from which the ratios are computed. Both commands themselves compare results with those in the test blocks.
//!
//! Absent: data sets. Cases whose files are missing are left out; a program without any case is listed with the reason.

mod present;
mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use report::{Report, Row, Setting};

use crate::measure::median;
use present::Present;

/// The settings of the measurement.
pub struct Settings<'s> {
    /// The folder with the programs.
    pub corpus: &'s Path,
    /// Warpwise's command.
    pub warpwise: &'s Path,
    /// The machine that programs run on, and Futhark's back ends that take part.
    pub setting: Setting,
    /// The device in the syntax of Warpwise's command, if the machine is a device.
    pub device: Option<String>,
    /// Time limit of a command for one program, in seconds.
    pub seconds: u32,
    /// Number of runs of a case; if not given, as many as make the median stable.
    pub runs: Option<u32>,
    /// Parts of paths of the selected programs; empty selects all.
    pub only: &'s [String],
    /// The folder that the report is written to after each program, so that an interrupted measurement keeps its results.
    pub results: &'s Path,
}

/// Times of the cases of a program in microseconds, by entry point and case, in their order; or the reason why there are none.
pub type Times = Result<IndexMap<(String, String), f64>, String>;

/// Measures the programs, one after another, and writes the report. If only some are selected, the report keeps its figures of
/// the others.
pub fn measure(settings: &Settings<'_>, mut told: impl FnMut(&Row)) -> Result<(), String> {
    let mut programs = Vec::new();
    find_programs(settings.corpus, &mut programs)?;
    programs.sort();
    let mut report = match settings.only {
        [] => Report::new(settings.setting.clone()),
        _ => Report::gone_on_with(settings.results, settings.setting.clone())?,
    };
    let mut measured = 0;
    for program in programs {
        let name = program.strip_prefix(settings.corpus).unwrap_or(&program).display().to_string();
        if !settings.only.is_empty() && !settings.only.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        measured += 1;
        let ours = times_of_ours(settings, &program);
        let back_ends = settings.setting.back_ends.iter();
        let theirs =
            back_ends.map(|back_end| times_of_futhark(back_end, &program, settings.seconds, settings.runs));
        let theirs: Vec<Times> =
            theirs.map(|times| times.map(|times| under_our_names(times, &ours))).collect();
        let rows = rows(&name, &ours, &theirs);
        rows.iter().for_each(&mut told);
        report.replace(&name, rows, &ours, &theirs);
        report.write(settings.results)?;
    }
    match measured {
        0 => Err("no program has cases, or a path that was asked for".to_string()),
        _ => Ok(()),
    }
}

/// Finds all programs below a folder that have a test block with input, except those of packages (`lib`).
fn find_programs(folder: &Path, programs: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = folder.read_dir().map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() && path.ends_with("lib") {
            continue;
        }
        if path.is_dir() {
            find_programs(&path, programs)?;
        } else if path.extension().is_some_and(|extension| extension == "fut") && has_cases(&path)? {
            programs.push(path);
        }
    }
    Ok(())
}

/// Returns whether a test block of the program has input.
fn has_cases(program: &Path) -> Result<bool, String> {
    let text = std::fs::read(program).map_err(|error| format!("{}: {error}", program.display()))?;
    let text = String::from_utf8_lossy(&text);
    let mut comments = text.lines().filter_map(|line| line.strip_prefix("--"));
    let has_block = comments.any(|comment| comment.trim() == "==");
    Ok(has_block && comments.any(|comment| comment.split_whitespace().any(|word| word == "input")))
}

/// Renames Futhark's cases to the names that Warpwise's command has for them.
///
/// Names of cases and of files are the same, except that Futhark drops `.gz`. Literal values have no name: Futhark numbers them,
/// `#2 ("1i32 2.0f32")`, and also counts those that it does not run. On Warpwise's side they are the cases without a name, in
/// their order.
fn under_our_names(theirs: IndexMap<(String, String), f64>, ours: &Times) -> IndexMap<(String, String), f64> {
    let Ok(ours) = ours else { return theirs };
    let is_theirs = |(entry, case): &(String, String)| {
        let plain = case.strip_suffix(".gz").unwrap_or(case);
        theirs.contains_key(&(entry.clone(), plain.to_string()))
    };
    let number = |case: &str| case.strip_prefix('#')?.split(' ').next()?.parse::<u32>().ok();
    let named = |key: (String, String)| {
        let compressed = (key.0.clone(), format!("{}.gz", key.1));
        let Some(own) = number(&key.1) else {
            return if ours.contains_key(&compressed) { compressed } else { key };
        };
        let of_entry = |(entry, _): &&(String, String)| *entry == key.0;
        let numbers = theirs.keys().filter(of_entry).filter_map(|(_, case)| number(case));
        let before = numbers.filter(|number| *number < own).count();
        let mut unnamed = ours.keys().filter(of_entry).filter(|key| !is_theirs(key));
        unnamed.nth(before).cloned().unwrap_or(key)
    };
    theirs.iter().map(|(key, time)| (named(key.clone()), *time)).collect()
}

/// Returns the rows of a program: the cases that any command ran.
fn rows(program: &str, ours: &Times, theirs: &[Times]) -> Vec<Row> {
    let of = |times: &Times, case: &(String, String)| {
        times.as_ref().ok().and_then(|times| times.get(case)).copied()
    };
    let mut cases: Vec<&(String, String)> = std::iter::once(ours)
        .chain(theirs)
        .filter_map(|times| times.as_ref().ok())
        .flat_map(IndexMap::keys)
        .collect();
    cases.sort();
    cases.dedup();
    let row = |case: &&(String, String)| Row {
        program: program.to_string(),
        entry: case.0.clone(),
        case: case.1.clone(),
        ours: of(ours, case),
        theirs: theirs.iter().map(|times| of(times, case)).collect(),
    };
    cases.iter().map(row).collect()
}

/// A case in the `--json` output of Warpwise's command.
#[derive(Deserialize)]
struct OurCase {
    entry: String,
    case: String,
    median_us: f64,
}

#[derive(Deserialize)]
struct OurFigures {
    cases: Vec<OurCase>,
}

fn times_of_ours(settings: &Settings<'_>, program: &Path) -> Times {
    let mut command = limited(settings.seconds, settings.warpwise);
    command.arg("bench");
    if let Some(device) = &settings.device {
        command.args(["--resident", "--device", device]);
    }
    command.args(settings.runs.iter().flat_map(|runs| ["-r".to_string(), runs.to_string()]));
    let figures: OurFigures = figures_of(command, "--json", program)?;
    some(figures.cases.into_iter().map(|case| ((case.entry, case.case), case.median_us)).collect())
}

/// An entry point in Futhark's `--json` output.
#[derive(Deserialize)]
struct TheirEntry {
    datasets: BTreeMap<String, TheirCase>,
}

/// The runs of a case, or the reason why there are none.
#[derive(Deserialize)]
#[serde(untagged)]
enum TheirCase {
    Ran { runtimes: Vec<f64> },
    Failed(serde::de::IgnoredAny),
}

/// Runs `futhark bench` on the cases of a program whose files are there, compiled by a back end; returns the times. The command is stopped
/// after `seconds`.
pub fn times_of_futhark(back_end: &str, program: &Path, seconds: u32, runs: Option<u32>) -> Times {
    let mut command = limited(seconds, Path::new("futhark"));
    // The command is given by name, since the running executable's file may be a loader. Tuning files next to programs are for
    // devices, and a name in them that the back end does not know ends the run.
    command.args(["bench", "--futhark=futhark", "--no-tuning"]).arg(format!("--backend={back_end}"));
    match runs {
        Some(runs) => command.arg(format!("--runs={runs}")).arg("--no-convergence-phase"),
        // On a noisy machine it would otherwise run each case for five minutes.
        None => command.arg("--convergence-max-seconds=20"),
    };
    let present = Present::of(program)?;
    let figures: BTreeMap<String, TheirEntry> = figures_of(command, "--json", &present.path)?;
    let mut times = IndexMap::new();
    for (name, entry) in figures {
        let entry_point = name.rsplit_once(".fut:").map_or("main", |(_, entry)| entry);
        for (case, ran) in entry.datasets {
            if let TheirCase::Ran { mut runtimes } = ran
                && !runtimes.is_empty()
            {
                times.insert((entry_point.to_string(), case), median(&mut runtimes));
            }
        }
    }
    some(times)
}

/// Returns the times, or an error if there are none.
fn some(times: IndexMap<(String, String), f64>) -> Times {
    if times.is_empty() { Err("ran no case".to_string()) } else { Ok(times) }
}

/// Creates a command that is ended after `seconds`.
fn limited(seconds: u32, command: &Path) -> Command {
    let mut limited = Command::new("timeout");
    limited.args(["--kill-after=5", &seconds.to_string()]).arg(command);
    limited
}

/// Runs a command on a program, in the program's folder; returns the contents of the file that `option` names.
fn figures_of<T: DeserializeOwned>(mut command: Command, option: &str, program: &Path) -> Result<T, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("figures.json");
    let name = program.file_name().ok_or("a program has a name")?;
    let output = command
        .arg(format!("{option}={}", file.display()))
        .arg(name)
        .current_dir(program.parent().unwrap_or(Path::new(".")))
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    let text = std::fs::read_to_string(&file).map_err(|_| reason(&output))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", program.display()))
}

/// Returns the reason why a command gave no figures, in one line.
fn reason(output: &std::process::Output) -> String {
    /// Exit codes of `timeout`.
    const OVER_TIME: [i32; 2] = [124, 137];
    if output.status.code().is_some_and(|code| OVER_TIME.contains(&code)) {
        return "took too long".to_string();
    }
    let said =
        [&output.stderr, &output.stdout].map(|said| String::from_utf8_lossy(said).into_owned()).concat();
    let is_reason = |line: &&str| ["error", "failed"].iter().any(|word| line.to_lowercase().contains(word));
    let line = said.lines().find(is_reason).or(said.lines().next());
    line.map_or_else(|| format!("ended with {}", output.status), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_without_cases_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let program = "-- ==\n-- random input { [10]f32 }\nentry main (xs: []f32) = xs\n";
        for name in ["lib", "sorts"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        write("comment.fut", "-- Its input is sorted.\ndef f (x: i32) = x\n");
        write("lib/package.fut", program);
        write("sorts/some.fut", program);
        write("notes.txt", "-- ==\n-- input { 1 }\n");
        let mut found = Vec::new();
        find_programs(folder.path(), &mut found).unwrap();
        assert_eq!(found, [folder.path().join("sorts/some.fut")]);
    }

    #[test]
    fn a_program_without_times_is_a_failure() {
        let mut report = Report::new(Setting::processor(true));
        report.replace("p.fut", Vec::new(), &some(IndexMap::new()), &[Err("took too long".to_string())]);
        assert!(report.markdown().contains("- p.fut: warpwise: ran no case; multicore: took too long"));
    }

    #[test]
    fn a_report_is_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("record");
        let times = |time: f64| Ok(IndexMap::from([(("main".to_string(), "a".to_string()), time)]));
        let mut report = Report::gone_on_with(&record, Setting::processor(false)).unwrap();
        for program in ["p.fut", "q.fut"] {
            report.replace(program, rows(program, &times(1.0), &[]), &times(1.0), &[]);
        }
        report.write(&record).unwrap();
        assert!(Report::gone_on_with(&record, Setting::processor(true)).is_err(), "Futhark took no part");
        let mut report = Report::gone_on_with(&record, Setting::processor(false)).unwrap();
        report.replace("p.fut", rows("p.fut", &times(2.0), &[]), &times(2.0), &[]);
        let ours: Vec<_> = report.rows.iter().map(|row| (row.program.as_str(), row.ours)).collect();
        assert_eq!(ours, [("q.fut", Some(1.0)), ("p.fut", Some(2.0))]);
        std::fs::write(record.join("suite.json"), "{").unwrap();
        assert!(Report::gone_on_with(&record, Setting::processor(false)).is_err());
    }

    #[test]
    fn cases_of_all_commands_are_rows() {
        let case = |name: &str| ("main".to_string(), name.to_string());
        let ours = Ok(IndexMap::from([(case("a"), 10.0), (case("b"), 5.0)]));
        let theirs = [
            Ok(IndexMap::from([(case("a"), 30.0)])),
            Ok(IndexMap::from([(case("a"), 20.0), (case("c"), 1.0)])),
        ];
        let rows = rows("p.fut", &ours, &theirs);
        let ratios: Vec<_> = rows.iter().map(|row| (row.case.as_str(), row.ratio())).collect();
        assert_eq!(ratios, [("a", Some(2.0)), ("b", None), ("c", None)]);
    }

    #[test]
    fn their_cases_have_our_names() {
        let times = |cases: &[&str]| {
            let number =
                |(number, case): (usize, &&str)| (("main".to_string(), case.to_string()), number as f64);
            cases.iter().enumerate().map(number).collect::<IndexMap<_, _>>()
        };
        let ours = Ok(times(&["1 2", "data/a.in.gz", "large", "3 4"]));
        let theirs = times(&["#0 (\"1i32 2i32\")", "#4 (\"3i32 4i32\")", "data/a.in", "large", "other"]);
        let named: Vec<(String, f64)> =
            under_our_names(theirs, &ours).into_iter().map(|((_, case), time)| (case, time)).collect();
        let expected = [("1 2", 0.0), ("3 4", 1.0), ("data/a.in.gz", 2.0), ("large", 3.0), ("other", 4.0)];
        assert_eq!(named, expected.map(|(case, time)| (case.to_string(), time)));
    }
}
