//! `warpwise bench`: times the cases of a program's test blocks.
//!
//! Creating inputs, dropping outputs and copying consumed arguments is not timed. A case with a wrong result is not timed, but the
//! others are. A case is run until its median is stable: the medians of the first and second half of its runs differ by less than a
//! hundredth, twice in a row. Otherwise it ends when time is up.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde::{Deserialize, Serialize};
use warpwise_diag::Sources;
use warpwise_driver::{CallError, Context, Program, Target};
use warpwise_fut::testspec::{Expected, TestCase, TestSpec};
use warpwise_runtime::array::Value;
use warpwise_runtime::compare::{Tolerance, compare};
use warpwise_runtime::execute::RunError;

use crate::calls::Calls;
use crate::cases::{CaseError, Cases, all_cases, case_name, is_disabled, is_left_out, read_spec};
use crate::commands::host::refuse_host_program;
use crate::failure::{FAILED, Failure};
use crate::options::{CacheOptions, CompileOptions, RunOptions};
use crate::output::{Progress, print_line, say, write_json};
use crate::start::start;

/// What to time.
#[derive(Args, Debug)]
pub struct BenchArguments {
    /// The program
    file: PathBuf,
    /// Only this entry point
    #[arg(short, long)]
    entry: Option<String>,
    /// Write the figures as JSON to a file (`-`: standard output)
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,
    /// Compare the medians with those in a file written by --json
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Number of timed runs of each case after warming up, instead of until the median is stable
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// On a device, time calls on arrays that stay there, without copies
    #[arg(long)]
    resident: bool,
    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    cache: CacheOptions,
    #[command(flatten)]
    run: RunOptions,
}

/// The figures of a program, with the circumstances of the measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Report {
    /// Version of the compiler.
    version: String,
    machine: Machine,
    /// Options that change the code or its execution, as words.
    options: Vec<String>,
    cases: Vec<Measured>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Machine {
    processor: String,
    threads: usize,
}

/// The figures of one case.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Measured {
    program: String,
    entry: String,
    case: String,
    median_us: f64,
    min_us: f64,
    max_us: f64,
    runs: usize,
    /// Size of the arguments and the results.
    bytes: u64,
}

/// A loaded program, and its cases.
struct Bench<'a> {
    arguments: &'a BenchArguments,
    program: &'a Program,
    context: &'a Context,
    cases: Cases<'a>,
    /// Figures to compare with.
    before: Option<Report>,
}

/// The outcome of a case.
enum Timed {
    Measured(Measured),
    /// The case is not supported.
    LeftOut,
    /// The case fails, or its result is wrong.
    Wrong,
}

/// Times all cases of a program.
pub fn bench(arguments: &BenchArguments) -> Result<u8, Failure> {
    refuse_host_program(&arguments.file)?;
    let BenchArguments { file, compile, run, cache, .. } = arguments;
    let (context, program) = start(file, compile, &run.clone().tuned_beside(file), cache, &[])?;
    let mut sources = Sources::new();
    let spec = read_spec(file, &mut sources)?;
    let before = arguments.compare.as_deref().map(read_report).transpose()?;
    let cases = Cases { path: file, sources: &sources, memory: context.memory() };
    let bench = Bench { arguments, program: &program, context: &context, cases, before };
    let (cases, wrong) = bench.all(&spec)?;
    if let Some(out) = &arguments.json {
        let machine = Machine { processor: processor(), threads: context.threads().threads() };
        let resident = arguments.resident.then(|| "--resident".to_string());
        let options =
            [compile.words(), run.words(context.memory().limit()), Vec::from_iter(resident)].concat();
        write_json(out, &Report { version: env!("CARGO_PKG_VERSION").to_string(), machine, options, cases })?;
    }
    Ok(if wrong { FAILED } else { 0 })
}

/// Reads figures that `--json` has written.
fn read_report(path: &Path) -> Result<Report, Failure> {
    let failed = |error: String| Failure::Failed(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failed(format!("cannot read: {error}")))?;
    serde_json::from_str(&text).map_err(|error| failed(format!("these are no figures of `bench`: {error}")))
}

/// Returns the name of the processor.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_string());
    name.unwrap_or_else(|| std::env::consts::ARCH.to_string())
}

