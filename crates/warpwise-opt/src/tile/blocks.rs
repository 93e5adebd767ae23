//! Blocks products for the caches: register tiles within blocks of rows, columns and the summed dimension.
//!
//! ```text
//! t: [n][p]f32 = segmap (i < n: task, j < p: task lane) {
//!   s: f32 = loop (acc: f32 = 0.0f32) for k: i64 < m { x = index a[i, k]; y = index b[k, j]; ... return c };
//!   return s }
//! ==>
//! u: [chunks][strips][per][8][32]f32 = segmap (chunk < chunks: task, strip < strips: task) {
//!   start: i64 = smin (strip * 32) (p - 32);      the last strip overlaps the one before it
//!   none: [per][8][32]f32 = replicate [per][8][32] 0.0f32;
//!   sums: [per][8][32]f32 = loop (sums = none) for kb: i64 < (m + 511) / 512 {
//!     len: i64 = smin 512 (m - kb * 512);
//!     packed: [len][32]f32 = segmap (k < len: seq, l < 32: lane) { ... y = index b[kb * 512 + k, start + l]; return y };
//!     more: [per][32][8]f32 = segmap (block < per: seq, l < 32: lane) {
//!       i0, ..., i7                              rows of block `chunk * per + block`
//!       s0, ..., s7 = loop (acc0 = sums[block, 0, l], ...) for k: i64 < len {
//!         y = index packed[k, l];  x0 = index a[i0, kb * 512 + k];  ... };
//!       row = [s0, ..., s7];
//!       return row };
//!     turned: [per][8][32]f32 = rearrange (0, 2, 1) more;
//!     return turned };
//!   ...                                          what follows the loop, from `sums`, in the same order
//! };
//! ```
//!
//! Data that lanes load independently of the row are packed: contiguous, and small enough to stay in the caches while a chunk of
//! rows uses them. Sums keep their order: each block continues the sums of the previous one. The strips are assembled as a view
//! if they cover the columns exactly, else by two copies.
//!
//! Needs a single loop whose bound and initial values are known outside. Not done here: packing of data that rows load (they are
//! read along rows, eight at a time).

use rustc_hash::FxHashSet;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Branch, Expr, LoopForm, LoopParam, Mapping, Operand, SegDim, SegKind, SegOp, Stm, Type, Var,
};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::side_by_side::dependents;

use super::ROWS;
use super::made::{Made, variable};

/// Number of columns of a strip: several vectors of any existing width.
const COLUMNS: i64 = 32;

/// Maximum number of steps of the summed dimension that are packed at a time.
const DEPTH: i64 = 512;

/// Maximum number of register tiles that share a packed strip.
const CHUNK: i64 = 32;

/// Minimum number of rows and of steps for which blocking pays for packing and for continuing sums.
const LEAST: i64 = 64;

/// The parts of an operation that can be blocked.
pub struct Product<'a> {
    op: &'a SegOp,
    /// Position of the loop in the body.
    at: usize,
    params: &'a [LoopParam],
    index: Var,
    depth: Operand,
    body: &'a Body,
    /// The statements of the loop whose loads are packed.
    packed: Vec<usize>,
}

/// The position of a body that is copied for every row of a tile.
struct Point {
    /// Variable for the row.
    row: Var,
    column: Operand,
    /// Index of the tile within its chunk.
    tile: Var,
    /// Variable for the index of the row within the tile.
    slot: Var,
    /// Index of the column within its strip.
    lane: Var,
}

/// Dimensions and positions that the parts of a block share.
#[derive(Clone)]
struct Block {
    /// Batch dimensions, with fresh indices.
    outer: Vec<SegDim>,
    /// Number of register tiles of a chunk.
    per: Operand,
    first: Operand,
    last: Operand,
    start: Operand,
    /// The current sums, one array for each value that the loop carries.
    sums: Vec<Operand>,
}

