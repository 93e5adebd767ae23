//! Names inside a type: a parameter or an unknown size may not have the name of one around it.
//!
//! ```text
//! (n: i64) -> (n: i64) -> [n]i32        -- which `n`?
//! ```

use crate::check::Checker;
use crate::syntax::ast::{Ident, TypeArg, TypeExpr, TypeExprKind};

impl<'a> Checker<'a> {
    /// Reports names that are bound again where they are bound already; `bound` are those around the type.
    pub fn check_type_names(&mut self, expr: &'a TypeExpr, bound: &mut Vec<Ident>) {
        let n_bound = bound.len();
        match &expr.kind {
            TypeExprKind::Var(_) | TypeExprKind::Array { .. } => {}
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
                self.check_type_names(body, bound);
            }
        }
        bound.truncate(n_bound);
    }

    fn bind_type_name(&mut self, name: Ident, bound: &mut Vec<Ident>) {
        if let Some(first) = bound.iter().find(|other| other.symbol == name.symbol) {
            let text = self.text(name.symbol).to_string();
            self.duplicate("name", &text, name.span, first.span);
        }
        bound.push(name);
    }
}
