//! Two versions of a nest whose best lanes depend on the lengths of its inner dimensions.
//!
//! ```text
//! short: bool = slt m 8;
//! ys: [n]f32 = if short { zs = segmap (i < n: task lane) { ... loop for j < m ... }; return zs }
//!              else { zs = segmap (i < n: task) { ... segred (j < m: lane) ... }; return zs };
//! ```
//!
//! Sums of many rows that do not fill a vector want one row per lane. Scans of such rows want no lanes, because lanes would store
//! elements a row apart. Rows of thousands of elements want lanes along the row. If each lane takes a row, few rows leave most
//! lanes idle while every access is a gather; so few rows run without lanes, or with lanes along them, whichever is cheaper. A
//! nest has at most two versions.

use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Branch, Expr, Function, Mapping, Operand, SegKind, SegOp, Stm, Type, Var, exprs};
use warpwise_prim::CompareOp;

use super::cost::Guess;
use super::{Layouts, flatten, give_tasks, lanes};

/// Size in bytes below which a row, shorter than a vector, is left to a single lane.
const SHORT_BYTES: i64 = 32;

/// Number of elements below which a row runs without lanes.
const SHORT: i64 = 16;

/// Maximum number of rows that count as few: a quarter of a vector. If these are enough for lanes, a single row may not be.
const FEW: i64 = 4;

/// Minimum number of rows for one row per lane, if the alternative is lanes along the rows. Fewer rows fill fewer vectors than
/// the workers need.
const FEW_VECTORS: i64 = 64;

/// Maximum number of statements of a body that gets a version for few rows. The version would double its compile time.
const MOST_STATEMENTS: usize = 40;

/// A version of a nest for a short dimension.
pub struct ShortVersion {
    /// The scheduled operation, with fresh variables.
    op: SegOp,
    /// The extent that the condition tests.
    extent: Operand,
    /// The length below which the version runs.
    below: i64,
    /// The name of the condition.
    name: &'static str,
}

/// Returns the version for a short inner dimension, if it differs from the one for a long dimension. Only maps without in-place
/// results have two versions, and only if a single extent, known outside, decides.
pub fn short_inside(function: &mut Function, layouts: &Layouts, op: &SegOp) -> Option<ShortVersion> {
    if op.kind != SegKind::Map {
        return None;
    }
    let mut nest = op.clone();
    flatten(&mut nest);
    let extent = inner_extent(&nest)?;
    let mut long = nest.clone();
    lanes::assign(function, layouts, &mut long, Guess::LONG);
    let mut short = nest;
    lanes::assign(function, layouts, &mut short, Guess::SHORT_INSIDE);
    let below = if runs_in_lanes(&long) {
        return None;
    } else if runs_in_lanes(&short) {
        SHORT_BYTES / widest(function, &short)
    } else if scans(&short) && lanes_inside(&long.body) && !lanes_inside(&short.body) {
        // Not for sums: along lanes, sums of a few elements take little longer than without lanes.
        SHORT
    } else {
        return None;
    };
    Some(version(function, short, extent, (below, "short")))
}

/// Returns the version for few rows of a nest that gives each lane a row, if the version differs.
pub fn few_rows(function: &mut Function, layouts: &Layouts, op: &SegOp) -> Option<ShortVersion> {
    let last = |op: &SegOp| {
        let mut op = op.clone();
        give_tasks(&mut op);
        op.space.last().map(|dim| (dim.extent, dim.mapping == Mapping::TaskLane, op.space.len()))
    };
    if op.kind != SegKind::Map || statements(&op.body) > MOST_STATEMENTS {
        return None;
    }
    let mut many = op.clone();
    lanes::assign(function, layouts, &mut many, Guess::LONG);
    let (extent, in_lanes, dimensions) = last(&many)?;
    // In a flattened space lanes continue in the next row, unless each row needs memory.
    let stays = if dimensions > 1 { makes_rows(function, &op.body) } else { has_loops(&op.body) };
    if !in_lanes || extent.as_var().is_none() || !stays {
        return None;
    }
    [FEW, 1].into_iter().find_map(|rows| {
        let mut few = op.clone();
        lanes::assign(function, layouts, &mut few, Guess::few(extent, rows as f64));
        let differs = last(&few).is_some_and(|(other, in_lanes, _)| !in_lanes || other != extent);
        // A single row is about as fast in one lane as without lanes. Only lanes along the row pay off.
        let along = lanes_inside(&few.body);
        let below = if along { FEW_VECTORS } else { rows + 1 };
        (differs && (rows > 1 || along)).then(|| version(function, few, extent, (below, "few")))
    })
}

