//! Entry points: the types that they may take and return.

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::size::names::is_extent;
use crate::check::size::unify::Locals;
use crate::syntax::ast::{Liftedness, Pat, PatKind, TypeArg, TypeExpr, TypeExprKind, ValueDecl};
use crate::syntax::session::Symbol;
use crate::typed::ids::{DefId, LocalId};
use crate::typed::map::map_type;
use crate::typed::tree::{
    Entry, EntryParam, Expr, ExprKind, Function, Param, Pat as TypedPat, PatKind as TypedPatKind,
    SurfaceType, WrittenType,
};
use crate::typed::ty::Type;

impl<'a> Checker<'a> {
    /// Whether a definition is an entry point: declared with `entry`, or named `main` at the top of the main file.
    pub fn is_entry(&self, decl: &ValueDecl) -> bool {
        let is_main = self.in_main && self.prefix.is_empty() && self.text(decl.name.name.symbol) == "main";
        decl.entry || is_main
    }

    /// Checks a definition declared with `entry` and records it as an entry point.
    pub fn check_entry(&mut self, decl: &'a ValueDecl, def: DefId) {
        let function = &self.program.defs[def.index()].function;
        let span = decl.name.name.span;
        if !function.scheme.types.is_empty() {
            let error = Diagnostic::error("E0215", span, "entry point functions may not be polymorphic");
            return self.report(error.hint("write the types of its parameters"));
        }
        let params: Vec<Type> = function.params.iter().map(|param| param.pattern.ty.clone()).collect();
        let result = function.result.ty.clone();
        let sizes = function.scheme.sizes.clone();
        for (index, ty) in params.iter().enumerate() {
            self.check_entry_type(ty, decl.params.get(index).map_or(span, |pat| pat.span), "take");
        }
        self.check_entry_type(&result, decl.result.as_ref().map_or(span, |ty| ty.span), "give");
        self.check_entry_sizes(&sizes, &params);
        let params = params.into_iter().enumerate().map(|(index, ty)| {
            let pattern = decl.params.get(index);
            let written = pattern.and_then(annotation).and_then(|ty| self.written_type(ty));
            EntryParam { name: pattern.and_then(param_name), ty: SurfaceType { written, ty } }
        });
        let params = params.collect();
        let written = decl.result.as_ref().and_then(|ty| self.written_type(ty));
        let result = SurfaceType { written, ty: result };
        self.program.entries.push(Entry { name: decl.name.name.symbol, def, params, result });
    }

    /// Eta-expands an entry point whose body is a function, as in `entry f = map g`: adds that function's parameters.
    pub fn expand_entry(&mut self, function: &mut Function) {
        let mut arguments = Vec::new();
        while let Type::Arrow(arrow) = function.result.ty.clone() {
            let span = function.body.span;
            let local = arrow.param.unwrap_or_else(|| self.new_size("x", span));
            self.program.locals[local.index()].ty = arrow.argument.clone();
            let pattern = TypedPat { span, ty: arrow.argument.clone(), kind: TypedPatKind::Bind(local) };
            function.params.push(Param { pattern, consumes: arrow.consumes.clone() });
            arguments.push(self.local(local, span));
            function.result = arrow.result.clone();
        }
        if arguments.is_empty() {
            return;
        }
        let span = function.body.span;
        let unit = self.build_unit(span);
        let body = std::mem::replace(&mut function.body, unit);
        let kind = ExprKind::Apply { function: Box::new(body), arguments };
        let applied = Expr { span, ty: function.result.ty.clone(), kind };
        function.body = self.open(function.result.exists.clone(), applied);
    }

