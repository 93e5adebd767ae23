//! Tables of histograms in local memory, which groups fill and then combine with the destinations.

use warpwise_ir::{HistOp, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use super::Chunks;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::Built;
use crate::lower::reduce::componentwise_operators;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// The bins that the groups of a launch fill in local memory.
#[derive(Clone, Copy)]
pub(super) enum Bins {
    /// All bins, in this number of copies, a power of two. The copies of a bin lie side by side.
    All { copies: Operand },
    /// The bins from this one on, as many as there is room for.
    From(Operand),
}

/// The tables of a group, for each histogram and component.
pub(super) struct Tables {
    pub mems: Vec<Vec<Mem>>,
    /// Number of elements that each table has room for.
    room: i64,
    bins: Bins,
    item: Reg,
}

impl<'a> Emitter<'a> {
    /// Builds the kernel whose groups fill tables in local memory.
    pub(super) fn build_local(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        ops: &'a [HistOp],
        chunks: Chunks,
        (room, bins): (i64, Bins),
    ) -> Lowered<Built> {
        let kind = if matches!(bins, Bins::All { .. }) { "local_hist" } else { "hist_pass" };
        self.build(kind, stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let (count, chunk) = (kernel.param_for(chunks.count), kernel.param_for(chunks.chunk));
            let bins = match bins {
                Bins::All { copies } => Bins::All { copies: kernel.param_for(copies) },
                Bins::From(base) => Bins::From(kernel.param_for(base)),
            };
            let mut mems = Vec::new();
            for hist in ops {
                let types: Vec<ScalarType> = hist.dests.iter().map(|&dest| kernel.elem(dest)).collect();
                mems.push(types.into_iter().map(|ty| kernel.local_memory("table", ty, room)).collect());
            }
            let tables = Tables { mems, room, bins, item };
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                for (hist, mems) in ops.iter().zip(&tables.mems) {
                    kernel.clear_table(stm, hist, mems, &tables)?;
                }
                kernel.code.emit(Op::Barrier);
                let from = kernel.code.mul(unit, chunk);
                let to = kernel.code.add(from, chunk);
                let to = kernel.code.binary(BinaryOp::SMin, to, count);
                let first = kernel.code.add(from, item);
                kernel.each_combined(stm, op, (first, to), &mut |kernel, results| {
                    kernel.combine_results(stm, ops, results, Some(&tables))
                })?;
                kernel.code.emit(Op::Barrier);
                for (hist, mems) in ops.iter().zip(&tables.mems) {
                    kernel.merge_table(stm, hist, mems, &tables)?;
                }
                Ok(())
            })
        })
    }

    /// Emits `body` with the work-item's place of a bin, if the tables contain the bin.
    pub(super) fn in_table(
        &mut self,
        tables: &Tables,
        bin: Operand,
        body: &mut dyn FnMut(&mut Self, Operand) -> Lowered<()>,
    ) -> Lowered<()> {
        match tables.bins {
            Bins::All { copies } => {
                let mask = self.code.sub(copies, Operand::i64(1));
                let copy = self.code.binary(BinaryOp::And, tables.item, mask);
                let first = self.code.mul(bin, copies);
                let place = self.code.add(first, copy);
                body(self, place)
            }
            Bins::From(base) => {
                let place = self.code.sub(bin, base);
                let begun = self.code.compare(CompareOp::SLe, Operand::i64(0), place);
                let ends = self.code.compare(CompareOp::SLt, place, Operand::i64(tables.room));
                let here = self.code.binary(BinaryOp::And, begun, ends);
                self.branch_if(here, &mut |this| body(this, place))
            }
        }
    }

    /// Sets a table to the neutral elements.
    fn clear_table(&mut self, stm: &Stm, hist: &HistOp, mems: &[Mem], tables: &Tables) -> Lowered<()> {
        let view = self.view(hist.dests[0], stm.span)?;
        let bins = self.bins_here(&view.extents[..hist.rank], tables);
        let places = match tables.bins {
            Bins::All { copies } => self.code.mul(bins, copies),
            Bins::From(_) => bins,
        };
        self.each_in_turn(tables.item.into(), places, &mut |this, place| {
            for (&mem, &neutral) in mems.iter().zip(&hist.neutral) {
                let value = this.uniform(neutral, stm.span)?;
                let elem = this.code.ty(value).scalar;
                this.code.store(elem, mem, place, value);
            }
            Ok(())
        })
    }

    /// Combines a table with the destinations.
    fn merge_table(&mut self, stm: &Stm, hist: &HistOp, mems: &[Mem], tables: &Tables) -> Lowered<()> {
        let Some(operators) = componentwise_operators(&hist.op) else {
            return self.limit(stm.span, "a histogram that needs a lock");
        };
        let view = self.view(hist.dests[0], stm.span)?;
        let here = self.bins_here(&view.extents[..hist.rank], tables);
        self.each_in_turn(tables.item.into(), here, &mut |this, bin| {
            let flat = match tables.bins {
                Bins::All { .. } => bin.into(),
                Bins::From(base) => this.code.add(base, bin),
            };
            let indices = this.unflattened(&view.extents[..hist.rank], flat);
            for ((&mem, &dest), &op) in mems.iter().zip(&hist.dests).zip(&operators) {
                let elem = this.elem(dest);
                let value = match tables.bins {
                    Bins::All { copies } => this.fold_copies(op, (mem, elem), bin, copies),
                    Bins::From(_) => this.code.load("own", elem, mem, bin),
                };
                this.combine_atomically(stm, dest, op, &indices, Value::Uniform(value.into()))?;
            }
            Ok(())
        })
    }

    /// Folds the copies of a bin.
    fn fold_copies(
        &mut self,
        op: BinaryOp,
        (mem, elem): (Mem, ScalarType),
        bin: Reg,
        copies: Operand,
    ) -> Reg {
        let from = self.code.mul(bin, copies);
        let own = self.code.load("own", elem, mem, from);
        let second = self.code.add(from, Operand::i64(1));
        let end = self.code.add(from, copies);
        let place = self.code.int_reg("place");
        self.count_up(place, (second, end), 1, |this| {
            let other = this.code.load("other", elem, mem, place);
            let sum = this.code.binary(op, own, other);
            this.code.set(own, sum);
        });
        own
    }

    /// Returns the number of bins in the range that is filled.
    fn bins_here(&mut self, extents: &[Value], tables: &Tables) -> Operand {
        let all = self.extents_product(extents);
        let Bins::From(base) = tables.bins else { return all };
        let rest = self.code.sub(all, base);
        self.code.binary(BinaryOp::SMin, rest, Operand::i64(tables.room))
    }
}
