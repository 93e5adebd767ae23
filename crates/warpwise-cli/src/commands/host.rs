//! Host programs (`.mc`): `warpwise run` runs them from the first definition to the last expression.

use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use warpwise_diag::{Diagnostic, Severity, Sources, render};
use warpwise_driver::CallError;
use warpwise_driver::host_device::{AccelerateError, Accelerator};
use warpwise_driver::host_files::check_host;
use warpwise_driver::host_lower::{lower_host, split_host};
use warpwise_driver::host_native::HostNative;
use warpwise_driver::host_world::ProcessWorld;
use warpwise_mexpr::accelerate::Accepted;
use warpwise_mexpr::compile::Checked;
use warpwise_mexpr::host::code::Code;
use warpwise_mexpr::host::compile::{Options, compile, compile_accelerated};
use warpwise_mexpr::host::debug::{Debugger, Irregular, Met};
use warpwise_mexpr::host::device::{Device, DeviceError, HostOnly};
use warpwise_mexpr::host::machine::{Call, FailedTest, RunError, run_native};
use warpwise_mexpr::host::value::Value;
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
    /// Run everything in order on the host: `accelerate` has no effect
    #[arg(long, conflicts_with = "debug")]
    sequential: bool,
    /// Check what is accelerated, then run everything in order on the host
    #[arg(long)]
    debug: bool,
    /// Fail where an accelerated expression meets a sequence of elements of different lengths, which cost time
    #[arg(long, conflicts_with = "sequential")]
    strict_regular: bool,
    /// The most dimensions of tensors that accelerated expressions take
    #[arg(long, value_name = "N", default_value_t = Accepted::default().dimensions as u64, value_parser = value_parser!(u64).range(1..=16))]
    tensor_max_rank: u64,
    /// Run the tests (`utest`) too, and fail if one fails
    #[arg(long)]
    test: bool,
    /// Take the library from this folder, instead of the one that comes with the compiler
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
}

impl HostOptions {
    fn accepted(&self) -> Accepted {
        Accepted { dimensions: self.tensor_max_rank as usize, irregular: !self.strict_regular }
    }
}

/// Whether a file's name says that it is a host program.
pub fn is_host_program(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "mc")
}

/// A host program to be run.
pub struct HostRun<'a> {
    /// The program.
    pub file: &'a Path,
    /// Its arguments.
    pub arguments: &'a [String],
    /// How to take what it accelerates.
    pub host: &'a HostOptions,
    /// How to compile that.
    pub compile: &'a CompileOptions,
    /// Where to keep what was compiled.
    pub cache: &'a CacheOptions,
    /// What to run that on.
    pub run: &'a RunOptions,
    /// Whether to say where the time goes.
    pub profile: bool,
    /// Whether to say what the cache does.
    pub verbose: bool,
}

/// Checks and runs a host program.
pub fn run_host(run: &HostRun<'_>) -> Result<u8, Failure> {
    let mut phases = Phases::new(run.profile);
    let (mut checked, sources) = check_host(run.file, run.host.library.as_deref())?;
    warn_of_unused(std::mem::take(&mut checked.unused), &sources);
    let options = Options { tests: run.host.test };
    if run.host.sequential {
        return execute_in_order(run, &checked, &sources, phases);
    }
    let split = split_host(checked.clone(), &sources)?;
    if split.entries.is_empty() && !run.host.debug {
        return execute_in_order(run, &checked, &sources, phases);
    }
    phases.done("check");
    let accepted = run.host.accepted();
    let code = compile_accelerated(&split.host, options, &split.entries);
    if run.host.debug {
        let mut debugger = Debugger::new(accepted);
        let ended = execute(run, &code, true, None, &mut debugger, &sources, phases);
        note_irregular(debugger.irregular(), &code, &sources);
        return ended;
    }
    let options = run.compile.options();
    let lowered = lower_host(split, &sources, &options, accepted)?;
    let native = HostNative::new(&code, &options, run.cache.cache().as_ref())?;
    let context = start::context(run.run, run.cache)?;
    let progress = Progress::of(format!("compiling {}", run.file.display()));
    let accelerator = Accelerator::new(lowered, &options, &context, run.cache.cache(), accepted);
    drop(progress);
    let mut device = Stoppable(accelerator.map_err(|error| match error {
        AccelerateError::Build(error) => error.into(),
        AccelerateError::Load(error) => Failure::Failed(error.to_string()),
    })?);
    if run.verbose {
        say(&cache_remark(device.0.cached(), device.0.not_kept()));
    }
    phases.done(if device.0.cached() { "take from the cache" } else { "compile" });
    if run.profile {
        device.0.program().start_profile();
    }
    let ended = execute(run, &code, true, native, &mut device, &sources, Phases::new(run.profile));
    let accelerator = device.0;
    note_irregular(accelerator.irregular(), &code, &sources);
    if accelerator.was_interrupted() {
        return Err(Failure::Call(CallError::Run(runtime::RunError::Interrupted)));
    }
    phases.spent(&accelerator.program().profile());
    phases.marshaled(accelerator.marshaled());
    phases.memory(context.memory().statistics().peak_live);
    if let Some((statistics, traffic)) = accelerator.program().device_memory() {
        phases.device_memory(statistics, traffic);
    }
    ended
}

