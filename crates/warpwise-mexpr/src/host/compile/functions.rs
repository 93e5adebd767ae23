//! Functions and their captured variables.

use std::rc::Rc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::tree::{Expr, ExprKind, Parameter, VarId};

use super::super::code::{Function, FunctionId};
use super::{Body, Compiler, To};

/// Variables in the order they were met.
type Vars = IndexSet<VarId, FxBuildHasher>;

impl Compiler<'_> {
    /// Reserves a number for a function that is made later.
    pub(super) fn reserve(&mut self, n_captured: usize, n_parameters: usize, name: &str) -> FunctionId {
        self.functions.push(Function {
            name: name.into(),
            n_captured: n_captured as u32,
            n_parameters: n_parameters as u32,
            sorts: Vec::new(),
            n_slots: 0,
            code: Vec::new(),
            spans: Vec::new(),
        });
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// Makes the code of a function.
    pub(super) fn function(
        &mut self,
        id: FunctionId,
        captured: &[VarId],
        parameters: &[Parameter],
        body: &Expr,
    ) {
        let outer = std::mem::replace(&mut self.body, Body::new());
        let vars: Vec<VarId> =
            captured.iter().copied().chain(parameters.iter().map(|parameter| parameter.var)).collect();
        self.functions[id.0 as usize].sorts = vars.iter().map(|var| self.sort_of_var(*var)).collect();
        for var in vars {
            let slot = self.fresh();
            self.body.slots.insert(var, slot);
        }
        self.expr(body, To::Result);
        self.finish(id, outer);
    }

    /// Ends the code of a function, and returns to the surrounding one.
    pub(super) fn finish(&mut self, id: FunctionId, outer: Body) {
        let body = std::mem::replace(&mut self.body, outer);
        let function = &mut self.functions[id.0 as usize];
        function.n_slots = body.n_slots;
        function.code = body.code;
        function.spans = body.spans;
    }

    /// Returns the local variables of the current function that inner expressions use.
    pub(super) fn captured<'e>(&self, exprs: impl Iterator<Item = &'e Expr>) -> Rc<[VarId]> {
        let mut vars = Vars::default();
        exprs.for_each(|expr| self.uses(expr, &mut vars));
        vars.into_iter().collect()
    }

    fn used(&self, var: VarId, vars: &mut Vars) {
        if self.body.slots.contains_key(&var) {
            vars.insert(var);
        } else if let Some(known) = self.known.get(&var) {
            vars.extend(known.captured.iter().copied());
        }
    }

    fn uses(&self, expr: &Expr, vars: &mut Vars) {
        if let ExprKind::Var(var) | ExprKind::Frozen(var) = &expr.kind {
            self.used(*var, vars);
        }
        expr.children().into_iter().for_each(|child| self.uses(child, vars));
    }
}
