//! Computes several rows at a time if rows share loads: register tiles of matrix products.
//!
//! ```text
//! t: [n][p]f32 = segmap (i < n: task, j < p: task lane) {
//!   s: f32 = loop (acc: f32 = 0.0f32) for k: i64 < m {
//!     x: f32 = index a[i, k]; y: f32 = index b[k, j]; z: f32 = fmul x y; c: f32 = fadd acc z; return c };
//!   return s }
//! ==>
//! u: [blocks][p][8]f32 = segmap (block < blocks: task, j < p: task lane) {
//!   i0, ..., i7                              rows 8*block to 8*block + 7, at most n - 1
//!   s0, ..., s7 = loop (acc0, ..., acc7) for k: i64 < m {
//!     y: f32 = index b[k, j];                loaded once for all rows
//!     x0: f32 = index a[i0, k]; ... };
//!   row: [8]f32 = [s0, ..., s7];
//!   return row }
//! v: [blocks][8][p]f32 = rearrange (0, 2, 1) u;        `place` stores `u` in this order
//! w: [rows][p]f32 = reshape [rows][p] v;
//! t: [n][p]f32 = slice w[0:n:1, 0:p:1];
//! ```
//!
//! Values that do not depend on the row are computed once. Each row's sums keep their order, so results do not change. If there
//! are few rows, the original body runs. The shape decides, not the operators: two parallel dimensions, the inner in lanes, and a
//! loop with a load that varies in the loop and is the same for all rows.
//!
//! In addition, large products are blocked for the caches ([`blocks`]). So are large products whose summed dimension `schedule`
//! mapped to lanes because both operands are contiguous along it: packing transposes one of them.
//!
//! Not done here: bodies with checks, choices, arrays or nested loops.

mod blocks;
mod made;
mod rows;

use warpwise_diag::Limit;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Branch, Expr, Function, LoopForm, Mapping, Operand, Program, SegKind, SegOp, Stm, Type, Var,
};
use warpwise_prim::CompareOp;

use crate::pass::replace_operations;
use crate::schedule::loops::as_loop;
use crate::side_by_side::{dependents, is_plain};
use blocks::Product;
use made::Made;

/// Number of rows of a tile. With two vectors per row a tile fills half of 32 registers.
const ROWS: i64 = 8;

/// Minimum number of rows for tiles. The last tile may compute rows unnecessarily.
const LEAST_ROWS: i64 = 2 * ROWS;

/// Tiles matrix-product-shaped operations of every function.
pub fn tile(program: &mut Program) -> Result<(), Limit> {
    replace_operations(program, tiled);
    Ok(())
}

/// Returns the statements for an operation of host code that can be tiled. Nested operations belong to tasks already.
fn tiled(function: &mut Function, stm: &Stm, op: &SegOp) -> Option<Vec<Stm>> {
    if is_tileable(function, op) {
        return Some(versions(function, stm.clone()));
    }
    let op = with_loops(op).filter(|op| is_tileable(function, op))?;
    let product = Product::of(&op)?;
    let plain = |_: &mut Function, stm: &Stm, pattern| vec![Stm { pattern, ..stm.clone() }];
    Some(large_or(function, stm.clone(), &product, plain))
}

fn is_tileable(function: &Function, op: &SegOp) -> bool {
    let [.., row, lane] = op.space.as_slice() else { return false };
    let scalars = op.body.result.iter().all(|&x| function.operand_type(x).as_scalar().is_some());
    if op.kind != SegKind::Map
        || row.mapping != Mapping::Task
        || lane.mapping != Mapping::TaskLane
        || !scalars
        || !is_plain(function, &op.body)
    {
        return false;
    }
    let (by_row, by_lane) = (dependents(&op.body, [row.index]), dependents(&op.body, [lane.index]));
    let shared = |stm: &Stm| {
        let var = stm.pattern[0];
        matches!(stm.expr, Expr::Index { .. }) && !by_row.contains(&var) && by_lane.contains(&var)
    };
    op.body.stms.iter().any(|stm| {
        if let Expr::Loop { form: LoopForm::For { bound, .. }, body, .. } = &stm.expr {
            let uniform = |var: Var| !by_row.contains(&var) && !by_lane.contains(&var);
            bound.as_var().is_none_or(uniform) && body.stms.iter().any(shared)
        } else {
            false
        }
    })
}

/// Returns the statements that bind the variables of `stm`: by blocks if the product is large, by tiles if there are enough rows,
/// else the original.
fn versions(function: &mut Function, stm: Stm) -> Vec<Stm> {
    let Expr::Seg(op) = &stm.expr else { unreachable!("a tileable statement") };
    let op = op.as_ref().clone();
    match Product::of(&op) {
        Some(product) => large_or(function, stm, &product, |function, stm, pattern| {
            tiles_or_plain(function, stm, &op, pattern)
        }),
        None => tiles_or_plain(function, &stm, &op, stm.pattern.clone()),
    }
}

/// Returns the product by blocks if it is large, else the statements of `smaller`, which binds the variables that it is given.
fn large_or(
    function: &mut Function,
    stm: Stm,
    product: &Product,
    smaller: impl FnOnce(&mut Function, &Stm, Vec<Var>) -> Vec<Stm>,
) -> Vec<Stm> {
    let mut made = Made { function, stms: Vec::new(), span: stm.span };
    let large = made.is_large(product);
    let blocks = made.blocks(&stm, product);
    let pattern: Vec<Var> = stm.pattern.iter().map(|&var| made.function.fresh_like(var)).collect();
    let stms = smaller(made.function, &stm, pattern.clone());
    let else_body = Body { stms, result: pattern.into_iter().map(Operand::Var).collect() };
    let expr = Expr::If { cond: large, then_body: blocks, else_body, branch: Branch::Plain };
    made.stms.push(Stm { pattern: stm.pattern, expr, certs: vec![], span: stm.span });
    made.stms
}

/// Returns an operation with reductions in lanes as one with its last dimension in lanes and its reductions as loops.
fn with_loops(op: &SegOp) -> Option<SegOp> {
    let mut op = op.clone();
    let last = op.space.last_mut().filter(|last| last.mapping == Mapping::Task)?;
    last.mapping = Mapping::TaskLane;
    for stm in &mut op.body.stms {
        if let Expr::Seg(inner) = &stm.expr {
            stm.expr = as_loop(inner)?;
        }
    }
    Some(op)
}

/// Returns statements that bind `pattern`: by tiles if there are enough rows, else the original.
fn tiles_or_plain(function: &mut Function, stm: &Stm, op: &SegOp, pattern: Vec<Var>) -> Vec<Stm> {
    let rows = op.space[op.space.len() - 2].extent;
    let mut made = Made { function, stms: Vec::new(), span: stm.span };
    let many = made.bind("many", Type::BOOL, Expr::Compare(CompareOp::SLe, Operand::i64(LEAST_ROWS), rows));
    let whole = Copier::within(made.function, Substitution::new()).copy_expr(&stm.expr);
    let tiles = made.tiles(stm, op);
    let plain: Vec<Var> = stm.pattern.iter().map(|&var| made.function.fresh_like(var)).collect();
    let result = plain.iter().map(|&var| var.into()).collect();
    let plain = Stm { pattern: plain, expr: whole, certs: stm.certs.clone(), span: stm.span };
    let else_body = Body { stms: vec![plain], result };
    let expr = Expr::If { cond: many, then_body: tiles, else_body, branch: Branch::Plain };
    let mut stms = made.stms;
    stms.push(Stm { pattern, expr, certs: vec![], span: stm.span });
    stms
}
