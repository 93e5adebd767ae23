//! `warpwise test`: runs the test blocks of programs, and the `utest`s of host programs ([`host`]).
//!
//! Each program is tested by a process of its own ([`worker`]), several at a time, so that a program that crashes or hangs is only one
//! failed test. Cases tagged `notest` are left out, as are cases tagged `no_cpu`, `no_opencl` or `no_cuda` on such a device. A program
//! tagged `disable`, or with such a tag, counts as unsupported.

mod host;
mod process;
mod properties;
mod summary;
mod worker;

use std::collections::VecDeque;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use warpwise_runtime::memory::default_limit;
use warpwise_runtime::pool::available_cores;

use self::summary::Kind;
use crate::commands::host::is_host_program;
use crate::failure::{FAILED, Failure};
use crate::options::{CacheOptions, CompileOptions, RunOptions};
use crate::output::{Progress, print_line, write_json};

/// What to test.
#[derive(Args, Debug)]
#[command(
    after_help = "Tags leave cases or whole programs out: `notest`, and on a device `no_cpu`, `no_opencl`, `no_cuda`."
)]
pub struct TestArguments {
    /// Programs, or folders of programs (.fut, .mc)
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write the results as JSON to a file (`-`: standard output)
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,
    /// Number of programs tested at a time, instead of one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Time limit for each program
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// How the compiler's errors are compared with those that a program expects
    #[arg(long, value_enum, default_value_t = Errors::Message)]
    errors: Errors,
    /// Also interpret every case with explicit memory after each pass that places arrays, for at most STEPS steps, and report
    /// misplaced arrays and races
    #[arg(long, value_name = "STEPS", num_args = 0..=1, require_equals = true, default_missing_value = "1000000")]
    heap: Option<u64>,
    /// Seed of the random numbers of properties
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print a table of results by folder; this is the default for several folders
    #[arg(long)]
    by_folder: bool,
    /// List every program and case, including those that pass
    #[arg(short, long)]
    verbose: bool,
    /// Test this one program in this process, and print the result as data
    #[arg(long, hide = true)]
    worker: bool,
    #[command(flatten)]
    compile: CompileOptions,
    /// Compiled programs are only kept if a folder is named
    #[command(flatten)]
    cache: CacheOptions,
    #[command(flatten)]
    run: RunOptions,
}

/// How much of an expected rejection is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Errors {
    /// The message: the regular expression must match, without regard to case and kinds of quotation marks
    Message,
    /// The kind: there must be an error of the program, with a place in it
    Kind,
}

/// The result of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    /// Everything was as expected.
    Passed,
    /// Something was not as expected.
    Failed,
    /// The program needs an unsupported feature.
    Unsupported,
    /// The process ended by a signal, or without a result.
    Crashed,
    /// The process did not end in time.
    Timeout,
    /// A bug of the compiler was found.
    Internal,
}

/// The result of one program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Outcome {
    program: String,
    status: Status,
    message: String,
    /// Expected behaviour of the program; the process that tests a host program knows it.
    #[serde(default)]
    kind: Kind,
    /// Whether the program was rejected with the message that it expects.
    #[serde(default)]
    said: bool,
    /// Cases of its test blocks that were run.
    #[serde(default)]
    cases: Vec<CaseOutcome>,
}

/// The result of one case.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct CaseOutcome {
    /// Entry point that was called.
    entry: String,
    /// Name of the case: its own or one made from its input.
    case: String,
    /// Line of the program in which the case begins.
    line: u32,
    status: Status,
    message: String,
}

/// Tests all programs. Prints the failures and a summary.
pub fn test(arguments: &TestArguments, itself: &[OsString]) -> Result<u8, Failure> {
    if let (true, [path]) = (arguments.worker, arguments.paths.as_slice()) {
        return worker::work(path, arguments);
    }
    let programs = programs(&arguments.paths)?;
    let mut outcomes = test_all(&programs, arguments, itself)?;
    outcomes.sort_by(|a, b| a.program.cmp(&b.program));
    if let Some(out) = &arguments.json {
        write_json(out, &outcomes)?;
    }
    let is_wrong = |outcome: &Outcome| !matches!(outcome.status, Status::Passed | Status::Unsupported);
    let failed = outcomes.iter().any(is_wrong);
    if arguments.json.as_deref() != Some(Path::new("-")) {
        let folders = arguments.paths.iter().filter(|path| path.is_dir()).count();
        if arguments.by_folder || folders > 1 {
            print_line(&summary::table(&outcomes))?;
        }
        print_line(&summary::line(&outcomes))?;
    }
    Ok(if failed { FAILED } else { 0 })
}

