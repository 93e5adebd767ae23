//! Rows with short borders: the few points of a border run one at a time, all others in lanes that are known to be in the
//! interior.
//!
//! A group of lanes that contains a border takes the general side of a specialised choice (`specialise`), whose loads are gathers.
//! In rows of a hundred points, two such groups for each row take most of the time. Where nothing in the interior can fail, such a
//! group is split:
//!
//! ```text
//! at = from
//! while at < to {
//!   if low <= at < whole { for j in at..whole step W { fast }; at = whole }
//!   else {
//!     end = min(at + W, to); first..last = the part of at..end in low..high
//!     if few of at..end are not in first..last {
//!       for j in at..first, last..end { general, one point }
//!       if first < last { fast under the mask of first..last }
//!     } else { general under the mask of at..end }
//!     at = end
//!   }
//! }
//! ```
//!
//! Groups keep their positions, so stores stay aligned. Elements of 8 and 16 bits have no masked accesses on processors without mask
//! registers: there `first..last` runs in whole vectors, and the points behind the last whole one run one at a time.
//!
//! A check that fails at a border ends its group; the iterations that run after it are later ones, whose failures do not count.

use warpwise_ir::Var;
use warpwise_prim::{BinaryOp, CompareOp, ScalarType, UnaryOp};

use crate::lower::emitter::{Emitter, Lanes, Lowered, Mask, Value};
use crate::lower::interior::{Bounds, Interior};
use crate::lower::lanes::{LaneBody, LaneLoop};
use crate::op::Op;
use crate::types::{ImpType, Operand, Reg};

/// Maximum number of points of a group that run one at a time.
const FEW: i64 = 4;

/// Size of the smallest elements that processors without mask registers access under masks, in bits.
const NARROWEST_MASKED: u32 = 32;

impl<'a> Emitter<'a> {
    /// Runs `body` for the indices `from..to` with the groups at borders split; `None` where they cannot be.
    pub fn trimmed_loop(
        &mut self,
        how: &LaneLoop,
        (from, to): (Operand, Operand),
        body: LaneBody<'_, 'a>,
    ) -> Option<Lowered<()>> {
        let tells = |interior: &&Interior| how.counted.is_some() || !interior.border_fails;
        let can_part = |interior: &&Interior| interior.can_part && how.width > 1 && !how.masked_only;
        let interior = how.interior.as_ref().filter(can_part).filter(tells)?;
        let bounds = self.interior(how, from, to)?;
        let (low, high) = self.whole_groups_between(&bounds, from, how.width);
        let saved = self.decided;
        let at = self.code.copy("at", from);
        let is_more = |this: &mut Self| this.code.compare(CompareOp::SLt, at, to);
        let done = self.repeat_while(is_more, |this| {
            let reached = this.code.compare(CompareOp::SLe, low, at);
            let within = this.code.compare(CompareOp::SLt, at, high);
            let inside = this.code.binary(BinaryOp::And, reached, within);
            let [fast, parted] = this.either(inside, |this, inside| {
                this.decided = Some((interior.cond, inside));
                let next = match inside {
                    true => high.into(),
                    false => {
                        let next = this.code.add(at, Operand::i64(i64::from(how.width)));
                        this.code.binary(BinaryOp::SMin, next, to)
                    }
                };
                let end = this.code.copy("end", next);
                let done = match inside {
                    true => {
                        let index = this.code.int_reg("j");
                        let step = i64::from(how.width);
                        this.count_up(index, (at.into(), end.into()), step, |this| {
                            this.lanes_at(how, index.into(), Mask::Full, body)
                        })
                    }
                    false => this.border_group(how, interior.cond, &bounds, (at, end), body),
                };
                this.code.set(at, end);
                done
            });
            fast.and(parted)
        });
        self.decided = saved;
        Some(done)
    }

