//! Classification of accelerated expressions by the parallel words that they use (papers/000, Figure 7).
//!
//! | class | uses |
//! |---|---|
//! | any | none: an error, since nothing would run in parallel |
//! | functional | `map`, `map2`, `reduce`, `flatten`, `inlineFuthark` |
//! | imperative | `loop`, `seqLoop`, `seqLoopAcc`, `printFloat` |
//! | invalid | both: an error |
//!
//! Uses count in all code that extraction reaches: through calls and recursion, each definition once. Uses in the sequential
//! program do not count.

use std::collections::BTreeSet;

use warpwise_diag::{Diagnostic, Failure, Span};

use crate::builtins::Builtin;
use crate::tree::{Decl, ExprKind, VarId};

use super::extract::extract;
use super::name::Entry;

/// The accelerated expressions by class.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Classes {
    /// The functional ones.
    pub functional: BTreeSet<VarId>,
    /// The imperative ones.
    pub imperative: BTreeSet<VarId>,
}

/// Classifies all accelerated expressions; it is an error to use no parallel words, or words of both kinds.
pub fn classify(entries: &[Entry], extracted: &[Decl]) -> Result<Classes, Failure> {
    let mut classes = Classes::default();
    let mut errors = Vec::new();
    for entry in entries {
        match first_uses(entry.var, extracted) {
            (None, None) => {
                let message = "this is accelerated, but nothing in it is parallel";
                let hint = match uses(entry.var, extracted, Builtin::Mapi) {
                    true => {
                        "`mapi` is no parallel word: write `map (lam i. f i (get s i)) (create (length s) (lam i. i))`"
                    }
                    false => "use `map`, `map2`, `reduce` or `flatten` on sequences, or `loop` on tensors",
                };
                errors.push(Diagnostic::error("M0403", entry.span, message).hint(hint));
            }
            (Some(functional), Some(imperative)) => errors.push(
                Diagnostic::error("M0404", entry.span, "this mixes two kinds of parallel words")
                    .label(functional, "this works on sequences without effects")
                    .label(imperative, "this works by effects on tensors")
                    .hint("accelerate two expressions, one for each kind"),
            ),
            (Some(_), None) => {
                classes.functional.insert(entry.var);
            }
            (None, Some(_)) => {
                classes.imperative.insert(entry.var);
            }
        }
    }
    if errors.is_empty() { Ok(classes) } else { Err(Failure::User(errors)) }
}

/// Returns whether the code that an accelerated expression reaches uses a built-in.
fn uses(entry: VarId, extracted: &[Decl], wanted: Builtin) -> bool {
    let (_, decls) = extract(&BTreeSet::from([entry]), extracted);
    let mut found = false;
    for body in decls.iter().flat_map(Decl::children) {
        body.each(&mut |expr| found |= matches!(expr.kind, ExprKind::Builtin(builtin) if builtin == wanted));
    }
    found
}

/// Returns the first uses of a functional and of an imperative word in the code that an accelerated expression reaches.
fn first_uses(entry: VarId, extracted: &[Decl]) -> (Option<Span>, Option<Span>) {
    let (_, decls) = extract(&BTreeSet::from([entry]), extracted);
    let (mut functional, mut imperative) = (None, None);
    for body in decls.iter().flat_map(Decl::children) {
        body.each(&mut |expr| {
            if let ExprKind::Builtin(builtin) = expr.kind {
                match builtin {
                    Builtin::Map
                    | Builtin::ParallelMap
                    | Builtin::Map2
                    | Builtin::Reduce
                    | Builtin::Flatten
                    | Builtin::InlineFuthark => functional = functional.or(Some(expr.span)),
                    Builtin::Loop | Builtin::SeqLoop | Builtin::SeqLoopAcc | Builtin::PrintFloat => {
                        imperative = imperative.or(Some(expr.span));
                    }
                    // All other built-ins are sequential.
                    _ => {}
                }
            }
        });
    }
    (functional, imperative)
}
