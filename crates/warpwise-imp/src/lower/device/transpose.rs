//! Copies of arrays that lie transposed: tile by tile through local memory, so that neighbours read side by side and write
//! side by side.
//!
//! ```text
//! for each tile, by a group:  tile[down][across] = source[.., row + across, .., column + down]; barrier
//!                             dest[.., row + down, .., column + across] = tile[across][down]
//! ```
//!
//! Rows of a tile are an element longer than they need to be, so that its columns lie in all banks of local memory.

use warpwise_diag::Span;
use warpwise_prim::{BinaryOp, CompareOp};
use warpwise_runtime::machine::Schedule;

use super::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::Range;
use crate::lower::memory::View;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// Rows and columns of a tile.
const TILE: i64 = 32;

/// Elements from one row of a tile in local memory to the next.
const PITCH: i64 = TILE + 1;

/// Rows that a group copies at a time.
const AT_A_TIME: i64 = SIZE as i64 / TILE;

/// Known extents below this leave most of a tile empty.
const WORTH_A_TILE: i64 = 8;

/// A copy whose last dimension lies side by side where it goes, and another one, `row`, where it comes from.
struct Transposition<'v> {
    dest: &'v View,
    source: &'v View,
    row: usize,
    column: usize,
}

impl<'v> Transposition<'v> {
    /// A copy as a transposition, if it is one worth tiles.
    fn of(dest: &'v View, source: &'v View) -> Option<Transposition<'v>> {
        let column = dest.extents.len().checked_sub(1)?;
        let is_unit = |value: Value| value.known().constant == Some(1);
        let worth =
            |dim: usize| dest.extents[dim].known().constant.is_none_or(|extent| extent >= WORTH_A_TILE);
        let row = (0..column).find(|&dim| is_unit(source.strides[dim]) && worth(dim))?;
        let crosses = is_unit(dest.strides[column]) && !is_unit(source.strides[column]) && worth(column);
        crosses.then_some(Transposition { dest, source, row, column })
    }

    /// The numbers of tiles along all dimensions: those of rows and columns of tiles, and one for each index of the others.
    fn tiles(&self, emitter: &mut Emitter) -> Vec<Value> {
        let tiles = |(dim, &extent): (usize, &Value)| {
            if dim != self.row && dim != self.column {
                return extent;
            }
            let above = emitter.binary(BinaryOp::Add, extent, constant(TILE - 1));
            emitter.binary(BinaryOp::SQuot, above, constant(TILE))
        };
        self.dest.extents.iter().enumerate().map(tiles).collect()
    }
}

impl<'a> Emitter<'a> {
    /// Launches the copy of an array that lies transposed; whether it is one. Host code.
    pub fn device_transposition(&mut self, dest: &View, source: &View, span: Span) -> Lowered<bool> {
        let Some(here) = Transposition::of(dest, source) else { return Ok(false) };
        let built = self.build("transpose", span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let (dest, source) = (kernel.view_param(dest)?, kernel.view_param(source)?);
            let tile = kernel.local_memory("tile", dest.elem, TILE * PITCH);
            let there = Transposition { dest: &dest, source: &source, ..here };
            kernel.for_units((lo, hi), &mut |kernel, unit| kernel.transpose_tile(&there, tile, (item, unit)))
        })?;
        let tiles = here.tiles(self);
        let tiles = self.all_uniform(&tiles, span)?;
        let extent = self.code.product(tiles);
        self.launch(built, Range { extent, schedule: Schedule::Static, cost: Operand::i64(TILE * TILE * 4) });
        Ok(true)
    }

    /// Copies the tile of this number. The work-items of a row of a tile are neighbours.
    fn transpose_tile(
        &mut self,
        transposition: &Transposition,
        tile: Mem,
        (item, unit): (Reg, Reg),
    ) -> Lowered<()> {
        let &Transposition { dest, source, row, column } = transposition;
        let tiles = transposition.tiles(self);
        let mut corner = self.unflattened(&tiles, unit.into());
        for dim in [row, column] {
            corner[dim] = self.binary(BinaryOp::Mul, corner[dim], constant(TILE));
        }
        let across = self.code.binary(BinaryOp::And, item, Operand::i64(TILE - 1));
        let first = self.code.binary(BinaryOp::AShr, item, Operand::i64(TILE.ilog2().into()));
        self.each_row(first, &mut |this, down| {
            let at = this.code.mul(down, Operand::i64(PITCH));
            let at = this.code.add(at, across);
            this.element_of_tile(transposition, &corner, (across, down), &mut |this, indices| {
                let value = this.load(source, indices);
                let value = this.vector(value);
                this.code.store(source.elem, tile, at, value);
            })
        })?;
        self.code.emit(Op::Barrier);
        self.each_row(first, &mut |this, down| {
            let at = this.code.mul(across, Operand::i64(PITCH));
            let at = this.code.add(at, down);
            this.element_of_tile(transposition, &corner, (down, across), &mut |this, indices| {
                let value = this.code.load("element", dest.elem, tile, at);
                this.store(dest, indices, Value::Uniform(value.into()));
            })
        })?;
        self.code.emit(Op::Barrier);
        Ok(())
    }

    /// Runs `body` for the rows of a tile that are this work-item's.
    fn each_row(
        &mut self,
        first: Operand,
        body: &mut dyn FnMut(&mut Self, Operand) -> Lowered<()>,
    ) -> Lowered<()> {
        let index = self.code.int_reg("r");
        self.code.open();
        let distance = self.code.mul(index, Operand::i64(AT_A_TIME));
        let down = self.code.add(first, distance);
        let done = body(self, down);
        let block = self.code.close();
        let to = Operand::i64(TILE / AT_A_TIME);
        self.code.emit(Op::For { index, from: Operand::i64(0), to, step: 1, body: block });
        done
    }

    /// Runs `body` with the indices of an element of a tile, if the arrays have it.
    fn element_of_tile(
        &mut self,
        &Transposition { dest, row, column, .. }: &Transposition,
        corner: &[Value],
        (below_row, below_column): (Operand, Operand),
        body: &mut dyn FnMut(&mut Self, &[Value]),
    ) -> Lowered<()> {
        let mut indices = corner.to_vec();
        let mut exists = Operand::Const(true.into());
        for (dim, below) in [(row, below_row), (column, below_column)] {
            indices[dim] = self.binary(BinaryOp::Add, corner[dim], Value::Uniform(below));
            let (index, extent) = (self.vector(indices[dim]), self.vector(dest.extents[dim]));
            let inside = self.code.compare(CompareOp::SLt, index, extent);
            exists = self.code.binary(BinaryOp::And, exists, inside);
        }
        self.branch_if(exists, &mut |this| {
            body(this, &indices);
            Ok(())
        })
    }
}

fn constant(value: i64) -> Value {
    Value::constant(value.into())
}
