//! Reductions and scans of many short segments, with one work-item for each segment. Reductions by work-groups are in
//! `segment_groups`.
//!
//! A single segment, and few long ones, are divided into blocks or tiles instead. The choice depends on the sizes alone, and so
//! does the order in which elements are combined.

use warpwise_ir::{SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp};
use warpwise_runtime::machine::Schedule;

use super::points::Inside;
use crate::lower::cost;
use crate::lower::emitter::{Emitter, Lowered};
use crate::lower::kernels::Range;
use crate::types::Operand;

/// Number of segments that keep a device busy with one work-item each.
const MANY_SEGMENTS: i64 = 1 << 14;

/// Maximum number of elements of a segment for which several work-items do not pay.
const SHORT_SEGMENT: i64 = 64;

impl<'a> Emitter<'a> {
    /// Lowers a reduction or scan: by segments where they are many or short, otherwise by `by_blocks`.
    pub fn by_segments(&mut self, stm: &'a Stm, op: &'a SegOp, by_blocks: Inside<'_, 'a>) -> Lowered<()> {
        let (last, outer) = op.space.split_last().expect("a space has dimensions");
        let mut extents = Vec::new();
        for dim in outer {
            extents.push(self.uniform(dim.extent, stm.span)?);
        }
        let segments = self.code.product(extents);
        if segments == Operand::i64(1) {
            return by_blocks(self);
        }
        let extent = self.uniform(last.extent, stm.span)?;
        let many = self.code.compare(CompareOp::SLe, Operand::i64(MANY_SEGMENTS), segments);
        let short = self.code.compare(CompareOp::SLe, extent, Operand::i64(SHORT_SEGMENT));
        let alone = self.code.binary(BinaryOp::Or, many, short);
        let (whole, blocks) =
            self.choose(alone, |this| this.whole_segments(stm, op, segments, extent), |this| by_blocks(this));
        whole.and(blocks)
    }

    /// Launches a kernel with one work-item for each segment.
    pub fn whole_segments(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        segments: Operand,
        extent: Operand,
    ) -> Lowered<()> {
        let (last, outer) = op.space.split_last().expect("a space has dimensions");
        let built = self.build("segments", stm.span, &|kernel, lo, hi| {
            kernel.for_units((lo, hi), &mut |kernel, segment| {
                let before = kernel.uniform(last.extent, stm.span)?;
                let first = kernel.code.mul(segment, before);
                kernel.counted_as(first, &mut |kernel| {
                    kernel.bind_flat(outer, segment.into(), stm.span)?;
                    kernel.inner_seq(stm, op, last)
                })
            })
        })?;
        let mut cost = self.host_cost(&op.body);
        for lambda in cost::lambdas(&op.kind) {
            let more = self.host_cost(&lambda.body);
            cost = self.code.add(cost, more);
        }
        let cost = self.code.mul(cost, extent);
        self.launch(built, Range { extent: segments, schedule: Schedule::Static, cost });
        Ok(())
    }
}
