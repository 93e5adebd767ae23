//! Scheduling for devices: the outermost operation of every nest is spread over the work-items of the grid.
//!
//! ```text
//! ys: [n]f32 = segmap (i < n: seq) {              ys: [n]f32 = segred (i < n: thread) (j < m: thread)
//!   row: [m]f32 = index a[i];                       reduce (...) { ... } [0f32] {
//!   s: f32 = segred (j < m: seq) (...) {...};  ==>    row: [m]f32 = index a[i];
//!   return s                                        ...
//! };                                              };
//! ```
//!
//! Perfect nests become one operation: maps of maps, and maps of reductions and scans. The operators of these must not depend on
//! the outer dimensions, because partial results are combined where those are not known. The map after a scan gets the outer
//! values that it needs as additional values of the elements. The lowering decides, by the sizes at run time, how work-items share
//! the last dimension of such an operation. Everything further in runs in order within a work-item; reductions there become loops
//! (see [`super::loops`]).
//!
//! Imperfect nests have several versions (see [`super::nests`]), and so have the operations that they are split into, and
//! reductions that read as a matrix product does ([`super::crossing`]).
//!
//! Not done here: irregular nests.

use warpwise_diag::Limit;
use warpwise_ir::traverse::{Substitution, free_in_lambda};
use warpwise_ir::{Body, Expr, Function, Lambda, Mapping, Operand, Program, SegKind, SegOp, Stm, Type, Var};

use super::{absorb, crossing, folded_nests, loops, nests, perfect_inner, riders};

/// Schedules every function for a device.
pub fn schedule_device(program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        let mut body = std::mem::take(&mut function.body);
        host_body(function, &mut body, &mut 0);
        loops::sequential_reductions(&mut body);
        function.body = body;
    }
    Ok(())
}

/// Schedules the segmented operations of a host body. `nests` counts nests with several versions.
fn host_body(function: &mut Function, body: &mut Body, nests: &mut usize) {
    let mut stms = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        if let Expr::Seg(op) = &mut stm.expr {
            join(function, op);
            match riders::alone(function, &stm).or_else(|| folded_nests::apart(function, &stm)) {
                Some(parts) => parts.into_iter().for_each(|part| spread(function, part, nests, &mut stms)),
                None => spread(function, stm, nests, &mut stms),
            }
        } else {
            stm.expr.for_each_body_mut(|body| host_body(function, body, nests));
            stms.push(stm);
        }
    }
    body.stms = stms;
}

/// Spreads an operation of host code, in several versions if one is not enough.
pub(super) fn spread(function: &mut Function, mut stm: Stm, nests: &mut usize, stms: &mut Vec<Stm>) {
    if let Expr::Seg(op) = &mut stm.expr {
        join(function, op);
    }
    let versions =
        nests::versions(function, &stm, nests).or_else(|| crossing::versions(function, &stm, nests));
    match versions {
        Some(mut versions) => stms.append(&mut versions),
        None => {
            stm.expr = spread_expr(function, stm.expr);
            stms.push(stm);
        }
    }
}

/// Merges a perfect nest into one operation.
pub(super) fn join(function: &mut Function, op: &mut SegOp) {
    while let Some(mut inner) = perfect_inner(op).filter(|inner| can_join(function, op, inner)) {
        hand_to_post(function, op, &mut inner);
        absorb(op, *inner);
    }
}

/// Makes the outer values that the map after an inner scan uses additional values of each element, because that map runs where
/// the body of the outer map does not.
fn hand_to_post(function: &mut Function, outer: &SegOp, inner: &mut SegOp) {
    let SegKind::Scan { post: Some(post), .. } = &mut inner.kind else { return };
    let taken: Vec<Var> = free_in_lambda(function, post).iter().filter(|&var| binds(outer, var)).collect();
    let params: Vec<Var> = taken.iter().map(|&var| function.fresh_like(var)).collect();
    let by: Vec<Operand> = params.iter().map(|&param| param.into()).collect();
    Substitution::of(&taken, &by).apply_lambda(function, post);
    post.params.extend(params);
    inner.body.result.extend(taken.into_iter().map(Operand::from));
}

