//! Lambdas, local functions, and the construction that they share with definitions.

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::size::apply::simple_local;
use crate::check::size::scopes::Opened;
use crate::check::size::unify::Locals;
use crate::check::size::{DEEPEST, META};
use crate::check::type_exprs::{Annotation, Subst};
use crate::syntax::ast::{Expr as Ast, LocalFunction, Pat, TypeExpr};
use crate::typed::ids::LocalId;
use crate::typed::map::map_type;
use crate::typed::tree::{
    BindingKind, Expr, ExprKind, Function, Lambda, Param, Pat as TypedPat, PatKind, Scheme,
};
use crate::typed::ty::{ArrowType, ResultType, Size, Type, Uniqueness};

/// The parts of a function that was built, and its curried type.
pub struct Built {
    /// The parameters.
    pub params: Vec<Param>,
    /// Type of the result.
    pub result: ResultType,
    /// The body.
    pub body: Expr,
    /// Curried type.
    pub ty: Type,
}

impl<'a> Checker<'a> {
    /// Builds `\x y -> e`. `expected` is the function type that its context requires, if known.
    pub fn build_lambda(
        &mut self,
        params: &'a [Pat],
        result: Option<&'a TypeExpr>,
        body: &'a Ast,
        expected: Option<Type>,
        span: Span,
    ) -> Expr {
        let Built { params, result, body, ty } = self.build_function(params, result, body, expected, span);
        Expr { span, ty, kind: ExprKind::Lambda(Box::new(Lambda { params, result, body })) }
    }

    /// Builds a function. Parameters without a type get the expected one, and so do unknown sizes of the result.
    pub fn build_function(
        &mut self,
        params: &'a [Pat],
        result: Option<&'a TypeExpr>,
        body: &'a Ast,
        mut expected: Option<Type>,
        span: Span,
    ) -> Built {
        let first = self.sizing.metas.len() as u32;
        // Sizes of parameters may turn out to be earlier parameters, so both have one level.
        let (params, annotation, body) = self.nested(|checker| {
            let level = checker.sizing.level;
            let params: Vec<Param> = params
                .iter()
                .map(|param| match expected.take() {
                    Some(Type::Arrow(arrow)) => {
                        let (param, rest) = checker.build_expected_param(param, &arrow, level);
                        expected = rest;
                        param
                    }
                    _ => {
                        let (pattern, consumes) = checker.build_pat(param, None, level);
                        Param { pattern, consumes }
                    }
                })
                .collect();
            let annotation = result.and_then(|ty| Some((ty.span, checker.annotation(ty)?)));
            params.iter().for_each(|param| checker.keep_apart(&param.pattern.ty));
            let borrowed: Vec<&Param> = params.iter().collect();
            checker.declare_recursion(&borrowed, annotation.as_ref().map(|(_, annotation)| annotation), span);
            let body = checker.build(body);
            if let Some(expected) = &expected {
                // A mismatch is reported where the function is used.
                let _ = checker.unify_types(expected, &body.ty);
            }
            (params, annotation, body)
        });
        let borrowed: Vec<&Param> = params.iter().collect();
        let simple: Vec<LocalId> = params.iter().filter_map(|param| simple_local(&param.pattern)).collect();
        self.check_params(&borrowed);
        let (ty, result, body) = match annotation {
            None => self.close_lambda(&simple, &borrowed, body, Uniqueness::No, span),
            Some((place, annotation)) => {
                let given = body.ty.clone();
                let closed = self.close_annotated(&simple, &borrowed, annotation, place, body, span);
                self.settle_payloads(&[&given, &closed.1.ty], first, &borrowed);
                closed
            }
        };
        Built { params, result, body, ty }
    }

    /// Builds a parameter with its expected type. Also returns the type that is expected of the rest of the function.
    fn build_expected_param(
        &mut self,
        param: &'a Pat,
        arrow: &ArrowType,
        level: u32,
    ) -> (Param, Option<Type>) {
        let (mut pattern, consumes) = self.build_pat(param, Some(&arrow.argument), level);
        if let PatKind::Wildcard = pattern.kind {
            // Sizes can mention the parameter only by a name.
            let name = self.session.names.intern("_");
            let local = self.new_local(name, pattern.span);
            self.program.locals[local.index()].ty = pattern.ty.clone();
            self.sizing.levels.insert(local, level);
            pattern.kind = PatKind::Bind(local);
        }
        let mut subst = Subst::default();
        let named = match (arrow.param, simple_local(&pattern)) {
            (Some(theirs), Some(ours)) => {
                subst.sizes.insert(theirs, Size::Local(ours));
                true
            }
            (Some(_), None) => false,
            (None, _) => true,
        };
        let known = named && arrow.result.exists.is_empty();
        let rest = known.then(|| self.substitute(&arrow.result.ty, &subst));
        (Param { pattern, consumes }, rest)
    }

