//! Segmented reductions: parallel ones as kernels over fixed blocks, inner ones in lanes.
//!
//! The reduced dimension is divided into blocks, counted from 0, whose size depends on the body's cost and is fixed at compile
//! time. One iteration of the first kernel reduces one block of a segment to a partial result. A second kernel combines the
//! partial results of each segment. The reduction tree therefore depends on the extents alone.
//!
//! A single segment is combined in pieces of [`PIECE`] elements, and the pieces in order. Code that receives the elements piece by
//! piece can therefore reproduce the result.

use warpwise_ir::{Mapping, Operand as CoreOperand, Reduce, SegDim, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};
use warpwise_runtime::machine::Schedule;

use crate::lower::PIECE;
use crate::lower::blocks::Cut;
use crate::lower::cost::{self, Work};
use crate::lower::emitter::{Ahead, Emitter, Lowered, Value};
use crate::lower::in_order::{Partials, in_order};
use crate::lower::interior::Interior;
use crate::lower::kernels::{Built, Range};
use crate::lower::lanes::LaneLoop;
use crate::lower::reduce::{Accumulators, commutes};
use crate::lower::segs::{UNKNOWN_TRIPS, is_light};
use crate::lower::slots::Slot;
use crate::lower::variance::Variance;
use crate::types::{Mem, Operand, Reg};

/// Target cost of a block, in operations.
const BLOCK_COST: i64 = 1 << 17;

/// Maximum number of elements of a block.
const LARGEST_BLOCK: i64 = 1 << 14;

/// Returns the kind of work that several reductions do in lanes.
fn work(reduces: &[Reduce]) -> Work {
    let values = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
    if reduces.iter().all(commutes) { Work::Reduce(values) } else { Work::Neighbours }
}

impl<'a> Emitter<'a> {
    /// Launches a reduction of host code.
    pub fn launch_reduce(&mut self, stm: &'a Stm, op: &'a SegOp, reduces: &'a [Reduce]) -> Lowered<()> {
        let cut = self.cut(&op.space, block_size(op, reduces), stm.span)?;
        let types = self.reduced_types(reduces);
        let partials = self.unit_values(&cut, &types);
        self.launch_blocks(stm, op, reduces, &cut, &partials)?;
        self.launch_combination(stm, op, reduces, &cut, &partials)
    }

    /// Returns the element types of the reduced values.
    pub fn reduced_types(&self, reduces: &[Reduce]) -> Vec<ScalarType> {
        let params = reduces.iter().flat_map(|reduce| &reduce.op.params[..reduce.neutral.len()]);
        params.map(|&param| self.elem(param)).collect()
    }

