//! Chooses how parallelism is exploited on a CPU: level `soac` to level `seg`.
//!
//! Outer levels become tasks, one level becomes lanes, the rest sequential loops. Which level runs in
//! lanes is decided by what the accesses in the body look like (contiguous, uniform or gathered)
//! and by trip counts, not by nesting position (specs: `cpu-speed.md`, "Lanes").
//!
//! ```text
//! ys: [n]f32 = screma n (a) map (row: [m]f32) {          ys: [n]f32 = segmap (i < n: task) {
//!   s: f32 = screma m (row, x) map (...) {...}             row: [m]f32 = index a[i];
//!     reduce (...) {...} [0f32];                     ==>   s: f32 = segred (j < m: lane) (...) { ... };
//!   return s                                               return s
//! };                                                     };
//! ```
//!
//! Three steps for every nest: [`segment`] turns SOACs into segmented operations with all dimensions
//! sequential; [`lanes`] gives one dimension of every path to the lanes; here the rest of the outer
//! dimensions become tasks and perfect nests are flattened into one index space.
//!
//! A reduction or scan whose operator works on arrays becomes a sequential loop around its operator,
//! whose own parallelism remains. Not done here: flattening for GPUs, streams, accumulators and
//! `flatmap` (each a located limit).

mod access;
mod cost;
mod lanes;
mod segment;
mod sequential;

use warpwise_diag::Limit;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{Body, Expr, Function, Mapping, Operand, Program, SegKind, SegOp, Stm, Var};

use access::{Access, Layout};

type Layouts = SecondaryMap<Var, Option<Layout>>;

/// Schedules every function for a CPU.
pub fn schedule(program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        let layouts = Access::host_layouts(function, &function.body);
        let body = std::mem::take(&mut function.body);
        function.body = host_body(function, &layouts, body)?;
    }
    Ok(())
}

/// Schedules the SOACs of a body that the host runs.
fn host_body(function: &mut Function, layouts: &Layouts, body: Body) -> Result<Body, Limit> {
    let mut stms = Vec::with_capacity(body.stms.len());
    for stm in body.stms {
        host_stm(function, layouts, stm, &mut stms)?;
    }
    Ok(Body { stms, result: body.result })
}

fn host_stm(
    function: &mut Function,
    layouts: &Layouts,
    mut stm: Stm,
    out: &mut Vec<Stm>,
) -> Result<(), Limit> {
    match stm.expr {
        Expr::If { cond, then_body, else_body, branch } => {
            let then_body = host_body(function, layouts, then_body)?;
            let else_body = host_body(function, layouts, else_body)?;
            stm.expr = Expr::If { cond, then_body, else_body, branch };
            out.push(stm);
        }
        Expr::Loop { params, form, body } => {
            let body = host_body(function, layouts, body)?;
            stm.expr = Expr::Loop { params, form, body };
            out.push(stm);
        }
        _ if sequential::needs_loop(function, &stm.expr) => {
            for stm in sequential::to_loop(function, stm, sequential::Around::Host)? {
                host_stm(function, layouts, stm, out)?;
            }
        }
        _ => {
            let mut stms = segment::segment_stm(function, stm)?;
            for stm in &mut stms {
                if let Expr::Seg(op) = &mut stm.expr {
                    lanes::assign(function, layouts, op);
                    give_tasks(op);
                }
            }
            out.append(&mut stms);
        }
    }
    Ok(())
}

/// Maps the outer dimensions of a nest to tasks, flattening perfect nests of maps on the way.
fn give_tasks(op: &mut SegOp) {
    while let Some(inner) = perfect_inner(op) {
        let inner = *inner;
        op.body.stms.pop();
        op.body.stms.extend(inner.body.stms);
        op.body.result = inner.body.result;
        op.space.extend(inner.space);
    }
    for dim in &mut op.space {
        dim.mapping = match dim.mapping {
            Mapping::Lane | Mapping::TaskLane => Mapping::TaskLane,
            Mapping::Seq | Mapping::Task => Mapping::Task,
            Mapping::Grid | Mapping::Group | Mapping::Thread => unreachable!("no GPU mappings on a CPU"),
        };
    }
}

/// The map that is all a map over other dimensions does, but for cheap statements before it, when
/// its extents do not depend on them and the outer one does not run in lanes.
fn perfect_inner(op: &SegOp) -> Option<Box<SegOp>> {
    let lanes_outside = op.space.iter().any(|dim| dim.mapping == Mapping::Lane);
    if op.kind != SegKind::Map || lanes_outside {
        return None;
    }
    let (last, before) = op.body.stms.split_last()?;
    let Expr::Seg(inner) = &last.expr else { return None };
    let yields_it = op.body.result.len() == last.pattern.len()
        && op.body.result.iter().zip(&last.pattern).all(|(result, var)| result.as_var() == Some(*var));
    if inner.kind != SegKind::Map || !yields_it || !before.iter().all(|stm| cost::is_cheap(&stm.expr)) {
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
