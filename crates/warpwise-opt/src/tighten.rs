//! Tightens the bounds of reductions to the iterations that matter: those whose value a condition on the index does not replace by
//! the neutral element.
//!
//! ```text
//! s: f32 = segred (j < m: seq) reduce (op) [0.0f32] {       bound: i64 = smin m l; extent: i64 = smax bound 0;
//!   c: bool = slt j l;                                ==>   s: f32 = segred (j < extent: seq) reduce (op) [0.0f32] {
//!   x: f32 = if c { ...; return y }                           ...;
//!            else { return 0.0f32 };                          return y };
//!   return x };
//! ```
//!
//! Padded rows (`if j < lengths[i] then ... else 0`) and triangles (`if j <= i then ... else 0`) then cost as much as their elements
//! instead of as much as the rectangle around them.
//!
//! A choice of a single operation (`select`) costs little more than the iteration itself, and `tile` needs rectangles. So such a
//! choice counts only in host code and in a map outside of other maps.
//!
//! Needs bounds that are known before the reduction, and iterations beyond them without checks: a check that fails there must still
//! be reported. The neutral element is neutral by contract, so leaving it out changes results by rounding at most.
//! Not done here: conditions on indices of 32 bits, conditions that are bounds in part only, scans, maps, and devices, whose nests
//! are flat by now.

use rustc_hash::FxHashMap;
use warpwise_diag::{Limit, Span};
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::Substitution;
use warpwise_ir::{Body, Branch, Expr, Function, Operand, Program, SegKind, SegOp, Stm, Type, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, UnaryOp};

use crate::pass::rewrite_bodies;

/// Maximum number of enclosing dimensions at which a choice of a single operation counts.
const MOST_OUTER_FOR_SELECT: usize = 1;

/// Tightens the reductions of every function.
pub fn tighten(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| walk(function, 0, body));
    Ok(())
}

/// A bound of the index of a reduction. The operand is known before the reduction.
#[derive(Clone, Copy)]
enum Bound {
    Below(Operand),
    UpTo(Operand),
    From(Operand),
    After(Operand),
}

/// The iterations of a reduction that matter.
struct Tight {
    bounds: Vec<Bound>,
    /// Whether the condition holds in them.
    holds: bool,
    /// The statements that choose between a value and the neutral element.
    choices: Vec<usize>,
}

/// Rewrites a body inside `depth` dimensions of parallel operations.
fn walk(function: &mut Function, depth: usize, body: &mut Body) {
    for mut stm in std::mem::take(&mut body.stms) {
        let inside = depth + if let Expr::Seg(op) = &stm.expr { op.space.len() } else { 0 };
        stm.expr.for_each_body_mut(|body| walk(function, inside, body));
        if let Expr::Seg(op) = &mut stm.expr
            && let Some(tight) = Finder::of(op).tight(depth)
        {
            body.stms.extend(restrict(function, op, &tight, stm.span));
        }
        body.stms.push(stm);
    }
}

/// Looks for the condition of a reduction.
struct Finder<'o> {
    op: &'o SegOp,
    /// The statements of the body by the variables that they bind.
    binders: FxHashMap<Var, usize>,
}

