//! Scans columns on CPUs by blocks of rows.
//!
//! ```text
//! scan by columns of xss: [n][m]f32
//! ==>
//! few: bool = n <= 2 * size or m < 6;
//! t: [n][m]f32 = if few { segmap (j < m) { segscan (i < n) ... } } else {
//!   partials: [blocks][m]f32 = segmap (b < blocks) {
//!     sums: [m]f32 = loop (old: *[m]f32 = copy zeros) for k < length {
//!       row = segmap (j < m) { op old[j] xss[first + k, j] };
//!       return update old[0:m:1] = row };
//!     return sums };
//!   before: [blocks][m]f32 = segmap (j < m) { segscan (b < blocks) exscan ... { index partials[b, j] } };
//!   t = segscatter (b < blocks) into (room segments) {
//!     last, part: [length][m]f32 = loop (old = copy before[b], part = scratch [length][m]) for k < length {
//!       row, same = segmap (j < m) { ... as above ... };
//!       return update old[0:m:1] = row, update part[k, 0:m:1] = same };
//!     return first, part };
//!   return t };
//! ```
//!
//! Rows are read and written whole, and neighbouring columns are lanes; the running sums of a row stay in a cache. Blocks
//! become tasks. The block size follows from the extents of a row alone, so results do not depend on the number of threads.
//! Needs an operator that cannot fail.

use warpwise_ir::builder::Builder;
use warpwise_ir::{Body, Expr, Mapping, Operand, ScatterDest, SegDim, SegKind, SegOp, SliceDim, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use super::blocks::divided_up;
use super::columns::{Columns, column};

/// Number of elements of a block, if rows are short.
const BLOCK: i64 = 1 << 14;

/// Minimum number of elements of a row. The columns of shorter rows are scanned as wholes, since each row costs a loop.
const LEAST_COLUMNS: i64 = 6;

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
    let narrow = b.compare("narrow", CompareOp::SLt, row, Operand::i64(LEAST_COLUMNS));
    let whole_columns = b.binary("whole", BinaryOp::Or, few, narrow);
    let operands = |vars: Vec<Var>| vars.into_iter().map(Operand::Var).collect();
    let whole = |b: &mut Builder| operands(columns.whole(b, &columns.arrays));
    let blocks = |b: &mut Builder| operands(Blocks::of(b, columns, size).scanned(b));
    b.branch("scanned", whole_columns, whole, blocks)
}

