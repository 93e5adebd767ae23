//! Applications: the type of a function's result, given its arguments.

use warpwise_diag::Span;

use crate::check::Checker;
use crate::check::causality::Written;
use crate::check::env::Value;
use crate::check::infer::{Head, Why};
use crate::check::operators::Operator;
use crate::check::size::DEEPEST;
use crate::check::size::metas::Uncopied;
use crate::check::size::scopes::Opened;
use crate::check::type_exprs::Subst;
use crate::syntax::ast::{Expr as Ast, ExprKind as AstKind, PrimType};
use crate::typed::ids::LocalId;
use crate::typed::map::map_type;
use crate::typed::tree::{Binding, BindingKind, DimIndexKind, Expr, ExprKind, Lambda, Pat, PatKind};
use crate::typed::ty::{ResultType, Size, Type, Uniqueness};

impl<'a> Checker<'a> {
    /// Builds `f a b`.
    pub fn build_apply(&mut self, function: &'a Ast, arguments: &'a [Ast], span: Span) -> Expr {
        let function = self.build(function);
        let mut ty = Some(function.ty.clone());
        let mut built = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let arrow = match ty.take() {
                Some(Type::Arrow(arrow)) => Some(arrow),
                _ => None,
            };
            built.push(match &arrow {
                Some(arrow) => self.build_argument(argument, &arrow.argument),
                None => self.build(argument),
            });
            // The types of later parameters may mention this argument.
            ty = arrow.filter(|arrow| arrow.param.is_none()).map(|arrow| arrow.result.ty.clone());
        }
        self.apply(function, built, span)
    }

    /// Builds an argument. A lambda whose type has sizes that are its own parameters needs the expected type before its body is
    /// built.
    fn build_argument(&mut self, argument: &'a Ast, expected: &Type) -> Expr {
        let (AstKind::Lambda { params, result, body }, Type::Arrow(arrow)) = (&argument.kind, expected)
        else {
            return self.build(argument);
        };
        if !arrow.param.is_some_and(|param| self.mentions(&arrow.result.ty, param)) {
            return self.build(argument);
        }
        self.build_lambda(params, result.as_deref(), body, Some(expected.clone()), argument.span)
    }

    /// Builds the application of a function to built arguments.
    pub fn apply(&mut self, function: Expr, arguments: Vec<Expr>, span: Span) -> Expr {
        let level = self.sizing.level;
        let mut ty = function.ty.clone();
        let mut opened = Opened::default();
        let mut passed = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.into_iter().enumerate() {
            let Type::Arrow(arrow) = ty else { return self.build_unit(span) };
            let why = Why::Argument(function.span, index + 1);
            let firm = self.firm_sizes(&arrow.argument);
            let outer = std::mem::replace(&mut self.sizing.firm, firm);
            self.require(&arrow.argument, &argument.ty, argument.span, why);
            self.sizing.firm = outer;
            let mut subst = Subst::default();
            for &exists in &arrow.result.exists {
                let unknown = self.open_as(Size::Local(exists), level, &mut opened, span);
                subst.sizes.insert(exists, Size::Local(unknown));
            }
            let argument = match arrow.param {
                Some(param) if self.mentions(&arrow.result.ty, param) => {
                    let (size, argument) = self.size_of_argument(argument);
                    match size {
                        Some(size) => drop(subst.sizes.insert(param, size)),
                        None => drop(self.sizing.levels.insert(param, DEEPEST)),
                    }
                    argument
                }
                Some(_) | None => argument,
            };
            ty = map_type(&arrow.result.ty, &mut Uncopied { sizing: &self.sizing, subst: &subst });
            passed.push(argument);
        }
        // Sizes that still mention a parameter without a known argument become unknown.
        let ty = self.close(&ty, level, &[], &mut opened, span);
        let mut sizes = opened.sizes();
        sizes.retain(|&size| self.mentions(&ty, size));
        let kind = ExprKind::Apply { function: Box::new(function), arguments: passed };
        let applied = Expr { span, ty, kind };
        if matches!(applied.ty, Type::Arrow(_)) {
            return applied;
        }
        self.open(sizes, applied)
    }

    /// Whether a type mentions a local.
    pub fn mentions(&self, ty: &Type, local: LocalId) -> bool {
        let ty = self.solved(ty);
        let mut locals = crate::check::size::unify::Locals::default();
        crate::typed::map::map_type(&ty, &mut locals);
        locals.0.contains(&local)
    }

    /// Returns the size that an argument denotes. An `i64` expression that is too complex for a size is bound to a name.
    fn size_of_argument(&mut self, argument: Expr) -> (Option<Size>, Expr) {
        if is_expressible(&argument) {
            return (Some(argument.clone().into_size()), argument);
        }
        if !matches!(argument.ty, Type::Prim(PrimType::I64)) {
            return (None, argument);
        }
        self.warn_of_binding(&argument);
        let (size, argument) = self.name_size(argument);
        (Some(size), argument)
    }

    /// Binds an `i64` to a name that sizes can mention.
    pub fn name_size(&mut self, value: Expr) -> (Size, Expr) {
        let unknown = self.new_size("k", value.span);
        self.sizing.levels.insert(unknown, self.sizing.level);
        (Size::Local(unknown), self.open(vec![unknown], value))
    }

    /// Builds `a + b`, and pipes.
    pub fn build_binary(
        &mut self,
        expr: &'a Ast,
        operator_span: Span,
        left: &'a Ast,
        right: &'a Ast,
    ) -> Expr {
        let Some(resolved) = self.infer.resolved.get(&expr.id).cloned() else {
            return self.build_unit(expr.span);
        };
        if let (Head::Value(Value::Def(def, _), _), true) = (&resolved.head, resolved.fields.is_empty()) {
            let pipe = self.pipes.iter().position(|pipe| *pipe == Some(*def));
            if let Some(pipe) = pipe {
                let (left, right) = (self.build(left), self.build(right));
                let (function, argument) = if pipe == 0 { (right, left) } else { (left, right) };
                if pipe == 1 {
                    self.sizing.written.insert(expr.span, Written::FunctionFirst);
                }
                return self.apply(function, vec![argument], expr.span);
            }
        }
        let (left, right) = (self.build(left), self.build(right));
        if let Head::Operator(operator @ (Operator::LogicalAnd | Operator::LogicalOr), _) = resolved.head {
            return self.build_logical(operator, left, right, expr.span);
        }
        let function = self.build_name(&resolved, operator_span);
        self.apply(function, vec![left, right], expr.span)
    }

    /// Builds `(a +)`.
    pub fn build_left_section(&mut self, expr: &'a Ast, operator_span: Span, left: &'a Ast) -> Expr {
        let Some(resolved) = self.infer.resolved.get(&expr.id).cloned() else {
            return self.build_unit(expr.span);
        };
        self.sizing.written.insert(expr.span, Written::Section);
        let left = self.build(left);
        let function = self.build_name(&resolved, operator_span);
        self.apply(function, vec![left], expr.span)
    }

    /// Builds `(+ b)` as a lambda. `b` is evaluated once.
    pub fn build_right_section(&mut self, expr: &'a Ast, operator_span: Span, right: &'a Ast) -> Expr {
        let Some(resolved) = self.infer.resolved.get(&expr.id).cloned() else {
            return self.build_unit(expr.span);
        };
        self.sizing.written.insert(expr.span, Written::Section);
        let right = self.build(right);
        let level = self.sizing.level;
        let is_atom = matches!(right.kind, ExprKind::Literal(..) | ExprKind::Local { .. });
        let (name, operand) = match is_atom {
            true => (None, right.clone()),
            false => {
                let (local, param) = self.lambda_param("y", right.ty.clone(), right.span);
                (Some(param.pattern), self.local(local, right.span))
            }
        };
        self.sizing.level += usize::from(name.is_some()) as u32;
        let function = self.build_name(&resolved, operator_span);
        let Type::Arrow(arrow) = function.ty.clone() else {
            self.sizing.level = level;
            return self.build_unit(expr.span);
        };
        let (local, mut param) = self.lambda_param("x", arrow.argument.clone(), expr.span);
        param.consumes = arrow.consumes.clone();
        self.sizing.level += 1;
        let body = {
            let argument = self.local(local, expr.span);
            self.apply(function, vec![argument, operand], expr.span)
        };
        self.sizing.level -= 1;
        let (ty, result, body) = self.close_lambda(&[local], &[&param], body, Uniqueness::No, expr.span);
        let kind = ExprKind::Lambda(Box::new(Lambda { params: vec![param], result, body }));
        let lambda = Expr { span: expr.span, ty, kind };
        self.sizing.level = level;
        match name {
            Some(pattern) => self.close_let(pattern, right, lambda, expr.span),
            None => lambda,
        }
    }

    /// Builds `let pattern = value in body`, where the body was built one level deeper.
    pub fn close_let(&mut self, pattern: Pat, value: Expr, body: Expr, span: Span) -> Expr {
        let mut opened = Opened::default();
        let ty = self.close(&body.ty.clone(), self.sizing.level, &[], &mut opened, span);
        let kind = BindingKind::Pattern { sizes: Vec::new(), pattern, value };
        let bindings = vec![Binding { span, kind }];
        let expr = Expr { span, ty, kind: ExprKind::Let { bindings, body: Box::new(body) } };
        self.open(opened.sizes(), expr)
    }

    /// Returns the type, the result type and the body of a lambda whose body was built one level deeper. Sizes may mention the
    /// parameters in `simple`.
    pub fn close_lambda(
        &mut self,
        simple: &[LocalId],
        params: &[&crate::typed::tree::Param],
        body: Expr,
        unique: Uniqueness,
        span: Span,
    ) -> (Type, ResultType, Expr) {
        let mut opened = Opened::default();
        let level = self.sizing.level;
        let ty = self.close(&body.ty.clone(), level, simple, &mut opened, span);
        let exists = opened.sizes();
        self.sizing.computed.extend(&exists);
        let body = match exists.is_empty() || matches!(ty, Type::Arrow(_)) {
            true => body,
            false => Expr {
                span: body.span,
                ty: ty.clone(),
                kind: ExprKind::Open { sizes: exists.clone(), body: Box::new(body) },
            },
        };
        let result = ResultType { exists, ty, unique };
        let curried = self.curry(params, &result);
        (curried, result, body)
    }

    /// Returns the type of a function.
    pub fn curry(&self, params: &[&crate::typed::tree::Param], result: &ResultType) -> Type {
        let mut result = result.clone();
        for param in params.iter().rev() {
            let name = simple_local(&param.pattern).filter(|&local| self.mentions(&result.ty, local));
            let arrow = crate::typed::ty::ArrowType {
                param: name,
                argument: self.solved(&param.pattern.ty),
                consumes: param.consumes.clone(),
                result,
            };
            result = ResultType {
                exists: Vec::new(),
                ty: Type::Arrow(std::sync::Arc::new(arrow)),
                unique: Uniqueness::No,
            };
        }
        result.ty
    }
}

