//! Divides long reductions of columns into blocks of rows, so that there is work for every task (split-K) and memory is read in
//! order.
//!
//! ```text
//! ys: [m]f32 = segmap (j < m: seq) { z: f32 = ...; s: f32 = segred (i < n: seq) reduce op [0f32] {...}; ...; return y };
//! ==>
//! ... divides: bool = m < 64 and 16384 <= n ...
//! ys: [m]f32 = if divides {
//!   partials: [blocks][m]f32 = segmap (b < blocks: seq, j < m: seq) {
//!     first = mul b size; ...; s: f32 = segred (k < length: seq) reduce op [0f32] { i = add first k; ... }; return s };
//!   zs: [m]f32 = segmap (j < m: seq) { z = ...; s: f32 = segred (b < blocks: seq) reduce op [0f32] { index partials[b, j] }; ...; return y };
//!   return zs
//! } else { ys = ... as it was ...; return ys };
//! ```
//!
//! Papers/001, rules G5 and G7: neighbours in memory belong to different outer iterations, which become lanes in both operations,
//! and blocks become tasks. Without this pass a task would get as many columns as a vector holds. Blocks are counted from 0 and
//! their size follows from `n` alone, so the combining tree does not depend on the number of threads.
//!
//! Few columns are reduced in registers. Of many columns, the partial results are rows in a cache of the core, to which the rows
//! of the block are added one by one ([`rows`]).
//!
//! The code before a reduction is repeated for every block, so it must consist of cheap scalars and views. Nothing is divided
//! that could fail, because the first failing iteration must stay the first. Not done here: reductions with additional array
//! results, reductions further inside, few long rows, a single reduction (whose lowering divides it into blocks).

use rustc_hash::FxHashSet;
use warpwise_diag::{Limit, Span};
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution, free_in_expr};
use warpwise_ir::{
    Body, Branch, Expr, Function, Mapping, Operand, Program, Reduce, SegDim, SegKind, SegOp, Stm, Type, Var,
    exprs,
};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::pass::replace_operations;
use crate::schedule::wants_outer_lanes;

mod rows;

/// Number of outer iterations from which on each is a task, unless rows are reduced in order.
const MANY: i64 = 64;

/// Minimum length of a reduction that is worth dividing.
const LONG: i64 = 1 << 14;

/// Maximum number of blocks of a reduction.
const MOST_BLOCKS: i64 = 64;

/// Minimum number of elements of a block.
const LEAST_BLOCK: i64 = 1 << 11;

/// Divides the reductions of every function.
pub fn divide(program: &mut Program) -> Result<(), Limit> {
    replace_operations(program, |function, stm, op| {
        let extent = divisible(function, op)?;
        Some(versions(function, stm, op, extent))
    });
    Ok(())
}

/// Returns the extent of the reductions in a map, if they can be divided.
fn divisible(function: &Function, op: &SegOp) -> Option<Operand> {
    if op.kind != SegKind::Map || op.body.can_fail() {
        return None;
    }
    if !wants_outer_lanes(function, op) {
        return None;
    }
    let mut extent = None;
    let mut after: FxHashSet<Var> = FxHashSet::default();
    for stm in &op.body.stms {
        let depends = free_in_expr(function, &stm.expr).iter().any(|var| after.contains(&var));
        match long_reduction(&stm.expr) {
            Some(own) if !depends && extent.is_none_or(|extent| extent == own) => extent = Some(own),
            Some(_) => return None,
            None if depends => {}
            None if is_cheap(function, stm) => continue,
            None => return None,
        }
        after.extend(&stm.pattern);
    }
    let local = |x: Operand| {
        x.as_var().is_some_and(|var| {
            let bound = |stm: &Stm| stm.pattern.contains(&var);
            op.space.iter().any(|dim| dim.index == var) || op.body.stms.iter().any(bound)
        })
    };
    extent.filter(|&extent| !local(extent))
}

/// Returns the extent of a reduction without additional array results.
fn long_reduction(expr: &Expr) -> Option<Operand> {
    let Expr::Seg(op) = expr else { return None };
    let (SegKind::Reduce { reduces }, [dim]) = (&op.kind, op.space.as_slice()) else { return None };
    let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
    (op.body.result.len() == n_reduced).then_some(dim.extent)
}

