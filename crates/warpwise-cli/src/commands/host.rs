//! Host programs (`.mc`): `warpwise run` runs them from the first definition to the last expression.

use std::path::{Path, PathBuf};

use clap::Args;
use warpwise_diag::{Limit, Sources};
use warpwise_driver::build::BuildError;
use warpwise_driver::host_files::check_host;
use warpwise_driver::host_world::ProcessWorld;
use warpwise_mexpr::accelerate::split;
use warpwise_mexpr::compile::Checked;
use warpwise_mexpr::host::compile::{Options, compile};
use warpwise_mexpr::host::machine::{Call, FailedTest, RunError, run};
use warpwise_mexpr::tree::{Expr, ExprKind};

use crate::failure::{FAILED, Failure};
use crate::output::{complain, say};

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
    /// Run the tests (`utest`) too, and fail if one fails
    #[arg(long)]
    test: bool,
    /// Take the library from this folder, instead of the one that comes with the compiler
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
}

/// Whether a file's name says that it is a host program.
pub fn is_host_program(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "mc")
}

/// Checks and runs a host program.
pub fn run_host(file: &Path, arguments: &[String], options: &HostOptions) -> Result<u8, Failure> {
    let (checked, sources) = check_host(file, options.library.as_deref())?;
    if !options.sequential {
        check_acceleration(&checked, &sources, options.debug)?;
    }
    let code = compile(&checked, Options { tests: options.test });
    let name = file.display().to_string();
    let words =
        std::iter::once(name).chain(arguments.iter().map(|argument| argument.trim_start().to_string()));
    let mut world = ProcessWorld::new(words.collect());
    let mut report = |test: FailedTest| {
        say(&format!("{}: a test failed", sources.describe(test.span)));
        test.message.lines().for_each(|line| say(&format!("  {line}")));
    };
    let outcome = run(&code, &mut world, &mut report);
    drop(world);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return Ok(complain(&describe(&error, &sources), FAILED)),
    };
    if options.test {
        let total = outcome.passed + outcome.failed;
        say(&format!("{} of {total} tests passed", outcome.passed));
    }
    match outcome.exit {
        Some(code) => Ok(code as u8),
        None => Ok(if outcome.failed > 0 { FAILED } else { 0 }),
    }
}

/// Reports what is wrong with what is accelerated. It cannot run on a device yet, which only debugging does not need.
fn check_acceleration(checked: &Checked, sources: &Sources, debug: bool) -> Result<(), Failure> {
    let accelerates = |expr: &Expr| matches!(expr.kind, ExprKind::Accelerate(_));
    let Some(found) = checked.program.find(&accelerates) else { return Ok(()) };
    let fail = |failure| BuildError::Failure { failure, sources: sources.clone() };
    split(checked.clone()).map_err(fail)?;
    if debug {
        return Ok(());
    }
    let message = "`accelerate`; with --sequential or --debug it runs in order on the host".to_string();
    Err(fail(Limit { message, span: found.span }.into()).into())
}

/// A failed run as text: what, where, and the calls that led there.
fn describe(error: &RunError, sources: &Sources) -> String {
    let mut text = format!("{}: {}", sources.describe(error.span), error.message);
    for call in &error.calls {
        text.push_str(&match call {
            Call::In(name, span) => format!("\n  in {name}, at {}", sources.describe(*span)),
            Call::More(number) => format!("\n  ... {number} more calls ..."),
        });
    }
    text
}