/// Says what is wrong in definitions that the program does not use: it runs without them.
fn warn_of_unused(wrong: Vec<Diagnostic>, sources: &Sources) {
    for mut warning in wrong {
        warning.severity = Severity::Warning;
        warning.hints.push("nothing uses this definition here, so the program runs without it".to_string());
        say(render(sources, &[warning], colored()).trim_end());
    }
}

/// Says which accelerated expressions met irregular sequences, which costs time.
fn note_irregular(irregular: &Irregular, code: &Code, sources: &Sources) {
    for (number, Met { message, times, on_host }) in irregular {
        let place = sources.describe(code.accelerated[*number].span);
        let how = if *on_host { "computed in order on the host" } else { "slower than regular sequences" };
        say(&format!("note: {place}: {how} ({times} times): {message}"));
    }
}

/// Calls of accelerated expressions that Ctrl-C stops.
struct Stoppable(Accelerator);

impl Device for Stoppable {
    fn call(
        &mut self,
        code: &Code,
        world: &mut dyn World,
        number: usize,
        arguments: &[Value],
    ) -> Result<Option<Value>, DeviceError> {
        interrupt::stoppable(|| self.0.call(code, world, number, arguments))
    }
}

/// Runs a program as if it accelerated nothing.
fn execute_in_order(
    run: &HostRun<'_>,
    checked: &Checked,
    sources: &Sources,
    mut phases: Phases,
) -> Result<u8, Failure> {
    phases.done("check");
    let code = compile(checked, Options { tests: run.host.test });
    let native = HostNative::new(&code, &run.compile.options(), run.cache.cache().as_ref())?;
    execute(run, &code, checked.accelerates(), native, &mut HostOnly, sources, phases)
}

/// Runs code; gives the exit code.
fn execute(
    how: &HostRun<'_>,
    code: &Code,
    accelerates: bool,
    mut native: Option<HostNative>,
    device: &mut dyn Device,
    sources: &Sources,
    mut phases: Phases,
) -> Result<u8, Failure> {
    let name = how.file.display().to_string();
    let arguments = how.arguments.iter().map(|argument| argument.trim_start().to_string());
    let arguments = std::iter::once(name).chain(arguments).collect();
    let memory_limit = how.run.memory_limit.unwrap_or_else(default_limit);
    let mut world = ProcessWorld::new(arguments, memory_limit);
    if accelerates {
        world = world.accelerating(&how.compile.options());
    }
    if must_be_open().is_err() {
        world = world.without_output();
    }
    let mut report = |test: FailedTest| {
        say(&format!("{}: a test failed", sources.describe(test.span)));
        test.message.lines().for_each(|line| say(&format!("  {line}")));
    };
    let native = native.as_mut().map(HostNative::native);
    let outcome = run_native(code, native, &mut world, device, &mut report);
    let flushed = world.flush();
    phases.done("run");
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return Ok(complain(&describe(&error, sources), FAILED)),
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

/// A failed run as text: what, where, and the calls that led there.
fn describe(error: &RunError, sources: &Sources) -> String {
    let place = error.device_place.clone().unwrap_or_else(|| sources.describe(error.span));
    let mut text = format!("{place}: {}", error.message);
    for call in &error.calls {
        text.push_str(&match call {
            Call::In(name, span) => format!("\n  in {name}, at {}", sources.describe(*span)),
            Call::More(number) => format!("\n  ... {number} more calls ..."),
        });
    }
    text
}
