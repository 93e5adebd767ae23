//! `warpwise autotune`: finds values of tuning parameters by measurement, and writes them to a file that `--tuning` reads.
//!
//! The data sets are the cases of a program's test blocks, or one call with values from the command line. Every version that the
//! [`mod@search`] asks for is run a few times and the shortest time counts; on devices, without copies to and from them. A version that
//! runs out of memory, or takes far longer than another, has infinite cost. A version with another result is an error.
//!
//! Absent on purpose: sizes of work-groups and blocks, and numbers of lanes, which are not tuning parameters.

mod data;
mod search;

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use clap::Args;
use warpwise_driver::{CallError, Context, Program};
use warpwise_runtime::array::Value;
use warpwise_runtime::compare::{Tolerance, compare};
use warpwise_runtime::execute::{RunError, UsedParameter};
use warpwise_runtime::pool::CancelFlag;

use super::bench::duration;
use crate::commands::host::refuse_host_program;
use crate::failure::Failure;
use crate::options::{CacheOptions, CompileOptions, RunOptions};
use crate::output::{print_line, write_whole};
use crate::start::start;
use data::{DataSet, data_sets};
use search::{Assignment, Sample, Used, search};

/// What to tune.
#[derive(Args, Debug)]
pub struct AutotuneArguments {
    /// The program
    file: PathBuf,
    /// Only the test cases of this entry point; with values, the entry point to call (default: `main`)
    #[arg(short, long)]
    entry: Option<String>,
    /// Values, or files with values, to measure with instead of the program's test cases
    #[arg(value_name = "ARG")]
    arguments: Vec<String>,
    /// Write the parameters to this file, instead of `PROG.tuning`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Number of runs of each version; the shortest counts
    #[arg(short, long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    #[command(flatten)]
    compile: CompileOptions,
    #[command(flatten)]
    cache: CacheOptions,
    #[command(flatten)]
    run: RunOptions,
}

/// Factor by which a version may be slower than the best before it is no longer timed again.
const CLEARLY_WORSE: u32 = 3;

/// Factor by which a version may be slower than the best before it is stopped, though not before [`LEAST_LIMIT`].
const HOPELESS: u32 = 20;

const LEAST_LIMIT: Duration = Duration::from_secs(2);

/// Time after which a version is not run again.
const LONG_ENOUGH: Duration = Duration::from_secs(4);

/// A program with its data sets, and the knowledge about its parameters.
struct Tuner<'a> {
    arguments: &'a AutotuneArguments,
    program: &'a Program,
    context: &'a Context,
    sets: Vec<DataSet<'a>>,
    seen: RefCell<Seen>,
}

/// A parameter that runs used.
struct Parameter {
    name: String,
    default: i64,
    /// Sizes that it was compared with, each with the number of its data set.
    sizes: Vec<(usize, i64)>,
}

/// The findings of the runs.
#[derive(Default)]
struct Seen {
    /// Shortest time of each data set.
    best: Vec<Option<Duration>>,
    expected: Vec<Option<Vec<Value>>>,
    parameters: Vec<Parameter>,
    runs: usize,
    /// Message of the last failure.
    failed: Option<String>,
}

/// Searches for the best values, and writes them to a file.
pub fn autotune(arguments: &AutotuneArguments) -> Result<u8, Failure> {
    refuse_host_program(&arguments.file)?;
    let AutotuneArguments { file, compile, run, cache, .. } = arguments;
    let (context, program) = start(file, compile, run, cache, &[])?;
    if program.parameters().is_empty() {
        let file = file.display();
        print_line(&format!("{file}: there is nothing to tune: no version of its code is chosen by a size"))?;
        return Ok(0);
    }
    let entry = arguments.entry.as_deref();
    let (sets, expected) =
        data_sets((file, entry), &arguments.arguments, (&program, compile.device), &context)?;
    let best = vec![None; sets.len()];
    let seen = RefCell::new(Seen { best, expected, ..Seen::default() });
    let tuner = Tuner { arguments, program: &program, context: &context, sets, seen };
    let start = Instant::now();
    let found = search(tuner.sets.len(), &mut |set, assignment| tuner.measure(set, assignment))?;
    tuner.report(&found, start.elapsed())
}