impl Bench<'_> {
    /// Measures all selected cases. Returns the figures, and whether a case is wrong.
    fn all(&self, spec: &TestSpec) -> Result<(Vec<Measured>, bool), Failure> {
        let arguments = self.arguments;
        let wanted = |entry: &str| arguments.entry.as_ref().is_none_or(|wanted| wanted == entry);
        let device = arguments.compile.device;
        let timed = |case: &TestCase| !is_left_out(&case.tags, "nobench", device);
        let skipped = is_disabled(spec, device) || spec.tags.iter().any(|tag| tag == "nobench");
        let (mut measured, mut wrong) = (Vec::new(), false);
        for (entry, number, case) in all_cases(&spec.blocks) {
            let error_expected = matches!(case.expected, Expected::Error(_));
            if skipped || !wanted(entry) || !timed(case) || error_expected {
                continue;
            }
            match self.case(entry, number, case, measured.is_empty())? {
                Timed::Measured(figures) => measured.push(figures),
                Timed::LeftOut => {}
                Timed::Wrong => wrong = true,
            }
        }
        if measured.is_empty() && !wrong {
            let whose = arguments.entry.as_ref().map(|entry| format!(" for entry point `{entry}`"));
            let (file, whose) = (arguments.file.display(), whose.unwrap_or_default());
            return Err(Failure::Failed(format!("{file}: its test blocks have no case to time{whose}")));
        }
        Ok((measured, wrong))
    }

    /// Measures a case and prints its line.
    fn case(&self, entry_name: &str, number: usize, case: &TestCase, first: bool) -> Result<Timed, Failure> {
        let name = case_name(case, number);
        let label = format!("{entry_name}: {name}");
        let entry = self.program.entry(entry_name)?;
        let progress = Progress::of(label.clone());
        let wrong = |message: String| {
            say(&format!("error: {label}: {message}"));
            Ok(Timed::Wrong)
        };
        let arguments = match self.cases.arguments(case, self.program) {
            Ok(arguments) => arguments,
            Err(CaseError::Unsupported(what)) => {
                say(&format!("{label}: not supported yet: {what}"));
                return Ok(Timed::LeftOut);
            }
            Err(CaseError::Wrong(message)) => return wrong(message),
        };
        let arrays_at = if self.arguments.resident { self.arguments.compile.device } else { Target::Cpu };
        let calls = Calls::new(self.program, self.context, arrays_at, entry, &arguments)?;
        let results = match calls.timed() {
            Ok((_, results)) => calls.to_host(&results)?,
            Err(Failure::Call(CallError::Run(error))) if error != RunError::Interrupted => {
                return wrong(error.to_string());
            }
            Err(failure) => return Err(failure),
        };
        if let Err(message) = self.validate(case, &results) {
            return wrong(message);
        }
        let bytes: u64 = arguments.iter().chain(&results).map(Value::bytes).sum();
        drop(results);
        let times = self.times(&calls)?;
        drop(progress);
        if first {
            print_line(&heading(self.before.is_some()))?;
        }
        let measured =
            Measured::of(self.arguments.file.display().to_string(), entry_name, name, &times, bytes);
        let before = self.before.as_ref().map(|report| measured.ratio_to(report));
        print_line(&measured.line(&label, before))?;
        Ok(Timed::Measured(measured))
    }

    fn validate(&self, case: &TestCase, results: &[Value]) -> Result<(), String> {
        let Expected::Values(values) = &case.expected else { return Ok(()) };
        let expected = self.cases.values(values).map_err(|error| match error {
            CaseError::Wrong(message) | CaseError::Unsupported(message) => message,
        })?;
        compare(results, &expected, Tolerance::TestBlock)
            .map_err(|difference| format!("wrong result: {difference}"))
    }

    fn times(&self, calls: &Calls) -> Result<Vec<Duration>, Failure> {
        let start = Instant::now();
        let mut times = Vec::new();
        while start.elapsed() < WARM_UP {
            calls.timed()?;
        }
        if let Some(runs) = self.arguments.runs {
            for _ in 0..runs {
                times.push(calls.timed()?.0);
            }
            return Ok(times);
        }
        let mut stability = Stability::default();
        while !stability.reached(&times) && (times.len() < FEWEST_RUNS || start.elapsed() < LONGEST) {
            times.push(calls.timed()?.0);
        }
        Ok(times)
    }
}

const FEWEST_RUNS: usize = 10;

/// Time that a case runs before it is timed, until caches, pages and the clocks of processors and devices have settled.
const WARM_UP: Duration = Duration::from_millis(250);

