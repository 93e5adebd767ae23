//! Walks over the direct parts of one expression: its own operands, or the bodies directly inside it.

use crate::expr::{Body, Expr, Lambda};
use crate::exprs;
use crate::program::Var;
use crate::traverse::visit::{Visitor, VisitorMut};
use crate::types::Operand;

impl Expr {
    /// Returns whether this expression computes a scalar or a view, creates no array, checks nothing and has no bodies.
    pub fn is_straight(&self) -> bool {
        matches!(self, exprs!(Operand, scalar, view))
    }

    /// Calls `f` with every operand of this expression, including variables in array positions, but not with operands inside its
    /// bodies and lambdas.
    pub fn for_each_operand(&self, f: impl FnMut(Operand)) {
        Operands(f).expr(self);
    }

    /// Replaces every operand of this expression, except those inside its bodies and lambdas. Where only a variable is allowed,
    /// `f` must map a variable to a variable; a constant is ignored there.
    pub fn map_operands(&mut self, f: impl FnMut(Operand) -> Operand) {
        MapOperands(f).expr(self);
    }

    /// Calls `f` with every body directly inside this expression, including those of its lambdas.
    pub fn for_each_body<'a>(&'a self, f: impl FnMut(&'a Body)) {
        Bodies(f).expr(self);
    }

    /// Calls `f` with a mutable reference to every body directly inside this expression.
    pub fn for_each_body_mut(&mut self, f: impl FnMut(&mut Body)) {
        BodiesMut(f).expr(self);
    }

    /// Calls `f` with every lambda directly inside this expression.
    pub fn for_each_lambda<'a>(&'a self, f: impl FnMut(&'a Lambda)) {
        Lambdas(f).expr(self);
    }

    /// Calls `f` with a mutable reference to every lambda directly inside this expression.
    pub fn for_each_lambda_mut(&mut self, f: impl FnMut(&mut Lambda)) {
        LambdasMut(f).expr(self);
    }

    /// Calls `f` with every variable bound directly inside this expression: parameters of its loops and lambdas, loop and space
    /// indices.
    pub fn for_each_binding(&self, f: impl FnMut(Var)) {
        Bindings(f).expr(self);
    }
}

/// A visitor of operands that enters no body or lambda.
struct Operands<F>(F);

impl<'a, F: FnMut(Operand)> Visitor<'a> for Operands<F> {
    fn var(&mut self, var: &'a Var) {
        (self.0)(Operand::Var(*var));
    }

    fn operand(&mut self, operand: &'a Operand) {
        (self.0)(*operand);
    }

    fn body(&mut self, _body: &'a Body) {}

    fn lambda(&mut self, _lambda: &'a Lambda) {}
}

/// A mutable visitor of operands that enters no body or lambda.
struct MapOperands<F>(F);

impl<F: FnMut(Operand) -> Operand> VisitorMut for MapOperands<F> {
    fn var(&mut self, var: &mut Var) {
        match (self.0)(Operand::Var(*var)) {
            Operand::Var(new) => *var = new,
            Operand::Const(_) => {}
        }
    }

    fn operand(&mut self, operand: &mut Operand) {
        *operand = (self.0)(*operand);
    }

    fn body(&mut self, _body: &mut Body) {}

    fn lambda(&mut self, _lambda: &mut Lambda) {}
}

/// A visitor of the outermost bodies.
struct Bodies<F>(F);

impl<'a, F: FnMut(&'a Body)> Visitor<'a> for Bodies<F> {
    fn body(&mut self, body: &'a Body) {
        (self.0)(body);
    }
}

/// A mutable visitor of the outermost bodies.
struct BodiesMut<F>(F);

impl<F: FnMut(&mut Body)> VisitorMut for BodiesMut<F> {
    fn body(&mut self, body: &mut Body) {
        (self.0)(body);
    }
}

/// A visitor of the outermost lambdas.
struct Lambdas<F>(F);

impl<'a, F: FnMut(&'a Lambda)> Visitor<'a> for Lambdas<F> {
    fn body(&mut self, _body: &'a Body) {}

    fn lambda(&mut self, lambda: &'a Lambda) {
        (self.0)(lambda);
    }
}

/// A mutable visitor of the outermost lambdas.
struct LambdasMut<F>(F);

impl<F: FnMut(&mut Lambda)> VisitorMut for LambdasMut<F> {
    fn body(&mut self, _body: &mut Body) {}

    fn lambda(&mut self, lambda: &mut Lambda) {
        (self.0)(lambda);
    }
}

/// A visitor of the outermost bindings.
struct Bindings<F>(F);

impl<'a, F: FnMut(Var)> Visitor<'a> for Bindings<F> {
    fn bind(&mut self, var: &'a Var) {
        (self.0)(*var);
    }

    fn body(&mut self, _body: &'a Body) {}
}
