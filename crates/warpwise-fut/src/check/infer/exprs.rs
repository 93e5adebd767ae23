//! Shapes of expressions.

use std::rc::Rc;

use warpwise_diag::Span;

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::infer::ty::{Constraint, Node, Ty};
use crate::check::operators::PrimSet;
use crate::check::type_exprs::{Annotation, Anonymous};
use crate::syntax::ast::{
    Expr, ExprKind, FieldInit, LetBinding, LetKind, Liftedness, Literal, LocalFunction, LoopExpr, LoopForm,
    MatchCase, Pat, PrimType, TypeExpr, TypeParam, TypeParamKind,
};
use crate::syntax::session::Symbol;
use crate::typed::ids::{LocalId, TypeParamId};

impl<'a> Checker<'a> {
    /// Infers the shape of an expression.
    pub fn infer(&mut self, expr: &'a Expr) -> Ty {
        let ty = self.infer_kind(expr);
        self.infer.exprs.insert(expr.id, ty);
        ty
    }

    /// Infers an expression and requires that its type is `expected`. Returns whether it is.
    pub fn expect(&mut self, expr: &'a Expr, expected: Ty, why: Why) -> bool {
        let found = self.infer(expr);
        self.same(expected, found, expr.span, why)
    }

    /// Infers an expression that denotes a size or the bound of a slice.
    pub fn infer_size(&mut self, expr: &'a Expr) {
        let i64 = self.infer.types.prim(PrimType::I64);
        self.expect(expr, i64, Why::Size);
    }

    /// Creates an unrestricted variable.
    pub fn fresh(&mut self, span: Span) -> Ty {
        self.infer.types.var(Constraint::Free, span)
    }

    fn prim(&mut self, prim: PrimType) -> Ty {
        self.infer.types.prim(prim)
    }

    fn infer_kind(&mut self, expr: &'a Expr) -> Ty {
        match &expr.kind {
            ExprKind::Literal(literal) => self.infer_literal(*literal, expr.span),
            ExprKind::String(_) => {
                let byte = self.prim(PrimType::U8);
                self.infer.types.add(Node::Array(byte))
            }
            ExprKind::Hole => self.fresh(expr.span),
            ExprKind::Var(name) => self.infer_name(expr.id, name),
            ExprKind::Tuple(parts) => {
                let names = self.tuple_names(parts.len());
                let tys = parts.iter().map(|part| self.infer(part)).collect();
                self.infer.types.add(Node::Record(names, tys))
            }
            ExprKind::Record(fields) => self.infer_record(fields),
            ExprKind::Array(elements) => self.infer_array(elements, expr.span),
            ExprKind::LocalOpen { module, body } => self.infer_local_open(module, body),
            ExprKind::Attr { body, .. } => self.infer(body),
            ExprKind::Project { record, field } => {
                let ty = self.infer(record);
                self.infer_field(ty, field.symbol, field.span)
            }
            ExprKind::Index { array, slice } => {
                let ty = self.infer(array);
                self.infer_slice(slice, ty, array.span)
            }
            ExprKind::Negate(body) => self.infer_prefix(body, PrimSet::NUMBERS),
            ExprKind::Not(body) => self.infer_prefix(body, PrimSet::BITS),
            ExprKind::Assert { condition, body } => {
                let bool = self.prim(PrimType::Bool);
                self.expect(condition, bool, Why::Condition);
                self.infer(body)
            }
            ExprKind::Constructor { name, arguments } => {
                let payload: Rc<[Ty]> = arguments.iter().map(|argument| self.infer(argument)).collect();
                let constraint = Constraint::Constructors(vec![(name.symbol, payload)]);
                self.infer.types.var(constraint, expr.span)
            }
            ExprKind::Update { target, path, value } => {
                let ty = self.infer(target);
                let place = self.infer_path(path, ty, target.span);
                self.expect(value, place, Why::Updated(target.span));
                ty
            }
            ExprKind::Lambda { params, result, body } => {
                let mark = self.infer.scope.mark();
                let ty = self.infer_function(&[], params, result.as_deref(), body);
                self.infer.scope.reset(mark);
                ty
            }
            ExprKind::OperatorSection(operator) => self.infer_name(expr.id, operator),
            ExprKind::LeftSection { left, operator } => self.infer_left_section(expr, left, operator),
            ExprKind::RightSection { operator, right } => self.infer_right_section(expr, operator, right),
            ExprKind::PathSection(path) => {
                let argument = self.fresh(expr.span);
                let result = self.infer_path(path, argument, expr.span);
                self.infer.types.add(Node::Arrow(argument, result))
            }
            ExprKind::Ascribe { body, ty } | ExprKind::Coerce { body, ty } => {
                let found = self.infer(body);
                match self.infer_annotation(ty) {
                    Some(annotated) => {
                        self.same(annotated, found, body.span, Why::Annotation(ty.span));
                        annotated
                    }
                    None => self.error_ty(),
                }
            }
            ExprKind::Apply { function, arguments } => self.infer_apply(function, arguments),
            ExprKind::Binary { operator, left, right } => self.infer_binary(expr, operator, left, right),
            ExprKind::Range { start, second, bound: _, end } => {
                self.infer_range(start, second.as_deref(), end)
            }
            ExprKind::Let { bindings, body } => {
                let mark = self.infer.scope.mark();
                bindings.iter().for_each(|binding| self.infer_binding(binding));
                let ty = self.infer(body);
                self.infer.scope.reset(mark);
                ty
            }
            ExprKind::If { condition, then, otherwise } => {
                let bool = self.prim(PrimType::Bool);
                self.expect(condition, bool, Why::Condition);
                let ty = self.infer(then);
                self.holds_no_function(ty);
                self.expect(otherwise, ty, Why::Branch(then.span));
                ty
            }
            ExprKind::Loop(this) => self.infer_loop(this),
            ExprKind::Match { scrutinee, cases } => self.infer_match(scrutinee, cases),
        }
    }

