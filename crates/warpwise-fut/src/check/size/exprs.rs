//! Expressions with sizes.

use half::f16;
use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::infer::ty::{Node, Ty};
use crate::check::operators::{PrimSet, negation};
use crate::check::size::apply::is_expressible;
use crate::check::size::names::is_extent;
use crate::check::size::scopes::{JoinedSizes, MOST_LOCALS, Opened, n_mentions};
use crate::check::size::unify::arrow;
use crate::check::type_exprs::Subst;
use crate::syntax::ast::{
    Attr, AttrKind, Expr as Ast, ExprKind as AstKind, FieldInit, LetBinding, LetKind, Liftedness, Literal,
    PrimType, TypeExpr,
};
use crate::typed::ids::LocalId;
use crate::typed::intrinsic::Intrinsic;
use crate::typed::tree::{Binding, BindingKind, Expr, ExprKind, Instance, Pat, PatKind};
use crate::typed::ty::{Field, Size, Type, TypeArg};

impl<'a> Checker<'a> {
    /// Builds an expression.
    pub fn build(&mut self, expr: &'a Ast) -> Expr {
        let span = expr.span;
        match &expr.kind {
            AstKind::Literal(literal) => self.build_literal(expr, *literal, false),
            AstKind::String(bytes) => {
                let ty = Type::array(Size::Const(bytes.len() as i64), Type::Prim(PrimType::U8));
                Expr { span, ty, kind: ExprKind::Bytes(bytes.clone()) }
            }
            AstKind::Var(_) | AstKind::OperatorSection(_) => match self.infer.resolved.get(&expr.id).cloned()
            {
                Some(resolved) => self.build_name(&resolved, span),
                None => self.build_unit(span),
            },
            AstKind::Tuple(parts) => {
                let names = self.tuple_names(parts.len());
                let parts: Vec<Expr> = parts.iter().map(|part| self.build(part)).collect();
                let fields =
                    names.iter().zip(&parts).map(|(&name, part)| Field { name, ty: part.ty.clone() });
                Expr { span, ty: Type::Record(fields.collect()), kind: ExprKind::Record(parts) }
            }
            AstKind::Record(fields) => self.build_record(fields, span),
            AstKind::Array(elements) => self.build_array(expr, elements),
            AstKind::LocalOpen { body, .. } => self.build(body),
            AstKind::Attr { attr, body } => {
                let body = self.build(body);
                let (ty, body) = (body.ty.clone(), Box::new(body));
                let kind = match self.tuning_parameter(attr, &ty) {
                    Some(name) => ExprKind::Tuned { name, default: body },
                    None => ExprKind::Attr { attr: attr.clone(), body },
                };
                Expr { span, ty, kind }
            }
            AstKind::Project { record, field } => {
                let record = self.build(record);
                self.build_project(record, field.symbol, span)
            }
            AstKind::Index { array, slice } => {
                let array = self.build(array);
                self.build_index(array, slice, span)
            }
            AstKind::Negate(body) => match &body.kind {
                AstKind::Literal(literal) => self.build_literal(body, *literal, true),
                _ => self.build_unary(body, span, negation),
            },
            AstKind::Not(body) => {
                self.build_unary(body, span, |prim| Intrinsic::Unary(warpwise_prim::UnaryOp::Not, prim))
            }
            AstKind::Assert { condition, body } => {
                let condition_span = condition.span;
                let (condition, body) = (Box::new(self.build(condition)), Box::new(self.build(body)));
                Expr { span, ty: body.ty.clone(), kind: ExprKind::Assert { condition, condition_span, body } }
            }
            AstKind::Update { target, path, value } => {
                let target = self.build(target);
                self.build_update(target, path, value, span)
            }
            AstKind::Lambda { params, result, body } => {
                self.build_lambda(params, result.as_deref(), body, None, span)
            }
            AstKind::LeftSection { left, operator } => self.build_left_section(expr, operator.span, left),
            AstKind::RightSection { operator, right } => self.build_right_section(expr, operator.span, right),
            AstKind::PathSection(path) => self.build_path_section(expr, path),
            AstKind::Ascribe { body, ty } => self.build_ascription(body, ty),
            AstKind::Coerce { body, ty } => self.build_coercion(body, ty, span),
            AstKind::Apply { function, arguments } => self.build_apply(function, arguments, span),
            AstKind::Binary { operator, left, right } => self.build_binary(expr, operator.span, left, right),
            AstKind::Range { start, second, bound, end } => {
                self.build_range(start, second.as_deref(), *bound, end, span)
            }
            AstKind::Let { bindings, body } => self.build_let(bindings, body, span),
            AstKind::If { condition, then, otherwise } => self.build_if(condition, then, otherwise, span),
            AstKind::Loop(this) => self.build_loop(this, span),
            AstKind::Constructor { name, arguments } => self.build_constructor(expr, name, arguments),
            AstKind::Match { scrutinee, cases } => self.build_match(scrutinee, cases, span),
            AstKind::Hole => match self.infer.exprs.get(&expr.id).copied() {
                Some(ty) => self.build_hole(ty, span),
                None => self.build_unit(span),
            },
        }
    }

