//! Removal of unused definitions, after their types were checked.
//!
//! A definition at the top stays if it is used by the program's expression, a test, a computation with an effect, or a definition
//! that stays. A definition without a computation (a function, a constant, data) has no effect. Neither has a definition as
//! `never`, which only gives a type; unused ones are dropped inside expressions, too. A used external function without an
//! implementation is an error.

use rustc_hash::FxHashSet;
use warpwise_diag::{Diagnostic, Span};

use crate::builtins::{Builtin, Kind};
use crate::syntax::names::Names;
use crate::tree::{Binding, DeclKind, Expr, ExprKind, Program, VarId};

/// Drops unused definitions; returns errors for used external functions without an implementation.
pub fn drop_unused(program: &mut Program, names: &Names) -> Vec<Diagnostic> {
    let mut used = Used { vars: FxHashSet::default(), missing: Vec::new(), program };
    if let Some(main) = &program.main {
        used.expr(main);
    }
    // Definitions stand before their uses: one walk backwards visits every use before the definition.
    let mut kept = vec![false; program.decls.len()];
    for (decl, keep) in program.decls.iter().zip(&mut kept).rev() {
        *keep = match &decl.kind {
            DeclKind::Let(binding) => !is_pure(&binding.body) || used.vars.contains(&binding.var),
            DeclKind::Recursive(bindings) => used.group(bindings),
            DeclKind::External(var, ..) => used.vars.contains(var),
            DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => true,
        };
        if *keep && !matches!(decl.kind, DeclKind::Recursive(_)) {
            decl.children().into_iter().for_each(|expr| used.expr(expr));
        }
    }
    let missing = used.missing.iter().map(|(var, span)| {
        let declared = program.vars[var.0 as usize];
        let name = names.text(declared.name);
        let message = format!("there is no implementation of the external function `{name}`");
        Diagnostic::error("M0214", *span, message).label(declared.span, "declared here")
    });
    let (missing, vars) = (missing.collect(), used.vars);
    let mut kept = kept.into_iter();
    program.decls.retain(|_| kept.next() == Some(true));
    for decl in &mut program.decls {
        if let DeclKind::Recursive(bindings) = &mut decl.kind {
            bindings.retain(|binding| vars.contains(&binding.var));
        }
        decl.children_mut().into_iter().for_each(|expr| drop_never(expr, &vars));
    }
    program.main.iter_mut().for_each(|main| drop_never(main, &vars));
    missing
}

/// Drops unused local definitions as `never`.
fn drop_never(expr: &mut Expr, used: &FxHashSet<VarId>) {
    if let ExprKind::Block(decls, _) = &mut expr.kind {
        decls.retain(|decl| match &decl.kind {
            DeclKind::Let(Binding { var, body: Expr { kind: ExprKind::Never, .. }, .. }) => {
                used.contains(var)
            }
            _ => true,
        });
    }
    expr.children_mut().into_iter().for_each(|child| drop_never(child, used));
}

/// Returns whether an expression is already data: computing it has no effect and cannot fail.
pub fn is_value(expr: &Expr) -> bool {
    is_made_of(expr, |_| false)
}

/// Returns whether an expression has no effect: data, fields of data, and `never`, which promises not to be reached.
pub fn is_pure(expr: &Expr) -> bool {
    is_made_of(expr, |part| match &part.kind {
        ExprKind::Never => true,
        ExprKind::Project(record, _) => is_pure(record),
        _ => false,
    })
}

/// Returns whether an expression consists of data and of subexpressions that `other` accepts.
fn is_made_of(expr: &Expr, other: fn(&Expr) -> bool) -> bool {
    let made = |part: &Expr| is_made_of(part, other);
    match &expr.kind {
        ExprKind::Var(_)
        | ExprKind::Frozen(_)
        | ExprKind::Builtin(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Char(_)
        | ExprKind::Bool(_)
        | ExprKind::String(_)
        | ExprKind::Lambda(..) => true,
        ExprKind::Apply(function, arguments) => match function.kind {
            ExprKind::Builtin(builtin) => {
                // The type of `inlineFuthark` comes from its use, and there is one use only.
                builtin.kind() != Kind::External
                    && builtin != Builtin::InlineFuthark
                    && arguments.len() < builtin.parameters()
                    && arguments.iter().all(made)
            }
            _ => false,
        },
        ExprKind::Construct(_, held) => made(held),
        ExprKind::Record(fields) => fields.iter().all(|(_, value)| made(value)),
        ExprKind::Seq(items) => items.iter().all(made),
        ExprKind::Block(decls, result) => {
            decls.iter().all(|decl| match &decl.kind {
                DeclKind::Let(binding) => made(&binding.body),
                DeclKind::Recursive(_) | DeclKind::External(..) => true,
                DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => false,
            }) && made(result)
        }
        ExprKind::Never
        | ExprKind::Choice(..)
        | ExprKind::Update(..)
        | ExprKind::Project(..)
        | ExprKind::Accelerate(_) => other(expr),
    }
}

struct Used<'a> {
    vars: FxHashSet<VarId>,
    missing: Vec<(VarId, Span)>,
    program: &'a Program,
}

impl<'a> Used<'a> {
    /// Visits the used bindings of a recursive group; returns whether there are any.
    fn group(&mut self, bindings: &'a [Binding]) -> bool {
        let mut left: Vec<&Binding> = bindings.iter().collect();
        while let Some(place) = left.iter().position(|binding| self.vars.contains(&binding.var)) {
            self.expr(&left.remove(place).body);
        }
        left.len() < bindings.len()
    }

    fn expr(&mut self, expr: &'a Expr) {
        if let ExprKind::Var(var) | ExprKind::Frozen(var) = &expr.kind
            && self.vars.insert(*var)
            && self.program.missing_externals.iter().any(|(missing, _)| missing == var)
        {
            self.missing.push((*var, expr.span));
        }
        expr.children().into_iter().for_each(|child| self.expr(child));
    }
}
