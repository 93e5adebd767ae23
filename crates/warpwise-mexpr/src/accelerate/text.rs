//! Programs as text, with a distinct name for every variable.
//!
//! A name that several variables share, or that a built-in has, gets a number: `x`, `x_1`, `x_2`. Written types and the
//! definitions of types and constructors are left out.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Span;

use crate::builtins::{self, Kind};
use crate::compile::Checked;
use crate::syntax::ast::{self, Ident, TypeExpr, TypeKind};
use crate::syntax::names::{Names, Symbol};
use crate::syntax::print::print_program;
use crate::tree::{Decl, DeclKind, Expr, ExprKind, Pat, PatKind, VarId};

/// Returns definitions and an expression as text.
pub fn text(checked: &Checked, decls: &[Decl], main: Option<&Expr>) -> String {
    let visible = builtins::ALL.iter().filter(|builtin| builtin.kind() != Kind::External);
    let mut writer = Writer {
        checked,
        names: checked.names.clone(),
        chosen: FxHashMap::default(),
        taken: visible.map(|builtin| builtin.name().to_string()).collect(),
    };
    let decls = decls.iter().map(|decl| writer.decl(decl)).collect();
    let main = main.map(|main| writer.expr(main));
    print_program(&ast::Program { includes: Vec::new(), decls, main }, &writer.names)
}

struct Writer<'a> {
    checked: &'a Checked,
    names: Names,
    chosen: FxHashMap<VarId, Symbol>,
    taken: FxHashSet<String>,
}