    /// Infers a match. Each pattern is inferred before its body, so that the types of its names are known there.
    fn infer_match(&mut self, scrutinee: &'a Expr, cases: &'a [MatchCase]) -> Ty {
        let matched = self.infer(scrutinee);
        let mut first: Option<(Ty, Span)> = None;
        for case in cases {
            let mark = self.infer.scope.mark();
            let pattern = self.infer_pat(&case.pattern, &mut Vec::new());
            self.same(matched, pattern, case.pattern.span, Why::Scrutinee(scrutinee.span));
            match first {
                Some((ty, span)) => drop(self.expect(&case.body, ty, Why::Branch(span))),
                None => {
                    let ty = self.infer(&case.body);
                    self.holds_no_function(ty);
                    first = Some((ty, case.body.span));
                }
            }
            self.infer.scope.reset(mark);
        }
        first.map_or_else(|| self.error_ty(), |first| first.0)
    }

    /// Restricts the unknown parts of a type to types without functions. A type known to contain functions is reported later,
    /// with its sizes.
    pub fn holds_no_function(&mut self, ty: Ty) {
        drop(self.infer.types.restrict(ty, Liftedness::SizeLifted, u32::MAX));
    }

    /// Returns a type for an expression that has an error.
    pub fn error_ty(&mut self) -> Ty {
        self.infer.tainted = true;
        self.infer.types.add(Node::Error)
    }

    /// Returns the type of a literal.
    pub fn infer_literal(&mut self, literal: Literal, span: Span) -> Ty {
        if let Some(prim) = literal.ty() {
            self.warn_of_wrapping(literal, prim, span);
            return self.prim(prim);
        }
        let set = if let Literal::Float(_) = literal { PrimSet::FLOATS } else { PrimSet::NUMBERS };
        self.infer.types.var(Constraint::OneOf(set), span)
    }

    fn infer_prefix(&mut self, body: &'a Expr, set: PrimSet) -> Ty {
        let ty = self.infer.types.var(Constraint::OneOf(set), body.span);
        self.expect(body, ty, Why::Operator);
        ty
    }