/// Whether an operation or its body binds a variable.
fn binds(op: &SegOp, var: Var) -> bool {
    op.space.iter().any(|dim| dim.index == var) || op.body.stms.iter().any(|stm| stm.pattern.contains(&var))
}

/// Spreads an operation over work-items, merged with its inner operation in a perfect nest. Everything further in runs in order.
pub(super) fn spread_expr(function: &mut Function, mut expr: Expr) -> Expr {
    if let Expr::Seg(op) = &mut expr {
        join(function, op);
        give(op, Mapping::Thread);
    }
    expr
}

/// Maps all dimensions of an operation alike. Everything further in runs in order.
pub(super) fn give(op: &mut SegOp, mapping: Mapping) {
    op.space.iter_mut().for_each(|dim| dim.mapping = mapping);
    in_order(&mut op.body);
    for lambda in lambdas_mut(&mut op.kind) {
        in_order(&mut lambda.body);
    }
}

/// Makes everything in a body run in order.
fn in_order(body: &mut Body) {
    for stm in &mut body.stms {
        if let Expr::Seg(op) = &mut stm.expr {
            op.space.iter_mut().for_each(|dim| dim.mapping = Mapping::Seq);
        }
        stm.expr.for_each_body_mut(in_order);
    }
}

/// Whether an operation inside a map can be merged with it.
fn can_join(function: &Function, outer: &SegOp, inner: &SegOp) -> bool {
    let mut operators: Vec<&Lambda> = Vec::new();
    let mut neutral: Vec<Operand> = Vec::new();
    match &inner.kind {
        SegKind::Map => return true,
        SegKind::Reduce { reduces } => {
            operators.extend(reduces.iter().map(|reduce| &reduce.op));
            neutral.extend(reduces.iter().flat_map(|reduce| &reduce.neutral));
        }
        SegKind::Scan { scans, reduces, post } => {
            let handed = post.iter().flat_map(|post| {
                free_in_lambda(function, post).iter().filter(|&var| binds(outer, var)).collect::<Vec<_>>()
            });
            if !handed.into_iter().all(|var| matches!(function.ty(var), Type::Scalar(_))) {
                return false;
            }
            operators.extend(scans.iter().map(|scan| &scan.op));
            operators.extend(reduces.iter().map(|reduce| &reduce.op));
            neutral.extend(scans.iter().flat_map(|scan| &scan.neutral));
            neutral.extend(reduces.iter().flat_map(|reduce| &reduce.neutral));
        }
        SegKind::Partition { .. } | SegKind::Scatter { .. } | SegKind::Hist { .. } => return false,
    }
    let bound = |var: Var| binds(outer, var);
    let scalars = |op: &&Lambda| op.params.iter().all(|&param| function.ty(param).rank() == 0);
    inner.space.len() == 1
        && operators.iter().all(scalars)
        && !operators.iter().any(|op| free_in_lambda(function, op).iter().any(bound))
        && !neutral.iter().filter_map(|x| x.as_var()).any(bound)
}

/// Returns the lambdas that an operation applies in addition to its body.
fn lambdas_mut(kind: &mut SegKind) -> Vec<&mut Lambda> {
    match kind {
        SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } => Vec::new(),
        SegKind::Reduce { reduces } => reduces.iter_mut().map(|reduce| &mut reduce.op).collect(),
        SegKind::Scan { scans, reduces, post } => {
            let scans = scans.iter_mut().map(|scan| &mut scan.op);
            scans.chain(reduces.iter_mut().map(|reduce| &mut reduce.op)).chain(post.as_mut()).collect()
        }
        SegKind::Hist { ops } => ops.iter_mut().map(|op| &mut op.op).collect(),
    }
}
