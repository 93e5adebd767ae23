//! Expressions.

use super::Printer;
use crate::syntax::ast::{
    DimIndex, DimIndexKind, Expr, ExprKind, LetBinding, LetKind, LoopExpr, LoopForm, PathStep, RangeBound,
};

impl Printer<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(*literal),
            ExprKind::String(bytes) => self.string(&String::from_utf8_lossy(bytes)),
            ExprKind::Hole => self.put("???"),
            ExprKind::Var(name) => self.qual_name(name),
            ExprKind::Tuple(elements) => self.list("(", elements, ")", Self::expr),
            ExprKind::Record(fields) => self.list("{", fields, "}", |p, field| {
                p.name(field.name);
                if let Some(value) = &field.value {
                    p.put(" = ");
                    p.expr(value);
                }
            }),
            ExprKind::Array(elements) => self.list("[", elements, "]", Self::expr),
            ExprKind::LocalOpen { module, body } => {
                self.qual_name(module);
                self.put(".");
                self.in_parentheses(|p| p.expr(body));
            }
            ExprKind::Attr { attr, body } => {
                self.attr_mark(attr);
                self.expr(body);
            }
            ExprKind::Project { record, field } => {
                self.in_parentheses(|p| p.expr(record));
                self.put(".");
                self.name(*field);
            }
            ExprKind::Index { array, slice } => {
                self.in_parentheses(|p| p.expr(array));
                self.slice(slice);
            }
            ExprKind::Negate(operand) => {
                self.put("-");
                self.atom(operand);
            }
            ExprKind::Not(operand) => {
                self.put("!");
                self.atom(operand);
            }
            ExprKind::Assert { condition, body } => {
                self.put("assert ");
                self.atom(condition);
                self.put(" ");
                self.expr(body);
            }
            ExprKind::Constructor { name, arguments } => {
                self.put("#");
                self.name(*name);
                self.arguments(arguments);
            }
            ExprKind::Update { target, path, value } => {
                self.atom(target);
                self.put(" with ");
                self.path(path);
                self.put(" = ");
                self.atom(value);
            }
            ExprKind::Lambda { params, result, body } => {
                self.put("\\");
                for param in params {
                    self.pat_atom(param);
                    self.put(" ");
                }
                if let Some(result) = result {
                    self.put(": ");
                    self.type_atom(result);
                }
                self.put(" -> ");
                self.expr(body);
            }
            ExprKind::OperatorSection(operator) => self.in_parentheses(|p| p.operator(operator)),
            ExprKind::LeftSection { left, operator } => self.in_parentheses(|p| {
                p.atom(left);
                p.put(" ");
                p.operator(operator);
            }),
            ExprKind::RightSection { operator, right } => self.in_parentheses(|p| {
                p.operator(operator);
                p.put(" ");
                p.atom(right);
            }),
            ExprKind::PathSection(path) => self.in_parentheses(|p| {
                if matches!(path[0], PathStep::Index(_)) {
                    p.put(".");
                }
                p.path(path);
            }),
            ExprKind::Ascribe { body, ty } => {
                self.atom(body);
                self.put(" : ");
                self.ty(ty);
            }
            ExprKind::Coerce { body, ty } => {
                self.atom(body);
                self.put(" :> ");
                self.ty(ty);
            }
            ExprKind::Apply { function, arguments } => {
                match function.kind {
                    ExprKind::Var(_) => self.expr(function),
                    _ => self.in_parentheses(|p| p.expr(function)),
                }
                self.arguments(arguments);
            }
            ExprKind::Binary { operator, left, right } => {
                self.atom(left);
                self.put(" ");
                self.operator(operator);
                self.put(" ");
                self.atom(right);
            }
            ExprKind::Range { start, second, bound, end } => {
                self.range(start, second.as_deref(), *bound, end)
            }
            ExprKind::Let { bindings, body } => self.let_expr(bindings, body),
            ExprKind::If { condition, then, otherwise } => {
                self.put("if ");
                self.expr(condition);
                self.put(" then ");
                self.expr(then);
                self.put(" else ");
                self.expr(otherwise);
            }
            ExprKind::Loop(it) => self.loop_expr(it),
            ExprKind::Match { scrutinee, cases } => {
                self.put("match ");
                self.atom(scrutinee);
                for case in cases {
                    self.put(" case ");
                    self.pat_atom(&case.pattern);
                    self.put(" -> ");
                    self.atom(&case.body);
                }
            }
        }
    }

    /// Prints an expression, in parentheses unless it is self-delimiting.
    pub(super) fn atom(&mut self, expr: &Expr) {
        let bare = match &expr.kind {
            ExprKind::Literal(_)
            | ExprKind::String(_)
            | ExprKind::Hole
            | ExprKind::Var(_)
            | ExprKind::Tuple(_)
            | ExprKind::Record(_)
            | ExprKind::Array(_)
            | ExprKind::LocalOpen { .. }
            | ExprKind::Project { .. }
            | ExprKind::Index { .. }
            | ExprKind::OperatorSection(_)
            | ExprKind::LeftSection { .. }
            | ExprKind::RightSection { .. }
            | ExprKind::PathSection(_) => true,
            ExprKind::Constructor { arguments, .. } => arguments.is_empty(),
            ExprKind::Attr { .. }
            | ExprKind::Negate(_)
            | ExprKind::Not(_)
            | ExprKind::Assert { .. }
            | ExprKind::Update { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Ascribe { .. }
            | ExprKind::Coerce { .. }
            | ExprKind::Apply { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Range { .. }
            | ExprKind::Let { .. }
            | ExprKind::If { .. }
            | ExprKind::Loop(_)
            | ExprKind::Match { .. } => false,
        };
        if bare { self.expr(expr) } else { self.in_parentheses(|p| p.expr(expr)) }
    }

    pub(super) fn arguments(&mut self, arguments: &[Expr]) {
        for argument in arguments {
            self.put(" ");
            self.atom(argument);
        }
    }

    pub(super) fn range(&mut self, start: &Expr, second: Option<&Expr>, bound: RangeBound, end: &Expr) {
        self.atom(start);
        if let Some(second) = second {
            self.put(" .. ");
            self.atom(second);
        }
        self.put(match bound {
            RangeBound::Inclusive => " ... ",
            RangeBound::Below => " ..< ",
            RangeBound::Above => " ..> ",
        });
        self.atom(end);
    }

    pub(super) fn let_expr(&mut self, bindings: &[LetBinding], body: &Expr) {
        for binding in bindings {
            self.put("let ");
            match &binding.kind {
                LetKind::Pattern { sizes, pattern, value } => {
                    for &size in sizes {
                        self.put("[");
                        self.name(size);
                        self.put("] ");
                    }
                    self.pat(pattern);
                    self.put(" = ");
                    self.expr(value);
                }
                LetKind::Function(function) => {
                    self.name(function.name.name);
                    let result = function.result.as_ref();
                    self.function_rest(&function.type_params, &function.params, result, &function.body);
                }
                LetKind::Update { name, path, value } => {
                    self.name(name.name);
                    self.path(path);
                    self.put(" = ");
                    self.expr(value);
                }
            }
            self.put("\n");
        }
        self.put("in ");
        match body.kind {
            ExprKind::Let { .. } => self.in_parentheses(|p| p.expr(body)),
            _ => self.expr(body),
        }
    }

    pub(super) fn loop_expr(&mut self, it: &LoopExpr) {
        self.put("loop ");
        self.pat(&it.pattern);
        if let Some(initial) = &it.initial {
            self.put(" = ");
            self.expr(initial);
        }
        match &it.form {
            LoopForm::For { index, bound } => {
                self.put(" for ");
                self.name(index.name);
                self.put(" < ");
                self.expr(bound);
            }
            LoopForm::ForIn { pattern, array } => {
                self.put(" for ");
                self.pat(pattern);
                self.put(" in ");
                self.expr(array);
            }
            LoopForm::While(condition) => {
                self.put(" while ");
                self.expr(condition);
            }
        }
        self.put(" do ");
        self.expr(&it.body);
    }

    /// Prints a path such as `.x[i].y`, with a dot before every field.
    pub(super) fn path(&mut self, path: &[PathStep]) {
        for step in path {
            match step {
                PathStep::Index(slice) => self.slice(slice),
                PathStep::Field(field) => {
                    self.put(".");
                    self.name(*field);
                }
            }
        }
    }

    pub(super) fn slice(&mut self, slice: &[DimIndex]) {
        self.list("[", slice, "]", |p, index| match &index.kind {
            DimIndexKind::Fix(index) => p.atom(index),
            DimIndexKind::Slice { start, end, stride } => {
                if let Some(start) = start {
                    p.atom(start);
                }
                p.put(":");
                if let Some(end) = end {
                    p.atom(end);
                }
                if let Some(stride) = stride {
                    p.put(":");
                    p.atom(stride);
                }
            }
        });
    }
}
