//! The rules of the functional part (papers/000, Figure 11).
//!
//! Beyond the paper's: all patterns without constructors, and more built-ins. Functions may take functions, since all of them
//! are known where they are applied. Recursive functions are fine where they call themselves last: they become loops.

use crate::builtins::Builtin;
use crate::check::types::{Node, Ty, Types};
use crate::tree::{Decl, DeclKind, Expr, ExprKind, VarId};

use super::{Errors, Part};

/// Checks the functional part.
pub(super) fn check(errors: &mut Errors<'_>, decls: &[Decl]) {
    for decl in decls {
        let DeclKind::Recursive(bindings) = &decl.kind else { continue };
        for binding in bindings {
            if bindings.len() > 1 || !calls_itself_last(binding.var, &binding.body) {
                let rule = "recursive functions in accelerated code call themselves last, and no others that call them";
                let remedy = "use `map`, `foldl` or `create`, or hand what is computed so far to the call";
                let span = errors.checked.program.vars[binding.var.0 as usize].span;
                errors.add("M0414", span, rule, remedy);
            }
        }
    }
    errors.part(decls, Part { has_builtin, has_type, expression });
}

fn expression(errors: &mut Errors<'_>, expr: &Expr) {
    match &expr.kind {
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
        | ExprKind::Record(_)
        | ExprKind::Seq(_)
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
            let children = expr.children();
            children[..children.len() - 1].iter().all(|child| !uses(var, child))
                && last(var, n_parameters, result)
        }
        _ => !uses(var, expr),
    }
}

fn uses(var: VarId, expr: &Expr) -> bool {
    let mut found = false;
    expr.each(&mut |part| {
        found |= matches!(part.kind, ExprKind::Var(other) | ExprKind::Frozen(other) if other == var);
    });
    found
}

/// The built-ins that only this part has.
fn has_builtin(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(
        builtin,
        Create
            | Concat
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
            | ParallelMap
            | Map2
            | Reduce
            | Flatten
    )
}
