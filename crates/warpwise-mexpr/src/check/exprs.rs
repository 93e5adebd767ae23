//! Expressions and definitions.

use warpwise_diag::{Diagnostic, Span};

use crate::reachable::is_pure;
use crate::syntax::names::Symbol;
use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, Parameter, Test, Utest, VarId};

use super::types::{Node, Ty, Types};
use super::{Checker, Place};

impl Checker<'_> {
    /// Finds the type of an expression.
    pub(super) fn expr(&mut self, expr: &mut Expr) -> Ty {
        self.expr_for(expr, None)
    }

    /// Finds the type of an expression. The type `expected`, if there is one, gives functions the types of parameters that cannot
    /// be inferred otherwise; it is not demanded here.
    fn expr_for(&mut self, expr: &mut Expr, expected: Option<Ty>) -> Ty {
        let span = expr.span;
        let ty = match &mut expr.kind {
            ExprKind::Var(var) => {
                let ty = self.var_type(*var);
                self.instance(ty)
            }
            ExprKind::Frozen(var) => self.var_type(*var),
            ExprKind::Builtin(builtin) => {
                let ty = self.builtins[*builtin as usize];
                self.instance(ty)
            }
            ExprKind::Int(_) => Types::INT,
            ExprKind::Float(_) => Types::FLOAT,
            ExprKind::Char(_) => Types::CHAR,
            ExprKind::Bool(_) => Types::BOOL,
            // `""` and `[]` are the same sequence.
            ExprKind::String(text) => {
                let element = if text.is_empty() { self.fresh() } else { Types::CHAR };
                self.types().seq(element)
            }
            ExprKind::Never => self.fresh(),
            ExprKind::Apply(function, arguments) => self.apply(function, arguments),
            ExprKind::Lambda(parameters, body) => self.lambda(parameters, body, expected),
            ExprKind::Construct(con, held) => {
                let ty = self.cons[con.0 as usize];
                let ty = self.instance(ty);
                let found = self.expr(held);
                match *self.typing.types.node(ty) {
                    Node::Arrow(from, to) => {
                        self.demand(from, found, held.span, "what this constructor holds");
                        to
                    }
                    _ => ty,
                }
            }
            ExprKind::Choice(tests, otherwise) => self.choice(tests, otherwise, expected),
            ExprKind::Record(fields) => {
                let fields: Vec<_> =
                    fields.iter_mut().map(|(label, value)| (*label, self.expr(value))).collect();
                if fields.is_empty() { Types::UNIT } else { self.types().record(fields) }
            }
            ExprKind::Update(record, fields) => self.update(record, fields),
            ExprKind::Project(record, label) => {
                let record_ty = self.expr(record);
                self.field(record_ty, *label, span)
            }
            ExprKind::Seq(items) => {
                let element = self.fresh();
                for item in items.iter_mut() {
                    let found = self.expr(item);
                    self.demand(element, found, item.span, "this element");
                }
                self.types().seq(element)
            }
            ExprKind::Block(decls, result) => {
                decls.iter_mut().for_each(|decl| self.decl(decl));
                self.expr_for(result, expected)
            }
            ExprKind::Accelerate(inner) => self.expr(inner),
        };
        expr.ty = ty;
        ty
    }

    fn var_type(&mut self, var: VarId) -> Ty {
        let ty = self.typing.vars[var.0 as usize];
        if ty != Ty::UNCHECKED {
            return ty;
        }
        // A variable without a type lost it to an earlier error.
        let ty = self.fresh();
        self.typing.vars[var.0 as usize] = ty;
        ty
    }

    fn apply(&mut self, function: &mut Expr, arguments: &mut [Expr]) -> Ty {
        let mut ty = self.expr(function);
        for (index, argument) in arguments.iter_mut().enumerate() {
            ty = self.instance(ty);
            let node = self.typing.types.node(ty).clone();
            let expected = if let Node::Arrow(from, _) = node { Some(from) } else { None };
            let found = self.expr_for(argument, expected);
            // The argument may have determined the type of the function.
            match *self.typing.types.node(ty) {
                Node::Arrow(from, to) => {
                    self.demand(from, found, argument.span, "this argument");
                    ty = to;
                }
                Node::Meta(_) => {
                    let to = self.fresh();
                    let arrow = self.types().arrow(found, to);
                    self.demand(ty, arrow, function.span, "this function");
                    ty = to;
                }
                _ => {
                    let shown = self.show(ty);
                    let error = if index == 0 {
                        let message =
                            format!("this is applied, but it is no function: it has type `{shown}`");
                        Diagnostic::error("M0304", function.span, message)
                    } else {
                        let plural = if index == 1 { "" } else { "s" };
                        let message = format!("this function takes only {index} argument{plural}");
                        Diagnostic::error("M0304", argument.span, message)
                            .label(function.span, format!("with them it gives `{shown}`"))
                    };
                    self.error(error);
                    ty = self.fresh();
                }
            }
        }
        ty
    }

    fn lambda(&mut self, parameters: &mut [Parameter], body: &mut Expr, mut expected: Option<Ty>) -> Ty {
        let mut types = Vec::new();
        for parameter in parameters.iter() {
            let from;
            (from, expected) = match expected.map(|ty| self.typing.types.node(ty)) {
                Some(Node::Arrow(from, to)) => (Some(*from), Some(*to)),
                _ => (None, None),
            };
            let ty = match (&parameter.ty, from) {
                (Some(ty), _) => self.written(ty),
                (None, Some(from)) if has_all(&self.typing.types, from) => from,
                (None, _) => self.fresh(),
            };
            self.typing.vars[parameter.var.0 as usize] = ty;
            types.push(ty);
        }
        let result = self.expr_for(body, expected);
        types.into_iter().rev().fold(result, |to, from| self.types().arrow(from, to))
    }

    fn choice(&mut self, tests: &mut [Test], otherwise: &mut Expr, expected: Option<Ty>) -> Ty {
        let result = self.fresh();
        for test in tests.iter_mut() {
            let found = self.expr(&mut test.scrutinee);
            self.pat(&mut test.pattern, found);
            let found = self.expr_for(&mut test.then, expected);
            self.demand(result, found, test.then.span, "this alternative");
        }
        let found = self.expr_for(otherwise, expected);
        self.demand(result, found, otherwise.span, "this alternative");
        result
    }

    fn update(&mut self, record: &mut Expr, fields: &mut [(Symbol, Expr)]) -> Ty {
        let ty = self.expr(record);
        for (label, value) in fields {
            let wanted = self.field(ty, *label, record.span);
            let found = self.expr(value);
            self.demand(wanted, found, value.span, "the new value of this field");
        }
        ty
    }

    fn field(&mut self, record: Ty, label: Symbol, span: Span) -> Ty {
        let level = self.level;
        match self.types().field(record, label, level) {
            Ok(ty) => self.instance(ty),
            Err(clash) => {
                let message = self.describe(clash);
                self.error(Diagnostic::error("M0302", span, message));
                self.fresh()
            }
        }
    }

    /// Checks a definition at the top of a file.
    pub(super) fn top_decl(&mut self, decl: &mut Decl) {
        if let DeclKind::Let(binding) = &decl.kind {
            self.place = Place::Definition(binding.var);
        }
        match &mut decl.kind {
            DeclKind::Recursive(bindings) => self.recursive(bindings, true),
            _ => self.decl(decl),
        }
        self.place = Place::Run;
    }

    fn decl(&mut self, decl: &mut Decl) {
        match &mut decl.kind {
            DeclKind::Let(binding) => self.binding(binding),
            DeclKind::Recursive(bindings) => self.recursive(bindings, false),
            DeclKind::External(var, ty, _) => self.typing.vars[var.0 as usize] = self.written(ty),
            DeclKind::Utest(utest) => self.utest(utest),
            DeclKind::Do(value) => {
                self.expr(value);
            }
            DeclKind::Match(value, pattern) => {
                let found = self.expr(value);
                self.pat(pattern, found);
            }
        }
    }

    fn binding(&mut self, binding: &mut Binding) {
        self.level += 1;
        let ty = match &binding.ty {
            Some(written) => self.typed_body(&written.clone(), &mut binding.body),
            None => self.expr(&mut binding.body),
        };
        self.level -= 1;
        self.refuse_too_large(result_span(&binding.body));
        if binding.ty.is_some() || is_pure(&binding.body) {
            self.generalise(binding.var, ty);
        } else {
            self.settle(ty);
            self.typing.vars[binding.var.0 as usize] = ty;
        }
    }

    /// Checks a value against its written type; returns that type.
    fn typed_body(&mut self, written: &crate::tree::Type, body: &mut Expr) -> Ty {
        let ty = self.written(written);
        let inside = self.opened(ty);
        let found = self.expr_for(body, Some(inside));
        self.demand(inside, found, result_span(body), "this definition");
        ty
    }

    fn recursive(&mut self, bindings: &mut [Binding], is_top: bool) {
        self.level += 1;
        for binding in bindings.iter() {
            let ty = match &binding.ty {
                Some(written) => self.written(written),
                None => self.fresh(),
            };
            self.typing.vars[binding.var.0 as usize] = ty;
        }
        for binding in bindings.iter_mut() {
            if is_top {
                self.place = Place::Definition(binding.var);
            }
            let ty = self.typing.vars[binding.var.0 as usize];
            let inside = self.opened(ty);
            let found = self.expr_for(&mut binding.body, Some(inside));
            self.demand(inside, found, result_span(&binding.body), "this definition");
        }
        self.level -= 1;
        if let Some(last) = bindings.last() {
            self.refuse_too_large(result_span(&last.body));
        }
        let bound: Vec<_> =
            bindings.iter().map(|binding| (binding.var, self.typing.vars[binding.var.0 as usize])).collect();
        self.generalise_all(&bound);
    }

    fn utest(&mut self, utest: &mut Utest) {
        let actual = self.expr(&mut utest.actual);
        let expected = self.expr(&mut utest.expected);
        match &mut utest.using {
            None => {
                self.demand(actual, expected, utest.expected.span, "the expected value");
            }
            Some(using) => {
                let found = self.expr(using);
                let wanted = self.types().arrow(expected, Types::BOOL);
                let wanted = self.types().arrow(actual, wanted);
                self.demand(wanted, found, using.span, "this comparison");
            }
        }
        if let Some(otherwise) = &mut utest.otherwise {
            let found = self.expr(otherwise);
            let text = self.types().seq(Types::CHAR);
            let wanted = self.types().arrow(expected, text);
            let wanted = self.types().arrow(actual, wanted);
            self.demand(wanted, found, otherwise.span, "what makes the message");
        }
    }
}

/// Returns whether a type contains a general type.
fn has_all(types: &Types, ty: Ty) -> bool {
    matches!(types.node(ty), Node::All(..)) || types.parts(ty).into_iter().any(|part| has_all(types, part))
}

/// Returns the span of the expression that yields the value, past definitions.
pub(super) fn result_span(expr: &Expr) -> Span {
    match &expr.kind {
        ExprKind::Block(_, result) => result_span(result),
        _ => expr.span,
    }
}
