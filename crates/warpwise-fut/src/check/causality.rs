//! Causality check: every size is known before it is needed.
//!
//! A size bound by an `Open` can become part of the type of an expression that is evaluated before the `Open`. In
//! `zip (filter p xs) (rep 0)` the second argument is evaluated first, but needs the size of the first. The walk follows the
//! order of evaluation of the typed tree and reports such uses:
//!
//! - arguments are evaluated last to first, then the function, but in `f <| x` first `f`;
//! - names, sections, parameters of lambdas, empty arrays, constructors and holes need the sizes of their types.
//!
//! A value of a function type does not need the sizes that the type binds itself.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::size::unify::Locals;
use crate::typed::ids::LocalId;
use crate::typed::map::map_size;
use crate::typed::tree::{Expr, ExprKind, Function};
use crate::typed::ty::{Size, Type, TypeArg};

/// The written form of an expression, where the order of evaluation depends on it and the tree does not show it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// `f <| x`: the function is evaluated before the argument.
    FunctionFirst,
    /// `(x +)`, `(+ x)`: sizes that are opened inside are not known for the section's own type.
    Section,
}

impl Checker<'_> {
    /// Checks a finished function.
    pub fn check_causality(&mut self, function: &Function) {
        let mut opened = FxHashSet::default();
        collect_opened(&function.body, &mut opened);
        if opened.is_empty() && self.sizing.nowhere.is_empty() {
            return;
        }
        let (nowhere, written) = (&self.sizing.nowhere, &self.sizing.written);
        let mut walk = Causality { opened, known: Vec::new(), early: Vec::new(), nowhere, written };
        walk.expr(&function.body);
        let mut reported = FxHashSet::default();
        for (size, span) in walk.early {
            if !reported.insert(size) {
                continue;
            }
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

/// Collects the sizes that are opened anywhere in an expression.
fn collect_opened(expr: &Expr, opened: &mut FxHashSet<LocalId>) {
    if let ExprKind::Open { sizes, .. } = &expr.kind {
        opened.extend(sizes);
    }
    expr.for_each_child(&mut |child| collect_opened(child, opened));
}

/// A walk in the order of evaluation.
struct Causality<'c> {
    /// Sizes that are opened somewhere but are not known yet.
    opened: FxHashSet<LocalId>,
    /// Sizes that have been opened, in order.
    known: Vec<LocalId>,
    /// Uses of sizes that are not known yet.
    early: Vec<(LocalId, Span)>,
    /// Sizes that only the call of a lambda determines (see [`Sizing`](crate::check::size::Sizing)).
    nowhere: &'c FxHashSet<LocalId>,
    /// The written form of some expressions, by source position.
    written: &'c FxHashMap<Span, Written>,
}

impl Causality<'_> {
    fn expr(&mut self, expr: &Expr) {
        if self.written.get(&expr.span) == Some(&Written::Section) {
            self.needs(&expr.ty, expr.span);
        }
        match &expr.kind {
            ExprKind::Local { .. } | ExprKind::Def { .. } | ExprKind::Intrinsic { .. } => {
                self.needs(&expr.ty, expr.span);
            }
            ExprKind::Array(elements) if elements.is_empty() => self.makes(&expr.ty, expr.span),
            ExprKind::Hole => self.makes(&expr.ty, expr.span),
            ExprKind::Construct { arguments, .. } => {
                arguments.iter().for_each(|argument| self.expr(argument));
                // The payloads of other constructors may have sizes, too.
                self.makes(&expr.ty, expr.span);
            }
            ExprKind::Lambda(lambda) => {
                lambda.params.iter().for_each(|param| self.needs(&param.pattern.ty, param.pattern.span));
                self.expr(&lambda.body);
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
            ExprKind::Apply { function, arguments }
                if self.written.get(&expr.span) == Some(&Written::FunctionFirst) =>
            {
                self.expr(function);
                arguments.iter().for_each(|argument| self.expr(argument));
            }
            ExprKind::Apply { function, arguments } if expr.is_infix() => {
                arguments.iter().for_each(|operand| self.expr(operand));
                self.expr(function);
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
            | ExprKind::Range { .. }
            | ExprKind::Let { .. }
            | ExprKind::Loop(_)
            | ExprKind::Coerce(_)
            | ExprKind::Attr { .. }
            | ExprKind::Tuned { .. } => expr.for_each_child(&mut |child| self.expr(child)),
        }
    }

    /// Walks a branch. Sizes that become known in one branch are not known in others.
    fn branch(&mut self, branch: &Expr) {
        let mark = self.known.len();
        self.expr(branch);
        self.opened.extend(self.known.drain(mark..));
    }

    /// Records an error if a value of this type is used before its sizes are known.
    fn needs(&mut self, ty: &Type, span: Span) {
        let mut sizes = Vec::new();
        free_sizes(ty, &mut Vec::new(), &mut sizes);
        let early = sizes.into_iter().find(|local| self.opened.contains(local));
        self.early.extend(early.map(|local| (local, span)));
    }

    /// Records an error if a value of this type is made before its sizes are known. Not all parts of the value exist, so that
    /// they cannot tell the sizes.
    fn makes(&mut self, ty: &Type, span: Span) {
        let mut sizes = Vec::new();
        free_sizes(ty, &mut Vec::new(), &mut sizes);
        let early =
            sizes.into_iter().find(|local| self.opened.contains(local) || self.nowhere.contains(local));
        self.early.extend(early.map(|local| (local, span)));
    }
}

/// Collects the locals that occur in the sizes of a type and are not bound by it.
fn free_sizes(ty: &Type, bound: &mut Vec<LocalId>, found: &mut Vec<LocalId>) {
    match ty {
        Type::Prim(_) | Type::Param(_) => {}
        Type::Abstract(_, args) => args.iter().for_each(|arg| match arg {
            TypeArg::Size(size) => free_in_size(size, bound, found),
            TypeArg::Type(ty) => free_sizes(ty, bound, found),
        }),
        Type::Array(array) => {
            free_in_size(&array.size, bound, found);
            free_sizes(&array.element, bound, found);
        }
        Type::Record(_) | Type::Sum(_) => {
            ty.parts().unwrap_or_default().into_iter().for_each(|part| free_sizes(part, bound, found));
        }
        Type::Arrow(arrow) => {
            free_sizes(&arrow.argument, bound, found);
            let outside = bound.len();
            bound.extend(arrow.param.iter().chain(&arrow.result.exists));
            free_sizes(&arrow.result.ty, bound, found);
            bound.truncate(outside);
        }
    }
}

fn free_in_size(size: &Size, bound: &[LocalId], found: &mut Vec<LocalId>) {
    let mut locals = Locals::default();
    map_size(size, &mut locals);
    found.extend(locals.0.into_iter().filter(|local| !bound.contains(local)));
}
