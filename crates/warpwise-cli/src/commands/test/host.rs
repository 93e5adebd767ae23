//! The test of one host program: the program runs from its first definition to its last expression, with its `utest`s.
//!
//! Each `utest` that is reached is a case, named by its place; if it runs several times, its first failure counts. What the program
//! prints is discarded, and its input is empty. A program without `utest`s is only compiled, since it may wait for input or run
//! forever.

use std::collections::BTreeMap;
use std::path::Path;

use warpwise_diag::{Sources, Span};
use warpwise_driver::Context;
use warpwise_driver::host::accelerator::AccelerateError;
use warpwise_driver::host::program::{Executable, Hooks, HostProgram, How};
use warpwise_driver::host::world::ProcessWorld;
use warpwise_mexpr::host::machine::TestOutcome;
use warpwise_runtime::memory::default_limit;

use super::summary::Kind;
use super::worker::{Tested, Trouble, failed, not_built, not_loaded};
use super::{CaseOutcome, Status, TestArguments};
use crate::interrupt;

/// Entry point in the names of cases.
const ENTRY: &str = "utest";

/// Compiles and runs a host program.
pub fn test(path: &Path, arguments: &TestArguments, context: &Context) -> Tested {
    let program = match HostProgram::check(path, None) {
        Ok(program) => program,
        Err(error) => return Tested::only(not_built(&error)),
    };
    let kind = if program.has_tests() { Kind::Run } else { Kind::Compile };
    let troubles = match compile(program, arguments, context) {
        Err(trouble) => vec![trouble],
        Ok(_) if kind == Kind::Compile => Vec::new(),
        Ok(executable) => {
            let (cases, ended) = run(executable, path, arguments);
            let mut troubles: Vec<Trouble> = cases.iter().filter_map(CaseOutcome::trouble).collect();
            troubles.extend(ended.err());
            return Tested { troubles, cases, kind, ..Tested::default() };
        }
    };
    Tested { troubles, kind, ..Tested::default() }
}

fn compile(
    program: HostProgram,
    arguments: &TestArguments,
    context: &Context,
) -> Result<Executable, Trouble> {
    let options = arguments.compile.options();
    let how = How { tests: true, ..How::default() };
    let prepared = program.prepare(how, &options).map_err(|error| not_built(&error))?;
    let cache = arguments.cache.named_cache();
    let made = prepared.compile(&options, cache.as_ref(), || Ok::<_, AccelerateError>(context.clone()));
    made.map_err(|error| match error {
        AccelerateError::Build(error) => not_built(&error),
        AccelerateError::Load(error) => not_loaded(&error),
    })
}

/// Runs a program; returns its cases, and a failure that is not one of a case.
fn run(
    mut executable: Executable,
    path: &Path,
    arguments: &TestArguments,
) -> (Vec<CaseOutcome>, Result<(), Trouble>) {
    let memory_limit = arguments.run.memory_limit.unwrap_or_else(default_limit);
    let mut world = ProcessWorld::new(vec![path.display().to_string()], memory_limit).without_streams();
    if executable.accelerates() {
        world = world.accelerating(&arguments.compile.options());
    }
    let mut reached: BTreeMap<(u32, u32), CaseOutcome> = BTreeMap::new();
    let mut report = |sources: &Sources, TestOutcome { span, failure }: TestOutcome| {
        let case = reached.entry((span.file.0, span.start)).or_insert_with(|| passed(sources, span));
        if let (Some(message), Status::Passed) = (failure, case.status) {
            (case.status, case.message) = (Status::Failed, message);
        }
    };
    let hooks = Hooks { report: &mut report, around: &mut |call| interrupt::stoppable(call) };
    let ended = match executable.run(&mut world, hooks) {
        Err(error) => Err(failed(executable.describe(&error))),
        Ok(outcome) => match outcome.exit {
            Some(code) if code != 0 => Err(failed(format!("the program ended with exit code {code}"))),
            Some(_) | None => Ok(()),
        },
    };
    (reached.into_values().collect(), ended)
}

fn passed(sources: &Sources, span: Span) -> CaseOutcome {
    let (entry, case) = (ENTRY.to_string(), sources.describe(span));
    let line = sources.position(span.file, span.start).line;
    CaseOutcome { entry, case, line, status: Status::Passed, message: String::new() }
}
