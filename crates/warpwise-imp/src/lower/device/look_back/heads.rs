//! Where segments begin: of two parts that follow each other the first counts for nothing where one begins in the second.

use warpwise_prim::{BinaryOp, CompareOp};

use super::{Parts, Place};
use crate::lower::emitter::{Emitter, Lowered};
use crate::types::{Operand, Reg};

impl<'a> Emitter<'a> {
    /// `cond`, and that no segment begins in a part `from..to` of the tile.
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

    /// Whether a segment begins in a part `from..to` of the tile: the last one that begins before `to` does so at `from` or
    /// later. None where there is one segment.
    pub(super) fn has_head(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        (from, to): (Operand, Operand),
    ) -> Option<Operand> {
        let segment = parts.segment?;
        let (from, to) = (self.code.add(place.from, from), self.code.add(place.from, to));
        let last = self.code.sub(to, Operand::i64(1));
        let number = self.code.binary(BinaryOp::SQuot, last, segment);
        let head = self.code.mul(number, segment);
        let within = self.code.compare(CompareOp::SLe, from, head);
        let any = self.code.compare(CompareOp::SLt, from, to);
        Some(self.code.binary(BinaryOp::And, within, any))
    }

    /// Sets what is carried to the neutral elements where a segment begins in a part of the tile.
    pub(super) fn forget_before_head(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        part: (Operand, Operand),
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        let Some(head) = self.has_head(parts, place, part) else { return Ok(()) };
        self.branch_if(head, &mut |this| {
            for (scan, carry) in parts.combine.scans().iter().zip(carries) {
                let neutral = this.values(&scan.neutral);
                this.set_all(carry, &neutral);
            }
            Ok(())
        })
    }

    /// Sets what is carried to the neutral elements where a segment begins with an element of the tile.
    pub(super) fn begin_at_head(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        at: Operand,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        if parts.segment.is_none() {
            return Ok(());
        }
        let next = self.code.add(at, Operand::i64(1));
        self.forget_before_head(parts, place, (at, next), carries)
    }
}
