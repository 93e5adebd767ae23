//! Chooses how parallelism is exploited: assigns a mapping to every dimension of every segmented operation.
//!
//! On a CPU outer levels become tasks, one level becomes lanes, and the rest become sequential loops. The level for lanes is
//! chosen by the accesses in the body (contiguous, uniform or gathered) and by trip counts, not by nesting position (specs:
//! `cpu-speed.md`, "Lanes").
//!
//! ```text
//! ys: [n]f32 = segmap (i < n: seq) {              ys: [n]f32 = segmap (i < n: task) {
//!   row: [m]f32 = index a[i];                       row: [m]f32 = index a[i];
//!   s: f32 = segred (j < m: seq) (...) {...};  ==>   s: f32 = segred (j < m: lane) (...) {...};
//!   return s                                        return s
//! };                                              };
//! ```
//!
//! For every nest, [`lanes`] maps one dimension of every path to lanes. The outer dimensions become tasks; perfect nests of maps
//! are flattened into one space. [`loops`] turns reductions that stay sequential into loops, so that later passes see their
//! arithmetic. If the choice of lanes depends on the lengths of inner dimensions, [`versions`] keeps two versions and selects one
//! at run time.
//!
//! On devices the outermost operation of a nest is spread over work-items, or over work-groups whose work-items share the inner
//! operations, or the nest is split: see [`device`], [`nests`], [`crossing`] and [`riders`].
//!
//! Not done here: splitting few long rows among tasks, and flattening of irregular nests.

pub mod access;
pub mod cost;
mod crossing;
pub mod device;
mod folded_nests;
mod lanes;
pub mod loops;
mod nests;
mod riders;
pub mod rows;
mod split;
pub mod versions;

use warpwise_diag::Limit;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{Body, Expr, Function, Mapping, Operand, Program, SegKind, SegOp, Var};

use access::{Access, Layout};
use cost::Guess;

type Layouts = SecondaryMap<Var, Option<Layout>>;

/// Schedules every function for a CPU.
pub fn schedule(program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        let layouts = Access::host_layouts(function, &function.body);
        let mut body = std::mem::take(&mut function.body);
        host_body(function, &layouts, &mut body);
        loops::sequential_reductions(&mut body);
        function.body = body;
    }
    Ok(())
}

/// Whether a nest with long dimensions runs better with its outermost operation in lanes than with its inner ones. Used by earlier
/// passes that depend on this choice.
pub fn wants_outer_lanes(function: &Function, op: &SegOp) -> bool {
    let mut op = op.clone();
    lanes::assign(function, &Layouts::default(), &mut op, Guess::LONG);
    op.space.last().is_some_and(|dim| dim.mapping == Mapping::Lane)
}

/// Schedules the segmented operations of a host body.
fn host_body(function: &mut Function, layouts: &Layouts, body: &mut Body) {
    let mut stms = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        if let Expr::Seg(op) = &mut stm.expr {
            let short = versions::short_inside(function, layouts, op)
                .or_else(|| versions::few_rows(function, layouts, op));
            lanes::assign(function, layouts, op, Guess::LONG);
            give_tasks(op);
            versions::choose(function, stm, short, &mut stms);
        } else {
            stm.expr.for_each_body_mut(|body| host_body(function, layouts, body));
            stms.push(stm);
        }
    }
    body.stms = stms;
}

/// Merges a perfect nest of maps into one operation.
fn flatten(op: &mut SegOp) {
    while let Some(inner) = perfect_inner(op).filter(|inner| inner.kind == SegKind::Map) {
        absorb(op, *inner);
    }
}

/// Maps the outer dimensions of a nest to tasks, and flattens perfect nests of maps.
fn give_tasks(op: &mut SegOp) {
    flatten(op);
    for dim in &mut op.space {
        dim.mapping = match dim.mapping {
            Mapping::Lane | Mapping::TaskLane => Mapping::TaskLane,
            Mapping::Seq | Mapping::Task => Mapping::Task,
            Mapping::Grid | Mapping::Group | Mapping::Thread => unreachable!("no GPU mappings on a CPU"),
        };
    }
}

/// Merges a map with the inner operation that computes its results.
fn absorb(op: &mut SegOp, inner: SegOp) {
    op.body.stms.pop();
    op.body.stms.extend(inner.body.stms);
    op.body.result = inner.body.result;
    op.space.extend(inner.space);
    op.kind = inner.kind;
}

/// Returns the operation that computes the results of a map, if only cheap statements come before it, its extents do not depend
/// on them, and the outer dimensions do not run in lanes.
fn perfect_inner(op: &SegOp) -> Option<Box<SegOp>> {
    let lanes_outside = op.space.iter().any(|dim| dim.mapping == Mapping::Lane);
    if op.kind != SegKind::Map || lanes_outside {
        return None;
    }
    let (last, before) = op.body.stms.split_last()?;
    let Expr::Seg(inner) = &last.expr else { return None };
    let yields_it = op.body.result.len() == last.pattern.len()
        && op.body.result.iter().zip(&last.pattern).all(|(result, var)| result.as_var() == Some(*var));
    if !yields_it || !before.iter().all(|stm| cost::is_cheap(&stm.expr)) {
        return None;
    }
    let bound_before = |operand: Operand| {
        operand.as_var().is_some_and(|var| {
            op.space.iter().any(|dim| dim.index == var) || before.iter().any(|stm| stm.pattern.contains(&var))
        })
    };
    if inner.space.iter().any(|dim| bound_before(dim.extent)) {
        return None;
    }
    Some(inner.clone())
}