    /// Returns a type as written in the source; `None` for types that entry points cannot take.
    fn written_type(&self, ty: &TypeExpr) -> Option<WrittenType> {
        let all = |types: &mut dyn Iterator<Item = &TypeExpr>| {
            types.map(|ty| self.written_type(ty)).collect::<Option<Vec<_>>>()
        };
        let whole = |text: String, parts: Vec<WrittenType>| Some(WrittenType { text, parts });
        match &ty.kind {
            TypeExprKind::Var(name) => {
                let names = name.qualifiers.iter().chain([&name.name]);
                whole(names.map(|name| self.text(name.symbol)).collect::<Vec<_>>().join("."), Vec::new())
            }
            TypeExprKind::Tuple(types) => {
                let parts = all(&mut types.iter())?;
                whole(format!("({})", texts(&parts)), parts)
            }
            TypeExprKind::Record(fields) => {
                let mut fields: Vec<_> =
                    fields.iter().map(|field| (self.text(field.name.symbol), &field.ty)).collect();
                fields.sort_by_key(|field| field.0);
                let parts = all(&mut fields.iter().map(|field| field.1))?;
                let pairs = fields.iter().zip(&parts);
                let pairs: Vec<_> = pairs.map(|((name, _), part)| format!("{name}: {}", part.text)).collect();
                whole(format!("{{{}}}", pairs.join(", ")), parts)
            }
            TypeExprKind::Array { element, .. } => {
                let element = self.written_type(element)?;
                whole(format!("[]{}", element.text), vec![element])
            }
            TypeExprKind::Unique(inner) | TypeExprKind::Exists { body: inner, .. } => {
                self.written_type(inner)
            }
            TypeExprKind::Apply { function, argument } => match &**argument {
                TypeArg::Size(_) => self.written_type(function),
                TypeArg::Type(argument) => {
                    let (function, argument) = (self.written_type(function)?, self.written_type(argument)?);
                    whole(format!("{} {}", function.text, argument.text), Vec::new())
                }
            },
            TypeExprKind::Arrow { .. } | TypeExprKind::Sum(_) => None,
        }
    }

    fn check_entry_type(&mut self, ty: &Type, span: Span, verb: &str) {
        if self.liftedness(ty) == Liftedness::Lifted {
            let ty = self.show_type(ty);
            self.report(Diagnostic::error(
                "E0215",
                span,
                format!(
                    "entry point functions may not be higher-order: this would {verb} the function `{ty}`"
                ),
            ));
        }
    }

    /// Reports an error if a size parameter is not an extent of any parameter.
    fn check_entry_sizes(&mut self, sizes: &[LocalId], params: &[Type]) {
        for &size in sizes {
            if !params.iter().any(|ty| is_extent(ty, size)) {
                let (name, span) =
                    (self.show_local(size).to_string(), self.program.locals[size.index()].span);
                let mentioned = params.iter().any(|ty| {
                    let mut locals = Locals::default();
                    map_type(ty, &mut locals);
                    locals.0.contains(&size)
                });
                let message = format!(
                    "the size [{name}] is not used constructively: no parameter of the entry point has it as an extent"
                );
                let error = Diagnostic::error("E0215", span, message);
                self.report(match mentioned {
                    true => {
                        error.hint("it stands in an expression only; take it as a parameter of type `i64`")
                    }
                    false => error,
                });
            }
        }
    }
}

fn texts(parts: &[WrittenType]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join(", ")
}

/// Returns the type that a parameter is annotated with.
fn annotation(pat: &Pat) -> Option<&TypeExpr> {
    match &pat.kind {
        PatKind::Ascribe(_, ty) => Some(ty),
        PatKind::Attr(_, inner) => annotation(inner),
        PatKind::Name(_)
        | PatKind::Wildcard
        | PatKind::Tuple(_)
        | PatKind::Record(_)
        | PatKind::Literal { .. }
        | PatKind::Constructor(..) => None,
    }
}

fn param_name(pat: &Pat) -> Option<Symbol> {
    match &pat.kind {
        PatKind::Name(name) => Some(name.symbol),
        PatKind::Ascribe(inner, _) | PatKind::Attr(_, inner) => param_name(inner),
        PatKind::Wildcard
        | PatKind::Tuple(_)
        | PatKind::Record(_)
        | PatKind::Literal { .. }
        | PatKind::Constructor(..) => None,
    }
}
