//! The elements of one tile: computed, scanned in local memory, and written after combination with the tile's prefix.

use warpwise_prim::CompareOp;

use super::{Combine, Of, Parts, Place, Shared};
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::types::{Operand, Reg};

impl<'a> Emitter<'a> {
    /// Computes the elements of the tile, with neighbouring work-items on neighbouring elements.
    pub(super) fn stage(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        let may_leave = parts.op.body.can_fail();
        self.each_in_tile(parts, place, &mut |this, (at, slot)| {
            if may_leave {
                // The neutral element stands for an element whose check fails.
                let neutral = this.neutral_carries(parts)?;
                this.store_all(&shared.elements, &neutral, slot);
            }
            let index = this.code.add(place.from, at);
            this.counted_as(index, &mut |this| {
                this.bind_flat(&parts.op.space, index, parts.stm.span)?;
                this.stms(&parts.op.body)?;
                let values = this.values(&parts.op.body.result[..shared.elements.len()]);
                for (&mem, value) in shared.elements.iter().zip(values) {
                    let elem = this.scalar_type(value);
                    let value = this.vector(value);
                    this.code.store(elem, mem, slot, value);
                }
                Ok(())
            })
        })
    }

    /// Scans the totals of the work-items: `shared.totals` then holds the combination of all elements up to the end of each
    /// work-item's stretch.
    pub(super) fn scan_items(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        let carries = self.neutral_carries(parts)?;
        self.fold_own(parts, place, shared, &carries)?;
        match self.looks_back() {
            true => self.scan_by_distances(parts, place, shared, &carries),
            false => self.scan_by_runs(parts, place, shared, &carries),
        }
    }

    /// Folds the elements of a work-item's stretch.
    pub(super) fn fold_own(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        shared: &Shared,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        let (first, _) = self.own_part(parts, place);
        let head = self.next_head(parts, place, first);
        self.each_own(parts, place, &mut |this, (at, slot)| {
            this.begin_at_head(parts, place, (at, 1), (head, carries))?;
            match (parts.of, parts.combine) {
                (Of::Elements, Combine::Members(_)) => {
                    this.count_member(&carries[0], shared.elements[0], slot);
                    Ok(())
                }
                (Of::Elements, Combine::Scans(_)) | (Of::Totals(_), _) => {
                    this.advance_all(parts, carries, &shared.elements, slot)
                }
            }
        })
    }

    /// Replaces the elements of a work-item's stretch by the scanned ones.
    pub(super) fn finish_items(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        let carries = self.neutral_carries(parts)?;
        self.load_all(&carries, &shared.before, Operand::i64(0));
        let (first, _) = self.own_part(parts, place);
        self.forget_before_head(parts, place, (Operand::i64(0), first), &carries)?;
        let behind_first = self.code.compare(CompareOp::SLt, Operand::i64(0), place.item);
        self.branch_if(behind_first, &mut |this| {
            let other = this.code.sub(place.item, Operand::i64(1));
            this.advance_all(parts, &carries, &shared.totals, other)
        })?;
        let head = self.next_head(parts, place, first);
        self.each_own(parts, place, &mut |this, (at, slot)| {
            this.begin_at_head(parts, place, (at, 1), (head, &carries))?;
            let before = this.copies(&carries);
            this.advance_all(parts, &carries, &shared.elements, slot)?;
            this.store_all(&shared.elements, &parts.scanned(&before, &carries), slot);
            Ok(())
        })
    }

    fn copies(&mut self, carries: &[Vec<Reg>]) -> Vec<Vec<Reg>> {
        let mut copy = |&reg: &Reg| self.code.copy("before", reg);
        carries.iter().map(|carry| carry.iter().map(&mut copy).collect()).collect()
    }

    /// Stores the scanned elements, with neighbouring work-items on neighbouring elements.
    pub(super) fn store_tile(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        let (body, n_scanned) = (&parts.op.body, shared.elements.len());
        let types = self.combined_types(parts.combine);
        self.each_in_tile(parts, place, &mut |this, (at, slot)| {
            let index = this.code.add(place.from, at);
            this.counted_as(index, &mut |this| {
                this.bind_flat(&parts.op.space, index, parts.stm.span)?;
                let further = &body.result[n_scanned..];
                if !further.is_empty() {
                    this.stms(body)?;
                }
                let mut scanned = Vec::new();
                for (&mem, &elem) in shared.elements.iter().zip(&types) {
                    scanned.push(Value::Uniform(this.code.load("scanned", elem, mem, slot).into()));
                }
                let (arrays, space, span) = (&parts.stm.pattern, &parts.op.space, parts.stm.span);
                this.store_scanned(arrays, space, scanned, further, parts.post, span)
            })
        })
    }
}
