//! Splits a map with few outer iterations, so that the map at its end is parallel over both: the code before it is split off.
//!
//! ```text
//! ys: [n][m]f32 = segmap (i < n: seq) {
//!   ... x: f32 = ...; row: [k]f32 = segmap ...;
//!   zs: [m]f32 = segmap (j < m: seq) { ... x ... row ... };
//!   return zs };
//! ==>
//! few: bool = slt n 64;
//! ys: [n][m]f32 = if few {
//!   xs: [n]f32, rows: [n][k]f32 = segmap (i < n: seq) { ...; return x, row };
//!   zs: [n][m]f32 = segmap (i < n: seq, j < m: seq) { x: f32 = index xs[i]; row: [k]f32 = index rows[i]; ... };
//!   return zs
//! } else { ys = ... as it was ...; return ys };
//! ```
//!
//! If only scalars come before, they move into the inner map instead. `schedule` does so by itself, unless lanes run the outer
//! iterations.
//!
//! `schedule` makes tasks of the outermost dimensions of a perfect nest. With one image, or four data sets, most cores would be
//! idle. Many outer iterations are enough tasks by themselves and keep intermediate values in caches.
//!
//! Needs sizes known outside. The first failing iteration must stay the first, so no map is split if checks on both sides could
//! fail in different iterations. Not done here: reductions and scans at the end, deeper levels.

use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::traverse::{Copier, Substitution, free_in_expr};
use warpwise_ir::{Body, Branch, Expr, Function, Mapping, Operand, Program, SegKind, SegOp, Stm, Type, Var};
use warpwise_prim::CompareOp;

use crate::pass::replace_operations;
use crate::schedule::{cost, wants_outer_lanes};

/// Number of outer iterations from which on each is a task.
const MANY: i64 = 64;

/// Splits imperfect nests of every function.
pub fn distribute(program: &mut Program) -> Result<(), Limit> {
    replace_operations(program, |function, stm, op| {
        let split = split(function, op)?;
        Some(versions(function, stm.clone(), split).into())
    });
    Ok(())
}

/// The two operations that an imperfect nest becomes.
struct Split {
    /// Computes the values that the map at the end needs; `None` if that code became part of the map.
    before: Option<SegOp>,
    /// The results of `before`, as variables of the nest.
    needed: Vec<Var>,
    /// The map at the end, over both spaces. The variables of `needed` are free in it.
    map: SegOp,
}

fn split(function: &Function, op: &SegOp) -> Option<Split> {
    let [dim] = op.space[..] else { return None };
    let (last, before) = op.body.stms.split_last()?;
    let Expr::Seg(inner) = &last.expr else { return None };
    let yields_it = op.body.result.iter().copied().eq(last.pattern.iter().map(|&var| Operand::Var(var)));
    // The chunks of a stream are deliberately few.
    let is_chunk = dim.mapping == Mapping::Task;
    if is_chunk || op.kind != SegKind::Map || inner.kind != SegKind::Map || before.is_empty() || !yields_it {
        return None;
    }
    // `schedule` makes one space of both anyway.
    if before.iter().all(|stm| cost::is_cheap(&stm.expr)) && !wants_outer_lanes(function, op) {
        return None;
    }
    let local: FxHashSet<Var> = before.iter().flat_map(|stm| stm.pattern.iter().copied()).collect();
    let outside = |x: Operand| x.as_var().is_none_or(|var| var != dim.index && !local.contains(&var));
    let varying = before.iter().any(|stm| {
        if let Expr::Assert { cond, .. } = &stm.expr { !outside(*cond) } else { fails(&stm.expr) }
    });
    if varying && fails(&last.expr) || !inner.space.iter().all(|inner| outside(inner.extent)) {
        return None;
    }
    let mut map = (**inner).clone();
    map.space.insert(0, dim);
    forget(&mut map.body, &local);
    if before.iter().all(|stm| is_scalar(function, stm)) {
        map.body.stms.splice(0..0, before.iter().cloned());
        return Some(Split { before: None, needed: Vec::new(), map });
    }
    let free = free_in_expr(function, &last.expr);
    let needed: Vec<Var> =
        free.iter().filter(|var| local.contains(var) && *function.ty(*var) != Type::Cert).collect();
    let storable = |&var: &Var| match function.ty(var) {
        Type::Scalar(_) => true,
        Type::Array(array) => array.shape.iter().all(|&extent| outside(extent)),
        Type::Acc(_) | Type::Cert | Type::Mem => false,
    };
    if !needed.iter().all(storable) {
        return None;
    }
    let result = needed.iter().map(|&var| var.into()).collect();
    let before = SegOp { space: vec![dim], kind: SegKind::Map, body: Body { stms: before.to_vec(), result } };
    Some(Split { before: Some(before), needed, map })
}

