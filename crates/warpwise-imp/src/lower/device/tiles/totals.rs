//! Scan of the totals of a tile's work-items: runs of neighbours are scanned by one work-item each, and the runs by one work-item.
//!
//! ```text
//! total[item] = what the work-item has folded; barrier
//! if item < SIZE / RUN { scan total[item * RUN..(item + 1) * RUN] in place; run[item] = the last of them }; barrier
//! if item == 0 { scan run in place }; barrier
//! total[item] = op(run[item / RUN - 1], total[item]); barrier
//! ```
//!
//! Or, where there is one launch, by distances that double:
//!
//! ```text
//! for distance in [1, 2, 4, ...] { if distance <= item { x = op(total[item - distance], x) }; barrier; total[item] = x; barrier }
//! ```
//!
//! Runs take twice as many steps and a quarter of the barriers. The loads of a step do not depend on the step before, and on a CPU
//! a barrier costs as much as many steps.

use warpwise_prim::{BinaryOp, CompareOp};

use super::{Parts, Place, Shared};
use crate::lower::device::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered};
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// Number of work-items of a run.
const RUN: i64 = 8;

/// Number of runs of a tile.
pub(super) const RUNS: i64 = SIZE as i64 / RUN;

impl<'a> Emitter<'a> {
    /// Scans the totals of the work-items: `shared.totals` then holds the combination of all elements up to the end of each
    /// work-item's stretch.
    pub(super) fn scan_by_runs(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        shared: &Shared,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        self.scan_runs(parts, place, shared, carries)?;
        self.first_item(place.item, &mut |this| this.scan_all_runs(parts, place, shared).map(drop))?;
        self.code.emit(Op::Barrier);
        let run = self.code.binary(BinaryOp::AShr, place.item, Operand::i64(i64::from(RUN.ilog2())));
        let first = self.code.mul(run, Operand::i64(RUN * parts.per_item));
        let (_, end) = self.own_part(parts, place);
        let behind_first = self.code.compare(CompareOp::SLt, Operand::i64(0), run);
        let follows = self.unless_head(parts, place, (first, end), behind_first);
        self.branch_if(follows, &mut |this| {
            let before = this.code.sub(run, Operand::i64(1));
            this.load_all(carries, &shared.totals, place.item.into());
            this.precede_all(parts, carries, &shared.runs, before)?;
            this.store_all(&shared.totals, carries, place.item.into());
            Ok(())
        })?;
        self.code.emit(Op::Barrier);
        Ok(())
    }

    /// As [`Emitter::scan_by_runs`]; the results are in the work-items' registers as well.
    pub(super) fn scan_by_distances(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        shared: &Shared,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        let (first, end) = self.own_part(parts, place);
        self.store_all(&shared.totals, carries, place.item.into());
        self.code.emit(Op::Barrier);
        let mut distance = 1;
        while distance < i64::from(SIZE) {
            let reaches = self.code.compare(CompareOp::SLe, Operand::i64(distance), place.item);
            let before = self.code.sub(first, Operand::i64((distance - 1) * parts.per_item));
            let reaches = self.unless_head(parts, place, (before, end), reaches);
            self.branch_if(reaches, &mut |this| {
                let other = this.code.sub(place.item, Operand::i64(distance));
                this.precede_all(parts, carries, &shared.totals, other)
            })?;
            self.code.emit(Op::Barrier);
            self.store_all(&shared.totals, carries, place.item.into());
            self.code.emit(Op::Barrier);
            distance *= 2;
        }
        Ok(())
    }

    /// Folds the totals of the work-items. The result is in the registers of the first work-item, which runs `then`.
    pub(super) fn fold_totals(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        (shared, carries): (&Shared, &[Vec<Reg>]),
        then: &mut dyn FnMut(&mut Self, &[Vec<Reg>]),
    ) -> Lowered<()> {
        self.scan_runs(parts, place, shared, carries)?;
        self.first_item(place.item, &mut |this| {
            let total = this.scan_all_runs(parts, place, shared)?;
            then(this, &total);
            Ok(())
        })
    }

    /// Scans each run by one work-item.
    fn scan_runs(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        shared: &Shared,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        self.store_all(&shared.totals, carries, place.item.into());
        self.code.emit(Op::Barrier);
        let has_run = self.code.compare(CompareOp::SLt, place.item, Operand::i64(RUNS));
        self.branch_if(has_run, &mut |this| {
            let first = this.code.mul(place.item, Operand::i64(RUN));
            let total = this.scan_in_order(parts, place, &shared.totals, (first, RUN, parts.per_item))?;
            this.store_all(&shared.runs, &total, place.item.into());
            Ok(())
        })?;
        self.code.emit(Op::Barrier);
        Ok(())
    }

    fn scan_all_runs(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<Vec<Vec<Reg>>> {
        self.scan_in_order(parts, place, &shared.runs, (Operand::i64(0), RUNS, RUN * parts.per_item))
    }

    /// Scans `count` values in place, each of which stands for `each` elements of the tile; returns their combination.
    fn scan_in_order(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        mems: &[Mem],
        (first, count, each): (Operand, i64, i64),
    ) -> Lowered<Vec<Vec<Reg>>> {
        let carries = self.neutral_carries(parts)?;
        let from = self.code.mul(first, Operand::i64(each));
        let head = self.next_head(parts, place, from);
        let index = self.code.int_reg("r");
        let (body, done) = self.block_of(|this| {
            let at = this.code.add(first, index);
            let from = this.code.mul(at, Operand::i64(each));
            let done = this.begin_at_head(parts, place, (from, each), (head, &carries));
            let done = done.and_then(|()| this.advance_all(parts, &carries, mems, at));
            this.store_all(mems, &carries, at);
            done
        });
        let to = Operand::i64(count);
        self.code.emit(Op::For { index, from: Operand::i64(0), to, step: 1, body });
        done.map(|()| carries)
    }
}
