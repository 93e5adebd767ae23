//! The interface of accelerated expressions: all types of captured and returned values are known.
//!
//! A value is passed to a device by its type alone, so an accelerated expression that captures or returns a value is an error if
//! its type has variables. Needs: a lifted program. Absent: the types that a device supports ([`super::wellformed`]).

use warpwise_diag::{Diagnostic, Failure, Span};

use crate::check::show::show;
use crate::check::types::{Node, Ty, Types};
use crate::compile::Checked;
use crate::tree::{DeclKind, ExprKind, Name, VarId};

use super::lift::has_function;
use super::name::Entry;

/// Refuses accelerated expressions that capture or return functions, or values of unknown types.
pub fn check_interface(checked: &Checked, entries: &[Entry]) -> Result<(), Failure> {
    let (mut functions, mut unknowns) = (Vec::new(), Vec::new());
    let bindings = checked.program.decls.iter().filter_map(|decl| match &decl.kind {
        DeclKind::Let(binding) => Some(binding),
        _ => None,
    });
    for binding in bindings {
        let Some(entry) = entries.iter().find(|entry| entry.var == binding.var) else { continue };
        let ExprKind::Lambda(parameters, result) = &binding.body.kind else { continue };
        for parameter in parameters {
            let ty = checked.typing.vars[parameter.var.0 as usize];
            if has_function(&checked.typing.types, ty) {
                functions.push(captured_function(checked, entry, parameter.var));
            } else if !is_known(&checked.typing.types, ty) {
                unknowns.push(captured_unknown(checked, entry, parameter.var));
            }
        }
        if !is_known(&checked.typing.types, result.ty) {
            let shown = show(&checked.typing.types, &checked.program, &checked.names, result.ty);
            unknowns.push(unknown(entry.span, format!("what this gives has the type `{shown}`")));
        }
    }
    // A function that is passed often makes other types unknown.
    let errors = if functions.is_empty() { unknowns } else { functions };
    if errors.is_empty() { Ok(()) } else { Err(Failure::User(errors)) }
}

/// Returns the name of a variable, its position, and its type as text.
fn described(checked: &Checked, var: VarId) -> (&str, Span, String) {
    let Name { name, span } = checked.program.vars[var.0 as usize];
    let ty = checked.typing.vars[var.0 as usize];
    let shown = show(&checked.typing.types, &checked.program, &checked.names, ty);
    (checked.names.text(name), span, shown)
}

fn captured_function(checked: &Checked, entry: &Entry, var: VarId) -> Diagnostic {
    let (name, span, ty) = described(checked, var);
    let message = format!("`{name}` of type `{ty}` cannot be handed to an accelerated expression");
    Diagnostic::error("M0401", entry.span, message)
        .label(span, "it is known only when the program runs")
        .hint("functions are known by name where they are written out: `let f = lam x. ...`")
}

fn captured_unknown(checked: &Checked, entry: &Entry, var: VarId) -> Diagnostic {
    let (name, span, ty) = described(checked, var);
    unknown(entry.span, format!("this uses `{name}` of type `{ty}`")).label(span, "it is bound here")
}

fn unknown(span: Span, what: String) -> Diagnostic {
    let message = format!("{what}: values go to a device and come back by their types, which must be known");
    Diagnostic::error("M0405", span, message)
        .hint("write the type where the value is bound: `let s : [Int] = ...`")
}

/// Returns whether a type has no variables.
fn is_known(types: &Types, ty: Ty) -> bool {
    match types.node(ty) {
        Node::Var(_) | Node::Meta(_) => false,
        Node::Bool
        | Node::Int
        | Node::Float
        | Node::Char
        | Node::Seq(_)
        | Node::Tensor(_)
        | Node::Record(_)
        | Node::Arrow(..)
        | Node::Named(..)
        | Node::Apply(..)
        | Node::All(..) => types.parts(ty).into_iter().all(|part| is_known(types, part)),
    }
}
