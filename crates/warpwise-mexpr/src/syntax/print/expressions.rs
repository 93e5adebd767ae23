//! Printing of expressions.

use crate::syntax::ast::{Expr, ExprKind, Ident, Parameter, Test};

use super::Printer;

impl Printer<'_> {
    /// Prints an expression in a position that allows any expression.
    pub(super) fn expression(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Lambda(parameters, body) => {
                self.parameters(parameters);
                self.expression(body);
            }
            ExprKind::Choice(tests, otherwise) => {
                tests.iter().for_each(|test| self.test(test));
                self.expression(otherwise);
            }
            ExprKind::Switch(scrutinee, cases) => {
                self.put("switch ");
                self.expression(scrutinee);
                for (pattern, body) in cases {
                    self.put(" case ");
                    self.pattern(pattern);
                    self.put(" then ");
                    self.expression(body);
                }
                self.put(" end");
            }
            ExprKind::Block(decls, result) => {
                self.indent += 1;
                for decl in decls {
                    self.line();
                    self.local_decl(decl);
                }
                self.line();
                self.expression(result);
                self.indent -= 1;
            }
            _ => self.application(expr),
        }
    }

    /// Prints an expression that must not be open to the right.
    pub(super) fn application(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Apply(function, arguments) => {
                match function.kind {
                    ExprKind::Construct(..) => self.application(function),
                    _ => self.atom(function),
                }
                for argument in arguments {
                    self.put(" ");
                    self.atom(argument);
                }
            }
            ExprKind::Construct(constructor, held) => {
                self.constructor(*constructor);
                self.put(" ");
                self.atom(held);
            }
            _ => self.atom(expr),
        }
    }

    fn atom(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(name) => self.variable(*name),
            ExprKind::Frozen(name) => {
                self.put("#frozen");
                let text = self.names.text(*name);
                self.quoted(text);
            }
            ExprKind::Int(value) => self.put(&value.to_string()),
            ExprKind::Float(value) if value.is_infinite() => {
                self.put(if *value > 0.0 { "1e999" } else { "-1e999" });
            }
            ExprKind::Float(value) => self.put(&format!("{value:?}")),
            ExprKind::Char(value) => self.character(*value),
            ExprKind::String(value) => self.quoted(value),
            ExprKind::Bool(value) => self.put(if *value { "true" } else { "false" }),
            ExprKind::Never => self.put("never"),
            ExprKind::Tuple(items) => {
                self.put("(");
                self.list(items, ", ", Self::expression);
                self.put(if items.len() == 1 { ",)" } else { ")" });
            }
            ExprKind::Record(fields) => {
                self.put("{");
                self.fields(fields);
                self.put("}");
            }
            ExprKind::Update(record, fields) => {
                self.put("{");
                self.expression(record);
                self.put(" with ");
                self.fields(fields);
                self.put("}");
            }
            ExprKind::Project(value, path) => {
                let apart = matches!(value.kind, ExprKind::Project(..) | ExprKind::Int(_));
                self.parenthesised(apart, |printer| printer.atom(value));
                for label in path {
                    self.put(".");
                    self.step(*label);
                }
            }
            ExprKind::Seq(items) => {
                self.put("[");
                self.list(items, ", ", Self::expression);
                self.put("]");
            }
            ExprKind::Apply(..)
            | ExprKind::Construct(..)
            | ExprKind::Lambda(..)
            | ExprKind::Choice(..)
            | ExprKind::Switch(..)
            | ExprKind::Block(..) => self.parenthesised(true, |printer| printer.expression(expr)),
        }
    }

    fn step(&mut self, label: Ident) {
        let text = self.names.text(label.name);
        if text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<i64>().is_ok() {
            self.put(text);
        } else {
            self.label(label);
        }
    }

    fn fields(&mut self, fields: &[(Ident, Expr)]) {
        self.list(fields, ", ", |printer, (label, value)| {
            printer.label(*label);
            printer.put(" = ");
            printer.expression(value);
        });
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        for parameter in parameters {
            self.put("lam");
            if let Some(name) = parameter.name {
                self.put(" ");
                self.variable(name.name);
            }
            if let Some(ty) = &parameter.ty {
                self.put(" : ");
                self.ty(ty);
            }
            self.put(". ");
        }
    }

    fn test(&mut self, test: &Test) {
        match &test.pattern {
            None => {
                self.put("if ");
                self.expression(&test.scrutinee);
            }
            Some(pattern) => {
                self.put("match ");
                self.expression(&test.scrutinee);
                self.put(" with ");
                self.pattern(pattern);
            }
        }
        self.put(" then ");
        self.expression(&test.then);
        self.put(" else ");
    }
}
