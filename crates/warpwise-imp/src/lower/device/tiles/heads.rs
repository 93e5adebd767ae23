//! Segment starts: where a segment begins in the second of two consecutive stretches, the first is dropped from their combination.

use warpwise_prim::{BinaryOp, CompareOp};

use super::{Of, Parts, Place};
use crate::lower::emitter::{Emitter, Lowered};
use crate::types::{Operand, Reg};

impl<'a> Emitter<'a> {
    /// Emits `cond`, and that no segment begins in the stretch `part` of the tile.
    pub(super) fn unless_head(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        part: (Operand, Operand),
        cond: Operand,
    ) -> Operand {
        let Some(head) = self.has_head(parts, place, part) else { return cond };
        let open = self.code.not(head);
        self.code.binary(BinaryOp::And, cond, open)
    }

    /// Emits whether a segment begins in the stretch `from..to` of the tile: the last segment that begins before `to` does so at
    /// `from` or later. Returns `None` if there is only one segment.
    fn has_head(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        (from, to): (Operand, Operand),
    ) -> Option<Operand> {
        let segment = parts.segment?;
        let (from, to) = (self.in_space(parts, place, from), self.in_space(parts, place, to));
        let last = self.code.sub(to, Operand::i64(1));
        let number = self.code.binary(BinaryOp::SQuot, last, segment);
        let head = self.code.mul(number, segment);
        let within = self.code.compare(CompareOp::SLe, from, head);
        let any = self.code.compare(CompareOp::SLt, from, to);
        Some(self.code.binary(BinaryOp::And, within, any))
    }

    /// Sets the carries to the neutral elements where a segment begins in a stretch of the tile.
    pub(super) fn forget_before_head(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        part: (Operand, Operand),
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        let Some(head) = self.has_head(parts, place, part) else { return Ok(()) };
        self.branch_if(head, &mut |this| {
            this.forget(parts, carries);
            Ok(())
        })
    }

    fn forget(&mut self, parts: &Parts<'a>, carries: &[Vec<Reg>]) {
        for (scan, carry) in parts.combine.scans().iter().zip(carries) {
            let neutral = self.values(&scan.neutral);
            self.set_all(carry, &neutral);
        }
    }

    /// Returns the position in the space of the first segment start at this element of the tile or later; `None` if there is only
    /// one segment.
    pub(super) fn next_head(&mut self, parts: &Parts<'a>, place: Place, at: Operand) -> Option<Reg> {
        let segment = parts.segment?;
        let from = self.in_space(parts, place, at);
        let head = self.head_from(segment, from);
        Some(self.code.copy("head", head))
    }

    /// Sets the carries to the neutral elements where a segment begins in a stretch of `count` elements of the tile. It divides
    /// once for each segment instead of each stretch: `head` advances to the next segment start.
    pub(super) fn begin_at_head(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        (at, count): (Operand, i64),
        (head, carries): (Option<Reg>, &[Vec<Reg>]),
    ) -> Lowered<()> {
        let (Some(segment), Some(head)) = (parts.segment, head) else { return Ok(()) };
        let next = self.code.add(at, Operand::i64(count));
        let end = self.in_space(parts, place, next);
        let begins = self.code.compare(CompareOp::SLt, head, end);
        self.branch_if(begins, &mut |this| {
            this.forget(parts, carries);
            let next = match parts.of {
                Of::Elements if count == 1 => this.code.add(head, segment),
                Of::Elements | Of::Totals(_) => this.head_from(segment, end),
            };
            this.code.set(head, next);
            Ok(())
        })
    }

    /// Returns the first segment start at a position of the space or later.
    fn head_from(&mut self, segment: Operand, from: Operand) -> Operand {
        let before = self.code.sub(segment, Operand::i64(1));
        let rounded = self.code.add(from, before);
        let number = self.code.binary(BinaryOp::SQuot, rounded, segment);
        self.code.mul(number, segment)
    }

    /// Returns the position in the space at which an element of the tile begins.
    fn in_space(&mut self, parts: &Parts<'a>, place: Place, at: Operand) -> Operand {
        let at = self.code.add(place.from, at);
        match parts.of {
            Of::Elements => at,
            Of::Totals(each) => self.code.mul(at, Operand::i64(each)),
        }
    }
}
