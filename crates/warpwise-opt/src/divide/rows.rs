//! Reductions of the columns of a block, row by row.
//!
//! ```text
//! ys: [m]f32 = segmap (j < m: seq) { s: f32 = segred (i < n: seq) reduce op [0f32] { x = index a[i, j]; ...; return v }; return s };
//! ==>
//! partials: [blocks][m]f32 = segmap (b < blocks: seq) {
//!   start: [m]f32 = replicate [m] 0f32;
//!   sums: [m]f32 = loop (old: *[m]f32 = start) for k < length {
//!     i = add first k;
//!     row: [m]f32 = segmap (j < m: seq) { x = index a[i, j]; ...; s = index old[j]; t = op s v; return t };
//!     new: [m]f32 = update old[0:m:1] = row;
//!     return new };
//!   return sums };
//! ```
//!
//! Lanes along the columns, with the sums in registers, would read as many elements of a row as a few vectors hold, go on to the
//! next row, and come back for the others only after the whole block: memory is read in strides, at a quarter of its bandwidth.
//! Here rows are read whole, and the sums stay in a cache of the core. Every column is still reduced from its first row to its
//! last.

use rustc_hash::FxHashSet;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution, free_in_expr};
use warpwise_ir::{Body, Expr, Function, Mapping, Operand, SegDim, SegKind, SegOp, SliceDim, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp};

use super::{Cut, before_results, copy_stm, fresh_space, is_cheap, long_reduction};

/// Minimum number of columns; sums of fewer fit in a register or two.
pub(super) const LEAST_COLUMNS: i64 = 32;

/// Maximum number of columns, whose sums should stay in the caches next to the processor.
const MOST_COLUMNS: i64 = 1 << 14;

/// Minimum number of rows; the partial results of fewer would be a large part of the work.
const LEAST_ROWS: i64 = 1 << 9;

/// Minimum number of rows of a block.
pub(super) const LEAST_BLOCK: i64 = 1 << 7;

/// Maximum number of statements for an element. Memory does not limit longer ones.
const MOST_STATEMENTS: usize = 16;

/// Whether a nest consists of cheap reductions of columns that lie side by side in memory.
pub(super) fn applies(function: &Function, op: &SegOp) -> bool {
    let [column] = op.space.as_slice() else { return false };
    let mut reads_rows = false;
    let mut made: FxHashSet<Var> = FxHashSet::from_iter([column.index]);
    for stm in before_results(function, op) {
        if long_reduction(&stm.expr).is_some() {
            let Expr::Seg(inner) = &stm.expr else { return false };
            if !stm.certs.is_empty() || !is_simple(function, inner, &made) {
                return false;
            }
            reads_rows |= reads_row(function, inner, column.index);
        }
        made.extend(&stm.pattern);
    }
    reads_rows
}

/// Whether a reduction combines scalars by cheap code, from neutral elements that are the same for all columns.
fn is_simple(function: &Function, op: &SegOp, made: &FxHashSet<Var>) -> bool {
    let SegKind::Reduce { reduces } = &op.kind else { return false };
    let bodies = || reduces.iter().map(|reduce| &reduce.op.body).chain([&op.body]);
    let same_for_all = |x: &Operand| x.as_var().is_none_or(|var| !made.contains(&var));
    bodies().map(|body| body.stms.len()).sum::<usize>() <= MOST_STATEMENTS
        && bodies().all(|body| body.stms.iter().all(|stm| is_cheap(function, stm)))
        && op.body.result.iter().all(|&x| function.operand_type(x).as_scalar().is_some())
        && reduces.iter().all(|reduce| reduce.neutral.iter().all(same_for_all))
}

/// Whether a reduction reads an element of a row that depends on the row's number, in the column of this index.
fn reads_row(function: &Function, op: &SegOp, column: Var) -> bool {
    let mut of_row: FxHashSet<Var> = op.space.iter().map(|dim| dim.index).collect();
    op.body.stms.iter().any(|stm| {
        if free_in_expr(function, &stm.expr).iter().any(|var| of_row.contains(&var)) {
            of_row.extend(&stm.pattern);
        }
        let Expr::Index { indices, .. } = &stm.expr else { return false };
        let Some((&last, outer)) = indices.split_last() else { return false };
        let depends = |x: &Operand| x.as_var().is_some_and(|var| of_row.contains(&var));
        last == Operand::Var(column) && outer.iter().any(depends)
    })
}