    /// Reports an error if the type of a parameter mentions a name bound by the parameters, other than an earlier parameter as a
    /// whole.
    fn check_params(&mut self, params: &[&Param]) {
        let mut before = Vec::new();
        for param in params {
            let mut found = Locals::default();
            map_type(&self.solved(&param.pattern.ty), &mut found);
            let level = self.sizing.level;
            let wrong = found.0.iter().find(|&&local| {
                let level_of = self.sizing.level_of(local);
                self.sizing.meta(local).is_none()
                    && level_of > level
                    && level_of != DEEPEST
                    && !before.contains(&local)
            });
            if let Some(&local) = wrong {
                let (size, ty) = (self.show_local(local).to_string(), self.show_type(&param.pattern.ty));
                let message = format!(
                    "the type `{ty}` of this parameter speaks of the size `{size}`, which its callers do not know"
                );
                self.report_escape(Diagnostic::error("E0302", param.pattern.span, message));
            }
            before.extend(simple_local(&param.pattern));
        }
    }

    /// Reports an error if the type of a result mentions parts of parameters, which have no name outside.
    fn check_annotated_result(&mut self, ty: &Type, params: &[&Param], place: Span) {
        let mut parts = Vec::new();
        for param in params {
            match &param.pattern.kind {
                PatKind::Bind(_) | PatKind::Wildcard | PatKind::Literal(..) => {}
                PatKind::Record(fields) | PatKind::Construct { parts: fields, .. } => {
                    fields.iter().for_each(|field| bound_names(field, &mut parts))
                }
            }
        }
        if let Some(&part) = parts.iter().find(|&&part| self.mentions(ty, part)) {
            let name = self.show_local(part).to_string();
            let message =
                format!("the type of the result speaks of `{name}`, which is only a part of a parameter");
            let error = Diagnostic::error("E0302", place, message);
            self.report_escape(error.label(self.program.locals[part.index()].span, "bound here"));
        }
    }

    /// Completes a function with an annotated result.
    fn close_annotated(
        &mut self,
        simple: &[LocalId],
        params: &[&Param],
        annotation: Annotation,
        place: Span,
        body: Expr,
        span: Span,
    ) -> (Type, ResultType, Expr) {
        let mut opened = Opened::default();
        let body_span = body.span;
        let mut flexible = Subst::default();
        for &exists in &annotation.exists {
            let meta = self.sizing.new_meta(DEEPEST, Span::NONE, None);
            flexible.sizes.insert(exists, meta);
        }
        let expected = self.substitute(&annotation.ty, &flexible);
        self.check_annotated_result(&annotation.ty, params, place);
        self.require(&expected, &body.ty, body_span, Why::Result(place));
        self.settle_unused(&flexible, params);
        // A size that the body determines and callers know needs no name of its own.
        let mut known = Subst::default();
        let mut exists = Vec::new();
        for hidden in annotation.exists {
            let size = self.resolve_size(&flexible.sizes[&hidden]);
            match self.is_known_to_callers(&size, simple) {
                true => drop(known.sizes.insert(hidden, size)),
                false => exists.push(hidden),
            }
        }
        let result = self.substitute(&annotation.ty, &known);
        // The type of the function cannot mention sizes that parts of parameters bind.
        let keep: Vec<LocalId> = simple.iter().chain(&exists).copied().collect();
        let ty = self.close(&result, self.sizing.level, &keep, &mut opened, span);
        exists.extend(opened.sizes().into_iter().filter(|&size| self.mentions(&ty, size)));
        let body = match exists.is_empty() || matches!(ty, Type::Arrow(_)) {
            true => body,
            false => {
                let kind = ExprKind::Open { sizes: exists.clone(), body: Box::new(body) };
                Expr { span: body_span, ty: ty.clone(), kind }
            }
        };
        let result = ResultType { exists, ty, unique: annotation.unique };
        (self.curry(params, &result), result, body)
    }

