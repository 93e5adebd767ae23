//! Makes programs smaller without changing what they compute, to a fixpoint.
//!
//! - constant folding and algebraic identities ([`fold`]), sums that cancel ([`sums`]), views of views, choices with a known
//!   outcome;
//! - copies and common subexpressions: of equal pure expressions in scope the first one stays, and the copy of an array that has
//!   no other use is replaced by that array ([`crate::uses`]);
//! - checks that provably hold disappear together with their certificates ([`facts`]);
//! - scalar work that does not depend on a loop or a SOAC moves out of it;
//! - unused code disappears, results of loops, choices and SOACs included ([`dead`]).
//!
//! ```text
//! a: i64 = add x 0;         b: i64 = mul x y;
//! b: i64 = mul a y;   ==>
//! c: i64 = mul y x;         (every `c` is `b`)
//! ```
//!
//! Float identities hold bit for bit (`x * 1`, not `x + 0`). Fresh arrays are never merged, because either may be overwritten.
//! Nothing that can fail moves out of a loop that may not run. No result leaves a body that can fail, because the checks that the
//! result stands for would disappear with it.

mod dead;
mod facts;
mod fold;
mod overwritten;
mod rewrite;
pub(crate) mod sums;

use warpwise_diag::Limit;
use warpwise_ir::Program;

/// Maximum number of rounds of rewriting and removing. Real programs settle in three or four.
const MAX_ROUNDS: usize = 12;

/// Simplifies every function.
pub fn simplify(program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        for _ in 0..MAX_ROUNDS {
            let rewritten = rewrite::rewrite(function);
            let removed = dead::remove_dead(function);
            if !rewritten && !removed {
                break;
            }
        }
    }
    Ok(())
}
