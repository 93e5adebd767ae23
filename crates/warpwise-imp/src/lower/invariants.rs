//! Hoisting of loop invariants in host code: operations with the same result in every iteration move before the loop.
//!
//! ```text
//! while i < k {                              bytes = mul 4 n
//!   bytes = mul 4 n                          while i < k {
//!   alloc ys_mem bytes               ==>       alloc ys_mem bytes
//!   launch map(n, ys_mem) over n               launch map(n, ys_mem) over n
//!   ... }                                      ... }
//! ```
//!
//! These are mostly sizes and conditions on them, because the lowering computes them where it needs them. Only scalar operations
//! that have a result for all operands are moved, so hoisting does no harm where an iteration would not have reached them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::op::{Block, Op};
use crate::traverse::for_each_op;
use crate::types::{Operand, Reg};

/// Moves invariant operations out of the loops of a host function with the parameters `params`.
pub(super) fn hoist(body: &mut Block, params: impl Iterator<Item = Reg>) {
    let mut assignments: FxHashMap<Reg, u32> = FxHashMap::default();
    let mut count = |reg| *assignments.entry(reg).or_default() += 1;
    params.for_each(&mut count);
    for_each_op(body, &mut |op| op.for_each_assigned(&mut count));
    let once = assignments.into_iter().filter(|(_, times)| *times == 1).map(|(reg, _)| reg).collect();
    hoist_from(body, &once);
}

/// Moves invariant operations out of the loops of a block, from the innermost loops outwards. Registers in `once` are assigned in
/// one place.
fn hoist_from(block: &mut Block, once: &FxHashSet<Reg>) {
    for mut op in std::mem::take(block) {
        op.blocks_mut().into_iter().flatten().for_each(|inside| hoist_from(inside, once));
        if matches!(op, Op::For { .. } | Op::While { .. }) {
            let mut varying = FxHashSet::default();
            for_each_op(std::slice::from_ref(&op), &mut |op| {
                op.for_each_assigned(|reg| {
                    varying.insert(reg);
                });
            });
            let mut invariants = Invariants { varying, once, moved: block };
            op.blocks_mut().into_iter().flatten().for_each(|inside| invariants.take_from(inside));
        }
        block.push(op);
    }
}

/// The search for invariant operations in a loop.
struct Invariants<'o> {
    /// Registers that the loop assigns, except by operations that have moved.
    varying: FxHashSet<Reg>,
    once: &'o FxHashSet<Reg>,
    /// Block before the loop, to which operations move.
    moved: &'o mut Block,
}

impl Invariants<'_> {
    /// Moves invariant operations out of a block in the loop, in the order of the text, so that operands move before their uses.
    fn take_from(&mut self, block: &mut Block) {
        for mut op in std::mem::take(block) {
            match self.assigned(&op) {
                Some(reg) => {
                    self.varying.remove(&reg);
                    self.moved.push(op);
                }
                None => {
                    op.blocks_mut().into_iter().flatten().for_each(|inside| self.take_from(inside));
                    block.push(op);
                }
            }
        }
    }

    /// Returns the register that an operation assigns, if the operation is invariant.
    fn assigned(&self, op: &Op) -> Option<Reg> {
        let (dst, is_total) = match op {
            Op::Move { dst, .. }
            | Op::Unary { dst, .. }
            | Op::Ternary { dst, .. }
            | Op::Compare { dst, .. }
            | Op::Convert { dst, .. }
            | Op::Select { dst, .. }
            | Op::Threads { dst } => (*dst, true),
            Op::Binary { dst, op, y, .. } => (*dst, !op.can_fail() || is_safe_divisor(*y)),
            crate::ops!(lane, access, SetMem, arena, control, Fail, flag, group)
            | Op::Alloc { .. }
            | Op::Release { .. }
            | Op::Launch(_)
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Tuned { .. }
            | Op::Call { .. } => return None,
        };
        let mut is_invariant = is_total && self.once.contains(&dst);
        op.for_each_operand(|operand| {
            is_invariant &= !matches!(operand, Operand::Reg(reg) if self.varying.contains(&reg));
        });
        is_invariant.then_some(dst)
    }
}

/// Returns whether division by this operand is always defined; powers with a positive exponent are defined as well.
fn is_safe_divisor(divisor: Operand) -> bool {
    matches!(divisor, Operand::Const(value) if value.as_int().is_some_and(|value| value > 0))
}
