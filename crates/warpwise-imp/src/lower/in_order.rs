//! Operators that may fail: lanes and partial results are combined one after another, as in a sequential loop.
//!
//! For other operators, groups that are not full are filled up with neutral elements. An operator that may fail could fail on
//! these although it fails on no element. Here the operator is applied to elements and their combinations only:
//!
//! ```text
//! x = select mask x neutral                               acc' = acc; for lane in 0..count { acc' = op(acc', x[lane]) }
//! acc = op(acc, op(op(x[0], x[1]), op(x[2], x[3])))  ==>  acc = acc'
//! ```
//!
//! A failing check belongs to its lane, and the accumulators are set only when the whole group has been combined. The lanes before
//! the failing one therefore run again from the former accumulators.

use warpwise_diag::Span;
use warpwise_ir::{Body, Expr, Lambda, Reduce, Scan, SegKind};
use warpwise_prim::BinaryOp;

use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Mask, Value};
use crate::lower::reduce::Accumulators;
use crate::lower::scan::Group;
use crate::op::Op;
use crate::types::{ImpType, Mem, Operand, Reg};

/// Returns whether an operator is applied to elements in order only.
pub(super) fn in_order(op: &Lambda) -> bool {
    op.body.can_fail()
}

/// Returns whether a scan applies its operator to one lane after another: the operator may fail, or it reads an array. A gather
/// takes as long as reading lane by lane, and in order each lane is read once, whereas a tree reads all lanes at every step.
pub(super) fn scans_in_order(op: &Lambda) -> bool {
    fn looks_up(body: &Body) -> bool {
        body.stms.iter().any(|stm| {
            let mut found = matches!(stm.expr, Expr::Index { .. });
            stm.expr.for_each_body(|body| found = found || looks_up(body));
            found
        })
    }
    in_order(op) || looks_up(&op.body)
}

/// Returns whether an operation has an operator that is applied in order only.
pub(super) fn some_in_order(kind: &SegKind) -> bool {
    match kind {
        SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } => false,
        SegKind::Reduce { reduces } => reduces.iter().any(|reduce| in_order(&reduce.op)),
        SegKind::Scan { scans, reduces, post: _ } => {
            scans.iter().any(|scan| in_order(&scan.op)) || reduces.iter().any(|reduce| in_order(&reduce.op))
        }
        SegKind::Hist { ops } => ops.iter().any(|hist| in_order(&hist.op)),
    }
}

/// The partial results of a segment's blocks, in memories with one element for each block.
#[derive(Clone, Copy)]
pub(super) struct Partials<'p> {
    /// One memory for each value of the operator.
    pub mems: &'p [Mem],
    /// First block of the segment.
    pub first: Operand,
    /// Flat iteration of the segment's first element.
    pub counted: Operand,
    /// Number of elements of a block.
    pub block: i64,
}

/// A function that emits code for a lane, given its index and its values.
type OfLane<'f, 'e> = &'f mut dyn FnMut(&mut Emitter<'e>, Reg, Vec<Value>) -> Lowered<()>;

impl<'a> Emitter<'a> {
    /// Folds the values of the running lanes into accumulators.
    pub fn fold_lanes(&mut self, op: &'a Lambda, accs: &[Reg], values: &[Value]) -> Lowered<()> {
        self.each_lane(values, &mut |this, _, own| {
            let next = this.apply(op, &[in_registers(accs), own].concat())?;
            this.set_all(accs, &next);
            Ok(())
        })
    }

    /// Scans the values of the running lanes.
    pub fn scan_lanes(&mut self, scan: &'a Scan, carry: &[Reg], values: &[Value]) -> Lowered<Group> {
        let width = self.width();
        let next: Vec<Reg> = carry.iter().map(|&reg| self.code.copy("next", reg)).collect();
        let mut results = Vec::new();
        for &reg in carry {
            let all = self.code.reg("scanned", ImpType::vector(self.code.regs[reg].ty.scalar, width));
            self.code.set(all, reg);
            results.push(all);
        }
        self.each_lane(values, &mut |this, lane, own| {
            if scan.exclusive {
                this.insert_all(&results, &next, lane);
            }
            let after = this.apply(&scan.op, &[in_registers(&next), own].concat())?;
            this.set_all(&next, &after);
            if !scan.exclusive {
                this.insert_all(&results, &next, lane);
            }
            Ok(())
        })?;
        Ok(Group { results: results.into_iter().map(Value::Varying).collect(), next: in_registers(&next) })
    }

    /// Runs `fold` on accumulators. Where a check may fail on the way, `fold` works on copies, which are stored back at its end.
    pub fn settle(
        &mut self,
        fails: bool,
        accs: &[Accumulators],
        fold: &mut dyn FnMut(&mut Self, &[Accumulators]) -> Lowered<()>,
    ) -> Lowered<()> {
        if !fails || self.width() == 1 {
            return fold(self, accs);
        }
        let next: Vec<Accumulators> = accs.iter().map(|acc| acc.copied(&mut self.code)).collect();
        fold(self, &next)?;
        for (acc, next) in accs.iter().zip(&next) {
            acc.set(&mut self.code, next);
        }
        Ok(())
    }