/// Returns the named files, and all programs in the named folders.
fn programs(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut programs = Vec::new();
    for path in paths {
        let failed = |error: String| Failure::Failed(format!("{}: cannot read: {error}", path.display()));
        let metadata = path.metadata().map_err(|error| failed(error.to_string()))?;
        if metadata.is_dir() {
            programs_below(path, &mut programs).map_err(|error| failed(error.to_string()))?;
        } else {
            programs.push(path.clone());
        }
    }
    programs.sort();
    programs.dedup();
    Ok(programs)
}

/// Collects all programs below a folder. Links to folders are not followed.
fn programs_below(folder: &Path, programs: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if is_program(&path) {
                programs.push(path);
            }
        }
    }
    Ok(())
}

fn is_program(path: &Path) -> bool {
    is_host_program(path) || path.extension().is_some_and(|ending| ending == "fut")
}

fn test_all(
    programs: &[PathBuf],
    arguments: &TestArguments,
    itself: &[OsString],
) -> Result<Vec<Outcome>, Failure> {
    let jobs = arguments.jobs.map_or_else(available_cores, usize::from).min(programs.len()).max(1);
    let mut words = vec!["test".to_string(), "--worker".to_string()];
    if arguments.errors == Errors::Kind {
        words.push("--errors=kind".to_string());
    }
    words.extend(arguments.heap.map(|steps| format!("--heap={steps}")));
    words.push(format!("--seed={}", arguments.seed));
    words.extend(arguments.compile.words());
    words.extend(arguments.run.words(default_limit() / jobs as u64));
    words.extend(arguments.cache.cache.as_ref().map(|folder| format!("--cache={}", folder.display())));
    let command = process::TestCommand { itself, words, timeout: Duration::from_secs(arguments.timeout) };
    let queue: Mutex<VecDeque<&PathBuf>> = Mutex::new(programs.iter().collect());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let progress = Progress::steps(programs.len());
    let quiet = arguments.json.as_deref() == Some(Path::new("-"));
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, command, next) = (sender.clone(), &command, &next);
            scope.spawn(move || {
                while let Some(program) = next() {
                    let mut outcome = command.test(program);
                    if !is_host_program(program) {
                        outcome.kind = worker::kind(program);
                    }
                    // The receiver is gone only after printing has failed.
                    let _ = sender.send(outcome);
                }
            });
        }
        drop(sender);
        let mut outcomes = Vec::new();
        for outcome in receiver {
            progress.step();
            if !quiet && (arguments.verbose || outcome.status != Status::Passed) {
                progress.print_line(&outcome.line())?;
            }
            if !quiet && arguments.verbose {
                outcome.cases.iter().try_for_each(|case| progress.print_line(&case.line()))?;
            }
            outcomes.push(outcome);
        }
        Ok(outcomes)
    })
}

impl Status {
    /// Returns the word for a line of output.
    fn word(self) -> &'static str {
        match self {
            Status::Passed => "passed",
            Status::Failed => "FAILED",
            Status::Unsupported => "skipped",
            Status::Crashed => "CRASHED",
            Status::Timeout => "TIMEOUT",
            Status::Internal => "INTERNAL ERROR",
        }
    }
}

impl Outcome {
    /// Formats a line of output.
    fn line(&self) -> String {
        let message = self.message.trim_end().replace('\n', "\n  ");
        format!("{}: {}: {message}", self.status.word(), self.program).trim_end_matches(": ").to_string()
    }
}

impl CaseOutcome {
    /// Formats a line of output, without the message, which is part of the program's line.
    fn line(&self) -> String {
        format!("  {}: {}: {}", self.status.word(), self.entry, self.case)
    }
}
