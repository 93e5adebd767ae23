//! Warnings about a definition. Runs on finished definitions.

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::infer::scope::Entry;
use crate::check::operators::PrimSet;
use crate::syntax::ast::{Ident, Literal, PrimType};
use crate::typed::intrinsic::Intrinsic;
use crate::typed::tree::{Expr, ExprKind};
use crate::typed::ty::Type;

impl Checker<'_> {
    /// Warns about suspicious parts of an expression, but not in the prelude.
    pub fn warn_of(&mut self, expr: &Expr) {
        if self.in_prelude {
            return;
        }
        match &expr.kind {
            ExprKind::Hole => {
                let message = format!("hole of type `{}`", self.show_type(&expr.ty));
                self.warn_once(
                    Diagnostic::warning("W0001", expr.span, message)
                        .hint("the program can be compiled, and fails when it gets here"),
                );
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::Equal { .. }, .. } if compares_arrays(&expr.ty) => {
                let message = "comparing arrays with `==` is deprecated";
                self.warn_once(
                    Diagnostic::warning("W0002", expr.span, message)
                        .hint("compare their elements: `and (map2 (==) xs ys)`"),
                );
            }
            _ => {}
        }
        expr.for_each_child(&mut |child| self.warn_of(child));
    }

    /// Warns about a star on a type without arrays, of which nothing can be consumed. Does not warn where a module's types
    /// replace abstract ones, since another module may have arrays in their place.
    pub fn warn_of_star(&mut self, ty: &Type, span: Span) {
        let is_abstract = self.reveals || self.is_in_application();
        if !self.in_prelude && !is_abstract && !may_hold_array(ty) {
            let message = format!("declaring `{}` as unique has no effect", self.show_type(ty));
            self.warn_once(Diagnostic::warning("W0003", span, message).hint("take the star away"));
        }
    }

    /// Warns that a definition, named at `span`, gets a type that nothing in it requires.
    pub fn warn_of_default(&mut self, set: PrimSet, span: Span) {
        let found = [PrimType::I32, PrimType::F64].into_iter().find(|&prim| set.contains(prim));
        if let (Some(prim), None, false) = (found, set.single(), self.in_prelude) {
            let message = format!("ambiguous type in this definition: taken as `{}`", prim.name());
            self.warn_once(
                Diagnostic::warning("W0004", span, message)
                    .hint("write the type, as in `1i64` or `(x: f32)`"),
            );
        }
    }

    /// Watches for uses of a name that was bound just now, unless its underscore says that it is not used. Ignores the prelude
    /// and imported files.
    pub fn watch_use(&mut self, name: Ident) {
        let is_ours = self.in_main && !self.in_prelude && !self.is_in_application();
        if is_ours
            && !self.text(name.symbol).starts_with('_')
            && let Some(&Entry::Local { local, .. }) = self.infer.scope.value(name.symbol)
        {
            self.infer.watched.push((local, name));
        }
    }

    /// Warns about names that the definition inferred last binds but does not use.
    pub fn warn_of_unused(&mut self) {
        for (local, name) in std::mem::take(&mut self.infer.watched) {
            if !self.infer.used.contains(&local) {
                let text = self.text(name.symbol);
                let hint = format!("take the binding away, or call it `_{text}`");
                let message = format!("`{text}` is not used");
                self.warn_once(Diagnostic::warning("W0012", name.span, message).hint(hint));
            }
        }
    }

    /// Warns about a decimal literal that does not fit the type of its suffix.
    pub fn warn_of_wrapping(&mut self, literal: Literal, prim: PrimType, span: Span) {
        let (Some(value), Some(text), false) =
            (literal.suffixed_integer(), self.written(span), self.in_prelude)
        else {
            return;
        };
        let digits =
            text.trim_start_matches('-').strip_suffix(prim.name()).unwrap_or_default().replace('_', "");
        let is_decimal = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        // The lowest number of a signed type is the negation of one more than the highest.
        let fits = digits.parse().is_ok_and(|written: i128| written == value || written == -value);
        if is_decimal && !fits {
            let message = format!("`{text}` does not fit its type and wraps to {value}");
            let hint = "write a number in the range of the type, or another suffix";
            self.warn_once(Diagnostic::warning("W0013", span, message).hint(hint));
        }
    }

    /// Warns about an expression that would be a size, if it did not bind a name.
    pub fn warn_of_binding(&mut self, expr: &Expr) {
        if !self.in_prelude && binds(expr) {
            let message = "size expression with binding: the size of what comes of it is not known";
            let hint = "bind the size with `let` first";
            self.warn_once(Diagnostic::warning("W0006", expr.span, message).hint(hint));
        }
    }

    /// Reports a warning, unless it was reported for this place before: parametric modules are checked for every application.
    pub fn warn_once(&mut self, warning: Diagnostic) {
        let key: (&str, Span) = (warning.code, warning.span);
        if self.warned.insert(key) {
            self.report(warning);
        }
    }
}

/// Whether an expression binds a name.
fn binds(expr: &Expr) -> bool {
    let here = matches!(
        expr.kind,
        ExprKind::Lambda(_) | ExprKind::Let { .. } | ExprKind::Match { .. } | ExprKind::Loop(_)
    );
    let mut inside = false;
    expr.for_each_child(&mut |child| inside |= binds(child));
    here || inside
}

/// Whether values of a type can contain arrays.
fn may_hold_array(ty: &Type) -> bool {
    match ty {
        Type::Prim(_) => false,
        Type::Record(fields) => fields.iter().any(|field| may_hold_array(&field.ty)),
        Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Sum(_) | Type::Arrow(_) => true,
    }
}

/// Whether a function type takes an array.
fn compares_arrays(ty: &Type) -> bool {
    matches!(ty, Type::Arrow(arrow) if matches!(arrow.argument, Type::Array(_)))
}
