//! Finds the variables that a function overwrites in place, by the names used in the overwriting statements.
//!
//! A row that a space overwrites must be read by its own name: `index a[i, j]` besides the overwritten `r = index a[i]` would be
//! another use of the consumed array.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, Var};

/// Returns the variables that are overwritten in a body or in a body inside it.
pub fn overwritten(body: &Body) -> SecondaryMap<Var, bool> {
    let mut marker = Marker { marked: SecondaryMap::default() };
    marker.body(body);
    marker.marked
}

struct Marker {
    marked: SecondaryMap<Var, bool>,
}

impl<'a> Visitor<'a> for Marker {
    fn expr(&mut self, expr: &'a Expr) {
        // Without the callee at hand, any argument may be overwritten.
        expr.for_each_consumed(|_, _| true, |var| self.marked[*var] = true);
        self.walk_expr(expr);
    }
}