/// Returns the running sums of every column inside a kernel: row by row, unless rows are known to be short.
pub fn scan_in_kernel(b: &mut Builder, columns: &Columns) -> Vec<Var> {
    let known = |extent: &Operand| extent.as_const().and_then(Scalar::as_int);
    let row: Option<i64> = columns.extents.iter().map(known).product();
    if row.is_some_and(|row| row < LEAST_COLUMNS) {
        return columns.whole(b, &columns.arrays);
    }
    let all = Blocks { columns, size: columns.width, count: Operand::i64(1) };
    all.part_from(b, &columns.neutral, &Part { first: Operand::i64(0), length: columns.width })
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
        let (block, dim) = self.dim(b);
        let body = b.body(|b| {
            let part = self.part(b, block);
            let starts: Vec<Var> =
                self.columns.neutral.iter().map(|&row| b.bind_one("start", Expr::Copy(row))).collect();
            let params = b.consumed_params("old", &starts);
            let sums = b.for_loop("sums", part.length, params, |b, k, params| {
                let olds: Vec<Var> = params.iter().map(|param| param.var).collect();
                let rows = self.over_columns(b, |b, at| {
                    let old = elements(b, &olds, at);
                    self.with_row(b, &part, k, at, old)
                });
                self.updated(b, &olds, &[], rows)
            });
            sums.into_iter().map(Operand::Var).collect()
        });
        b.bind("partials", Expr::Seg(Box::new(SegOp { space: vec![dim], kind: SegKind::Map, body })))
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
            let before = self.prefixes(b, before, block);
            let scanned = self.part_from(b, &before, &part);
            scanned.into_iter().flat_map(|rows| [part.first, rows.into()]).collect()
        });
        b.bind(
            "scanned",
            Expr::Seg(Box::new(SegOp { space: vec![dim], kind: SegKind::Scatter { dests }, body })),
        )
    }

    /// Returns the row of each array of prefixes that is before a block.
    fn prefixes(&self, b: &mut Builder, before: &[Var], block: Operand) -> Vec<Var> {
        let row = |&array| {
            let dims = [SliceDim::Fix(block)].into_iter().chain(self.whole()).collect();
            b.slice("before", array, dims)
        };
        before.iter().map(row).collect()
    }

    /// Returns the scan of a block, starting from these rows.
    fn part_from(&self, b: &mut Builder, before: &[Var], part: &Part) -> Vec<Var> {
        let starts: Vec<Var> = before.iter().map(|&row| b.bind_one("start", Expr::Copy(row))).collect();
        let rooms = self.columns.arrays.iter().map(|&array| {
            let elem = b.function.ty(array).as_array().expect("rows are in an array").elem;
            let shape = [part.length].into_iter().chain(self.columns.extents.iter().copied()).collect();
            b.bind_one("room", Expr::Scratch { elem, shape })
        });
        let rooms: Vec<Var> = rooms.collect();
        let n = starts.len();
        let mut params = b.consumed_params("old", &starts);
        params.extend(b.consumed_params("part", &rooms));
        let scanned = b.for_loop("scanned", part.length, params, |b, k, params| {
            let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
            let (olds, parts) = vars.split_at(n);
            let rows = self.over_columns(b, |b, at| {
                let old = elements(b, olds, at);
                let new = self.with_row(b, part, k, at, old.clone());
                let own = if self.columns.exclusive { old } else { new.clone() };
                new.into_iter().chain(own).collect()
            });
            let (new, own) = rows.split_at(n);
            let mut next = self.updated(b, olds, &[], new.to_vec());
            next.extend(self.updated(b, parts, &[SliceDim::Fix(k.into())], own.to_vec()));
            next
        });
        scanned[n..].to_vec()
    }

    /// Emits an operation over the columns. Returns its results.
    fn over_columns(
        &self,
        b: &mut Builder,
        element: impl FnOnce(&mut Builder, &[Operand]) -> Vec<Operand>,
    ) -> Vec<Var> {
        let (space, at) = self.columns.space(b);
        let body: Body = b.body(|b| element(b, &at));
        b.bind("row", Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body })))
    }

    /// Combines the sums of a column with its elements in a row of the block.
    fn with_row(
        &self,
        b: &mut Builder,
        part: &Part,
        k: Var,
        at: &[Operand],
        old: Vec<Operand>,
    ) -> Vec<Operand> {
        let row = b.binary("i", BinaryOp::Add, part.first, k);
        let indices: Vec<Operand> = [row].into_iter().chain(at.iter().copied()).collect();
        let args: Vec<Operand> = old.into_iter().chain(elements(b, &self.columns.arrays, &indices)).collect();
        b.apply(&self.columns.op, &args)
    }

    /// Overwrites rows of arrays, at an index or as wholes.
    fn updated(&self, b: &mut Builder, arrays: &[Var], at: &[SliceDim], rows: Vec<Var>) -> Vec<Operand> {
        let updated = arrays.iter().zip(rows).map(|(&array, row)| {
            let dims = at.iter().copied().chain(self.whole()).collect();
            Operand::Var(b.update("new", array, dims, row))
        });
        updated.collect()
    }

    /// Returns the slice of a whole row.
    fn whole(&self) -> impl Iterator<Item = SliceDim> {
        self.columns.extents.iter().map(|&extent| SliceDim::whole(extent))
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

/// Reads an element of each array.
fn elements(b: &mut Builder, arrays: &[Var], at: &[Operand]) -> Vec<Operand> {
    arrays.iter().map(|&array| b.index("value", array, at).into()).collect()
}