impl Tuner<'_> {
    /// Times a data set under an assignment, and prints the result.
    fn measure(&self, set: usize, assignment: &Assignment) -> Result<Sample, Failure> {
        let values: Vec<String> = assignment.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.program.tune(assignment.iter().map(|(name, &value)| (name.clone(), value)).collect());
        self.program.watch_parameters();
        let first = self.call(set)?;
        let used = self.program.watched_parameters();
        self.note(set, &used);
        let time = match first {
            Ok(time) => Some(self.again(set, time)?),
            Err(why) => {
                self.seen.borrow_mut().failed = Some(why);
                None
            }
        };
        let shown = match time {
            Some(time) => duration(1e6 * time.as_secs_f64()),
            None => self.seen.borrow().failed.clone().unwrap_or_default(),
        };
        let versions = if values.is_empty() { "defaults".to_string() } else { values.join(" ") };
        print_line(&format!("{:<36} {versions:<36} {shown}", self.sets[set].label))?;
        let used =
            used.into_iter().map(|UsedParameter { name, default, cuts, .. }| Used { name, default, cuts });
        Ok(Sample { seconds: time.map_or(f64::INFINITY, |time| time.as_secs_f64()), used: used.collect() })
    }

    /// Returns the shortest time of several calls, the first of which took `time`.
    fn again(&self, set: usize, time: Duration) -> Result<Duration, Failure> {
        let (start, mut shortest) = (Instant::now(), time);
        let best = self.seen.borrow().best[set];
        for _ in 1..self.arguments.runs {
            let worse = best.is_some_and(|best| shortest > CLEARLY_WORSE * best);
            if worse || start.elapsed() > LONG_ENOUGH {
                break;
            }
            if let Ok(time) = self.call(set)? {
                shortest = shortest.min(time);
            }
        }
        let known = &mut self.seen.borrow_mut().best[set];
        *known = Some(known.map_or(shortest, |known| known.min(shortest)));
        Ok(shortest)
    }

    /// Calls the entry point. Returns its time, or the reason why the call does not count.
    fn call(&self, set: usize) -> Result<Result<Duration, String>, Failure> {
        let DataSet { label, calls } = &self.sets[set];
        let limit = self.seen.borrow().best[set].map(|best| (HOPELESS * best).max(LEAST_LIMIT));
        self.seen.borrow_mut().runs += 1;
        let run = || {
            let (time, results) = calls.timed()?;
            Ok((time, calls.to_host(&results)?))
        };
        let (ran, stopped) = limited(self.context.threads().cancel_flag(), limit, run);
        let (time, results) = match ran {
            Ok(ran) => ran,
            Err(Failure::Call(CallError::Run(RunError::Interrupted))) if stopped => {
                return Ok(Err("stopped: far slower than another version".to_string()));
            }
            Err(Failure::Call(CallError::Run(error @ RunError::OutOfMemory { .. }))) => {
                return Ok(Err(error.to_string().lines().next().unwrap_or_default().to_string()));
            }
            Err(failure) => return Err(failure),
        };
        let expected = &mut self.seen.borrow_mut().expected[set];
        match expected {
            None => *expected = Some(results),
            Some(expected) => {
                if let Err(difference) = compare(&results, expected, Tolerance::TestBlock) {
                    return Err(Failure::Failed(format!("{label}: wrong result: {difference}")));
                }
            }
        }
        Ok(Ok(time))
    }

    fn note(&self, set: usize, used: &[UsedParameter]) {
        let known = &mut self.seen.borrow_mut().parameters;
        for UsedParameter { name, default, sizes, .. } in used {
            let at = known.iter().position(|known| known.name == *name).unwrap_or_else(|| {
                known.push(Parameter { name: name.clone(), default: *default, sizes: Vec::new() });
                known.len() - 1
            });
            for &size in sizes {
                if !known[at].sizes.contains(&(set, size)) {
                    known[at].sizes.push((set, size));
                }
            }
        }
    }

    /// Prints the values that were found, and writes them.
    fn report(&self, found: &Assignment, time: Duration) -> Result<u8, Failure> {
        let seen = self.seen.borrow();
        if let (Some(set), Some(why)) = (seen.best.iter().position(Option::is_none), &seen.failed) {
            return Err(Failure::Failed(format!("{}: no version can be timed: {why}", self.sets[set].label)));
        }
        let mut text =
            format!("# found by `warpwise autotune` for --device {}\n", self.arguments.compile.device);
        for Parameter { name, default, sizes } in &seen.parameters {
            let value = found.get(name).unwrap_or(default);
            let compared: Vec<String> = self
                .sets
                .iter()
                .enumerate()
                .filter_map(|(set, data)| sizes_of(set, &data.label, sizes))
                .collect();
            let compared = if compared.is_empty() { "no size".to_string() } else { compared.join("; ") };
            print_line(&format!("{name}={value} (default {default}); compared with {compared}"))?;
            text += &format!("{name}={value}\n");
        }
        if seen.parameters.is_empty() {
            print_line("the runs use no tuning parameters")?;
        }
        let beside = || PathBuf::from(format!("{}.tuning", self.arguments.file.display()));
        let path = self.arguments.output.clone().unwrap_or_else(beside);
        write_whole(&path, &text)?;
        let (runs, time) = (seen.runs, duration(1e6 * time.as_secs_f64()));
        print_line(&format!("{}: written, after {runs} runs in {time}", path.display()))?;
        Ok(0)
    }
}

