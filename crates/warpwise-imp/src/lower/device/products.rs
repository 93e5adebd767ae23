//! Maps in the form of a matrix product: each point has a loop whose loads depend on the row or on the column, not on both. A
//! group computes a tile of points; a work-item computes several rows and columns of it, in registers.
//!
//! ```text
//! segmap (i < n, j < p) {                   for base in 0..m step slice {
//!   loop acc for k < m {                      rows[k][i] = a[i, base + k]; columns[k][j] = b[base + k, j]; barrier
//!     acc + a[i, k] * b[k, j] } }      ==>    for k in 0..slice { own rows[k][..], own columns[k][..] to registers;
//!                                               acc[r][c] = acc[r][c] + row[r] * column[c] for all r, c }; barrier }
//! ```
//!
//! Each element loaded from memory thus serves a whole tile, and each element loaded from local memory serves a row or column of
//! registers. Rows, columns and steps beyond the last are clamped to the last one when they are loaded, and are never stored or
//! folded. A point folds its steps in order, as it does alone.
//!
//! Needs loops over scalars, without checks, with straight bodies. Where there are too few tiles to keep a device busy, or too few
//! steps, each point has a work-item of its own (`--param tiles.FUNCTION.NUMBER=...`).

mod shape;

use rustc_hash::FxHashMap;
use warpwise_ir::{SegOp, Stm, Var};
use warpwise_prim::{BinaryOp, CompareOp};
use warpwise_runtime::machine::Schedule;

use self::shape::{Product, Side, Staged};
use super::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::Range;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// Number of work-items side by side in a group, each with its own columns.
const ACROSS: i64 = 8;

/// Number of work-items one below the other in a group.
const DOWN: i64 = SIZE as i64 / ACROSS;

/// Number of adjacent columns of a work-item: as many as one load from local memory yields.
const TOGETHER: i64 = 4;

/// Padding of rows in local memory, in elements, so that neighbouring steps lie in different banks.
const PAD: i64 = 4;

/// Number of tiles that keep a device busy. Set by `--param tiles.FUNCTION.NUMBER=...`.
const ENOUGH_TILES: i64 = 64;

/// Minimum number of steps for which staging pays.
const ENOUGH_STEPS: i64 = 16;

/// A point of a work-item.
struct Point {
    row: usize,
    column: usize,
    /// Registers that the loop carries.
    carried: Vec<Reg>,
    /// Values of the scalars computed before the loop.
    known: Vec<(Var, Value)>,
}

/// A tile for which code is emitted.
struct Tile<'t, 'a> {
    product: &'t Product<'a>,
    item: Reg,
    /// First row and column of the tile.
    corner: [Operand; 2],
    /// Rows and columns of the work-item, not clamped.
    own: [Vec<Operand>; 2],
    /// The same, clamped to the last row and column.
    clamped: [Vec<Operand>; 2],
    /// Number of rows and of columns of the map.
    extents: [Operand; 2],
    /// Whether all rows and columns of the tile exist.
    is_inside: Operand,
    /// Number of steps.
    depth: Operand,
    /// Local arrays for the staged loads.
    stages: Vec<Mem>,
}

