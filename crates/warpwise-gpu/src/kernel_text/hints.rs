//! Pragmas before loops, for the devices' compilers.
//!
//! ```text
//! #pragma unroll 8
//! for (j = 0; j < n; j += 1) { ... distances, a root, a division ... }
//! ```
//!
//! CUDA's compiler would unroll too little. It decides by the size of a loop, and most of that size is code for special operands
//! of roots and divisions. It does not unroll a loop as long as a step of a matrix product, although counting and computing
//! addresses takes a tenth to a fifth of such an iteration. Only loops that contain no loops are unrolled (atomic operations often
//! become loops), and long ones only if their number of iterations is known. Short loops are left to the compiler.
//!
//! PoCL 3.1 must not vectorise the loops of a work-item in a work-group. It does so before it makes a loop over the work-items,
//! and in kernels with several such loops the work-items then see elements as they were before the last barrier. Seen on
//! processors with AVX-512, whose gathers and scatters make it vectorise loops with strides. Elsewhere the pragma changes nothing:
//! other compilers for OpenCL, if they vectorise, do so across work-items.

use warpwise_imp::traverse::any_op;
use warpwise_imp::{Block, Kernel, Op, Operand};
use warpwise_prim::Scalar;

use super::dialect::Dialect;
use super::strides::operations;

/// The pragma for loops that must stay as they are.
const NOT_VECTORISED: &str = "#pragma clang loop vectorize(disable) interleave(disable)";

/// Unroll factor of loops, and the numbers of operations per iteration it applies to.
const SHORT: (i64, std::ops::RangeInclusive<usize>) = (8, 16..=64);

/// The same for loops with a known number of iterations.
const LONG: (i64, std::ops::RangeInclusive<usize>) = (4, 65..=512);

/// Returns the pragma that a counting loop needs, if it needs one.
pub(super) fn pragma(
    dialect: Dialect,
    kernel: &Kernel,
    bounds: (Operand, Operand, i64),
    body: &Block,
) -> Option<String> {
    match dialect {
        Dialect::OpenCl => {
            let is_innermost = operations(body).is_some();
            (kernel.group.is_some() && is_innermost).then(|| NOT_VECTORISED.to_string())
        }
        Dialect::Cuda => unroll_factor(bounds, body).map(|factor| format!("#pragma unroll {factor}")),
    }
}

/// Returns the unroll factor of a loop, or `None` if it is left to the compiler.
fn unroll_factor((from, to, step): (Operand, Operand, i64), body: &Block) -> Option<i64> {
    if !body.iter().any(loads) || combines(body) {
        return None;
    }
    let operations = operations(body)?;
    let known = match (from, to) {
        (Operand::Const(Scalar::I64(from)), Operand::Const(Scalar::I64(to))) => Some((to - from) / step),
        _ => None,
    };
    let (factor, sizes) = if known.is_some() { LONG } else { SHORT };
    let divides = known.is_none_or(|known| known % factor == 0);
    (sizes.contains(&operations) && divides).then_some(factor)
}

/// Returns whether a block contains atomic operations.
fn combines(block: &Block) -> bool {
    any_op(block, &|op| matches!(op, Op::Atomic { .. }))
}

/// Returns whether an operation loads from memory.
fn loads(op: &Op) -> bool {
    matches!(op, Op::Load { .. })
}
