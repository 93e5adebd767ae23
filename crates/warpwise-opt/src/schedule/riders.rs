//! Splits reductions off a scan that they are fused into, on devices.
//!
//! ```text
//! t, ys = segscan (i < n) scan (+) reduce (max) { x = index xs[i]; return x, x }
//! ==>
//! t = segred (i < n) reduce (max) { x = index xs[i]; return x }; ys = segscan (i < n) scan (+) { x = index xs[i]; return x }
//! ```
//!
//! A processor saves a pass over memory by computing both at once. On devices a scan alone takes one launch, with look-back
//! between tiles, and reads its input once; with a fused reduction it would take three launches. Bodies that run loops, or write,
//! stay unchanged.

use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Expr, Function, SegKind, SegOp, Stm};

use super::cost::is_cheap_body;

/// Returns the reductions of a scan, and the scan without them; `None` if the scan has none, or if its body is not cheap.
pub fn alone(function: &mut Function, stm: &Stm) -> Option<[Stm; 2]> {
    let Expr::Seg(op) = &stm.expr else { return None };
    let SegKind::Scan { scans, reduces, post } = &op.kind else { return None };
    if reduces.is_empty() || !is_cheap_body(&op.body) {
        return None;
    }
    let n_scanned: usize = scans.iter().map(|scan| scan.neutral.len()).sum();
    let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
    let (scanned, rest) = op.body.result.split_at(n_scanned);
    let (reduced, further) = rest.split_at(n_reduced);
    let part = |kind: SegKind, result: Vec<_>| {
        let body = Body { stms: op.body.stms.clone(), result };
        Expr::Seg(Box::new(SegOp { space: op.space.clone(), kind, body }))
    };
    let reduction = part(SegKind::Reduce { reduces: reduces.clone() }, reduced.to_vec());
    let scan = SegKind::Scan { scans: scans.clone(), reduces: Vec::new(), post: post.clone() };
    let scan = part(scan, [scanned, further].concat());
    let reduction = Copier::within(function, Substitution::new()).copy_expr(&reduction);
    let (totals, arrays) = stm.pattern.split_at(n_reduced);
    Some([
        Stm { pattern: totals.to_vec(), expr: reduction, ..stm.clone() },
        Stm { pattern: arrays.to_vec(), expr: scan, ..stm.clone() },
    ])
}
