//! Refuses accelerated expressions inside accelerated ones, directly or through calls.
//!
//! After extraction only names have to be compared: an accelerated expression is nested if it occurs in the definitions that
//! another one needs.

use std::collections::{BTreeMap, BTreeSet};

use warpwise_diag::{Diagnostic, Failure, Span};

use crate::tree::{Decl, ExprKind};

use super::extract::extract;
use super::name::Entry;

/// Refuses uses of accelerated expressions in extracted definitions.
pub fn check_nested(entries: &[Entry], extracted: &[Decl]) -> Result<(), Failure> {
    let mut errors: BTreeMap<_, Diagnostic> = BTreeMap::new();
    for outer in entries {
        let (_, decls) = extract(&BTreeSet::from([outer.var]), extracted);
        for span in decls.iter().flat_map(Decl::children).flat_map(|body| uses(entries, body)) {
            let error = errors.remove(&(span.file, span.start)).unwrap_or_else(|| nested(span));
            let error = error.label(outer.span, "this is accelerated and uses it");
            errors.insert((span.file, span.start), error);
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(Failure::User(errors.into_values().collect())) }
}

/// Returns the positions of accelerated expressions in an expression.
fn uses(entries: &[Entry], body: &crate::tree::Expr) -> Vec<Span> {
    let mut found = Vec::new();
    body.each(&mut |expr| {
        if let ExprKind::Var(var) | ExprKind::Frozen(var) = expr.kind
            && entries.iter().any(|entry| entry.var == var)
        {
            found.push(expr.span);
        }
    });
    found
}

fn nested(span: Span) -> Diagnostic {
    let message = "this is accelerated inside of what is accelerated already";
    Diagnostic::error("M0402", span, message)
        .hint("drop this `accelerate`, or call a function that does not accelerate")
}