    fn build_literal(&mut self, expr: &'a Ast, literal: Literal, negated: bool) -> Expr {
        let ty = self.infer.exprs.get(&expr.id).copied();
        let (prim, typed) = self.literal_at(ty, literal, negated, expr.span);
        Expr { span: expr.span, ty: Type::Prim(prim), kind: ExprKind::Literal(prim, typed) }
    }

    /// Returns a literal at the type that was inferred for it.
    pub fn literal_at(
        &mut self,
        ty: Option<Ty>,
        literal: Literal,
        negated: bool,
        span: Span,
    ) -> (PrimType, Literal) {
        let prim = match (literal.ty(), ty) {
            (Some(prim), _) => Some(prim),
            (None, Some(ty)) => self.default_prim(ty),
            (None, None) => None,
        };
        let prim = prim.unwrap_or(PrimType::I32);
        let typed = match typed_literal(literal, prim, negated) {
            Some(literal) => literal,
            None => {
                let message = format!("this number is out of bounds for `{}`", prim.name());
                self.report(Diagnostic::error("E0209", span, message));
                Literal::Bool(false)
            }
        };
        (prim, typed)
    }

    fn build_unary(&mut self, body: &'a Ast, span: Span, intrinsic: impl Fn(PrimType) -> Intrinsic) -> Expr {
        let body = self.build(body);
        let Type::Prim(prim) = body.ty else { return body };
        let ty = arrow(Type::Prim(prim), Type::Prim(prim));
        let kind = ExprKind::Intrinsic { intrinsic: intrinsic(prim), instance: Instance::default() };
        self.apply(Expr { span, ty, kind }, vec![body], span)
    }

    fn build_record(&mut self, fields: &'a [FieldInit], span: Span) -> Expr {
        let mut parts: Vec<(crate::syntax::session::Symbol, Expr)> = Vec::with_capacity(fields.len());
        for field in fields {
            let value = match &field.value {
                Some(value) => self.build(value),
                None => self.build_implied(field.name.span),
            };
            parts.push((field.name.symbol, value));
        }
        parts.sort_by(|a, b| self.field_key(a.0).cmp(&self.field_key(b.0)));
        let types = parts.iter().map(|(name, part)| Field { name: *name, ty: part.ty.clone() }).collect();
        Expr {
            span,
            ty: Type::Record(types),
            kind: ExprKind::Record(parts.into_iter().map(|part| part.1).collect()),
        }
    }

    /// Builds a name that denotes a value without being an expression.
    pub fn build_implied(&mut self, span: Span) -> Expr {
        match self.infer.implied.get(&span).cloned() {
            Some(resolved) => self.build_name(&resolved, span),
            None => self.build_unit(span),
        }
    }

    /// Returns the name in `#[param(name)]` before an expression of this type, if the type can be tuned.
    fn tuning_parameter(&mut self, attr: &Attr, ty: &Type) -> Option<String> {
        let AttrKind::Compound(param, names) = &attr.kind else { return None };
        if self.text(param.symbol) != "param" {
            return None;
        }
        match (names.as_slice(), ty) {
            ([Attr { kind: AttrKind::Name(name), .. }], Type::Prim(PrimType::I64)) => {
                Some(self.text(name.symbol).to_string())
            }
            _ => {
                let message = "this attribute has no effect";
                let hint =
                    "a tuning parameter has one name and stands before an `i64`: `#[param(name)] 16i64`";
                self.warn_once(Diagnostic::warning("W0010", attr.span, message).hint(hint));
                None
            }
        }
    }

    fn build_array(&mut self, expr: &'a Ast, elements: &'a [Ast]) -> Expr {
        let ty = self.infer.exprs.get(&expr.id).copied();
        let built: Vec<Expr> = elements.iter().map(|element| self.build(element)).collect();
        let element = match (built.first(), ty) {
            (Some(first), _) => first.ty.clone(),
            (None, Some(ty)) => match self.infer.types.node(ty) {
                Node::Array(element) => self.sized(element, self.sizing.level, None, expr.span),
                _ => Type::unit(),
            },
            (None, None) => Type::unit(),
        };
        for other in built.iter().skip(1) {
            self.require(&element, &other.ty, other.span, Why::Element(elements[0].span));
        }
        self.demand_liftedness(
            &element,
            Liftedness::Unlifted,
            expr.span,
            "cannot create array: an array element",
        );
        let ty = Type::array(Size::Const(built.len() as i64), element);
        Expr { span: expr.span, ty, kind: ExprKind::Array(built) }
    }