    /// Runs `body` for each running lane, with the lane's values.
    fn each_lane(&mut self, values: &[Value], body: OfLane<'_, 'a>) -> Lowered<()> {
        let count = match self.mask() {
            Mask::Full => Operand::i64(i64::from(self.width())),
            Mask::Prefix { count, .. } => count,
            Mask::Some(_) => {
                return self.not_in_lanes(Span::NONE, "an operator that may fail in some lanes only");
            }
        };
        let vector = |value: &Value| match *value {
            Value::Uniform(x) => Value::Uniform(x),
            value @ (Value::Linear { .. } | Value::Varying(_)) => Value::Varying(self.vector_reg(value)),
        };
        let vectors: Vec<Value> = values.iter().map(vector).collect();
        let lane = self.code.int_reg("lane");
        let saved = self.failing;
        self.count_up(lane, (Operand::i64(0), count), 1, |this| {
            if let Some(mut failing) = saved {
                if failing.per_lane {
                    failing.iteration = this.code.add(failing.iteration, lane);
                    failing.per_lane = false;
                }
                failing.lane = Some(lane);
                this.failing = Some(failing);
            }
            let own = vectors
                .into_iter()
                .map(|vector| Value::Uniform(this.lane_value(vector, lane.into())))
                .collect();
            let done = this.at_width(1, |this| body(this, lane, own));
            this.failing = saved;
            done
        })
    }

    fn insert_all(&mut self, vectors: &[Reg], values: &[Reg], lane: Reg) {
        for (&dst, &x) in vectors.iter().zip(values) {
            self.code.emit(Op::Insert { dst, x: x.into(), lane: lane.into() });
        }
    }

    /// Combines the partial results of the blocks `from..to`, a nonempty range.
    pub fn combine_in_order(
        &mut self,
        reduces: &'a [Reduce],
        partials: &Partials,
        (from, to): (Operand, Operand),
    ) -> Lowered<Vec<Reg>> {
        let mut accs = Vec::new();
        for (&mem, elem) in partials.mems.iter().zip(self.reduced_types(reduces)) {
            accs.push(self.code.load("acc", elem, mem, from));
        }
        let second = self.code.add(from, Operand::i64(1));
        let at = self.code.int_reg("block");
        let done = self.count_up(at, (second, to), 1, |this| {
            this.counted_as_block(partials, at.into(), &mut |this| {
                let mut values = Vec::new();
                for (&mem, &acc) in partials.mems.iter().zip(&accs) {
                    let block = BlockBinding::of(mem);
                    values.push(this.load_at(
                        block,
                        this.code.regs[acc].ty.scalar,
                        Value::Uniform(at.into()),
                    ));
                }
                this.fold_each(reduces, &accs, &values)
            })
        });
        done.map(|()| accs)
    }

    /// Combines the partial results of every `blocks` consecutive blocks by [`Emitter::combine_in_order`], then their totals.
    pub fn combine_pieces_in_order(
        &mut self,
        reduces: &'a [Reduce],
        partials: &Partials,
        (from, to, blocks): (Operand, Operand, i64),
    ) -> Lowered<Vec<Reg>> {
        let end = self.code.add(from, Operand::i64(blocks));
        let end_of_first = self.code.binary(BinaryOp::SMin, end, to);
        let accs = self.combine_in_order(reduces, partials, (from, end_of_first))?;
        let piece = self.code.int_reg("piece");
        let done = self.count_up(piece, (end_of_first, to), blocks, |this| {
            let end = this.code.add(piece, Operand::i64(blocks));
            let end = this.code.binary(BinaryOp::SMin, end, to);
            this.combine_in_order(reduces, partials, (piece.into(), end)).and_then(|totals| {
                let totals = in_registers(&totals);
                this.counted_as_block(partials, piece.into(), &mut |this| {
                    this.fold_each(reduces, &accs, &totals)
                })
            })
        });
        done.map(|()| accs)
    }

    /// Runs `body`, whose failing checks count as those of the first element of a block.
    fn counted_as_block(
        &mut self,
        partials: &Partials,
        block: Operand,
        body: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let number = self.code.sub(block, partials.first);
        let before = self.code.mul(number, Operand::i64(partials.block));
        let iteration = self.code.add(partials.counted, before);
        self.counted_as(iteration, body)
    }

    /// Folds values into accumulators, reduction by reduction.
    fn fold_each(&mut self, reduces: &'a [Reduce], accs: &[Reg], values: &[Value]) -> Lowered<()> {
        let mut taken = 0;
        for reduce in reduces {
            let own = taken..taken + reduce.neutral.len();
            taken = own.end;
            self.advance(&reduce.op, &accs[own.clone()], &values[own])?;
        }
        Ok(())
    }
}

/// Returns the contents of registers as scalar values.
fn in_registers(regs: &[Reg]) -> Vec<Value> {
    regs.iter().map(|&reg| Value::Uniform(reg.into())).collect()
}
