//! Parts of expressions: what stands directly inside, and which variables are bound and used (papers/000, Figure 6).
//!
//! Every variable is bound once, so what is free in an expression is what is used there and not bound anywhere in it:
//! [`free`] is the paper's FV, [`bound`] its B extended to whole expressions.

use std::collections::BTreeSet;

use crate::tree::{Decl, DeclKind, Expr, ExprKind, Pat, PatKind, VarId};

/// The expressions directly inside, in order; those of definitions in a block among them.
pub fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Var(_)
        | ExprKind::Frozen(_)
        | ExprKind::Builtin(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Char(_)
        | ExprKind::Bool(_)
        | ExprKind::String(_)
        | ExprKind::Never => Vec::new(),
        ExprKind::Apply(function, arguments) => std::iter::once(&**function).chain(arguments).collect(),
        ExprKind::Lambda(_, inner)
        | ExprKind::Construct(_, inner)
        | ExprKind::Project(inner, _)
        | ExprKind::Accelerate(inner) => vec![inner],
        ExprKind::Choice(tests, otherwise) => {
            let tests = tests.iter().flat_map(|test| [&test.scrutinee, &test.then]);
            tests.chain(std::iter::once(&**otherwise)).collect()
        }
        ExprKind::Record(fields) => fields.iter().map(|(_, value)| value).collect(),
        ExprKind::Update(record, fields) => {
            std::iter::once(&**record).chain(fields.iter().map(|(_, value)| value)).collect()
        }
        ExprKind::Seq(items) => items.iter().collect(),
        ExprKind::Block(decls, result) => {
            decls.iter().flat_map(decl_children).chain(std::iter::once(&**result)).collect()
        }
    }
}

/// The same, to be changed.
pub fn children_mut(expr: &mut Expr) -> Vec<&mut Expr> {
    match &mut expr.kind {
        ExprKind::Var(_)
        | ExprKind::Frozen(_)
        | ExprKind::Builtin(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Char(_)
        | ExprKind::Bool(_)
        | ExprKind::String(_)
        | ExprKind::Never => Vec::new(),
        ExprKind::Apply(function, arguments) => std::iter::once(&mut **function).chain(arguments).collect(),
        ExprKind::Lambda(_, inner)
        | ExprKind::Construct(_, inner)
        | ExprKind::Project(inner, _)
        | ExprKind::Accelerate(inner) => vec![inner],
        ExprKind::Choice(tests, otherwise) => {
            let tests = tests.iter_mut().flat_map(|test| [&mut test.scrutinee, &mut test.then]);
            tests.chain(std::iter::once(&mut **otherwise)).collect()
        }
        ExprKind::Record(fields) => fields.iter_mut().map(|(_, value)| value).collect(),
        ExprKind::Update(record, fields) => {
            std::iter::once(&mut **record).chain(fields.iter_mut().map(|(_, value)| value)).collect()
        }
        ExprKind::Seq(items) => items.iter_mut().collect(),
        ExprKind::Block(decls, result) => {
            decls.iter_mut().flat_map(decl_children_mut).chain(std::iter::once(&mut **result)).collect()
        }
    }
}

/// The expressions directly inside a definition, in order.
pub fn decl_children(decl: &Decl) -> Vec<&Expr> {
    match &decl.kind {
        DeclKind::Let(binding) => vec![&binding.body],
        DeclKind::Recursive(bindings) => bindings.iter().map(|binding| &binding.body).collect(),
        DeclKind::External(..) => Vec::new(),
        DeclKind::Utest(utest) => {
            let optional = utest.using.iter().chain(&utest.otherwise);
            [&utest.actual, &utest.expected].into_iter().chain(optional).collect()
        }
        DeclKind::Do(value) | DeclKind::Match(value, _) => vec![value],
    }
}

/// The same, to be changed.
pub fn decl_children_mut(decl: &mut Decl) -> Vec<&mut Expr> {
    match &mut decl.kind {
        DeclKind::Let(binding) => vec![&mut binding.body],
        DeclKind::Recursive(bindings) => bindings.iter_mut().map(|binding| &mut binding.body).collect(),
        DeclKind::External(..) => Vec::new(),
        DeclKind::Utest(utest) => {
            let utest = &mut **utest;
            let optional = utest.using.iter_mut().chain(&mut utest.otherwise);
            [&mut utest.actual, &mut utest.expected].into_iter().chain(optional).collect()
        }
        DeclKind::Do(value) | DeclKind::Match(value, _) => vec![value],
    }
}

/// Calls `visit` with an expression and everything in it, outside first.
pub fn each<'e>(expr: &'e Expr, visit: &mut impl FnMut(&'e Expr)) {
    visit(expr);
    children(expr).into_iter().for_each(|child| each(child, visit));
}

/// The free variables of an expression.
pub fn free(expr: &Expr) -> BTreeSet<VarId> {
    let inside = bound(expr);
    let mut found = BTreeSet::new();
    each(expr, &mut |part| {
        if let ExprKind::Var(var) | ExprKind::Frozen(var) = part.kind
            && !inside.contains(&var)
        {
            found.insert(var);
        }
    });
    found
}

/// All variables bound anywhere in an expression.
pub fn bound(expr: &Expr) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    each(expr, &mut |part| match &part.kind {
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

/// The variables a definition binds for what comes after it.
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

/// The variables a pattern binds.
pub fn pattern_vars(pattern: &Pat, found: &mut BTreeSet<VarId>) {
    match &pattern.kind {
        PatKind::Wildcard | PatKind::Int(_) | PatKind::Char(_) | PatKind::Bool(_) => {}
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
        PatKind::Not(inner) => pattern_vars(inner, found),
    }
}
