//! Moves loops and inner operations out of the elements of scans and filters, into maps of their own.
//!
//! ```text
//! t: [n]f32 = screma n (xss) map (xs: [m]f32) { s = loop ...; y = fmul s s; return y } scan op [0f32]
//! ==>
//! loops: [n]f32 = screma n (xss) map (xs: [m]f32) { s = loop ...; return s };
//! t: [n]f32 = screma n (xss, loops) map (xs: [m]f32, s: f32) { y = fmul s s; return y } scan op [0f32]
//! ```
//!
//! The map gets the form that suits the number and the lengths of its loops, and computes them once. What follows from their
//! values by straight code is not stored.
//!
//! Not done here: loops that yield rows, which would have to be stored, and elements with checks.

use warpwise_ir::traverse::{Copier, Substitution, free_in_expr};
use warpwise_ir::{Body, Expr, Function, Lambda, Operand, Screma, Stm, Type, Var, exprs};

use super::plain;

/// Returns the map that computes the loops of a scan or partition. The statement then reads that map's results.
pub fn loops(function: &mut Function, stm: &mut Stm) -> Option<Stm> {
    let (width, inputs, lambda) = match &mut stm.expr {
        Expr::Screma(soac) if !soac.scans.is_empty() => (soac.width, &mut soac.inputs, &mut soac.map),
        Expr::Partition(soac) => (soac.width, &mut soac.inputs, &mut soac.lambda),
        exprs!(simple, If, Loop, Screma, Scatter, Hist, Stream, WithAcc, FlatMap, Seg) => return None,
    };
    let stored = stored(function, lambda)?;
    let map = Lambda {
        params: lambda.params.clone(),
        body: Body { stms: lambda.body.stms.clone(), result: stored.iter().map(|&var| var.into()).collect() },
    };
    let map = Copier::within(function, Substitution::new()).copy_lambda(&map);
    let arrays: Vec<Var> = stored
        .iter()
        .map(|&var| {
            let ty = function.ty(var).array_of(&[width]);
            function.fresh("loops", ty)
        })
        .collect();
    let soac = Screma { width, inputs: inputs.clone(), map, scans: vec![], reduces: vec![], post: None };
    lambda.body.stms.retain(|inside| !is_long(inside));
    lambda.params.extend(stored);
    inputs.extend(&arrays);
    let map = plain(arrays, Expr::Screma(Box::new(soac)), stm.span);
    Some(Stm { certs: stm.certs.clone(), ..map })
}

/// Returns the values of loops that a lambda needs outside of these: `None` without any, or if some of them cannot be stored.
fn stored(function: &Function, lambda: &Lambda) -> Option<Vec<Var>> {
    let body = &lambda.body;
    let mut needed: Vec<Operand> = body.result.clone();
    for stm in body.stms.iter().filter(|stm| !is_long(stm)) {
        needed.extend(free_in_expr(function, &stm.expr).iter().map(Operand::Var));
    }
    let of_loops = body.stms.iter().filter(|stm| is_long(stm)).flat_map(|stm| stm.pattern.iter().copied());
    let stored: Vec<Var> = of_loops.filter(|&var| needed.contains(&var.into())).collect();
    let is_scalar = |var: &Var| matches!(function.ty(*var), Type::Scalar(_));
    (!stored.is_empty() && stored.iter().all(is_scalar) && !body.can_fail()).then_some(stored)
}

/// Whether a statement takes more than straight code.
fn is_long(stm: &Stm) -> bool {
    matches!(stm.expr, exprs!(Loop, soac))
}
