//! Extraction: exactly the definitions that given functions need (papers/000, Algorithm 1).
//!
//! One walk goes from the end to the start. A definition is kept if later definitions need it, and then all its free variables
//! are needed, too. Of a group of recursive definitions, those are kept that can be reached from a needed one. The result is
//! closed and minimal, and extracting again changes nothing. The order is kept. Tests in extracted functions are dropped: they
//! belong to the sequential program. Needs: a lifted program, in which the free variables of functions are functions.

use std::collections::BTreeSet;

use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, VarId};

use super::variables::free;

/// Runs Algorithm 1: returns the variables of all extracted definitions, and the definitions.
pub fn extract(wanted: &BTreeSet<VarId>, decls: &[Decl]) -> (BTreeSet<VarId>, Vec<Decl>) {
    let mut needed = wanted.clone();
    let mut kept = Vec::new();
    for decl in decls.iter().rev() {
        let kind = match &decl.kind {
            DeclKind::Let(binding) if needed.contains(&binding.var) => {
                let binding = without_tests(binding);
                needed.extend(free(&binding.body));
                DeclKind::Let(binding)
            }
            DeclKind::Recursive(bindings) => {
                let bindings = reached(bindings, &mut needed);
                if bindings.is_empty() {
                    continue;
                }
                DeclKind::Recursive(bindings)
            }
            DeclKind::External(var, ..) if needed.contains(var) => decl.kind.clone(),
            DeclKind::Let(_)
            | DeclKind::External(..)
            | DeclKind::Utest(_)
            | DeclKind::Do(_)
            | DeclKind::Match(..) => continue,
        };
        kept.push(Decl { kind, span: decl.span });
    }
    kept.reverse();
    (needed, kept)
}

/// Returns the bindings of a recursive definition that can be reached from needed ones; their free variables become needed.
fn reached(bindings: &[Binding], needed: &mut BTreeSet<VarId>) -> Vec<Binding> {
    let bindings: Vec<Binding> = bindings.iter().map(without_tests).collect();
    let mut waiting: Vec<&Binding> = bindings.iter().filter(|b| needed.contains(&b.var)).collect();
    while let Some(binding) = waiting.pop() {
        for var in free(&binding.body) {
            if needed.insert(var) {
                waiting.extend(bindings.iter().filter(|other| other.var == var));
            }
        }
    }
    bindings.iter().filter(|binding| needed.contains(&binding.var)).cloned().collect()
}

fn without_tests(binding: &Binding) -> Binding {
    let mut binding = binding.clone();
    drop_tests(&mut binding.body);
    binding
}

fn drop_tests(expr: &mut Expr) {
    if let ExprKind::Block(decls, _) = &mut expr.kind {
        decls.retain(|decl| !matches!(decl.kind, DeclKind::Utest(_)));
    }
    expr.children_mut().into_iter().for_each(drop_tests);
}
