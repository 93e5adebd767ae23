//! Scatters: several tasks process all of the input, and each writes its own part of the destination.
//!
//! If several inputs write to one place, the one with the largest position therefore wins, whatever the schedule: within a task
//! positions increase, and no other task writes there. The price is that the indices are computed once for each part; there are
//! at most as many parts as threads, few in all, and each writes to less memory. Segments never overlap, so each is written once,
//! by the task that computes it.

use warpwise_ir::{ScatterDest, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};
use warpwise_runtime::machine::Schedule;

use crate::lower::cost::Work;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::Range;
use crate::types::Operand;

/// Maximum number of parts of the destination.
const MOST_PARTS: i64 = 4;

/// Minimum number of inputs for several tasks.
const WORTH_SPLITTING: i64 = 1 << 16;

impl<'a> Emitter<'a> {
    /// Launches a scatter of host code.
    pub fn launch_scatter(&mut self, stm: &'a Stm, op: &'a SegOp, dests: &'a [ScatterDest]) -> Lowered<()> {
        if dests.iter().any(|dest| dest.segments) {
            return self.launch_segments(stm, op, dests);
        }
        let mut range = self.flat_range(stm, op)?;
        let count = range.extent;
        let many = self.code.compare(CompareOp::SLe, Operand::i64(WORTH_SPLITTING), count);
        let threads = self.code.threads();
        let parts = self.code.binary(BinaryOp::SMin, threads, Operand::i64(MOST_PARTS));
        let parts = self.code.select(many, parts, Operand::i64(1));
        let built = self.build("scatter", stm.span, &|kernel, lo, hi| {
            let (count, parts) = (kernel.param_for(count), kernel.param_for(parts));
            let how = kernel.plan_lanes(op, Work::Map);
            kernel.for_units((lo, hi), &mut |kernel, part| {
                let limits = kernel.part_limits(stm, dests, part.into(), parts)?;
                let (first, end) =
                    (kernel.code.copy("first", Operand::i64(0)), kernel.code.copy("end", count));
                kernel.walk_space(stm, op, (first, end), &how, &mut |kernel| {
                    kernel.with_arena(&[&op.body], |kernel| {
                        kernel.stms(&op.body)?;
                        kernel.scatter_part(stm, op, dests, &limits)
                    })
                })
            })
        })?;
        range.cost = self.code.mul(range.cost, count);
        self.launch(built, Range { extent: parts, schedule: Schedule::Dynamic, ..range });
        Ok(())
    }

    /// Launches a scatter of segments. Segments have no element in common, so each task writes those of its own points.
    fn launch_segments(&mut self, stm: &'a Stm, op: &'a SegOp, dests: &'a [ScatterDest]) -> Lowered<()> {
        let built = self.build("segments", stm.span, &|kernel, lo, hi| {
            let how = kernel.plan_lanes(op, Work::Map);
            kernel.walk_space(stm, op, (lo, hi), &how, &mut |kernel| {
                kernel.with_arena(&[&op.body], |kernel| {
                    kernel.stms(&op.body)?;
                    kernel.scatter_point(dests, &op.body.result, stm.span)
                })
            })
        })?;
        let range = self.flat_range(stm, op)?;
        self.launch(built, range);
        Ok(())
    }

    /// Returns the first index and the length of a part of every destination, in the outermost dimension.
    fn part_limits(
        &mut self,
        stm: &Stm,
        dests: &[ScatterDest],
        part: Operand,
        parts: Operand,
    ) -> Lowered<Vec<(Operand, Operand)>> {
        let mut limits = Vec::new();
        for dest in dests {
            let view = self.view(dest.array, stm.span)?;
            let extent = self.extents(&view, stm.span)?[0];
            let share = self.code.add(extent, Operand::i64(MOST_PARTS - 1));
            let share = self.code.binary(BinaryOp::SQuot, share, parts);
            let first = self.code.mul(share, part);
            let left = self.code.sub(extent, first);
            let length = self.code.binary(BinaryOp::SMin, share, left);
            let length = self.code.binary(BinaryOp::SMax, length, Operand::i64(0));
            limits.push((first, length));
        }
        Ok(limits)
    }

    /// Writes the inputs that belong to a part.
    fn scatter_part(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        dests: &'a [ScatterDest],
        limits: &[(Operand, Operand)],
    ) -> Lowered<()> {
        let mut taken = 0;
        for (dest, &(first, length)) in dests.iter().zip(limits) {
            let indices = self.values(&op.body.result[taken..taken + dest.rank]);
            let value = op.body.result[taken + dest.rank];
            taken += dest.rank + 1;
            let view = self.view(dest.array, stm.span)?;
            let Some(&outermost) = indices.first() else { continue };
            let moved = self.binary(BinaryOp::Sub, outermost, Value::Uniform(first));
            let mut inside = self.compare(CompareOp::ULt, moved, Value::Uniform(length));
            for (&index, &extent) in indices.iter().zip(&view.extents).skip(1) {
                let below = self.compare(CompareOp::ULt, index, extent);
                inside = self.and(inside, below);
            }
            let whole = Value::constant(Scalar::Bool(true));
            debug_assert_ne!(inside, whole, "a part has limits");
            self.guarded(inside, &mut |this| {
                let row = this.row(&view, &indices);
                this.put(&row, value, stm.span)
            })?;
        }
        Ok(())
    }
}
