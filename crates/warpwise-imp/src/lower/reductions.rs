//! Segmented reductions: parallel ones as kernels over fixed blocks, inner ones in lanes.
//!
//! The reduced dimension is cut into blocks of a size that the body's cost decides at compile time, counted
//! from 0. One iteration of the first kernel is a block of a segment and leaves a partial result; a second kernel
//! combines the partial results of each segment. So the tree depends on the extents alone.

use warpwise_ir::{Mapping, Operand as CoreOperand, Reduce, SegDim, SegOp, Stm, Var};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};
use warpwise_runtime::machine::Schedule;

use crate::lower::cost::{self, Work};
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::Range;
use crate::lower::lanes::LaneLoop;
use crate::lower::reduce::{Accumulators, commutes};
use crate::lower::slots::Slot;
use crate::lower::variance::Variance;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// Operations a block should come to.
const BLOCK_COST: i64 = 1 << 17;

/// How a reduced dimension is cut.
struct Cut {
    /// Elements of a block.
    block: i64,
    /// Blocks of a segment, at least 1.
    blocks: Operand,
    /// Elements of a segment.
    extent: Operand,
}

/// The element types of what is reduced, value by value.
fn reduced_types(emitter: &Emitter, reduces: &[Reduce]) -> Vec<ScalarType> {
    let params = reduces.iter().flat_map(|reduce| &reduce.op.params[..reduce.neutral.len()]);
    params.map(|&param| emitter.elem(param)).collect()
}

/// What several reductions do in lanes.
fn work(reduces: &[Reduce]) -> Work {
    let values = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
    if reduces.iter().all(commutes) { Work::Reduce(values) } else { Work::Neighbours }
}

impl<'a> Emitter<'a> {
    /// Launches a reduction of host code.
    pub fn launch_reduce(&mut self, stm: &'a Stm, op: &'a SegOp, reduces: &'a [Reduce]) -> Lowered<()> {
        let (last, outer) = op.space.split_last().expect("a space has dimensions");
        let extent = self.uniform(last.extent, stm.span)?;
        let block = block_size(op, reduces);
        let blocks = self.code.ceil_div(extent, block);
        let blocks = self.code.binary(BinaryOp::SMax, blocks, Operand::i64(1));
        let mut segments = Vec::new();
        for dim in outer {
            segments.push(self.uniform(dim.extent, stm.span)?);
        }
        let segments = self.code.product(segments);
        let units = self.code.mul(segments, blocks);
        let types = reduced_types(self, reduces);
        let mut partials = Vec::new();
        for ty in &types {
            let bytes = self.code.mul(units, Operand::i64(ty.bytes() as i64));
            partials.push(self.alloc("partials", bytes));
        }
        let cut = Cut { block, blocks, extent };
        self.launch_blocks(stm, op, reduces, &cut, &partials, units)?;
        self.launch_combination(stm, op, reduces, &cut, &partials, segments)?;
        for (i, (&mem, &ty)) in partials.iter().zip(&types).enumerate() {
            if outer.is_empty() {
                let total = self.code.load("total", ty, mem, Operand::i64(0));
                self.bind_uniform(stm.pattern[i], total);
            }
            self.code.emit(Op::Release { mem });
        }
        Ok(())
    }