/// Time after which no further runs start, except for the minimum number.
const LONGEST: Duration = Duration::from_secs(10);

/// The state of checking whether the median is stable.
#[derive(Default)]
struct Stability {
    /// Number of runs at the last check.
    looked_at: usize,
    /// Number of consecutive checks at which it was stable.
    still: u32,
}

impl Stability {
    fn reached(&mut self, times: &[Duration]) -> bool {
        if times.len() < FEWEST_RUNS.max(self.looked_at + self.looked_at / 4) {
            return false;
        }
        self.looked_at = times.len();
        let half = times.len() / 2;
        let (before, after) = (median(&times[..half]), median(&times[half..]));
        let moved = (before - after).abs() / before.max(after).max(f64::MIN_POSITIVE);
        self.still = if moved < 0.01 { self.still + 1 } else { 0 };
        self.still >= 2
    }
}

impl Measured {
    fn of(program: String, entry: &str, case: String, times: &[Duration], bytes: u64) -> Measured {
        let micros = |time: Option<&Duration>| time.map_or(0.0, |time| 1e6 * time.as_secs_f64());
        Measured {
            program,
            entry: entry.to_string(),
            case,
            median_us: median(times),
            min_us: micros(times.iter().min()),
            max_us: micros(times.iter().max()),
            runs: times.len(),
            bytes,
        }
    }

    /// Returns the ratio of the time of the same case in a report to the time here, if the report has the case.
    fn ratio_to(&self, report: &Report) -> Option<f64> {
        let same = |other: &&Measured| (&other.entry, &other.case) == (&self.entry, &self.case);
        report.cases.iter().find(same).map(|other| other.median_us / self.median_us.max(1e-3))
    }

    /// Formats the line for a case. `before` is the ratio to the earlier time, if there is a comparison.
    fn line(&self, label: &str, before: Option<Option<f64>>) -> String {
        let spread = format!("{} to {}", duration(self.min_us), duration(self.max_us));
        let rate = self.bytes as f64 / self.median_us.max(1e-3) / 1e3;
        let compared = match before {
            None => String::new(),
            Some(None) => format!("  {:>8}", "new"),
            Some(Some(ratio)) => format!("  {ratio:>7.2}x"),
        };
        format!(
            "{label:<44} {:>10}  {spread:<24} {:>5}  {rate:>8.3} GB/s{compared}",
            duration(self.median_us),
            self.runs
        )
    }
}

fn heading(is_compared: bool) -> String {
    let compared = if is_compared { "       before" } else { "" };
    format!(
        "{:<44} {:>10}  {:<24} {:>5}  {:>8}{compared}",
        "entry: case", "median", "spread", "runs", "bytes"
    )
}

/// Returns the median of some times, in microseconds.
fn median(times: &[Duration]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort();
    let at = |index: usize| sorted.get(index).map_or(0.0, |time| 1e6 * time.as_secs_f64());
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { at(middle) } else { 0.5 * (at(middle.saturating_sub(1)) + at(middle)) }
}

/// Formats a time with a suitable unit.
pub(super) fn duration(micros: f64) -> String {
    match micros {
        ..1e3 => format!("{micros:.1} us"),
        ..1e6 => format!("{:.2} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(times: &[u64]) -> Vec<Duration> {
        times.iter().map(|&time| Duration::from_micros(time)).collect()
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&micros(&[])), 0.0);
        assert_eq!(median(&micros(&[7])), 7.0);
        assert_eq!(median(&micros(&[9, 1, 5])), 5.0);
        assert_eq!(median(&micros(&[9, 1, 5, 6])), 5.5);
    }

    #[test]
    fn equal_times_are_stable_and_growing_ones_are_not() {
        let runs = |time: fn(u64) -> u64| {
            let (mut times, mut stability) = (Vec::new(), Stability::default());
            while !stability.reached(&times) && times.len() < 1000 {
                times.push(Duration::from_micros(time(times.len() as u64)));
            }
            times.len()
        };
        assert!((FEWEST_RUNS..30).contains(&runs(|_| 100)));
        assert_eq!(runs(|n| 100 + n), 1000);
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration(12.34), "12.3 us");
        assert_eq!(duration(1234.5), "1.23 ms");
        assert_eq!(duration(2_500_000.0), "2.50 s");
    }
}
