//! How many rounds of a loop are written out, where CUDA's compiler would write out fewer than pay.
//!
//! ```text
//! #pragma unroll 8
//! for (j = 0; j < n; j += 1) { ... distances, a root, a division ... }
//! ```
//!
//! By itself it writes out loops by their size, most of which is what happens for odd operands of roots and divisions, and
//! no loop as long as a step of a matrix product. Counting and finding addresses is a tenth to a fifth of such a round.
//!
//! Only loops whose rounds have no loops, as atomic operations often are; long ones only where they have a known number of
//! rounds. Not done here: short loops, which the compiler writes out as it sees fit.

use warpwise_imp::traverse::any_op;
use warpwise_imp::{Block, Op, Operand};
use warpwise_prim::Scalar;

use super::dialect::Dialect;
use super::strides::operations;

/// Rounds of a loop written out, with the operations of a round from which on and up to which they are.
const SHORT: (i64, std::ops::RangeInclusive<usize>) = (8, 16..=64);

/// The same for loops with a known number of rounds.
const LONG: (i64, std::ops::RangeInclusive<usize>) = (4, 65..=512);

/// How many rounds of a loop are written out, where that is not left to the compiler.
pub(super) fn rounds(
    dialect: Dialect,
    (from, to, step): (Operand, Operand, i64),
    body: &Block,
) -> Option<i64> {
    if dialect != Dialect::Cuda || !body.iter().any(loads) || combines(body) {
        return None;
    }
    let operations = operations(body)?;
    let known = match (from, to) {
        (Operand::Const(Scalar::I64(from)), Operand::Const(Scalar::I64(to))) => Some((to - from) / step),
        _ => None,
    };
    let (rounds, sizes) = if known.is_some() { LONG } else { SHORT };
    let divides = known.is_none_or(|known| known % rounds == 0);
    (sizes.contains(&operations) && divides).then_some(rounds)
}

/// Whether a block combines elements of memory.
fn combines(block: &Block) -> bool {
    any_op(block, &|op| matches!(op, Op::Atomic { .. }))
}

/// Whether an operation loads from memory.
fn loads(op: &Op) -> bool {
    matches!(op, Op::Load { .. })
}
