//! Free variables: used in a piece of code and bound outside it.
//!
//! The types and placements of variables bound inside count as uses. The order is that of first use.

use rustc_hash::FxHashSet;

use crate::expr::{Body, Expr, Lambda, Stm};
use crate::program::{Function, Var};
use crate::traverse::visit::Visitor;
use crate::types::Type;

/// A set of variables that remembers the order in which they were first seen.
#[derive(Clone, Default, Debug)]
pub struct FreeVars {
    order: Vec<Var>,
    members: FxHashSet<Var>,
}

impl FreeVars {
    /// Returns whether the variable is in the set.
    pub fn contains(&self, var: Var) -> bool {
        self.members.contains(&var)
    }

    /// Iterates over the variables, in the order of their first use.
    pub fn iter(&self) -> impl Iterator<Item = Var> + '_ {
        self.order.iter().copied()
    }

    /// Adds a variable.
    pub fn insert(&mut self, var: Var) {
        if self.members.insert(var) {
            self.order.push(var);
        }
    }

    /// Adds the variables of another set, at the cost of the smaller of the two.
    pub fn absorb(&mut self, mut other: FreeVars) {
        if other.len() > self.len() {
            std::mem::swap(self, &mut other);
        }
        other.order.into_iter().for_each(|var| self.insert(var));
    }

    /// Returns the number of variables.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

/// Returns the free variables of a body.
pub fn free_in_body(function: &Function, body: &Body) -> FreeVars {
    collect(function, |collector| collector.body(body))
}

/// Returns the free variables of a lambda.
pub fn free_in_lambda(function: &Function, lambda: &Lambda) -> FreeVars {
    collect(function, |collector| collector.lambda(lambda))
}

/// Returns the free variables of an expression.
pub fn free_in_expr(function: &Function, expr: &Expr) -> FreeVars {
    collect(function, |collector| collector.expr(expr))
}

/// Returns the free variables of a statement, including those in the types of the variables that it binds.
pub fn free_in_stm(function: &Function, stm: &Stm) -> FreeVars {
    collect(function, |collector| collector.stm(stm))
}

/// Returns the variables in a type.
pub fn free_in_type(function: &Function, ty: &Type) -> FreeVars {
    collect(function, |collector| collector.walk_type(ty))
}

fn collect<'a>(function: &'a Function, walk: impl FnOnce(&mut Collector<'a>)) -> FreeVars {
    let mut collector = Collector { function, uses: FreeVars::default(), bound: FxHashSet::default() };
    walk(&mut collector);
    let Collector { mut uses, bound, .. } = collector;
    uses.order.retain(|var| !bound.contains(var));
    uses.members.retain(|var| !bound.contains(var));
    uses
}

/// A visitor that collects uses and bindings.
struct Collector<'f> {
    function: &'f Function,
    uses: FreeVars,
    bound: FxHashSet<Var>,
}

impl<'a> Visitor<'a> for Collector<'a> {
    fn var(&mut self, var: &'a Var) {
        self.uses.insert(*var);
    }

    fn bind(&mut self, var: &'a Var) {
        self.bound.insert(*var);
        let data = &self.function.vars[*var];
        self.walk_type(&data.ty);
        if let Some(placement) = &data.placement {
            self.var(&placement.block);
            self.operand(&placement.index_fn.offset);
            for dim in &placement.index_fn.dims {
                self.operand(&dim.extent);
                self.operand(&dim.stride);
            }
        }
    }
}