    fn infer_record(&mut self, fields: &'a [FieldInit]) -> Ty {
        let mut typed: Vec<(Symbol, Ty)> = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let ty = match &field.value {
                Some(value) => self.infer(value),
                None => self.infer_implied(&field.name),
            };
            match fields[..index].iter().find(|other| other.name.symbol == field.name.symbol) {
                Some(first) => {
                    let name = self.text(field.name.symbol).to_string();
                    self.duplicate("field", &name, field.name.span, first.name.span);
                }
                None => typed.push((field.name.symbol, ty)),
            }
        }
        typed.sort_by(|a, b| self.field_key(a.0).cmp(&self.field_key(b.0)));
        let (names, tys): (Vec<Symbol>, Vec<Ty>) = typed.into_iter().unzip();
        self.infer.types.add(Node::Record(names.into(), tys.into()))
    }

    fn infer_array(&mut self, elements: &'a [Expr], span: Span) -> Ty {
        let element = match elements.split_first() {
            None => self.fresh(span),
            Some((first, rest)) => {
                let ty = self.infer(first);
                for element in rest {
                    self.expect(element, ty, Why::Element(first.span));
                }
                ty
            }
        };
        self.infer.types.add(Node::Array(element))
    }

    fn infer_range(&mut self, start: &'a Expr, second: Option<&'a Expr>, end: &'a Expr) -> Ty {
        let ty = self.infer.types.var(Constraint::OneOf(PrimSet::INTEGERS), start.span);
        self.expect(start, ty, Why::Operator);
        if let Some(second) = second {
            self.expect(second, ty, Why::RangeEnd(start.span));
        }
        self.expect(end, ty, Why::RangeEnd(start.span));
        self.infer.types.add(Node::Array(ty))
    }

    /// Resolves an annotation, records it, and returns its shape. A `[]` is inferred; a `?[n].` is unknown to a function's
    /// caller.
    pub fn infer_annotation(&mut self, ty: &'a TypeExpr) -> Option<Ty> {
        let annotation = self.type_expr(ty, Anonymous::Inferred)?;
        let shape = self.erase(&annotation.ty);
        self.record_annotation(ty.span, annotation);
        Some(shape)
    }

    fn record_annotation(&mut self, span: Span, annotation: Annotation) {
        self.infer.annotations.insert(span, annotation);
    }

    /// Infers parameters, result and body of a function. Its type parameters must be in scope. Returns the curried type.
    pub fn infer_function(
        &mut self,
        type_params: &'a [TypeParam],
        params: &'a [Pat],
        result: Option<&'a TypeExpr>,
        body: &'a Expr,
    ) -> Ty {
        let sizes = type_params.iter().filter(|param| param.kind == TypeParamKind::Size);
        let mut bound = sizes.map(|param| param.name).collect();
        let tys: Vec<Ty> = params.iter().map(|param| self.infer_pat(param, &mut bound)).collect();
        let annotated = result.map(|ty| (ty.span, self.infer_annotation(ty)));
        let found = self.infer(body);
        let result = match annotated {
            None => found,
            Some((span, Some(ty))) => {
                self.same(ty, found, body.span, Why::Result(span));
                ty
            }
            Some((_, None)) => self.error_ty(),
        };
        tys.into_iter().rev().fold(result, |result, param| self.infer.types.add(Node::Arrow(param, result)))
    }

    /// Binds the type and size parameters of a polymorphic function.
    pub fn bind_params(&mut self, params: &'a [TypeParam]) -> (Vec<TypeParamId>, Vec<LocalId>) {
        let (mut types, mut sizes) = (Vec::new(), Vec::new());
        for (index, param) in params.iter().enumerate() {
            if let Some(first) = params[..index].iter().find(|p| p.name.symbol == param.name.symbol) {
                let name = self.text(param.name.symbol).to_string();
                self.duplicate("parameter", &name, param.name.span, first.name.span);
            }
            match param.kind {
                TypeParamKind::Size => sizes.push(self.bind_size(param.name.symbol, param.name.span)),
                TypeParamKind::Type(liftedness) => {
                    let id = self.new_type_param(param.name.symbol, param.name.span, liftedness);
                    self.infer.scope.bind_type(param.name.symbol, id);
                    types.push(id);
                }
            }
        }
        (types, sizes)
    }

    fn infer_binding(&mut self, binding: &'a LetBinding) {
        match &binding.kind {
            LetKind::Pattern { sizes, pattern, value } => {
                let ty = self.infer(value);
                for (index, size) in sizes.iter().enumerate() {
                    if let Some(first) = sizes[..index].iter().find(|other| other.symbol == size.symbol) {
                        let name = self.text(size.symbol).to_string();
                        self.duplicate("size", &name, size.span, first.span);
                    }
                    let local = self.bind_size(size.symbol, size.span);
                    self.infer.sizes.insert(size.span, local);
                }
                let mut bound = sizes.clone();
                let expected = self.infer_pat(pattern, &mut bound);
                bound.into_iter().for_each(|name| self.watch_use(name));
                self.same(expected, ty, value.span, Why::Pattern(pattern.span));
            }
            LetKind::Function(function) => self.infer_local_function(function),
            LetKind::Update { name, path, value } => {
                let target = self.infer_implied(&name.name);
                let place = self.infer_path(path, target, name.name.span);
                self.expect(value, place, Why::Updated(name.name.span));
                self.bind_local(name.id, name.name.symbol, name.name.span, target);
            }
        }
    }

    fn infer_local_function(&mut self, function: &'a LocalFunction) {
        let mark = self.infer.scope.mark();
        let (types, sizes) = self.bind_params(&function.type_params);
        self.infer.types.level += 1;
        let level = self.infer.types.level;
        self.infer.types.param_levels.extend(types.iter().map(|&param| (param, level)));
        self.checking.push(function.name.name.symbol);
        let ty = self.infer_function(
            &function.type_params,
            &function.params,
            function.result.as_ref(),
            &function.body,
        );
        self.checking.pop();
        self.infer.types.level -= 1;
        // Types that are still open are decided outside; the function's own type parameters may occur in its type.
        drop(self.infer.types.restrict(ty, Liftedness::Lifted, level - 1));
        self.infer.scope.reset(mark);
        let name = function.name.name;
        let local = self.new_local(name.symbol, name.span);
        let params = (!types.is_empty()).then(|| types.clone().into());
        self.infer.scope.bind(name.symbol, local, ty, params);
        self.watch_use(name);
        self.infer.pats.insert(function.name.id, (ty, Some(local)));
        self.infer.functions.insert(function.name.id, (types, sizes));
    }

    fn infer_loop(&mut self, this: &'a LoopExpr) -> Ty {
        let mark = self.infer.scope.mark();
        let initial = match &this.initial {
            Some(initial) => self.infer(initial),
            None => self.infer_implied_pat(&this.pattern),
        };
        let place = this.initial.as_ref().map_or(this.pattern.span, |initial| initial.span);
        let ty = match &this.form {
            LoopForm::For { index, bound } => {
                let bound_ty = self.infer.types.var(Constraint::OneOf(PrimSet::SIGNED), bound.span);
                self.expect(bound, bound_ty, Why::LoopBound);
                let ty = self.infer_pat(&this.pattern, &mut Vec::new());
                self.bind_local(index.id, index.name.symbol, index.name.span, bound_ty);
                ty
            }
            LoopForm::ForIn { pattern, array } => {
                let element = self.fresh(array.span);
                let array_ty = self.infer.types.add(Node::Array(element));
                self.expect(array, array_ty, Why::IsArray);
                let ty = self.infer_pat(&this.pattern, &mut Vec::new());
                let expected = self.infer_pat(pattern, &mut Vec::new());
                self.same(expected, element, array.span, Why::Pattern(pattern.span));
                ty
            }
            LoopForm::While(_) => self.infer_pat(&this.pattern, &mut Vec::new()),
        };
        self.same(ty, initial, place, Why::Pattern(this.pattern.span));
        self.holds_no_function(ty);
        if let LoopForm::While(condition) = &this.form {
            let bool = self.prim(PrimType::Bool);
            self.expect(condition, bool, Why::Condition);
        }
        self.expect(&this.body, ty, Why::LoopResult(this.pattern.span));
        self.infer.scope.reset(mark);
        ty
    }
}
