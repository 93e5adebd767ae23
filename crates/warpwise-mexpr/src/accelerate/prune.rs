//! Resolves `inAccelerate`, which is true in accelerated code.
//!
//! ```text
//! if inAccelerate then fast x else slow x
//! ```
//! becomes `fast x`. The host keeps both branches and takes the other one. Runs before extraction, so that definitions that only
//! the host's branch needs are not extracted.

use crate::builtins::Builtin;
use crate::tree::{Decl, Expr, ExprKind, PatKind};

/// Decides choices by `inAccelerate` in all definitions.
pub fn prune(decls: &mut [Decl]) {
    decls.iter_mut().flat_map(Decl::children_mut).for_each(expr);
}

fn expr(it: &mut Expr) {
    if matches!(it.kind, ExprKind::Builtin(Builtin::InAccelerate)) {
        it.kind = ExprKind::Bool(true);
    }
    it.children_mut().into_iter().for_each(expr);
    let ExprKind::Choice(tests, otherwise) = &mut it.kind else { return };
    let mut kept = Vec::new();
    for test in std::mem::take(tests) {
        match (&test.scrutinee.kind, &test.pattern.kind) {
            (ExprKind::Bool(value), PatKind::Bool(wanted)) if value == wanted => {
                **otherwise = test.then;
                break;
            }
            (ExprKind::Bool(_), PatKind::Bool(_)) => {}
            _ => kept.push(test),
        }
    }
    *tests = kept;
    if tests.is_empty() {
        let decided = std::mem::replace(&mut **otherwise, Expr::unit(it.span));
        *it = decided;
    }
}