    /// Whether a size mentions only parameters and names from outside the function.
    fn is_known_to_callers(&self, size: &Size, params: &[LocalId]) -> bool {
        self.locals_of(size).iter().all(|local| {
            let is_outside =
                self.sizing.meta(*local).is_none() && self.sizing.level_of(*local) <= self.sizing.level;
            is_outside || params.contains(local)
        })
    }

    /// Sets the unknown sizes of the result that nothing in the body determines to 0: they belong to absent payloads.
    fn settle_unused(&mut self, flexible: &Subst, params: &[&Param]) {
        for size in flexible.sizes.values() {
            if let Size::Local(local) = self.resolve_size(size)
                && let Some(meta) = self.sizing.meta(local)
                && meta.level > self.sizing.level
                && !params.iter().any(|param| self.mentions(&param.pattern.ty, local))
            {
                self.sizing.metas[(local.0 - META) as usize].solution = Some(Size::Const(0));
            }
        }
    }

    /// Builds `let f x = e`.
    pub fn build_local_function(&mut self, function: &'a LocalFunction) -> BindingKind {
        let (types, mut sizes) = self.infer.functions.get(&function.name.id).cloned().unwrap_or_default();
        for &size in &sizes {
            self.sizing.levels.insert(size, self.sizing.level + 1);
        }
        let first = self.sizing.metas.len() as u32;
        let built = self.nested(|checker| {
            checker.build_function(
                &function.params,
                function.result.as_ref(),
                &function.body,
                None,
                function.name.name.span,
            )
        });
        let level = self.sizing.level;
        self.check_size_params(&sizes, &built.ty);
        sizes.extend(self.generalise_sizes(&built.ty, first, level + 1));
        let ty = self.solved(&built.ty);
        let local = match self.infer.pats.get(&function.name.id) {
            Some(&(_, Some(local))) => local,
            Some((_, None)) | None => self.new_local(function.name.name.symbol, function.name.name.span),
        };
        self.program.locals[local.index()].ty = ty;
        self.sizing.levels.insert(local, level + 1);
        let scheme = Scheme { types, sizes };
        if !scheme.types.is_empty() || !scheme.sizes.is_empty() {
            self.sizing.schemes.insert(local, (scheme.types.clone(), scheme.sizes.clone()));
        }
        let Built { params, result, body, .. } = built;
        let function = Box::new(Function { scheme, params, result, body });
        BindingKind::Function { name: local, function, attrs: Vec::new() }
    }

    /// Reports an error if a function's type does not mention one of its size parameters, which then could not be known.
    pub fn check_size_params(&mut self, sizes: &[LocalId], ty: &Type) {
        for &size in sizes {
            if !self.mentions(ty, size) {
                let (name, place) =
                    (self.show_local(size).to_string(), self.program.locals[size.index()].span);
                let message = format!("size [{name}] unused: the type of the function does not speak of it");
                self.report(Diagnostic::error("E0304", place, message));
            }
        }
    }

    /// Turns the unknowns of a type into size parameters, if they are not older than `first` and their level is at least `level`.
    pub fn generalise_sizes(&mut self, ty: &Type, first: u32, level: u32) -> Vec<LocalId> {
        let ty = self.solved(ty);
        let mut locals = Locals::default();
        map_type(&ty, &mut locals);
        let mut sizes = Vec::new();
        for local in locals.0 {
            let Some(meta) = self.sizing.meta(local).cloned() else { continue };
            if meta.solution.is_some() || meta.level < level || local.0 - META < first {
                continue;
            }
            let size = self.new_size("n", meta.span);
            self.sizing.levels.insert(size, level);
            self.sizing.metas[(local.0 - META) as usize].solution = Some(Size::Local(size));
            sizes.push(size);
        }
        sizes
    }
}

/// Collects the names that a pattern binds.
fn bound_names(pattern: &TypedPat, names: &mut Vec<LocalId>) {
    match &pattern.kind {
        PatKind::Bind(local) => names.push(*local),
        PatKind::Wildcard | PatKind::Literal(..) => {}
        PatKind::Record(parts) | PatKind::Construct { parts, .. } => {
            parts.iter().for_each(|part| bound_names(part, names))
        }
    }
}