/// Formats the sizes that come from a data set.
fn sizes_of(set: usize, label: &str, sizes: &[(usize, i64)]) -> Option<String> {
    let mut own: Vec<i64> = sizes.iter().filter(|(of, _)| *of == set).map(|&(_, size)| size).collect();
    own.sort_unstable();
    let shown = match own.as_slice() {
        [] => return None,
        [first, .., last] if own.len() > MOST_SHOWN => format!("{first} to {last} ({} sizes)", own.len()),
        several => several.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
    };
    Some(format!("{shown} ({label})"))
}

/// Maximum number of sizes that are listed one by one.
const MOST_SHOWN: usize = 4;

/// Runs `work`, which checks the flag, and sets the flag after the time limit. Also returns whether that happened.
fn limited<T>(flag: &CancelFlag, limit: Option<Duration>, work: impl FnOnce() -> T) -> (T, bool) {
    let Some(limit) = limit else { return (work(), false) };
    let (done, waiting) = channel::<()>();
    std::thread::scope(|scope| {
        let watchdog = scope.spawn(move || {
            let over = waiting.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if over {
                flag.set();
            }
            over
        });
        let result = work();
        drop(done);
        let stopped = watchdog.join().unwrap_or(false);
        if stopped {
            flag.clear();
        }
        (result, stopped)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_told_to_stop() {
        let flag = CancelFlag::default();
        let waited = limited(&flag, Some(Duration::from_millis(5)), || {
            while !flag.is_set() {
                std::thread::yield_now();
            }
            1
        });
        assert_eq!((waited, flag.is_set()), ((1, true), false));
        assert_eq!(limited(&flag, Some(Duration::from_secs(60)), || 2), (2, false));
        assert_eq!(limited(&flag, None, || 3), (3, false));
    }

    #[test]
    fn sizes_are_listed_by_data_set() {
        assert_eq!(sizes_of(0, "a", &[(1, 7)]), None);
        assert_eq!(sizes_of(1, "a", &[(1, 9), (0, 1), (1, 7)]), Some("7, 9 (a)".to_string()));
        let many: Vec<(usize, i64)> = (1..=6).map(|size| (0, size)).collect();
        assert_eq!(sizes_of(0, "a", &many), Some("1 to 6 (6 sizes) (a)".to_string()));
    }
}
