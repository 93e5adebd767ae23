//! The elements of a tile in local memory: their positions, and loops over them.
//!
//! ```text
//! neighbours by neighbours:  for at in item..length step SIZE { slot = at + at / BANKS }
//! those of a work-item:      for at in item * PER_ITEM..(item + 1) * PER_ITEM { slot = at + at / BANKS }
//! of a whole tile:           for r in 0..PER_ITEM { slot = first + r * distance }
//! ```
//!
//! All tiles but the last are whole. Their loops have a constant number of iterations, and positions at constant distances. A
//! kernel for all tiles contains both loops if it is the only one. If it is one of several, its loops for whole tiles skip the
//! positions behind the end of the last tile: that halves the code, which OpenCL drivers compile in half the time.

use warpwise_prim::{BinaryOp, CompareOp};

use super::{BANKS, Parts, Place};
use crate::lower::device::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered};
use crate::op::Op;
use crate::types::Operand;

/// A function that emits code for an element, given its number in the tile and its position in local memory.
type Element<'f, 'e> = &'f mut dyn FnMut(&mut Emitter<'e>, (Operand, Operand)) -> Lowered<()>;

/// A loop over elements of a tile.
struct Walk {
    /// First element, and the end of the loop.
    first: Operand,
    end: Operand,
    /// Distance from one element to the next, in the tile and in local memory.
    step: i64,
    distance: i64,
}

impl<'a> Emitter<'a> {
    /// Emits `body` for all elements of the tile, with the work-items in turn, so that neighbours process neighbouring elements.
    pub(super) fn each_in_tile(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        body: Element<'_, 'a>,
    ) -> Lowered<()> {
        let size = i64::from(SIZE);
        let (step, distance) = (size, size + size / BANKS);
        self.walk_tile(
            parts,
            place,
            Walk { first: place.item.into(), end: place.length, step, distance },
            body,
        )
    }

    /// Emits `body` for the elements of a work-item's stretch, in order.
    pub(super) fn each_own(&mut self, parts: &Parts<'a>, place: Place, body: Element<'_, 'a>) -> Lowered<()> {
        let (first, end) = self.own_part(parts, place);
        self.walk_tile(parts, place, Walk { first, end, step: 1, distance: 1 }, body)
    }

    /// Returns the bounds of the stretch of the tile that a work-item folds.
    pub(super) fn own_part(&mut self, parts: &Parts<'a>, place: Place) -> (Operand, Operand) {
        let first = self.code.mul(place.item, Operand::i64(parts.per_item));
        let end = self.code.add(first, Operand::i64(parts.per_item));
        (first, self.code.binary(BinaryOp::SMin, end, place.length))
    }

    fn walk_tile(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        walk: Walk,
        body: Element<'_, 'a>,
    ) -> Lowered<()> {
        let size = Operand::i64(parts.size());
        if place.length == size {
            return self.walk_whole(parts, &walk, body);
        }
        if !self.looks_back() {
            return self.walk_inside(parts, &walk, body);
        }
        let is_whole = self.code.compare(CompareOp::Eq, place.length, size);
        let [whole, some] = self.either(is_whole, |this, is_whole| match is_whole {
            true => this.walk_whole(parts, &walk, body),
            false => this.walk_some(&walk, body),
        });
        whole.and(some)
    }

    /// Emits the loop over a whole tile.
    fn walk_whole(&mut self, parts: &Parts<'a>, walk: &Walk, body: Element<'_, 'a>) -> Lowered<()> {
        let slot = self.apart(walk.first);
        let index = self.code.int_reg("r");
        let (block, done) = self.block_of(|this| {
            let further = this.code.mul(index, Operand::i64(walk.step));
            let at = this.code.add(walk.first, further);
            let further = this.code.mul(index, Operand::i64(walk.distance));
            let slot = this.code.add(slot, further);
            body(this, (at, slot))
        });
        let to = Operand::i64(parts.per_item);
        self.code.emit(Op::For { index, from: Operand::i64(0), to, step: 1, body: block });
        done
    }

    /// Emits the loop over a whole tile, which skips the elements behind the end.
    fn walk_inside(&mut self, parts: &Parts<'a>, walk: &Walk, body: Element<'_, 'a>) -> Lowered<()> {
        self.walk_whole(parts, walk, &mut |this, (at, slot)| {
            let inside = this.code.compare(CompareOp::SLt, at, walk.end);
            this.branch_if(inside, &mut |this| body(this, (at, slot)))
        })
    }

    /// Emits the loop over the existing elements.
    fn walk_some(&mut self, walk: &Walk, body: Element<'_, 'a>) -> Lowered<()> {
        let index = self.code.int_reg("at");
        self.count_up(index, (walk.first, walk.end), walk.step, |this| {
            let slot = this.apart(index.into());
            body(this, (index.into(), slot))
        })
    }

    /// Returns the position of an element of the tile in local memory. Some positions stay free, so that work-items with
    /// consecutive stretches access different banks of local memory.
    pub(super) fn apart(&mut self, at: Operand) -> Operand {
        let row = self.code.binary(BinaryOp::AShr, at, Operand::i64(i64::from(BANKS.ilog2())));
        self.code.add(at, row)
    }
}