    /// Launches the kernel that reduces blocks to partial results.
    fn launch_blocks(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        cut: &Cut,
        partials: &[Mem],
    ) -> Lowered<()> {
        let (last, outer) = op.space.split_last().expect("a space has dimensions");
        let built = self.build("reduce", stm.span, &|kernel, lo, hi| {
            let outs: Vec<Mem> =
                partials.iter().map(|&mem| kernel.mem_param("partials", mem, None)).collect();
            let cut = kernel.cut_param(cut);
            kernel.ahead = is_light(op, UNKNOWN_TRIPS).then_some(Ahead::Soon);
            let how = kernel.plan_lanes(op, work(reduces));
            let width = if last.mapping == Mapping::TaskLane { how.width } else { 1 };
            // Single vectors for the rest of short segments, where no check can require a group to run again.
            let short = !outer.is_empty() && reduces.iter().all(commutes) && !op.body.can_fail();
            let machine = if short { how.machine } else { width };
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let unit = kernel.unit(&cut, outer, unit, stm.span)?;
                let how = LaneLoop { width, machine, counted: Some(unit.counted), ..how.clone() };
                let totals = kernel.reduce_range(stm, op, reduces, &how, (unit.from, unit.to))?;
                kernel.store_totals(&outs, unit.unit.into(), &totals)
            })
        })?;
        let mut cost = self.host_cost(&op.body);
        for reduce in reduces {
            let more = self.host_cost(&reduce.op.body);
            cost = self.code.add(cost, more);
        }
        let cost = self.block_cost(cut, cost);
        let schedule = if self.is_uneven(&op.body) { Schedule::Dynamic } else { Schedule::Static };
        self.launch(built, Range { extent: cut.units, schedule, cost });
        Ok(())
    }

    /// Combines the partial results of each segment, and binds or stores the totals: the first results of `stm`.
    pub fn launch_combination(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        cut: &Cut,
        partials: &[Mem],
    ) -> Lowered<()> {
        if reduces.is_empty() {
            return Ok(());
        }
        let (_, outer) = op.space.split_last().expect("a space has dimensions");
        let built = self.build_combination(stm, op, reduces, cut, partials)?;
        if outer.is_empty() {
            let several = self.code.compare(CompareOp::SLt, Operand::i64(1), cut.blocks);
            self.branch_if(several, &mut |this| {
                let range =
                    Range { extent: Operand::i64(1), schedule: Schedule::Sequential, cost: cut.blocks };
                this.launch(built.clone(), range);
                Ok(())
            })?;
            let types = self.reduced_types(reduces);
            for ((&mem, ty), &var) in partials.iter().zip(types).zip(&stm.pattern) {
                let total = self.code.load("total", ty, mem, Operand::i64(0));
                self.bind_uniform(var, total);
            }
        } else {
            self.launch(built, Range { extent: cut.segments, schedule: Schedule::Static, cost: cut.blocks });
        }
        self.release_locals(partials.to_vec());
        Ok(())
    }

    /// Builds the kernel that combines the partial results of each segment. The totals go to the first partial results where there
    /// is one segment, and to the result arrays otherwise.
    fn build_combination(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        cut: &Cut,
        partials: &[Mem],
    ) -> Lowered<Built> {
        let (_, outer) = op.space.split_last().expect("a space has dimensions");
        self.build("combine", stm.span, &|kernel, lo, hi| {
            let ins: Vec<Mem> = partials.iter().map(|&mem| kernel.mem_param("partials", mem, None)).collect();
            let blocks = kernel.param_for(cut.blocks);
            let fails = reduces.iter().any(|reduce| in_order(&reduce.op));
            let extent = if fails { kernel.param_for(cut.extent) } else { cut.extent };
            let mut how = kernel.plan_lanes(op, Work::Neighbours);
            how.width = how.width.min(16);
            kernel.for_units((lo, hi), &mut |kernel, segment| {
                kernel.bind_flat(outer, segment.into(), stm.span)?;
                let first = kernel.code.mul(segment, blocks);
                let end = kernel.code.add(first, blocks);
                if fails {
                    let counted = kernel.code.mul(segment, extent);
                    let partials = Partials { mems: &ins, first, counted, block: cut.block };
                    if outer.is_empty() {
                        let range = (first, end, blocks_of_piece(cut.block));
                        let totals = kernel.combine_pieces_in_order(reduces, &partials, range)?;
                        return kernel.store_totals(&ins, Operand::i64(0), &operands(totals));
                    }
                    let totals = kernel.combine_in_order(reduces, &partials, (first, end))?;
                    return kernel.store_reductions(stm, op, operands(totals));
                }
                if outer.is_empty() {
                    let totals = kernel.combine_pieces(reduces, &ins, &how, (first, end), cut.block)?;
                    return kernel.store_totals(&ins, Operand::i64(0), &totals);
                }
                let totals = kernel.combine_partials(reduces, &ins, &how, (first, end))?;
                kernel.store_reductions(stm, op, totals)
            })
        })
    }

    /// Stores one scalar in each memory.
    pub fn store_totals(&mut self, outs: &[Mem], index: Operand, totals: &[Operand]) -> Lowered<()> {
        for (&mem, &total) in outs.iter().zip(totals) {
            let elem = self.code.ty(total).scalar;
            self.code.store(elem, mem, index, total);
        }
        Ok(())
    }

    /// Binds or stores the totals of reductions within a kernel: the first results of `stm`.
    pub fn store_reductions(&mut self, stm: &'a Stm, op: &'a SegOp, totals: Vec<Operand>) -> Lowered<()> {
        let (_, outer) = op.space.split_last().expect("a space has dimensions");
        for (&var, total) in stm.pattern.iter().zip(totals) {
            let slot = Slot::Scalar(self.code.copy("total", total), Variance::Uniform);
            self.store_reduced(var, outer, slot, stm.span)?;
        }
        Ok(())
    }

    /// Reduces a stretch of the last dimension, and stores the further results of its points.
    pub fn reduce_range(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        how: &LaneLoop,
        (from, to): (Operand, Operand),
    ) -> Lowered<Vec<Operand>> {
        let narrow = LaneLoop { width: how.machine.min(how.width), ..how.clone() };
        let accs = self.start_all(reduces, narrow.width)?;
        if how.width == narrow.width {
            self.reduce_groups(stm, op, reduces, how, &accs, (from, to))?;
            return self.finish_all(reduces, &accs, how);
        }
        // Several vectors at a time, then single ones, because rows may be short.
        let extent = self.code.sub(to, from);
        let rounded = self.code.binary(BinaryOp::And, extent, Operand::i64(-i64::from(how.width)));
        let whole = self.code.add(from, rounded);
        let some = self.code.compare(CompareOp::SLt, from, whole);
        self.branch_if(some, &mut |this| {
            let wide = LaneLoop { whole_only: true, ..how.clone() };
            let several = this.start_all(reduces, wide.width)?;
            this.reduce_groups(stm, op, reduces, &wide, &several, (from, whole))?;
            for ((reduce, several), own) in reduces.iter().zip(&several).zip(&accs) {
                this.fold_down(&reduce.op, several, own, &wide)?;
            }
            Ok(())
        })?;
        self.reduce_groups(stm, op, reduces, &narrow, &accs, (whole, to))?;
        self.finish_all(reduces, &accs, &narrow)
    }

    /// Accumulates a stretch of the last dimension.
    fn reduce_groups(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        how: &LaneLoop,
        accs: &[Accumulators],
        (from, to): (Operand, Operand),
    ) -> Lowered<()> {
        let last = op.space.last().expect("a space has dimensions").index;
        let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
        let how = &LaneLoop { interior: Interior::of(op), ..how.clone() };
        self.lane_loop(how, from, to, &mut |this, index| {
            this.bind(last, index);
            this.with_arena(&[&op.body], |this| {
                this.stms(&op.body)?;
                let (inputs, further) = op.body.result.split_at(n_reduced);
                this.store_points(&stm.pattern[n_reduced..], &op.space, further, stm.span)?;
                // Rows may be so short that their accumulators change often.
                if op.space.len() > 1 {
                    return this.accumulate_all(reduces, accs, inputs);
                }
                let (ops, done) = this.block_of(|this| this.accumulate_all(reduces, accs, inputs));
                this.code.emit_choice(ops);
                done
            })
        })
    }

    /// Starts all reductions; see `reduce`.
    pub fn start_all(&mut self, reduces: &'a [Reduce], width: u16) -> Lowered<Vec<Accumulators>> {
        reduces.iter().map(|reduce| self.start_reduce(reduce, width)).collect()
    }

    /// Accumulates one group of lanes for all reductions; see `reduce`.
    pub fn accumulate_all(
        &mut self,
        reduces: &'a [Reduce],
        accs: &[Accumulators],
        inputs: &[CoreOperand],
    ) -> Lowered<()> {
        let fails = reduces.iter().any(|reduce| in_order(&reduce.op));
        self.settle(fails, accs, &mut |this, accs| {
            let mut taken = 0;
            for (reduce, acc) in reduces.iter().zip(accs) {
                let values = this.values(&inputs[taken..taken + reduce.neutral.len()]);
                this.accumulate(reduce, acc, &values)?;
                taken += reduce.neutral.len();
            }
            Ok(())
        })
    }

    /// Finishes all reductions; see `reduce`.
    pub fn finish_all(
        &mut self,
        reduces: &'a [Reduce],
        accs: &[Accumulators],
        how: &LaneLoop,
    ) -> Lowered<Vec<Operand>> {
        let mut totals = Vec::new();
        for (reduce, acc) in reduces.iter().zip(accs) {
            totals.extend(self.finish_fold(&reduce.op, acc, how)?);
        }
        Ok(totals)
    }

    /// Combines the partial results `first..end`, of blocks of size `block`, piece by piece.
    fn combine_pieces(
        &mut self,
        reduces: &'a [Reduce],
        ins: &[Mem],
        how: &LaneLoop,
        (first, end): (Operand, Operand),
        block: i64,
    ) -> Lowered<Vec<Operand>> {
        let blocks = blocks_of_piece(block);
        let accs = self.start_all(reduces, 1)?;
        let from = self.code.int_reg("piece");
        let combined = self.count_up(from, (first, end), blocks, |this| {
            let to = this.code.add(from, Operand::i64(blocks));
            let to = this.code.binary(BinaryOp::SMin, to, end);
            this.combine_piece(reduces, ins, how, (from.into(), to), &accs)
        });
        combined?;
        self.finish_all(reduces, &accs, &LaneLoop { width: 1, ..how.clone() })
    }

    /// Combines the partial results of one piece, and accumulates its total.
    fn combine_piece(
        &mut self,
        reduces: &'a [Reduce],
        ins: &[Mem],
        how: &LaneLoop,
        range: (Operand, Operand),
        accs: &[Accumulators],
    ) -> Lowered<()> {
        let totals = self.combine_partials(reduces, ins, how, range)?;
        let mut totals = totals.into_iter().map(Value::Uniform);
        for (reduce, acc) in reduces.iter().zip(accs) {
            let own: Vec<Value> = totals.by_ref().take(reduce.neutral.len()).collect();
            self.accumulate(reduce, acc, &own)?;
        }
        Ok(())
    }

    /// Combines the partial results `first..end`.
    fn combine_partials(
        &mut self,
        reduces: &'a [Reduce],
        ins: &[Mem],
        how: &LaneLoop,
        (first, end): (Operand, Operand),
    ) -> Lowered<Vec<Operand>> {
        let accs = self.start_all(reduces, how.width)?;
        let types = self.reduced_types(reduces);
        self.lane_loop(how, first, end, &mut |this, index| {
            let mut mems = ins.iter().zip(&types);
            for (reduce, acc) in reduces.iter().zip(&accs) {
                let own = mems.by_ref().take(reduce.neutral.len());
                let values: Vec<Value> = own
                    .map(|(&mem, &elem)| {
                        let block = crate::lower::emitter::BlockBinding::of(mem);
                        this.load_at(block, elem, index)
                    })
                    .collect();
                this.accumulate(reduce, acc, &values)?;
            }
            Ok(())
        })?;
        self.finish_all(reduces, &accs, how)
    }

    /// Lowers a reduction in lanes within a task.
    pub fn inner_reduce(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        last: &'a SegDim,
        reduces: &'a [Reduce],
    ) -> Lowered<()> {
        let how = self.plan_lanes(op, work(reduces));
        let how = if reduces.iter().all(commutes) { how } else { LaneLoop { machine: how.width, ..how } };
        let to = self.uniform(last.extent, stm.span)?;
        let ahead = is_light(op, UNKNOWN_TRIPS).then_some(Ahead::Soon);
        let totals = self.with_ahead(ahead, &mut |this| {
            this.reduce_range(stm, op, reduces, &how, (Operand::i64(0), to))
        })?;
        self.store_reductions(stm, op, totals)
    }
}

/// Returns the number of elements of a block: enough work for a task, and a multiple of every group of lanes.
fn block_size(op: &SegOp, reduces: &[Reduce]) -> i64 {
    let combining: i64 = reduces.iter().map(|reduce| cost::static_cost(&reduce.op.body, 1000)).sum();
    let cost = cost::static_cost(&op.body, 1000).saturating_add(combining).max(1);
    let size = (BLOCK_COST / cost).clamp(16, LARGEST_BLOCK) as u64;
    size.next_power_of_two() as i64
}

/// Returns the number of blocks of size `block` in a piece.
fn blocks_of_piece(block: i64) -> i64 {
    (PIECE / block).max(1)
}

fn operands(regs: Vec<Reg>) -> Vec<Operand> {
    regs.into_iter().map(Operand::Reg).collect()
}
