//! The rules of the functional part (papers/000, Figure 11).
//!
//! Beyond the paper's rules, all patterns without constructors and more built-ins are allowed. Functions may take functions,
//! since all functions are known where they are applied.

use crate::builtins::Builtin;
use crate::check::types::{Node, Ty, Types};
use crate::tree::{Decl, Expr, ExprKind};

use super::{Errors, Part};

/// Checks the functional part.
pub(super) fn check(errors: &mut Errors<'_>, decls: &[Decl]) {
    let recursion = (
        "recursive functions in accelerated code call themselves, and each other, as the last thing they do",
        "use `map`, `foldl` or `create`, or hand what is computed so far to the call",
    );
    errors
        .part(decls, Part { has_builtin, has_type, may_recurse: |_, _, _, _| false, recursion, expression });
}

fn expression(errors: &mut Errors<'_>, expr: &Expr) {
    if let ExprKind::Apply(function, arguments) = &expr.kind
        && let ExprKind::Builtin(Builtin::Foldl | Builtin::Foldr | Builtin::Reduce) = function.kind
        && arguments.get(1).is_some_and(|start| errors.is_function(start.ty))
    {
        let rule = "folds in accelerated code do not accumulate functions";
        errors.add("M0413", expr.span, rule, "accumulate what the functions differ in");
    }
}

/// Returns whether the part has values of this type.
fn has_type(types: &Types, ty: Ty) -> bool {
    match types.node(ty) {
        Node::Bool | Node::Int | Node::Float | Node::Char | Node::Var(_) => true,
        Node::Seq(_) | Node::Record(_) | Node::Arrow(..) | Node::All(..) => {
            types.parts(ty).into_iter().all(|part| has_type(types, part))
        }
        Node::Tensor(_) | Node::Named(..) | Node::Apply(..) => false,
        // The type of values that a function does not inspect is irrelevant.
        Node::Meta(meta) => types.open(*meta).fields.is_none(),
    }
}

/// Returns whether only this part has a built-in.
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
            | InlineFuthark
    )
}
