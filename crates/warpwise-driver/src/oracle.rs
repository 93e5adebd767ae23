//! The results of a program by the reference interpreter, for tests to compare with.
//!
//! The interpreter takes about a thousand times as long as compiled code. A run of more steps than allowed, usually
//! [`INTERPRETED_STEPS`], falls back to code compiled without fusion, specialisation and vectors. That answer is right unless both
//! compilations make the same mistake.

use std::cell::OnceCell;

use warpwise_diag::{Failure, render_failure};
use warpwise_interp::interpret_within;
use warpwise_ir::Program as CoreProgram;
use warpwise_ir::verify::Level;
use warpwise_opt::pass::run_passes;
use warpwise_opt::pipelines;
use warpwise_runtime::array::Value;
use warpwise_runtime::execute::RunError;

use crate::build::Core;
use crate::compiler::{Options, compile_unfused};
use crate::interpreted::interpreted_results;
use crate::program::{CallError, Context, Program};

/// Maximum number of steps of the interpreter: a few seconds.
pub const INTERPRETED_STEPS: u64 = 1 << 24;

/// A program that computes the expected results.
pub struct Oracle {
    core: Core,
    /// Unfused compiled program, made when the interpreter first takes too long.
    compiled: OnceCell<Result<Program, String>>,
}

/// The reason why there are no results to compare with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoAnswer {
    /// The run fails, for this reason with its place, or cannot be done.
    Fails(String),
    /// The run needs more memory than there is: unfused code may need many times as much.
    TooLarge(String),
}

impl Oracle {
    /// Creates an oracle for a program that comes from a front end.
    pub fn new(mut core: Core, options: &Options) -> Result<Oracle, String> {
        prepare(&mut core.program, options)
            .map_err(|failure| render_failure(&core.sources, &failure, false))?;
        Ok(Oracle { core, compiled: OnceCell::new() })
    }

    /// Returns the results of an entry point. The arguments may be overwritten.
    pub fn results(
        &self,
        entry: &str,
        arguments: Vec<Value>,
        context: &Context,
        steps: u64,
    ) -> Result<Vec<Value>, NoAnswer> {
        let Core { program, sources, .. } = &self.core;
        match interpreted_results(program, sources, entry, &arguments, context.memory(), |id, args| {
            interpret_within(program, id, args, steps)
        }) {
            Some(results) => results.map_err(NoAnswer::Fails),
            None => self.run(entry, arguments, context),
        }
    }

    fn run(&self, entry: &str, arguments: Vec<Value>, context: &Context) -> Result<Vec<Value>, NoAnswer> {
        let program = self.compiled.get_or_init(|| {
            let mut program = self.core.program.clone();
            let compiled = compile_unfused(&mut program, &self.core.sources)
                .map_err(|failure| render_failure(&self.core.sources, &failure, false))?;
            compiled.load(context).map_err(|error| error.to_string())
        });
        let program = program.as_ref().map_err(|message| NoAnswer::Fails(message.clone()))?;
        program.call(entry, arguments).map_err(|error| match error {
            error @ CallError::Run(RunError::OutOfMemory { .. }) => NoAnswer::TooLarge(error.to_string()),
            CallError::Run(_) | CallError::NoEntry(..) | CallError::Argument(_) => {
                NoAnswer::Fails(error.to_string())
            }
        })
    }
}

/// Brings a core program into the form that is interpreted: with fused multiply-adds where compiled code has them (SEMANTICS,
/// "Numbers"), unless every operation must be rounded separately.
fn prepare(program: &mut CoreProgram, options: &Options) -> Result<(), Failure> {
    if options.strict_fp {
        return Ok(());
    }
    run_passes(pipelines::REFERENCE, program, Level::Soac, |_, _, _| {}).map(|_| ())
}
