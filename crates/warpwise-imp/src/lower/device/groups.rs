//! Folds by a work-group: every work-item folds its share of the elements, and the results are folded through local memory.
//!
//! ```text
//! acc = neutral; for each element of the share { acc = op(acc, element) }
//! partial[item] = acc; barrier
//! for half in [size/2, size/4, ..., 1] { if item < half { acc = op(acc, partial[item + half]); partial[item] = acc }; barrier }
//! ```
//!
//! Where the operator is commutative, the work-items take elements in turn, so that neighbours load side by side. For any other
//! operator the shares are consecutive elements, and neighbours are folded first: `half` goes up, from multiples of `2 * half`.
//! The order of combination therefore depends only on the number of elements and the size of the group.

use warpwise_diag::Span;
use warpwise_ir::Reduce;
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use crate::lower::emitter::{Emitter, Lowered, Scratch, Value};
use crate::lower::reduce::commutes;
use crate::op::Op;
use crate::program::{Group, LocalArray};
use crate::types::{ImpType, Mem, Operand, Reg, Space};

/// Number of work-items of a group.
pub(super) const SIZE: u32 = 128;

/// The values that a work-item has folded so far, for each reduction and value.
pub(super) type Folded = Vec<Vec<Reg>>;

/// A function that folds the element at an index into the accumulators.
pub(super) type Element<'f, 'e> = &'f mut dyn FnMut(&mut Emitter<'e>, Reg, &Folded) -> Lowered<()>;

impl<'a> Emitter<'a> {
    /// Makes the kernel one of work-groups. Returns the index of the work-item.
    pub fn start_group(&mut self) -> Reg {
        let item = self.code.int_reg("item");
        self.group = Some(Group { size: SIZE, item, local: Vec::new() });
        item
    }

    /// Folds the elements `from..to` with the group. The totals end up in the registers of the first work-item.
    pub fn group_fold(
        &mut self,
        reduces: &'a [Reduce],
        item: Reg,
        range: (Operand, Operand),
        span: Span,
        element: Element<'_, 'a>,
    ) -> Lowered<Folded> {
        let folded = self.fold_shares(reduces, item, range, span, element)?;
        let all = Operand::i64(i64::from(SIZE));
        for (reduce, accs) in reduces.iter().zip(&folded) {
            self.fold_items(reduce, item, (item.into(), all), accs)?;
        }
        Ok(folded)
    }

    /// Folds this work-item's share of the elements `from..to`.
    pub fn fold_shares(
        &mut self,
        reduces: &'a [Reduce],
        item: Reg,
        (from, to): (Operand, Operand),
        span: Span,
        element: Element<'_, 'a>,
    ) -> Lowered<Folded> {
        let mut folded = Folded::new();
        for reduce in reduces {
            folded.push(self.neutral_regs(&reduce.neutral, span)?);
        }
        let in_turn = reduces.iter().all(commutes);
        let (first, end, step) = if in_turn {
            (self.code.add(from, item), to, i64::from(SIZE))
        } else {
            let count = self.code.sub(to, from);
            let share = self.code.ceil_div(count, i64::from(SIZE));
            let before = self.code.mul(share, item);
            let first = self.code.add(from, before);
            let end = self.code.add(first, share);
            (first, self.code.binary(BinaryOp::SMin, end, to), 1)
        };
        let index = self.code.int_reg("j");
        let done = self.count_up(index, (first, end), step, |this| element(this, index, &folded));
        done?;
        Ok(folded)
    }

