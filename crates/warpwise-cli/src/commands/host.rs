//! Host programs (`.mc`), which `warpwise run` runs from the first definition to the last expression.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use warpwise_diag::{Diagnostic, Severity, Sources, render};
use warpwise_driver::host::accelerator::Accelerator;
use warpwise_driver::host::program::{Executable, Hooks, HostProgram, How, Mode};
use warpwise_driver::host::world::ProcessWorld;
use warpwise_driver::{CallError, Context};
use warpwise_mexpr::accelerate::Accepted;
use warpwise_mexpr::host::debug::Met;
use warpwise_mexpr::host::machine::TestOutcome;
use warpwise_mexpr::host::world::World;
use warpwise_runtime::execute as runtime;
use warpwise_runtime::memory::default_limit;

use crate::commands::run::cache_remark;
use crate::failure::{FAILED, Failure};
use crate::interrupt;
use crate::options::{CacheOptions, CompileOptions, RunOptions};
use crate::output::{Progress, colored, complain, must_be_open, say};
use crate::profile::Phases;
use crate::start;

/// How to run a host program.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Host programs (.mc)")]
pub struct HostOptions {
    /// Run everything sequentially on the host; `accelerate` has no effect
    #[arg(long, conflicts_with = "debug")]
    sequential: bool,
    /// Check accelerated expressions, then run everything sequentially on the host
    #[arg(long)]
    debug: bool,
    /// Fail if an accelerated expression meets a sequence whose elements differ in length, which costs time
    #[arg(long, conflicts_with = "sequential")]
    strict_regular: bool,
    /// Maximum rank of the tensors in accelerated expressions
    #[arg(long, value_name = "N", default_value_t = Accepted::default().dimensions as u64, value_parser = value_parser!(u64).range(1..=16))]
    tensor_max_rank: u64,
    /// Also run the tests (`utest`), and fail if one fails
    #[arg(long)]
    test: bool,
    /// Use the library in this folder, instead of the bundled one
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
}

impl HostOptions {
    fn how(&self) -> How {
        let accepted =
            Accepted { dimensions: self.tensor_max_rank as usize, irregular: !self.strict_regular };
        let mode = match (self.sequential, self.debug) {
            (true, _) => Mode::Sequential,
            (false, true) => Mode::Debug,
            (false, false) => Mode::Accelerated,
        };
        How { mode, accepted, tests: self.test }
    }
}

/// Returns whether a file's name says that it is a host program.
pub fn is_host_program(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "mc")
}

/// Fails if a file is a host program, which only `run`, `check`, `test` and `dev` take.
pub fn refuse_host_program(file: &Path) -> Result<(), Failure> {
    if !is_host_program(file) {
        return Ok(());
    }
    let message = "this is a host program: `warpwise run` runs it, and `warpwise test` its `utest`s";
    Err(Failure::Failed(format!("{}: {message}", file.display())))
}

/// A run of a host program.
pub struct HostRun<'a> {
    /// File of the program.
    pub file: &'a Path,
    /// Arguments of the program.
    pub arguments: &'a [String],
    /// Options for accelerated expressions, tests and the library.
    pub host: &'a HostOptions,
    /// Options that accelerated expressions are compiled with.
    pub compile: &'a CompileOptions,
    /// Cache of compiled code.
    pub cache: &'a CacheOptions,
    /// Threads and memory of accelerated expressions.
    pub run: &'a RunOptions,
    /// Whether to print where the time goes.
    pub profile: bool,
    /// Whether to print what the cache does.
    pub verbose: bool,
}

