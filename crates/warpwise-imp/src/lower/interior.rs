//! The interior of a lane loop: the indices at which a specialised choice (`specialise`) is known to hold, determined by one test
//! of its bounds.
//!
//! The choice holds where comparisons of a value that grows with the index hold, so it holds from one index up to another. Groups
//! between these indices need no test, and the loop over them has no branch:
//!
//! ```text
//! for j in from..whole step W { if inside { fast } else { general } }
//! ==>
//! at = from
//! while at < whole {
//!   if low <= at < high { for j in at..high step W { fast }; at = high }
//!   else { for j in at..at + W step W { general }; at = at + W }
//! }
//! ```
//!
//! Groups keep their positions and their order, so the first failing group is still the first. Sums may wrap, so the bounds are
//! only used if the comparisons hold at both ends and nothing wraps between them. The last, masked group takes the general side:
//! it contains the end of the row, where interiors end. Maps whose interior cannot fail split such groups instead
//! ([`trimmed`](crate::lower::trimmed)).

use warpwise_ir::{Branch, Expr, Operand as CoreOperand, SegKind, SegOp, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use crate::lower::emitter::{Emitter, Value};
use crate::lower::lanes::LaneLoop;
use crate::lower::variance::Variance;
use crate::types::{Operand, Reg};

/// The specialised choice that a lane body consists of.
#[derive(Clone, Debug)]
pub(super) struct Interior {
    /// Index that the lanes run along.
    index: Var,
    /// Scalars computed before the choice, in order.
    before: Vec<Var>,
    /// Condition of the choice.
    pub cond: Var,
    /// Whether groups at borders can be split: points are independent, and nothing can fail in the interior.
    pub can_part: bool,
    /// Whether a check can fail at borders.
    pub border_fails: bool,
}

/// The indices at which the choice holds: from `low` on and below `high`. If it holds nowhere, `low` is the end of the range.
pub(super) struct Bounds {
    pub low: Operand,
    pub high: Operand,
}

/// One comparison of `first + index` with a value that is the same in all lanes.
struct Border {
    op: CompareOp,
    /// Whether the growing value is the left operand.
    grows_left: bool,
    first: Operand,
    bound: Operand,
}

impl Interior {
    /// Returns the choice of an operation whose body is scalar work followed by one specialised choice.
    pub fn of(op: &SegOp) -> Option<Interior> {
        let (choice, before) = op.body.stms.split_last()?;
        let Expr::If { cond, then_body, else_body, branch: Branch::Specialised } = &choice.expr else {
            return None;
        };
        let index = op.space.last()?.index;
        let scalar = |expr: &Expr| match expr {
            Expr::Binary(op, ..) => !op.can_fail(),
            Expr::Unary(..) | Expr::Compare(..) | Expr::Convert(..) | Expr::Select(..) => true,
            exprs!(Operand, Ternary, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => false,
        };
        let simple = before.iter().all(|stm| scalar(&stm.expr));
        let before = before.iter().map(|stm| stm.pattern[0]).collect();
        let can_part = op.kind == SegKind::Map && !then_body.can_fail();
        let border_fails = else_body.can_fail();
        simple.then_some(Interior { index, before, cond: cond.as_var()?, can_part, border_fails })
    }
}

impl Emitter<'_> {
    /// Returns the indices among `from..to` at which the choice of the loop's body holds, where they can be determined. Leaves the
    /// index and the scalars before the choice bound; the body binds them anew.
    pub fn interior(&mut self, how: &LaneLoop, from: Operand, to: Operand) -> Option<Bounds> {
        let interior = how.interior.as_ref()?;
        let lanes = self.lanes.take();
        self.bind_uniform(interior.index, Operand::i64(0));
        for &var in &interior.before {
            let value = self.cx.definitions.get(&var).and_then(|expr| self.scalar_expr(expr));
            if let Some(value) = value {
                self.bind(var, value);
            }
        }
        let mut borders = Vec::new();
        let mut given = Operand::Const(Scalar::Bool(true));
        let known = self.borders(how, interior.cond.into(), &mut borders, &mut given);
        let bounds = (known && !borders.is_empty()).then(|| self.bounds(&borders, given, (from, to)));
        self.lanes = lanes;
        bounds
    }

    /// Decomposes a condition into comparisons with growing values and conditions that are the same in all lanes; returns whether
    /// that succeeds.
    fn borders(
        &mut self,
        how: &LaneLoop,
        cond: CoreOperand,
        borders: &mut Vec<Border>,
        given: &mut Operand,
    ) -> bool {
        let uniform =
            |x: CoreOperand| x.as_var().is_none_or(|var| how.facts.variance(var) == Variance::Uniform);
        if uniform(cond) {
            let Value::Uniform(x) = self.value(cond) else { return false };
            *given = self.code.binary(BinaryOp::And, *given, x);
            return true;
        }
        let definition = cond.as_var().and_then(|var| self.cx.definitions.get(&var)).copied();
        match definition {
            Some(Expr::Binary(BinaryOp::And, x, y)) => {
                self.borders(how, *x, borders, given) && self.borders(how, *y, borders, given)
            }
            Some(Expr::Compare(op, x, y)) => {
                let grows = |x: CoreOperand| {
                    x.as_var().is_some_and(|var| how.facts.variance(var) == Variance::Linear(1))
                };
                let grows_left = grows(*x) && uniform(*y);
                let (first, bound) = if grows_left { (*x, *y) } else { (*y, *x) };
                let ordered = matches!(op, CompareOp::SLt | CompareOp::SLe | CompareOp::Ne);
                let below = grows_left && matches!(op, CompareOp::ULt | CompareOp::ULe);
                if !(ordered || below) || !grows(first) || !uniform(bound) {
                    return false;
                }
                let (Value::Uniform(first), Value::Uniform(bound)) = (self.value(first), self.value(bound))
                else {
                    return false;
                };
                borders.push(Border { op: *op, grows_left, first, bound });
                self.code.ty(first).scalar == ScalarType::I64
            }
            _ => false,
        }
    }

    /// Returns the indices between the borders; none where the comparisons do not hold at both ends.
    fn bounds(&mut self, borders: &[Border], given: Operand, (from, to): (Operand, Operand)) -> Bounds {
        let (mut low, mut high) = (from, to);
        for border in borders {
            (low, high) = self.kept_by(border, (low, high));
        }
        let some = self.code.compare(CompareOp::SLt, low, high);
        let mut holds = self.code.binary(BinaryOp::And, given, some);
        let last = self.code.sub(high, Operand::i64(1));
        for border in borders {
            let between = self.holds_between(border, low, last);
            holds = self.code.binary(BinaryOp::And, holds, between);
        }
        Bounds { low: self.code.select(holds, low, to), high }
    }

    /// Returns the first index of the whole groups within the bounds, and the index after the last. Groups begin at `from`.
    pub fn whole_groups_between(&mut self, bounds: &Bounds, from: Operand, width: u16) -> (Reg, Reg) {
        let width = i64::from(width);
        let skipped = self.code.sub(bounds.low, from);
        let skipped = self.code.add(skipped, Operand::i64(width - 1));
        let skipped = self.code.binary(BinaryOp::And, skipped, Operand::i64(-width));
        let taken = self.code.sub(bounds.high, from);
        let taken = self.code.binary(BinaryOp::And, taken, Operand::i64(-width));
        let (low, high) = (self.code.add(from, skipped), self.code.add(from, taken));
        (self.code.copy("low", low), self.code.copy("high", high))
    }

    /// Returns the part of a range of indices in which a comparison can hold.
    fn kept_by(&mut self, border: &Border, (low, high): (Operand, Operand)) -> (Operand, Operand) {
        let at = self.code.sub(border.bound, border.first);
        let after = self.code.add(at, Operand::i64(1));
        match (border.op, border.grows_left) {
            (CompareOp::SLt, true) => (low, self.code.binary(BinaryOp::SMin, high, at)),
            (CompareOp::SLe, true) => (low, self.code.binary(BinaryOp::SMin, high, after)),
            (CompareOp::SLt, false) => (self.code.binary(BinaryOp::SMax, low, after), high),
            (CompareOp::SLe, false) => (self.code.binary(BinaryOp::SMax, low, at), high),
            (CompareOp::ULt | CompareOp::ULe, _) => {
                let least = self.code.sub(Operand::i64(0), border.first);
                let most = if border.op == CompareOp::ULt { at } else { after };
                (self.code.binary(BinaryOp::SMax, low, least), self.code.binary(BinaryOp::SMin, high, most))
            }
            (CompareOp::Eq | CompareOp::Ne | CompareOp::FLt | CompareOp::FLe, _) => {
                // The larger side of the index at which both operands are equal.
                let before = self.code.sub(at, low);
                let behind = self.code.sub(high, at);
                let early = self.code.compare(CompareOp::SLt, before, behind);
                let raised = self.code.binary(BinaryOp::SMax, low, after);
                let lowered = self.code.binary(BinaryOp::SMin, high, at);
                (self.code.select(early, raised, low), self.code.select(early, high, lowered))
            }
        }
    }

    /// Emits whether a comparison holds at two indices, and so at those between them: the growing value does not wrap there.
    fn holds_between(&mut self, border: &Border, low: Operand, last: Operand) -> Operand {
        let (start, end) = (self.code.add(border.first, low), self.code.add(border.first, last));
        let straight = self.code.compare(CompareOp::SLe, start, end);
        let bound = border.bound;
        let holds = match border.op {
            CompareOp::Eq | CompareOp::Ne | CompareOp::FLt | CompareOp::FLe => {
                let above = self.code.compare(CompareOp::SLt, bound, start);
                let below = self.code.compare(CompareOp::SLt, end, bound);
                self.code.binary(BinaryOp::Or, above, below)
            }
            CompareOp::SLt | CompareOp::SLe if border.grows_left => self.code.compare(border.op, end, bound),
            CompareOp::SLt | CompareOp::SLe => self.code.compare(border.op, bound, start),
            CompareOp::ULt | CompareOp::ULe => {
                let positive = self.code.compare(CompareOp::SLe, Operand::i64(0), start);
                let below = self.code.compare(border.op, end, bound);
                self.code.binary(BinaryOp::And, positive, below)
            }
        };
        self.code.binary(BinaryOp::And, straight, holds)
    }
}