/// Emits the test whether there are rows enough to be reduced in order, and not too many columns.
pub(super) fn pays(b: &mut Builder, columns: Operand, rows: Operand) -> Operand {
    let tall = b.compare("tall", CompareOp::SLe, Operand::i64(LEAST_ROWS), rows);
    let fits = b.compare("fits", CompareOp::SLe, columns, Operand::i64(MOST_COLUMNS));
    b.binary("pays", BinaryOp::And, tall, fits)
}

/// Emits the operation that reduces every block row by row. Returns its results.
pub(super) fn divided(b: &mut Builder, op: &SegOp, cut: Cut) -> Vec<Var> {
    let block = b.function.fresh("b", Type::I64);
    let columns = op.space[0].extent;
    let (stms, sums) = b.collect(|b| {
        let (first, length) = cut.block(b, block);
        let starts = neutral_elements(b.function, op).into_iter().map(|value| {
            let shape = vec![columns].into();
            b.bind_one("start", Expr::Replicate { shape, value })
        });
        let starts: Vec<Var> = starts.collect();
        let params = b.consumed_params("old", &starts);
        b.for_loop("sums", length, params, |b, k, params| {
            let row = b.binary("row", BinaryOp::Add, first, k);
            let olds: Vec<Var> = params.iter().map(|param| param.var).collect();
            let with_row = with_row(b, op, row, &olds);
            let new = olds.iter().zip(with_row).map(|(&old, row)| {
                let new = b.update("new", old, vec![SliceDim::whole(columns)], row);
                Operand::Var(new)
            });
            new.collect()
        })
    });
    let space = vec![SegDim { index: block, extent: cut.blocks, mapping: Mapping::Seq }];
    let body = Body { stms, result: sums.into_iter().map(Operand::Var).collect() };
    b.bind("partials", Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body })))
}

/// Returns the neutral elements of the divided reductions, in the order of their results.
fn neutral_elements(function: &Function, op: &SegOp) -> Vec<Operand> {
    let mut neutral = Vec::new();
    for stm in before_results(function, op) {
        if let Expr::Seg(inner) = &stm.expr
            && let SegKind::Reduce { reduces } = &inner.kind
        {
            neutral.extend(reduces.iter().flat_map(|reduce| &reduce.neutral));
        }
    }
    neutral
}

/// Emits the operation that adds a row to the sums of the rows before it. Returns its results.
fn with_row(b: &mut Builder, op: &SegOp, row: Operand, olds: &[Var]) -> Vec<Var> {
    let mut substitution = Substitution::new();
    let space = fresh_space(b.function, &op.space, &mut substitution);
    let column = Operand::Var(space[0].index);
    let mut olds = olds.iter();
    let mut result = Vec::new();
    let (stms, ()) = b.collect(|b| {
        for stm in before_results(b.function, op) {
            let Expr::Seg(inner) = &stm.expr else {
                let copy = copy_stm(b.function, &mut substitution, stm);
                b.push(copy);
                continue;
            };
            let SegKind::Reduce { reduces } = &inner.kind else { continue };
            let mut of_row = substitution.clone();
            of_row.insert(inner.space[0].index, row);
            let body = Copier::within(b.function, of_row).copy_body(&inner.body);
            b.extend(body.stms);
            let mut values = body.result.into_iter();
            for reduce in reduces {
                let n = reduce.neutral.len();
                let mut args: Vec<Operand> =
                    olds.by_ref().take(n).map(|&old| b.index("sum", old, &[column]).into()).collect();
                args.extend(values.by_ref().take(n));
                let op = Copier::within(b.function, substitution.clone()).copy_lambda(&reduce.op);
                result.extend(b.apply(&op, &args));
            }
        }
    });
    let body = Body { stms, result };
    b.bind("row", Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body })))
}
