//! Fuses two independent SOACs over the same elements.

use warpwise_ir::{Body, Expr, Stm};

use crate::fuse::block::take;

/// Replaces the statements at `first` and `second`, scremas without second maps, by one at `second`. The second's parts are
/// appended to the first's, which may already be the fusion of many.
pub fn fuse(body: &mut Body, first: usize, second: usize) {
    let Stm { pattern, expr: Expr::Screma(a), certs, .. } = take(body, first) else {
        unreachable!("both are scremas")
    };
    let stm = &mut body.stms[second];
    let Expr::Screma(soac) = &mut stm.expr else { unreachable!("both are scremas") };
    stm.certs.extend(certs.into_iter().filter(|cert| !stm.certs.contains(cert)).collect::<Vec<_>>());
    let b = std::mem::replace(soac, a);
    let a = soac;
    let counts = [(a.n_scanned(), a.n_reduced()), (b.n_scanned(), b.n_reduced())];
    a.inputs.extend(b.inputs);
    a.map.params.extend(b.map.params);
    a.map.body.stms.extend(b.map.body.stms);
    interleave(&mut a.map.body.result, b.map.body.result, counts);
    // The pattern has the reductions before the scans.
    let counts = counts.map(|(n_scanned, n_reduced)| (n_reduced, n_scanned));
    let later = std::mem::replace(&mut stm.pattern, pattern);
    interleave(&mut stm.pattern, later, counts);
    a.scans.extend(b.scans);
    a.reduces.extend(b.reduces);
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