impl Writer<'_> {
    fn var(&mut self, var: VarId) -> Symbol {
        if let Some(name) = self.chosen.get(&var) {
            return *name;
        }
        let wanted = self.checked.names.text(self.checked.program.vars[var.0 as usize].name);
        let wanted = if wanted == "_" { "unused" } else { wanted };
        let numbered = (1..).map(|number| format!("{wanted}_{number}"));
        let free =
            std::iter::once(wanted.to_string()).chain(numbered).find(|name| !self.taken.contains(name));
        let name = free.unwrap_or_default();
        let symbol = self.names.intern(&name);
        self.taken.insert(name);
        self.chosen.insert(var, symbol);
        symbol
    }

    fn ident(&mut self, var: VarId) -> Ident {
        ident(self.var(var))
    }

    fn decl(&mut self, decl: &Decl) -> ast::Decl {
        let kind = match &decl.kind {
            DeclKind::Let(binding) => ast::DeclKind::Let(self.binding(binding)),
            DeclKind::Recursive(bindings) => {
                bindings.iter().for_each(|binding| {
                    self.var(binding.var);
                });
                ast::DeclKind::Recursive(bindings.iter().map(|binding| self.binding(binding)).collect())
            }
            DeclKind::External(var, ..) => {
                let ty = TypeExpr { kind: TypeKind::Unknown, span: Span::NONE };
                ast::DeclKind::External(ast::External { name: self.ident(*var), effect: false, ty })
            }
            DeclKind::Utest(utest) => ast::DeclKind::Utest(Box::new(ast::Utest {
                actual: self.expr(&utest.actual),
                expected: self.expr(&utest.expected),
                using: utest.using.as_ref().map(|using| self.expr(using)),
                otherwise: utest.otherwise.as_ref().map(|otherwise| self.expr(otherwise)),
            })),
            DeclKind::Do(value) => ast::DeclKind::Do(self.expr(value)),
            DeclKind::Match(value, pattern) => {
                let value = self.expr(value);
                ast::DeclKind::Match(Box::new((value, self.pattern(pattern))))
            }
        };
        ast::Decl { kind, span: decl.span }
    }

    fn binding(&mut self, binding: &crate::tree::Binding) -> ast::Binding {
        let body = self.expr(&binding.body);
        ast::Binding { name: self.ident(binding.var), ty: None, body }
    }

    fn boxed(&mut self, expr: &Expr) -> Box<ast::Expr> {
        Box::new(self.expr(expr))
    }

    fn exprs(&mut self, exprs: &[Expr]) -> Vec<ast::Expr> {
        exprs.iter().map(|expr| self.expr(expr)).collect()
    }

    fn fields(&mut self, fields: &[(Symbol, Expr)]) -> Vec<(Ident, ast::Expr)> {
        fields.iter().map(|(label, value)| (ident(*label), self.expr(value))).collect()
    }

    fn expr(&mut self, expr: &Expr) -> ast::Expr {
        let kind = match &expr.kind {
            ExprKind::Var(var) => ast::ExprKind::Var(self.var(*var)),
            ExprKind::Frozen(var) => ast::ExprKind::Frozen(self.var(*var)),
            ExprKind::Builtin(builtin) => ast::ExprKind::Var(self.names.intern(builtin.name())),
            ExprKind::Int(value) => ast::ExprKind::Int(*value),
            ExprKind::Float(value) => ast::ExprKind::Float(*value),
            ExprKind::Char(value) => ast::ExprKind::Char(*value),
            ExprKind::Bool(value) => ast::ExprKind::Bool(*value),
            ExprKind::String(value) => ast::ExprKind::String(value.to_string()),
            ExprKind::Never => ast::ExprKind::Never,
            ExprKind::Apply(function, arguments) => {
                ast::ExprKind::Apply(self.boxed(function), self.exprs(arguments))
            }
            ExprKind::Lambda(parameters, body) => {
                let parameters = parameters
                    .iter()
                    .map(|parameter| ast::Parameter { name: Some(self.ident(parameter.var)), ty: None })
                    .collect();
                ast::ExprKind::Lambda(parameters, self.boxed(body))
            }
            ExprKind::Construct(con, held) => {
                let name = ident(self.checked.program.cons[con.0 as usize].name.name);
                ast::ExprKind::Construct(name, self.boxed(held))
            }
            ExprKind::Choice(tests, otherwise) => self.choice(tests, otherwise),
            ExprKind::Record(fields) => match self.tuple(fields) {
                Some(items) => ast::ExprKind::Tuple(items),
                None => ast::ExprKind::Record(self.fields(fields)),
            },
            ExprKind::Update(record, fields) => {
                ast::ExprKind::Update(self.boxed(record), self.fields(fields))
            }
            ExprKind::Project(record, label) => {
                ast::ExprKind::Project(self.boxed(record), vec![ident(*label)])
            }
            ExprKind::Seq(items) => ast::ExprKind::Seq(self.exprs(items)),
            ExprKind::Block(decls, result) => {
                let decls = decls.iter().map(|decl| self.decl(decl)).collect();
                ast::ExprKind::Block(decls, self.boxed(result))
            }
            ExprKind::Accelerate(inner) => {
                let word = ast::ExprKind::Var(self.names.intern("accelerate"));
                let word = ast::Expr { kind: word, span: expr.span };
                ast::ExprKind::Apply(Box::new(word), vec![self.expr(inner)])
            }
        };
        ast::Expr { kind, span: expr.span }
    }

    fn choice(&mut self, tests: &[crate::tree::Test], otherwise: &Expr) -> ast::ExprKind {
        let tests = tests.iter().map(|test| ast::Test {
            scrutinee: self.expr(&test.scrutinee),
            pattern: match test.pattern.kind {
                PatKind::Bool(true) => None,
                _ => Some(self.pattern(&test.pattern)),
            },
            then: self.expr(&test.then),
        });
        let tests = tests.collect();
        ast::ExprKind::Choice(tests, self.boxed(otherwise))
    }

    /// Returns the components of a tuple; `None` if the labels are not 0, 1, ... in order.
    fn tuple(&mut self, fields: &[(Symbol, Expr)]) -> Option<Vec<ast::Expr>> {
        let is_tuple =
            fields.iter().enumerate().all(|(index, (label, _))| self.names.text(*label) == index.to_string());
        is_tuple.then(|| fields.iter().map(|(_, value)| self.expr(value)).collect())
    }

    fn pattern(&mut self, pattern: &Pat) -> ast::Pat {
        let kind = match &pattern.kind {
            PatKind::Wildcard => ast::PatKind::Wildcard,
            PatKind::Var(var) => ast::PatKind::Name(self.var(*var)),
            PatKind::Int(value) => ast::PatKind::Int(*value),
            PatKind::Char(value) => ast::PatKind::Char(*value),
            PatKind::Bool(value) => ast::PatKind::Bool(*value),
            PatKind::Record(fields) => {
                let fields = fields.iter().map(|(label, pattern)| (ident(*label), self.pattern(pattern)));
                ast::PatKind::Record(fields.collect())
            }
            PatKind::Construct(con, held) => {
                let name = ident(self.checked.program.cons[con.0 as usize].name.name);
                ast::PatKind::Construct(name, Box::new(self.pattern(held)))
            }
            PatKind::Seq(items) => ast::PatKind::Seq(self.row(items)),
            PatKind::Edge(first, middle, last) => {
                let first = self.row(first);
                let middle = match middle {
                    Some(var) => ast::PatKind::Name(self.var(*var)),
                    None => ast::PatKind::Wildcard,
                };
                let middle = Box::new(ast::Pat { kind: middle, span: pattern.span });
                ast::PatKind::Edge(first, middle, self.row(last))
            }
            PatKind::And(left, right) => {
                let left = Box::new(self.pattern(left));
                ast::PatKind::And(left, Box::new(self.pattern(right)))
            }
            PatKind::Or(left, right) => {
                let left = Box::new(self.pattern(left));
                ast::PatKind::Or(left, Box::new(self.pattern(right)))
            }
            PatKind::Not(inner) => ast::PatKind::Not(Box::new(self.pattern(inner))),
        };
        ast::Pat { kind, span: pattern.span }
    }

    fn row(&mut self, items: &[Pat]) -> ast::SeqPat {
        ast::SeqPat::List(items.iter().map(|item| self.pattern(item)).collect())
    }
}

fn ident(name: Symbol) -> Ident {
    Ident { name, span: Span::NONE }
}