impl<'a> Product<'a> {
    /// Finds the only loop of a tileable operation, and the loads in it that can be packed.
    pub fn of(op: &'a SegOp) -> Option<Product<'a>> {
        let [.., row, lane] = op.space.as_slice() else { return None };
        let (row, lane) = (row.index, lane.index);
        let by_row = dependents(&op.body, [row]);
        let bound: FxHashSet<Var> = op.body.stms.iter().flat_map(|stm| stm.pattern.iter().copied()).collect();
        let outside = |x: Operand| {
            x.as_var().is_none_or(|var| !bound.contains(&var) && op.space.iter().all(|dim| dim.index != var))
        };
        let is_loop = |stm: &Stm| matches!(stm.expr, Expr::Loop { .. });
        let at = op.body.stms.iter().position(is_loop)?;
        let Expr::Loop { params, form: LoopForm::For { index, bound: depth }, body } = &op.body.stms[at].expr
        else {
            return None;
        };
        let one_loop = op.body.stms.iter().filter(|stm| is_loop(stm)).count() == 1;
        if !one_loop || !outside(*depth) || !params.iter().all(|param| outside(param.init)) {
            return None;
        }
        let inside: FxHashSet<Var> = body.stms.iter().flat_map(|stm| stm.pattern.iter().copied()).collect();
        let known = |x: Operand| {
            x.as_var().is_none_or(|var| {
                var != row
                    && !bound.contains(&var)
                    && !inside.contains(&var)
                    && params.iter().all(|p| p.var != var)
            })
        };
        let packs = |stm: &Stm| {
            if let Expr::Index { indices, .. } = &stm.expr {
                !by_row.contains(&stm.pattern[0])
                    && indices.contains(&lane.into())
                    && indices.iter().all(|&x| known(x))
            } else {
                false
            }
        };
        let packed: Vec<usize> = (0..body.stms.len()).filter(|&number| packs(&body.stms[number])).collect();
        (!packed.is_empty()).then_some(Product { op, at, params, index: *index, depth: *depth, body, packed })
    }
}

impl Made<'_> {
    /// Emits the test whether a product is large enough to be blocked.
    pub fn is_large(&mut self, product: &Product) -> Operand {
        let (_, [row, lane]) = product.op.space.split_last_chunk().expect("two dimensions at least");
        let rows = self.compare("rows_many", CompareOp::SLe, LEAST, row.extent);
        let columns = self.compare("columns_many", CompareOp::SLe, COLUMNS, lane.extent);
        let steps = self.compare("steps_many", CompareOp::SLe, LEAST, product.depth);
        let both = self.bind("both", Type::BOOL, Expr::Binary(BinaryOp::And, rows, columns));
        self.bind("large", Type::BOOL, Expr::Binary(BinaryOp::And, both, steps))
    }

