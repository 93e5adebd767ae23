//! Sources that are transposed views of other arrays.

use warpwise_ir::{Body, Expr, Operand, Placement, SliceDim, Stm, Var, exprs};

use crate::place::before;

/// Returns the array that a source is a transposed view of, with the placement that gives the source the destination's placement.
pub fn turned_back(stms: &[Stm], source: Var, destination: Placement) -> Option<(Var, Placement)> {
    stms.iter().find_map(|stm| match &stm.expr {
        Expr::Rearrange { array, perm } if stm.pattern == [source] => {
            Some((*array, before(destination.clone(), perm)))
        }
        exprs!(simple, nested) => None,
    })
}

/// Whether loops overwrite single elements of these arrays, whose rows would not be contiguous in the destination.
///
/// Such a loop returns to elements that it has written. In the destination each element would be brought into the cache several
/// times, and rows at a distance of a power of two would keep evicting each other. The copy brings each element once.
pub fn is_swept_across(stms: &[Stm], arrays: &[Var], destination: &Placement) -> bool {
    let lies_apart = destination.index_fn.dims.last().is_some_and(|dim| dim.stride != Operand::i64(1));
    lies_apart && stms.iter().any(|stm| is_swept(stm, arrays, false))
}

fn is_swept(stm: &Stm, arrays: &[Var], in_loop: bool) -> bool {
    let in_loop = match &stm.expr {
        Expr::Update { dims, .. } if in_loop && arrays.contains(&stm.pattern[0]) => {
            return dims.iter().all(|dim| matches!(dim, SliceDim::Fix(_)));
        }
        Expr::Loop { .. } => true,
        exprs!(simple, If, soac, Seg) => in_loop,
    };
    let mut found = false;
    stm.expr.for_each_body(|body: &Body| found |= body.stms.iter().any(|stm| is_swept(stm, arrays, in_loop)));
    found
}
