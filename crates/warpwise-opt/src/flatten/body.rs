//! Lifting of bodies: decides which statements stay within an element, which are copied to the uses of their views, and which
//! become operations over all segments at once.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::traverse::free_in_expr;
use warpwise_ir::{Body, Expr, Function, LoopForm, Operand, Stm, Var, exprs};
use warpwise_prim::Scalar;

use super::calls::Folds;
use super::lifter::{Form, Lifted, Lifter, Scope, Segments, needs};
use super::runs_in_order;

/// The treatment of a statement.
enum Choice {
    /// The statement stays unchanged, within an element.
    Stay,
    /// The statement is copied to the uses of its result.
    Delay,
    /// Each element runs the statement by itself, in its segments of flat arrays.
    InOrder,
    /// The statement becomes an operation over all elements.
    Lift,
}

/// The form of a body's result for all elements.
#[derive(Clone, Copy, Debug)]
pub enum Result {
    /// An array with one more dimension.
    Regular(Var),
    /// Segments.
    Irregular(Segments),
}

/// The source of a result.
enum Plan {
    /// An existing array.
    Known(Var),
    /// The result of the current group's map at this position.
    Kept(usize),
    /// Segments, made by [`Lifter::irregular`].
    Segments,
}

impl Lifter<'_> {
    /// Lifts the statements of a body at the current level. Its results are known afterwards.
    pub fn stms(&mut self, body: &Body) -> Lifted<()> {
        let scope = Scope { last_use: last_uses(self.function, body), at: 0 };
        self.scopes.push(scope);
        for (at, stm) in body.stms.iter().enumerate() {
            if let Some(scope) = self.scopes.last_mut() {
                scope.at = at;
            }
            self.stm(stm)?;
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.at = body.stms.len();
        }
        Ok(())
    }

    /// Ends the body that [`Lifter::stms`] began. The results of the body must be stored by now.
    pub fn end(&mut self) {
        self.scopes.pop();
    }

    /// Lifts a body. Returns the forms of its results for all elements.
    pub fn body(&mut self, body: &Body) -> Lifted<Vec<Result>> {
        self.stms(body)?;
        let results = self.results(&body.result)?;
        self.end();
        Ok(results)
    }

    /// Returns the forms of operands for all elements of the current level.
    pub fn results(&mut self, operands: &[Operand]) -> Lifted<Vec<Result>> {
        let checked = self.has_checks();
        let mut wanted = Vec::new();
        let mut plan = Vec::new();
        for &operand in operands {
            let ty = self.function.operand_type(operand);
            // A check must stay with a value that is used.
            let known = self.known(operand).filter(|_| !(checked && ty.rank() == 0));
            plan.push(match known {
                _ if !self.regular_type(&ty) => Plan::Segments,
                Some(array) => Plan::Known(array),
                None => {
                    wanted.push(self.local(operand)?);
                    Plan::Kept(wanted.len() - 1)
                }
            });
        }
        let kept = self.flush(&wanted);
        let mut results = Vec::new();
        for (&operand, plan) in operands.iter().zip(plan) {
            results.push(match (plan, operand) {
                (Plan::Known(array), _) => Result::Regular(array),
                (Plan::Kept(at), _) => Result::Regular(kept[at]),
                (Plan::Segments, Operand::Var(array)) => Result::Irregular(self.irregular(array)?),
                (Plan::Segments, Operand::Const(_)) => return self.unlifted("a constant array"),
            });
        }
        Ok(results)
    }

    /// Returns the array of a regular value of the current level, if it is stored.
    fn known(&self, operand: Operand) -> Option<Var> {
        let value = self.values.get(&operand.as_var()?)?;
        match value.form {
            Form::Regular(array) if value.level == self.level => Some(array),
            Form::Regular(_) | Form::Pending | Form::Irregular(_) | Form::Delayed(_) | Form::Position => None,
        }
    }

    fn stm(&mut self, stm: &Stm) -> Lifted<()> {
        if !stm.span.is_none() {
            self.span = stm.span;
        }
        if self.is_uniform(stm) || self.is_common(stm) {
            self.out.push(stm.clone());
            return Ok(());
        }
        match self.fate(stm) {
            Choice::Stay => self.stay(stm),
            Choice::Delay => {
                self.set(stm.pattern[0], Form::Delayed(Rc::new(delayed(stm))));
                Ok(())
            }
            Choice::InOrder => self.in_order(stm),
            Choice::Lift => self.lift(stm),
        }
    }

    fn fate(&self, stm: &Stm) -> Choice {
        let regular = stm.pattern.iter().all(|&var| {
            // Sizes bound beside the arrays vary between elements.
            let sizes = self.function.ty(var).shape();
            self.regular_type(self.function.ty(var))
                && !sizes.iter().any(|x| stm.pattern.iter().any(|&y| *x == y.into()))
        });
        if self.holds_irregular(&stm.expr) && !(regular && self.stays_apart(&stm.expr)) {
            return Choice::Lift;
        }
        if self.repeats_in_parallel(&stm.expr) {
            return Choice::Lift;
        }
        match &stm.expr {
            _ if regular => Choice::Stay,
            Expr::Operand(_)
            | Expr::Index { .. }
            | Expr::Slice { .. }
            | Expr::Rearrange { .. }
            | Expr::Reshape { .. }
            | Expr::Iota { .. }
            | Expr::Replicate { .. } => Choice::Delay,
            _ if self.can_run_in_order(stm) => Choice::InOrder,
            exprs!(
                scalar, Assert, Update, ArrayLit, Concat, Copy, Manifest, Scratch, nested, Call, UpdateAcc,
                Tuned, Alloc
            ) => Choice::Lift,
        }
    }

    /// Whether an expression with regular results runs within an element although its extents vary.
    fn stays_apart(&self, expr: &Expr) -> bool {
        self.functions.folds == Folds::Apart && runs_in_order(expr)
    }

    /// Whether an expression of the current level contains calls, or parallelism whose extent varies between elements.
    pub fn holds_irregular(&self, expr: &Expr) -> bool {
        let free = free_in_expr(self.function, expr);
        let avoided = |x: Operand| x.as_var().is_none_or(|var| free.contains(var) && self.avoided(x));
        holds_irregular(expr, &avoided)
    }

    /// Applies [`repeats_in_parallel`] to an expression of the current level.
    fn repeats_in_parallel(&self, expr: &Expr) -> bool {
        let free = free_in_expr(self.function, expr);
        let avoided = |x: Operand| x.as_var().is_none_or(|var| free.contains(var) && self.avoided(x));
        self.functions.folds == Folds::Segmented && repeats_in_parallel(self.function, expr, &avoided)
    }

    fn lift(&mut self, stm: &Stm) -> Lifted<()> {
        match &stm.expr {
            Expr::Screma(soac) => self.screma(stm, soac),
            Expr::FlatMap(soac) => self.flat_map(stm, soac),
            Expr::If { cond, then_body, else_body, .. } => self.choice(stm, *cond, then_body, else_body),
            Expr::Loop { params, form, body } => self.repeat(stm, params, form, body),
            Expr::Copy(array) | Expr::Manifest { array, .. } => {
                let segments = self.irregular(*array)?;
                self.set(stm.pattern[0], Form::Irregular(segments));
                Ok(())
            }
            Expr::Call { function, args } => self.call(stm, *function, args),
            Expr::Partition(soac) => self.partition(stm, soac),
            Expr::Scatter(soac) => self.scatter(stm, soac),
            Expr::Hist(soac) => self.histogram(stm, soac),
            Expr::Concat { arrays, .. } => self.concat(stm, arrays),
            Expr::ArrayLit(rows) => self.literal(stm, rows),
            Expr::Update { array, dims, value } => self.update(stm, *array, dims, *value),
            Expr::Scratch { .. } => self.without_contents(stm),
            expr @ exprs!(
                Operand, scalar, Assert, view, Iota, Replicate, Stream, WithAcc, UpdateAcc, Seg, Tuned, Alloc
            ) => self.unlifted(&format!("{} of differing sizes", describe(expr))),
        }
    }
}

