//! Rewrites choices: known outcomes, cheap branches, and facts from the condition inside the branches.

use warpwise_ir::{Body, Branch, Expr, Operand, Stm, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use super::{Outside, Rewriter, may_move};

/// Maximum number of statements of a branch that is evaluated unconditionally.
const CHEAP: usize = 6;

impl Rewriter<'_> {
    pub(super) fn choice(&mut self, stm: Stm) {
        let Stm { pattern, expr, certs, span } = stm;
        let Expr::If { cond, then_body, else_body, branch } = expr else { unreachable!("a choice") };
        if let Operand::Const(known) = cond {
            let body = if known == true.into() { then_body } else { else_body };
            return self.splice(pattern, body, &certs);
        }
        let then_body = self.branch(then_body, cond, true);
        let else_body = match branch {
            Branch::Plain => self.branch(else_body, cond, false),
            // The general version also runs where the condition holds.
            Branch::Specialised => self.body(else_body, Outside::Never),
        };
        let cheap = self.is_cheap(&then_body) && self.is_cheap(&else_body);
        if certs.is_empty() && branch == Branch::Plain && cheap {
            let scalars = pattern.iter().all(|&var| self.function.ty(var).as_scalar().is_some());
            if scalars {
                return self.select(pattern, cond, then_body, else_body, span);
            }
        }
        let (pattern, then_body, else_body) = self.same_results(pattern, then_body, else_body);
        let expr = Expr::If { cond, then_body, else_body, branch };
        let stm = Stm { pattern, expr, certs, span };
        let level = self.level_for_choice(&stm);
        self.changed |= level + 1 < self.open.len();
        self.push_at(level, stm);
    }

    /// Returns the level of the outermost open body that a choice may move to. A choice of scalars moves like scalar work. A
    /// division in it moves along only if the condition by itself excludes a zero divisor, because other facts that hold here
    /// need not hold further out.
    fn level_for_choice(&self, stm: &Stm) -> usize {
        let here = self.open.len() - 1;
        let are_scalars = stm.pattern.iter().all(|&var| self.function.ty(var).as_scalar().is_some());
        let Expr::If { cond, then_body, else_body, branch: Branch::Plain } = &stm.expr else { return here };
        let bodies = [then_body, else_body];
        let moves = |inner: &Stm, outcome: bool| {
            let is_guarded = match inner.expr {
                Expr::Binary(op, _, divisor) => {
                    op.is_division() && self.says_nonzero(*cond, outcome, divisor)
                }
                exprs!(
                    Operand, Unary, Ternary, Compare, Convert, Select, Assert, array, nested, Call,
                    UpdateAcc, Tuned, Alloc
                ) => false,
            };
            inner.certs.is_empty() && (is_guarded || may_move(&inner.expr))
        };
        let all_move = |body: &Body, outcome| body.stms.iter().all(|inner| moves(inner, outcome));
        if !are_scalars || !stm.certs.is_empty() || !all_move(then_body, true) || !all_move(else_body, false)
        {
            return here;
        }
        let mut needed = 0;
        let mut needs = |operand: Operand| {
            let var = operand.as_var();
            let is_inside =
                |var: &Var| bodies.iter().any(|body| body.stms.iter().any(|stm| stm.pattern.contains(var)));
            if let Some(var) = var.filter(|var| !is_inside(var)) {
                needed = needed.max(self.level[var]);
            }
        };
        needs(*cond);
        for body in bodies {
            body.stms.iter().for_each(|stm| stm.expr.for_each_operand(&mut needs));
            body.result.iter().for_each(|&result| needs(result));
        }
        self.outermost(here, needed)
    }

    /// Whether the given outcome of a condition by itself implies that an integer is not zero.
    fn says_nonzero(&self, cond: Operand, outcome: bool, divisor: Operand) -> bool {
        let Some((expr, _)) = cond.as_var().and_then(|var| self.views[var].as_ref()) else { return false };
        let is_zero = |x: &Operand| x.as_const().and_then(Scalar::as_int) == Some(0);
        if let Expr::Binary(BinaryOp::And, x, y) = expr {
            return outcome && [x, y].iter().any(|part| self.says_nonzero(**part, true, divisor));
        }
        let Expr::Compare(op, x, y) = expr else { return false };
        match op {
            CompareOp::Eq | CompareOp::Ne => {
                let compares = *x == divisor && is_zero(y) || *y == divisor && is_zero(x);
                compares && outcome == (*op == CompareOp::Ne)
            }
            CompareOp::SLt | CompareOp::ULt => outcome && is_zero(x) && *y == divisor,
            CompareOp::SLe | CompareOp::ULe | CompareOp::FLt | CompareOp::FLe => false,
        }
    }

    /// Puts the statements of a body in place of the statement that contains it.
    fn splice(&mut self, pattern: Vec<Var>, body: Body, certs: &[Var]) {
        self.changed = true;
        let with_certs = |mut stm: Stm| {
            stm.certs.extend(certs);
            stm
        };
        let body = Body { stms: body.stms.into_iter().map(with_certs).collect(), result: body.result };
        let result = self.stms(body);
        for (&var, value) in pattern.iter().zip(result) {
            self.replace(var, value);
        }
    }

    /// Rewrites a branch, assuming the given outcome of the condition.
    fn branch(&mut self, body: Body, cond: Operand, outcome: bool) -> Body {
        let mark = self.facts.enter();
        self.assume(cond, outcome);
        let body = self.body(body, Outside::Never);
        self.facts.leave(mark);
        body
    }

    fn assume(&mut self, cond: Operand, outcome: bool) {
        let Some(var) = cond.as_var() else { return };
        match self.views[var].clone() {
            Some((Expr::Compare(op @ (CompareOp::Eq | CompareOp::Ne), x, y), _))
                if outcome == (op == CompareOp::Ne) =>
            {
                for (value, other) in [(x, y), (y, x)] {
                    if let (Some(var), Some(0)) = (value.as_var(), other.as_const().and_then(Scalar::as_int))
                    {
                        self.facts.set_nonzero(var);
                    }
                }
            }
            Some((Expr::Binary(BinaryOp::And, x, y), _)) if outcome => {
                self.assume(x, true);
                self.assume(y, true);
            }
            Some((Expr::Compare(op @ (CompareOp::SLt | CompareOp::SLe), x, y), _)) => {
                let (op, x, y) = match (op, outcome) {
                    (op, true) => (op, x, y),
                    (CompareOp::SLt, false) => (CompareOp::SLe, y, x),
                    (_, false) => (CompareOp::SLt, y, x),
                };
                self.facts.assume(op, x, y);
            }
            _ => {}
        }
    }

    /// Evaluates both branches and selects between their results.
    fn select(
        &mut self,
        pattern: Vec<Var>,
        cond: Operand,
        then_body: Body,
        else_body: Body,
        span: warpwise_diag::Span,
    ) {
        self.changed = true;
        let then_result = self.stms(then_body);
        let else_result = self.stms(else_body);
        for (&var, (x, y)) in pattern.iter().zip(then_result.into_iter().zip(else_result)) {
            self.simple(Stm { pattern: vec![var], expr: Expr::Select(cond, x, y), certs: vec![], span });
        }
    }

    /// Whether a branch is cheap and safe enough to be evaluated unconditionally.
    fn is_cheap(&self, body: &Body) -> bool {
        let cheap = |stm: &Stm| {
            let movable = may_move(&stm.expr) || self.is_in_bounds(&stm.expr);
            stm.certs.is_empty() && movable && !is_slow(&stm.expr)
        };
        body.stms.len() <= CHEAP && body.stms.iter().all(cheap)
    }

    /// Whether an expression reads a single element whose index is in bounds by the facts that hold outside the choice.
    fn is_in_bounds(&self, expr: &Expr) -> bool {
        let Expr::Index { array, indices } = expr else { return false };
        let shape = self.function.ty(*array).shape();
        let inside = |(&index, &size): (&Operand, &Operand)| {
            self.facts.decide(CompareOp::ULt, index, size) == Some(true)
        };
        indices.len() == shape.len() && indices.iter().zip(shape).all(inside)
    }

    /// Removes results on which both branches agree. If a branch may fail, used results stay, because the checks that a result
    /// stands for would disappear with it.
    fn same_results(
        &mut self,
        mut pattern: Vec<Var>,
        mut then_body: Body,
        mut else_body: Body,
    ) -> (Vec<Var>, Body, Body) {
        let same: Vec<bool> = then_body.result.iter().zip(&else_body.result).map(|(x, y)| x == y).collect();
        let fails = same.contains(&true) && (then_body.can_fail() || else_body.can_fail());
        for position in (0..pattern.len()).rev().filter(|&position| same[position]) {
            let value = then_body.result[position];
            if fails && self.uses[pattern[position]] > 0 {
                self.equals(pattern[position], value);
                continue;
            }
            then_body.result.remove(position);
            else_body.result.remove(position);
            let var = pattern.remove(position);
            self.replace(var, value);
        }
        (pattern, then_body, else_body)
    }
}

fn is_slow(expr: &Expr) -> bool {
    match expr {
        Expr::Unary(op, _) => {
            use warpwise_prim::UnaryOp::*;
            !matches!(op, Neg | Not | Abs | Signum | FNeg | FAbs | FSignum | Floor | Ceil | Trunc | Round)
        }
        Expr::Binary(op, ..) => {
            matches!(
                op,
                BinaryOp::FDiv
                    | BinaryOp::FPow
                    | BinaryOp::Atan2
                    | BinaryOp::Hypot
                    | BinaryOp::FMod
                    | BinaryOp::FRem
            )
        }
        exprs!(
            Operand, Ternary, Compare, Convert, Select, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc
        ) => false,
    }
}
