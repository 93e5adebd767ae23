//! The places of a program that use definitions of other files, for errors in those files.

use std::collections::BTreeSet;

use warpwise_diag::{Diagnostic, Span};

use crate::compile::Checked;
use crate::tree::{Decl, DeclKind, ExprKind, VarId};

use super::functions;

/// Adds to an error in an included file a label at the place of the program's own file that leads there.
pub(super) fn label_use(checked: &Checked, decls: &[&[Decl]], error: Diagnostic) -> Diagnostic {
    let Some(own) = checked.program.start.map(|span| span.file) else { return error };
    if error.span.file == own {
        return error;
    }
    let mut users: BTreeSet<VarId> =
        decls.iter().flat_map(|decls| holders(checked, decls, error.span)).collect();
    loop {
        let mut more = Vec::new();
        for binding in decls.iter().flat_map(|decls| functions(decls)) {
            let mut found = None;
            binding.body.each(&mut |expr| {
                if let ExprKind::Var(var) | ExprKind::Frozen(var) = &expr.kind
                    && users.contains(var)
                    && found.is_none_or(|span: Span| span.file != own)
                {
                    found = Some(expr.span);
                }
            });
            match found {
                Some(span) if span.file == own => return error.label(span, "used here"),
                Some(_) => more.push(binding.var),
                None => {}
            }
        }
        let n = users.len();
        users.extend(more);
        if users.len() == n {
            return error;
        }
    }
}

/// Returns the definitions around a position.
fn holders(checked: &Checked, decls: &[Decl], at: Span) -> Vec<VarId> {
    let name = |var: VarId| checked.program.vars[var.0 as usize].span;
    let is_around = |span: Span| span.file == at.file && span.start <= at.start && at.end <= span.end;
    let mut found: Vec<VarId> = functions(decls)
        .filter(|binding| is_around(binding.body.span) || is_around(name(binding.var)))
        .map(|binding| binding.var)
        .collect();
    found.extend(decls.iter().filter_map(|decl| match &decl.kind {
        DeclKind::External(var, ..) if is_around(name(*var)) => Some(*var),
        _ => None,
    }));
    found
}