    /// Reports an error if a type has more than the allowed liftedness.
    pub fn demand_liftedness(&mut self, ty: &Type, allowed: Liftedness, span: Span, what: &str) {
        if self.liftedness(ty) as u8 > allowed as u8 {
            let shown = self.show_type(&self.solved(ty));
            let message = match (self.liftedness(ty), allowed) {
                (Liftedness::Lifted, Liftedness::Unlifted) => {
                    format!("{what} may not be of functional type `{shown}`")
                }
                (Liftedness::Lifted, _) => format!("{what} may not be of function type `{shown}`"),
                _ => format!("{what} may not be of type `{shown}`, whose size is not fixed"),
            };
            self.report(Diagnostic::error("E0211", span, message));
        }
    }

    /// Returns an annotation with its sizes built.
    pub fn annotation(&mut self, ty: &'a TypeExpr) -> Option<crate::check::type_exprs::Annotation> {
        let mut annotation = self.infer.annotations.get(&ty.span).cloned()?;
        annotation.ty = self.fill_pending(&annotation.ty);
        if let Some(&size) = annotation.exists.iter().find(|&&size| !stands_alone(&annotation.ty, size)) {
            let name = self.show_local(size).to_string();
            let message = format!("the size `{name}` is not that of an array in this type");
            let place = self.program.locals[size.index()].span;
            self.report(Diagnostic::error("E0306", place, message).label(ty.span, "in this type"));
        }
        self.bind_in_types(&annotation.exists.clone());
        Some(annotation)
    }

    /// Returns an annotation of a value. Its existential sizes become unknowns, solved by the sizes of the value.
    pub fn value_annotation(&mut self, ty: &'a TypeExpr) -> Option<crate::check::type_exprs::Annotation> {
        let mut annotation = self.annotation(ty)?;
        let mut of_the_value = Subst::default();
        for exists in annotation.exists.drain(..) {
            let meta = self.sizing.new_meta(self.sizing.level, ty.span, None);
            of_the_value.sizes.insert(exists, meta);
        }
        annotation.ty = self.substitute(&annotation.ty, &of_the_value);
        Some(annotation)
    }

    fn build_ascription(&mut self, body: &'a Ast, ty: &'a TypeExpr) -> Expr {
        let mut body = self.build(body);
        if let Some(annotation) = self.value_annotation(ty) {
            self.require(&annotation.ty, &body.ty, body.span, Why::Annotation(ty.span));
            body.ty = annotation.ty;
        }
        body
    }

    fn build_coercion(&mut self, body: &'a Ast, ty: &'a TypeExpr, span: Span) -> Expr {
        let body = self.build(body);
        let Some(annotation) = self.value_annotation(ty) else { return body };
        self.copy_sizes(&annotation.ty, &body.ty);
        Expr { span, ty: annotation.ty, kind: ExprKind::Coerce(Box::new(body)) }
    }

    /// Solves the unknown sizes of a coercion's type with the sizes of the value.
    fn copy_sizes(&mut self, to: &Type, from: &Type) {
        match (to, from) {
            (Type::Array(to), Type::Array(from)) => {
                if let Size::Local(local) = self.resolve_size(&to.size)
                    && self.sizing.meta(local).is_some()
                {
                    // The unknown is fresh, so it can become any size in scope.
                    drop(self.unify_sizes(&to.size, &from.size));
                }
                self.copy_sizes(&to.element, &from.element);
            }
            (Type::Record(to), Type::Record(from)) => {
                to.iter().zip(from.iter()).for_each(|(to, from)| self.copy_sizes(&to.ty, &from.ty));
            }
            (Type::Sum(_), Type::Sum(_)) => {
                let (to, from) = (to.parts().unwrap_or_default(), from.parts().unwrap_or_default());
                to.into_iter().zip(from).for_each(|(to, from)| self.copy_sizes(to, from));
            }
            (
                Type::Prim(_)
                | Type::Param(_)
                | Type::Abstract(..)
                | Type::Array(_)
                | Type::Record(_)
                | Type::Sum(_)
                | Type::Arrow(_),
                _,
            ) => {}
        }
    }

