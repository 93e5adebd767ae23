//! Lays transposed arrays out in the order of reading, once, before a statement that reads them repeatedly.
//!
//! ```text
//! ys: [n]f32 = screma n (xs) map (x: [m]f32) {       at: [k][m]f32 = rearrange (1, 0) a;
//!   at: [k][m]f32 = rearrange (1, 0) a;         ==>  at_1: [k][m]f32 = copy at;
//!   ... at ...                                       ys: [n]f32 = screma n (xs) map (x: [m]f32) { ... at_1 ... }
//! };
//! ```
//!
//! A view costs nothing by itself, but reading along its array's outer dimension misses the cache at every element. The usual
//! pipeline tiles and interchanges such loops. Without this pass, the code that results are compared with takes many times longer
//! (for a product of matrices of 16 million elements: minutes).
//!
//! Not done here: views of arrays that are made inside the statement; views that depend on a check.

use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::{Body, Expr, Function, Program, Stm, Var};

/// Lays out the transposed arrays of all functions.
pub fn straighten(program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        let mut scope: FxHashSet<Var> = function.params.iter().map(|param| param.var).collect();
        let mut body = std::mem::take(&mut function.body);
        for mut stm in std::mem::take(&mut body.stms) {
            let mut views = Vec::new();
            stm.expr.for_each_body_mut(|inner| take_views(inner, &scope, &mut views));
            views.push(stm);
            for stm in views {
                scope.extend(stm.pattern.iter().copied());
                body.stms.extend(laid_out(function, stm));
            }
        }
        function.body = body;
    }
    Ok(())
}

/// Moves transpositions of arrays in scope out of a body.
fn take_views(body: &mut Body, scope: &FxHashSet<Var>, views: &mut Vec<Stm>) {
    for mut stm in std::mem::take(&mut body.stms) {
        let is_view = matches!(&stm.expr, Expr::Rearrange { array, .. } if scope.contains(array));
        if is_view && stm.certs.is_empty() {
            views.push(stm);
        } else {
            stm.expr.for_each_body_mut(|inner| take_views(inner, scope, views));
            body.stms.push(stm);
        }
    }
}

/// Returns the statement. A transposition is followed by a copy of its result, under its name.
fn laid_out(function: &mut Function, stm: Stm) -> Vec<Stm> {
    let (Expr::Rearrange { .. }, [result]) = (&stm.expr, &stm.pattern[..]) else { return vec![stm] };
    let view = function.fresh_like(*result);
    let copy =
        Stm { expr: Expr::Copy(view), pattern: stm.pattern.clone(), certs: Vec::new(), span: stm.span };
    vec![Stm { pattern: vec![view], ..stm }, copy]
}