    /// Returns the body of the version with blocks.
    pub fn blocks(&mut self, stm: &Stm, product: &Product) -> Body {
        let outside = std::mem::take(&mut self.stms);
        let (outer, [row, lane]) = product.op.space.split_last_chunk().expect("two dimensions at least");
        let tiles = self.quotient_up("tiles", row.extent, ROWS);
        let chunks = self.quotient_up("chunks", tiles, CHUNK);
        let above = self.binary("above", BinaryOp::Add, tiles, chunks);
        let above = self.binary("above", BinaryOp::Sub, above, 1);
        let per = self.binary("per", BinaryOp::SQuot, above, chunks);
        let strips = self.quotient_up("strips", lane.extent, COLUMNS);
        let last = self.binary("last", BinaryOp::Sub, row.extent, 1);
        let last_start = self.binary("last_start", BinaryOp::Sub, lane.extent, COLUMNS);
        let task = |this: &mut Self, name: &str, extent| {
            let index = this.function.fresh(name, Type::I64);
            SegDim { index, extent, mapping: Mapping::Task }
        };
        let outer: Vec<SegDim> = outer.iter().map(|dim| task(self, "batch", dim.extent)).collect();
        let (chunk, strip) = (task(self, "chunk", chunks), task(self, "strip", strips));
        let host = std::mem::take(&mut self.stms);
        let first = self.binary("first", BinaryOp::Mul, chunk.index, per);
        let start = self.binary("start", BinaryOp::Mul, strip.index, COLUMNS);
        let start = self.binary("start", BinaryOp::SMin, start, last_start);
        let mut block = Block { outer: outer.clone(), per, first, last, start, sums: Vec::new() };
        block.sums = self.summed(product, &block);
        let result = self.finished(product, &block);
        let body = Body { stms: std::mem::replace(&mut self.stms, host), result };
        let space: Vec<SegDim> = outer.into_iter().chain([chunk, strip]).collect();
        let mut shape: Vec<Operand> = space.iter().map(|dim| dim.extent).collect();
        shape.extend([per, Operand::i64(ROWS), Operand::i64(COLUMNS)]);
        let mut pattern = Vec::new();
        for &var in &stm.pattern {
            let elem = self.function.ty(var).elem().expect("an array");
            pattern.push(self.function.fresh("blocks", Type::array(elem, shape.iter().copied())));
        }
        let expr = Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body }));
        self.stms.push(Stm { pattern: pattern.clone(), expr, certs: stm.certs.clone(), span: stm.span });
        let result = pattern
            .iter()
            .zip(&stm.pattern)
            .map(|(&blocks, &like)| self.put_together(blocks, like))
            .collect();
        Body { stms: std::mem::replace(&mut self.stms, outside), result }
    }

    fn quotient_up(&mut self, name: &str, x: Operand, by: i64) -> Operand {
        let above = self.binary("above", BinaryOp::Add, x, by - 1);
        self.binary(name, BinaryOp::SQuot, above, by)
    }

    /// Returns the sums of the loop for a block.
    fn summed(&mut self, product: &Product, block: &Block) -> Vec<Operand> {
        let shape = [block.per, Operand::i64(ROWS), Operand::i64(COLUMNS)];
        let ty = |this: &Self, var: Var| {
            let elem = this.function.ty(var).as_scalar().expect("a scalar");
            Type::array(elem, shape)
        };
        let mut params = Vec::new();
        for param in product.params {
            let ty = ty(self, param.var);
            let expr = Expr::Replicate { shape: shape.to_vec().into(), value: param.init };
            let init = self.bind("none", ty.clone(), expr);
            let var = self.function.fresh("sums", ty);
            params.push(LoopParam { var, init, consumed: false });
        }
        let rounds = self.quotient_up("rounds", product.depth, DEPTH);
        let index = self.function.fresh("round", Type::I64);
        let outside = std::mem::take(&mut self.stms);
        let from = self.binary("from", BinaryOp::Mul, index, DEPTH);
        let left = self.binary("left", BinaryOp::Sub, product.depth, from);
        let len = self.binary("len", BinaryOp::SMin, left, DEPTH);
        let packed = self.packed(product, block, from, len);
        let sums = params.iter().map(|param| param.var.into()).collect();
        let block = Block { sums, ..block.clone() };
        let result = self.tiled(&block, |this, point| {
            let mut body = this.body_at(product, &block, point);
            this.go_on(product, &mut body, (&block, point), (from, len), &packed);
            body
        });
        let body = Body { stms: std::mem::replace(&mut self.stms, outside), result };
        let pattern: Vec<Var> = params.iter().map(|param| self.function.fresh_like(param.var)).collect();
        let expr = Expr::Loop { params, form: LoopForm::For { index, bound: rounds }, body };
        self.stms.push(Stm { pattern: pattern.clone(), expr, certs: vec![], span: self.span });
        pattern.into_iter().map(Operand::Var).collect()
    }

    /// Emits contiguous copies of the data that the lanes of a strip load in some steps.
    fn packed(&mut self, product: &Product, block: &Block, from: Operand, len: Operand) -> Vec<Operand> {
        let step = self.function.fresh("step", Type::I64);
        let lane = self.function.fresh("lane", Type::I64);
        let space = vec![
            SegDim { index: step, extent: len, mapping: Mapping::Seq },
            SegDim { index: lane, extent: Operand::i64(COLUMNS), mapping: Mapping::Lane },
        ];
        let outside = std::mem::take(&mut self.stms);
        let at = self.binary("at", BinaryOp::Add, from, step);
        let column = self.binary("column", BinaryOp::Add, block.start, lane);
        let mut by = substitution(product, block, column);
        by.insert(product.index, at);
        let mut result = Vec::new();
        let mut pattern = Vec::new();
        for &number in &product.packed {
            let stm = &product.body.stms[number];
            let mut expr = stm.expr.clone();
            expr.map_operands(|x| by.apply(x));
            let var = self.function.fresh_like(stm.pattern[0]);
            self.stms.push(Stm { pattern: vec![var], expr, certs: stm.certs.clone(), span: stm.span });
            result.push(var.into());
            let elem = self.function.ty(var).as_scalar().expect("a scalar");
            pattern.push(self.function.fresh("packed", Type::array(elem, [len, Operand::i64(COLUMNS)])));
        }
        let body = Body { stms: std::mem::replace(&mut self.stms, outside), result };
        let expr = Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body }));
        self.stms.push(Stm { pattern: pattern.clone(), expr, certs: vec![], span: self.span });
        pattern.into_iter().map(Operand::Var).collect()
    }

    /// Emits a body for the points of a block. Returns its results, row by row.
    fn tiled(&mut self, block: &Block, make: impl FnOnce(&mut Self, &Point) -> Body) -> Vec<Operand> {
        let tile = self.function.fresh("tile", Type::I64);
        let lane = self.function.fresh("lane", Type::I64);
        let space = vec![
            SegDim { index: tile, extent: block.per, mapping: Mapping::Seq },
            SegDim { index: lane, extent: Operand::i64(COLUMNS), mapping: Mapping::Lane },
        ];
        let outside = std::mem::take(&mut self.stms);
        let number = self.binary("number", BinaryOp::Add, block.first, tile);
        let rows = self.rows_at(number, block.last);
        let column = self.binary("column", BinaryOp::Add, block.start, lane);
        // Placeholders for the row and for its index within the tile, which are replaced for every row.
        let row = self.function.fresh("row", Type::I64);
        let slot = self.function.fresh("slot", Type::I64);
        let body = make(self, &Point { row, column, tile, slot, lane });
        let slots = (0..ROWS).map(Operand::i64).collect();
        let result = self.side_by_side(&body, [(row, rows), (slot, slots)]);
        let mut pattern = Vec::new();
        for &row in &result {
            let elem = self.function.operand_type(row).elem().expect("an array");
            let shape = [block.per, Operand::i64(COLUMNS), Operand::i64(ROWS)];
            pattern.push(self.function.fresh("tiled", Type::array(elem, shape)));
        }
        let body = Body { stms: std::mem::replace(&mut self.stms, outside), result };
        let expr = Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body }));
        self.stms.push(Stm { pattern: pattern.clone(), expr, certs: vec![], span: self.span });
        pattern.into_iter().map(|tiled| self.turned(tiled.into(), vec![0, 2, 1])).collect()
    }

    /// Returns a copy of the operation's body with fresh variables, at a row and a column.
    fn body_at(&mut self, product: &Product, block: &Block, point: &Point) -> Body {
        let mut by = substitution(product, block, point.column);
        by.insert(product.op.space[product.op.space.len() - 2].index, point.row);
        Copier::within(self.function, by).copy_body(&product.op.body)
    }

    /// Makes the loop of a body continue the sums of a block, for `len` steps from `from` on.
    fn go_on(
        &mut self,
        product: &Product,
        body: &mut Body,
        (block, point): (&Block, &Point),
        (from, len): (Operand, Operand),
        packed: &[Operand],
    ) {
        body.stms.truncate(product.at + 1);
        let Some(Stm { pattern, expr: Expr::Loop { params, form, body: steps }, .. }) = body.stms.last_mut()
        else {
            unreachable!("a copy is alike");
        };
        body.result = pattern.iter().map(|&var| var.into()).collect();
        let step = self.function.fresh("step", Type::I64);
        let LoopForm::For { index, .. } = *form else { unreachable!("a copy is alike") };
        *form = LoopForm::For { index: step, bound: len };
        for (&number, &packed) in product.packed.iter().zip(packed) {
            let indices = vec![step.into(), point.lane.into()];
            steps.stms[number].expr = Expr::Index { array: variable(packed), indices };
        }
        let at = Expr::Binary(BinaryOp::Add, from, step.into());
        steps.stms.insert(0, Stm { pattern: vec![index], expr: at, certs: vec![], span: self.span });
        let mut sums = Vec::new();
        for (param, &array) in params.iter_mut().zip(&block.sums) {
            let sum = self.function.fresh_like(param.var);
            param.init = sum.into();
            sums.push(self.sum_at(sum, array, point));
        }
        body.stms.splice(product.at..product.at, sums);
    }

    /// Emits the code after the loop, for all points of a block.
    fn finished(&mut self, product: &Product, block: &Block) -> Vec<Operand> {
        self.tiled(block, |this, point| {
            let mut body = this.body_at(product, block, point);
            let pattern = std::mem::take(&mut body.stms[product.at].pattern);
            let sums = pattern.iter().zip(&block.sums).map(|(&var, &array)| this.sum_at(var, array, point));
            body.stms.splice(product.at..=product.at, sums);
            body
        })
    }

    /// Binds a sum of a block.
    fn sum_at(&self, var: Var, sums: Operand, point: &Point) -> Stm {
        let indices = vec![point.tile.into(), point.slot.into(), point.lane.into()];
        let expr = Expr::Index { array: variable(sums), indices };
        Stm { pattern: vec![var], expr, certs: vec![], span: self.span }
    }

    /// Returns the result from blocks: a view if the strips cover the columns exactly, else a copy.
    fn put_together(&mut self, blocks: Var, like: Var) -> Operand {
        let ty = self.function.ty(like).clone();
        let wanted = ty.shape().to_vec();
        let [.., columns] = *wanted else { unreachable!("two dimensions at least") };
        let shape = self.function.ty(blocks).shape().to_vec();
        let [outer @ .., chunks, strips, per, _, _] = shape.as_slice() else { unreachable!("a block's") };
        let rank = outer.len();
        let perm = (0..rank).chain([0, 2, 3, 1, 4].map(|dim| rank + dim)).collect();
        let turned = self.turned(blocks.into(), perm);
        let tiles = self.binary("tiles", BinaryOp::Mul, *chunks, *per);
        let rows = self.binary("rows", BinaryOp::Mul, tiles, ROWS);
        let covered = self.binary("covered", BinaryOp::Mul, *strips, COLUMNS);
        let exact = self.compare("exact", CompareOp::Eq, covered, columns);
        let with = |columns| outer.iter().copied().chain([rows, columns]).collect::<Vec<_>>();
        let before = std::mem::take(&mut self.stms);

        let whole = self.reshaped(turned, with(columns));
        let whole = self.part(whole, &vec![Operand::i64(0); wanted.len()], &wanted);
        let then_body = Body { stms: std::mem::take(&mut self.stms), result: vec![whole] };

        let whole = self.reshaped(turned, with(covered));
        let fresh = Expr::Scratch { elem: ty.elem().expect("an array"), shape: ty.shape().into() };
        let fresh = self.bind("fresh", ty.clone(), fresh);
        let before_last = self.binary("before_last", BinaryOp::Sub, covered, COLUMNS);
        let left = self.binary("left", BinaryOp::Sub, columns, before_last);
        let last = self.binary("last", BinaryOp::Sub, covered, left);
        let zero = Operand::i64(0);
        let filled = self.columns_moved(fresh, zero, (whole, zero), before_last);
        let filled = self.columns_moved(filled, before_last, (whole, last), left);
        let else_body = Body { stms: std::mem::replace(&mut self.stms, before), result: vec![filled] };

        let expr = Expr::If { cond: exact, then_body, else_body, branch: Branch::Plain };
        self.bind("put", ty, expr)
    }

    /// Binds an array with `count` columns from `at` on overwritten by columns of another array from `start` on.
    fn columns_moved(
        &mut self,
        array: Operand,
        at: Operand,
        (of, start): (Operand, Operand),
        count: Operand,
    ) -> Operand {
        let mut shape = self.function.ty(variable(array)).shape().to_vec();
        let mut starts = vec![Operand::i64(0); shape.len()];
        let columns = shape.len() - 1;
        (shape[columns], starts[columns]) = (count, start);
        let moved = self.part(of, &starts, &shape);
        starts[columns] = at;
        self.overwritten(array, &starts, moved)
    }
}

/// Returns the substitution of the operation's dimensions in a block, except for the row.
fn substitution(product: &Product, block: &Block, column: Operand) -> Substitution {
    let mut by = Substitution::new();
    for (dim, own) in product.op.space.iter().zip(&block.outer) {
        by.insert(dim.index, own.index);
    }
    by.insert(product.op.space[product.op.space.len() - 1].index, column);
    by
}
