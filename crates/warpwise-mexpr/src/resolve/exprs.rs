//! Expressions.

use warpwise_diag::{Diagnostic, Span};

use crate::builtins::Builtin;
use crate::syntax::ast::{self, ExprKind};
use crate::syntax::names::Symbol;
use crate::tree::{self, Decl, DeclKind, Expr, Pat, PatKind};

use super::{Resolver, Value};

impl Resolver<'_> {
    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        let kind = match &expr.kind {
            ExprKind::Var(name) => {
                let word = self.accelerated(*name, expr.span, &[]);
                return word.unwrap_or_else(|| self.var(*name, expr.span));
            }
            ExprKind::Frozen(name) => match self.values.get(*name) {
                Some(Value::Var(var)) => tree::ExprKind::Frozen(var),
                _ => return self.var(*name, expr.span),
            },
            ExprKind::Int(value) => tree::ExprKind::Int(*value),
            ExprKind::Float(value) => tree::ExprKind::Float(*value),
            ExprKind::Char(value) => tree::ExprKind::Char(*value),
            ExprKind::String(value) => tree::ExprKind::String(value.as_str().into()),
            ExprKind::Bool(value) => tree::ExprKind::Bool(*value),
            ExprKind::Never => tree::ExprKind::Never,
            ExprKind::Apply(function, arguments) => return self.apply(function, arguments, expr.span),
            ExprKind::Construct(name, held) => {
                let held = Box::new(self.expr(held));
                match self.cons.get(name.name) {
                    Some(con) => tree::ExprKind::Construct(con, held),
                    None => {
                        self.unbound("M0204", "constructor", name.name, name.span, |resolver| &resolver.cons);
                        tree::ExprKind::Never
                    }
                }
            }
            ExprKind::Lambda(parameters, body) => self.lambda(parameters, body, expr.span),
            ExprKind::Choice(tests, otherwise) => {
                let tests = tests.iter().map(|test| self.test(test)).collect();
                tree::ExprKind::Choice(tests, Box::new(self.expr(otherwise)))
            }
            ExprKind::Switch(scrutinee, cases) => self.switch(scrutinee, cases, expr.span),
            ExprKind::Tuple(items) => {
                let fields = items.iter().enumerate();
                tree::ExprKind::Record(
                    fields.map(|(index, item)| (self.index_label(index), self.expr(item))).collect(),
                )
            }
            ExprKind::Record(fields) => tree::ExprKind::Record(self.fields(fields)),
            ExprKind::Update(record, fields) => {
                let record = Box::new(self.expr(record));
                tree::ExprKind::Update(record, self.fields(fields))
            }
            ExprKind::Project(value, path) => {
                let value = self.expr(value);
                return path.iter().fold(value, |value, label| {
                    let span = value.span.to(label.span);
                    Expr::new(span, tree::ExprKind::Project(Box::new(value), label.name))
                });
            }
            ExprKind::Seq(items) => tree::ExprKind::Seq(items.iter().map(|item| self.expr(item)).collect()),
            ExprKind::Block(decls, result) => {
                return self.scoped(|resolver| {
                    let decls = resolver.decls(decls);
                    let result = resolver.expr(result);
                    if decls.is_empty() {
                        // `use`, `type` and `con` leave no definitions; a function after them stays a function.
                        return result;
                    }
                    Expr::new(expr.span, tree::ExprKind::Block(decls, Box::new(result)))
                });
            }
        };
        Expr::new(expr.span, kind)
    }

    fn is_inline(&self, name: Symbol) -> bool {
        matches!(self.values.get(name), Some(Value::Builtin(Builtin::InlineFuthark)))
    }

    /// Reports an `inlineFuthark` without its text: the text must be written at the use.
    fn bare_inline(&mut self, span: Span) {
        let message = "`inlineFuthark` takes its text as a string that is written right there";
        self.error(Diagnostic::error("M0217", span, message).hint("write `inlineFuthark \"f64.sin\"`"));
    }

    fn var(&mut self, name: Symbol, span: Span) -> Expr {
        if self.is_inline(name) {
            self.bare_inline(span);
        }
        self.known_var(name, span)
    }

    fn known_var(&mut self, name: Symbol, span: Span) -> Expr {
        let kind = match self.values.get(name) {
            Some(Value::Var(var)) => tree::ExprKind::Var(var),
            Some(Value::Builtin(builtin)) => tree::ExprKind::Builtin(builtin),
            None => {
                self.unbound("M0201", "variable", name, span, |resolver| &resolver.values);
                tree::ExprKind::Never
            }
        };
        Expr::new(span, kind)
    }

    fn apply(&mut self, function: &ast::Expr, arguments: &[ast::Expr], span: Span) -> Expr {
        if let ExprKind::Var(name) = function.kind
            && let Some(accelerated) = self.accelerated(name, span, arguments)
        {
            return accelerated;
        }
        if let ExprKind::Var(name) = function.kind
            && self.is_inline(name)
            && !matches!(arguments.first().map(|text| &text.kind), Some(ExprKind::String(_)))
        {
            self.bare_inline(function.span);
        }
        let function = Box::new(match function.kind {
            ExprKind::Var(name) => self.known_var(name, function.span),
            _ => self.expr(function),
        });
        let arguments = arguments.iter().map(|argument| self.expr(argument)).collect();
        Expr::new(span, tree::ExprKind::Apply(function, arguments))
    }

    /// Resolves `accelerate` with its argument; `None` for any other name.
    fn accelerated(&mut self, name: Symbol, span: Span, arguments: &[ast::Expr]) -> Option<Expr> {
        if self.values.get(name).is_some() || self.text(name) != "accelerate" {
            return None;
        }
        let [argument] = arguments else {
            let message = format!("`accelerate` takes 1 argument at once, and {} are given", arguments.len());
            let hint = "to pass it on, write a function: `lam x. accelerate ...`";
            self.error(Diagnostic::error("M0205", span, message).hint(hint));
            return Some(Expr::new(span, tree::ExprKind::Never));
        };
        let accelerated = Box::new(self.expr(argument));
        Some(Expr::new(span, tree::ExprKind::Accelerate(accelerated)))
    }

    fn lambda(&mut self, parameters: &[ast::Parameter], body: &ast::Expr, span: Span) -> tree::ExprKind {
        self.scoped(|resolver| {
            let mut resolved = Vec::new();
            for parameter in parameters {
                let ty = parameter.ty.as_ref().map(|ty| resolver.ty(ty));
                let var = match parameter.name {
                    Some(name) => resolver.bind(name.name, name.span),
                    None => {
                        let nothing = resolver.names.intern("_");
                        resolver.fresh_var(nothing, span)
                    }
                };
                resolved.push(tree::Parameter { var, ty });
            }
            tree::ExprKind::Lambda(resolved, Box::new(resolver.expr(body)))
        })
    }

    fn test(&mut self, test: &ast::Test) -> tree::Test {
        let scrutinee = self.expr(&test.scrutinee);
        self.scoped(|resolver| {
            let pattern = match &test.pattern {
                Some(pattern) => resolver.pattern(pattern),
                None => Pat { kind: PatKind::Bool(true), span: scrutinee.span, ty: scrutinee.ty },
            };
            tree::Test { scrutinee, pattern, then: resolver.expr(&test.then) }
        })
    }

    /// Resolves a `switch`: the scrutinee is computed once, and tested case by case.
    fn switch(
        &mut self,
        scrutinee: &ast::Expr,
        cases: &[(ast::Pat, ast::Expr)],
        span: Span,
    ) -> tree::ExprKind {
        let body = self.expr(scrutinee);
        let place = body.span;
        let name = self.names.intern("switched");
        let var = self.fresh_var(name, place);
        let tests = cases.iter().map(|(pattern, then)| {
            self.scoped(|resolver| {
                let scrutinee = Expr::new(place, tree::ExprKind::Var(var));
                let pattern = resolver.pattern(pattern);
                tree::Test { scrutinee, pattern, then: resolver.expr(then) }
            })
        });
        let tests = tests.collect::<Vec<_>>();
        let never = Expr::new(span, tree::ExprKind::Never);
        let kind = if tests.is_empty() {
            tree::ExprKind::Never
        } else {
            tree::ExprKind::Choice(tests, Box::new(never))
        };
        let decl = Decl { kind: DeclKind::Let(tree::Binding { var, ty: None, body }), span: place };
        tree::ExprKind::Block(vec![decl], Box::new(Expr::new(span, kind)))
    }

    fn fields(&mut self, fields: &[(ast::Ident, ast::Expr)]) -> Vec<(Symbol, Expr)> {
        self.check_labels(fields.iter().map(|(label, _)| *label));
        fields.iter().map(|(label, value)| (label.name, self.expr(value))).collect()
    }

    /// Returns the label of a tuple's component.
    pub(super) fn index_label(&mut self, index: usize) -> Symbol {
        self.names.intern(&index.to_string())
    }
}
