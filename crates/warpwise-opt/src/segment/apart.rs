//! Splits the work on the elements of a SOAC off into a map of its own: all of it ([`map_apart`]), or loops and inner operations
//! before scans and filters ([`loops`]).
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
//! Not done here: loops that yield rows, which would have to be stored, and loops beside checks.

use warpwise_diag::Span;
use warpwise_ir::traverse::{Copier, Substitution, free_in_expr};
use warpwise_ir::{
    Body, Expr, Function, Hist, Lambda, Operand, Partition, Scatter, Screma, Stm, Type, Var, exprs,
};

use super::plain;
use super::sequential::calls;

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

/// Whether the map of a SOAC calls a function, and the SOAC does more than map.
pub fn map_calls(expr: &Expr) -> bool {
    match expr {
        Expr::Screma(soac) => !soac.is_map() && calls(&soac.map.body),
        Expr::Partition(soac) => calls(&soac.lambda.body),
        Expr::Scatter(soac) => calls(&soac.lambda.body),
        Expr::Hist(soac) => calls(&soac.lambda.body),
        exprs!(simple, If, Loop, Stream, WithAcc, FlatMap, Seg) => false,
    }
}

/// Splits a SOAC for which [`map_calls`] holds into a map and the same SOAC over the map's results.
pub fn map_apart(function: &mut Function, mut stm: Stm) -> Vec<Stm> {
    let mut stms = Vec::new();
    match &mut stm.expr {
        Expr::Screma(soac) => {
            let Screma { width, inputs, map, .. } = &mut **soac;
            split_lambda(function, *width, inputs, map, stm.span, &mut stms);
        }
        Expr::Partition(soac) => {
            let Partition { width, inputs, lambda, .. } = &mut **soac;
            split_lambda(function, *width, inputs, lambda, stm.span, &mut stms);
        }
        Expr::Scatter(soac) => {
            let Scatter { width, inputs, lambda, .. } = &mut **soac;
            split_lambda(function, *width, inputs, lambda, stm.span, &mut stms);
        }
        Expr::Hist(soac) => {
            let Hist { width, inputs, lambda, .. } = &mut **soac;
            split_lambda(function, *width, inputs, lambda, stm.span, &mut stms);
        }
        exprs!(simple, If, Loop, Stream, WithAcc, FlatMap, Seg) => {}
    }
    for first in &mut stms {
        first.certs.extend(&stm.certs);
    }
    stms.push(stm);
    stms
}

/// Moves the body of a lambda into a map of its own. Afterwards the lambda yields elements of that map's results, and of the
/// inputs that it returned unchanged.
pub fn split_lambda(
    function: &mut Function,
    width: Operand,
    inputs: &mut Vec<Var>,
    lambda: &mut Lambda,
    span: Span,
    stms: &mut Vec<Stm>,
) {
    // If the lambda has checks, all its results must come from the map, so that they rely on the checks.
    let handed_on = |x: &Operand| match lambda.body.can_fail() {
        true => None,
        false => lambda.params.iter().position(|&param| *x == param.into()),
    };
    let (mut params, mut arrays, mut computed, mut mapped) = (vec![], vec![], vec![], vec![]);
    for x in &lambda.body.result {
        let row = function.operand_type(*x);
        params.push(function.fresh("x", row.clone()));
        arrays.push(match handed_on(x) {
            Some(at) => inputs[at],
            None => {
                computed.push(*x);
                mapped.push(function.fresh("mapped", row.array_of(&[width])));
                mapped[mapped.len() - 1]
            }
        });
    }
    let result = params.iter().map(|&param| param.into()).collect();
    let mut map = std::mem::replace(lambda, Lambda { params, body: Body { stms: vec![], result } });
    map.body.result = computed;
    let inputs = std::mem::replace(inputs, arrays);
    let first = Screma { width, inputs, map, scans: vec![], reduces: vec![], post: None };
    stms.push(plain(mapped, Expr::Screma(Box::new(first)), span));
}
