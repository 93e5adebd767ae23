//! Lane loops: whole groups with all lanes running, then one masked group for the rest.
//!
//! ```text
//! whole = from + (to - from rounded down to a multiple of W)
//! tail = whole; count = to - whole
//! scope { for j in from..whole step W { body of all lanes } }    // a failing group: tail = j, count = lane
//! while count > 0 { body of the first `count` lanes at `tail`; count = lanes before a failing one, less than before; or 0 }
//! ```
//!
//! Code that should be small has masked groups only:
//!
//! ```text
//! at = from; end = to
//! while at < end { body of the first min(W, end - at) lanes at `at`; at = at + W }    // a failing group: end = the failing lane
//! ```
//!
//! Groups that contain a border may be split: see `trimmed`.
//!
//! Nothing is observable after a failure, and later groups have later iterations, so a failing group ends the loop; only the lanes
//! before the failing one run again (see `checks`). Bodies that overwrite memory they read may, in that second run, report a later
//! check than a sequential run would.

use std::rc::Rc;

use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use crate::lower::emitter::{Emitter, Failing, Lanes, Lowered, Mask, Value};
use crate::lower::interior::Interior;
use crate::lower::variance::Variances;
use crate::op::{Block, Label, Op};
use crate::traverse::any_op;
use crate::types::{ImpType, Operand, Reg};

/// The shape of a lane loop.
#[derive(Clone)]
pub(super) struct LaneLoop {
    /// Number of lanes of a group; 1 for a scalar loop.
    pub width: u16,
    /// Variances of values across the lanes.
    pub facts: Rc<Variances>,
    /// Flat iteration of index 0, where iterations are counted for each lane.
    pub counted: Option<Operand>,
    /// Register that is set when a check has failed, where iterations are counted.
    pub told: Option<Reg>,
    /// Number of lanes of one machine vector of the dominant type; `width` is a multiple of it.
    pub machine: u16,
    /// Whether the bounds allow whole groups only.
    pub whole_only: bool,
    /// Whether all groups run under masks, so that the body is emitted once.
    pub masked_only: bool,
    /// Whether a row that is not a multiple of the group ends with single vectors. Only for bodies without checks, since no group
    /// is run again.
    pub steps_down: bool,
    /// Length of the inner loops into which a scalar loop is split, a power of two.
    pub turns: i64,
    /// Specialised choice that the body consists of, if its interior gets groups of its own.
    pub interior: Option<Interior>,
}

/// The body of a loop, called for each version of the code with its index or the indices of a group.
pub(super) type LaneBody<'b, 'a> = &'b mut dyn FnMut(&mut Emitter<'a>, Value) -> Lowered<()>;

/// The exits of a failing group.
#[derive(Clone, Copy)]
struct Exits {
    /// Scope of the loop, which the group leaves.
    label: Label,
    /// Register for the number of lanes before the failing one.
    retry: Reg,
    /// Within an iteration of a kernel: the action where the iteration fails, and the register that is set when it does.
    inner: Option<(Failing, Reg)>,
}

impl LaneLoop {
    /// Returns a loop in groups of `width` lanes, for a body without control flow.
    pub fn simple(width: u16) -> LaneLoop {
        let facts = Rc::new(Variances::default());
        LaneLoop {
            width,
            facts,
            counted: None,
            told: None,
            machine: width,
            whole_only: false,
            masked_only: false,
            steps_down: false,
            turns: 1,
            interior: None,
        }
    }
}

impl<'a> Emitter<'a> {
    /// Emits a loop that runs `body` for the indices `from..to`, a group of lanes at a time. `body` is called for each version of
    /// the code, with the group's indices.
    pub fn lane_loop(
        &mut self,
        how: &LaneLoop,
        from: Operand,
        to: Operand,
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        if how.width == 1 {
            return self.scalar_loop(how, from, to, body);
        }
        if let Some(done) = self.trimmed_loop(how, (from, to), body) {
            return done;
        }
        let Some(outer) = self.failing.filter(|_| how.counted.is_none()) else {
            return self.groups(how, from, to, None, body);
        };
        // Inside an iteration, a failing group first leaves its own loop, so that the lanes before the failing one run again.
        let failed = self.code.reg("failed", ImpType::scalar(ScalarType::Bool));
        let (block, done) = self.block_of(|this| this.groups(how, from, to, Some((outer, failed)), body));
        let can_fail = sets(&block, failed);
        if can_fail {
            self.code.set(failed, Operand::Const(Scalar::Bool(false)));
        }
        block.into_iter().for_each(|op| self.code.emit(op));
        if can_fail {
            let tell = outer.failed.map(|dst| Op::Move { dst, x: Operand::Const(Scalar::Bool(true)) });
            let then_block = tell.into_iter().chain([Op::Leave { label: outer.exit }]).collect();
            self.code.emit(Op::If { cond: failed.into(), then_block, else_block: Block::new() });
        }
        done
    }