    fn build_let(&mut self, bindings: &'a [LetBinding], body: &'a Ast, span: Span) -> Expr {
        let level = self.sizing.level;
        let mut built = Vec::with_capacity(bindings.len());
        for binding in bindings {
            built.push(self.build_binding(binding));
            self.sizing.level += 1;
        }
        let body = self.build(body);
        self.sizing.level = level;
        let mut opened = Opened::default();
        let ty = built.iter().rev().fold(self.solved(&body.ty), |ty, binding| self.spelled_out(&ty, binding));
        let ty = self.close(&ty, level, &[], &mut opened, span);
        let expr = Expr { span, ty, kind: ExprKind::Let { bindings: built, body: Box::new(body) } };
        self.open(opened.sizes(), expr)
    }

    /// Replaces a bound name by its value in a type, if the value can occur in a size and the type stays small.
    fn spelled_out(&self, ty: &Type, binding: &Binding) -> Type {
        let BindingKind::Pattern {
            pattern: Pat { kind: PatKind::Bind(local), ty: bound, .. }, value, ..
        } = &binding.kind
        else {
            return ty.clone();
        };
        if !matches!(bound, Type::Prim(PrimType::I64)) || !is_expressible(value) {
            return ty.clone();
        }
        let mut value_for_name = Subst::default();
        value_for_name.sizes.insert(*local, value.clone().into_size());
        let spelled_out = self.substitute(ty, &value_for_name);
        if n_mentions(&spelled_out) > MOST_LOCALS.max(n_mentions(ty)) { ty.clone() } else { spelled_out }
    }

    fn build_binding(&mut self, binding: &'a LetBinding) -> Binding {
        let kind = match &binding.kind {
            LetKind::Pattern { sizes, pattern, value } => {
                let value = self.build(value);
                if matches!(value.ty, Type::Arrow(_)) {
                    self.keep_from_absorbing(&value.ty);
                }
                let mut named = Vec::new();
                for size in sizes {
                    if let Some(&local) = self.infer.sizes.get(&size.span) {
                        self.sizing.levels.insert(local, self.sizing.level + 1);
                        let stands_for = self.sizing.new_meta(self.sizing.level, size.span, None);
                        self.sizing.binding.insert(local, stands_for);
                        named.push(local);
                    }
                }
                let known = self.solved(&value.ty);
                let built = self.build_pat(pattern, Some(&known), self.sizing.level + 1).0;
                self.sizing.binding.clear();
                for &local in &named {
                    if !is_extent(&built.ty, local) {
                        let name = self.show_local(local).to_string();
                        let message =
                            format!("size [{name}] unused: it is not an extent in the type of the pattern");
                        self.report(Diagnostic::error("E0304", pattern.span, message));
                    }
                }
                BindingKind::Pattern { sizes: named, pattern: built, value }
            }
            LetKind::Function(function) => self.build_local_function(function),
            LetKind::Update { name, path, value } => {
                let target = self.build_implied(name.name.span);
                let value = self.build_update(target, path, value, binding.span);
                let pattern = self.rebind(name.id, &value.ty, name.name.span);
                BindingKind::Pattern { sizes: Vec::new(), pattern, value }
            }
        };
        Binding { span: binding.span, kind }
    }

    fn rebind(&mut self, id: crate::syntax::session::PatId, ty: &Type, span: Span) -> Pat {
        let kind = match self.infer.pats.get(&id) {
            Some(&(_, Some(local))) => {
                self.program.locals[local.index()].ty = ty.clone();
                self.sizing.levels.insert(local, self.sizing.level + 1);
                PatKind::Bind(local)
            }
            Some((_, None)) | None => PatKind::Wildcard,
        };
        Pat { span, ty: ty.clone(), kind }
    }

    fn build_if(&mut self, condition: &'a Ast, then: &'a Ast, otherwise: &'a Ast, span: Span) -> Expr {
        let condition = Box::new(self.build(condition));
        let then = self.nested(|checker| checker.build(then));
        let otherwise = self.nested(|checker| checker.build(otherwise));
        self.demand_liftedness(&then.ty, Liftedness::SizeLifted, span, "the result of `if`");
        let mut joined = JoinedSizes::default();
        let ty = self.join(&then.ty, &otherwise.ty, self.sizing.level, &mut joined, span);
        let kind = ExprKind::If { condition, then: Box::new(then), otherwise: Box::new(otherwise) };
        let sizes = joined.0.iter().map(|joined| joined.2).collect();
        self.open(sizes, Expr { span, ty, kind })
    }
}

