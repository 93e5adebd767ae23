//! Types and patterns.

use super::Printer;
use crate::syntax::ast::{Pat, PatKind, SizeExpr, TypeArg, TypeExpr, TypeExprKind};

impl Printer<'_> {
    pub(super) fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Var(name) => self.qual_name(name),
            TypeExprKind::Tuple(elements) => self.list("(", elements, ")", Self::ty),
            TypeExprKind::Record(fields) => self.list("{", fields, "}", |p, field| {
                p.name(field.name);
                p.put(": ");
                p.ty(&field.ty);
            }),
            TypeExprKind::Array { size, element } => {
                self.size(size);
                self.type_atom(element);
            }
            TypeExprKind::Unique(inner) => {
                self.put("*");
                self.type_atom(inner);
            }
            TypeExprKind::Apply { function, argument } => {
                self.type_atom(function);
                self.put(" ");
                match &**argument {
                    TypeArg::Size(size) => self.size(size),
                    TypeArg::Type(ty) => self.type_atom(ty),
                }
            }
            TypeExprKind::Arrow { param, argument, result } => {
                match param {
                    Some(param) => self.in_parentheses(|p| {
                        p.name(*param);
                        p.put(": ");
                        p.ty(argument);
                    }),
                    None => self.type_atom(argument),
                }
                self.put(" -> ");
                self.ty(result);
            }
            TypeExprKind::Sum(constructors) => {
                for (position, constructor) in constructors.iter().enumerate() {
                    self.put(if position > 0 { " | #" } else { "#" });
                    self.name(constructor.name);
                    for ty in &constructor.payload {
                        self.put(" ");
                        self.type_atom(ty);
                    }
                }
            }
            TypeExprKind::Exists { sizes, body } => {
                self.put("?");
                for &size in sizes {
                    self.put("[");
                    self.name(size);
                    self.put("]");
                }
                self.put(".");
                self.ty(body);
            }
        }
    }

    /// Prints a type, in parentheses unless it is self-delimiting.
    pub(super) fn type_atom(&mut self, ty: &TypeExpr) {
        match ty.kind {
            TypeExprKind::Var(_) | TypeExprKind::Tuple(_) | TypeExprKind::Record(_) => self.ty(ty),
            TypeExprKind::Array { .. }
            | TypeExprKind::Unique(_)
            | TypeExprKind::Apply { .. }
            | TypeExprKind::Arrow { .. }
            | TypeExprKind::Sum(_)
            | TypeExprKind::Exists { .. } => self.in_parentheses(|p| p.ty(ty)),
        }
    }

    pub(super) fn size(&mut self, size: &SizeExpr) {
        self.put("[");
        if let Some(expr) = &size.expr {
            self.expr(expr);
        }
        self.put("]");
    }

    pub(super) fn pat(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Name(name) => self.bound_name(*name),
            PatKind::Wildcard => self.put("_"),
            PatKind::Tuple(elements) => self.list("(", elements, ")", Self::pat),
            PatKind::Record(fields) => self.list("{", fields, "}", |p, field| {
                p.name(field.name);
                p.put(" = ");
                p.pat(&field.pattern);
            }),
            PatKind::Ascribe(inner, ty) => {
                self.pat_atom(inner);
                self.put(": ");
                self.ty(ty);
            }
            PatKind::Literal { negated, literal } => {
                self.put(if *negated { "-" } else { "" });
                self.literal(*literal);
            }
            PatKind::Constructor(name, arguments) => {
                self.put("#");
                self.name(*name);
                for argument in arguments {
                    self.put(" ");
                    self.pat_atom(argument);
                }
            }
            PatKind::Attr(attr, inner) => {
                self.attr_mark(attr);
                self.pat(inner);
            }
        }
    }

    /// Prints a pattern, in parentheses unless it is self-delimiting.
    pub(super) fn pat_atom(&mut self, pat: &Pat) {
        let bare = match &pat.kind {
            PatKind::Name(_) | PatKind::Wildcard | PatKind::Tuple(_) | PatKind::Record(_) => true,
            PatKind::Literal { negated, .. } => !negated,
            PatKind::Constructor(_, arguments) => arguments.is_empty(),
            PatKind::Ascribe(..) | PatKind::Attr(..) => false,
        };
        if bare { self.pat(pat) } else { self.in_parentheses(|p| p.pat(pat)) }
    }
}