    fn groups(
        &mut self,
        how: &LaneLoop,
        from: Operand,
        to: Operand,
        inner: Option<(Failing, Reg)>,
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        if how.masked_only {
            return self.masked_groups(how, from, to, inner, body);
        }
        let extent = self.code.sub(to, from);
        let rounded = self.code.binary(BinaryOp::And, extent, Operand::i64(-i64::from(how.width)));
        let whole = self.code.add(from, rounded);
        let tail = self.code.copy("tail", whole);
        let rest = self.code.sub(to, whole);
        let count = self.code.copy("count", rest);
        let can_fail = self.whole_groups(how, from, whole, (tail, count), inner, body)?;
        if how.whole_only && !can_fail {
            return Ok(());
        }
        self.rest_group(how, (tail, count), inner, body)
    }

    /// As [`Emitter::lane_loop`], for bounds that may be only a few groups apart. Where the loop steps down, it runs several
    /// vectors at a time and then single ones.
    pub fn row_loop(
        &mut self,
        how: &LaneLoop,
        from: Operand,
        to: Operand,
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        if !how.steps_down || how.machine >= how.width {
            return self.lane_loop(how, from, to, body);
        }
        if let Some(done) = self.trimmed_loop(how, (from, to), body) {
            return done;
        }
        let extent = self.code.sub(to, from);
        let rounded = self.code.binary(BinaryOp::And, extent, Operand::i64(-i64::from(how.width)));
        let whole = self.code.add(from, rounded);
        self.lane_loop(&LaneLoop { whole_only: true, ..how.clone() }, from, whole, body)?;
        self.lane_loop(&LaneLoop { width: how.machine, interior: None, ..how.clone() }, whole, to, body)
    }

    /// Emits a scalar loop: one iteration at a time, or `how.turns` of them in an inner loop of constant length.
    fn scalar_loop(
        &mut self,
        how: &LaneLoop,
        from: Operand,
        to: Operand,
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let label = self.code.label();
        let (block, done) = self.block_of(|this| {
            let mut from = from;
            let mut done = Ok(());
            if how.turns > 1 {
                let extent = this.code.sub(to, from);
                let rounded = this.code.binary(BinaryOp::And, extent, Operand::i64(-how.turns));
                let whole = this.code.add(from, rounded);
                let first = this.code.int_reg("first");
                this.count_up(first, (from, whole), how.turns, |this| {
                    let turn = this.code.int_reg("turn");
                    let (once, ()) = this.block_of(|this| {
                        let index = this.code.add(first, turn);
                        done = this.one_iteration(how, index, label, body);
                    });
                    let turns = Operand::i64(how.turns);
                    this.code.emit(Op::For {
                        index: turn,
                        from: Operand::i64(0),
                        to: turns,
                        step: 1,
                        body: once,
                    });
                });
                from = whole;
            }
            let index = this.code.int_reg("j");
            this.count_up(index, (from, to), 1, |this| {
                done.and(this.one_iteration(how, index.into(), label, body))
            })
        });
        self.scope_if_left(label, block);
        done
    }

    /// Emits the body for one iteration.
    pub fn one_iteration(
        &mut self,
        how: &LaneLoop,
        index: Operand,
        exit: Label,
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let saved = self.failing;
        if let Some(first) = how.counted {
            let iteration = self.code.add(first, index);
            self.failing = Some(Failing { failed: how.told, ..Failing::of(iteration, exit) });
        }
        let done = body(self, Value::Uniform(index));
        self.failing = saved;
        done
    }

