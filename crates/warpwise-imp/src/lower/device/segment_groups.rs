//! Reductions of segments by parts of work-groups: neighbouring work-items fold one segment, so that they load side by side.
//!
//! ```text
//! lane = item % width; segment = group * (size / width) + item / width
//! acc = neutral; for each element lane, lane + width, ... of the segment { acc = op(acc, element) }
//! fold the accumulators of the lanes through local memory; the first stores the total
//! ```
//!
//! The number of work-items of a segment is such that each folds a few elements, up to the whole group. Tiny segments are folded
//! by one work-item each, and few long ones are divided into blocks; the choice depends on the sizes alone.

use warpwise_ir::{Reduce, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, UnaryOp};
use warpwise_runtime::machine::Schedule;

use super::groups::SIZE;
use crate::lower::cost;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::{Built, Range};
use crate::lower::reduce::commutes;
use crate::op::Op;
use crate::types::{Operand, Reg};

/// Maximum number of elements of a segment that one work-item folds alone: neighbours then share cache lines.
const TINY: i64 = 16;

/// Minimum number of elements that each work-item of a segment folds, if the segment is long enough. With fewer, combining the
/// work-items' results takes longer than loading: on an H100, sums of rows of 100 take 0.42 ms with 8 work-items, 0.49 with 16.
const PER_ITEM: i64 = 8;

/// Minimum number of work-items of a segment.
const NARROWEST: i64 = 4;

/// Number of segments that keep a device busy with one group each.
const MANY_SEGMENTS: i64 = 1 << 11;

/// Maximum number of elements of a segment that one group folds even if there are few segments.
const SHORT: i64 = 1 << 11;

/// The sizes of a launch.
#[derive(Clone, Copy)]
struct Sizes {
    segments: Operand,
    extent: Operand,
    /// Number of work-items of a segment, a power of two, and its logarithm.
    width: Operand,
    log_width: Operand,
    /// Number of segments of a group.
    per_group: Operand,
}

impl<'a> Emitter<'a> {
    /// Launches a segmented reduction that work-groups can compute.
    pub fn segmented_reduce(&mut self, stm: &'a Stm, op: &'a SegOp, reduces: &'a [Reduce]) -> Lowered<()> {
        let (last, outer) = op.space.split_last().expect("a space has dimensions");
        let mut extents = Vec::new();
        for dim in outer {
            extents.push(self.uniform(dim.extent, stm.span)?);
        }
        let segments = self.code.product(extents);
        if segments == Operand::i64(1) {
            return self.group_reduce(stm, op, reduces);
        }
        let extent = self.uniform(last.extent, stm.span)?;
        let tiny = self.code.compare(CompareOp::SLe, extent, Operand::i64(TINY));
        let many = self.code.compare(CompareOp::SLe, Operand::i64(MANY_SEGMENTS), segments);
        let short = self.code.compare(CompareOp::SLe, extent, Operand::i64(SHORT));
        let by_parts = self.code.binary(BinaryOp::Or, many, short);
        let (then_block, whole) = self.block_of(|this| this.whole_segments(stm, op, segments, extent));
        let (else_block, (parts, blocks)) = self.block_of(|this| {
            let (parts_block, parts) =
                this.block_of(|this| this.launch_parts(stm, op, reduces, (segments, extent)));
            let (blocks_block, blocks) = this.block_of(|this| this.group_reduce(stm, op, reduces));
            this.code.emit(Op::If { cond: by_parts, then_block: parts_block, else_block: blocks_block });
            (parts, blocks)
        });
        self.code.emit(Op::If { cond: tiny, then_block, else_block });
        whole.and(parts).and(blocks)
    }

    /// Launches groups whose parts fold one segment each.
    fn launch_parts(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        (segments, extent): (Operand, Operand),
    ) -> Lowered<()> {
        let wanted = self.code.binary(BinaryOp::SQuot, extent, Operand::i64(PER_ITEM));
        let width = self.power_of_two(wanted, (NARROWEST, i64::from(SIZE)));
        let per_group = self.code.binary(BinaryOp::SQuot, Operand::i64(i64::from(SIZE)), width);
        let log_width = self.unary(UnaryOp::TrailingZeros, Value::Uniform(width));
        let log_width = self.vector(log_width);
        let sizes = Sizes { segments, extent, width, log_width, per_group };
        let built = self.build_parts(stm, op, reduces, &sizes)?;
        let before = self.code.sub(per_group, Operand::i64(1));
        let rounded = self.code.add(segments, before);
        let groups = self.code.binary(BinaryOp::UDiv, rounded, per_group);
        let mut cost = self.host_cost(&op.body);
        for lambda in cost::lambdas(&op.kind) {
            let more = self.host_cost(&lambda.body);
            cost = self.code.add(cost, more);
        }
        let cost = self.code.mul(cost, extent);
        self.launch(built, Range { extent: groups, schedule: Schedule::Static, cost });
        Ok(())
    }

