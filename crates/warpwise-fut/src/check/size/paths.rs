//! Indices, slices, updates and ranges with sizes.

use std::sync::Arc;

use warpwise_diag::Span;
use warpwise_prim::BinaryOp;

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::infer::ty::Node;
use crate::check::size::apply::is_expressible;
use crate::check::size::scopes::Opened;
use crate::check::size::unify::arrow;
use crate::syntax::ast::{
    DimIndex as AstDim, DimIndexKind as AstKind, Expr as Ast, Literal, PathStep, PrimType, RangeBound,
};
use crate::syntax::session::Symbol;
use crate::typed::intrinsic::{Intrinsic, Structural};
use crate::typed::tree::{
    Binding, BindingKind, DimIndex, DimIndexKind, Expr, ExprKind, Instance, Lambda, Pat, PatKind,
};
use crate::typed::ty::{ArrowType, Field, ResultType, Size, Type, Uniqueness};

impl<'a> Checker<'a> {
    /// Builds `a[i, j:k]`.
    pub fn build_index(&mut self, array: Expr, slice: &'a [AstDim], span: Span) -> Expr {
        let slice = self.build_slice(slice);
        self.index(array, slice, span)
    }

    fn index(&mut self, array: Expr, slice: Vec<DimIndex>, span: Span) -> Expr {
        let mut opened = Opened::default();
        let ty = self.indexed_type(&array.ty.clone(), &slice, &mut |checker, extent, start, end, stride| {
            checker.slice_size(extent, start, end, stride, &mut opened, span)
        });
        let expr = Expr { span, ty, kind: ExprKind::Index { array: Box::new(array), slice } };
        self.open(opened.sizes(), expr)
    }

    fn build_slice(&mut self, slice: &'a [AstDim]) -> Vec<DimIndex> {
        let part =
            |checker: &mut Self, part: &'a Option<Box<Ast>>| part.as_ref().map(|part| checker.build(part));
        slice
            .iter()
            .map(|index| {
                let kind = match &index.kind {
                    AstKind::Fix(index) => DimIndexKind::Fix(self.build(index)),
                    AstKind::Slice { start, end, stride } => DimIndexKind::Slice {
                        start: part(self, start),
                        end: part(self, end),
                        stride: part(self, stride),
                    },
                };
                DimIndex { span: index.span, kind }
            })
            .collect()
    }

    /// Returns the type of an indexed array. `size` returns the extent of a slice.
    fn indexed_type(
        &mut self,
        array: &Type,
        slice: &[DimIndex],
        size: &mut impl FnMut(&mut Self, &Size, Option<&Expr>, Option<&Expr>, Option<&Expr>) -> Size,
    ) -> Type {
        let (Some((index, rest)), Type::Array(dim)) = (slice.split_first(), array) else {
            return array.clone();
        };
        match &index.kind {
            DimIndexKind::Fix(_) => self.indexed_type(&dim.element, rest, size),
            DimIndexKind::Slice { start, end, stride } => {
                let extent = size(self, &dim.size, start.as_ref(), end.as_ref(), stride.as_ref());
                let element = self.indexed_type(&dim.element, rest, size);
                Type::array(extent, element)
            }
        }
    }

    fn slice_size(
        &mut self,
        extent: &Size,
        start: Option<&Expr>,
        end: Option<&Expr>,
        stride: Option<&Expr>,
        opened: &mut Opened,
        span: Span,
    ) -> Size {
        let constant = |expr: Option<&Expr>, default: i64| expr.map_or(Some(default), i64_constant);
        let size = match (constant(stride, 1), start, end) {
            (Some(1), _, None) if constant(start, 0) == Some(0) => Some(extent.clone()),
            (Some(1), _, Some(end)) if constant(start, 0) == Some(0) => Some(end.clone().into_size()),
            (Some(1), Some(start), end) => {
                let end = end.cloned().unwrap_or_else(|| extent.clone().into_expr(span));
                Some(minus(end, start.clone()).into_size())
            }
            (Some(-1), None, None) => Some(extent.clone()),
            (Some(-1), Some(start), Some(end)) => Some(minus(start.clone(), end.clone()).into_size()),
            (Some(_) | None, _, _) => None,
        };
        match size {
            Some(size) if is_expressible(&size.clone().into_expr(span)) => size,
            Some(_) | None => {
                [start, end].into_iter().flatten().for_each(|end| self.warn_of_binding(end));
                // No other expression has this size, so no two unknown slices share a name.
                let nothing = self.new_size("k", span);
                Size::Local(self.open_as(Size::Local(nothing), self.sizing.level, opened, span))
            }
        }
    }

