//! Lowering of expressions.

use std::rc::Rc;

use warpwise_diag::{Failure, Span};
use warpwise_ir::sizes::{Checked, SizeOp};
use warpwise_ir::{Expr as Ir, Message, MessagePart, Operand, Var};
use warpwise_prim::{Scalar, ScalarType, ValueType};

use crate::tree::{DeclKind, Expr, ExprKind, VarId};

use super::value::{Data, Function, FunctionName, Layout, Shape, Value};
use super::{DEEPEST, Lowerer, MOST_CALLS};

impl Lowerer<'_, '_> {
    /// Lowers an expression to its value.
    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Value, Failure> {
        let before = self.b.span();
        self.b.set_span(expr.span);
        let value = self.expr_here(expr);
        self.b.set_span(before);
        value
    }

    fn expr_here(&mut self, expr: &Expr) -> Result<Value, Failure> {
        let data = match &expr.kind {
            ExprKind::Var(var) | ExprKind::Frozen(var) => return self.var(*var, expr),
            ExprKind::Builtin(builtin) => {
                let (name, with) = (FunctionName::Builtin(*builtin), Rc::new(Vec::new()));
                return Ok(Value::Function(Function { name, with, arguments: Vec::new() }));
            }
            ExprKind::Int(value) => Data::int(*value),
            ExprKind::Float(value) => Data::scalar(ScalarType::F64, Scalar::F64(*value)),
            ExprKind::Char(value) => char_data(*value),
            ExprKind::Bool(value) => Data::bool(Operand::bool(*value)),
            ExprKind::String(text) => {
                let chars = text.chars().map(char_data).collect();
                self.literal(chars, &Shape::Scalar(ScalarType::I32), expr.span)?
            }
            ExprKind::Never => {
                self.fail("this must not be reached".to_string());
                self.blank(&self.shape(expr))
            }
            ExprKind::Apply(function, arguments) => {
                if let Some(value) = self.array_language(function, arguments, expr)? {
                    return Ok(value);
                }
                let function = self.expr(function)?;
                let arguments =
                    arguments.iter().map(|argument| self.expr(argument)).collect::<Result<Vec<_>, _>>()?;
                return self.apply(function, arguments, expr);
            }
            ExprKind::Choice(tests, otherwise) => return self.choice(tests, otherwise, &mut Self::expr),
            ExprKind::Record(fields) => {
                let fields = fields.iter().map(|(label, value)| Ok((*label, self.expr_data(value)?)));
                Data::record(fields.collect::<Result<_, Failure>>()?)
            }
            ExprKind::Update(record, fields) => {
                let mut all = self.expr_data(record)?.fields();
                for (label, value) in fields {
                    let value = self.expr_data(value)?;
                    all.iter_mut().filter(|(other, _)| other == label).for_each(|f| f.1 = value.clone());
                }
                Data::record(all)
            }
            ExprKind::Project(record, label) => {
                let fields = self.expr_data(record)?.fields();
                match fields.into_iter().find(|(other, _)| other == label) {
                    Some((_, value)) => value,
                    None => return self.refuse("a field of a record that is not known", expr.span),
                }
            }
            ExprKind::Seq(items) => {
                let items = items.iter().map(|item| self.expr_data(item)).collect::<Result<_, _>>()?;
                match self.shape(expr) {
                    Shape::Seq(element) => self.literal(items, &element, expr.span)?,
                    _ => self.literal(items, &Shape::Unknown, expr.span)?,
                }
            }
            ExprKind::Block(..) => return self.block(expr, &mut Self::expr),
            ExprKind::Lambda(..) | ExprKind::Construct(..) | ExprKind::Accelerate(_) => {
                return self.limit("this expression in accelerated code", expr.span);
            }
        };
        Ok(Value::Data(data))
    }

    pub(super) fn expr_data(&mut self, expr: &Expr) -> Result<Data, Failure> {
        let value = self.expr(expr)?;
        self.data(value, expr.span)
    }

    pub(super) fn shape(&self, expr: &Expr) -> Shape {
        Shape::of(&self.checked.typing.types, expr.ty, &self.with)
    }

    fn var(&mut self, var: VarId, expr: &Expr) -> Result<Value, Failure> {
        if let Some(value) = self.values.get(&var) {
            return Ok(value.clone());
        }
        let mut with = Vec::new();
        let general = self.checked.typing.vars[var.0 as usize];
        self.shape(expr).solve(&self.checked.typing.types, general, &mut with);
        let name = match self.functions.externals.get(&var) {
            Some(builtin) => FunctionName::Builtin(*builtin),
            None => FunctionName::Defined(var),
        };
        Ok(Value::Function(Function { name, with: Rc::new(with), arguments: Vec::new() }))
    }

    /// Lowers definitions, then the result by `last`.
    pub(super) fn block<T>(
        &mut self,
        expr: &Expr,
        last: &mut dyn FnMut(&mut Self, &Expr) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let ExprKind::Block(decls, result) = &expr.kind else { return last(self, expr) };
        for decl in decls {
            match &decl.kind {
                DeclKind::Let(binding) => {
                    let value = self.expr(&binding.body)?;
                    self.values.insert(binding.var, value);
                }
                DeclKind::Do(value) => {
                    self.expr(value)?;
                }
                DeclKind::Match(value, pattern) => {
                    let value = self.expr(value)?;
                    if let Some(matches) = self.test(pattern, &value)? {
                        self.check(matches, text("the pattern does not match"));
                    }
                    self.bind(pattern, &value)?;
                }
                DeclKind::Utest(_) => {}
                DeclKind::Recursive(_) | DeclKind::External(..) => {
                    return self.limit("this definition in accelerated code", decl.span);
                }
            }
        }
        last(self, result)
    }

