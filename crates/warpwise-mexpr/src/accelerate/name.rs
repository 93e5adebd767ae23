//! Naming of accelerated expressions and of anonymous functions.
//!
//! ```text
//! accelerate (map (lam x. addi x c) s)
//! ```
//! becomes
//! ```text
//! let accelerated = lam _.
//!   let function = lam x. addi x c in
//!   map function s in
//! accelerated ()
//! ```
//! The parameter delays the computation of an expression without free variables from the definition to the use; lifting drops it
//! if there are other parameters. The expression of a `let` already has a name.

use warpwise_diag::Span;

use crate::check::types::{Ty, Types};
use crate::compile::Checked;
use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, Name, Parameter, VarId};

/// An accelerated expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Variable of the expression's function.
    pub var: VarId,
    /// Source position of `accelerate`.
    pub span: Span,
}

/// Names accelerated expressions and functions; returns the accelerated expressions in the order of their positions.
pub fn name(checked: &mut Checked) -> Vec<Entry> {
    let mut decls = std::mem::take(&mut checked.program.decls);
    let mut main = checked.program.main.take();
    let mut namer = Namer { checked, entries: Vec::new() };
    for decl in &mut decls {
        namer.decl(decl);
    }
    if let Some(main) = &mut main {
        namer.expr(main);
    }
    let entries = namer.entries;
    (checked.program.decls, checked.program.main) = (decls, main);
    entries
}

impl Checked {
    /// Makes a new variable.
    pub fn fresh(&mut self, name: &str, span: Span, ty: Ty) -> VarId {
        let name = self.names.intern(name);
        self.program.vars.push(Name { name, span });
        self.typing.vars.push(ty);
        VarId(self.program.vars.len() as u32 - 1)
    }
}

struct Namer<'a> {
    checked: &'a mut Checked,
    entries: Vec<Entry>,
}

impl Namer<'_> {
    fn decl(&mut self, decl: &mut Decl) {
        match &mut decl.kind {
            DeclKind::Let(binding) => self.bound(&mut binding.body),
            DeclKind::Recursive(bindings) => {
                bindings.iter_mut().for_each(|binding| self.bound(&mut binding.body));
            }
            DeclKind::External(..) | DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => {
                decl.children_mut().into_iter().for_each(|expr| self.expr(expr));
            }
        }
    }

    /// Visits the value of a definition: if it is a function, it already has a name.
    fn bound(&mut self, body: &mut Expr) {
        match &mut body.kind {
            ExprKind::Lambda(_, inner) => self.expr(inner),
            _ => self.expr(body),
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Block(decls, result) = &mut expr.kind {
            decls.iter_mut().for_each(|decl| self.decl(decl));
            return self.expr(result);
        }
        expr.children_mut().into_iter().for_each(|child| self.expr(child));
        let (span, ty) = (expr.span, expr.ty);
        match std::mem::replace(&mut expr.kind, ExprKind::Never) {
            ExprKind::Accelerate(inner) => expr.kind = self.accelerated(*inner, span, ty),
            kind @ ExprKind::Lambda(..) => {
                let var = self.checked.fresh("function", span, ty);
                let body = Expr { kind, span, ty };
                let result = Expr { kind: ExprKind::Var(var), span, ty };
                expr.kind = block(var, body, result);
            }
            kind => expr.kind = kind,
        }
    }

    fn accelerated(&mut self, inner: Expr, span: Span, ty: Ty) -> ExprKind {
        let arrow = self.checked.typing.types.arrow(Types::UNIT, ty);
        let var = self.checked.fresh("accelerated", span, arrow);
        self.entries.push(Entry { var, span });
        let unused = self.checked.fresh("_", span, Types::UNIT);
        let parameters = vec![Parameter { var: unused, ty: None }];
        let body = Expr { kind: ExprKind::Lambda(parameters, Box::new(inner)), span, ty: arrow };
        let function = Expr { kind: ExprKind::Var(var), span, ty: arrow };
        let unit = Expr { kind: ExprKind::Record(Vec::new()), span, ty: Types::UNIT };
        let call = ExprKind::Apply(Box::new(function), vec![unit]);
        block(var, body, Expr { kind: call, span, ty })
    }
}

/// Returns `let var = body in result`.
fn block(var: VarId, body: Expr, result: Expr) -> ExprKind {
    let span = body.span;
    let decl = Decl { kind: DeclKind::Let(Binding { var, ty: None, body }), span };
    ExprKind::Block(vec![decl], Box::new(result))
}