    /// Emits the groups with all lanes running. Returns whether one may fail.
    fn whole_groups(
        &mut self,
        how: &LaneLoop,
        from: Operand,
        whole: Operand,
        (tail, count): (Reg, Reg),
        inner: Option<(Failing, Reg)>,
        body: LaneBody<'_, 'a>,
    ) -> Lowered<bool> {
        let bounds = self.interior(how, from, whole);
        let bounds = bounds.map(|bounds| self.whole_groups_between(&bounds, from, how.width));
        let label = self.code.label();
        let exits = Exits { label, retry: count, inner };
        let (mut block, done) = self.block_of(|this| match (bounds, &how.interior) {
            (Some(bounds), Some(interior)) => {
                this.parted_groups(how, interior, bounds, (from, whole), (tail, exits), body)
            }
            _ => this.full_groups(how, from, whole, (tail, exits), body),
        });
        let can_fail = leaves(&block, label);
        if can_fail {
            block.push(Op::Move { dst: tail, x: whole });
        }
        self.scope_if_left(label, block);
        done.map(|()| can_fail)
    }

    /// Emits groups in two versions: those between the bounds are known to be in the interior, the others are treated as if they
    /// were not.
    fn parted_groups(
        &mut self,
        how: &LaneLoop,
        interior: &Interior,
        (low, high): (Reg, Reg),
        (from, whole): (Operand, Operand),
        (tail, exits): (Reg, Exits),
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let at = self.code.copy("at", from);
        let is_more = |this: &mut Self| this.code.compare(CompareOp::SLt, at, whole);
        self.repeat_while(is_more, |this| {
            let reached = this.code.compare(CompareOp::SLe, low, at);
            let within = this.code.compare(CompareOp::SLt, at, high);
            let inside = this.code.binary(BinaryOp::And, reached, within);
            let saved = this.decided;
            let [fast, general] = this.either(inside, |this, known| {
                this.decided = Some((interior.cond, known));
                let next = match known {
                    true => high.into(),
                    false => this.code.add(at, Operand::i64(i64::from(how.width))),
                };
                let end = this.code.copy("end", next);
                let done = this.full_groups(how, at.into(), end.into(), (tail, exits), body);
                this.code.set(at, end);
                this.decided = saved;
                done
            });
            fast.and(general)
        })
    }

    /// Emits groups with all lanes running, within the scope that failing groups leave.
    fn full_groups(
        &mut self,
        how: &LaneLoop,
        from: Operand,
        to: Operand,
        (tail, exits): (Reg, Exits),
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let index = self.code.int_reg("j");
        let (group, done) = self.block_of(|this| this.group(how, Mask::Full, index.into(), exits, body));
        // A failing group leaves the loop, so its index is recorded; the index must be recorded before the body runs.
        let mut kept = Block::new();
        if leaves(&group, exits.label) {
            kept.push(Op::Move { dst: tail, x: index.into() });
        }
        kept.extend(group);
        self.code.emit(Op::For { index, from, to, step: i64::from(how.width), body: kept });
        done
    }

    /// Emits the masked group at `tail`, which is repeated as long as it fails.
    pub fn rest_group(
        &mut self,
        how: &LaneLoop,
        (tail, count): (Reg, Reg),
        inner: Option<(Failing, Reg)>,
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let is_some = |this: &mut Self| this.code.compare(CompareOp::SLt, Operand::i64(0), count);
        self.repeat_while(is_some, |this| {
            let label = this.code.label();
            let again = this.code.int_reg("again");
            let mask = this.first_lanes(how.width, count.into());
            this.code.set(again, Operand::i64(0));
            let (group, done) = this.block_of(|this| {
                let mask = Mask::Prefix { mask, count: count.into() };
                let exits = Exits { label, retry: again, inner };
                // Interiors end where the row ends.
                let saved = this.decided;
                this.decided = how.interior.as_ref().map(|interior| (interior.cond, false)).or(saved);
                let done = this.group(how, mask, tail.into(), exits, body);
                this.decided = saved;
                done
            });
            let can_fail = sets(&group, again);
            this.scope_if_left(label, group);
            // Fewer lanes than before, whatever has failed, so the repetition ends.
            let next = match can_fail {
                true => {
                    let fewer = this.code.sub(count, Operand::i64(1));
                    this.code.binary(BinaryOp::SMin, again, fewer)
                }
                false => again.into(),
            };
            this.code.set(count, next);
            done
        })
    }