    /// Folds the values of `width` neighbouring work-items, a power of two, in which this one has index `lane`. The result ends up
    /// with the first of them, in its registers and in the local arrays that are returned. All work-items of the group take part.
    pub fn fold_items(
        &mut self,
        reduce: &'a Reduce,
        item: Reg,
        (lane, width): (Operand, Operand),
        accs: &[Reg],
    ) -> Lowered<Vec<Mem>> {
        let arrays: Vec<Mem> = accs.iter().map(|&acc| self.scratch_array(acc)).collect();
        self.store_own(&arrays, accs, item);
        self.code.emit(Op::Barrier);
        let up = !commutes(reduce);
        let first =
            if up { Operand::i64(1) } else { self.code.binary(BinaryOp::AShr, width, Operand::i64(1)) };
        let half = self.code.copy("half", first);
        let (test, more) = self.block_of(|this| match up {
            true => this.code.compare(CompareOp::SLt, half, width),
            false => this.code.compare(CompareOp::SLt, Operand::i64(0), half),
        });
        let (body, done) = self.block_of(|this| {
            let takes = if up {
                let twice = this.code.add(half, half);
                let mask = this.code.sub(twice, Operand::i64(1));
                let rest = this.code.binary(BinaryOp::And, lane, mask);
                this.code.compare(CompareOp::Eq, rest, Operand::i64(0))
            } else {
                this.code.compare(CompareOp::SLt, lane, half)
            };
            let done = this.branch_if(takes, &mut |this| {
                let other = this.code.add(item, half);
                let mut values = Vec::new();
                for (&mem, &acc) in arrays.iter().zip(accs) {
                    let elem = this.code.regs[acc].ty.scalar;
                    values.push(Value::Uniform(this.code.load("other", elem, mem, other).into()));
                }
                this.advance(&reduce.op, accs, &values)?;
                // No work-item reads these places in this step.
                this.store_own(&arrays, accs, item);
                Ok(())
            });
            this.code.emit(Op::Barrier);
            let (op, by) = if up { (BinaryOp::Shl, 1) } else { (BinaryOp::AShr, 1) };
            let next = this.code.binary(op, half, Operand::i64(by));
            this.code.set(half, next);
            done
        });
        self.code.emit(Op::While { test, cond: more, body });
        done.map(|()| arrays)
    }

    /// Stores the values of a work-item at its index.
    pub fn store_own(&mut self, arrays: &[Mem], accs: &[Reg], item: Reg) {
        for (&mem, &acc) in arrays.iter().zip(accs) {
            let elem = self.code.regs[acc].ty.scalar;
            self.code.store(elem, mem, item, acc);
        }
    }

    /// Returns an array in local memory with one element for each work-item, of the type of the register `like`.
    pub fn scratch_array(&mut self, like: Reg) -> Mem {
        let ImpType { scalar: elem, .. } = self.code.regs[like].ty;
        let free = |array: &&mut Scratch| !array.taken && array.elem == elem;
        if let Some(array) = self.scratch.iter_mut().flatten().find(free) {
            array.taken = true;
            return array.mem;
        }
        let mem = self.local_memory("partial", elem, i64::from(SIZE));
        if let Some(arrays) = &mut self.scratch {
            arrays.push(Scratch { mem, elem, taken: true });
        }
        mem
    }

    /// Adds an array in local memory with a constant number of elements.
    pub fn local_memory(&mut self, name: &str, elem: ScalarType, count: i64) -> Mem {
        self.local_array(name, elem, Operand::i64(count))
    }

    /// Adds an array in local memory.
    pub fn local_array(&mut self, name: &str, elem: ScalarType, count: Operand) -> Mem {
        let mem = self.code.mem(name, Space::Local);
        if let Some(group) = &mut self.group {
            group.local.push(LocalArray { mem, elem, count });
        }
        mem
    }

    /// Emits the largest power of two up to `most`, between two powers of two.
    pub fn power_of_two(&mut self, most: Operand, (least, greatest): (i64, i64)) -> Operand {
        let mut power = Operand::i64(least);
        let mut next = 2 * least;
        while next <= greatest {
            let fits = self.code.compare(CompareOp::SLe, Operand::i64(next), most);
            power = self.code.select(fits, Operand::i64(next), power);
            next *= 2;
        }
        power
    }

    /// Emits `body` for the first work-item only.
    pub fn first_item(&mut self, item: Reg, body: super::points::Inside<'_, 'a>) -> Lowered<()> {
        let first = self.code.compare(CompareOp::Eq, item, Operand::i64(0));
        self.branch_if(first, body)
    }

    /// Returns the element types of the folded values.
    pub fn folded_types(&self, folded: &Folded) -> Vec<ScalarType> {
        folded.iter().flatten().map(|&reg| self.code.regs[reg].ty.scalar).collect()
    }
}