/// Whether an expression contains calls, or parallelism whose extent is not `avoided`.
pub fn holds_irregular(expr: &Expr, avoided: &dyn Fn(Operand) -> bool) -> bool {
    let mut found = match expr {
        Expr::Call { .. } | Expr::FlatMap(_) => true,
        Expr::Screma(soac) => !avoided(soac.width),
        Expr::Partition(soac) => !avoided(soac.width),
        Expr::Scatter(soac) => !avoided(soac.width),
        Expr::Hist(soac) => !avoided(soac.width),
        Expr::Stream(soac) => !avoided(soac.width),
        exprs!(Operand, scalar, Assert, array, If, Loop, WithAcc, UpdateAcc, Seg, Tuned, Alloc) => false,
    };
    expr.for_each_body(|body| {
        found = found || body.stms.iter().any(|stm| holds_irregular(&stm.expr, avoided));
    });
    found
}

/// Largest known width of operations for which the loop around them runs in order within an element.
const SHORT: i64 = 32;

/// Whether an expression is a loop on arrays whose number of iterations and whose operations' widths are the same for all
/// elements. Each iteration of such a loop is run for all elements at once.
pub fn repeats_in_parallel(function: &Function, expr: &Expr, avoided: &dyn Fn(Operand) -> bool) -> bool {
    let Expr::Loop { params, form: LoopForm::For { bound, .. }, body } = expr else { return false };
    let on_arrays = params.iter().any(|param| function.ty(param.var).rank() > 0);
    let long = |width: Operand| width.as_const().and_then(Scalar::as_int).is_none_or(|width| width > SHORT);
    let parallel = |expr: &Expr| {
        if let Expr::Screma(soac) = expr {
            avoided(soac.width) && long(soac.width)
        } else {
            repeats_in_parallel(function, expr, avoided)
        }
    };
    on_arrays && avoided(*bound) && body.stms.iter().any(|stm| parallel(&stm.expr))
}