/// Whether a size is an extent in a type, including in function types inside it.
fn stands_alone(ty: &Type, size: LocalId) -> bool {
    match ty {
        Type::Arrow(arrow) => stands_alone(&arrow.argument, size) || stands_alone(&arrow.result.ty, size),
        Type::Array(array) => is_extent(ty, size) || stands_alone(&array.element, size),
        Type::Abstract(_, args) => {
            let inside = |arg: &TypeArg| match arg {
                TypeArg::Size(_) => false,
                TypeArg::Type(ty) => stands_alone(ty, size),
            };
            is_extent(ty, size) || args.iter().any(inside)
        }
        Type::Record(_) | Type::Sum(_) => {
            ty.parts().unwrap_or_default().into_iter().any(|part| stands_alone(part, size))
        }
        Type::Prim(_) | Type::Param(_) => false,
    }
}

/// Returns a literal at a type; `None` if it is out of range.
fn typed_literal(literal: Literal, prim: PrimType, negated: bool) -> Option<Literal> {
    if PrimSet::FLOATS.contains(prim) {
        return float_literal(literal, prim, negated);
    }
    let value = match literal {
        Literal::Bool(value) => return Some(Literal::Bool(value)),
        Literal::Int(value) => i128::try_from(value).ok()?,
        Literal::Char(value) => i128::from(u32::from(value)),
        // Suffixed literals wrap, and so do their negations.
        Literal::I8(v) => return Some(Literal::I8(if negated { v.wrapping_neg() } else { v })),
        Literal::I16(v) => return Some(Literal::I16(if negated { v.wrapping_neg() } else { v })),
        Literal::I32(v) => return Some(Literal::I32(if negated { v.wrapping_neg() } else { v })),
        Literal::I64(v) => return Some(Literal::I64(if negated { v.wrapping_neg() } else { v })),
        Literal::U8(v) => return Some(Literal::U8(if negated { v.wrapping_neg() } else { v })),
        Literal::U16(v) => return Some(Literal::U16(if negated { v.wrapping_neg() } else { v })),
        Literal::U32(v) => return Some(Literal::U32(if negated { v.wrapping_neg() } else { v })),
        Literal::U64(v) => return Some(Literal::U64(if negated { v.wrapping_neg() } else { v })),
        Literal::Float(_) | Literal::F16(_) | Literal::F32(_) | Literal::F64(_) => return None,
    };
    let value = if negated { -value } else { value };
    match prim {
        PrimType::Bool | PrimType::F16 | PrimType::F32 | PrimType::F64 => None,
        PrimType::I8 => i8::try_from(value).ok().map(Literal::I8),
        PrimType::I16 => i16::try_from(value).ok().map(Literal::I16),
        PrimType::I32 => i32::try_from(value).ok().map(Literal::I32),
        PrimType::I64 => i64::try_from(value).ok().map(Literal::I64),
        PrimType::U8 => u8::try_from(value).ok().map(Literal::U8),
        PrimType::U16 => u16::try_from(value).ok().map(Literal::U16),
        PrimType::U32 => u32::try_from(value).ok().map(Literal::U32),
        PrimType::U64 => u64::try_from(value).ok().map(Literal::U64),
    }
}

fn float_literal(literal: Literal, prim: PrimType, negated: bool) -> Option<Literal> {
    let value = match literal {
        Literal::Int(value) => value as f64,
        Literal::Char(value) => f64::from(u32::from(value)),
        Literal::Float(value) => value,
        Literal::F16(value) => return Some(Literal::F16(if negated { -value } else { value })),
        Literal::F32(value) => return Some(Literal::F32(if negated { -value } else { value })),
        Literal::F64(value) => value,
        Literal::Bool(_)
        | Literal::I8(_)
        | Literal::I16(_)
        | Literal::I32(_)
        | Literal::I64(_)
        | Literal::U8(_)
        | Literal::U16(_)
        | Literal::U32(_)
        | Literal::U64(_) => return None,
    };
    let value = if negated { -value } else { value };
    let is_in_range = match prim {
        PrimType::F16 => f16::from_f64(value).is_finite(),
        PrimType::F32 => (value as f32).is_finite(),
        _ => value.is_finite(),
    };
    if !is_in_range {
        return None;
    }
    Some(match prim {
        PrimType::F16 => Literal::F16(f16::from_f64(value)),
        PrimType::F32 => Literal::F32(value as f32),
        PrimType::Bool
        | PrimType::I8
        | PrimType::I16
        | PrimType::I32
        | PrimType::I64
        | PrimType::U8
        | PrimType::U16
        | PrimType::U32
        | PrimType::U64
        | PrimType::F64 => Literal::F64(value),
    })
}