impl<'o> Finder<'o> {
    fn of(op: &'o SegOp) -> Finder<'o> {
        let stms = op.body.stms.iter().enumerate();
        let binders = stms.flat_map(|(at, stm)| stm.pattern.iter().map(move |&var| (var, at))).collect();
        Finder { op, binders }
    }

    /// Returns the iterations that matter, if they are known before the reduction.
    fn tight(&self, depth: usize) -> Option<Tight> {
        let (SegKind::Reduce { reduces }, [dim]) = (&self.op.kind, &self.op.space[..]) else { return None };
        // Few iterations are unrolled, so that lanes run outer ones together.
        if dim.extent.as_const().is_some() {
            return None;
        }
        let neutral: Vec<Operand> =
            reduces.iter().flat_map(|reduce| reduce.neutral.iter().copied()).collect();
        if neutral.len() != self.op.body.result.len()
            || reduces.iter().any(|reduce| reduce.op.body.can_fail())
        {
            return None;
        }
        let mut common = None;
        let mut choices = Vec::new();
        for (&result, &neutral) in self.op.body.result.iter().zip(&neutral) {
            if result == neutral {
                continue;
            }
            let (at, condition) = self.choice(result, neutral, depth)?;
            if *common.get_or_insert(condition) != condition {
                return None;
            }
            choices.push(at);
        }
        let (cond, holds) = common?;
        choices.sort_unstable();
        choices.dedup();
        let fails_beyond = |(at, stm): (usize, &Stm)| !choices.contains(&at) && stm.expr.can_fail();
        if self.op.body.stms.iter().enumerate().any(fails_beyond) {
            return None;
        }
        let mut bounds = Vec::new();
        self.bounds(cond, holds, &mut bounds)?;
        Some(Tight { bounds, holds, choices })
    }

    /// Returns the statement that chooses between a result and its neutral element, with the condition of the result and whether it
    /// holds then.
    fn choice(&self, result: Operand, neutral: Operand, depth: usize) -> Option<(usize, (Operand, bool))> {
        let var = result.as_var()?;
        let at = *self.binders.get(&var)?;
        let stm = &self.op.body.stms[at];
        let (cond, holds) = match &stm.expr {
            Expr::If { cond, then_body, else_body, branch: Branch::Plain } => {
                let place = stm.pattern.iter().position(|&bound| bound == var)?;
                let beyond = |body: &Body| body.result[place] == neutral && !body.can_fail();
                match (beyond(then_body), beyond(else_body)) {
                    (_, true) => (*cond, true),
                    (true, false) => (*cond, false),
                    (false, false) => return None,
                }
            }
            Expr::Select(cond, x, y) if depth <= MOST_OUTER_FOR_SELECT => {
                match (*x == neutral, *y == neutral) {
                    (_, true) => (*cond, true),
                    (true, false) => (*cond, false),
                    (false, false) => return None,
                }
            }
            Expr::If { branch: Branch::Specialised, .. } | Expr::Select(..) => return None,
            exprs!(
                Operand, Unary, Binary, Ternary, Compare, Convert, Assert, array, Loop, soac, Seg, Call,
                UpdateAcc, Tuned, Alloc
            ) => return None,
        };
        stm.certs.is_empty().then_some((at, (cond, holds)))
    }

    /// Collects the bounds that a condition sets if it holds, or if it does not; `None` if it depends on anything else.
    fn bounds(&self, cond: Operand, holds: bool, bounds: &mut Vec<Bound>) -> Option<()> {
        let stm = &self.op.body.stms[*self.binders.get(&cond.as_var()?)?];
        match (&stm.expr, holds) {
            (Expr::Unary(UnaryOp::Not, x), _) => self.bounds(*x, !holds, bounds),
            (Expr::Binary(BinaryOp::And, x, y), true) | (Expr::Binary(BinaryOp::Or, x, y), false) => {
                self.bounds(*x, holds, bounds)?;
                self.bounds(*y, holds, bounds)
            }
            (Expr::Compare(op, x, y), _) => {
                bounds.push(self.bound(*op, *x, *y, holds)?);
                Some(())
            }
            _ => None,
        }
    }

    fn bound(&self, op: CompareOp, x: Operand, y: Operand, holds: bool) -> Option<Bound> {
        let index = Operand::Var(self.op.space[0].index);
        let is_known =
            |x: Operand| x != index && x.as_var().is_none_or(|var| !self.binders.contains_key(&var));
        let bound = match (op, holds) {
            (CompareOp::SLt, true) if x == index => Bound::Below(y),
            (CompareOp::SLe, true) if x == index => Bound::UpTo(y),
            (CompareOp::SLt, false) if x == index => Bound::From(y),
            (CompareOp::SLe, false) if x == index => Bound::After(y),
            (CompareOp::SLt, true) if y == index => Bound::After(x),
            (CompareOp::SLe, true) if y == index => Bound::From(x),
            (CompareOp::SLt, false) if y == index => Bound::UpTo(x),
            (CompareOp::SLe, false) if y == index => Bound::Below(x),
            (
                CompareOp::Eq
                | CompareOp::Ne
                | CompareOp::SLt
                | CompareOp::SLe
                | CompareOp::ULt
                | CompareOp::ULe
                | CompareOp::FLt
                | CompareOp::FLe,
                _,
            ) => return None,
        };
        let (Bound::Below(known) | Bound::UpTo(known) | Bound::From(known) | Bound::After(known)) = bound;
        is_known(known).then_some(bound)
    }
}

/// Restricts a reduction to these iterations. Returns the statements that compute its new bounds.
fn restrict(function: &mut Function, op: &mut SegOp, tight: &Tight, span: Span) -> Vec<Stm> {
    for &at in tight.choices.iter().rev() {
        choose(function, &mut op.body, at, tight.holds);
    }
    let extent = op.space[0].extent;
    let mut b = Builder::new(function);
    b.set_span(span);
    let (mut low, mut high) = (None, extent);
    for &bound in &tight.bounds {
        match bound {
            Bound::Below(y) => high = b.binary("bound", BinaryOp::SMin, high, y),
            Bound::UpTo(y) => {
                let y = after(&mut b, y, extent);
                high = b.binary("bound", BinaryOp::SMin, high, y);
            }
            Bound::From(x) => {
                let x = b.binary("first", BinaryOp::SMin, x, extent);
                low = Some(b.binary("first", BinaryOp::SMax, low.unwrap_or(Operand::i64(0)), x));
            }
            Bound::After(x) => {
                let x = after(&mut b, x, extent);
                low = Some(b.binary("first", BinaryOp::SMax, low.unwrap_or(Operand::i64(0)), x));
            }
        }
    }
    // Both bounds are between 0 and the extent, so their difference stays in range.
    let high = b.binary("bound", BinaryOp::SMax, high, 0);
    let Some(low) = low else {
        op.space[0].extent = high;
        return b.take_stms();
    };
    let count = b.binary("count", BinaryOp::Sub, high, low);
    op.space[0].extent = b.binary("count", BinaryOp::SMax, count, 0);
    let stms = b.take_stms();
    let from_low = function.fresh("j", Type::I64);
    let index = std::mem::replace(&mut op.space[0].index, from_low);
    let sum = Expr::Binary(BinaryOp::Add, low, from_low.into());
    op.body.stms.insert(0, Stm { pattern: vec![index], expr: sum, certs: vec![], span });
    stms
}

/// Returns `x + 1`, or the extent if `x` is beyond the last index.
fn after(b: &mut Builder, x: Operand, extent: Operand) -> Operand {
    let last = b.binary("last", BinaryOp::Sub, extent, 1);
    let x = b.binary("last", BinaryOp::SMin, x, last);
    b.binary("bound", BinaryOp::Add, x, 1)
}

/// Replaces a choice by its first alternative if `first` is set, and by its second one otherwise.
fn choose(function: &mut Function, body: &mut Body, at: usize, first: bool) {
    let stm = body.stms.remove(at);
    let (stms, values) = match stm.expr {
        Expr::If { then_body, else_body, .. } => {
            let Body { stms, result } = if first { then_body } else { else_body };
            (stms, result)
        }
        Expr::Select(_, x, y) => (vec![], vec![if first { x } else { y }]),
        exprs!(
            Operand, Unary, Binary, Ternary, Compare, Convert, Assert, array, Loop, soac, Seg, Call,
            UpdateAcc, Tuned, Alloc
        ) => unreachable!("a choice"),
    };
    body.stms.splice(at..at, stms);
    Substitution::of(&stm.pattern, &values).apply_body(function, body);
}
