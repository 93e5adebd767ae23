//! Maps one dimension of every path through a nest to lanes.
//!
//! For each operation of a nest two plans compete: its last dimension in lanes and everything inside sequential, or one point at
//! a time and lanes further in, where they are best. The plan that is cheaper by [`cost`] wins. Gathers, short trip counts and
//! reductions within a vector speak against a dimension, contiguous and uniform accesses for it.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{Body, Expr, Function, Mapping, Operand, SegKind, SegOp, Stm, Var, exprs};

use super::access::{Access, Layout, Variance};
use super::cost::{self, Guess};
use super::rows;

/// Chooses lanes for a nest with sequential dimensions, or inside an operation whose points are tasks already.
pub fn assign(
    function: &Function,
    layouts: &SecondaryMap<Var, Option<Layout>>,
    op: &mut SegOp,
    guess: Guess,
) {
    let planner = Planner { function, layouts };
    if is_task(op) {
        plan_body(&planner, &mut op.body, guess.inside());
    } else {
        plan(&planner, op, guess);
    }
}

/// Whether the points of an operation are tasks already: chunks of a stream, which are too few and too long for lanes.
fn is_task(op: &SegOp) -> bool {
    op.space.last().is_some_and(|dim| dim.mapping == Mapping::Task)
}

struct Planner<'f> {
    function: &'f Function,
    layouts: &'f SecondaryMap<Var, Option<Layout>>,
}

/// Chooses lanes within an operation. Returns the resulting cost.
fn plan(planner: &Planner, op: &mut SegOp, guess: Guess) -> f64 {
    let own = lane_cost(planner, op, guess);
    let inside = plan_body(planner, &mut op.body, guess.inside());
    let moved = rows::by_vectors(rows::moved(planner.function, op, guess.inside()));
    let inner =
        cost::whole_trips(op, guess) * (inside + moved + cost::operators(planner.function, op, guess));
    if own <= inner {
        make_sequential(&mut op.body);
        op.space.last_mut().expect("a space has dimensions").mapping = Mapping::Lane;
        own
    } else {
        inner
    }
}

/// Chooses lanes for the operations inside a body that runs one value at a time. Returns the resulting cost.
fn plan_body(planner: &Planner, body: &mut Body, guess: Guess) -> f64 {
    let mut inner = Vec::new();
    for_each_seg(body, &mut |op| inner.push(plan(planner, op, guess)));
    let mut inner = inner.into_iter();
    cost::scalar_body(planner.function, body, guess, &mut |_| inner.next().unwrap_or(0.0))
}

/// Visits the outermost segmented operations of a body, in order.
fn for_each_seg(body: &mut Body, f: &mut dyn FnMut(&mut SegOp)) {
    for stm in &mut body.stms {
        if let Expr::Seg(op) = &mut stm.expr {
            f(op)
        } else {
            stm.expr.for_each_body_mut(|body| for_each_seg(body, f))
        }
    }
}

fn make_sequential(body: &mut Body) {
    for_each_seg(body, &mut |op| {
        op.space.iter_mut().for_each(|dim| dim.mapping = Mapping::Seq);
        make_sequential(&mut op.body);
    });
}

/// Returns the cost of an operation with its last dimension in lanes; infinite if lanes cannot run its body.
fn lane_cost(planner: &Planner, op: &SegOp, guess: Guess) -> f64 {
    let access = Access::of(planner.function, planner.layouts, op);
    let segments = matches!(&op.kind, SegKind::Scatter { dests } if dests.iter().any(|dest| dest.segments));
    let possible =
        !segments && op.body.stms.iter().all(|stm| can_run_in_lanes(planner.function, &access, stm));
    if possible { cost::in_lanes(planner.function, &access, op, guess) } else { f64::INFINITY }
}

/// Whether lanes can run a statement together: arrays made inside have the same size in every lane, no array is the result of a
/// choice, and no result has an unknown size.
fn can_run_in_lanes(function: &Function, access: &Access, stm: &Stm) -> bool {
    let uniform = |x: &Operand| access.operand(*x) == Variance::Uniform;
    let array_bound = stm.pattern.iter().any(|&var| function.ty(var).rank() > 0);
    let same_size = stm.pattern.iter().all(|&var| function.ty(var).shape().iter().all(uniform));
    let here = match &stm.expr {
        Expr::If { .. } => !array_bound,
        Expr::Seg(op) => {
            !matches!(op.kind, SegKind::Partition { .. })
                && op.space.iter().all(|dim| !array_bound || uniform(&dim.extent))
        }
        Expr::Call { .. } => false,
        // The offset of each part depends on the sizes of the parts before it, and must be the same in all lanes.
        Expr::Concat { arrays, .. } => {
            arrays.iter().all(|&array| function.ty(array).shape().iter().all(uniform))
        }
        exprs!(
            Operand, scalar, Assert, view, Update, Iota, Replicate, ArrayLit, Copy, Manifest, Scratch, Loop,
            soac, UpdateAcc, Tuned, Alloc
        ) => true,
    };
    let mut inside = true;
    stm.expr
        .for_each_body(|body| inside &= body.stms.iter().all(|stm| can_run_in_lanes(function, access, stm)));
    here && same_size && inside
}
