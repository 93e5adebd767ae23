//! Copies of transposed arrays, tile by tile through local memory, so that neighbours read side by side and write side by side.
//!
//! ```text
//! for each tile, by a group:  tile[down][across] = source[.., row + across, .., column + down]; barrier
//!                             dest[.., row + down, .., column + across] = tile[across][down]
//! ```
//!
//! Tiles at the edge test for each element whether it exists. Rows of a tile have one element of padding, so that its columns lie
//! in all banks of local memory.

use warpwise_diag::Span;
use warpwise_prim::{BinaryOp, CompareOp};
use warpwise_runtime::machine::Schedule;

use super::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::Range;
use crate::lower::memory::View;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// Number of rows and of columns of a tile.
const TILE: i64 = 32;

/// Distance from one row of a tile to the next in local memory, in elements.
const PITCH: i64 = TILE + 1;

/// Number of rows that a group copies at a time.
const AT_A_TIME: i64 = SIZE as i64 / TILE;

/// Minimum known extent; smaller ones leave most of a tile empty.
const WORTH_A_TILE: i64 = 8;

/// A copy in which one dimension, `column`, is contiguous in the destination, and another one, `row`, in the source.
struct Transposition<'v> {
    dest: &'v View,
    source: &'v View,
    row: usize,
    column: usize,
}

impl<'v> Transposition<'v> {
    /// Returns a copy as a transposition, if it is one and worth tiles.
    fn of(dest: &'v View, source: &'v View) -> Option<Transposition<'v>> {
        let is_unit = |value: Value| value.known().constant == Some(1);
        let worth =
            |dim: usize| dest.extents[dim].known().constant.is_none_or(|extent| extent >= WORTH_A_TILE);
        let side_by_side = |view: &View, other: &View| {
            let alone = |dim: &usize| is_unit(view.strides[*dim]) && !is_unit(other.strides[*dim]);
            (0..view.strides.len()).find(alone).filter(|&dim| worth(dim))
        };
        let (row, column) = (side_by_side(source, dest)?, side_by_side(dest, source)?);
        Some(Transposition { dest, source, row, column })
    }

    /// Returns the number of tiles along each dimension: for rows and columns those of tiles, for the others their extents.
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

/// The position of a work-item in a tile.
struct Place<'p> {
    /// Indices of the tile's first element.
    corner: &'p [Value],
    /// Position in its row.
    across: Operand,
    /// First of its rows.
    first: Operand,
    /// Whether the arrays have all elements of the tile.
    inside: Operand,
}

/// A function that emits code for an element of a tile, given its row in the tile and its indices.
type Element<'f, 'e> = &'f mut dyn FnMut(&mut Emitter<'e>, (Operand, &[Value])) -> Lowered<()>;

impl<'a> Emitter<'a> {
    /// Launches the copy of a transposed array; returns whether it is one. Host code.
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

    /// Copies the tile with number `unit`. The work-items of a row of a tile are neighbours.
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
        let inside = self.tile_is_inside(transposition, &corner);
        let place = Place { corner: &corner, across, first, inside };
        self.each_element(transposition, &place, (row, column), &mut |this, (down, indices)| {
            let at = this.code.mul(down, Operand::i64(PITCH));
            let at = this.code.add(at, across);
            let value = this.load(source, indices);
            let value = this.vector(value);
            this.code.store(source.elem, tile, at, value);
            Ok(())
        })?;
        self.code.emit(Op::Barrier);
        self.each_element(transposition, &place, (column, row), &mut |this, (down, indices)| {
            let at = this.code.mul(across, Operand::i64(PITCH));
            let at = this.code.add(at, down);
            let value = this.code.load("element", dest.elem, tile, at);
            this.store(dest, indices, Value::Uniform(value.into()));
            Ok(())
        })?;
        self.code.emit(Op::Barrier);
        Ok(())
    }

    /// Emits whether the arrays have all elements of the tile that starts at `corner`.
    fn tile_is_inside(&mut self, transposition: &Transposition, corner: &[Value]) -> Operand {
        let mut inside = Operand::Const(true.into());
        for dim in [transposition.row, transposition.column] {
            let end = self.binary(BinaryOp::Add, corner[dim], constant(TILE));
            let (end, extent) = (self.vector(end), self.vector(transposition.dest.extents[dim]));
            let fits = self.code.compare(CompareOp::SLe, end, extent);
            inside = self.code.binary(BinaryOp::And, inside, fits);
        }
        inside
    }

    /// Emits `body` for the existing elements of a tile that belong to this work-item, with their row in the tile and their
    /// indices; neighbours differ in the first of the dimensions. In tiles that exist completely, single elements are not tested.
    fn each_element(
        &mut self,
        transposition: &Transposition,
        place: &Place,
        dims: (usize, usize),
        body: Element<'_, 'a>,
    ) -> Lowered<()> {
        let [inside, beyond] = self
            .either(place.inside, |this, all| this.each_row(transposition, place, dims, (all, &mut *body)));
        inside.and(beyond)
    }

    /// As [`Emitter::each_element`], for tiles with `all` elements, or with a test of each element.
    fn each_row(
        &mut self,
        transposition: &Transposition,
        place: &Place,
        (across, down): (usize, usize),
        (all, body): (bool, Element<'_, 'a>),
    ) -> Lowered<()> {
        let mut indices = place.corner.to_vec();
        indices[across] = self.binary(BinaryOp::Add, place.corner[across], Value::Uniform(place.across));
        let from = self.binary(BinaryOp::Add, place.corner[down], Value::Uniform(place.first));
        let index = self.code.int_reg("r");
        let (block, done) = self.block_of(|this| {
            let distance = this.code.mul(index, Operand::i64(AT_A_TIME));
            let below = this.code.add(place.first, distance);
            indices[down] = this.binary(BinaryOp::Add, from, Value::Uniform(distance));
            if all {
                body(this, (below, &indices))
            } else {
                let mut exists = Operand::Const(true.into());
                for dim in [across, down] {
                    let (index, extent) =
                        (this.vector(indices[dim]), this.vector(transposition.dest.extents[dim]));
                    let inside = this.code.compare(CompareOp::SLt, index, extent);
                    exists = this.code.binary(BinaryOp::And, exists, inside);
                }
                this.branch_if(exists, &mut |this| body(this, (below, &indices)))
            }
        });
        let to = Operand::i64(TILE / AT_A_TIME);
        self.code.emit(Op::For { index, from: Operand::i64(0), to, step: 1, body: block });
        done
    }
}

fn constant(value: i64) -> Value {
    Value::constant(value.into())
}