fn version(
    function: &mut Function,
    mut op: SegOp,
    extent: Operand,
    (below, name): (i64, &'static str),
) -> ShortVersion {
    give_tasks(&mut op);
    let copied = Copier::within(function, Substitution::new()).copy_expr(&Expr::Seg(Box::new(op)));
    let Expr::Seg(op) = copied else { unreachable!("a copy is alike") };
    ShortVersion { op: *op, extent, below, name }
}

fn lanes_inside(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut inside = matches!(&stm.expr, Expr::Seg(op) if runs_in_lanes(op));
        stm.expr.for_each_body(|body| inside |= lanes_inside(body));
        inside
    })
}

/// Returns the number of statements of a body and its inner bodies.
pub fn statements(body: &Body) -> usize {
    let mut inside = 0;
    body.stms.iter().for_each(|stm| stm.expr.for_each_body(|body| inside += statements(body)));
    inside + body.stms.len()
}

fn has_loops(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut inside = matches!(stm.expr, Expr::Loop { .. } | Expr::Seg(_));
        stm.expr.for_each_body(|body| inside |= has_loops(body));
        inside
    })
}

/// Whether a body makes arrays that it reads itself.
fn makes_rows(function: &Function, body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let is_array =
            stm.pattern.iter().any(|&var| function.ty(var).rank() > 0 && !body.result.contains(&var.into()));
        let mut makes = is_array && matches!(&stm.expr, exprs!(fresh, Seg));
        stm.expr.for_each_body(|body| makes |= makes_rows(function, body));
        makes
    })
}

/// Emits a scheduled statement, or the choice between it and its short version.
pub fn choose(function: &mut Function, stm: Stm, short: Option<ShortVersion>, out: &mut Vec<Stm>) {
    let Some(ShortVersion { op, extent, below, name }) = short else {
        out.push(stm);
        return;
    };
    let Stm { pattern, expr, certs, span } = stm;
    let plain = |pattern, expr| Stm { pattern, expr, certs: vec![], span };
    let cond = function.fresh(name, Type::BOOL);
    out.push(plain(vec![cond], Expr::Compare(CompareOp::SLt, extent, Operand::i64(below))));
    let mut version = |expr: Expr| {
        let results: Vec<Var> = pattern.iter().map(|&var| function.fresh_like(var)).collect();
        let result = results.iter().map(|&var| var.into()).collect();
        Body { stms: vec![Stm { certs: certs.clone(), ..plain(results, expr) }], result }
    };
    let then_body = version(Expr::Seg(Box::new(op)));
    let else_body = version(expr);
    let branch = Branch::Plain;
    out.push(plain(pattern, Expr::If { cond: cond.into(), then_body, else_body, branch }));
}

/// Whether a scan is directly inside.
fn scans(op: &SegOp) -> bool {
    row_operations(op).any(|inner| matches!(inner.kind, SegKind::Scan { .. }))
}

/// Returns the size in bytes of the widest values that reductions and scans directly inside combine.
fn widest(function: &Function, op: &SegOp) -> i64 {
    let values = row_operations(op).flat_map(|inner| &inner.body.result);
    let bytes = values.filter_map(|&value| match function.operand_type(value) {
        Type::Scalar(ty) => Some(ty.bytes() as i64),
        Type::Array(_) | Type::Mem | Type::Cert | Type::Acc(_) => None,
    });
    bytes.max().unwrap_or(1)
}

/// Returns the reductions and scans directly inside.
fn row_operations(op: &SegOp) -> impl Iterator<Item = &SegOp> {
    op.body.stms.iter().filter_map(|stm| {
        let Expr::Seg(inner) = &stm.expr else { return None };
        matches!(inner.kind, SegKind::Reduce { .. } | SegKind::Scan { .. }).then_some(&**inner)
    })
}

fn runs_in_lanes(op: &SegOp) -> bool {
    op.space.last().is_some_and(|dim| dim.mapping == Mapping::Lane)
}

/// Returns the extent that all reductions and scans directly inside share, if it is a variable bound outside.
fn inner_extent(op: &SegOp) -> Option<Operand> {
    let mut extents = row_operations(op).map(|inner| inner.space[0].extent);
    let extent = extents.next()?;
    let var = extent.as_var()?;
    let bound_inside = op.space.iter().any(|dim| dim.index == var)
        || op.body.stms.iter().any(|stm| stm.pattern.contains(&var));
    (extents.all(|other| other == extent) && !bound_inside).then_some(extent)
}
