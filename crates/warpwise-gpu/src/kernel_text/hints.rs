//! Unroll factors of loops that CUDA's compiler would unroll too little.
//!
//! ```text
//! #pragma unroll 8
//! for (j = 0; j < n; j += 1) { ... distances, a root, a division ... }
//! ```
//!
//! The compiler's own choice depends on the size of a loop, most of which is code for special operands of roots and divisions,
//! and it does not unroll a loop as long as a step of a matrix product. Counting and computing addresses is a tenth to a fifth of
//! such an iteration.
//!
//! Only for loops that contain no loops, to which atomic operations often expand; long loops only if their number of iterations
//! is known. Not done here: short loops, which are left to the compiler.

use warpwise_imp::traverse::any_op;
use warpwise_imp::{Block, Op, Operand};
use warpwise_prim::Scalar;

use super::dialect::Dialect;
use super::strides::operations;

/// Unroll factor of loops, and the numbers of operations per iteration it applies to.
const SHORT: (i64, std::ops::RangeInclusive<usize>) = (8, 16..=64);

/// The same for loops with a known number of iterations.
const LONG: (i64, std::ops::RangeInclusive<usize>) = (4, 65..=512);

/// Returns the unroll factor of a loop, or `None` if it is left to the compiler.
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

/// Returns whether a block contains atomic operations.
fn combines(block: &Block) -> bool {
    any_op(block, &|op| matches!(op, Op::Atomic { .. }))
}

/// Returns whether an operation loads from memory.
fn loads(op: &Op) -> bool {
    matches!(op, Op::Load { .. })
}
