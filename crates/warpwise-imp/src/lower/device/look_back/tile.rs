//! The elements of one tile: computed, scanned in local memory, and written with what comes before the tile.

use warpwise_ir::Scan;
use warpwise_prim::CompareOp;

use super::{Combine, Parts, Place, Shared};
use crate::lower::device::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::op::Op;
use crate::types::{Operand, Reg};

impl<'a> Emitter<'a> {
    /// Computes the elements of the tile, neighbours by neighbours.
    pub(super) fn stage(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        self.each_in_tile(parts, place, &mut |this, (at, slot)| {
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

    /// Leaves in `shared.totals` what all elements up to the end of each work-item's part come to.
    pub(super) fn scan_items(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        let carries = self.neutral_carries(parts)?;
        let (first, end) = self.own_part(parts, place);
        self.each_own(parts, place, &mut |this, (at, slot)| {
            this.begin_at_head(parts, place, at, &carries)?;
            match parts.combine {
                Combine::Scans(_) => this.advance_all(parts, &carries, &shared.elements, slot),
                Combine::Members(_) => {
                    this.count_member(&carries[0], shared.elements[0], slot);
                    Ok(())
                }
            }
        })?;
        self.store_all(&shared.totals, &carries, place.item.into());
        self.code.emit(Op::Barrier);
        let mut distance = 1;
        while distance < i64::from(SIZE) {
            let reaches = self.code.compare(CompareOp::SLe, Operand::i64(distance), place.item);
            let before = self.code.sub(first, Operand::i64((distance - 1) * parts.per_item));
            let reaches = self.unless_head(parts, place, (before, end), reaches);
            self.branch_if(reaches, &mut |this| {
                let other = this.code.sub(place.item, Operand::i64(distance));
                this.precede_all(parts, &carries, &shared.totals, other)
            })?;
            self.code.emit(Op::Barrier);
            self.store_all(&shared.totals, &carries, place.item.into());
            self.code.emit(Op::Barrier);
            distance *= 2;
        }
        Ok(())
    }

    /// Replaces the elements of a work-item's part by the scanned ones.
    pub(super) fn finish_tile(
        &mut self,
        parts: &Parts<'a>,
        scans: &'a [Scan],
        place: Place,
        shared: &Shared,
    ) -> Lowered<()> {
        let carries = self.neutral_carries(parts)?;
        self.load_all(&carries, &shared.before, Operand::i64(0));
        let (first, _) = self.own_part(parts, place);
        self.forget_before_head(parts, place, (Operand::i64(0), first), &carries)?;
        let behind_first = self.code.compare(CompareOp::SLt, Operand::i64(0), place.item);
        self.branch_if(behind_first, &mut |this| {
            let other = this.code.sub(place.item, Operand::i64(1));
            this.advance_all(parts, &carries, &shared.totals, other)
        })?;
        self.each_own(parts, place, &mut |this, (at, slot)| {
            this.begin_at_head(parts, place, at, &carries)?;
            let mut before = Vec::new();
            for carry in &carries {
                before.push(carry.iter().map(|&reg| this.code.copy("before", reg)).collect::<Vec<Reg>>());
            }
            this.advance_all(parts, &carries, &shared.elements, slot)?;
            let chosen: Vec<Vec<Reg>> = scans
                .iter()
                .zip(before)
                .zip(&carries)
                .map(|((scan, before), after)| if scan.exclusive { before } else { after.clone() })
                .collect();
            this.store_all(&shared.elements, &chosen, slot);
            Ok(())
        })
    }

    /// Stores the scanned elements, neighbours by neighbours.
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