impl<'a> Emitter<'a> {
    /// Launches a map in the form of a matrix product; returns whether it is one. Host code.
    pub fn device_product(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<bool> {
        let Some(product) = Product::of(self.cx.function, stm, op) else { return Ok(false) };
        let Some(depth) = self.known_on_host(product.bound) else { return Ok(false) };
        let built = self.build("product", stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let stages = product.staged.iter().map(|staged| {
                let elem = kernel.elem(staged.stm.pattern[0]);
                kernel.local_memory("stage", elem, product.slice * (product.width(staged.side) + PAD))
            });
            let stages: Vec<Mem> = stages.collect();
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                kernel.product_tile(&product, stages.clone(), (item, unit))
            })
        })?;
        let mut extents = Vec::new();
        for dim in &op.space {
            extents.push(self.uniform(dim.extent, stm.span)?);
        }
        let mut worth = self.code.compare(CompareOp::SLe, Operand::i64(ENOUGH_STEPS), depth);
        for (side, dim) in Side::BOTH.into_iter().zip(extents.len() - 2..) {
            let half = Operand::i64(product.width(side) / 2);
            let fills = self.code.compare(CompareOp::SLe, half, extents[dim]);
            worth = self.code.binary(BinaryOp::And, worth, fills);
            extents[dim] = self.code.ceil_div(extents[dim], product.width(side));
        }
        let tiles = self.code.product(extents);
        let name = format!("tiles.{}.{}", self.cx.function.name, self.cx.kernels.borrow().len() - 1);
        let least = self.code.int_reg("least");
        self.code.emit(Op::Tuned { dst: least, name, default: ENOUGH_TILES });
        let enough = self.code.compare(CompareOp::SLe, least, tiles);
        let worth = self.code.binary(BinaryOp::And, worth, enough);
        let (_, alone) = self.choose(
            worth,
            |this| {
                let cost = this
                    .code
                    .mul(depth, Operand::i64(product.width(Side::Row) * product.width(Side::Column)));
                this.launch(built, Range { extent: tiles, schedule: Schedule::Static, cost });
            },
            |this| this.map_of_points(stm, op),
        );
        alone.map(|()| true)
    }

    /// Emits the computation of a tile.
    fn product_tile(
        &mut self,
        product: &Product<'a>,
        stages: Vec<Mem>,
        (item, unit): (Reg, Reg),
    ) -> Lowered<()> {
        let tile = self.tile(product, stages, (item, unit))?;
        let points = self.points_of_tile(&tile)?;
        let base = self.code.int_reg("base");
        let (body, done) = self.block_of(|this| this.slice_of_tile(&tile, &points, base));
        let (from, step) = (Operand::i64(0), product.slice);
        self.code.emit(Op::For { index: base, from, to: tile.depth, step, body });
        done?;
        points.iter().try_for_each(|point| self.store_point_of_tile(&tile, point))
    }

    /// Locates the tile with number `unit`, and binds the indices of the outer dimensions.
    fn tile<'t>(
        &mut self,
        product: &'t Product<'a>,
        stages: Vec<Mem>,
        (item, unit): (Reg, Reg),
    ) -> Lowered<Tile<'t, 'a>> {
        let (space, span) = (&product.op.space, product.stm.span);
        let (outer, last) = space.split_at(space.len() - 2);
        let mut counts: Vec<Value> = outer.iter().map(|dim| self.value(dim.extent)).collect();
        let extents = [self.uniform(last[0].extent, span)?, self.uniform(last[1].extent, span)?];
        for (side, extent) in Side::BOTH.into_iter().zip(extents) {
            counts.push(Value::Uniform(self.code.ceil_div(extent, product.width(side))));
        }
        let numbers = self.unflattened(&counts, unit.into());
        for (dim, &number) in outer.iter().zip(&numbers) {
            self.bind(dim.index, number);
        }
        let mut corner = [Operand::i64(0); 2];
        let (mut own, mut clamped) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        let mut is_inside = Operand::Const(true.into());
        for side in Side::BOTH {
            let at = side as usize;
            let number = self.vector(numbers[outer.len() + at]);
            corner[at] = self.code.mul(number, Operand::i64(product.width(side)));
            let end = self.code.add(corner[at], Operand::i64(product.width(side)));
            let inside = self.code.compare(CompareOp::SLe, end, extents[at]);
            is_inside = self.code.binary(BinaryOp::And, is_inside, inside);
            let last = self.code.sub(extents[at], Operand::i64(1));
            for place in 0..product.own {
                let within = self.place_in_tile(product, side, item, place);
                let index = self.code.add(corner[at], within);
                own[at].push(index);
                clamped[at].push(self.code.binary(BinaryOp::SMin, index, last));
            }
        }
        let depth = self.uniform(product.bound, span)?;
        Ok(Tile { product, item, corner, own, clamped, extents, is_inside, depth, stages })
    }

    /// Returns the position of one of the work-item's rows or columns in its tile. Rows are adjacent. Columns are adjacent in
    /// blocks of one load, and neighbouring work-items have the next blocks.
    fn place_in_tile(&mut self, product: &Product<'a>, side: Side, item: Reg, place: i64) -> Operand {
        match side {
            Side::Row => {
                let down = self.code.binary(BinaryOp::AShr, item, Operand::i64(ACROSS.ilog2().into()));
                let first = self.code.mul(down, Operand::i64(product.own));
                self.code.add(first, Operand::i64(place))
            }
            Side::Column => {
                let across = self.code.binary(BinaryOp::And, item, Operand::i64(ACROSS - 1));
                let first = self.code.mul(across, Operand::i64(TOGETHER));
                let more = place / TOGETHER * TOGETHER * ACROSS + place % TOGETHER;
                self.code.add(first, Operand::i64(more))
            }
        }
    }

    /// Emits the code of a work-item's points up to the loop.
    fn points_of_tile(&mut self, tile: &Tile<'_, 'a>) -> Lowered<Vec<Point>> {
        let product = tile.product;
        let mut points = Vec::new();
        for (row, column) in product.places() {
            self.bind_point(tile, &tile.clamped, (row, column));
            for &stm in &product.before {
                self.stm(stm)?;
            }
            let scalars = product.before.iter().flat_map(|stm| &stm.pattern);
            let scalars: Vec<Var> = scalars.copied().filter(|&var| !self.is_array(var)).collect();
            let known = scalars.into_iter().map(|var| (var, self.value(var))).collect();
            let mut carried = Vec::new();
            for param in product.params {
                let init = self.uniform(param.init, product.stm.span)?;
                carried.push(self.code.copy("acc", init));
            }
            points.push(Point { row, column, carried, known });
        }
        Ok(points)
    }

    fn bind_point(
        &mut self,
        tile: &Tile<'_, 'a>,
        indices: &[Vec<Operand>; 2],
        (row, column): (usize, usize),
    ) {
        self.bind_uniform(tile.product.index_of(Side::Row), indices[0][row]);
        self.bind_uniform(tile.product.index_of(Side::Column), indices[1][column]);
    }

    /// Emits the staging of the next steps, and their folding into all points.
    fn slice_of_tile(&mut self, tile: &Tile<'_, 'a>, points: &[Point], base: Reg) -> Lowered<()> {
        let product = tile.product;
        let rest = self.code.sub(tile.depth, base);
        let slice = Operand::i64(product.slice);
        // A constant number of steps makes a cheaper loop, and loads inside the arrays need no clamping.
        let is_whole = self.code.compare(CompareOp::SLe, slice, rest);
        let is_inside = self.code.binary(BinaryOp::And, is_whole, tile.is_inside);
        let (inside, beyond) = self.choose(
            is_inside,
            |this| this.stage_loads(tile, base, false),
            |this| this.stage_loads(tile, base, true),
        );
        inside.and(beyond)?;
        self.code.emit(Op::Barrier);
        let (whole, part) = self.choose(
            is_whole,
            |this| this.steps_of_tile(tile, points, base, slice),
            |this| this.steps_of_tile(tile, points, base, rest),
        );
        self.code.emit(Op::Barrier);
        whole.and(part)
    }

    /// Folds `steps` staged steps.
    fn steps_of_tile(
        &mut self,
        tile: &Tile<'_, 'a>,
        points: &[Point],
        base: Reg,
        steps: Operand,
    ) -> Lowered<()> {
        let step = self.code.int_reg("step");
        self.count_up(step, (Operand::i64(0), steps), 1, |this| this.step_of_tile(tile, points, (base, step)))
    }

    /// Loads everything that the group needs for the next steps; `clamped` where the arrays may end earlier.
    fn stage_loads(&mut self, tile: &Tile<'_, 'a>, base: Reg, clamped: bool) -> Lowered<()> {
        let mut loads = tile.product.staged.iter().zip(&tile.stages);
        loads.try_for_each(|(staged, &mem)| self.stage_load(tile, (staged, mem), base, clamped))
    }

    /// Loads the part of an array that the group needs, with the work-items in turn and neighbours side by side.
    fn stage_load(
        &mut self,
        tile: &Tile<'_, 'a>,
        (staged, mem): (&Staged<'a>, Mem),
        base: Reg,
        clamped: bool,
    ) -> Lowered<()> {
        let product = tile.product;
        let (side, width) = (staged.side as usize, product.width(staged.side));
        let turn = self.code.int_reg("turn");
        let turns = Operand::i64(product.slice * width / i64::from(SIZE));
        self.count_up(turn, (Operand::i64(0), turns), 1, |this| {
            // The part that depends on the turn is added last; it is a constant once the turns are unrolled.
            let fastest = if staged.along_depth { product.slice } else { width };
            let low = this.code.binary(BinaryOp::And, tile.item, Operand::i64(fastest - 1));
            let high = this.code.binary(BinaryOp::AShr, tile.item, Operand::i64(fastest.ilog2().into()));
            let more = this.code.mul(turn, Operand::i64(i64::from(SIZE) / fastest));
            let (low, high) = ([low, Operand::i64(0)], [high, more]);
            let (step, place) = if staged.along_depth { (low, high) } else { (high, low) };
            let sum = |this: &mut Self, first: Operand, [own, more]: [Operand; 2]| {
                let own = this.code.add(first, own);
                this.code.add(own, more)
            };
            let mut depth = sum(this, base.into(), step);
            let mut index = sum(this, tile.corner[side], place);
            if clamped {
                for (index, extent) in [(&mut depth, tile.depth), (&mut index, tile.extents[side])] {
                    let last = this.code.sub(extent, Operand::i64(1));
                    *index = this.code.binary(BinaryOp::SMin, *index, last);
                }
            }
            this.bind_uniform(product.index, depth);
            this.bind_uniform(product.index_of(staged.side), index);
            let loads = staged.needs.iter().chain([&staged.stm]);
            let done = loads.copied().try_for_each(|stm| this.stm(stm));
            let var = staged.stm.pattern[0];
            let value = this.uniform(var, staged.stm.span)?;
            let step = sum(this, Operand::i64(0), step);
            let row = this.code.mul(step, Operand::i64(width + PAD));
            let at = sum(this, row, place);
            this.code.store(this.elem(var), mem, at, value);
            done
        })
    }

    /// Folds one step into all points.
    fn step_of_tile(
        &mut self,
        tile: &Tile<'_, 'a>,
        points: &[Point],
        (base, step): (Reg, Reg),
    ) -> Lowered<()> {
        let product = tile.product;
        let depth = self.code.add(base, step);
        let mut loaded: FxHashMap<Var, Vec<Reg>> = FxHashMap::default();
        for (staged, &mem) in product.staged.iter().zip(&tile.stages) {
            let (var, mut regs) = (staged.stm.pattern[0], Vec::new());
            let row = self.code.mul(step, Operand::i64(product.width(staged.side) + PAD));
            for place in 0..product.own {
                let within = self.place_in_tile(product, staged.side, tile.item, place);
                let at = self.code.add(row, within);
                regs.push(self.code.load("own", self.elem(var), mem, at));
            }
            loaded.insert(var, regs);
        }
        for point in points {
            self.bind_point(tile, &tile.clamped, (point.row, point.column));
            self.bind_uniform(product.index, depth);
            point.known.iter().for_each(|&(var, value)| self.bind(var, value));
            for (param, &reg) in product.params.iter().zip(&point.carried) {
                self.bind_uniform(param.var, reg);
            }
            for staged in &product.staged {
                let place = if staged.side == Side::Row { point.row } else { point.column };
                let var = staged.stm.pattern[0];
                self.bind_uniform(var, loaded[&var][place]);
            }
            for stm in product.body.stms.iter().filter(|stm| !loaded.contains_key(&stm.pattern[0])) {
                self.stm(stm)?;
            }
            let next = self.values(&product.body.result);
            self.set_all(&point.carried, &next);
        }
        Ok(())
    }

    /// Emits the code after the loop at a point, if the point exists.
    fn store_point_of_tile(&mut self, tile: &Tile<'_, 'a>, point: &Point) -> Lowered<()> {
        let product = tile.product;
        let mut exists = Operand::Const(true.into());
        for (side, place) in Side::BOTH.into_iter().zip([point.row, point.column]) {
            let (index, extent) = (tile.own[side as usize][place], tile.extents[side as usize]);
            let inside = self.code.compare(CompareOp::SLt, index, extent);
            exists = self.code.binary(BinaryOp::And, exists, inside);
        }
        self.branch_if(exists, &mut |this| {
            this.bind_point(tile, &tile.own, (point.row, point.column));
            point.known.iter().for_each(|&(var, value)| this.bind(var, value));
            for (&var, &reg) in product.folded.iter().zip(&point.carried) {
                this.bind_uniform(var, reg);
            }
            for &stm in &product.after {
                this.stm(stm)?;
            }
            this.store_points(
                &product.stm.pattern,
                &product.op.space,
                &product.op.body.result,
                product.stm.span,
            )
        })
    }
}