    fn build_parts(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        sizes: &Sizes,
    ) -> Lowered<Built> {
        let (_, outer) = op.space.split_last().expect("a space has dimensions");
        self.build("reduce_segments", stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let sizes = Sizes {
                segments: kernel.param_for(sizes.segments),
                extent: kernel.param_for(sizes.extent),
                width: kernel.param_for(sizes.width),
                log_width: kernel.param_for(sizes.log_width),
                per_group: kernel.param_for(sizes.per_group),
            };
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let part = kernel.code.binary(BinaryOp::AShr, item, sizes.log_width);
                let before = kernel.code.mul(part, sizes.width);
                let lane = kernel.code.sub(item, before);
                let first = kernel.code.mul(unit, sizes.per_group);
                let segment = kernel.code.add(first, part);
                let mut folded = Vec::new();
                for reduce in reduces {
                    folded.push(kernel.neutral_regs(&reduce.neutral, stm.span)?);
                }
                let exists = kernel.code.compare(CompareOp::SLt, segment, sizes.segments);
                kernel.branch_if(exists, &mut |kernel| {
                    kernel.bind_flat(outer, segment, stm.span)?;
                    kernel.fold_share((stm, op, reduces), (segment, lane), &sizes, &folded)
                })?;
                for (reduce, accs) in reduces.iter().zip(&folded) {
                    kernel.fold_items(reduce, item, (lane, sizes.width), accs)?;
                }
                let is_first = kernel.code.compare(CompareOp::Eq, lane, Operand::i64(0));
                let stores = kernel.code.binary(BinaryOp::And, is_first, exists);
                kernel.branch_if(stores, &mut |kernel| {
                    kernel.bind_flat(outer, segment, stm.span)?;
                    let totals = folded.iter().flatten().map(|&reg| reg.into()).collect();
                    kernel.store_reductions(stm, op, totals)
                })
            })
        })
    }

    /// Folds this work-item's share of a segment: every `width`-th element, or consecutive elements where the operator is not
    /// commutative.
    fn fold_share(
        &mut self,
        (stm, op, reduces): (&'a Stm, &'a SegOp, &'a [Reduce]),
        (segment, lane): (Operand, Operand),
        sizes: &Sizes,
        folded: &[Vec<Reg>],
    ) -> Lowered<()> {
        let last = op.space.last().expect("a space has dimensions");
        let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
        let before = self.code.sub(sizes.width, Operand::i64(1));
        let in_turn = reduces.iter().all(commutes);
        let (first, count) = if in_turn {
            let rest = self.code.sub(sizes.extent, lane);
            let rounded = self.code.add(rest, before);
            (lane, self.code.binary(BinaryOp::LShr, rounded, sizes.log_width))
        } else {
            let rounded = self.code.add(sizes.extent, before);
            let share = self.code.binary(BinaryOp::LShr, rounded, sizes.log_width);
            let first = self.code.mul(share, lane);
            let rest = self.code.sub(sizes.extent, first);
            (first, self.code.binary(BinaryOp::SMin, share, rest))
        };
        let counted = self.code.mul(segment, sizes.extent);
        let turn = self.code.int_reg("turn");
        self.count_up(turn, (Operand::i64(0), count), 1, |this| {
            let distance = if in_turn { this.code.mul(turn, sizes.width) } else { turn.into() };
            let index = this.code.add(first, distance);
            let index = this.code.copy("j", index);
            let iteration = this.code.add(counted, index);
            this.counted_as(iteration, &mut |this| {
                this.bind_uniform(last.index, index);
                this.stms(&op.body)?;
                let (inputs, further) = op.body.result.split_at(n_reduced);
                this.store_points(&stm.pattern[n_reduced..], &op.space, further, stm.span)?;
                this.fold_element(reduces, folded, inputs)
            })
        })
    }
}
