//! What a pass is, and how a list of them runs: the verifier after every one, blaming it by name.

use std::time::{Duration, Instant};

use warpwise_diag::{Bug, Failure, Limit};
use warpwise_ir::verify::{Level, verify};
use warpwise_ir::{Body, Function, Program};

/// A pass: plain data. Its name is the command-line flag, the test header and the timing key.
#[derive(Clone, Copy)]
pub struct Pass {
    /// A verb.
    pub name: &'static str,
    /// One line for `--help`.
    pub about: &'static str,
    /// The least level it works on.
    pub needs: Level,
    /// The level it leaves; `None` where that is the level it found.
    pub gives: Option<Level>,
    /// What it does. On valid programs it cannot fail but for a known limit.
    pub run: fn(&mut Program) -> Result<(), Limit>,
}

/// How long a pass took.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The pass.
    pub pass: &'static str,
    /// The pass itself.
    pub run: Duration,
    /// The verifier after it.
    pub verify: Duration,
}

/// Runs passes in order on a program of this level. `observe` sees the program after every pass.
pub fn run_passes(
    passes: &[Pass],
    program: &mut Program,
    mut level: Level,
    mut observe: impl FnMut(&Pass, &Program, Timing),
) -> Result<Level, Failure> {
    for pass in passes {
        let start = Instant::now();
        (pass.run)(program)?;
        let ran = start.elapsed();
        level = pass.gives.unwrap_or(level);
        check(pass.name, program, level)?;
        let verify = start.elapsed() - ran;
        observe(pass, program, Timing { pass: pass.name, run: ran, verify });
    }
    Ok(level)
}

/// Verifies a program, blaming whoever made it.
pub fn check(made_by: &str, program: &Program, level: Level) -> Result<(), Bug> {
    verify(program, level).map_err(|errors| {
        let message = errors.iter().map(|error| error.to_string()).collect::<Vec<_>>().join("\n");
        Bug { pass: made_by.to_string(), message, ir: program.to_string() }
    })
}

/// Rewrites the body of every function. It is taken out of the function meanwhile, which makes the new names.
pub fn rewrite_bodies(program: &mut Program, mut rewrite: impl FnMut(&mut Function, &mut Body)) {
    for function in program.functions.values_mut() {
        let mut body = std::mem::take(&mut function.body);
        rewrite(function, &mut body);
        function.body = body;
    }
}