    /// The kernel that reduces blocks to partial results.
    fn launch_blocks(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        cut: &Cut,
        partials: &[Mem],
        units: Operand,
    ) -> Lowered<()> {
        let (last, outer) = op.space.split_last().expect("a space has dimensions");
        let built = self.build("reduce", stm.span, &|kernel, lo, hi| {
            let outs: Vec<Mem> =
                partials.iter().map(|&mem| kernel.mem_param("partials", mem, None)).collect();
            let blocks = kernel.param_for(cut.blocks);
            let extent = kernel.param_for(cut.extent);
            let how = kernel.plan_lanes(op, work(reduces));
            let width = if last.mapping == Mapping::TaskLane { how.width } else { 1 };
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let segment = kernel.code.binary(BinaryOp::SQuot, unit, blocks);
                kernel.bind_flat(outer, segment, stm.span)?;
                let skipped = kernel.code.mul(segment, blocks);
                let number = kernel.code.sub(unit, skipped);
                let from = kernel.code.mul(number, Operand::i64(cut.block));
                let to = kernel.code.add(from, Operand::i64(cut.block));
                let to = kernel.code.binary(BinaryOp::SMin, to, extent);
                let counted = kernel.code.mul(segment, extent);
                let how = LaneLoop { width, counted: Some(counted), ..how.clone() };
                let totals = kernel.reduce_range(stm, op, reduces, &how, (from, to))?;
                kernel.store_totals(&outs, unit.into(), &totals)
            })
        })?;
        let mut cost = self.host_cost(&op.body);
        for reduce in reduces {
            let more = self.host_cost(&reduce.op.body);
            cost = self.code.add(cost, more);
        }
        let length = self.code.binary(BinaryOp::SMin, cut.extent, Operand::i64(cut.block));
        let cost = self.code.mul(cost, length);
        let schedule = if self.is_uneven(&op.body) { Schedule::Dynamic } else { Schedule::Static };
        self.launch(built, Range { extent: units, schedule, cost });
        Ok(())
    }

    /// The kernel that combines the partial results of each segment: into the first of them where there is one
    /// segment, into the result arrays otherwise.
    fn launch_combination(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        cut: &Cut,
        partials: &[Mem],
        segments: Operand,
    ) -> Lowered<()> {
        let (_, outer) = op.space.split_last().expect("a space has dimensions");
        let built = self.build("combine", stm.span, &|kernel, lo, hi| {
            let ins: Vec<Mem> = partials.iter().map(|&mem| kernel.mem_param("partials", mem, None)).collect();
            let blocks = kernel.param_for(cut.blocks);
            let mut how = kernel.plan_lanes(op, Work::Neighbours);
            how.width = if kernel.scalar_only { 1 } else { how.width.min(16) };
            kernel.for_units((lo, hi), &mut |kernel, segment| {
                kernel.bind_flat(outer, segment.into(), stm.span)?;
                let first = kernel.code.mul(segment, blocks);
                let end = kernel.code.add(first, blocks);
                let totals = kernel.combine_partials(reduces, &ins, &how, (first, end))?;
                if outer.is_empty() {
                    return kernel.store_totals(&ins, Operand::i64(0), &totals);
                }
                let totals: Vec<Slot> = totals.into_iter().map(|total| kernel.total_slot(total)).collect();
                for (&var, slot) in stm.pattern.iter().zip(totals) {
                    kernel.store_reduced(var, outer, slot, stm.span)?;
                }
                Ok(())
            })
        })?;
        let schedule = if outer.is_empty() { Schedule::Sequential } else { Schedule::Static };
        let range = Range { extent: segments, schedule, cost: cut.blocks };
        if !outer.is_empty() {
            self.launch(built, range);
            return Ok(());
        }
        let several = self.code.compare(CompareOp::SLt, Operand::i64(1), cut.blocks);
        self.code.open();
        self.launch(built, range);
        let then_block = self.code.close();
        self.code.emit(Op::If { cond: several, then_block, else_block: Vec::new() });
        Ok(())
    }

    /// A kernel's own copy of a host operand.
    pub fn param_for(&mut self, x: Operand) -> Operand {
        match x {
            Operand::Const(_) => x,
            Operand::Reg(_) => self.scalar_param("size", ScalarType::I64, x).into(),
        }
    }

    /// One iteration of a kernel at a time.
    pub fn for_units(
        &mut self,
        (lo, hi): (Reg, Reg),
        body: &mut dyn FnMut(&mut Self, Reg) -> Lowered<()>,
    ) -> Lowered<()> {
        let unit = self.code.int_reg("unit");
        self.code.open();
        let done = body(self, unit);
        let block = self.code.close();
        self.code.emit(Op::For { index: unit, from: lo.into(), to: hi.into(), step: 1, body: block });
        done
    }

    fn store_totals(&mut self, outs: &[Mem], index: Operand, totals: &[Operand]) -> Lowered<()> {
        for (&mem, &total) in outs.iter().zip(totals) {
            let elem = self.code.ty(total).scalar;
            self.code.store(elem, mem, index, total);
        }
        Ok(())
    }

    /// A total in a register of its own.
    fn total_slot(&mut self, total: Operand) -> Slot {
        Slot::Scalar(self.code.copy("total", total), Variance::Uniform)
    }

    /// Reduces part of the last dimension and stores further results on the way.
    pub fn reduce_range(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        how: &LaneLoop,
        (from, to): (Operand, Operand),
    ) -> Lowered<Vec<Operand>> {
        let last = op.space.last().expect("a space has dimensions").index;
        let accs = self.start_all(reduces, how.width)?;
        let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
        self.lane_loop(how, from, to, &mut |this, index| {
            this.bind(last, index);
            this.with_arena(&[&op.body], |this| {
                this.stms(&op.body)?;
                let (inputs, further) = op.body.result.split_at(n_reduced);
                this.store_points(&stm.pattern[n_reduced..], &op.space, further, stm.span)?;
                this.accumulate_all(reduces, &accs, inputs)
            })
        })?;
        self.finish_all(reduces, &accs, how)
    }

    fn start_all(&mut self, reduces: &'a [Reduce], width: u16) -> Lowered<Vec<Accumulators>> {
        reduces.iter().map(|reduce| self.start_reduce(reduce, width)).collect()
    }

    fn accumulate_all(
        &mut self,
        reduces: &'a [Reduce],
        accs: &[Accumulators],
        inputs: &[CoreOperand],
    ) -> Lowered<()> {
        let mut taken = 0;
        for (reduce, acc) in reduces.iter().zip(accs) {
            let values = self.values(&inputs[taken..taken + reduce.neutral.len()]);
            self.accumulate(reduce, acc, &values)?;
            taken += reduce.neutral.len();
        }
        Ok(())
    }

    fn finish_all(
        &mut self,
        reduces: &'a [Reduce],
        accs: &[Accumulators],
        how: &LaneLoop,
    ) -> Lowered<Vec<Operand>> {
        let mut totals = Vec::new();
        for (reduce, acc) in reduces.iter().zip(accs) {
            totals.extend(self.finish_reduce(reduce, acc, how)?);
        }
        Ok(totals)
    }

    /// Combines partial results `first..end`.
    fn combine_partials(
        &mut self,
        reduces: &'a [Reduce],
        ins: &[Mem],
        how: &LaneLoop,
        (first, end): (Operand, Operand),
    ) -> Lowered<Vec<Operand>> {
        let accs = self.start_all(reduces, how.width)?;
        let types = reduced_types(self, reduces);
        self.lane_loop(how, first, end, &mut |this, index| {
            let mut mems = ins.iter().zip(&types);
            for (reduce, acc) in reduces.iter().zip(&accs) {
                let own = mems.by_ref().take(reduce.neutral.len());
                let values: Vec<Value> = own
                    .map(|(&mem, &elem)| {
                        let block = crate::lower::emitter::BlockBinding { mem, interleaved: false };
                        this.load_at(block, elem, index)
                    })
                    .collect();
                this.accumulate(reduce, acc, &values)?;
            }
            Ok(())
        })?;
        self.finish_all(reduces, &accs, how)
    }

    /// A reduction in lanes within a task.
    pub fn inner_reduce(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        last: &'a SegDim,
        reduces: &'a [Reduce],
    ) -> Lowered<()> {
        let how = self.plan_lanes(op, work(reduces));
        let to = self.uniform(last.extent, stm.span)?;
        let totals = self.reduce_range(stm, op, reduces, &how, (Operand::i64(0), to))?;
        let (_, outer) = op.space.split_last().expect("a space has dimensions");
        let reduced: Vec<Var> = stm.pattern[..totals.len()].to_vec();
        for (var, total) in reduced.into_iter().zip(totals) {
            let slot = self.total_slot(total);
            self.store_reduced(var, outer, slot, stm.span)?;
        }
        Ok(())
    }
}

/// Elements of a block: enough work for a task, a multiple of every group of lanes.
fn block_size(op: &SegOp, reduces: &[Reduce]) -> i64 {
    let combining: i64 = reduces.iter().map(|reduce| cost::static_cost(&reduce.op.body, 1000)).sum();
    let cost = cost::static_cost(&op.body, 1000).saturating_add(combining).max(1);
    let size = (BLOCK_COST / cost).clamp(16, 1 << 14) as u64;
    size.next_power_of_two() as i64
}
