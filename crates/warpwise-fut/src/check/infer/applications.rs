//! Shapes of names, applications, operators and sections.

use rustc_hash::FxHashMap;
use std::rc::Rc;
use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Frame, Module, Poly, Value};
use crate::check::infer::scope::Entry;
use crate::check::infer::ty::{Constraint, Node, Ty};
use crate::check::infer::{Head, Resolved, Why};
use crate::check::operators::Operator;
use crate::check::resolve::Found;
use crate::check::type_exprs::count;
use crate::syntax::ast::{Expr, ExprKind, Ident, PrimType, QualName};
use crate::syntax::session::ExprId;
use crate::typed::ids::TypeParamId;

impl<'a> Checker<'a> {
    /// Infers the type of a name, and records its meaning for the expression.
    pub fn infer_name(&mut self, id: ExprId, name: &'a QualName) -> Ty {
        match self.resolve_name(name) {
            Some((resolved, ty)) => {
                self.infer.resolved.insert(id, resolved);
                ty
            }
            None => self.error_ty(),
        }
    }

    /// Infers the type of a name that denotes a value without being an expression.
    pub fn infer_implied(&mut self, name: &Ident) -> Ty {
        match self.resolve_name(&QualName::plain(*name)) {
            Some((resolved, ty)) => {
                self.infer.implied.insert(name.span, resolved);
                ty
            }
            None => self.error_ty(),
        }
    }

    fn resolve_name(&mut self, name: &QualName) -> Option<(Resolved, Ty)> {
        let (found, used) = self.lookup_value(name)?;
        let (head, mut ty) = self.instantiate_found(found, name.span)?;
        let mut fields = Vec::new();
        for field in name.qualifiers.iter().chain([&name.name]).skip(used) {
            ty = self.infer_field(ty, field.symbol, field.span);
            fields.push(field.symbol);
        }
        Some((Resolved { head, fields }, ty))
    }

    fn instantiate_found(&mut self, found: Found, span: Span) -> Option<(Head, Ty)> {
        match found {
            Found::Entry(Entry::Local { local, ty, params: None }) => {
                Some((Head::Local(local, Vec::new()), ty))
            }
            Found::Entry(Entry::Local { local, ty, params: Some(params) }) => {
                let fresh: Vec<Ty> = params.iter().map(|&param| self.fresh_for(param, span)).collect();
                let subst = params.iter().copied().zip(fresh.iter().copied()).collect();
                let ty = self.instantiate_ty(ty, &subst, &mut FxHashMap::default());
                Some((Head::Local(local, fresh), ty))
            }
            Found::Entry(Entry::Member(value)) | Found::Value(value) => self.instantiate_value(value, span),
        }
    }

    /// Instantiates a value of a module with fresh type arguments.
    pub fn instantiate_value(&mut self, value: Value, span: Span) -> Option<(Head, Ty)> {
        match &value {
            Value::Def(_, poly) | Value::Intrinsic(_, poly) => {
                let poly: Rc<Poly> = poly.clone();
                let fresh: Vec<Ty> = poly.types.iter().map(|&param| self.fresh_for(param, span)).collect();
                let subst = poly.types.iter().copied().zip(fresh.iter().copied()).collect();
                let ty = self.erase_with(&poly.ty, &subst);
                Some((Head::Value(value, fresh), ty))
            }
            Value::Operator(operator) => {
                let operator = *operator;
                let operand = self.operand_of(operator, span);
                let result = self.result_of(operator, operand);
                let inner = self.infer.types.add(Node::Arrow(operand, result));
                let ty = self.infer.types.add(Node::Arrow(operand, inner));
                Some((Head::Operator(operator, operand), ty))
            }
            Value::Failed => None,
        }
    }

    /// Creates a variable for the argument of a type parameter.
    fn fresh_for(&mut self, param: TypeParamId, span: Span) -> Ty {
        let lifted = self.program.type_params[param.index()].liftedness;
        self.infer.types.lifted_var(Constraint::Free, span, lifted)
    }

    fn operand_of(&mut self, operator: Operator, span: Span) -> Ty {
        let constraint = match operator.operands() {
            Some(set) => Constraint::OneOf(set),
            None => Constraint::Comparable,
        };
        self.infer.types.var(constraint, span)
    }