    /// Builds `target with path = value`.
    pub fn build_update(&mut self, target: Expr, path: &'a [PathStep], value: &'a Ast, span: Span) -> Expr {
        let value_span = value.span;
        let level = self.sizing.level;
        let mut bindings = Vec::new();
        let is_simple = path.iter().all(|step| matches!(step, PathStep::Index(_)));
        // Along fields, parts of the target are used several times, so it gets a name.
        let target = if is_simple { target } else { self.name_value("r", target, &mut bindings) };
        let steps = self.build_path(path);
        let value = self.build(value);
        let body = self.updated(target, &steps, value, value_span, span, &mut bindings);
        self.sizing.level = level;
        self.wrap(bindings, body, span)
    }

    /// Builds the steps of a path, and merges consecutive indices.
    fn build_path(&mut self, path: &'a [PathStep]) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for step in path {
            match step {
                PathStep::Field(field) => steps.push(Step::Field(field.symbol)),
                PathStep::Index(slice) => {
                    let slice = self.build_slice(slice);
                    match steps.last_mut() {
                        Some(Step::Index(before)) if before.iter().all(is_fixed) => before.extend(slice),
                        _ => steps.push(Step::Index(slice)),
                    }
                }
            }
        }
        steps
    }

    /// Wraps an expression in bindings. It was built one level deeper for each.
    fn wrap(&mut self, bindings: Vec<Binding>, body: Expr, span: Span) -> Expr {
        if bindings.is_empty() {
            return body;
        }
        let mut opened = Opened::default();
        let ty = self.close(&body.ty.clone(), self.sizing.level, &[], &mut opened, span);
        let expr = Expr { span, ty, kind: ExprKind::Let { bindings, body: Box::new(body) } };
        self.open(opened.sizes(), expr)
    }

    /// Makes a value that can be used several times: binds it to a name, one level deeper, unless it is a local or literal.
    fn name_value(&mut self, name: &str, value: Expr, bindings: &mut Vec<Binding>) -> Expr {
        if let ExprKind::Local { .. } | ExprKind::Literal(..) = value.kind {
            return value;
        }
        let span = value.span;
        let (local, param) = self.lambda_param(name, value.ty.clone(), span);
        let pattern = Pat { span, ty: param.pattern.ty, kind: PatKind::Bind(local) };
        bindings.push(Binding { span, kind: BindingKind::Pattern { sizes: Vec::new(), pattern, value } });
        self.sizing.level += 1;
        self.local(local, span)
    }

    fn updated(
        &mut self,
        base: Expr,
        path: &[Step],
        value: Expr,
        value_span: Span,
        span: Span,
        bindings: &mut Vec<Binding>,
    ) -> Expr {
        let Some((step, rest)) = path.split_first() else { return value };
        match step {
            Step::Field(field) => {
                let Type::Record(fields) = base.ty.clone() else { return value };
                let parts = fields.iter().map(|other| {
                    let part = self.build_project(base.clone(), other.name, span);
                    match other.name == *field {
                        true => self.updated(part, rest, value.clone(), value_span, span, bindings),
                        false => part,
                    }
                });
                let parts: Vec<Expr> = parts.collect();
                let types =
                    fields.iter().zip(&parts).map(|(f, part)| Field { name: f.name, ty: part.ty.clone() });
                Expr { span, ty: Type::Record(types.collect()), kind: ExprKind::Record(parts) }
            }
            Step::Index(slice) if rest.is_empty() => {
                self.update(base, slice.clone(), value, value_span, span)
            }
            Step::Index(slice) => {
                if let Some(index) = slice.iter().find(|index| !is_fixed(index)) {
                    self.limit(index.span, "a slice before another step in an update");
                }
                let base = self.name_value("a", base, bindings);
                let named: Vec<DimIndex> =
                    slice.iter().map(|index| self.name_index(index, bindings)).collect();
                let element = self.index(base.clone(), named.clone(), span);
                let element = self.copied(element);
                let element = self.name_value("e", element, bindings);
                let value = self.updated(element, rest, value, value_span, span, bindings);
                self.update(base, named, value, value_span, span)
            }
        }
    }

    fn name_index(&mut self, index: &DimIndex, bindings: &mut Vec<Binding>) -> DimIndex {
        let kind = match &index.kind {
            DimIndexKind::Fix(index) => DimIndexKind::Fix(self.name_value("i", index.clone(), bindings)),
            DimIndexKind::Slice { .. } => index.kind.clone(),
        };
        DimIndex { span: index.span, kind }
    }

    /// Copies a value, so that a part of an array can be changed while the array is still live.
    fn copied(&mut self, value: Expr) -> Expr {
        let (span, ty) = (value.span, value.ty.clone());
        let instance = Instance { types: vec![ty.clone()], sizes: Vec::new() };
        let kind = ExprKind::Intrinsic { intrinsic: Intrinsic::Structural(Structural::Copy), instance };
        let arrow = ArrowType {
            param: None,
            argument: ty.clone(),
            consumes: Uniqueness::No,
            result: ResultType { exists: Vec::new(), ty: ty.clone(), unique: Uniqueness::Yes },
        };
        let function = Expr { span, ty: Type::Arrow(Arc::new(arrow)), kind };
        Expr { span, ty, kind: ExprKind::Apply { function: Box::new(function), arguments: vec![value] } }
    }

    fn update(
        &mut self,
        array: Expr,
        slice: Vec<DimIndex>,
        value: Expr,
        value_span: Span,
        span: Span,
    ) -> Expr {
        let level = self.sizing.level;
        let place = self.indexed_type(&array.ty.clone(), &slice, &mut |checker, _, _, _, _| {
            checker.sizing.new_meta(level, span, None)
        });
        self.require(&place, &value.ty, value_span, Why::Updated(array.span));
        let ty = array.ty.clone();
        Expr { span, ty, kind: ExprKind::Update { array: Box::new(array), slice, value: Box::new(value) } }
    }

    /// Builds `(.x[i])`.
    pub fn build_path_section(&mut self, expr: &'a Ast, path: &'a [PathStep]) -> Expr {
        let span = expr.span;
        let ty = self.infer.exprs.get(&expr.id).copied();
        let argument = match ty.map(|ty| self.infer.types.node(ty)) {
            Some(Node::Arrow(argument, _)) => self.sized(argument, self.sizing.level, None, span),
            Some(_) | None => return self.build_unit(span),
        };
        // Indices are evaluated once, when the section is evaluated.
        let level = self.sizing.level;
        let mut bindings = Vec::new();
        let mut steps = Vec::new();
        for step in path {
            steps.push(match step {
                PathStep::Field(field) => Err(field.symbol),
                PathStep::Index(slice) => Ok(self.name_slice(slice, &mut bindings)),
            });
        }
        let (local, param) = self.lambda_param("x", argument, span);
        self.sizing.level += 1;
        let mut body = self.local(local, span);
        for step in steps {
            body = match step {
                Ok(slice) => self.index(body, slice, span),
                Err(field) => self.build_project(body, field, span),
            };
        }
        self.sizing.level -= 1;
        let (ty, result, body) = self.close_lambda(&[local], &[&param], body, Uniqueness::No, span);
        let kind = ExprKind::Lambda(Box::new(Lambda { params: vec![param], result, body }));
        self.sizing.level = level;
        self.wrap(bindings, Expr { span, ty, kind }, span)
    }

    fn name_slice(&mut self, slice: &'a [AstDim], bindings: &mut Vec<Binding>) -> Vec<DimIndex> {
        let mut named = Vec::new();
        for index in self.build_slice(slice) {
            let mut name = |part: Expr| self.name_value("i", part, bindings);
            let kind = match index.kind {
                DimIndexKind::Fix(index) => DimIndexKind::Fix(name(index)),
                DimIndexKind::Slice { start, end, stride } => DimIndexKind::Slice {
                    start: start.map(&mut name),
                    end: end.map(&mut name),
                    stride: stride.map(&mut name),
                },
            };
            named.push(DimIndex { span: index.span, kind });
        }
        named
    }

    /// Builds `a..b..<c`.
    pub fn build_range(
        &mut self,
        start: &'a Ast,
        second: Option<&'a Ast>,
        bound: RangeBound,
        end: &'a Ast,
        span: Span,
    ) -> Expr {
        let start = self.build(start);
        let second = second.map(|second| self.build(second));
        let end = self.build(end);
        let element = start.ty.clone();
        let is_i64 = matches!(element, Type::Prim(PrimType::I64));
        let second_constant = second.as_ref().map(i64_constant);
        let size = match (i64_constant(&start), second_constant, bound) {
            (Some(0), None | Some(Some(1)), RangeBound::Below) => Some(end.clone()),
            (_, None, RangeBound::Below) => Some(minus(end.clone(), start.clone())),
            (Some(1), None | Some(Some(2)), RangeBound::Inclusive) => Some(end.clone()),
            (_, None, RangeBound::Inclusive) => Some(plus_one(minus(end.clone(), start.clone()))),
            (_, Some(_), RangeBound::Below | RangeBound::Inclusive) | (_, _, RangeBound::Above) => None,
        };
        let size = size.filter(|size| is_i64 && is_expressible(size));
        let (size, sizes) = match size {
            Some(size) => (size.into_size(), Vec::new()),
            None => {
                [&start, &end].into_iter().for_each(|end| self.warn_of_binding(end));
                let unknown = self.new_size("k", span);
                self.sizing.levels.insert(unknown, self.sizing.level);
                (Size::Local(unknown), vec![unknown])
            }
        };
        let (start, second, end) = (Box::new(start), second.map(Box::new), Box::new(end));
        let ty = Type::array(size, element);
        self.open(sizes, Expr { span, ty, kind: ExprKind::Range { start, second, bound, end } })
    }
}

