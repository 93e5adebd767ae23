//! Liftedness: which types may hide functions or sizes of their own.
//!
//! Types are judged by their declared liftedness, not by their definitions: where `type^ t = [2]i32` is in scope, `t` counts as a
//! function, so that its definition can change.

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::size::names::is_extent;
use crate::check::size::unify::Locals;
use crate::check::type_exprs::Annotation;
use crate::syntax::ast::{self, Liftedness, TypeExpr, TypeExprKind};
use crate::syntax::session::Symbol;
use crate::typed::ids::LocalId;
use crate::typed::map::map_type;
use crate::typed::tree::AbstractParam;
use crate::typed::ty::{Type, TypeArg};

impl<'a> Checker<'a> {
    /// Returns the liftedness of a resolved type expression, by the declarations of its names.
    pub fn declared_liftedness(&mut self, expr: &'a TypeExpr) -> Liftedness {
        match &expr.kind {
            TypeExprKind::Var(name) => {
                let param = self.infer.scope.type_param(name.name.symbol);
                match param.filter(|_| name.qualifiers.is_empty()) {
                    Some(param) => self.program.type_params[param.index()].liftedness,
                    None => self.lookup_type(name).map_or(Liftedness::Unlifted, |def| def.liftedness),
                }
            }
            TypeExprKind::Apply { function, argument } => match &**argument {
                ast::TypeArg::Type(ty) => {
                    most(vec![self.declared_liftedness(function), self.declared_liftedness(ty)])
                }
                ast::TypeArg::Size(_) => self.declared_liftedness(function),
            },
            TypeExprKind::Tuple(parts) => most(parts.iter().map(|ty| self.declared_liftedness(ty)).collect()),
            TypeExprKind::Record(fields) => {
                most(fields.iter().map(|field| self.declared_liftedness(&field.ty)).collect())
            }
            TypeExprKind::Sum(constructors) => {
                let payloads = constructors.iter().flat_map(|constructor| &constructor.payload);
                most(payloads.map(|ty| self.declared_liftedness(ty)).collect())
            }
            TypeExprKind::Array { .. } => Liftedness::Unlifted,
            TypeExprKind::Unique(inner) => self.declared_liftedness(inner),
            TypeExprKind::Arrow { .. } => Liftedness::Lifted,
            TypeExprKind::Exists { body, .. } => {
                most(vec![Liftedness::SizeLifted, self.declared_liftedness(body)])
            }
        }
    }

    /// Reports an error if a type cannot be that of array elements.
    pub fn check_element(&mut self, element: &'a TypeExpr, ty: &Type) {
        let what = match self.declared_liftedness(element) {
            Liftedness::Unlifted => return,
            Liftedness::SizeLifted => "whose size is not fixed",
            Liftedness::Lifted => "which may hold a function",
        };
        let shown = self.show_type(ty);
        let message = format!("cannot create array with elements of lifted type `{shown}`, {what}");
        self.report(Diagnostic::error("E0211", element.span, message));
    }

