//! `warpwise bench`: how long the cases of a program's test blocks take.
//!
//! Inputs are made before and outputs dropped after the clock runs; arguments that the entry point overwrites
//! are copied outside of it. A case is run until its median is stable: until the medians of the first and second half
//! of its runs differ by less than a hundredth, twice in a row, or time is up.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use serde::Serialize;
use warpwise_diag::Sources;
use warpwise_driver::{Context, Entry, Program};
use warpwise_fut::testspec::{Expected, TestCase, TestSpec};
use warpwise_runtime::array::Value;
use warpwise_runtime::compare::{Tolerance, compare};
use warpwise_runtime::memory::MemoryPool;

use crate::calls::timed_call;
use crate::cases::{CaseError, Cases, all_cases, case_name, is_disabled, is_left_out, read_spec};
use crate::failure::Failure;
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
    /// Write the figures as data to a file (`-`: standard output)
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,
    /// Run each case exactly so often, instead of until the median is stable
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    cache: CacheOptions,
    #[command(flatten)]
    run: RunOptions,
}

/// The figures of one case.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Measured {
    program: String,
    entry: String,
    case: String,
    median_us: f64,
    min_us: f64,
    max_us: f64,
    runs: usize,
}

/// A program that is loaded, and its cases.
struct Bench<'a> {
    arguments: &'a BenchArguments,
    program: &'a Program,
    memory: &'a MemoryPool,
    cases: Cases<'a>,
}

/// Runs all cases.
pub fn bench(arguments: &BenchArguments) -> Result<u8, Failure> {
    let BenchArguments { file, compile, run, cache, .. } = arguments;
    let (context, program) = start(file, compile, &run.clone().tuned_beside(file), cache)?;
    let mut sources = Sources::new();
    let spec = read_spec(file, &mut sources)?;
    let measured = measure_all(arguments, &program, &context, &sources, &spec)?;
    if let Some(out) = &arguments.json {
        write_json(out, &measured)?;
    }
    Ok(0)
}

fn measure_all(
    arguments: &BenchArguments,
    program: &Program,
    context: &Context,
    sources: &Sources,
    spec: &TestSpec,
) -> Result<Vec<Measured>, Failure> {
    let memory = context.memory();
    let cases = Cases { path: &arguments.file, sources, memory };
    let bench = Bench { arguments, program, memory, cases };
    let wanted = |entry: &str| arguments.entry.as_ref().is_none_or(|wanted| wanted == entry);
    let device = arguments.compile.device;
    let timed = |case: &TestCase| !is_left_out(&case.tags, "nobench", device);
    let skipped = is_disabled(spec, device) || spec.tags.iter().any(|tag| tag == "nobench");
    let mut measured = Vec::new();
    for (entry, number, case) in all_cases(&spec.blocks) {
        let error_expected = matches!(case.expected, Expected::Error(_));
        if !skipped && wanted(entry) && timed(case) && !error_expected {
            measured.extend(bench.case(entry, number, case, measured.is_empty())?);
        }
    }
    if measured.is_empty() {
        let whose = arguments.entry.as_ref().map(|entry| format!(" for entry point `{entry}`"));
        let (file, whose) = (arguments.file.display(), whose.unwrap_or_default());
        return Err(Failure::Failed(format!("{file}: its test blocks have no case to time{whose}")));
    }
    Ok(measured)
}

impl Bench<'_> {
    /// Measures a case and prints its line; `None` if its input is not supported.
    fn case(
        &self,
        entry_name: &str,
        number: usize,
        case: &TestCase,
        first: bool,
    ) -> Result<Option<Measured>, Failure> {
        let name = case_name(case, number);
        let label = format!("{entry_name}: {name}");
        let entry = self.program.entry(entry_name)?;
        let progress = Progress::of(label.clone());
        let arguments = match self.cases.arguments(case, self.program) {
            Ok(arguments) => arguments,
            Err(CaseError::Unsupported(what)) => {
                say(&format!("{label}: not supported yet: {what}"));
                return Ok(None);
            }
            Err(CaseError::Wrong(message)) => return Err(Failure::Failed(message)),
        };
        let results = timed_call(self.program, self.memory, entry, &arguments)?.1;
        self.validate(case, &label, &results)?;
        let bytes: u64 = arguments.iter().chain(&results).map(Value::bytes).sum();
        drop(results);
        let times = self.times(entry, &arguments)?;
        drop(progress);
        if first {
            print_line(&heading())?;
        }
        let measured = Measured::of(self.arguments.file.display().to_string(), entry_name, name, &times);
        print_line(&measured.line(&label, bytes))?;
        Ok(Some(measured))
    }

    fn validate(&self, case: &TestCase, label: &str, results: &[Value]) -> Result<(), Failure> {
        let Expected::Values(values) = &case.expected else { return Ok(()) };
        let failed = |message: String| Failure::Failed(format!("{label}: {message}"));
        let expected = self.cases.values(values).map_err(|error| match error {
            CaseError::Wrong(message) | CaseError::Unsupported(message) => failed(message),
        })?;
        compare(results, &expected, Tolerance::TestBlock)
            .map_err(|difference| failed(format!("wrong result: {difference}")))
    }

    fn times(&self, entry: &Entry, arguments: &[Value]) -> Result<Vec<Duration>, Failure> {
        let start = Instant::now();
        let (warm_up, longest) = (Duration::from_millis(100), Duration::from_secs(10));
        let mut times = Vec::new();
        if let Some(runs) = self.arguments.runs {
            for _ in 0..runs {
                times.push(timed_call(self.program, self.memory, entry, arguments)?.0);
            }
            return Ok(times);
        }
        while start.elapsed() < warm_up {
            timed_call(self.program, self.memory, entry, arguments)?;
        }
        let mut stability = Stability::default();
        while !stability.reached(&times) && (times.len() < FEWEST_RUNS || start.elapsed() < longest) {
            times.push(timed_call(self.program, self.memory, entry, arguments)?.0);
        }
        Ok(times)
    }
}

const FEWEST_RUNS: usize = 10;

/// Whether the median still moves.
#[derive(Default)]
struct Stability {
    /// How many runs there were when it was last looked at.
    looked_at: usize,
    /// How often in a row it stood still.
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
    fn of(program: String, entry: &str, case: String, times: &[Duration]) -> Measured {
        let micros = |time: Option<&Duration>| time.map_or(0.0, |time| 1e6 * time.as_secs_f64());
        Measured {
            program,
            entry: entry.to_string(),
            case,
            median_us: median(times),
            min_us: micros(times.iter().min()),
            max_us: micros(times.iter().max()),
            runs: times.len(),
        }
    }

    fn line(&self, label: &str, bytes: u64) -> String {
        let spread = format!("{} to {}", duration(self.min_us), duration(self.max_us));
        let rate = bytes as f64 / self.median_us.max(1e-3) / 1e3;
        format!(
            "{label:<44} {:>10}  {spread:<24} {:>5}  {rate:>8.3} GB/s",
            duration(self.median_us),
            self.runs
        )
    }
}

fn heading() -> String {
    format!("{:<44} {:>10}  {:<24} {:>5}  {:>8}", "entry: case", "median", "spread", "runs", "bytes")
}

/// The middle of some times, in microseconds.
fn median(times: &[Duration]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort();
    let at = |index: usize| sorted.get(index).map_or(0.0, |time| 1e6 * time.as_secs_f64());
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { at(middle) } else { 0.5 * (at(middle.saturating_sub(1)) + at(middle)) }
}

/// A time with the unit that suits it.
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
