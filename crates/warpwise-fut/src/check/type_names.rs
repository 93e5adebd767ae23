//! Names bound inside a type. A parameter or an unknown size may not have the name of an enclosing one, and an unknown size must
//! be the size of an array, whose value determines it.
//!
//! ```text
//! (n: i64) -> (n: i64) -> [n]i32        -- which `n`?
//! ?[n].([n]i32 -> i32)                  -- who knows `n`?
//! ```

use warpwise_diag::Diagnostic;

use crate::check::Checker;
use crate::syntax::ast::{ExprKind, Ident, SizeExpr, TypeArg, TypeExpr, TypeExprKind};
use crate::syntax::session::Symbol;

impl<'a> Checker<'a> {
    /// Reports names that are bound again in their own scope. `bound` are the names bound around the type.
    pub fn check_type_names(&mut self, expr: &'a TypeExpr, bound: &mut Vec<Ident>) {
        let n_bound = bound.len();
        match &expr.kind {
            TypeExprKind::Var(_) => {}
            TypeExprKind::Array { element, .. } => self.check_type_names(element, bound),
            TypeExprKind::Apply { function, argument } => {
                self.check_type_names(function, bound);
                if let TypeArg::Type(argument) = &**argument {
                    self.check_type_names(argument, bound);
                }
            }
            TypeExprKind::Tuple(parts) => parts.iter().for_each(|part| self.check_type_names(part, bound)),
            TypeExprKind::Record(fields) => {
                fields.iter().for_each(|field| self.check_type_names(&field.ty, bound));
            }
            TypeExprKind::Sum(constructors) => {
                let payloads = constructors.iter().flat_map(|constructor| &constructor.payload);
                payloads.for_each(|ty| self.check_type_names(ty, bound));
            }
            TypeExprKind::Unique(inner) => self.check_type_names(inner, bound),
            TypeExprKind::Arrow { param, argument, result } => {
                param.iter().for_each(|param| self.bind_type_name(*param, bound));
                self.check_type_names(argument, bound);
                self.check_type_names(result, bound);
            }
            TypeExprKind::Exists { sizes, body } => {
                sizes.iter().for_each(|size| self.bind_type_name(*size, bound));
                sizes.iter().for_each(|size| self.check_told(*size, body));
                self.check_type_names(body, bound);
            }
        }
        bound.truncate(n_bound);
    }

    /// Reports an unknown size that is not the size of an array in its type.
    fn check_told(&mut self, size: Ident, body: &TypeExpr) {
        if !tells(body, size.symbol) {
            let text = self.text(size.symbol).to_string();
            let message = format!("the unknown size `{text}` is not the size of an array in this type");
            let error = Diagnostic::error("E0306", body.span, message).label(size.span, "introduced here");
            self.report(error.hint("sizes of what a function takes are its size parameters"));
        }
    }

    fn bind_type_name(&mut self, name: Ident, bound: &mut Vec<Ident>) {
        if let Some(first) = bound.iter().find(|other| other.symbol == name.symbol) {
            let text = self.text(name.symbol).to_string();
            self.duplicate("name", &text, name.span, first.span);
        }
        bound.push(name);
    }
}

/// Whether values of a type contain arrays of this size, other than in functions.
fn tells(ty: &TypeExpr, size: Symbol) -> bool {
    let is_size = |expr: &SizeExpr| match expr.expr.as_deref().map(|expr| &expr.kind) {
        Some(ExprKind::Var(name)) => name.qualifiers.is_empty() && name.name.symbol == size,
        Some(_) | None => false,
    };
    match &ty.kind {
        TypeExprKind::Var(_) | TypeExprKind::Arrow { .. } => false,
        TypeExprKind::Array { size: extent, element } => is_size(extent) || tells(element, size),
        TypeExprKind::Apply { function, argument } => {
            let in_argument = match &**argument {
                TypeArg::Size(extent) => is_size(extent),
                TypeArg::Type(argument) => tells(argument, size),
            };
            in_argument || tells(function, size)
        }
        TypeExprKind::Tuple(parts) => parts.iter().any(|part| tells(part, size)),
        TypeExprKind::Record(fields) => fields.iter().any(|field| tells(&field.ty, size)),
        TypeExprKind::Sum(constructors) => {
            constructors.iter().flat_map(|constructor| &constructor.payload).any(|part| tells(part, size))
        }
        TypeExprKind::Unique(inner) | TypeExprKind::Exists { body: inner, .. } => tells(inner, size),
    }
}
