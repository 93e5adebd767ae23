//! Versions of reductions on devices that read by row and by column, as a matrix product does. With many points, each gets a
//! work-item that folds in a loop.
//!
//! ```text
//! enough = ...;
//! s: [n][p]f32 = segred (i < n, j < p, k < m)         s = if enough { segmap (i < n: thread, j < p: thread) {
//!   reduce (+) { a[i, k] * b[k, j] }            ==>               loop (acc = 0) for k < m { acc + a[i, k] * b[k, j] } } }
//!                                                         else { segred (i < n: thread, j < p: thread, k < m: thread) ... }
//! ```
//!
//! Adjacent points read the same rows and adjacent columns, which several work-items per point would not. In addition, the
//! lowering recognises the loop and stages its tiles in local memory. The threshold is a parameter, `threads.FUNCTION.NUMBER`.

use rustc_hash::FxHashMap;
use warpwise_ir::traverse::free_in_expr;
use warpwise_ir::{Body, Expr, Function, Mapping, Operand, SegKind, SegOp, Stm, Type, Var};

use super::device::{give, spread_expr};
use super::nests::{by_points, threads_of, version};

/// Number of points that keep a device busy with one work-item each.
const ENOUGH_POINTS: i64 = 1 << 14;

/// Returns the versions of a reduction and the choice between them; `None` if one version is enough.
pub fn versions(function: &mut Function, stm: &Stm, nests: &mut usize) -> Option<Vec<Stm>> {
    let Expr::Seg(op) = &stm.expr else { return None };
    if !crosses(function, op) {
        return None;
    }
    let (_, outer) = op.space.split_last()?;
    let nest = points_of(function, stm, op);
    let points = version(function, &nest, &mut |_, mut expr| {
        if let Expr::Seg(op) = &mut expr {
            give(op, Mapping::Thread);
        }
        expr
    });
    let flat = version(function, stm, &mut spread_expr);
    let extents: Vec<Operand> = outer.iter().map(|dim| dim.extent).collect();
    let name = threads_of(function, nests);
    Some(by_points(function, stm, &extents, (name, ENOUGH_POINTS), [points, flat]))
}

/// Returns a reduction as a map over its points, with a reduction of the last dimension inside.
fn points_of(function: &mut Function, stm: &Stm, op: &SegOp) -> Stm {
    let mut outer = op.space.clone();
    let last = outer.pop().expect("a space has dimensions");
    let folded: Vec<Var> = stm.pattern.iter().map(|&var| function.fresh_like(var)).collect();
    for &var in &folded {
        let elem = function.ty(var).elem().expect("reductions of scalars give arrays of them");
        function.vars[var].ty = Type::Scalar(elem);
    }
    let result = folded.iter().map(|&var| var.into()).collect();
    let inner = SegOp { space: vec![last], kind: op.kind.clone(), body: op.body.clone() };
    let inner = Stm { pattern: folded, expr: Expr::Seg(Box::new(inner)), ..stm.clone() };
    let map = SegOp { space: outer, kind: SegKind::Map, body: Body { stms: vec![inner], result } };
    Stm { expr: Expr::Seg(Box::new(map)), ..stm.clone() }
}

/// Whether an operation reduces scalars over its last dimension, with loads that depend on the row but not on the column, and
/// loads that depend on the column but not on the row.
fn crosses(function: &Function, op: &SegOp) -> bool {
    let (SegKind::Reduce { reduces }, [.., row, column, _]) = (&op.kind, &op.space[..]) else { return false };
    let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
    if op.body.result.len() != n_reduced
        || op.body.result.iter().any(|&x| function.operand_type(x).rank() > 0)
    {
        return false;
    }
    // For each variable, whether it depends on the row, and whether on the column.
    let mut depends: FxHashMap<Var, (bool, bool)> = FxHashMap::default();
    depends.insert(row.index, (true, false));
    depends.insert(column.index, (false, true));
    let (mut by_row, mut by_column) = (false, false);
    for stm in &op.body.stms {
        let uses = free_in_expr(function, &stm.expr);
        let each = uses.iter().filter_map(|var| depends.get(&var));
        let all = each.fold((false, false), |all, each| (all.0 || each.0, all.1 || each.1));
        let loads = matches!(stm.expr, Expr::Index { .. })
            && stm.pattern.iter().all(|&var| matches!(function.ty(var), Type::Scalar(_)));
        if loads {
            by_row |= all == (true, false);
            by_column |= all == (false, true);
        }
        depends.extend(stm.pattern.iter().map(|&var| (var, all)));
    }
    by_row && by_column
}
