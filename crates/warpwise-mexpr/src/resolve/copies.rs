//! Copies of resolved expressions, for fragments that inherit them.
//!
//! A variable is bound once in a program, so every variable that a copied case binds gets an id of its own. Variables from
//! elsewhere keep their ids, except those that the caller replaces. `f x = | C y -> f y` of fragment A, copied for B:
//! ```text
//! before   f.1 = lam x.2. lam m.3. match m.3 with C y.4 then f.1 y.4
//! after    f.5 = lam x.6. lam m.7. match m.7 with C y.8 then f.5 y.8
//! ```

use rustc_hash::FxHashMap;

use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, Pat, PatKind, Program, Type, TypeVar, VarId};

/// State of one copy.
pub(super) struct Copier<'a> {
    program: &'a mut Program,
    vars: FxHashMap<VarId, VarId>,
    type_vars: Vec<(TypeVar, TypeVar)>,
}

impl<'a> Copier<'a> {
    /// Starts a copy that replaces these variables, and these type variables in the types that are written in the case.
    pub(super) fn new(
        program: &'a mut Program,
        vars: impl Iterator<Item = (VarId, VarId)>,
        type_vars: Vec<(TypeVar, TypeVar)>,
    ) -> Copier<'a> {
        Copier { program, vars: vars.collect(), type_vars }
    }

    /// Gives new ids to the variables that a pattern binds, for everything that is copied afterwards.
    pub(super) fn pat(&mut self, pat: &mut Pat) {
        match &mut pat.kind {
            PatKind::Wildcard | PatKind::Int(_) | PatKind::Char(_) | PatKind::Bool(_) => {}
            PatKind::Var(var) => self.bind(var),
            PatKind::Record(fields) => fields.iter_mut().for_each(|(_, pat)| self.pat(pat)),
            PatKind::Construct(_, held) => self.pat(held),
            PatKind::Seq(items) => items.iter_mut().for_each(|pat| self.pat(pat)),
            PatKind::Edge(first, middle, last) => {
                first.iter_mut().for_each(|pat| self.pat(pat));
                middle.iter_mut().for_each(|var| self.bind(var));
                last.iter_mut().for_each(|pat| self.pat(pat));
            }
            PatKind::And(left, right) | PatKind::Or(left, right) => {
                self.pat(left);
                self.pat(right);
            }
            PatKind::Not(inner) => self.pat(inner),
        }
    }

    /// Replaces variables in an expression; bound ones get new ids.
    pub(super) fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Var(var) | ExprKind::Frozen(var) => {
                if let Some(new) = self.vars.get(var) {
                    *var = *new;
                }
            }
            ExprKind::Lambda(parameters, body) => {
                for parameter in parameters {
                    self.bind(&mut parameter.var);
                    parameter.ty.iter_mut().for_each(|ty| self.ty(ty));
                }
                self.expr(body);
            }
            ExprKind::Choice(tests, otherwise) => {
                for test in tests {
                    self.expr(&mut test.scrutinee);
                    self.pat(&mut test.pattern);
                    self.expr(&mut test.then);
                }
                self.expr(otherwise);
            }
            ExprKind::Block(decls, result) => {
                decls.iter_mut().for_each(|decl| self.decl(decl));
                self.expr(result);
            }
            ExprKind::Builtin(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::Bool(_)
            | ExprKind::String(_)
            | ExprKind::Never
            | ExprKind::Apply(..)
            | ExprKind::Construct(..)
            | ExprKind::Record(_)
            | ExprKind::Update(..)
            | ExprKind::Project(..)
            | ExprKind::Seq(_)
            | ExprKind::Accelerate(_) => expr.children_mut().into_iter().for_each(|child| self.expr(child)),
        }
    }

    fn decl(&mut self, decl: &mut Decl) {
        match &mut decl.kind {
            DeclKind::Let(binding) => {
                self.binding(binding);
                self.bind(&mut binding.var);
            }
            DeclKind::Recursive(bindings) => {
                bindings.iter_mut().for_each(|binding| self.bind(&mut binding.var));
                bindings.iter_mut().for_each(|binding| self.binding(binding));
            }
            DeclKind::External(var, ty, _) => {
                self.bind(var);
                self.ty(ty);
            }
            DeclKind::Match(value, pattern) => {
                self.expr(value);
                self.pat(pattern);
            }
            DeclKind::Utest(_) | DeclKind::Do(_) => {
                decl.children_mut().into_iter().for_each(|child| self.expr(child));
            }
        }
    }

    fn binding(&mut self, binding: &mut Binding) {
        binding.ty.iter_mut().for_each(|ty| self.ty(ty));
        self.expr(&mut binding.body);
    }

    /// Gives a variable a new id; both sides of an `or` bind the same variable.
    fn bind(&mut self, var: &mut VarId) {
        let program = &mut *self.program;
        *var = *self.vars.entry(*var).or_insert_with(|| {
            program.vars.push(program.vars[var.0 as usize]);
            VarId(program.vars.len() as u32 - 1)
        });
    }

    fn ty(&mut self, ty: &mut Type) {
        match ty {
            Type::Unknown | Type::Bool | Type::Int | Type::Float | Type::Char => {}
            Type::Var(var) => self.type_var(var),
            Type::Seq(inner) | Type::Tensor(inner) | Type::All(_, inner) => self.ty(inner),
            Type::Record(fields) => fields.iter_mut().for_each(|(_, ty)| self.ty(ty)),
            Type::Named(_, arguments) => arguments.iter_mut().for_each(|ty| self.ty(ty)),
            Type::Apply(var, arguments) => {
                self.type_var(var);
                arguments.iter_mut().for_each(|ty| self.ty(ty));
            }
            Type::Arrow(from, to) => {
                self.ty(from);
                self.ty(to);
            }
        }
    }

    fn type_var(&self, var: &mut TypeVar) {
        if let Some((_, new)) = self.type_vars.iter().find(|(old, _)| old == var) {
            *var = *new;
        }
    }
}
