//! Two versions of a nest whose best lanes depend on how long its inner dimensions are.
//!
//! ```text
//! short: bool = slt m 16;
//! ys: [n]f32 = if short { zs = segmap (i < n: task lane) { ... loop for j < m ... }; return zs }
//!              else { zs = segmap (i < n: task) { ... segred (j < m: lane) ... }; return zs };
//! ```
//!
//! Sums and scans of many rows of four want one row a lane; those of rows of thousands want the lanes along the row.

use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Branch, Expr, Function, Mapping, Operand, SegKind, SegOp, Stm, Type, Var};
use warpwise_prim::CompareOp;

use super::cost::Guess;
use super::{Layouts, give_tasks, lanes};

/// Inner dimensions below this are short: less than a vector.
const SHORT: i64 = 16;

/// The same for scans whose rows leave the nest: lanes side by side store them element by element, a row apart.
const SHORT_STORED: i64 = 3;

/// A version of a nest for where its inner dimension is short.
pub struct ShortVersion {
    /// Scheduled, with variables of its own.
    op: SegOp,
    /// The extent that decides.
    extent: Operand,
    /// Below which length it runs.
    below: i64,
}

/// The version for a short inner dimension, if it differs from the one for a long one. Only maps without results in
/// place have two versions, and only if one extent, known outside, decides.
pub fn short_inside(function: &mut Function, layouts: &Layouts, op: &SegOp) -> Option<ShortVersion> {
    if op.kind != SegKind::Map {
        return None;
    }
    let extent = inner_extent(op)?;
    let mut long = op.clone();
    lanes::assign(function, layouts, &mut long, Guess::LONG);
    let mut short = op.clone();
    lanes::assign(function, layouts, &mut short, Guess::SHORT_INSIDE);
    if runs_in_lanes(&long) || !runs_in_lanes(&short) {
        return None;
    }
    give_tasks(&mut short);
    let below = if scans_leave(op) { SHORT_STORED } else { SHORT };
    let copied = Copier::within(function, Substitution::new()).copy_expr(&Expr::Seg(Box::new(short)));
    let Expr::Seg(op) = copied else { unreachable!("a copy is alike") };
    Some(ShortVersion { op: *op, extent, below })
}

/// Emits a scheduled statement, or the choice between it and its short version.
pub fn choose(function: &mut Function, stm: Stm, short: Option<ShortVersion>, out: &mut Vec<Stm>) {
    let Some(ShortVersion { op, extent, below }) = short else {
        out.push(stm);
        return;
    };
    let Stm { pattern, expr, certs, span } = stm;
    let plain = |pattern, expr| Stm { pattern, expr, certs: vec![], span };
    let cond = function.fresh("short", Type::BOOL);
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

/// Whether what a scan right inside makes is a result as it is.
fn scans_leave(op: &SegOp) -> bool {
    op.body.stms.iter().any(|stm| {
        let scans = matches!(&stm.expr, Expr::Seg(inner) if matches!(inner.kind, SegKind::Scan { .. }));
        scans && stm.pattern.iter().any(|&var| op.body.result.contains(&var.into()))
    })
}

fn runs_in_lanes(op: &SegOp) -> bool {
    op.space.last().is_some_and(|dim| dim.mapping == Mapping::Lane)
}

/// The one extent of the reductions and scans right inside, if it is a variable bound outside. (Maps inside maps mostly
/// become one flat space, for which two versions do not pay.)
fn inner_extent(op: &SegOp) -> Option<Operand> {
    let mut extents = op.body.stms.iter().filter_map(|stm| {
        if let Expr::Seg(inner) = &stm.expr
            && matches!(inner.kind, SegKind::Reduce { .. } | SegKind::Scan { .. })
        {
            Some(inner.space[0].extent)
        } else {
            None
        }
    });
    let extent = extents.next()?;
    let var = extent.as_var()?;
    let bound_inside = op.space.iter().any(|dim| dim.index == var)
        || op.body.stms.iter().any(|stm| stm.pattern.contains(&var));
    (extents.all(|other| other == extent) && !bound_inside).then_some(extent)
}
