//! Which variables a function overwrites in place, by the names it does so.
//!
//! A row that a space overwrites must be read by its own name: `index a[i, j]` besides the overwritten
//! `r = index a[i]` would be another use of what the space consumes.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, SegKind, Var};

/// The variables that a body, or one inside it, overwrites.
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
        let mut mark = |var: Var| self.marked[var] = true;
        match expr {
            Expr::Update { array, .. } => mark(*array),
            Expr::Scatter(soac) => soac.dests.iter().for_each(|dest| mark(dest.array)),
            Expr::Hist(soac) => soac.ops.iter().flat_map(|op| &op.dests).for_each(|&dest| mark(dest)),
            Expr::WithAcc(soac) => {
                soac.inputs.iter().flat_map(|input| &input.arrays).for_each(|&array| mark(array));
            }
            Expr::Loop { params, .. } => {
                let consumed = params.iter().filter(|param| param.consumed);
                consumed.filter_map(|param| param.init.as_var()).for_each(mark);
            }
            // Without the callee at hand, any argument may be overwritten.
            Expr::Call { args, .. } => args.iter().filter_map(|arg| arg.as_var()).for_each(mark),
            Expr::Seg(op) => match &op.kind {
                SegKind::Scatter { dests } => dests.iter().for_each(|dest| mark(dest.array)),
                SegKind::Hist { ops } => ops.iter().flat_map(|op| &op.dests).for_each(|&dest| mark(dest)),
                SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } | SegKind::Partition { .. } => {}
            },
            _ => {}
        }
        self.walk_expr(expr);
    }
}
