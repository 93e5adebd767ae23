//! The rules of the functional part (papers/000, Figure 11).
//!
//! Beyond the paper's: all patterns without constructors, and more built-ins. Functions may take functions, since all of them
//! are known where they are applied. Recursive functions are fine where they call themselves last: they become loops.

use std::collections::BTreeSet;

use crate::builtins::Builtin;
use crate::check::types::{Node, Ty, Types};
use crate::tree::{Decl, DeclKind, Expr, ExprKind, VarId};

use super::super::walk::{bound, children, each};
use super::{Errors, each_expr, functions};

/// Checks the functional part.
pub(super) fn check(errors: &mut Errors<'_>, decls: &[Decl]) {
    for decl in decls {
        match &decl.kind {
            DeclKind::External(var, _, builtin) if !has_builtin(*builtin) => {
                let span = errors.checked.program.vars[var.0 as usize].span;
                errors.builtin(*builtin, span);
            }
            DeclKind::Recursive(bindings) => {
                for binding in bindings {
                    if bindings.len() > 1 || !calls_itself_last(binding.var, &binding.body) {
                        let rule = "recursive functions in accelerated code call themselves last, and no others that call them";
                        let remedy =
                            "use `map`, `foldl` or `create`, or hand what is computed so far to the call";
                        let span = errors.checked.program.vars[binding.var.0 as usize].span;
                        errors.add("M0414", span, rule, remedy);
                    }
                }
            }
            DeclKind::Let(_)
            | DeclKind::External(..)
            | DeclKind::Utest(_)
            | DeclKind::Do(_)
            | DeclKind::Match(..) => {}
        }
    }
    for (binding, _) in functions(decls) {
        let vars: BTreeSet<VarId> = bound(&binding.body);
        vars.into_iter().for_each(|var| errors.var(var, has_type));
    }
    each_expr(decls, &mut |expr| expression(errors, expr));
}

fn expression(errors: &mut Errors<'_>, expr: &Expr) {
    errors.shared(expr);
    match &expr.kind {
        ExprKind::Builtin(builtin) if !has_builtin(*builtin) => errors.builtin(*builtin, expr.span),
        ExprKind::Seq(_) | ExprKind::Record(_) => errors.ty(expr.ty, expr.span, has_type),
        ExprKind::Apply(function, arguments) => {
            if let ExprKind::Builtin(Builtin::Foldl | Builtin::Reduce) = function.kind
                && arguments.get(1).is_some_and(|start| errors.is_function(start.ty))
            {
                let rule = "folds in accelerated code do not accumulate functions";
                errors.add("M0413", expr.span, rule, "accumulate what the functions differ in");
            }
        }
        ExprKind::Var(_)
        | ExprKind::Frozen(_)
        | ExprKind::Builtin(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Char(_)
        | ExprKind::Bool(_)
        | ExprKind::String(_)
        | ExprKind::Never
        | ExprKind::Lambda(..)
        | ExprKind::Construct(..)
        | ExprKind::Choice(..)
        | ExprKind::Update(..)
        | ExprKind::Project(..)
        | ExprKind::Block(..)
        | ExprKind::Accelerate(_) => {}
    }
}

/// Whether the part has values of this type. A type that nothing decides is none.
fn has_type(types: &Types, ty: Ty) -> bool {
    match types.node(ty) {
        Node::Bool | Node::Int | Node::Float | Node::Char | Node::Var(_) => true,
        Node::Seq(_) | Node::Record(_) | Node::Arrow(..) | Node::All(..) => {
            types.parts(ty).into_iter().all(|part| has_type(types, part))
        }
        Node::Tensor(_) | Node::Named(..) => false,
        // What a function does not look at may be of any type.
        Node::Meta(meta) => types.open(*meta).fields.is_none(),
    }
}

/// Whether a function only calls itself with all its arguments and as the last thing it does.
pub fn calls_itself_last(var: VarId, body: &Expr) -> bool {
    match &body.kind {
        ExprKind::Lambda(parameters, inner) => last(var, parameters.len(), inner),
        _ => false,
    }
}

fn last(var: VarId, n_parameters: usize, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Apply(function, arguments) if matches!(function.kind, ExprKind::Var(f) if f == var) => {
            arguments.len() == n_parameters && !arguments.iter().any(|argument| uses(var, argument))
        }
        ExprKind::Choice(tests, otherwise) => {
            tests.iter().all(|test| !uses(var, &test.scrutinee) && last(var, n_parameters, &test.then))
                && last(var, n_parameters, otherwise)
        }
        ExprKind::Block(_, result) => {
            let children = children(expr);
            children[..children.len() - 1].iter().all(|child| !uses(var, child))
                && last(var, n_parameters, result)
        }
        _ => !uses(var, expr),
    }
}

fn uses(var: VarId, expr: &Expr) -> bool {
    let mut found = false;
    each(expr, &mut |part| {
        found |= matches!(part.kind, ExprKind::Var(other) | ExprKind::Frozen(other) if other == var);
    });
    found
}

/// The built-ins of the part.
fn has_builtin(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(
        builtin,
        Addi | Subi
            | Muli
            | Divi
            | Modi
            | Slli
            | Srli
            | Srai
            | Negi
            | Lti
            | Leqi
            | Gti
            | Geqi
            | Eqi
            | Neqi
            | Addf
            | Subf
            | Mulf
            | Divf
            | Negf
            | Ltf
            | Leqf
            | Gtf
            | Geqf
            | Eqf
            | Neqf
            | Floorfi
            | Ceilfi
            | IntToFloat
            | Eqc
            | CharToInt
            | Create
            | Length
            | Concat
            | Get
            | Set
            | Cons
            | Snoc
            | SplitAt
            | Reverse
            | Head
            | Tail
            | Null
            | Subsequence
            | Map
            | Mapi
            | Foldl
            | Error
            | ParallelMap
            | Map2
            | Reduce
            | Flatten
            | ExternalExp
            | ExternalLog
            | ExternalAtan
            | ExternalSin
            | ExternalCos
            | ExternalAtan2
            | ExternalPow
            | ExternalSqrt
    )
}