/// A step of a path to a part of a value.
enum Step {
    Field(Symbol),
    Index(Vec<DimIndex>),
}

fn is_fixed(index: &DimIndex) -> bool {
    matches!(index.kind, DimIndexKind::Fix(_))
}

/// Returns the value of a literal of type `i64`.
fn i64_constant(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Literal(_, Literal::I64(value)) => Some(*value),
        _ => None,
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let i64 = Type::Prim(PrimType::I64);
    let span = left.span;
    let ty = arrow(i64.clone(), arrow(i64.clone(), i64.clone()));
    let intrinsic = Intrinsic::Binary(op, PrimType::I64);
    let function = Expr { span, ty, kind: ExprKind::Intrinsic { intrinsic, instance: Instance::default() } };
    let kind = ExprKind::Apply { function: Box::new(function), arguments: vec![left, right] };
    Expr { span, ty: i64, kind }
}

fn minus(left: Expr, right: Expr) -> Expr {
    binary(BinaryOp::Sub, left, right)
}

fn plus_one(left: Expr) -> Expr {
    let kind = ExprKind::Literal(PrimType::I64, Literal::I64(1));
    let one = Expr { span: left.span, ty: Type::Prim(PrimType::I64), kind };
    binary(BinaryOp::Add, left, one)
}
