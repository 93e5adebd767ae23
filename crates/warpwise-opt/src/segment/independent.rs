//! Splits operators on tuples into separate operators for values that do not depend on each other.
//!
//! ```text
//! scan (a: [m]f32, b: [k]f32, c: [m]f32, d: [k]f32) { x = map2 fadd a c; y = map2 fmax b d; return x, y } [zeros, least]
//! ==>
//! scan (a: [m]f32, c: [m]f32) { x = map2 fadd a c; return x } [zeros]
//! scan (b: [k]f32, d: [k]f32) { y = map2 fmax b d; return y } [least]
//! ```
//!
//! Only adjacent values stay together, so that the order of the results is unchanged. Not done here: operators that may fail,
//! since each check stays in its place.

use std::ops::Range;

use rustc_hash::FxHashSet;
use warpwise_ir::traverse::{Copier, Substitution, free_in_expr};
use warpwise_ir::{Body, Function, Lambda, Operand, Scan, Stm, Var};

/// Returns the scans that together compute the given one.
pub fn scans(function: &mut Function, scan: &Scan) -> Vec<Scan> {
    let parts = parts(function, &scan.op);
    if parts.len() == 1 {
        return vec![scan.clone()];
    }
    let part = |range: Range<usize>| Scan {
        op: restricted(function, &scan.op, range.clone()),
        neutral: scan.neutral[range].to_vec(),
        exclusive: scan.exclusive,
    };
    parts.into_iter().map(part).collect()
}

/// Returns ranges of values that an operator combines independently of the others.
fn parts(function: &Function, op: &Lambda) -> Vec<Range<usize>> {
    let n = op.params.len() / 2;
    let mut parts: Vec<Range<usize>> = Vec::new();
    if op.body.can_fail() {
        parts.push(0..n);
        return parts;
    }
    for at in 0..n {
        let (_, used) = needed(function, op, at..at + 1);
        let looks_at = (0..n).filter(|&i| used.contains(&op.params[i]) || used.contains(&op.params[n + i]));
        let (mut first, mut last) = (at, at);
        looks_at.for_each(|i| (first, last) = (first.min(i), last.max(i)));
        let mut part = first..last + 1;
        while let Some(before) = parts.pop_if(|before| before.end > part.start) {
            part = before.start.min(part.start)..before.end.max(part.end);
        }
        parts.push(part);
    }
    parts
}

/// Returns the statements that results of an operator need, and all variables that these statements and the results use.
fn needed(function: &Function, op: &Lambda, results: Range<usize>) -> (Vec<Stm>, FxHashSet<Var>) {
    let mut used: FxHashSet<Var> = op.body.result[results].iter().filter_map(|x| x.as_var()).collect();
    let mut stms = Vec::new();
    for stm in op.body.stms.iter().rev() {
        if stm.pattern.iter().any(|var| used.contains(var)) {
            used.extend(free_in_expr(function, &stm.expr).iter());
            used.extend(&stm.certs);
            stms.push(stm.clone());
        }
    }
    stms.reverse();
    (stms, used)
}

/// Returns an operator restricted to some of its values.
fn restricted(function: &mut Function, op: &Lambda, values: Range<usize>) -> Lambda {
    let (lefts, rights) = op.params.split_at(op.params.len() / 2);
    let params = lefts[values.clone()].iter().chain(&rights[values.clone()]).copied().collect();
    let (stms, _) = needed(function, op, values.clone());
    let result: Vec<Operand> = op.body.result[values].to_vec();
    Copier::within(function, Substitution::new()).copy_lambda(&Lambda { params, body: Body { stms, result } })
}