/// Returns the copy of a statement. Iotas and replicates read no memory, so they need no check.
fn delayed(stm: &Stm) -> Stm {
    let certs = match stm.expr {
        Expr::Iota { .. } | Expr::Replicate { .. } => Vec::new(),
        exprs!(
            Operand, scalar, Assert, view, Update, ArrayLit, Concat, Copy, Manifest, Scratch, nested, Call,
            UpdateAcc, Tuned, Alloc
        ) => stm.certs.clone(),
    };
    Stm { certs, ..stm.clone() }
}

/// Returns the last statement of a body that needs each variable. The results count as one more statement. The operands of a view
/// or check are needed as long as the view or check is.
fn last_uses(function: &Function, body: &Body) -> FxHashMap<Var, usize> {
    let mut last: FxHashMap<Var, usize> = FxHashMap::default();
    let end = body.stms.len();
    last.extend(body.result.iter().filter_map(|x| x.as_var()).map(|var| (var, end)));
    for (at, stm) in body.stms.iter().enumerate().rev() {
        let may_be_copied = matches!(
            stm.expr,
            Expr::Operand(_)
                | Expr::Index { .. }
                | Expr::Slice { .. }
                | Expr::Rearrange { .. }
                | Expr::Reshape { .. }
                | Expr::Iota { .. }
                | Expr::Replicate { .. }
                | Expr::Assert { .. }
        );
        let mut until = at;
        if may_be_copied {
            until = stm.pattern.iter().filter_map(|var| last.get(var)).copied().max().unwrap_or(at).max(at);
        }
        let bound: FxHashSet<Var> = stm.pattern.iter().copied().collect();
        for var in needs(function, stm) {
            if !bound.contains(&var) {
                let entry = last.entry(var).or_insert(until);
                *entry = (*entry).max(until);
            }
        }
    }
    last
}

/// Returns the name of an expression in messages.
fn describe(expr: &Expr) -> &'static str {
    match expr {
        Expr::If { .. } => "a choice",
        Expr::Loop { .. } => "a loop",
        Expr::Call { .. } => "a call",
        Expr::Screma(_) => "a map, reduction or scan",
        Expr::Partition(_) => "a filter or partition",
        Expr::Scatter(_) => "a scatter",
        Expr::Hist(_) => "a histogram",
        Expr::Stream(_) => "a stream",
        Expr::WithAcc(_) | Expr::UpdateAcc { .. } => "an accumulator",
        Expr::FlatMap(_) => "a flatmap",
        Expr::Concat { .. } => "a concatenation",
        Expr::Update { .. } => "an update",
        Expr::ArrayLit(_) => "a literal",
        Expr::Scratch { .. } => "an array without contents",
        Expr::Operand(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Ternary(..)
        | Expr::Compare(..)
        | Expr::Convert(..)
        | Expr::Select(..)
        | Expr::Assert { .. }
        | Expr::Index { .. }
        | Expr::Slice { .. }
        | Expr::Iota { .. }
        | Expr::Replicate { .. }
        | Expr::Rearrange { .. }
        | Expr::Reshape { .. }
        | Expr::Copy(_)
        | Expr::Manifest { .. }
        | Expr::Seg(_)
        | Expr::Tuned { .. }
        | Expr::Alloc { .. } => "an expression",
    }
}