/// Checks and runs a host program.
pub fn run_host(run: &HostRun<'_>) -> Result<u8, Failure> {
    let mut phases = Phases::new(run.profile);
    let mut program = HostProgram::check(run.file, run.host.library.as_deref())?;
    let unused = program.take_unused();
    warn_of_unused(unused, program.sources());
    let options = run.compile.options();
    let prepared = program.prepare(run.host.how(), &options)?;
    phases.done("check");
    let (mut context, mut progress) = (None, None);
    let executable = prepared.compile(&options, run.cache.cache().as_ref(), || {
        let made = start::context(run.run, run.cache)?;
        progress = Some(Progress::of(format!("compiling {}", run.file.display())));
        Ok::<_, Failure>(context.insert(made).clone())
    });
    drop(progress);
    let mut executable = executable?;
    if let Some(accelerator) = executable.accelerator() {
        tell_how_compiled(run, accelerator, &mut phases);
    }
    let ended = execute(run, &mut executable, &mut phases);
    note_irregular(&executable);
    if let (Some(accelerator), Some(context)) = (executable.accelerator(), context) {
        if accelerator.was_interrupted() {
            return Err(Failure::Call(CallError::Run(runtime::RunError::Interrupted)));
        }
        tell_how_run(accelerator, &context, &phases);
    }
    ended
}

/// Prints what the cache did, and starts the profile.
fn tell_how_compiled(run: &HostRun<'_>, accelerator: &Accelerator, phases: &mut Phases) {
    if run.verbose {
        say(&cache_remark(accelerator.cached(), accelerator.not_kept()));
    }
    phases.done(if accelerator.cached() { "take from the cache" } else { "compile" });
    if run.profile {
        accelerator.program().start_profile();
    }
}

/// Prints where accelerated expressions spent their time.
fn tell_how_run(accelerator: &Accelerator, context: &Context, phases: &Phases) {
    phases.spent(&accelerator.program().profile());
    phases.marshaled(accelerator.marshaled());
    phases.memory(context.memory().statistics().peak_live);
    if let Some((statistics, traffic)) = accelerator.program().device_memory() {
        phases.device_memory(statistics, traffic);
    }
}

/// Prints the errors in unused definitions as warnings, since the program runs without these definitions.
fn warn_of_unused(wrong: Vec<Diagnostic>, sources: &Sources) {
    for mut warning in wrong {
        warning.severity = Severity::Warning;
        warning.hints.push("nothing uses this definition here, so the program runs without it".to_string());
        say(render(sources, &[warning], colored()).trim_end());
    }
}

/// Prints which accelerated expressions met irregular sequences, which costs time.
fn note_irregular(executable: &Executable) {
    for (place, Met { message, times, on_host }) in executable.irregular() {
        let how = if *on_host { "computed in order on the host" } else { "computed by slower code" };
        let calls = if *times == 1 { "1 call was".to_string() } else { format!("{times} calls were") };
        say(&format!("note: {place}: {calls} {how}: {message}"));
    }
}

/// Runs a program in this process, and returns the exit code.
fn execute(how: &HostRun<'_>, executable: &mut Executable, phases: &mut Phases) -> Result<u8, Failure> {
    let name = how.file.display().to_string();
    let arguments = how.arguments.iter().map(|argument| argument.trim_start().to_string());
    let arguments = std::iter::once(name).chain(arguments).collect();
    let memory_limit = how.run.memory_limit.unwrap_or_else(default_limit);
    let mut world = ProcessWorld::new(arguments, memory_limit);
    if executable.accelerates() {
        world = world.accelerating(&how.compile.options());
    }
    if must_be_open().is_err() {
        world = world.without_output();
    }
    let mut report = |sources: &Sources, TestOutcome { span, failure }: TestOutcome| {
        if let Some(message) = failure {
            say(&format!("{}: a test failed", sources.describe(span)));
            message.lines().for_each(|line| say(&format!("  {line}")));
        }
    };
    let hooks = Hooks { report: &mut report, around: &mut |call| interrupt::stoppable(call) };
    let outcome = executable.run(&mut world, hooks);
    let flushed = world.flush();
    phases.done("run");
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return Ok(complain(&executable.describe(&error), FAILED)),
    };
    if let Err(why) = flushed {
        return Ok(complain(&format!("cannot write to standard output: {why}"), FAILED));
    }
    if how.host.test {
        let total = outcome.passed + outcome.failed;
        say(&format!("{} of {total} tests passed", outcome.passed));
    }
    match outcome.exit {
        Some(code) => Ok(code as u8),
        None => Ok(if outcome.failed > 0 { FAILED } else { 0 }),
    }
}
