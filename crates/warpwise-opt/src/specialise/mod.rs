//! Gives lane dimensions, and grids of work-items, a faster version of their body for the interior of their range.
//!
//! Border handling makes neighbours' indices vary irregularly from lane to lane, so that contiguous loads become gathers. Almost
//! all groups of lanes contain no border:
//!
//! ```text
//! segmap (i < h: task, j < w: task lane) {        segmap (i < h: task, j < w: task lane) {
//!   first = eq j 0;                                 inside = ne j 0;
//!   left = sub j 1;                                 r = if inside specialised {
//!   k = select first 0 left;                 ==>        left = sub j 1; x = index a[i, left]; return x }
//!   x = index a[i, k];                                else { ... the body as it was ... };
//!   return x }                                      return r }
//! ```
//!
//! The pass decides comparisons of a value linear in the lane index with a uniform value, and minima and maxima of such values,
//! including clamps of clamps. In the interior an equality fails, a bound holds or fails as it does in the middle of the range, and
//! a clamp has no effect. A remainder by the size of the dimension, as in `a[(j + 1) % w]`, is a difference there ([`decisions`]).
//! The general version is correct everywhere, so groups of lanes that straddle a border use it for all lanes
//! ([`Branch::Specialised`]).
//!
//! Indices that a program computes in 32 bits are computed in 64 bits in the fast version, if all of them fit ([`widen`]). Loads
//! of neighbours are then contiguous, which justifies a version even without a border.
//!
//! For a grid of work-items (`segmap (i < h: thread, j < w: thread)`) the interior is that of all dimensions. It is specialised
//! if the body is straight, because work-items then compute several rows of it at a time.
//!
//! Maps and reductions whose bodies yield scalars are specialised. Not done here: conditions on indices of loops inside the body.

mod decisions;
mod prefix;
mod widen;

use std::ops::RangeFrom;

use rustc_hash::FxHashMap;
use warpwise_diag::{Limit, Span};
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Branch, Expr, Function, Mapping, Operand, Program, SegDim, SegKind, SegOp, Stm, Var,
};

use crate::pass::rewrite_bodies;
use crate::schedule::access::{Access, Variance};
use crate::schedule::cost::is_cheap_body;
use decisions::{Finder, note_scalar};
use prefix::Prefix;
use widen::{Widened, widened};

/// Specialises the lane dimensions of every function.
pub fn specialise(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| walk(function, &mut FxHashMap::default(), body));
    Ok(())
}

/// Rewrites the operations of a body. `before` has the scalar work before it.
fn walk(function: &mut Function, before: &mut FxHashMap<Var, Expr>, body: &mut Body) {
    for stm in &mut body.stms {
        if let Expr::Seg(op) = &mut stm.expr
            && (runs_in_lanes(op) || is_grid_of_work_items(op))
        {
            specialise_op(function, before, op)
        } else {
            stm.expr.for_each_body_mut(|body| walk(function, before, body))
        }
        note_scalar(before, stm);
    }
}

fn runs_in_lanes(op: &SegOp) -> bool {
    let last = op.space.last().expect("a space has dimensions");
    matches!(last.mapping, Mapping::Lane | Mapping::TaskLane)
}

/// Whether each point of a space of two or more dimensions is a work-item whose body is straight.
fn is_grid_of_work_items(op: &SegOp) -> bool {
    let all_threads = op.space.iter().all(|dim| dim.mapping == Mapping::Thread);
    all_threads && op.space.len() > 1 && op.kind == SegKind::Map && is_cheap_body(&op.body)
}

fn specialise_op(function: &mut Function, earlier: &FxHashMap<Var, Expr>, op: &mut SegOp) {
    let scalars = op.body.result.iter().all(|&x| function.operand_type(x).as_scalar().is_some());
    let points_apart = matches!(op.kind, SegKind::Map | SegKind::Reduce { .. });
    if !points_apart || !scalars || !loads(&op.body) {
        return;
    }
    let Widened { body: mut fast, stms: before, fits } = widened(function, earlier, op);
    let accesses = accesses(function, op, &fast);
    let is_in_order = runs_in_lanes(op)
        && in_order(&fast, &accesses) > in_order(&op.body, &self::accesses(function, op, &op.body));
    let dims = &op.space[borders(op)];
    let Finder { decisions, scalars, bound, .. } = Finder::of(&accesses, dims, earlier, &fast);
    let mut prefix = Prefix::new(function, &scalars, &bound, before);
    let mut inside = fits.as_var().map(Operand::Var);
    let mut decided = FxHashMap::default();
    for decision in decisions {
        if decision.given.iter().all(|var| decided.contains_key(var))
            && let Some((holds, value)) = prefix.interior(&decision.interior)
        {
            inside = Some(prefix.both(inside, holds));
            decided.insert(decision.var, value);
        }
    }
    if decided.is_empty() && !is_in_order {
        return;
    }
    let mut stms = prefix.stms;
    decide(&mut fast, &decided);
    let Some(inside) = inside else {
        stms.append(&mut fast.stms);
        op.body = Body { stms, result: fast.result };
        return;
    };
    let general = std::mem::take(&mut op.body);
    let fast = Copier::within(function, Substitution::new()).copy_body(&fast);
    let result: Vec<Var> = general
        .result
        .iter()
        .map(|&x| {
            let ty = function.operand_type(x);
            function.fresh("r", ty)
        })
        .collect();
    let branch = Branch::Specialised;
    let expr = Expr::If { cond: inside, then_body: fast, else_body: general, branch };
    stms.push(Stm { pattern: result.clone(), expr, certs: vec![], span: Span::NONE });
    op.body = Body { stms, result: result.into_iter().map(Operand::Var).collect() };
}

fn loads(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut inner = matches!(stm.expr, Expr::Index { .. });
        stm.expr.for_each_body(|body| inner |= loads(body));
        inner
    })
}

/// Returns the variance of the values of a body along each dimension of a space that could have a border.
fn accesses<'f>(function: &'f Function, op: &SegOp, body: &Body) -> Vec<Access<'f>> {
    let along = |dim: &SegDim| Access::along(function, &SecondaryMap::default(), dim.index, body);
    op.space[borders(op)].iter().map(along).collect()
}

/// Returns the dimensions of a space that have borders: the one that runs in lanes, or all.
fn borders(op: &SegOp) -> RangeFrom<usize> {
    if runs_in_lanes(op) { op.space.len() - 1.. } else { 0.. }
}

/// Returns the number of loads that are uniform or contiguous.
fn in_order(body: &Body, accesses: &[Access]) -> usize {
    let is_in_order = |array: Var, indices: &[Operand]| {
        accesses.iter().all(|access| access.at(array, indices.iter().copied()) != Variance::Other)
    };
    let loads = body.stms.iter().map(|stm| {
        let own = matches!(&stm.expr, Expr::Index { array, indices } if is_in_order(*array, indices));
        let mut inner = usize::from(own);
        stm.expr.for_each_body(|body| inner += in_order(body, accesses));
        inner
    });
    loads.sum()
}

/// Replaces decided variables by their values.
fn decide(body: &mut Body, decided: &FxHashMap<Var, Expr>) {
    for stm in &mut body.stms {
        match stm.pattern.first().and_then(|var| decided.get(var)) {
            Some(value) => stm.expr = value.clone(),
            None => stm.expr.for_each_body_mut(|body| decide(body, decided)),
        }
    }
}