    /// Reports an error if the definition of a type hides more than declared, if its values do not determine the sizes it hides,
    /// or if it does not use one of its size parameters.
    pub fn check_type_definition(
        &mut self,
        declared: Liftedness,
        params: &[AbstractParam],
        annotation: &Annotation,
        definition: &'a TypeExpr,
        name: Symbol,
    ) {
        // Sizes that a name hides count by the declaration of the name.
        let own = match leaves_sizes_open(definition) {
            true => Liftedness::SizeLifted,
            false => Liftedness::Unlifted,
        };
        // An abstract type that a module type declares without `~` counts as unlifted, whatever its definition is.
        let behind = match self.liftedness(&annotation.ty) {
            Liftedness::Lifted => Liftedness::Lifted,
            Liftedness::SizeLifted | Liftedness::Unlifted => Liftedness::Unlifted,
        };
        let found = most(vec![own, self.declared_liftedness(definition), behind]);
        if found as u8 > declared as u8 {
            self.report_hiding(found, definition.span, name);
        }
        let n_named = if let TypeExprKind::Exists { sizes, .. } = &definition.kind { sizes.len() } else { 0 };
        let (named, unnamed) = annotation.exists.split_at(n_named);
        let named = named.iter().find(|&&size| !is_extent(&annotation.ty, size));
        let hidden = named.or_else(|| unnamed.iter().find(|&&size| !may_determine(&annotation.ty, size)));
        if let Some(&size) = hidden.filter(|_| found != Liftedness::Unlifted) {
            let size = self.show_local(size).to_string();
            let message = format!("anonymous size `{size}` not used constructively as the size of an array");
            self.report(Diagnostic::error("E0306", definition.span, message));
        }
        let mut used = Locals::default();
        map_type(&annotation.ty, &mut used);
        for param in params {
            if let AbstractParam::Size(size) = param
                && !used.0.contains(size)
            {
                let text = self.show_local(*size).to_string();
                let place = self.program.locals[size.index()].span;
                self.report(Diagnostic::error("E0304", place, format!("size parameter `[{text}]` unused")));
            }
        }
    }

    fn report_hiding(&mut self, found: Liftedness, span: Span, name: Symbol) {
        let name = self.text(name).to_string();
        let (what, mark) = match found {
            Liftedness::Lifted => ("non-lifted type abbreviations may not contain functions", "^"),
            Liftedness::SizeLifted | Liftedness::Unlifted => {
                ("non-lifted type abbreviations may not contain size-lifted types or sizes of their own", "~")
            }
        };
        let error = Diagnostic::error("E0216", span, format!("{what}, as `{name}` does"));
        self.report(error.hint(format!("declare it with `type{mark}`")));
    }
}

/// Whether the values of a type may determine a size. Those of an abstract type may contain values of its type arguments.
fn may_determine(ty: &Type, size: LocalId) -> bool {
    let in_argument = |arg: &TypeArg| matches!(arg, TypeArg::Type(ty) if may_determine(ty, size));
    let inside = match ty {
        Type::Abstract(_, args) => args.iter().any(in_argument),
        Type::Array(array) => may_determine(&array.element, size),
        Type::Record(_) | Type::Sum(_) => {
            ty.parts().unwrap_or_default().into_iter().any(|part| may_determine(part, size))
        }
        Type::Prim(_) | Type::Param(_) | Type::Arrow(_) => false,
    };
    inside || is_extent(ty, size)
}

/// Whether a type expression has a size `[]`.
fn leaves_sizes_open(expr: &TypeExpr) -> bool {
    match &expr.kind {
        TypeExprKind::Var(_) | TypeExprKind::Arrow { .. } => false,
        TypeExprKind::Tuple(parts) => parts.iter().any(leaves_sizes_open),
        TypeExprKind::Record(fields) => fields.iter().any(|field| leaves_sizes_open(&field.ty)),
        TypeExprKind::Array { size, element } => size.expr.is_none() || leaves_sizes_open(element),
        TypeExprKind::Unique(inner) | TypeExprKind::Exists { body: inner, .. } => leaves_sizes_open(inner),
        TypeExprKind::Apply { function, argument } => {
            let by_argument = match &**argument {
                ast::TypeArg::Size(size) => size.expr.is_none(),
                ast::TypeArg::Type(ty) => leaves_sizes_open(ty),
            };
            by_argument || leaves_sizes_open(function)
        }
        TypeExprKind::Sum(constructors) => {
            constructors.iter().any(|constructor| constructor.payload.iter().any(leaves_sizes_open))
        }
    }
}

/// Returns the liftedness that permits most.
fn most(all: Vec<Liftedness>) -> Liftedness {
    all.into_iter().max_by_key(|&liftedness| liftedness as u8).unwrap_or(Liftedness::Unlifted)
}