/// Whether a statement binds a scalar and is cheap enough to be computed for every point.
fn is_scalar(function: &Function, stm: &Stm) -> bool {
    let simple = matches!(
        stm.expr,
        Expr::Operand(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Ternary(..)
            | Expr::Compare(..)
            | Expr::Convert(..)
            | Expr::Select(..)
            | Expr::Index { .. }
    );
    simple && stm.pattern.iter().all(|&var| function.ty(var).as_scalar().is_some())
}

/// Whether an expression has checks inside.
fn fails(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Assert { .. });
    expr.for_each_body(|body| found |= body.stms.iter().any(|stm| fails(&stm.expr)));
    found
}

/// Drops certificates of checks that have succeeded once the operation before is over.
fn forget(body: &mut Body, certs: &FxHashSet<Var>) {
    for stm in &mut body.stms {
        stm.certs.retain(|cert| !certs.contains(cert));
        stm.expr.for_each_body_mut(|body| forget(body, certs));
    }
}

/// Returns the choice between the split nest and the original.
fn versions(function: &mut Function, stm: Stm, split: Split) -> [Stm; 2] {
    let Split { before, needed, mut map } = split;
    let dim = map.space[0];
    let plain = |pattern, expr| Stm { pattern, expr, certs: vec![], span: stm.span };
    let copy =
        |function: &mut Function, expr: &Expr| Copier::within(function, Substitution::new()).copy_expr(expr);
    let whole = copy(function, &stm.expr);
    let before = before.map(|before| copy(function, &Expr::Seg(Box::new(before))));
    let mut arrays = Vec::new();
    for &var in &needed {
        let ty = function.ty(var).array_of(&[dim.extent]);
        arrays.push(function.fresh("each", ty));
    }
    let loads = needed
        .iter()
        .zip(&arrays)
        .map(|(&var, &array)| plain(vec![var], Expr::Index { array, indices: vec![dim.index.into()] }));
    map.body.stms.splice(0..0, loads.collect::<Vec<_>>());
    let mut results = || -> Vec<Var> { stm.pattern.iter().map(|&var| function.fresh_like(var)).collect() };
    let (split_results, whole_results) = (results(), results());
    let body =
        |stms, results: Vec<Var>| Body { stms, result: results.into_iter().map(Operand::Var).collect() };
    let with_certs = |pattern, expr| Stm { certs: stm.certs.clone(), ..plain(pattern, expr) };
    let mut stms: Vec<Stm> = before.into_iter().map(|before| with_certs(arrays.clone(), before)).collect();
    stms.push(with_certs(split_results.clone(), Expr::Seg(Box::new(map))));
    let then_body = body(stms, split_results);
    let else_body = body(vec![with_certs(whole_results.clone(), whole)], whole_results);
    let few = function.fresh("few", Type::BOOL);
    let is_few = plain(vec![few], Expr::Compare(CompareOp::SLt, dim.extent, Operand::i64(MANY)));
    let choice = Expr::If { cond: few.into(), then_body, else_body, branch: Branch::Plain };
    [is_few, plain(stm.pattern.clone(), choice)]
}