/// Whether a statement binds a scalar or a view, and is cheap enough to be repeated for every block.
fn is_cheap(function: &Function, stm: &Stm) -> bool {
    let views = matches!(stm.expr, Expr::Slice { .. } | Expr::Rearrange { .. } | Expr::Index { .. });
    let scalars = matches!(stm.expr, exprs!(Operand, scalar));
    views || scalars && stm.pattern.iter().all(|&var| function.ty(var).as_scalar().is_some())
}

/// Returns the choice between the divided nests and the original.
fn versions(function: &mut Function, stm: &Stm, op: &SegOp, extent: Operand) -> Vec<Stm> {
    let in_rows = rows::applies(function, op);
    let mut b = Builder::new(function);
    b.set_span(stm.span);
    let outer = op.space.iter().map(|dim| dim.extent);
    let outer = outer.reduce(|x, y| b.binary("outer", BinaryOp::Mul, x, y)).unwrap_or(Operand::i64(1));
    let many = if in_rows { rows::LEAST_COLUMNS } else { MANY };
    let few = b.compare("few", CompareOp::SLt, outer, Operand::i64(many));
    let long = b.compare("long", CompareOp::SLe, Operand::i64(LONG), extent);
    let divides = b.binary("divides", BinaryOp::And, few, long);
    let then_body = b.body(|b| {
        let cut = cut(b, extent, LEAST_BLOCK);
        b.with_certs(&stm.certs, |b| {
            let partials = divided(b, op, cut);
            combined(b, op, cut, &partials)
        })
    });
    let else_body = b.body(|b| {
        if !in_rows {
            return whole(b, stm);
        }
        let pays = rows::pays(b, outer, extent);
        let by_rows = |b: &mut Builder| {
            let cut = cut(b, extent, rows::LEAST_BLOCK);
            b.with_certs(&stm.certs, |b| {
                let partials = rows::divided(b, op, cut);
                combined(b, op, cut, &partials)
            })
        };
        b.branch("t", pays, by_rows, |b| whole(b, stm)).into_iter().map(Operand::Var).collect()
    });
    let choice = Expr::If { cond: divides, then_body, else_body, branch: Branch::Plain };
    b.bind_to(stm.pattern.clone(), choice);
    b.take_stms()
}

/// Emits a copy of a nest as it is. Returns its results.
fn whole(b: &mut Builder, stm: &Stm) -> Vec<Operand> {
    let copy = Copier::within(b.function, Substitution::new()).copy_expr(&stm.expr);
    b.with_certs(&stm.certs, |b| b.bind("t", copy)).into_iter().map(Operand::Var).collect()
}

/// The division of a reduced dimension into blocks.
#[derive(Clone, Copy)]
struct Cut {
    extent: Operand,
    size: Operand,
    blocks: Operand,
}

/// Emits the division into blocks of at least this size. Sums for rounding up may exceed the maximum `i64`, but not the maximum
/// `u64`.
fn cut(b: &mut Builder, extent: Operand, least: i64) -> Cut {
    let up = b.binary("up", BinaryOp::Add, extent, Operand::i64(MOST_BLOCKS - 1));
    let size = b.binary("size", BinaryOp::UDiv, up, Operand::i64(MOST_BLOCKS));
    let size = b.binary("size", BinaryOp::SMax, size, Operand::i64(least));
    let less = b.binary("less", BinaryOp::Sub, size, Operand::i64(1));
    let up = b.binary("up", BinaryOp::Add, extent, less);
    let blocks = b.binary("blocks", BinaryOp::UDiv, up, size);
    Cut { extent, size, blocks }
}

impl Cut {
    /// Emits the first row of a block and the number of its rows.
    fn block(self, b: &mut Builder, block: Var) -> (Operand, Operand) {
        let first = b.binary("first", BinaryOp::Mul, block, self.size);
        let left = b.binary("left", BinaryOp::Sub, self.extent, first);
        (first, b.binary("length", BinaryOp::SMin, left, self.size))
    }
}

/// Returns the reductions of a nest and the statements that depend on none of them, in order.
fn before_results<'a>(function: &Function, op: &'a SegOp) -> Vec<&'a Stm> {
    let mut after: FxHashSet<Var> = FxHashSet::default();
    let mut before = Vec::new();
    for stm in &op.body.stms {
        let depends = free_in_expr(function, &stm.expr).iter().any(|var| after.contains(&var));
        if !depends {
            before.push(stm);
        }
        if depends || long_reduction(&stm.expr).is_some() {
            after.extend(&stm.pattern);
        }
    }
    before
}

