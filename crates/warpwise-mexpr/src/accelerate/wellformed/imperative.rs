//! The rules of the imperative part (papers/000, Figure 10).

use std::collections::BTreeSet;

use crate::builtins::Builtin;
use crate::check::types::{Node, Ty, Types};
use crate::tree::{Binding, Decl, Expr, ExprKind, VarId};

use super::super::variables::bound;
use super::{Errors, Part, functions};

/// Checks the imperative part.
pub(super) fn check(errors: &mut Errors<'_>, decls: &[Decl]) {
    functions(decls).for_each(|binding| written_out(errors, binding));
    let recursion = (
        "recursive functions of sequences and tensors, and those that print or loop, call themselves, and each other, \
         as the last thing they do",
        "use `seqLoop` or `foldl`, hand what is computed so far to the call, or compute with numbers only",
    );
    errors.part(decls, Part { has_builtin, has_type, may_recurse, recursion, expression });
}

/// Checks that a function takes all its arguments at once, and that none of them is a function.
fn written_out(errors: &mut Errors<'_>, binding: &Binding) {
    let span = errors.checked.program.vars[binding.var.0 as usize].span;
    let (parameters, result) = match &binding.body.kind {
        ExprKind::Lambda(parameters, result) => (parameters.as_slice(), Some(result)),
        _ => (&[][..], None),
    };
    if result.is_none_or(|result| errors.is_function(result.ty)) {
        let rule = "functions in imperative accelerated code are written out with all their parameters";
        errors.add("M0419", span, rule, "write `lam x. f x`, with one `lam` for each argument");
    }
    for parameter in parameters {
        if errors.is_function(errors.checked.typing.vars[parameter.var.0 as usize]) {
            let rule = "functions in imperative accelerated code take no functions";
            let span = errors.checked.program.vars[parameter.var.0 as usize].span;
            errors.add("M0419", span, rule, "write one function for each function that is handed to it");
        }
    }
}

fn expression(errors: &mut Errors<'_>, expr: &Expr) {
    if let ExprKind::Update(..) = &expr.kind {
        let remedy = "make a new record of all fields";
        errors.add("M0415", expr.span, "imperative accelerated code does not update records", remedy);
    }
    if let ExprKind::Apply(function, arguments) = &expr.kind
        && let ExprKind::Builtin(builtin) = function.kind
        && let Some(argument) = function_argument(builtin).and_then(|index| arguments.get(index))
    {
        let is_name = |expr: &Expr| matches!(expr.kind, ExprKind::Var(_) | ExprKind::Builtin(_));
        let is_partial = matches!(&argument.kind, ExprKind::Apply(f, _) if is_name(f));
        if !is_name(argument) && !is_partial {
            let rule =
                format!("the function given to `{}` is a name, perhaps with arguments", builtin.name());
            errors.add("M0420", argument.span, &rule, "give the function a name by `let`");
        }
    }
}

/// Returns whether a function works only with scalars and records of scalars, and calls nothing that has effects.
fn may_recurse(types: &Types, vars: &[Ty], decls: &[Decl], binding: &Binding) -> bool {
    let mut open = vec![binding.var];
    let mut seen = BTreeSet::new();
    while let Some(var) = open.pop() {
        if !seen.insert(var) {
            continue;
        }
        let Some(binding) = functions(decls).find(|binding| binding.var == var) else { continue };
        let is_scalar = |var: VarId| has_scalars(types, vars[var.0 as usize]);
        let mut is_pure = bound(&binding.body).into_iter().all(is_scalar);
        binding.body.each(&mut |part| match &part.kind {
            ExprKind::Var(var) => open.push(*var),
            ExprKind::Builtin(builtin) => is_pure &= !has_effect(*builtin),
            _ => {}
        });
        if !is_pure {
            return false;
        }
    }
    true
}

fn has_scalars(types: &Types, ty: Ty) -> bool {
    match types.node(ty) {
        Node::Bool | Node::Int | Node::Float | Node::Char | Node::Var(_) => true,
        Node::Record(_) => types.parts(ty).into_iter().all(|part| has_scalars(types, part)),
        Node::Seq(_)
        | Node::Tensor(_)
        | Node::Arrow(..)
        | Node::All(..)
        | Node::Named(..)
        | Node::Apply(..)
        | Node::Meta(_) => false,
    }
}

fn has_effect(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(builtin, Print | DPrint | PrintFloat | Loop | SeqLoop | SeqLoopAcc)
}

/// Returns the index of the argument of a built-in that is the function it applies.
fn function_argument(builtin: Builtin) -> Option<usize> {
    match builtin {
        Builtin::Foldl | Builtin::Foldr => Some(0),
        Builtin::Loop | Builtin::SeqLoop => Some(1),
        Builtin::SeqLoopAcc => Some(2),
        // The other built-ins apply no function.
        _ => None,
    }
}

/// Returns whether the part has values of this type.
fn has_type(types: &Types, ty: Ty) -> bool {
    match types.node(ty) {
        Node::Bool | Node::Int | Node::Float | Node::Char | Node::Var(_) => true,
        Node::Tensor(element) => matches!(types.node(*element), Node::Int | Node::Float | Node::Var(_)),
        Node::Seq(_) | Node::Record(_) | Node::Arrow(..) | Node::All(..) => {
            types.parts(ty).into_iter().all(|part| has_type(types, part))
        }
        Node::Named(..) | Node::Apply(..) => false,
        Node::Meta(meta) => types.open(*meta).fields.is_none(),
    }
}

/// Returns whether only this part has a built-in.
fn has_builtin(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(
        builtin,
        Print
            | DPrint
            | TensorGet
            | TensorSet
            | TensorLinearGet
            | TensorLinearSet
            | TensorRank
            | TensorShape
            | TensorSlice
            | TensorSub
            | Loop
            | SeqLoop
            | SeqLoopAcc
            | PrintFloat
    )
}
