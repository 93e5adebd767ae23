//! Decides whether an operator yields the same bits for any tree of combinations.
//!
//! Operators are associative by contract; only rounding violates that. An operator that computes no floats, but only compares and
//! selects its operands, does not round.

use warpwise_ir::{Body, Expr, Function, Lambda, Stm, exprs};
use warpwise_prim::BinaryOp;

/// Whether an operator does not round.
pub fn is_exact(function: &Function, op: &Lambda) -> bool {
    body_is_exact(function, &op.body)
}

/// Whether a body has a reduction, scan or histogram that rounds.
pub fn combines_inexactly(function: &Function, body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut inexact = match &stm.expr {
            Expr::Screma(screma) => {
                let scans = screma.scans.iter().map(|scan| &scan.op);
                scans.chain(screma.reduces.iter().map(|reduce| &reduce.op)).any(|op| !is_exact(function, op))
            }
            Expr::Hist(hist) => hist.ops.iter().any(|op| !is_exact(function, &op.op)),
            Expr::Stream(_) | Expr::WithAcc(_) => true,
            exprs!(simple, If, Loop, Partition, Scatter, FlatMap, Seg) => false,
        };
        stm.expr.for_each_body(|body| inexact |= combines_inexactly(function, body));
        inexact
    })
}

fn body_is_exact(function: &Function, body: &Body) -> bool {
    body.stms.iter().all(|stm| {
        let mut exact = chooses(&stm.expr) || !computes_floats(function, stm);
        stm.expr.for_each_body(|body| exact &= body_is_exact(function, body));
        exact
    })
}

/// Whether an expression yields one of its operands.
fn chooses(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Operand(_)
            | Expr::Select(..)
            | Expr::If { .. }
            | Expr::Index { .. }
            | Expr::ArrayLit(_)
            // Zeros are ordered by sign, and a NaN is never chosen.
            | Expr::Binary(BinaryOp::FMin | BinaryOp::FMax, ..)
    )
}

fn computes_floats(function: &Function, stm: &Stm) -> bool {
    stm.pattern.iter().any(|&var| function.ty(var).elem().is_some_and(|elem| elem.is_float()))
}
