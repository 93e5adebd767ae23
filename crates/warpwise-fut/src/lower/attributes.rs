//! Attributes of expressions.
//!
//! ```text
//! #[unsafe] e                  no checks in e
//! #[warn(safety_checks)] e     a warning if a check stays in e, or in a function called there
//! #[param(name)] e             what the program is loaded with for the name, or e
//! #[unroll] loop ...           the iterations one after the other, where their number is known; else a warning
//! #[blank] e                   zeros of the shape of e
//! #[scratch] e                 the arrays in e with any contents, its scalars as they are
//! ```
//!
//! A replaced value is computed only as far as its sizes depend on it. Unknown attributes have no effect, as the language
//! requires.

use warpwise_diag::{Diagnostic, Failure, Span};
use warpwise_ir::entity::Entity;
use warpwise_ir::traverse::{FreeVars, Visitor, free_in_type};
use warpwise_ir::{ArrayType, Expr as CoreExpr, FunctionId, Operand, Type};
use warpwise_prim::{CompareOp, Scalar, ScalarType};

use crate::lower::context::{Lowering, Session};
use crate::lower::expr::is_named;
use crate::lower::value::{Env, Frame, Value};
use crate::syntax::ast::{Attr, AttrKind};
use crate::typed::tree::{Expr, ExprKind};

impl<'a> Lowering<'a, '_> {
    /// Lowers `#[attr] body`.
    pub fn attributed(
        &mut self,
        attr: &'a Attr,
        body: &'a Expr,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (blank, scratch) = (is_named(attr, "blank", self), is_named(attr, "scratch", self));
        if blank || scratch {
            return self.replaced(body, env, scratch);
        }
        let inner = Frame::inside(env, is_named(attr, "unsafe", self));
        let before = (self.n_checks, self.called.len());
        self.unroll = is_named(attr, "unroll", self) && is_loop(body);
        // Sizes opened in the body are in scope after it, so they are bound in the enclosing frame.
        let value = self.expr(body, &inner)?;
        env.adopt(&inner);
        if self.is_warn_of_checks(attr) && !self.session.in_prelude(body.span) {
            self.watch(body.span, before);
        }
        Ok(value)
    }

    /// Lowers `#[blank] body` or `#[scratch] body`. Computes only what the sizes of the body depend on and, for `scratch`, its
    /// scalars.
    fn replaced(&mut self, body: &'a Expr, env: &Env<'a>, scratch: bool) -> Result<Value<'a>, Failure> {
        let before = self.code.point();
        let inner = Frame::inside(env, false);
        let value = self.expr(body, &inner)?;
        env.adopt(&inner);
        if value.has_function() {
            return Ok(value);
        }
        let mut needed = FreeVars::default();
        value.extents().into_iter().filter_map(Operand::as_var).for_each(|size| needed.insert(size));
        for leaf in value.leaves() {
            let ty = self.code.ty(leaf);
            needed.absorb(free_in_type(&self.code.function, &ty));
            let is_kept = match ty {
                Type::Scalar(_) => scratch,
                Type::Array(_) => false,
                Type::Acc(_) | Type::Cert | Type::Mem => true,
            };
            leaf.as_var().filter(|_| is_kept).into_iter().for_each(|leaf| needed.insert(leaf));
        }
        self.code.keep_only(needed, before);
        Ok(value
            .map_leaves(&mut |leaf| if scratch { self.scratch_like(leaf) } else { self.zeros_like(leaf) }))
    }

    /// Returns zeros in the shape of an operand.
    fn zeros_like(&mut self, like: Operand) -> Operand {
        match self.code.ty(like) {
            Type::Scalar(elem) => Operand::Const(Scalar::zero(elem)),
            Type::Array(ArrayType { elem, shape }) => {
                let value = Operand::Const(Scalar::zero(elem));
                self.code.bind_one("", CoreExpr::Replicate { shape, value }, &[]).into()
            }
            Type::Acc(_) | Type::Cert | Type::Mem => like,
        }
    }

    /// Returns an array in the shape of another one, with unspecified contents, or a scalar unchanged. Truth values are zeros,
    /// since an unspecified byte may hold more than two values.
    fn scratch_like(&mut self, like: Operand) -> Operand {
        match self.code.ty(like) {
            Type::Array(ArrayType { elem: ScalarType::Bool, .. }) => self.zeros_like(like),
            Type::Array(ArrayType { elem, shape }) => {
                self.code.bind_one("", CoreExpr::Scratch { elem, shape }, &[]).into()
            }
            Type::Scalar(_) | Type::Acc(_) | Type::Cert | Type::Mem => like,
        }
    }

    /// Lowers `#[param(name)] default`.
    pub fn tuned(&mut self, name: &str, default: &'a Expr, env: &Env<'a>) -> Result<Value<'a>, Failure> {
        let default = self.expr(default, env)?;
        let default = self.scalar(&default)?;
        let mut with_default = |default| {
            let tuned = CoreExpr::Tuned { name: name.to_string(), default };
            Operand::from(self.code.bind_one(name, tuned, &[]))
        };
        if let Some(constant) = default.as_const().and_then(Scalar::as_int) {
            return Ok(Value::leaf(with_default(constant)));
        }
        // The parameter is set if its value does not depend on the default.
        let (set, other) = (with_default(0), with_default(1));
        let is_set = self.code.compare(CompareOp::Eq, set, other);
        Ok(Value::leaf(self.code.select(is_set, set, default)))
    }

    fn is_warn_of_checks(&self, attr: &Attr) -> bool {
        match &attr.kind {
            AttrKind::Compound(name, inside) => {
                let named = self.session.input.names.text(name.symbol) == "warn";
                named && inside.iter().any(|attr| is_named(attr, "safety_checks", self))
            }
            AttrKind::Name(_) | AttrKind::Int(_) => false,
        }
    }

    /// Warns about an expression for which a check was made since `before`; without a check, remembers the functions that it
    /// calls.
    fn watch(&mut self, span: Span, before: (usize, usize)) {
        if self.n_checks > before.0 {
            self.session.warnings.push(of_checks(span));
        } else {
            self.session.watched.push((span, self.called[before.1..].to_vec()));
        }
    }

    /// Returns the number of iterations of a loop to be unrolled, if it is known and not too high; otherwise warns.
    pub fn unrolled(&mut self, iterations: Option<i64>) -> Option<i64> {
        let span = self.code.span;
        let fits = |iterations: &i64| (*iterations).max(0) as u64 <= self.session.unrollable;
        match iterations.filter(fits) {
            Some(iterations) => {
                self.session.unrollable -= iterations.max(0) as u64;
                Some(iterations)
            }
            None => {
                let message = match iterations {
                    Some(_) => "`#[unroll]` on a loop with too many iterations",
                    None => "`#[unroll]` on a loop whose number of iterations is not known",
                };
                let hint = "the loop stays as it is; the bound must be a constant, and not large";
                self.session.warnings.push(Diagnostic::warning("W0008", span, message).hint(hint));
                None
            }
        }
    }
}

