//! Copies of code with a fresh variable for every binding, within a function or from one to another, and substitution in place.
//!
//! A copy replaces the variables that its [`Substitution`] maps, binds fresh variables with the hints, types and placements of
//! the old ones (after substitution), and leaves everything else unchanged. Inlining copies the body of the callee with its
//! parameters mapped to the arguments.

use rustc_hash::FxHashMap;

use crate::expr::{Body, Expr, Lambda};
use crate::memory::Placement;
use crate::program::{Function, Var, VarData};
use crate::traverse::visit::VisitorMut;
use crate::types::{Operand, Type};

/// A map from variables to the operands that replace them.
#[derive(Clone, Default, Debug)]
pub struct Substitution {
    map: FxHashMap<Var, Operand>,
}

impl Substitution {
    /// Creates the empty substitution.
    pub fn new() -> Substitution {
        Substitution::default()
    }

    /// Creates a substitution that replaces each variable by the operand at its position.
    pub fn of(vars: &[Var], operands: &[Operand]) -> Substitution {
        Substitution { map: vars.iter().copied().zip(operands.iter().copied()).collect() }
    }

    /// Adds the replacement of `var`.
    pub fn insert(&mut self, var: Var, by: impl Into<Operand>) {
        self.map.insert(var, by.into());
    }

    /// Returns whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Returns the replacement of an operand.
    pub fn apply(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Const(_) => operand,
            Operand::Var(var) => self.map.get(&var).copied().unwrap_or(operand),
        }
    }

    /// Returns the type with its sizes replaced.
    pub fn apply_type(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        Replace(self).walk_type(&mut ty);
        ty
    }

    /// Returns the placement with its block and numbers replaced.
    pub fn apply_placement(&self, placement: &Placement) -> Placement {
        let mut placement = placement.clone();
        replace_placement(&mut Replace(self), &mut placement);
        placement
    }

    /// Replaces variables in a body, including the types of the variables it binds.
    pub fn apply_body(&self, function: &mut Function, body: &mut Body) {
        ReplaceDeep { substitution: self, function }.body(body);
    }

    /// Replaces variables in a lambda, including the types of the variables it binds.
    pub fn apply_lambda(&self, function: &mut Function, lambda: &mut Lambda) {
        ReplaceDeep { substitution: self, function }.lambda(lambda);
    }

    /// Replaces variables in the type and placement of a variable.
    pub fn apply_var_data(&self, data: &mut VarData) {
        Replace(self).walk_type(&mut data.ty);
        if let Some(placement) = &mut data.placement {
            replace_placement(&mut Replace(self), placement);
        }
    }

    fn replace_var(&self, var: &mut Var) {
        if let Some(Operand::Var(new)) = self.map.get(var) {
            *var = *new;
        }
    }
}

/// A copier with fresh variables, which records the replacements of the variables that it meets.
pub struct Copier<'f> {
    source: Option<&'f Function>,
    target: &'f mut Function,
    /// The replacements of the source's variables; grows with every binding copied.
    pub substitution: Substitution,
}

impl<'f> Copier<'f> {
    /// Creates a copier within one function.
    pub fn within(function: &'f mut Function, substitution: Substitution) -> Copier<'f> {
        Copier { source: None, target: function, substitution }
    }

    /// Creates a copier from `source` to `target`. Every variable free in the copied code must be in the substitution.
    pub fn between(source: &'f Function, target: &'f mut Function, substitution: Substitution) -> Copier<'f> {
        Copier { source: Some(source), target, substitution }
    }

    /// Copies a body.
    pub fn copy_body(&mut self, body: &Body) -> Body {
        let mut body = body.clone();
        self.body(&mut body);
        body
    }

    /// Copies a lambda.
    pub fn copy_lambda(&mut self, lambda: &Lambda) -> Lambda {
        let mut lambda = lambda.clone();
        self.lambda(&mut lambda);
        lambda
    }

    /// Copies an expression.
    pub fn copy_expr(&mut self, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        self.expr(&mut expr);
        expr
    }

    /// Creates a fresh variable that replaces `var` from now on.
    pub fn copy_binding(&mut self, var: Var) -> Var {
        let mut data = match self.source {
            Some(source) => source.vars[var].clone(),
            None => self.target.vars[var].clone(),
        };
        self.substitution.apply_var_data(&mut data);
        let fresh = self.target.vars.push(data);
        self.substitution.insert(var, fresh);
        fresh
    }
}

impl VisitorMut for Copier<'_> {
    fn var(&mut self, var: &mut Var) {
        self.substitution.replace_var(var);
    }

    fn operand(&mut self, operand: &mut Operand) {
        *operand = self.substitution.apply(*operand);
    }

    fn bind(&mut self, var: &mut Var) {
        *var = self.copy_binding(*var);
    }
}

/// A visitor that replaces uses.
struct Replace<'s>(&'s Substitution);

impl VisitorMut for Replace<'_> {
    fn var(&mut self, var: &mut Var) {
        self.0.replace_var(var);
    }

    fn operand(&mut self, operand: &mut Operand) {
        *operand = self.0.apply(*operand);
    }
}

/// A visitor that replaces uses, including those in the types of bound variables.
struct ReplaceDeep<'s> {
    substitution: &'s Substitution,
    function: &'s mut Function,
}

impl VisitorMut for ReplaceDeep<'_> {
    fn var(&mut self, var: &mut Var) {
        self.substitution.replace_var(var);
    }

    fn operand(&mut self, operand: &mut Operand) {
        *operand = self.substitution.apply(*operand);
    }

    fn bind(&mut self, var: &mut Var) {
        self.substitution.apply_var_data(&mut self.function.vars[*var]);
    }
}

fn replace_placement(visitor: &mut impl VisitorMut, placement: &mut Placement) {
    visitor.var(&mut placement.block);
    visitor.operand(&mut placement.index_fn.offset);
    for dim in &mut placement.index_fn.dims {
        visitor.operand(&mut dim.extent);
        visitor.operand(&mut dim.stride);
    }
}
