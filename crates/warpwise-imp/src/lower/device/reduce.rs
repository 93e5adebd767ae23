//! Reductions by work-groups: one group for each block, then groups for the partial results of each segment.
//!
//! ```text
//! reduce:   partial[unit] = fold of the block, by a group            // or the total, where it is the only block of the only segment
//! fold:     partial[unit] = fold of so many partials, by a group     // where there are very many
//! combine:  total[segment] = fold of its partials, by a group
//! ```
//!
//! A group that combined a hundred thousand partial results would take as long as all blocks together.
//!
//! Needs: results that are arrays, which the pass `migrate` ensures.

use warpwise_diag::Span;
use warpwise_ir::{Reduce, SegOp, Stm};
use warpwise_prim::CompareOp;
use warpwise_runtime::machine::Schedule;

use super::groups::SIZE;
use crate::lower::blocks::Cut;
use crate::lower::cost;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::in_order::in_order;
use crate::lower::kernels::{Built, Range};
use crate::lower::stms::allocates;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg, Space};

/// Number of elements of a block that a work-item folds.
const PER_ITEM: i64 = 16;

/// Maximum number of partial results that one group folds; if there are more, several groups share them.
const FAN_IN: i64 = 1 << 11;

/// Size of local memory that every device has available, in bytes.
const LOCAL: i64 = 16 << 10;

impl<'a> Emitter<'a> {
    /// Returns whether work-groups can compute a reduction. Work-items that wait for each other must not allocate in the arena,
    /// local memory is small, and work-items without an element use neutral elements, on which no operator may fail.
    pub fn can_group(&self, op: &SegOp, reduces: &[Reduce]) -> bool {
        let bytes: i64 = self.reduced_types(reduces).iter().map(|ty| ty.bytes() as i64).sum();
        let alone = allocates(&op.body) || reduces.iter().any(|reduce| allocates(&reduce.op.body));
        let fails = reduces.iter().any(|reduce| in_order(&reduce.op));
        !alone && !fails && bytes * i64::from(SIZE) <= LOCAL
    }

    /// Launches a reduction by work-groups.
    pub fn group_reduce(&mut self, stm: &'a Stm, op: &'a SegOp, reduces: &'a [Reduce]) -> Lowered<()> {
        let cut = self.cut(&op.space, i64::from(SIZE) * PER_ITEM, stm.span)?;
        let partials = self.unit_values(&cut, &self.reduced_types(reduces));
        let built = self.build_group_blocks(stm, op, reduces, &cut, &partials)?;
        let mut cost = self.host_cost(&op.body);
        for lambda in cost::lambdas(&op.kind) {
            let more = self.host_cost(&lambda.body);
            cost = self.code.add(cost, more);
        }
        let cost = self.block_cost(&cut, cost);
        self.launch(built, Range { extent: cut.units, schedule: Schedule::Static, cost });
        if cut.segments == Operand::i64(1) {
            let several = self.code.compare(CompareOp::SLt, Operand::i64(1), cut.blocks);
            self.branch_if(several, &mut |this| this.combine_blocks(stm, op, reduces, &cut, &partials))?;
        } else {
            self.combine_blocks(stm, op, reduces, &cut, &partials)?;
        }
        self.release_locals(partials);
        Ok(())
    }

    /// Launches the kernels that fold the partial results of each segment to its total.
    fn combine_blocks(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        cut: &Cut,
        partials: &[Mem],
    ) -> Lowered<()> {
        let parts: Vec<Mem> = partials.iter().map(|_| self.code.mem("parts", Space::Global)).collect();
        self.share_all(&parts, partials);
        let blocks = self.code.copy("blocks", cut.blocks);
        let many = self.code.compare(CompareOp::SLt, Operand::i64(FAN_IN), cut.blocks);
        self.branch_if(many, &mut |this| {
            let fewer = this.code.ceil_div(cut.blocks, FAN_IN);
            let units = this.code.mul(cut.segments, fewer);
            let above = Cut { block: FAN_IN, blocks: fewer, extent: cut.blocks, units, ..*cut };
            let folded = this.unit_values(&above, &this.reduced_types(reduces));
            let built = this.build_fold(stm, op, reduces, &above, (partials, &folded))?;
            let cost = Operand::i64(FAN_IN);
            this.launch(built, Range { extent: units, schedule: Schedule::Static, cost });
            this.share_all(&parts, &folded);
            this.code.set(blocks, fewer);
            this.release_locals(folded);
            Ok(())
        })?;
        let built = self.build_group_combination(stm, op, reduces, blocks, &parts)?;
        let range = Range { extent: cut.segments, schedule: Schedule::Static, cost: blocks.into() };
        self.launch(built, range);
        self.release_locals(parts);
        Ok(())
    }

    fn share_all(&mut self, to: &[Mem], from: &[Mem]) {
        for (&dst, &src) in to.iter().zip(from) {
            self.code.emit(Op::SetMem { dst, src });
        }
    }

