//! Histograms of few bins: every lane has a table of its own, so that lanes of a group never share a bin.
//!
//! The tables of all lanes lie interleaved in the arena. Each group of lanes visits every bin and combines in the lanes whose
//! value belongs there, which for few bins is less work than one lane after another. At the end of a chunk the lanes' tables are
//! folded, halves onto halves, into the table of the chunk.
//!
//! ```text
//! for j in chunk step W { bins, values = body
//!                         for b in 0..size { own[b] = select (bins == b) (op(own[b], values)) own[b] } }
//! for b in 0..size { table[b] = fold of own[b] }
//! ```

use warpwise_ir::{HistOp, Mapping, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::lower::cost::Work;
use crate::lower::emitter::{BlockBinding, Emitter, Lanes, Lowered, Mask, Value};
use crate::lower::hist::{Sizes, Tables};
use crate::lower::kernels::Built;
use crate::lower::lanes::LaneLoop;
use crate::lower::reduce::Accumulators;
use crate::op::Op;
use crate::types::{Operand, Reg};

impl<'a> Emitter<'a> {
    /// Returns the maximum number of bins for which every lane has a table of its own: half the number of lanes of a machine
    /// vector.
    pub fn few_bins(&self, op: &SegOp) -> i64 {
        let in_lanes =
            op.space.last().is_some_and(|dim| matches!(dim.mapping, Mapping::TaskLane | Mapping::Lane));
        if in_lanes { i64::from(self.plan_lanes(op, Work::Map).machine / 2) } else { 0 }
    }

    /// Builds the kernel that combines chunks in lanes, if the body runs in lanes. Host code.
    pub fn build_few(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        ops: &'a [HistOp],
        tables: &[Tables],
        sizes: &Sizes,
    ) -> Lowered<Option<Built>> {
        self.build_in_lanes("hist_few", stm.span, &|kernel, lo, hi| {
            let few = kernel.few_bins(op) as u16;
            let sizes = kernel.sizes_param(sizes);
            let tables: Vec<Tables> = tables.iter().map(|table| kernel.tables_param(table)).collect();
            let how = kernel.plan_lanes(op, Work::Map);
            kernel.for_units((lo, hi), &mut |kernel, chunk| {
                let mark = kernel.code.int_reg("mark");
                kernel.code.emit(Op::ArenaMark { dst: mark });
                let mut own = Vec::new();
                for hist in ops {
                    own.push(kernel.lane_tables(stm, hist, few, how.width)?);
                }
                let part = kernel.chunk_part(chunk, &sizes);
                kernel.walk_space(stm, op, part, &how, &mut |kernel| {
                    kernel.with_arena(&[&op.body], |kernel| {
                        kernel.stms(&op.body)?;
                        kernel.combine_in_lanes(stm, op, ops, &own)
                    })
                })?;
                for ((hist, own), table) in ops.iter().zip(&own).zip(&tables) {
                    let first = kernel.code.mul(chunk, sizes.copies);
                    let first = kernel.code.mul(first, table.pitch);
                    kernel.fold_lane_tables(stm, hist, own, (table, first), &how)?;
                }
                kernel.code.emit(Op::ArenaReset { mark: mark.into() });
                Ok(())
            })
        })
    }

    /// Allocates a table of neutral elements for every lane.
    fn lane_tables(&mut self, stm: &'a Stm, hist: &'a HistOp, bins: u16, width: u16) -> Lowered<Tables> {
        let mems = hist.dests.iter().map(|&dest| self.staged(self.elem(dest), bins * width)).collect();
        let own = Tables { mems, pitch: Operand::i64(i64::from(width)) };
        self.clear(stm, hist, &own, Operand::i64(0), Operand::i64(i64::from(bins * width)))?;
        Ok(own)
    }

    /// Combines the results of a group of lanes into the lanes' tables.
    fn combine_in_lanes(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        ops: &'a [HistOp],
        own: &[Tables],
    ) -> Lowered<()> {
        let mut results = &op.body.result[..];
        for (hist, own) in ops.iter().zip(own) {
            let (indices, rest) = results.split_at(hist.rank);
            let (values, rest) = rest.split_at(hist.dests.len());
            results = rest;
            let (indices, values) = (self.values(indices), self.values(values));
            let dest = self.view(hist.dests[0], stm.span)?;
            // A single index needs no bounds test: outside, it equals no bin.
            let inside = if hist.rank > 1 { Some(self.in_bounds(&dest, &indices)) } else { None };
            let bin = self.flat_bin(&dest, &indices);
            self.for_bins(stm, hist, &mut |this, number| {
                let mut hit = this.compare(CompareOp::Eq, bin, Value::Uniform(number.into()));
                if let Some(inside) = inside {
                    hit = this.binary(BinaryOp::And, inside, hit);
                }
                let (hit, _) = this.split_mask(hit);
                this.combine_where(hist, own, number, hit, &values)
            })?;
        }
        Ok(())
    }

    /// Combines values at a bin of the lanes' tables, in the lanes of `hit`.
    fn combine_where(
        &mut self,
        hist: &'a HistOp,
        own: &Tables,
        bin: Reg,
        hit: Reg,
        values: &[Value],
    ) -> Lowered<()> {
        let old = self.with_mask(Mask::Full, |this| this.load_lanes(hist, own, bin));
        let args = [&old, values].concat();
        let new = self.with_mask(Mask::Some(hit), |this| this.apply(&hist.op, &args))?;
        let place = self.lane_places(own, bin);
        self.with_mask(Mask::Full, |this| {
            for ((&dest, &mem), (new, old)) in hist.dests.iter().zip(&own.mems).zip(new.into_iter().zip(old))
            {
                let value = this.select(Value::Varying(hit), new, old);
                let block = BlockBinding::of(mem);
                this.store_at(block, this.elem(dest), place, value, false);
            }
        });
        Ok(())
    }

    /// Folds the lanes' tables bin by bin, and stores the totals in a table from `first` on.
    fn fold_lane_tables(
        &mut self,
        stm: &'a Stm,
        hist: &'a HistOp,
        own: &Tables,
        (table, first): (&Tables, Operand),
        how: &LaneLoop,
    ) -> Lowered<()> {
        self.for_bins(stm, hist, &mut |this, bin| {
            let lanes = Lanes { width: how.width, mask: Mask::Full, facts: how.facts.clone() };
            let saved = this.lanes.replace(lanes);
            let vectors = this.load_lanes(hist, own, bin);
            let regs = vectors.into_iter().map(|vector| this.vector_reg(vector)).collect();
            this.lanes = saved;
            let totals = this.finish_fold(&hist.op, &Accumulators::of_lanes(regs), how)?;
            let place = Value::Uniform(this.code.add(first, bin));
            for ((&dest, &mem), total) in hist.dests.iter().zip(&table.mems).zip(totals) {
                let block = BlockBinding::of(mem);
                this.store_at(block, this.elem(dest), place, Value::Uniform(total), false);
            }
            Ok(())
        })
    }

    /// Emits a loop over the bins of an operation.
    fn for_bins(
        &mut self,
        stm: &'a Stm,
        hist: &'a HistOp,
        body: &mut dyn FnMut(&mut Self, Reg) -> Lowered<()>,
    ) -> Lowered<()> {
        let dest = self.view(hist.dests[0], stm.span)?;
        let extents = self.extents(&dest, stm.span)?;
        let to = self.code.product(extents[..hist.rank].iter().copied());
        let index = self.code.int_reg("bin");
        self.count_up(index, (Operand::i64(0), to), 1, |this| body(this, index))
    }

    /// Loads the lanes' values of a bin.
    fn load_lanes(&mut self, hist: &'a HistOp, own: &Tables, bin: Reg) -> Vec<Value> {
        let place = self.lane_places(own, bin);
        let elems: Vec<_> = hist.dests.iter().map(|&dest| self.elem(dest)).collect();
        let blocks = own.mems.iter().map(|&mem| BlockBinding::of(mem));
        blocks.zip(elems).map(|(block, elem)| self.load_at(block, elem, place)).collect()
    }

    /// Returns the positions of a bin in the lanes' tables.
    fn lane_places(&mut self, own: &Tables, bin: Reg) -> Value {
        Value::Linear { base: self.code.mul(bin, own.pitch), stride: 1 }
    }
}