    /// Emits one group, or less, that contains a border.
    fn border_group(
        &mut self,
        how: &LaneLoop,
        cond: Var,
        bounds: &Bounds,
        (at, end): (Reg, Reg),
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let first = self.code.binary(BinaryOp::SMax, bounds.low, at);
        let first = self.code.binary(BinaryOp::SMin, first, end);
        let first = self.code.copy("first", first);
        let last = self.code.binary(BinaryOp::SMin, bounds.high, end);
        let last = self.code.binary(BinaryOp::SMax, last, first);
        let last = self.code.copy("last", last);
        if self.lacks_masks(how) {
            return self.vectors_inside(how, cond, (at, end), (first, last), body);
        }
        let count = self.code.sub(end, at);
        let inside = self.code.sub(last, first);
        let apart = self.code.sub(count, inside);
        let are_few = self.code.compare(CompareOp::SLe, apart, Operand::i64(FEW));
        let [parted, general] = self.either(are_few, |this, are_few| {
            if !are_few {
                let (at, count) = (this.code.copy("at", at), this.code.copy("count", count));
                let how = LaneLoop { interior: None, ..how.clone() };
                return this.rest_group(&how, (at, count), None, body);
            }
            let single = this.points_around(how, (at, end), (first, last), body);
            let is_some = this.code.compare(CompareOp::SLt, first, last);
            let masked = this.when(is_some, |this| {
                this.decided = Some((cond, true));
                let mask = this.lanes_between(how.width, at, (first, last));
                this.lanes_at(how, at.into(), Mask::Some(mask), body)
            });
            this.decided = Some((cond, false));
            single.and(masked)
        });
        parted.and(general)
    }

    /// Whether masked accesses to the dominant type take a branch for each lane.
    fn lacks_masks(&self, how: &LaneLoop) -> bool {
        let target = self.cx.target;
        !target.mask_registers && target.vector_bits / u32::from(how.machine) < NARROWEST_MASKED
    }

    /// Emits a group without masks: single vectors within `first..last`, which is in the interior, and all other points one at a
    /// time.
    fn vectors_inside(
        &mut self,
        how: &LaneLoop,
        cond: Var,
        (at, end): (Reg, Reg),
        (first, last): (Reg, Reg),
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let inside = self.code.sub(last, first);
        let rounded = self.code.binary(BinaryOp::And, inside, Operand::i64(-i64::from(how.machine)));
        let behind = self.code.add(first, rounded);
        let behind = self.code.copy("behind", behind);
        let points = self.points_around(how, (at, end), (first, behind), body);
        self.decided = Some((cond, true));
        let single_vectors = LaneLoop { width: how.machine, ..how.clone() };
        let index = self.code.int_reg("j");
        let step = i64::from(how.machine);
        let vectors = self.count_up(index, (first.into(), behind.into()), step, |this| {
            this.lanes_at(&single_vectors, index.into(), Mask::Full, body)
        });
        self.decided = Some((cond, false));
        points.and(vectors)
    }

    /// Emits the points of a group outside `first..last`, one at a time.
    fn points_around(
        &mut self,
        how: &LaneLoop,
        (at, end): (Reg, Reg),
        (first, last): (Reg, Reg),
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let label = self.code.label();
        let (block, done) = self.block_of(|this| {
            let index = this.code.copy("j", at);
            let is_more = |this: &mut Self| {
                let reached = this.code.compare(CompareOp::Eq, index, first);
                let next = this.code.select(reached, last, index);
                this.code.set(index, next);
                this.code.compare(CompareOp::SLt, index, end)
            };
            this.repeat_while(is_more, |this| {
                let done = this.one_iteration(how, index.into(), label, body);
                let next = this.code.add(index, Operand::i64(1));
                this.code.set(index, next);
                done
            })
        });
        self.scope_if_left(label, block);
        done
    }

    /// Emits the mask of a group's lanes whose indices are in `first..last`.
    fn lanes_between(&mut self, width: u16, at: Reg, (first, last): (Reg, Reg)) -> Reg {
        let [skipped, reached] = [first, last].map(|bound| {
            let count = self.code.sub(bound, at);
            self.first_lanes(width, count)
        });
        let ty = ImpType::vector(ScalarType::Bool, width);
        let rest = self.code.reg("rest", ty);
        self.code.emit(Op::Unary { dst: rest, op: UnaryOp::Not, x: skipped.into() });
        let mask = self.code.reg("mask", ty);
        self.code.emit(Op::Binary { dst: mask, op: BinaryOp::And, x: rest.into(), y: reached.into() });
        mask
    }

    /// Runs the body for a group of lanes. No lane can fail here.
    fn lanes_at(
        &mut self,
        how: &LaneLoop,
        index: Operand,
        mask: Mask,
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let saved = self.lanes.replace(Lanes { width: how.width, mask, facts: how.facts.clone() });
        let done = body(self, Value::Linear { base: index, stride: 1 });
        self.lanes = saved;
        done
    }
}
