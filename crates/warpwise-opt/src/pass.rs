//! Defines passes and runs lists of them. The verifier runs after every pass and blames it by name.

use std::time::{Duration, Instant};

use warpwise_diag::{Bug, Failure, Limit};
use warpwise_ir::verify::{Level, verify};
use warpwise_ir::{Body, Expr, Function, Program, SegOp, Stm};

/// A pass: plain data. Its name is the command-line flag, the test header and the timing key.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Name of the pass, a verb.
    pub name: &'static str,
    /// One line for `--help`.
    pub about: &'static str,
    /// Lowest level that the pass works on.
    pub needs: Level,
    /// Level of the program after the pass; `None` if the pass does not change the level.
    pub gives: Option<Level>,
    /// Function that runs the pass. On valid programs it fails only with a known limit.
    pub run: fn(&mut Program) -> Result<(), Limit>,
}

/// Elapsed time of one pass.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Name of the pass.
    pub pass: &'static str,
    /// Time in the pass itself.
    pub run: Duration,
    /// Time in the verifier after the pass.
    pub verify: Duration,
}

/// Runs passes in order on a program of the given level. `observe` sees the program after every pass.
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

/// Verifies a program and blames `made_by` for errors.
pub fn check(made_by: &str, program: &Program, level: Level) -> Result<(), Bug> {
    verify(program, level).map_err(|errors| {
        let message = errors.iter().map(|error| error.to_string()).collect::<Vec<_>>().join("\n");
        Bug { pass: made_by.to_string(), message, ir: program.to_string() }
    })
}

/// Rewrites the body of every function. The body is taken out of the function meanwhile, so that `rewrite` can create names with
/// the function.
pub fn rewrite_bodies(program: &mut Program, mut rewrite: impl FnMut(&mut Function, &mut Body)) {
    for function in program.functions.values_mut() {
        let mut body = std::mem::take(&mut function.body);
        rewrite(function, &mut body);
        function.body = body;
    }
}

/// Replaces statements with segmented operations in host code, at any depth; `replacement` returns `None` to keep one.
pub fn replace_operations(
    program: &mut Program,
    replacement: impl Fn(&mut Function, &Stm, &SegOp) -> Option<Vec<Stm>>,
) {
    rewrite_bodies(program, |function, body| replace_in(function, body, &replacement));
}

fn replace_in(
    function: &mut Function,
    body: &mut Body,
    replacement: &impl Fn(&mut Function, &Stm, &SegOp) -> Option<Vec<Stm>>,
) {
    for mut stm in std::mem::take(&mut body.stms) {
        if let Expr::Seg(op) = &stm.expr {
            match replacement(function, &stm, op) {
                Some(stms) => body.stms.extend(stms),
                None => body.stms.push(stm),
            }
        } else {
            stm.expr.for_each_body_mut(|body| replace_in(function, body, replacement));
            body.stms.push(stm);
        }
    }
}

#[cfg(test)]
mod tests {
    use warpwise_diag::Sources;
    use warpwise_ir::parse::parse;

    use super::*;

    /// Removes the last statement of every body, although other code uses its results.
    fn forget_last(program: &mut Program) -> Result<(), Limit> {
        rewrite_bodies(program, |_, body| drop(body.stms.pop()));
        Ok(())
    }

    #[test]
    fn a_pass_that_breaks_a_program_is_blamed() {
        const BROKEN: Pass =
            Pass { name: "forget", about: "", needs: Level::Soac, gives: None, run: forget_last };
        let text = "fun f(x: i32) -> (y: i32) { y: i32 = add x x; return y }";
        let mut sources = Sources::new();
        let file = sources.add("test".to_string(), text.to_string());
        let mut program = parse(text, file).expect("the program parses");
        let mut observed = 0;
        let stopped = run_passes(&[BROKEN, BROKEN], &mut program, Level::Soac, |_, _, _| observed += 1);
        let Err(Failure::Bug(bug)) = stopped else { panic!("nobody noticed") };
        assert_eq!((bug.pass.as_str(), observed), ("forget", 0));
        assert!(bug.message.contains("is used before it is bound"), "{}", bug.message);
        assert!(bug.ir.contains("fun f(x: i32)") && !bug.ir.contains("add"), "{}", bug.ir);
    }
}