/// Emits the operation that reduces every block. Returns its results.
fn divided(b: &mut Builder, op: &SegOp, cut: Cut) -> Vec<Var> {
    let block = b.function.fresh("b", Type::I64);
    let mut substitution = Substitution::new();
    let mut space = vec![SegDim { index: block, extent: cut.blocks, mapping: Mapping::Seq }];
    space.extend(fresh_space(b.function, &op.space, &mut substitution));
    let mut result = Vec::new();
    let (stms, ()) = b.collect(|b| {
        let (first, length) = cut.block(b, block);
        for stm in before_results(b.function, op) {
            let stm = copy_stm(b.function, &mut substitution, stm);
            if let Expr::Seg(inner) = stm.expr {
                result.extend(stm.pattern.iter().map(|&var| Operand::Var(var)));
                let part = part_of(b.function, *inner, first, length);
                b.with_certs(&stm.certs, |b| b.bind_to(stm.pattern, part));
            } else {
                b.push(stm)
            }
        }
    });
    let body = Body { stms, result };
    b.bind("partials", Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body })))
}

/// Restricts a reduction to one block.
fn part_of(function: &mut Function, mut op: SegOp, first: Operand, length: Operand) -> Expr {
    let index = function.fresh("k", Type::I64);
    let was = op.space[0].index;
    op.space[0] = SegDim { index, extent: length, mapping: Mapping::Seq };
    let at = Expr::Binary(BinaryOp::Add, first, index.into());
    op.body.stms.insert(0, Stm { pattern: vec![was], expr: at, certs: vec![], span: Span::NONE });
    Expr::Seg(Box::new(op))
}

/// Emits the nest with its reductions over the partial results. Returns its results.
fn combined(b: &mut Builder, op: &SegOp, cut: Cut, partials: &[Var]) -> Vec<Operand> {
    let mut substitution = Substitution::new();
    let space = fresh_space(b.function, &op.space, &mut substitution);
    let mut partials = partials.iter();
    let mut stms = Vec::new();
    for stm in &op.body.stms {
        let mut stm = copy_stm(b.function, &mut substitution, stm);
        if long_reduction(&stm.expr).is_some()
            && let Expr::Seg(inner) = &stm.expr
            && let SegKind::Reduce { reduces } = &inner.kind
        {
            let own: Vec<Var> = partials.by_ref().take(stm.pattern.len()).copied().collect();
            stm.expr = over_blocks(b, reduces.clone(), cut, &own, &space);
        }
        stms.push(stm);
    }
    let result = op.body.result.iter().map(|&x| substitution.apply(x)).collect();
    let body = Body { stms, result };
    let combined = Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body }));
    b.bind("t", combined).into_iter().map(Operand::Var).collect()
}

/// Returns the reductions over the partial results of one outer iteration.
fn over_blocks(b: &mut Builder, reduces: Vec<Reduce>, cut: Cut, partials: &[Var], space: &[SegDim]) -> Expr {
    let block = b.function.fresh("b", Type::I64);
    let indices: Vec<Operand> =
        std::iter::once(block).chain(space.iter().map(|dim| dim.index)).map(Operand::Var).collect();
    let body = b.body(|b| partials.iter().map(|&array| b.index("partial", array, &indices).into()).collect());
    let space = vec![SegDim { index: block, extent: cut.blocks, mapping: Mapping::Seq }];
    Expr::Seg(Box::new(SegOp { space, kind: SegKind::Reduce { reduces }, body }))
}

fn fresh_space(function: &mut Function, space: &[SegDim], substitution: &mut Substitution) -> Vec<SegDim> {
    let mut fresh = Vec::new();
    for dim in space {
        let index = function.fresh_like(dim.index);
        substitution.insert(dim.index, index);
        fresh.push(SegDim { index, ..*dim });
    }
    fresh
}

/// Copies a statement, and records its renamed variables in `substitution`.
fn copy_stm(function: &mut Function, substitution: &mut Substitution, stm: &Stm) -> Stm {
    let body = Body { stms: vec![stm.clone()], result: vec![] };
    let mut copier = Copier::within(function, std::mem::take(substitution));
    let mut copy = copier.copy_body(&body);
    *substitution = copier.substitution;
    copy.stms.pop().unwrap_or_else(|| stm.clone())
}
