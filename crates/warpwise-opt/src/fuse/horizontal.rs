//! Two independent SOACs over the same elements.

use warpwise_ir::{Body, Expr, Stm};

/// Replaces the statements at `first` and `second`, scremas without second maps, by one at `second`.
pub fn fuse(body: &mut Body, first: usize, second: usize) {
    let Stm { pattern, expr: Expr::Screma(a), certs, .. } = body.stms.remove(first) else {
        unreachable!("both are scremas")
    };
    let stm = &mut body.stms[second - 1];
    let Expr::Screma(b) = &mut stm.expr else { unreachable!("both are scremas") };
    let counts = [(a.n_scanned(), a.n_reduced()), (b.n_scanned(), b.n_reduced())];
    let a = *a;
    stm.certs.extend(certs.into_iter().filter(|cert| !stm.certs.contains(cert)).collect::<Vec<_>>());
    b.inputs.splice(0..0, a.inputs);
    b.map.params.splice(0..0, a.map.params);
    b.map.body.stms.splice(0..0, a.map.body.stms);
    let results = [a.map.body.result, std::mem::take(&mut b.map.body.result)];
    b.map.body.result = interleave(results, counts);
    // In the pattern the reductions stand before what is scanned.
    let counts = counts.map(|(n_scanned, n_reduced)| (n_reduced, n_scanned));
    stm.pattern = interleave([pattern, std::mem::take(&mut stm.pattern)], counts);
    b.scans.splice(0..0, a.scans);
    b.reduces.splice(0..0, a.reduces);
}

/// Merges two lists, each of three groups of which the sizes of the first two are given, group by group.
fn interleave<T: Clone>([a, b]: [Vec<T>; 2], counts: [(usize, usize); 2]) -> Vec<T> {
    let groups = |list: &[T], (x, y): (usize, usize)| -> [Vec<T>; 3] {
        [list[..x].to_vec(), list[x..x + y].to_vec(), list[x + y..].to_vec()]
    };
    let pairs = groups(&a, counts[0]).into_iter().zip(groups(&b, counts[1]));
    pairs.flat_map(|(a, b)| a.into_iter().chain(b)).collect()
}