/// Returns the local that a pattern binds, if the pattern is only a name.
pub fn simple_local(pattern: &Pat) -> Option<LocalId> {
    match &pattern.kind {
        PatKind::Bind(local) => Some(*local),
        PatKind::Wildcard | PatKind::Record(_) | PatKind::Literal(..) | PatKind::Construct { .. } => None,
    }
}

/// Whether an expression can occur in a size: it contains no binding, no update, and no consumption of named data.
pub fn is_expressible(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(..)
        | ExprKind::Bytes(_)
        | ExprKind::Local { .. }
        | ExprKind::Def { .. }
        | ExprKind::Intrinsic { .. } => true,
        ExprKind::Record(parts) | ExprKind::Array(parts) => parts.iter().all(is_expressible),
        ExprKind::Construct { arguments, .. } => arguments.iter().all(is_expressible),
        ExprKind::Project { record, .. } => is_expressible(record),
        ExprKind::Index { array, slice } => {
            let fixed = slice.iter().all(|index| match &index.kind {
                DimIndexKind::Fix(index) => is_expressible(index),
                DimIndexKind::Slice { start, end, stride } => {
                    [start, end, stride].into_iter().flatten().all(is_expressible)
                }
            });
            fixed && is_expressible(array)
        }
        ExprKind::Assert { condition, body, .. } => is_expressible(condition) && is_expressible(body),
        ExprKind::Apply { function, arguments } => {
            is_expressible(function)
                && arguments.iter().all(is_expressible)
                && !consumes_free(&function.ty, arguments)
        }
        ExprKind::Range { start, second, end, .. } => {
            is_expressible(start)
                && is_expressible(end)
                && second.as_ref().is_none_or(|second| is_expressible(second))
        }
        ExprKind::If { condition, then, otherwise } => {
            is_expressible(condition) && is_expressible(then) && is_expressible(otherwise)
        }
        ExprKind::Coerce(body) | ExprKind::Attr { body, .. } | ExprKind::Tuned { default: body, .. } => {
            is_expressible(body)
        }
        ExprKind::Hole
        | ExprKind::Update { .. }
        | ExprKind::Lambda(_)
        | ExprKind::Let { .. }
        | ExprKind::Match { .. }
        | ExprKind::Loop(_)
        | ExprKind::Open { .. } => false,
    }
}

/// Whether a function consumes data that has a name. Data made by an argument could be made again.
fn consumes_free(ty: &Type, arguments: &[Expr]) -> bool {
    let mut ty = ty;
    for argument in arguments {
        let Type::Arrow(arrow) = ty else { return false };
        if arrow.consumes.any() && names_data(argument) {
            return true;
        }
        ty = &arrow.result.ty;
    }
    false
}

/// Whether an expression mentions an array or other data by name.
fn names_data(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local { .. } | ExprKind::Def { .. } => !matches!(expr.ty, Type::Prim(_) | Type::Arrow(_)),
        _ => {
            let mut found = false;
            expr.for_each_child(&mut |child| found |= names_data(child));
            found
        }
    }
}