    /// Applies a function to arguments; `at` is the whole application.
    pub(super) fn apply(
        &mut self,
        function: Value,
        arguments: Vec<Value>,
        at: &Expr,
    ) -> Result<Value, Failure> {
        let shape = self.shape(at);
        self.call(function, arguments, &shape, at.span)
    }

    /// Calls a function; if it does not return, the result is some value of `shape`.
    pub(super) fn call(
        &mut self,
        function: Value,
        arguments: Vec<Value>,
        shape: &Shape,
        span: Span,
    ) -> Result<Value, Failure> {
        let Value::Function(mut function) = function else {
            return if arguments.is_empty() { Ok(function) } else { self.limit("a call of a value", span) };
        };
        function.arguments.extend(arguments);
        let n = match function.name {
            FunctionName::Builtin(builtin) => builtin.parameters(),
            FunctionName::Defined(var) => self.n_parameters(var),
            FunctionName::Text(_, n_parameters) => n_parameters,
        };
        if function.arguments.len() < n || (n == 0 && function.arguments.is_empty()) {
            return Ok(Value::Function(function));
        }
        self.calls += 1;
        if self.depth == DEEPEST || self.calls > MOST_CALLS {
            return self.limit("calls this deep or this many in accelerated code", span);
        }
        self.depth += 1;
        let more = function.arguments.split_off(n);
        let result = self.full_call(&function, shape, span);
        self.depth -= 1;
        if more.is_empty() { result } else { self.call(result?, more, shape, span) }
    }

    fn n_parameters(&self, var: VarId) -> usize {
        match self.functions.defined.get(&var).map(|(binding, _)| &binding.body.kind) {
            Some(ExprKind::Lambda(parameters, _)) => parameters.len(),
            _ => 0,
        }
    }

    fn full_call(&mut self, function: &Function, shape: &Shape, span: Span) -> Result<Value, Failure> {
        let var = match function.name {
            FunctionName::Builtin(builtin) => {
                let data = self.builtin(builtin, &function.arguments, shape, span)?;
                return Ok(Value::Data(data));
            }
            FunctionName::Text(text, _) => {
                return self.text(text, &function.arguments, span).map(Value::Data);
            }
            FunctionName::Defined(var) => var,
        };
        if self.leaving == Some(var) {
            return Ok(Value::Data(self.blank(shape)));
        }
        let Some((binding, is_recursive)) = self.functions.defined.get(&var).copied() else {
            return self.refuse("a function that is not known", span);
        };
        if self.functions.nested.contains(&var) {
            return self.recursive_call(var, binding, function, shape, span);
        }
        let outer_values = std::mem::take(&mut self.values);
        let outer_with = std::mem::replace(&mut self.with, function.with.clone());
        let outer_leaving = self.leaving.take();
        let result = match &binding.body.kind {
            ExprKind::Lambda(parameters, body) => {
                for (parameter, argument) in parameters.iter().zip(&function.arguments) {
                    self.values.insert(parameter.var, argument.clone());
                }
                if is_recursive { self.recursive(var, parameters, body, shape) } else { self.expr(body) }
            }
            _ => self.expr(&binding.body),
        };
        (self.values, self.with, self.leaving) = (outer_values, outer_with, outer_leaving);
        result
    }

    /// Returns an arbitrary value of a type, for uses that do not need the value.
    pub(super) fn blank(&mut self, shape: &Shape) -> Data {
        let layout = if self.rows { shape.empty().with_rows() } else { shape.empty() };
        let leaves = layout.types().iter().map(|ty| self.zero(ty)).collect();
        Data { layout, leaves }
    }

    fn zero(&mut self, ty: &warpwise_ir::Type) -> Operand {
        let zero: Operand = match ty.elem() {
            Some(elem) => Scalar::zero(elem).into(),
            None => Operand::i64(0),
        };
        if ty.rank() == 0 {
            return zero;
        }
        let shape = ty.shape().iter().copied().collect();
        self.b.bind_one("none", Ir::Replicate { shape, value: zero }).into()
    }

    /// Fails the run unless the condition holds, if checks are on. Statements of the same body that rely on the condition must
    /// name the returned certificate.
    pub(super) fn check(&mut self, condition: Operand, message: Message) -> Option<Var> {
        (!self.functions.checks.none).then(|| self.b.assert(condition, message))
    }

    /// Computes a length from others; returns it, and a certificate that it fits if that is not obvious.
    pub(super) fn size(&mut self, op: SizeOp, x: Operand, y: Operand) -> (Operand, Option<Var>) {
        let Checked { value, fits } = op.compute(&mut self.b, x, y);
        if fits == Operand::bool(true) {
            return (value, None);
        }
        (value, self.check(fits, Message { parts: op.overflow(x, y), calls: Vec::new() }))
    }

    /// Fails the run unconditionally.
    pub(super) fn fail(&mut self, message: String) {
        self.b.assert(Operand::bool(false), text(&message));
    }
}

/// Returns a message without values.
pub(super) fn text(message: &str) -> Message {
    message_with(message, &[])
}

/// Returns a message with integers, each followed by text, in the words of the host.
pub(super) fn message_with(start: &str, rest: &[(Operand, &str)]) -> Message {
    let mut parts = vec![MessagePart::Text(start.to_string())];
    for (value, text) in rest {
        parts.push(MessagePart::Value(*value, ValueType::I64));
        parts.push(MessagePart::Text(text.to_string()));
    }
    Message { parts, calls: Vec::new() }
}

fn char_data(value: char) -> Data {
    Data { layout: Layout::Scalar(ScalarType::I32), leaves: vec![Scalar::I32(value as i32).into()] }
}
