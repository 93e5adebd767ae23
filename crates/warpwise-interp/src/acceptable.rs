//! What a random program with checks that may fail (`warpwise_ir::generate`, feature `generate`) may come to.
//!
//! A check may go with a value that nothing needs. Whether something needs the value of a check is found out by changing it:
//! where all checks are left out and the program's results are the same whatever the value is, nothing does.

use warpwise_ir::generate::{Case, Checks, Options, generate};

use crate::{InterpError, Value, interpret};

/// What `main` comes to.
pub type Outcome = Result<Vec<Value>, InterpError>;

/// Checks that may go at most, one after the other.
const MOST: usize = 32;

/// Outcomes of a program, of which the first is that of the program as written, and each other one that of the program without
/// some checks that fail on values which nothing needs.
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