impl Session<'_> {
    /// Warns about watched expressions that call functions with checks.
    pub fn warn_of_watched(&mut self) {
        let mut checked = vec![None; self.functions.len()];
        for (span, called) in std::mem::take(&mut self.watched) {
            if called.into_iter().any(|function| self.has_check(function, &mut checked)) {
                self.warnings.push(of_checks(span));
            }
        }
    }

    /// Whether a function contains checks, or calls one that does.
    fn has_check(&self, function: FunctionId, known: &mut Vec<Option<bool>>) -> bool {
        if let Some(known) = known[function.index()] {
            return known;
        }
        known[function.index()] = Some(false);
        let mut inside = Inside::default();
        inside.body(&self.functions[function].body);
        let checks = inside.checks || inside.calls.into_iter().any(|callee| self.has_check(callee, known));
        known[function.index()] = Some(checks);
        checks
    }
}

/// Checks and calls found in a body.
#[derive(Default)]
struct Inside {
    checks: bool,
    calls: Vec<FunctionId>,
}

impl<'a> Visitor<'a> for Inside {
    fn expr(&mut self, expr: &'a CoreExpr) {
        self.checks |= matches!(expr, CoreExpr::Assert { .. });
        if let CoreExpr::Call { function, .. } = expr {
            self.calls.push(*function);
        }
        self.walk_expr(expr);
    }
}

fn of_checks(span: Span) -> Diagnostic {
    let message = "Safety check required: something here is looked at when the program runs";
    Diagnostic::warning("W0007", span, message).hint("`#[unsafe]` leaves the checks out")
}

/// Whether an expression is a loop, possibly under attributes and bindings of its result's sizes.
fn is_loop(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Loop(_) => true,
        ExprKind::Open { body, .. } | ExprKind::Attr { body, .. } => is_loop(body),
        ExprKind::Tuned { .. }
        | ExprKind::Literal(..)
        | ExprKind::Bytes(_)
        | ExprKind::Local { .. }
        | ExprKind::Def { .. }
        | ExprKind::Intrinsic { .. }
        | ExprKind::Record(_)
        | ExprKind::Array(_)
        | ExprKind::Construct { .. }
        | ExprKind::Project { .. }
        | ExprKind::Index { .. }
        | ExprKind::Update { .. }
        | ExprKind::Hole
        | ExprKind::Assert { .. }
        | ExprKind::Lambda(_)
        | ExprKind::Apply { .. }
        | ExprKind::Range { .. }
        | ExprKind::Let { .. }
        | ExprKind::If { .. }
        | ExprKind::Match { .. }
        | ExprKind::Coerce(_) => false,
    }
}
