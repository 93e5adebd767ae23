//! Printing of types.

use crate::syntax::ast::{TypeExpr, TypeKind};

use super::Printer;

impl Printer<'_> {
    pub(super) fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeKind::Unknown => self.put("Unknown"),
            TypeKind::Bool => self.put("Bool"),
            TypeKind::Int => self.put("Int"),
            TypeKind::Float => self.put("Float"),
            TypeKind::Char => self.put("Char"),
            TypeKind::String => self.put("String"),
            TypeKind::Seq(element) => {
                self.put("[");
                self.ty(element);
                self.put("]");
            }
            TypeKind::Tensor(element) => {
                self.put("Tensor[");
                self.ty(element);
                self.put("]");
            }
            TypeKind::Tuple(items) => {
                self.put("(");
                self.list(items, ", ", Self::ty);
                self.put(if items.len() == 1 { ",)" } else { ")" });
            }
            TypeKind::Record(fields) => {
                self.put("{");
                self.list(fields, ", ", |printer, (label, ty)| {
                    printer.label(*label);
                    printer.put(" : ");
                    printer.ty(ty);
                });
                self.put("}");
            }
            TypeKind::Var(name) => self.variable(*name),
            TypeKind::Named(name, arguments) => {
                self.type_name(*name);
                arguments.iter().for_each(|argument| self.type_argument(argument));
            }
            TypeKind::Apply(name, arguments) => {
                self.variable(name.name);
                arguments.iter().for_each(|argument| self.type_argument(argument));
            }
            TypeKind::Arrow(from, to) => {
                let open = matches!(from.kind, TypeKind::Arrow(..) | TypeKind::All(..) | TypeKind::Use(..));
                self.parenthesised(open, |printer| printer.ty(from));
                self.put(" -> ");
                self.ty(to);
            }
            TypeKind::All(name, body) => {
                self.put("all ");
                self.variable(name.name);
                self.put(". ");
                self.ty(body);
            }
            TypeKind::Use(name, body) => {
                self.put("use ");
                self.any_name(*name);
                self.put(" in ");
                self.ty(body);
            }
        }
    }

    fn type_argument(&mut self, ty: &TypeExpr) {
        let open = match &ty.kind {
            TypeKind::Arrow(..) | TypeKind::All(..) | TypeKind::Use(..) => true,
            TypeKind::Named(_, arguments) | TypeKind::Apply(_, arguments) => !arguments.is_empty(),
            TypeKind::Unknown
            | TypeKind::Bool
            | TypeKind::Int
            | TypeKind::Float
            | TypeKind::Char
            | TypeKind::String
            | TypeKind::Seq(_)
            | TypeKind::Tensor(_)
            | TypeKind::Tuple(_)
            | TypeKind::Record(_)
            | TypeKind::Var(_) => false,
        };
        self.put(" ");
        self.parenthesised(open, |printer| printer.ty(ty));
    }
}