    /// Emits all groups under masks, up to the lane before a failing one.
    fn masked_groups(
        &mut self,
        how: &LaneLoop,
        from: Operand,
        to: Operand,
        inner: Option<(Failing, Reg)>,
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let width = Operand::i64(i64::from(how.width));
        let (at, end) = (self.code.copy("at", from), self.code.copy("end", to));
        let is_more = |this: &mut Self| this.code.compare(CompareOp::SLt, at, end);
        self.repeat_while(is_more, |this| {
            let left = this.code.sub(end, at);
            let count = this.code.binary(BinaryOp::SMin, left, width);
            let mask = Mask::Prefix { mask: this.first_lanes(how.width, count), count };
            // Number of lanes before a failing one, or the width where none fails.
            let before = this.code.copy("before", width);
            let label = this.code.label();
            let (group, done) = this.block_of(|this| {
                this.group(how, mask, at.into(), Exits { label, retry: before, inner }, body)
            });
            let can_fail = sets(&group, before);
            this.scope_if_left(label, group);
            let next = this.code.add(at, width);
            if can_fail {
                // Fewer lanes than before, whatever has failed, so the repetition ends.
                let failed = this.code.compare(CompareOp::SLt, before, width);
                let fewer = this.code.sub(count, Operand::i64(1));
                let fewer = this.code.binary(BinaryOp::SMin, before, fewer);
                let until = this.code.add(at, fewer);
                let (end_now, at_now) =
                    (this.code.select(failed, until, end), this.code.select(failed, at, next));
                this.code.set(end, end_now);
                this.code.set(at, at_now);
            } else {
                this.code.set(at, next);
            }
            done
        })
    }

    /// Emits the body for one group of lanes at `index`.
    fn group(
        &mut self,
        how: &LaneLoop,
        mask: Mask,
        index: Operand,
        Exits { label, retry, inner }: Exits,
        body: LaneBody<'_, 'a>,
    ) -> Lowered<()> {
        let saved = (self.lanes.take(), self.failing);
        self.lanes = Some(Lanes { width: how.width, mask, facts: how.facts.clone() });
        let retry = Some(retry);
        if let Some(first) = how.counted {
            let iteration = self.code.add(first, index);
            let failed = how.told;
            self.failing = Some(Failing { per_lane: true, retry, failed, ..Failing::of(iteration, label) });
        } else if let Some((outer, failed)) = inner {
            self.failing = Some(Failing { exit: label, retry, failed: Some(failed), ..outer });
        }
        let done = body(self, Value::Linear { base: index, stride: 1 });
        (self.lanes, self.failing) = saved;
        done
    }

    /// Emits the mask of the first `count` lanes.
    pub fn first_lanes(&mut self, width: u16, count: Operand) -> Reg {
        let ids = self.code.reg("lane", ImpType::vector(ScalarType::I32, width));
        self.code.emit(Op::LaneIds { dst: ids });
        let narrow = self.code.reg("count", ImpType::scalar(ScalarType::I32));
        let op = warpwise_prim::ConvertOp::Truncate;
        self.code.emit(Op::Convert { dst: narrow, op, from: ScalarType::I64, x: count });
        let all = self.code.reg("count", ImpType::vector(ScalarType::I32, width));
        self.code.set(all, narrow);
        let mask = self.code.reg("mask", ImpType::vector(ScalarType::Bool, width));
        self.code.emit(Op::Compare { dst: mask, op: CompareOp::SLt, x: ids.into(), y: all.into() });
        mask
    }

    /// Emits a block, within a scope if an operation leaves it.
    pub fn scope_if_left(&mut self, label: Label, block: Block) {
        if leaves(&block, label) {
            self.code.emit(Op::Scope { label, body: block });
        } else {
            for op in block {
                self.code.emit(op);
            }
        }
    }
}

/// Returns whether a block sets a register.
fn sets(block: &Block, reg: Reg) -> bool {
    any_op(block, &|op| matches!(op, Op::Move { dst, .. } if *dst == reg))
}

/// Returns whether a block leaves the scope with this label.
pub(super) fn leaves(block: &Block, label: Label) -> bool {
    any_op(block, &|op| *op == Op::Leave { label })
}
