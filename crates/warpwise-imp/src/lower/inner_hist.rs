//! Histograms inside a task, which are combined directly into their destinations.
//!
//! Where lanes run along a row of bins, no two of them share a bin, and a vector of bins is combined at a time. Elsewhere the
//! computation of the body may still be worth lanes: the lanes store their bins and values side by side, and these are combined
//! one after another, in order. Everything else runs one element at a time (`inner`).
//!
//! ```text
//! for group of lanes { bins[lane], values[lane] = body; for lane { dest[bins[lane]] = op(dest[..], values[lane]) } }
//! ```

use warpwise_diag::Span;
use warpwise_ir::{HistOp, Operand as CoreOperand, SegDim, SegOp, Stm};
use warpwise_prim::CompareOp;

use crate::lower::cost::Work;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::hist::Staging;
use crate::lower::lanes::LaneLoop;
use crate::lower::variance::Variance;
use crate::op::Op;
use crate::types::Operand;

impl<'a> Emitter<'a> {
    /// Lowers a histogram within a task, directly into its destinations: in lanes where these are known to have distinct bins, or
    /// where the body is worth it.
    pub fn inner_hist(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        last: &'a SegDim,
        ops: &'a [HistOp],
    ) -> Lowered<()> {
        let rows = self.plan_lanes(op, Work::Map);
        if self.combines_scalars(ops) && lanes_apart(&rows, op, ops) {
            // Rows within a task may be short, so a group is at most one vector.
            let how = LaneLoop { width: rows.width.min(rows.machine), ..rows };
            return self.hist_rows(stm, op, last, ops, &how);
        }
        let how = self.hist_lanes(op);
        let bins_are_numbers = ops.iter().all(|hist| hist.rank == 1);
        if how.width == 1 || !bins_are_numbers || !self.combines_scalars(ops) {
            return self.inner_seq(stm, op, last);
        }
        let to = self.uniform(last.extent, stm.span)?;
        let mark = self.code.int_reg("mark");
        self.code.emit(Op::ArenaMark { dst: mark });
        let staging = self.staging(ops, how.width);
        self.lane_loop(&how, Operand::i64(0), to, &mut |this, index| {
            this.bind(last.index, index);
            this.with_arena(&[&op.body], |this| {
                this.stms(&op.body)?;
                this.combine_staged(op, ops, &staging, stm.span)
            })
        })?;
        self.code.emit(Op::ArenaReset { mark: mark.into() });
        Ok(())
    }

    /// Lowers a histogram whose lanes have distinct bins.
    fn hist_rows(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        last: &'a SegDim,
        ops: &'a [HistOp],
        how: &LaneLoop,
    ) -> Lowered<()> {
        let to = self.uniform(last.extent, stm.span)?;
        self.lane_loop(how, Operand::i64(0), to, &mut |this, index| {
            this.bind(last.index, index);
            this.with_arena(&[&op.body], |this| {
                this.stms(&op.body)?;
                let mut taken = 0;
                for hist in ops {
                    let results = &op.body.result[taken..taken + hist.rank + hist.dests.len()];
                    taken += results.len();
                    this.combine_row(last, hist, results, stm.span)?;
                }
                Ok(())
            })
        })
    }

    /// Combines the results of a group of lanes with distinct bins.
    fn combine_row(
        &mut self,
        last: &SegDim,
        hist: &'a HistOp,
        results: &'a [CoreOperand],
        span: Span,
    ) -> Lowered<()> {
        let mut views = Vec::new();
        for &dest in &hist.dests {
            views.push(self.view(dest, span)?);
        }
        let indices = self.values(&results[..hist.rank]);
        let values = self.values(&results[hist.rank..]);
        // An index that runs over a whole dimension is within it.
        let placement = self.placement(hist.dests[0], span)?;
        let extents = placement.index_fn.dims.iter().map(|dim| dim.extent);
        let whole: Vec<bool> = extents
            .zip(results)
            .map(|(extent, &index)| extent == last.extent && index == CoreOperand::Var(last.index))
            .collect();
        let mut inside = Value::constant(true.into());
        for ((&index, &extent), whole) in indices.iter().zip(&views[0].extents).zip(whole) {
            if !whole {
                let below = self.compare(CompareOp::ULt, index, extent);
                inside = self.and(inside, below);
            }
        }
        self.guarded(inside, &mut |this| this.combine_into(&hist.op, &views, &indices, &values, span))
    }

    /// Combines the results of a group of lanes into the destinations, whose bins have one index.
    fn combine_staged(
        &mut self,
        op: &'a SegOp,
        ops: &'a [HistOp],
        staging: &[Staging],
        span: Span,
    ) -> Lowered<()> {
        let mut taken = 0;
        for (hist, staging) in ops.iter().zip(staging) {
            let results = &op.body.result[taken..taken + 1 + hist.dests.len()];
            taken += results.len();
            let (bin, values) = (self.value(results[0]), self.values(&results[1..]));
            let mut views = Vec::new();
            for &dest in &hist.dests {
                views.push(self.view(dest, span)?);
            }
            let inside = self.in_bounds(&views[0], &[bin]);
            self.combine_lanes(hist, staging, (inside, bin), &values, &mut |this, bin, values| {
                this.combine_into(&hist.op, &views, &[bin], values, span)
            })?;
        }
        Ok(())
    }
}

/// Returns whether no two lanes of a group have the same bin: some index increases or decreases from lane to lane.
fn lanes_apart(how: &LaneLoop, op: &SegOp, ops: &[HistOp]) -> bool {
    let moves = |index: &CoreOperand| {
        index
            .as_var()
            .is_some_and(|var| matches!(how.facts.variance(var), Variance::Linear(stride) if stride != 0))
    };
    let mut taken = 0;
    how.width > 1
        && ops.iter().all(|hist| {
            let indices = &op.body.result[taken..taken + hist.rank];
            taken += hist.rank + hist.dests.len();
            indices.iter().any(moves)
        })
}