    fn result_of(&mut self, operator: Operator, operand: Ty) -> Ty {
        if operator.compares() { self.infer.types.prim(PrimType::Bool) } else { operand }
    }

    /// Substitutes type parameters in a type.
    fn instantiate_ty(
        &mut self,
        ty: Ty,
        subst: &FxHashMap<TypeParamId, Ty>,
        done: &mut FxHashMap<Ty, Ty>,
    ) -> Ty {
        let ty = self.infer.types.find(ty);
        if let Some(&instance) = done.get(&ty) {
            return instance;
        }
        let mut all = |checker: &mut Self, parts: &[Ty]| -> Rc<[Ty]> {
            parts.iter().map(|&part| checker.instantiate_ty(part, subst, done)).collect()
        };
        let node = match self.infer.types.node(ty) {
            Node::Param(param) => return subst.get(&param).copied().unwrap_or(ty),
            Node::Prim(_) | Node::Var(_) | Node::Link(_) | Node::Error => return ty,
            Node::Array(element) => Node::Array(all(self, &[element])[0]),
            Node::Record(names, parts) => Node::Record(names, all(self, &parts)),
            Node::Abstract(id, parts) => Node::Abstract(id, all(self, &parts)),
            Node::Sum(sum) => {
                Node::Sum(sum.iter().map(|(name, payload)| (*name, all(self, payload))).collect())
            }
            Node::Arrow(argument, result) => {
                let parts = all(self, &[argument, result]);
                Node::Arrow(parts[0], parts[1])
            }
        };
        let instance = self.infer.types.add(node);
        done.insert(ty, instance);
        instance
    }

    /// Infers `m.(e)`.
    pub fn infer_local_open(&mut self, module: &'a QualName, body: &'a Expr) -> Ty {
        let members = match self.lookup_module(module) {
            Some(Module::Structure(members)) => members,
            Some(Module::Failed) | None => return self.error_ty(),
            Some(Module::Intrinsics | Module::Parametric(_)) => {
                self.report(Diagnostic::error("E0221", module.span, "this module cannot be opened"));
                return self.error_ty();
            }
        };
        let mark = self.infer.scope.mark();
        for (&name, value) in &members.values {
            self.infer.scope.enter(name, Entry::Member(value.clone()));
        }
        let outer = self.env.clone();
        let mut frame = Frame { members: Default::default(), parent: Some(outer.clone()) };
        frame.members.include(&members);
        self.env = Rc::new(frame);
        let ty = self.infer(body);
        self.env = outer;
        self.infer.scope.reset(mark);
        ty
    }

    /// Infers `f a b`.
    pub fn infer_apply(&mut self, function: &'a Expr, arguments: &'a [Expr]) -> Ty {
        let mut ty = self.infer(function);
        for (index, argument) in arguments.iter().enumerate() {
            let why = Why::Argument(function.span, index + 1);
            ty = match self.infer.types.node(ty) {
                Node::Arrow(param, result) => {
                    self.expect(argument, param, why);
                    result
                }
                Node::Var(var)
                    if matches!(var.constraint, Constraint::OneOf(_))
                        && self.hint_for_infix(&arguments[index..]).is_some() =>
                {
                    self.not_a_function(function, ty, index, &arguments[index..]);
                    return self.error_ty();
                }
                Node::Var(_) => {
                    let param = self.infer(argument);
                    let result = self.fresh(function.span);
                    let arrow = self.infer.types.add(Node::Arrow(param, result));
                    self.same(arrow, ty, function.span, Why::IsFunction);
                    result
                }
                Node::Error => {
                    self.infer(argument);
                    ty
                }
                Node::Prim(_)
                | Node::Param(_)
                | Node::Abstract(..)
                | Node::Array(_)
                | Node::Record(..)
                | Node::Sum(_)
                | Node::Link(_) => {
                    self.not_a_function(function, ty, index, &arguments[index..]);
                    if self.hint_for_infix(&arguments[index..]).is_none() {
                        for argument in &arguments[index..] {
                            self.infer(argument);
                        }
                    }
                    return self.error_ty();
                }
            };
        }
        ty
    }

