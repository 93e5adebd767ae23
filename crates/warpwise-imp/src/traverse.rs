//! Traversals of operations: the operands they read, the registers they assign and the blocks they contain.

use crate::op::{Block, Op};
use crate::ops;
use crate::program::LaunchedArray;
use crate::types::{Operand, Reg};

/// Calls `visit` with the operations of a block and those nested inside them, in the order of the text.
pub fn for_each_op<'b>(block: &'b [Op], visit: &mut impl FnMut(&'b Op)) {
    for op in block {
        visit(op);
        op.blocks().into_iter().flatten().for_each(|inside| for_each_op(inside, visit));
    }
}

/// Returns the depth to which blocks nest in a block: 0 if there are none.
pub fn nesting(block: &[Op]) -> usize {
    let inside = block.iter().flat_map(|op| op.blocks().into_iter().flatten());
    inside.map(|block| 1 + nesting(block)).max().unwrap_or(0)
}

/// Returns whether `is_such` holds for an operation of a block or one nested inside it.
pub fn any_op(block: &[Op], is_such: &impl Fn(&Op) -> bool) -> bool {
    block
        .iter()
        .any(|op| is_such(op) || op.blocks().into_iter().flatten().any(|inside| any_op(inside, is_such)))
}

impl Op {
    /// Returns the blocks inside the operation.
    pub fn blocks(&self) -> [Option<&Block>; 2] {
        match self {
            Op::If { then_block, else_block, .. } => [Some(then_block), Some(else_block)],
            Op::While { test, body, .. } => [Some(test), Some(body)],
            Op::For { body, .. } | Op::Scope { body, .. } | Op::Locked { body, .. } => [Some(body), None],
            ops!(
                value, lane, access, SetMem, arena, Leave, Fail, flag, Barrier, Ticket, Publish, Await, host
            ) => [None, None],
        }
    }

    /// Returns the blocks inside the operation, mutably.
    pub fn blocks_mut(&mut self) -> [Option<&mut Block>; 2] {
        match self {
            Op::If { then_block, else_block, .. } => [Some(then_block), Some(else_block)],
            Op::While { test, body, .. } => [Some(test), Some(body)],
            Op::For { body, .. } | Op::Scope { body, .. } | Op::Locked { body, .. } => [Some(body), None],
            ops!(
                value, lane, access, SetMem, arena, Leave, Fail, flag, Barrier, Ticket, Publish, Await, host
            ) => [None, None],
        }
    }

    /// Calls `visit` with the registers that the operation itself assigns, without those that its blocks assign.
    pub fn for_each_assigned(&self, mut visit: impl FnMut(Reg)) {
        match self {
            Op::Move { dst, .. }
            | Op::Unary { dst, .. }
            | Op::Binary { dst, .. }
            | Op::Ternary { dst, .. }
            | Op::Compare { dst, .. }
            | Op::Convert { dst, .. }
            | Op::Select { dst, .. }
            | Op::LaneIds { dst }
            | Op::Extract { dst, .. }
            | Op::Insert { dst, .. }
            | Op::Shuffle { dst, .. }
            | Op::Any { dst, .. }
            | Op::All { dst, .. }
            | Op::Count { dst, .. }
            | Op::First { dst, .. }
            | Op::Load { dst, .. }
            | Op::ArenaMark { dst }
            | Op::For { index: dst, .. }
            | Op::Ticket { dst, .. }
            | Op::Await { dst, .. }
            | Op::Tuned { dst, .. }
            | Op::Threads { dst } => visit(*dst),
            Op::Call { results: dsts, .. } => dsts.iter().copied().for_each(visit),
            Op::Store { .. }
            | Op::Claim { .. }
            | Op::CompressStore { .. }
            | Op::Atomic { .. }
            | Op::SetMem { .. }
            | Op::ArenaAlloc { .. }
            | Op::ArenaReset { .. }
            | Op::If { .. }
            | Op::While { .. }
            | Op::Scope { .. }
            | Op::Leave { .. }
            | Op::Fail { .. }
            | Op::WaitFlag { .. }
            | Op::SetFlag { .. }
            | Op::Barrier
            | Op::Publish { .. }
            | Op::Locked { .. }
            | Op::Alloc { .. }
            | Op::Release { .. }
            | Op::Launch(_)
            | Op::Copy { .. }
            | Op::Fill { .. } => {}
        }
    }

    /// Calls `visit` with the operands that the operation itself reads, without those that its blocks read. The condition of a
    /// loop is read after its test.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Operand)) {
        match self {
            Op::Move { x, .. }
            | Op::Unary { x, .. }
            | Op::Convert { x, .. }
            | Op::Any { mask: x, .. }
            | Op::All { mask: x, .. }
            | Op::Count { mask: x, .. }
            | Op::First { mask: x, .. }
            | Op::Claim { index: x, .. }
            | Op::ArenaAlloc { bytes: x, .. }
            | Op::ArenaReset { mark: x }
            | Op::If { cond: x, .. }
            | Op::While { cond: x, .. }
            | Op::WaitFlag { index: x, .. }
            | Op::SetFlag { index: x, .. }
            | Op::Ticket { index: x, .. }
            | Op::Await { index: x, .. }
            | Op::Locked { index: x, .. }
            | Op::Alloc { bytes: x, .. } => visit(*x),
            Op::Binary { x, y, .. }
            | Op::Compare { x, y, .. }
            | Op::Extract { x, lane: y, .. }
            | Op::Shuffle { x, y, .. }
            | Op::Publish { index: x, value: y, .. }
            | Op::For { from: x, to: y, .. } => [*x, *y].into_iter().for_each(visit),
            Op::Ternary { x, y, z, .. }
            | Op::Select { cond: x, x: y, y: z, .. }
            | Op::CompressStore { index: x, value: y, mask: z, .. }
            | Op::Fill { index: x, count: y, value: z, .. } => [*x, *y, *z].into_iter().for_each(visit),
            Op::Insert { dst, x, lane } => [Operand::Reg(*dst), *x, *lane].into_iter().for_each(visit),
            Op::Load { index, mask, ahead, .. } => {
                [Some(*index), *mask, *ahead].into_iter().flatten().for_each(visit);
            }
            Op::Store { index, value, mask, .. } | Op::Atomic { index, value, mask, .. } => {
                [Some(*index), Some(*value), *mask].into_iter().flatten().for_each(visit);
            }
            Op::Fail { iteration, values, .. } => {
                visit(*iteration);
                values.iter().copied().for_each(visit);
            }
            Op::Call { args: xs, .. } => xs.iter().copied().for_each(visit),
            Op::Launch(launch) => {
                launch.args.iter().chain([&launch.extent, &launch.cost]).copied().for_each(&mut visit);
                for LaunchedArray { shape, view, .. } in &launch.arrays {
                    shape.iter().chain(&view.strides).chain([&view.offset]).copied().for_each(&mut visit);
                }
            }
            Op::Copy { shape, dst, src, .. } => {
                shape.iter().copied().for_each(&mut visit);
                for view in [dst, src] {
                    visit(view.offset);
                    view.strides.iter().copied().for_each(&mut visit);
                }
            }
            Op::LaneIds { .. }
            | Op::SetMem { .. }
            | Op::ArenaMark { .. }
            | Op::Scope { .. }
            | Op::Leave { .. }
            | Op::Barrier
            | Op::Release { .. }
            | Op::Tuned { .. }
            | Op::Threads { .. } => {}
        }
    }
}
