//! Copies of code with a fresh variable for every binding, within a function or between two, and
//! substitution in place.
//!
//! A copy replaces what its [`Substitution`] maps, binds fresh variables with the hints, types and
//! placements of the old ones (the substitution applied to these too), and leaves everything else as it is.
//! So copying the body of a callee with its parameters mapped to arguments is inlining.

use rustc_hash::FxHashMap;

use crate::expr::{Body, Expr, Lambda};
use crate::memory::Placement;
use crate::program::{Function, Var, VarData};
use crate::traverse::visit::VisitorMut;
use crate::types::{Operand, Type};

/// What variables are replaced by.
#[derive(Clone, Default, Debug)]
pub struct Substitution {
    map: FxHashMap<Var, Operand>,
}

impl Substitution {
    /// Replaces nothing.
    pub fn new() -> Substitution {
        Substitution::default()
    }

    /// Replaces each variable by the operand at its position.
    pub fn of(vars: &[Var], operands: &[Operand]) -> Substitution {
        Substitution { map: vars.iter().copied().zip(operands.iter().copied()).collect() }
    }

    /// From now on replaces `var`.
    pub fn insert(&mut self, var: Var, by: impl Into<Operand>) {
        self.map.insert(var, by.into());
    }

    /// Whether nothing is replaced.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// What stands for the operand.
    pub fn apply(&self, operand: Operand) -> Operand {
        match operand {
            Operand::Const(_) => operand,
            Operand::Var(var) => self.map.get(&var).copied().unwrap_or(operand),
        }
    }

    /// The type with its sizes replaced.
    pub fn apply_type(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        Replace(self).walk_type(&mut ty);
        ty
    }

    /// The placement with its block and numbers replaced.
    pub fn apply_placement(&self, placement: &Placement) -> Placement {
        let mut placement = placement.clone();
        replace_placement(&mut Replace(self), &mut placement);
        placement
    }

    /// Replaces in a body, the types of the variables it binds included.
    pub fn apply_body(&self, function: &mut Function, body: &mut Body) {
        ReplaceDeep { substitution: self, function }.body(body);
    }

    /// Replaces in a lambda, the types of the variables it binds included.
    pub fn apply_lambda(&self, function: &mut Function, lambda: &mut Lambda) {
        ReplaceDeep { substitution: self, function }.lambda(lambda);
    }

    /// Replaces in the type and placement of a variable.
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

/// Makes copies with fresh variables; remembers what became of the variables it met.
pub struct Copier<'f> {
    source: Option<&'f Function>,
    target: &'f mut Function,
    /// What variables of the source are replaced by; grows by every binding copied.
    pub substitution: Substitution,
}

impl<'f> Copier<'f> {
    /// Copies code of a function within it.
    pub fn within(function: &'f mut Function, substitution: Substitution) -> Copier<'f> {
        Copier { source: None, target: function, substitution }
    }

    /// Copies code of `source` into `target`. Every variable free in the code must be in the substitution.
    pub fn between(source: &'f Function, target: &'f mut Function, substitution: Substitution) -> Copier<'f> {
        Copier { source: Some(source), target, substitution }
    }

    /// A copy of a body.
    pub fn copy_body(&mut self, body: &Body) -> Body {
        let mut body = body.clone();
        self.body(&mut body);
        body
    }

    /// A copy of a lambda.
    pub fn copy_lambda(&mut self, lambda: &Lambda) -> Lambda {
        let mut lambda = lambda.clone();
        self.lambda(&mut lambda);
        lambda
    }

    /// A copy of an expression.
    pub fn copy_expr(&mut self, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        self.expr(&mut expr);
        expr
    }

    /// A fresh variable that stands for `var` from now on.
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

/// Replaces uses.
struct Replace<'s>(&'s Substitution);

impl VisitorMut for Replace<'_> {
    fn var(&mut self, var: &mut Var) {
        self.0.replace_var(var);
    }

    fn operand(&mut self, operand: &mut Operand) {
        *operand = self.0.apply(*operand);
    }
}

/// Replaces uses, also in the types of variables bound.
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
