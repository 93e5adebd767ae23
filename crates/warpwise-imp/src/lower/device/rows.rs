//! Maps over grids with a known interior: each work-item computes several rows of a column.
//!
//! ```text
//! segmap (i < h: thread, j < w: thread) {          for each column j of ROWS rows from i, by a work-item:
//!   inside = ...;                                    if inside at all of them { for each i: fast; store }
//!   r = if inside specialised { fast }        ==>    else                     { for each i < h: general; store }
//!         else { general } }
//! ```
//!
//! Finding out where a point lies, and whether it is in the interior, is most of the work of a stencil. It is done once for all
//! rows of a work-item, and values that neighbouring rows load are loaded once.
//!
//! Needs: the choice that `specialise` makes, and only scalar computation around it.

use warpwise_ir::{Branch, Expr, Mapping, SegOp, Stm, Var};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::op::Op;
use crate::types::{Operand, Reg};

/// Number of rows of a work-item.
const ROWS: i64 = 4;

/// A map whose body is scalar work followed by one specialised choice.
struct Grid<'a> {
    stm: &'a Stm,
    op: &'a SegOp,
    /// The statements before the choice.
    before: &'a [Stm],
    /// Condition of the choice.
    cond: Var,
}

impl<'a> Grid<'a> {
    fn of(stm: &'a Stm, op: &'a SegOp) -> Option<Grid<'a>> {
        let (choice, before) = op.body.stms.split_last()?;
        let Expr::If { cond, branch: Branch::Specialised, .. } = &choice.expr else { return None };
        let by_threads = op.space.iter().all(|dim| dim.mapping == Mapping::Thread);
        let cond = cond.as_var().filter(|_| by_threads && op.space.len() > 1)?;
        Some(Grid { stm, op, before, cond })
    }

    /// Returns the position of the dimension of the rows.
    fn rows(&self) -> usize {
        self.op.space.len() - 2
    }

    /// Returns the extents of the dimensions, with that of the rows divided by [`ROWS`].
    fn extents(&self, emitter: &mut Emitter<'a>) -> Vec<Value> {
        let mut extents: Vec<Value> = self.op.space.iter().map(|dim| emitter.value(dim.extent)).collect();
        let above = emitter.binary(BinaryOp::Add, extents[self.rows()], Value::constant((ROWS - 1).into()));
        extents[self.rows()] = emitter.binary(BinaryOp::SQuot, above, Value::constant(ROWS.into()));
        extents
    }
}

impl<'a> Emitter<'a> {
    /// Launches a map over a grid with an interior; returns whether it is one. Host code.
    pub fn map_of_rows(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<bool> {
        let Some(grid) = Grid::of(stm, op) else { return Ok(false) };
        let built = self.build("rows", stm.span, &|kernel, lo, hi| {
            kernel.for_units((lo, hi), &mut |kernel, unit| kernel.rows(&grid, unit))
        })?;
        let extents = grid.extents(self);
        let extents = self.all_uniform(&extents, stm.span)?;
        let mut range = self.flat_range(stm, op)?;
        range.extent = self.code.product(extents);
        range.cost = self.code.mul(range.cost, Operand::i64(ROWS));
        self.launch(built, range);
        Ok(true)
    }

    /// Emits the rows of a work-item.
    fn rows(&mut self, grid: &Grid<'a>, unit: Reg) -> Lowered<()> {
        let extents = grid.extents(self);
        let indices = self.unflattened(&extents, unit.into());
        for (dim, &index) in grid.op.space.iter().zip(&indices) {
            self.bind(dim.index, index);
        }
        let first = self.binary(BinaryOp::Mul, indices[grid.rows()], Value::constant(ROWS.into()));
        let first = self.vector(first);
        let inside = self.is_inside(grid, first)?;
        let [inside, beyond] = self.either(inside, |this, known| {
            let saved = this.decided.replace((grid.cond, known));
            let done = this.each_row_of(grid, first, known);
            this.decided = saved;
            done
        });
        inside.and(beyond)
    }

    /// Emits whether all rows from `first` on exist and are in the interior.
    fn is_inside(&mut self, grid: &Grid<'a>, first: Operand) -> Lowered<Operand> {
        let rows = &grid.op.space[grid.rows()];
        let extent = self.uniform(rows.extent, grid.stm.span)?;
        let end = self.code.add(first, Operand::i64(ROWS));
        let mut inside = self.code.compare(CompareOp::SLe, end, extent);
        for row in 0..ROWS {
            let row = self.code.add(first, Operand::i64(row));
            self.bind_uniform(rows.index, row);
            grid.before.iter().try_for_each(|stm| self.stm(stm))?;
            let holds = self.uniform(grid.cond, grid.stm.span)?;
            inside = self.code.binary(BinaryOp::And, inside, holds);
        }
        Ok(inside)
    }

    /// Emits the rows from `first` on; `all` says that all of them exist.
    fn each_row_of(&mut self, grid: &Grid<'a>, first: Operand, all: bool) -> Lowered<()> {
        let &Grid { stm, op, .. } = grid;
        let rows = &op.space[grid.rows()];
        let extent = self.uniform(rows.extent, stm.span)?;
        let index = self.code.int_reg("row");
        let (body, done) = self.block_of(|this| {
            let row = this.code.add(first, index);
            this.bind_uniform(rows.index, row);
            let mut point = |this: &mut Self| {
                let number = this.number_of_point(grid)?;
                this.counted_as(number, &mut |this| {
                    this.stms(&op.body)?;
                    this.store_points(&stm.pattern, &op.space, &op.body.result, stm.span)
                })
            };
            match all {
                true => point(this),
                false => {
                    let exists = this.code.compare(CompareOp::SLt, row, extent);
                    this.branch_if(exists, &mut point)
                }
            }
        });
        let (from, to) = (Operand::i64(0), Operand::i64(ROWS));
        self.code.emit(Op::For { index, from, to, step: 1, body });
        done
    }

    /// Returns the row-major number of the point whose indices are bound.
    fn number_of_point(&mut self, grid: &Grid<'a>) -> Lowered<Operand> {
        let mut number = Operand::i64(0);
        for dim in &grid.op.space {
            let extent = self.uniform(dim.extent, grid.stm.span)?;
            let index = self.uniform(dim.index, grid.stm.span)?;
            let above = self.code.mul(number, extent);
            number = self.code.add(above, index);
        }
        Ok(number)
    }
}
