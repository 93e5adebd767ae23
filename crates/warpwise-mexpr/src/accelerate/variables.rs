//! Bound and used variables (papers/000, Figure 6).
//!
//! Every variable is bound once, so the free variables of an expression are those that it uses and binds nowhere. [`free`] is the
//! paper's FV, [`bound`] its B extended to whole expressions.

use std::collections::BTreeSet;

use crate::tree::{Decl, DeclKind, Expr, ExprKind, Pat, PatKind, VarId};

/// Returns the free variables of an expression.
pub fn free(expr: &Expr) -> BTreeSet<VarId> {
    let inside = bound(expr);
    let mut found = BTreeSet::new();
    expr.each(&mut |part| {
        if let ExprKind::Var(var) | ExprKind::Frozen(var) = part.kind
            && !inside.contains(&var)
        {
            found.insert(var);
        }
    });
    found
}

/// Returns all variables bound anywhere in an expression.
pub fn bound(expr: &Expr) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    expr.each(&mut |part| match &part.kind {
        ExprKind::Lambda(parameters, _) => found.extend(parameters.iter().map(|parameter| parameter.var)),
        ExprKind::Choice(tests, _) => tests.iter().for_each(|test| pattern_vars(&test.pattern, &mut found)),
        ExprKind::Block(decls, _) => decls.iter().for_each(|decl| decl_vars(decl, &mut found)),
        ExprKind::Var(_)
        | ExprKind::Frozen(_)
        | ExprKind::Builtin(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Char(_)
        | ExprKind::Bool(_)
        | ExprKind::String(_)
        | ExprKind::Never
        | ExprKind::Apply(..)
        | ExprKind::Construct(..)
        | ExprKind::Record(_)
        | ExprKind::Update(..)
        | ExprKind::Project(..)
        | ExprKind::Seq(_)
        | ExprKind::Accelerate(_) => {}
    });
    found
}

/// Collects the variables that a definition binds for the code after it.
pub fn decl_vars(decl: &Decl, found: &mut BTreeSet<VarId>) {
    match &decl.kind {
        DeclKind::Let(binding) => {
            found.insert(binding.var);
        }
        DeclKind::Recursive(bindings) => found.extend(bindings.iter().map(|binding| binding.var)),
        DeclKind::External(var, ..) => {
            found.insert(*var);
        }
        DeclKind::Utest(_) | DeclKind::Do(_) => {}
        DeclKind::Match(_, pattern) => pattern_vars(pattern, found),
    }
}

/// Collects the variables that a pattern binds.
pub fn pattern_vars(pattern: &Pat, found: &mut BTreeSet<VarId>) {
    match &pattern.kind {
        // A negated pattern binds no variables after it.
        PatKind::Wildcard | PatKind::Int(_) | PatKind::Char(_) | PatKind::Bool(_) | PatKind::Not(_) => {}
        PatKind::Var(var) => {
            found.insert(*var);
        }
        PatKind::Record(fields) => fields.iter().for_each(|(_, pattern)| pattern_vars(pattern, found)),
        PatKind::Construct(_, held) => pattern_vars(held, found),
        PatKind::Seq(items) => items.iter().for_each(|pattern| pattern_vars(pattern, found)),
        PatKind::Edge(first, middle, last) => {
            found.extend(*middle);
            first.iter().chain(last).for_each(|pattern| pattern_vars(pattern, found));
        }
        PatKind::And(left, right) | PatKind::Or(left, right) => {
            pattern_vars(left, found);
            pattern_vars(right, found);
        }
    }
}

/// Replaces the variables `from` by the variables `to`.
pub fn rename(expr: &mut Expr, from: &[VarId], to: &[VarId]) {
    if let ExprKind::Var(var) | ExprKind::Frozen(var) = &mut expr.kind
        && let Some(position) = from.iter().position(|other| other == var)
    {
        *var = to[position];
    }
    expr.children_mut().into_iter().for_each(|child| rename(child, from, to));
}
