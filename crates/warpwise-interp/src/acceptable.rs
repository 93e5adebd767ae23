//! Acceptable outcomes of a random program with checks that may fail (`warpwise_ir::generate`, feature `generate`).
//!
//! An optimisation may remove a check together with a value that is not needed. Whether a check's value is needed is tested by
//! changing it: with all checks left out, the value is not needed if the program's results stay the same.

use warpwise_ir::generate::{Case, Checks, Options, generate};

use crate::{InterpError, Value, interpret};

/// The results of `main`, or its failure.
pub type Outcome = Result<Vec<Value>, InterpError>;

/// Maximum number of checks that are left out, one after the other.
const MOST: usize = 32;

/// Returns the acceptable outcomes of a program. The first is the outcome of the program as written. Each further one leaves out
/// one more failing check whose value is not needed.
pub fn acceptable(seed: u64, options: &Options, args: &[Value]) -> Vec<Outcome> {
    let come_to = |checks: Checks| {
        let Case { program, .. } = generate(seed, &Options { failing: Some(checks), ..options.clone() });
        let main = program.entry("main").expect("an entry point `main`");
        interpret(&program, main, args.to_vec())
    };
    let all_left_out = || Checks { none: true, ..Checks::default() };
    let mut without = Vec::new();
    let mut outcomes = Vec::new();
    while outcomes.len() <= MOST {
        let outcome = come_to(Checks { without: without.clone(), ..Checks::default() });
        let failing = match &outcome {
            Err(InterpError::Check { message, .. }) => Checks::number(message),
            Err(InterpError::Invalid { .. } | InterpError::OutOfSteps { .. }) | Ok(_) => None,
        };
        outcomes.push(outcome);
        let Some(number) = failing else { break };
        if come_to(all_left_out()) != come_to(Checks { changed: Some(number), ..all_left_out() }) {
            break;
        }
        without.push(number);
    }
    outcomes
}