    /// Builds the kernel that folds blocks to partial results.
    fn build_group_blocks(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        cut: &Cut,
        partials: &[Mem],
    ) -> Lowered<Built> {
        let (last, outer) = op.space.split_last().expect("a space has dimensions");
        let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
        self.build("reduce", stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let outs: Vec<Mem> =
                partials.iter().map(|&mem| kernel.mem_param("partials", mem, None)).collect();
            let cut = kernel.cut_param(cut);
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let unit = kernel.unit(&cut, outer, unit, stm.span)?;
                let range = (unit.from, unit.to);
                let totals =
                    kernel.group_fold(reduces, item, range, stm.span, &mut |kernel, index, folded| {
                        let iteration = kernel.code.add(unit.counted, index);
                        kernel.counted_as(iteration, &mut |kernel| {
                            kernel.bind_uniform(last.index, index);
                            kernel.stms(&op.body)?;
                            let (inputs, further) = op.body.result.split_at(n_reduced);
                            kernel.store_points(&stm.pattern[n_reduced..], &op.space, further, stm.span)?;
                            kernel.fold_element(reduces, folded, inputs)
                        })
                    })?;
                kernel.first_item(item, &mut |kernel| {
                    let totals: Vec<Operand> = totals.iter().flatten().map(|&reg| reg.into()).collect();
                    if cut.segments != Operand::i64(1) {
                        return kernel.store_totals(&outs, unit.unit.into(), &totals);
                    }
                    // The only block of the only segment: nothing remains to be combined.
                    let only = kernel.code.compare(CompareOp::Eq, cut.blocks, Operand::i64(1));
                    let (whole, part) = kernel.choose(
                        only,
                        |kernel| kernel.store_reductions(stm, op, totals.clone()),
                        |kernel| kernel.store_totals(&outs, unit.unit.into(), &totals),
                    );
                    whole.and(part)
                })
            })
        })
    }

    /// Builds the kernel that folds every block of partial results of a segment to one.
    fn build_fold(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        cut: &Cut,
        (from, to): (&[Mem], &[Mem]),
    ) -> Lowered<Built> {
        let (_, outer) = op.space.split_last().expect("a space has dimensions");
        self.build("fold", stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let ins: Vec<Mem> = from.iter().map(|&mem| kernel.mem_param("partials", mem, None)).collect();
            let outs: Vec<Mem> = to.iter().map(|&mem| kernel.mem_param("folded", mem, None)).collect();
            let cut = kernel.cut_param(cut);
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let unit = kernel.unit(&cut, outer, unit, stm.span)?;
                let range =
                    (kernel.code.add(unit.counted, unit.from), kernel.code.add(unit.counted, unit.to));
                let totals = kernel.fold_partials(reduces, item, &ins, range, stm.span)?;
                kernel.first_item(item, &mut |kernel| kernel.store_totals(&outs, unit.unit.into(), &totals))
            })
        })
    }

    /// Builds the kernel that folds the partial results of each segment into the result arrays.
    fn build_group_combination(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        reduces: &'a [Reduce],
        blocks: Reg,
        parts: &[Mem],
    ) -> Lowered<Built> {
        let (_, outer) = op.space.split_last().expect("a space has dimensions");
        self.build("combine", stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let ins: Vec<Mem> = parts.iter().map(|&mem| kernel.mem_param("partials", mem, None)).collect();
            let blocks = kernel.param_for(blocks.into());
            kernel.for_units((lo, hi), &mut |kernel, segment| {
                kernel.bind_flat(outer, segment.into(), stm.span)?;
                let first = kernel.code.mul(segment, blocks);
                let end = kernel.code.add(first, blocks);
                let totals = kernel.fold_partials(reduces, item, &ins, (first, end), stm.span)?;
                kernel.first_item(item, &mut |kernel| kernel.store_reductions(stm, op, totals.clone()))
            })
        })
    }

    /// Folds partial results with the group. The totals are in the registers of the first work-item.
    fn fold_partials(
        &mut self,
        reduces: &'a [Reduce],
        item: Reg,
        ins: &[Mem],
        range: (Operand, Operand),
        span: Span,
    ) -> Lowered<Vec<Operand>> {
        let totals = self.group_fold(reduces, item, range, span, &mut |kernel, index, folded| {
            kernel.counted_as(index.into(), &mut |kernel| {
                let types = kernel.folded_types(folded);
                let mut values = Vec::new();
                for (&mem, elem) in ins.iter().zip(types) {
                    let partial = kernel.code.load("partial", elem, mem, index);
                    values.push(Value::Uniform(partial.into()));
                }
                let mut taken = 0;
                for (reduce, accs) in reduces.iter().zip(folded) {
                    kernel.advance(&reduce.op, accs, &values[taken..taken + accs.len()])?;
                    taken += accs.len();
                }
                Ok(())
            })
        })?;
        Ok(totals.iter().flatten().map(|&reg| reg.into()).collect())
    }
}
