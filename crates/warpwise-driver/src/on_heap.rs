//! Runs of programs of level `mem` on the interpreter's heap, after `place` and after every later pass.
//!
//! Each array must lie where its placement says, iterations must not race (papers/002, Figure 10), and the results must equal
//! those of compiled code.

use warpwise_diag::render_failure;
use warpwise_interp::interpret_on_heap_within;
use warpwise_ir::Program as CoreProgram;
use warpwise_ir::verify::Level;
use warpwise_runtime::array::Value;
use warpwise_runtime::compare::{Tolerance, compare};
use warpwise_runtime::memory::MemoryPool;

use crate::build::Core;
use crate::compiler::{self, Options};
use crate::interpreted::interpreted_results;

/// A program after each pass that places arrays or changes where they lie.
pub struct OnHeap {
    core: Core,
    /// Programs after the passes, with the passes' names.
    stages: Vec<(&'static str, CoreProgram)>,
}

impl OnHeap {
    /// Computes the stages of a program that comes from a front end.
    pub fn new(mut core: Core, options: &Options) -> Result<OnHeap, String> {
        let mut stages = Vec::new();
        let optimised = compiler::optimise(&mut core.program, options, |pass, program, _| {
            if pass.gives == Some(Level::Mem) || !stages.is_empty() {
                stages.push((pass.name, program.clone()));
            }
        });
        optimised.map_err(|failure| render_failure(&core.sources, &failure, false))?;
        Ok(OnHeap { core, stages })
    }

    /// Runs every stage, each for at most `steps` steps. A stage that takes longer ends the check. `expected` are the results of
    /// compiled code; `None` if it failed.
    pub fn check(
        &self,
        entry: &str,
        arguments: &[Value],
        expected: Option<&[Value]>,
        memory: &MemoryPool,
        steps: u64,
    ) -> Result<(), String> {
        for (pass, program) in &self.stages {
            let results =
                interpreted_results(program, &self.core.sources, entry, arguments, memory, |id, args| {
                    interpret_on_heap_within(program, id, args, steps)
                });
            match (results, expected) {
                (None, _) => return Ok(()),
                (Some(Ok(results)), Some(expected)) => {
                    compare(&results, expected, Tolerance::TestBlock)
                        .map_err(|difference| format!("on a heap after `{pass}`: {difference}"))?;
                }
                (Some(Ok(_)), None) => {
                    return Err(format!("on a heap after `{pass}`: there is no failure"));
                }
                (Some(Err(message)), Some(_)) => return Err(format!("on a heap after `{pass}`: {message}")),
                (Some(Err(_)), None) => {}
            }
        }
        Ok(())
    }
}
