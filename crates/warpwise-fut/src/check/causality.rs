//! Sizes are known before they are needed.
//!
//! A size that an `Open` binds can become the argument of a function that is evaluated before the `Open`: in
//! `zip (filter p xs) (rep 0)` the second argument comes first and needs the size of the first. The
//! walk follows the order of evaluation of the typed tree and reports such uses.
//!
//! Types among the arguments of a scheme are not looked at, as those for lifted parameters may hold sizes that stay unknown.

use rustc_hash::FxHashSet;
use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::size::unify::Locals;
use crate::typed::ids::LocalId;
use crate::typed::map::{map_size, map_type};
use crate::typed::tree::{Expr, ExprKind, Function, Instance};

impl Checker<'_> {
    /// Checks a finished function.
    pub fn check_causality(&mut self, function: &Function) {
        let mut opened = FxHashSet::default();
        collect_opened(&function.body, &mut opened);
        if opened.is_empty() {
            return;
        }
        let mut walk = Causality { opened, known: Vec::new(), early: Vec::new() };
        walk.expr(&function.body);
        for (size, span) in walk.early {
            let name = self.show_local(size).to_string();
            let place = self.program.locals[size.index()].span;
            let error = Diagnostic::error(
                "E0305",
                span,
                format!("causality check: this needs the size `{name}` before it is known"),
            )
            .label(place, "the size is known only after this")
            .hint("arguments are evaluated last to first; bind the one with the size by `let` before");
            self.report(error);
        }
    }
}

/// The sizes that are opened anywhere in an expression.
fn collect_opened(expr: &Expr, opened: &mut FxHashSet<LocalId>) {
    if let ExprKind::Open { sizes, .. } = &expr.kind {
        opened.extend(sizes);
    }
    expr.for_each_child(&mut |child| collect_opened(child, opened));
}

/// A walk in the order of evaluation.
struct Causality {
    /// Sizes that are opened somewhere and not known yet.
    opened: FxHashSet<LocalId>,
    /// Sizes that were opened, in order.
    known: Vec<LocalId>,
    /// Uses that come too early.
    early: Vec<(LocalId, Span)>,
}

impl Causality {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Local { instance, .. }
            | ExprKind::Def { instance, .. }
            | ExprKind::Intrinsic { instance, .. } => self.instance(instance, expr.span),
            ExprKind::Array(elements) if elements.is_empty() => self.sizes_of(expr),
            ExprKind::Hole => self.sizes_of(expr),
            ExprKind::Construct { arguments, .. } => {
                arguments.iter().for_each(|argument| self.expr(argument));
                // What other constructors would carry has a size, too.
                self.sizes_of(expr);
            }
            ExprKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.branch(then);
                self.branch(otherwise);
            }
            ExprKind::Match { scrutinee, cases } => {
                self.expr(scrutinee);
                cases.iter().for_each(|case| self.branch(&case.body));
            }
            ExprKind::Apply { function, arguments } => {
                arguments.iter().rev().for_each(|argument| self.expr(argument));
                self.expr(function);
            }
            ExprKind::Open { sizes, body } => {
                self.expr(body);
                for size in sizes {
                    self.opened.remove(size);
                    self.known.push(*size);
                }
            }
            ExprKind::Update { array, value, .. } => {
                self.expr(value);
                self.expr(array);
            }
            ExprKind::Literal(..)
            | ExprKind::Bytes(_)
            | ExprKind::Record(_)
            | ExprKind::Array(_)
            | ExprKind::Project { .. }
            | ExprKind::Index { .. }
            | ExprKind::Assert { .. }
            | ExprKind::Lambda(_)
            | ExprKind::Range { .. }
            | ExprKind::Let { .. }
            | ExprKind::Loop(_)
            | ExprKind::Coerce(_)
            | ExprKind::Attr { .. } => expr.for_each_child(&mut |child| self.expr(child)),
        }
    }

    /// What becomes known in a branch is not known in others.
    fn branch(&mut self, branch: &Expr) {
        let mark = self.known.len();
        self.expr(branch);
        self.opened.extend(self.known.drain(mark..));
    }

    fn sizes_of(&mut self, expr: &Expr) {
        let mut locals = Locals::default();
        map_type(&expr.ty, &mut locals);
        self.check(locals, expr.span);
    }

    fn instance(&mut self, instance: &Instance, span: Span) {
        for size in &instance.sizes {
            let mut locals = Locals::default();
            map_size(size, &mut locals);
            self.check(locals, span);
        }
    }

    fn check(&mut self, locals: Locals, span: Span) {
        let early = locals.0.into_iter().find(|local| self.opened.contains(local));
        self.early.extend(early.map(|local| (local, span)));
    }
}