    fn not_a_function(&mut self, function: &Expr, ty: Ty, given: usize, arguments: &[Expr]) {
        let shown = self.show_ty(ty);
        let Some(first) = arguments.first() else { return };
        let argument = first.span;
        let error = match given {
            0 => Diagnostic::error(
                "E0206",
                function.span,
                format!("cannot apply expression as function: this is a `{shown}`"),
            )
            .label(argument, "applied to this"),
            _ => Diagnostic::error(
                "E0206",
                argument,
                format!("this function takes only {}", count(given, "argument")),
            )
            .label(function.span, format!("after that its result is a `{shown}`")),
        };
        let error = match (&first.kind, self.infer.types.node(ty)) {
            (ExprKind::Array(_), Node::Array(_)) => {
                error.hint("an index stands behind the array without a space: `xs[i]`")
            }
            _ => error,
        };
        self.report(match self.hint_for_infix(arguments) {
            Some(hint) => error.hint(hint),
            None => error,
        });
    }

    /// Infers `a + b`.
    pub fn infer_binary(
        &mut self,
        expr: &'a Expr,
        operator: &'a QualName,
        left: &'a Expr,
        right: &'a Expr,
    ) -> Ty {
        let Some((resolved, ty)) = self.resolve_name(operator) else {
            self.infer(left);
            self.infer(right);
            return self.error_ty();
        };
        if let Head::Operator(operator, operand) = resolved.head {
            self.infer.resolved.insert(expr.id, resolved);
            if !self.expect(left, operand, Why::Operator) {
                self.hint_for_power(operator);
                // Report one mistake only: the other operand is not compared with anything.
                self.infer(right);
                return self.error_ty();
            }
            self.expect(right, operand, Why::Operand(left.span));
            return self.result_of(operator, operand);
        }
        self.infer.resolved.insert(expr.id, resolved);
        let Some((param, rest)) = self.split_arrow(ty, operator.span) else { return self.error_ty() };
        // Infer operands of a pipe in the order of evaluation, so that the parameter types of lambdas are known.
        self.expect(left, param, Why::Argument(operator.span, 1));
        let Some((param, result)) = self.split_arrow(rest, operator.span) else { return self.error_ty() };
        self.expect(right, param, Why::Argument(operator.span, 2));
        result
    }

    /// Explains how a power is written if floats were given to `^`.
    fn hint_for_power(&mut self, operator: Operator) {
        let is_xor = Operator::ALL.iter().any(|(name, other)| *name == "^" && *other == operator);
        if let (true, Some(error)) = (is_xor, self.diagnostics.last_mut()) {
            error.hints.push("a power is written `x ** y`; `^` is exclusive or".to_string());
        }
    }

    fn split_arrow(&mut self, ty: Ty, span: Span) -> Option<(Ty, Ty)> {
        match self.infer.types.node(ty) {
            Node::Arrow(param, result) => Some((param, result)),
            Node::Error => None,
            _ => {
                let (param, result) = (self.fresh(span), self.fresh(span));
                let arrow = self.infer.types.add(Node::Arrow(param, result));
                self.same(arrow, ty, span, Why::IsFunction);
                Some((param, result))
            }
        }
    }

    /// Infers `(a +)`.
    pub fn infer_left_section(&mut self, expr: &'a Expr, left: &'a Expr, operator: &'a QualName) -> Ty {
        let ty = self.infer_name(expr.id, operator);
        let Some((param, rest)) = self.split_arrow(ty, operator.span) else {
            self.infer(left);
            return self.error_ty();
        };
        self.expect(left, param, Why::Argument(operator.span, 1));
        rest
    }

    /// Infers `(+ b)`.
    pub fn infer_right_section(&mut self, expr: &'a Expr, operator: &'a QualName, right: &'a Expr) -> Ty {
        let ty = self.infer_name(expr.id, operator);
        let split = self.split_arrow(ty, operator.span).and_then(|(first, rest)| {
            let (second, result) = self.split_arrow(rest, operator.span)?;
            Some((first, second, result))
        });
        let Some((first, second, result)) = split else {
            self.infer(right);
            return self.error_ty();
        };
        self.expect(right, second, Why::Argument(operator.span, 2));
        self.infer.types.add(Node::Arrow(first, result))
    }
}
