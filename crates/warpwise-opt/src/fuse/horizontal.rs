//! Fuses two independent SOACs over the same elements.

use warpwise_ir::{Body, Expr, Scatter, Screma, Stm, Var};

use crate::fuse::block::take;

/// Replaces the statements at `first` and `second`, two scremas without second maps or two scatters, by one at `second`. The
/// second's parts are appended to the first's, which may already be the fusion of many.
pub fn fuse(body: &mut Body, first: usize, second: usize) {
    let Stm { pattern, expr, certs, .. } = take(body, first);
    let stm = &mut body.stms[second];
    stm.certs.extend(certs.into_iter().filter(|cert| !stm.certs.contains(cert)).collect::<Vec<_>>());
    let later = std::mem::replace(&mut stm.pattern, pattern);
    match (expr, &mut stm.expr) {
        (Expr::Screma(first), Expr::Screma(soac)) => {
            let second = std::mem::replace(soac, first);
            append_screma(soac, *second, &mut stm.pattern, later);
        }
        (Expr::Scatter(first), Expr::Scatter(soac)) => {
            let second = std::mem::replace(soac, first);
            append_scatter(soac, *second);
            stm.pattern.extend(later);
        }
        _ => unreachable!("both are scremas or both are scatters"),
    }
}

/// Appends a screma and its results to another and its results.
fn append_screma(a: &mut Screma, b: Screma, pattern: &mut Vec<Var>, later: Vec<Var>) {
    let counts = [(a.n_scanned(), a.n_reduced()), (b.n_scanned(), b.n_reduced())];
    a.inputs.extend(b.inputs);
    a.map.params.extend(b.map.params);
    a.map.body.stms.extend(b.map.body.stms);
    interleave(&mut a.map.body.result, b.map.body.result, counts);
    // The pattern has the reductions before the scans.
    let counts = counts.map(|(n_scanned, n_reduced)| (n_reduced, n_scanned));
    interleave(pattern, later, counts);
    a.scans.extend(b.scans);
    a.reduces.extend(b.reduces);
}

/// Appends a scatter to another.
fn append_scatter(a: &mut Scatter, b: Scatter) {
    a.inputs.extend(b.inputs);
    a.lambda.params.extend(b.lambda.params);
    a.lambda.body.stms.extend(b.lambda.body.stms);
    a.lambda.body.result.extend(b.lambda.body.result);
    a.dests.extend(b.dests);
}

/// Inserts the second of two lists into the first, group by group. Each list has three groups; the sizes of the first two are
/// given.
fn interleave<T>(a: &mut Vec<T>, mut b: Vec<T>, [(x, y), (v, w)]: [(usize, usize); 2]) {
    let third = b.split_off(v + w);
    let second = b.split_off(v);
    a.splice(x + y..x + y, second);
    a.splice(x..x, b);
    a.extend(third);
}
