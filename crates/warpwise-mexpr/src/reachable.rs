//! Definitions that nothing uses are dropped, before types are looked at.
//!
//! A definition at the top stays if the program's expression, a test, a computation with an effect, or a definition that
//! stays uses it. What computes nothing when it is defined (a function, a constant, data) has no effect.
//! A used external function without an implementation is an error.

use rustc_hash::FxHashSet;
use warpwise_diag::{Diagnostic, Failure, Span};

use crate::builtins::{Builtin, Kind};
use crate::syntax::names::Names;
use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, Program, VarId};

/// Drops what is not used.
pub fn drop_unused(program: &mut Program, names: &Names) -> Result<(), Failure> {
    let mut used = Used { vars: FxHashSet::default(), missing: Vec::new(), program };
    if let Some(main) = &program.main {
        used.expr(main);
    }
    // What is used is defined before: one walk backwards sees every use before the definition.
    let mut kept = vec![false; program.decls.len()];
    for (decl, keep) in program.decls.iter().zip(&mut kept).rev() {
        *keep = match &decl.kind {
            DeclKind::Let(binding) => !is_value(&binding.body) || used.vars.contains(&binding.var),
            DeclKind::Recursive(bindings) => used.group(bindings),
            DeclKind::External(var, ..) => used.vars.contains(var),
            DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => true,
        };
        if *keep && !matches!(decl.kind, DeclKind::Recursive(_)) {
            decl.children().into_iter().for_each(|expr| used.expr(expr));
        }
    }
    if !used.missing.is_empty() {
        return Err(Failure::User(
            used.missing
                .iter()
                .map(|(var, span)| {
                    let name = names.text(program.vars[var.0 as usize].name);
                    let message = format!("there is no implementation of the external function `{name}`");
                    Diagnostic::error("M0214", *span, message)
                        .label(program.vars[var.0 as usize].span, "declared here")
                })
                .collect(),
        ));
    }
    let vars = used.vars;
    let mut kept = kept.into_iter();
    program.decls.retain(|_| kept.next() == Some(true));
    for decl in &mut program.decls {
        if let DeclKind::Recursive(bindings) = &mut decl.kind {
            bindings.retain(|binding| vars.contains(&binding.var));
        }
    }
    Ok(())
}

/// Whether an expression is data already: computing it has no effect and cannot fail.
pub fn is_value(expr: &Expr) -> bool {
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
                // The type of text comes from its use, of which there is one.
                builtin.kind() == Kind::Plain
                    && builtin != Builtin::InlineFuthark
                    && arguments.len() < builtin.parameters()
                    && arguments.iter().all(is_value)
            }
            _ => false,
        },
        ExprKind::Construct(_, held) => is_value(held),
        ExprKind::Record(fields) => fields.iter().all(|(_, value)| is_value(value)),
        ExprKind::Seq(items) => items.iter().all(is_value),
        ExprKind::Block(decls, result) => decls.iter().all(is_value_decl) && is_value(result),
        ExprKind::Never
        | ExprKind::Choice(..)
        | ExprKind::Update(..)
        | ExprKind::Project(..)
        | ExprKind::Accelerate(_) => false,
    }
}

fn is_value_decl(decl: &Decl) -> bool {
    match &decl.kind {
        DeclKind::Let(binding) => is_value(&binding.body),
        DeclKind::Recursive(_) | DeclKind::External(..) => true,
        DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => false,
    }
}

struct Used<'a> {
    vars: FxHashSet<VarId>,
    missing: Vec<(VarId, Span)>,
    program: &'a Program,
}

impl<'a> Used<'a> {
    /// Goes through those of a recursive group that are used; tells whether there are any.
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
            && self.program.missing_externals.contains(var)
        {
            self.missing.push((*var, expr.span));
        }
        expr.children().into_iter().for_each(|child| self.expr(child));
    }
}
