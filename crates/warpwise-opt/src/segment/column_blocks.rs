//! Scans columns on CPUs by blocks of rows.
//!
//! ```text
//! scan by columns of xss: [n][m]f32
//! ==>
//! few: bool = sle n (2 * size);
//! t: [n][m]f32 = if few { segmap (j < m) { segscan (i < n) ... } } else {
//!   partials: [blocks][m]f32 = segmap (b < blocks, j < m) { segred (k < length) ... { index xss[first + k, j] } };
//!   before: [blocks][m]f32 = segmap (j < m) { segscan (b < blocks) exscan ... { index partials[b, j] } };
//!   t = segscatter (b < blocks) into (room segments) {
//!     part: [length][m]f32 = segmap (j < m) { segscan (k < length) ... post (s) { op before[b, j] s } };
//!     return first, part };
//!   return t };
//! ```
//!
//! Neighbouring columns become lanes, which load and store contiguously and exchange nothing. Blocks become tasks. A block fits a
//! cache of its core whatever the length of a row, so that the rows of a lane's column stay cached. The block size follows from
//! the extents of a row alone, so results do not depend on the number of threads. Needs an operator that cannot fail.

use warpwise_ir::builder::Builder;
use warpwise_ir::{Expr, Lambda, Mapping, Operand, Reduce, ScatterDest, SegDim, SegKind, SegOp, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp};

use super::blocks::divided_up;
use super::columns::{Columns, column};

/// Number of elements of a block, if rows are short.
const BLOCK: i64 = 1 << 14;

/// Minimum number of rows of a block. Each block costs a row of partial results and a row of prefixes.
const LEAST_ROWS: i64 = 16;

/// Returns the running sums of every column.
pub fn scan(b: &mut Builder, columns: &Columns) -> Vec<Var> {
    let row = columns.extents.iter().fold(Operand::i64(1), |x, &y| b.binary("row", BinaryOp::Mul, x, y));
    let row = b.binary("row", BinaryOp::SMax, row, Operand::i64(1));
    let size = b.binary("size", BinaryOp::UDiv, Operand::i64(BLOCK), row);
    let size = b.binary("size", BinaryOp::SMax, size, Operand::i64(LEAST_ROWS));
    let two = b.binary("two", BinaryOp::Mul, size, Operand::i64(2));
    let few = b.compare("few", CompareOp::SLe, columns.width, two);
    let operands = |vars: Vec<Var>| vars.into_iter().map(Operand::Var).collect();
    let whole = |b: &mut Builder| operands(columns.whole(b, &columns.arrays));
    let blocks = |b: &mut Builder| operands(Blocks::of(b, columns, size).scanned(b));
    b.branch("scanned", few, whole, blocks)
}

/// Columns split into blocks of rows.
struct Blocks<'c> {
    columns: &'c Columns,
    /// Number of rows of a block.
    size: Operand,
    /// Number of blocks.
    count: Operand,
}

/// The rows of one block.
struct Part {
    first: Operand,
    length: Operand,
}

impl Blocks<'_> {
    fn of<'c>(b: &mut Builder, columns: &'c Columns, size: Operand) -> Blocks<'c> {
        let count = divided_up(b, columns.width, size);
        Blocks { columns, size, count }
    }

    fn scanned(&self, b: &mut Builder) -> Vec<Var> {
        let partials = self.partials(b);
        let before = self.before(b, &partials);
        self.from(b, &before)
    }

    /// Returns the reduction of each block's columns.
    fn partials(&self, b: &mut Builder) -> Vec<Var> {
        let (columns, at) = self.columns.space(b);
        let (block, dim) = self.dim(b);
        let body = b.body(|b| {
            let part = self.part(b, block);
            let (op, neutral) = (self.columns.operator(b), self.columns.neutral_at(b, &at));
            let reduces = vec![Reduce { op, neutral, commutative: false }];
            self.fold(b, &part, &at, SegKind::Reduce { reduces }).into_iter().map(Operand::Var).collect()
        });
        let space = [dim].into_iter().chain(columns).collect();
        b.bind("partials", Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body })))
    }

    /// Returns the prefixes of the columns before each block.
    fn before(&self, b: &mut Builder, partials: &[Var]) -> Vec<Var> {
        let sums = self.columns.each(b, |b, at| {
            let scan = self.columns.scan_at(b, at, true);
            column(b, self.count, partials, at, scan)
        });
        // Copied, so that the layout follows the order of reading.
        sums.into_iter().map(|sum| b.bind_one("before", Expr::Copy(sum))).collect()
    }

    /// Returns the scans of all blocks, starting from their prefixes.
    fn from(&self, b: &mut Builder, before: &[Var]) -> Vec<Var> {
        let room = |&array: &Var| {
            let ty = b.function.ty(array).as_array().expect("rows are in an array").clone();
            ScatterDest::segments(b.bind_one("room", Expr::Scratch { elem: ty.elem, shape: ty.shape }))
        };
        let dests = self.columns.arrays.iter().map(room).collect();
        let (block, dim) = self.dim(b);
        let body = b.body(|b| {
            let part = self.part(b, block);
            let rows = self.columns.each(b, |b, at| {
                let indices: Vec<Operand> = [block].into_iter().chain(at.iter().copied()).collect();
                let before = before.iter().map(|&array| b.index("before", array, &indices).into()).collect();
                let scans = vec![self.columns.scan_at(b, at, self.columns.exclusive)];
                let post = Some(self.after(b, before));
                self.fold(b, &part, at, SegKind::Scan { scans, reduces: Vec::new(), post })
            });
            rows.into_iter().flat_map(|rows| [part.first, rows.into()]).collect()
        });
        b.bind(
            "scanned",
            Expr::Seg(Box::new(SegOp { space: vec![dim], kind: SegKind::Scatter { dests }, body })),
        )
    }

    /// Returns the lambda that combines a block's prefix with a running sum within the block.
    fn after(&self, b: &mut Builder, before: Vec<Operand>) -> Lambda {
        let element = |&var: &Var| ("s", b.function.ty(var).clone());
        let params: Vec<(&str, Type)> = self.columns.op.params[..before.len()].iter().map(element).collect();
        b.lambda(&params, |b, sums| {
            let args: Vec<Operand> = before.into_iter().chain(sums.iter().map(|&sum| sum.into())).collect();
            b.apply(&self.columns.op, &args)
        })
    }

    /// Emits an operation over the rows of a block in one column.
    fn fold(&self, b: &mut Builder, part: &Part, at: &[Operand], kind: SegKind) -> Vec<Var> {
        let index = b.function.fresh("k", Type::I64);
        let body = b.body(|b| {
            let row = b.binary("i", BinaryOp::Add, part.first, index);
            let indices: Vec<Operand> = [row].into_iter().chain(at.iter().copied()).collect();
            let element = |&array: &Var| b.index("value", array, &indices).into();
            self.columns.arrays.iter().map(element).collect()
        });
        let space = vec![SegDim { index, extent: part.length, mapping: Mapping::Seq }];
        b.bind("sum", Expr::Seg(Box::new(SegOp { space, kind, body })))
    }

    fn dim(&self, b: &mut Builder) -> (Operand, SegDim) {
        let index = b.function.fresh("block", Type::I64);
        (index.into(), SegDim { index, extent: self.count, mapping: Mapping::Seq })
    }

    fn part(&self, b: &mut Builder, block: Operand) -> Part {
        let first = b.binary("first", BinaryOp::Mul, block, self.size);
        let left = b.binary("left", BinaryOp::Sub, self.columns.width, first);
        Part { first, length: b.binary("length", BinaryOp::SMin, left, self.size) }
    }
}
