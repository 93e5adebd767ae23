//! What comes before a tile: its total and its prefix are published, and the tiles before it looked at, a window at a time.

use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use super::look_back::{PREFIX, TOTAL, Tiles};
use super::{Parts, Place, Shared};
use crate::lower::device::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered};
use crate::op::Op;
use crate::types::{ImpType, Mem, Operand, Reg};

/// Tiles that a work-item looks at at a time: as long as it takes to hear of one, it takes about to hear of these.
const TILES: i64 = 4;

/// What the work-items of a group know of the tiles that they look at: one value of each, and whether what is before counts.
struct Window {
    values: Vec<Mem>,
    /// States, as `i32`.
    stops: Mem,
}

impl<'a> Emitter<'a> {
    /// Publishes the tile's total, leaves what comes before the tile in `shared.before`, publishes its prefix.
    pub(super) fn look_back(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        tiles: &Tiles,
        shared: &Shared,
    ) -> Lowered<()> {
        let last = Operand::i64(i64::from(SIZE) - 1);
        let is_first = self.code.compare(CompareOp::Eq, place.item, Operand::i64(0));
        let carries = self.neutral_carries(parts)?;
        self.branch_if(is_first, &mut |this| {
            this.publish_total(parts, place, tiles, (shared, last));
            Ok(())
        })?;
        self.look_at_windows(parts, place, tiles, &carries)?;
        self.branch_if(is_first, &mut |this| {
            this.store_all(&shared.before, &carries, Operand::i64(0));
            // A tile in which a segment begins has published its prefix.
            let first = Operand::i64(0);
            let whole = Operand::Const(true.into());
            match this.unless_head(parts, place, (first, place.length), whole) {
                Operand::Const(_) => this.publish_prefix(parts, place, tiles, &carries),
                open => this.branch_if(open, &mut |this| this.publish_prefix(parts, place, tiles, &carries)),
            }
        })?;
        self.code.emit(Op::Barrier);
        Ok(())
    }

    /// Publishes what the elements of a tile come to: its prefix, where a segment begins in it.
    fn publish_total(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        tiles: &Tiles,
        (shared, last): (&Shared, Operand),
    ) {
        let publish = |this: &mut Self, to: &[Mem], value: i32| {
            this.move_all(to, place.tile, &shared.totals, last);
            this.code.emit(Op::Publish { mem: tiles.states, index: place.tile, value });
        };
        let whole = Operand::Const(true.into());
        let open = self.unless_head(parts, place, (Operand::i64(0), place.length), whole);
        if open == whole {
            return publish(self, &tiles.totals, TOTAL);
        }
        self.code.open();
        publish(self, &tiles.totals, TOTAL);
        let then_block = self.code.close();
        self.code.open();
        publish(self, &tiles.prefixes, PREFIX);
        let else_block = self.code.close();
        self.code.emit(Op::If { cond: open, then_block, else_block });
    }

    fn publish_prefix(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        tiles: &Tiles,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        self.advance_all(parts, carries, &tiles.totals, place.tile)?;
        self.store_all(&tiles.prefixes, carries, place.tile);
        self.code.emit(Op::Publish { mem: tiles.states, index: place.tile, value: PREFIX });
        Ok(())
    }

    /// Goes back until the first tile, or one whose prefix is known: `carries` of the first work-item then hold what
    /// comes before this tile.
    fn look_at_windows(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        tiles: &Tiles,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        let nearest = self.code.sub(place.tile, Operand::i64(1));
        let nearest = self.code.copy("nearest", nearest);
        // What `totals` hold is needed again: the windows have their own place.
        let types = self.combined_types(parts.combine);
        let values = self.local_memories(&types, "window", i64::from(SIZE));
        let window = Window { values, stops: self.local_memory("stops", ScalarType::I32, i64::from(SIZE)) };
        self.code.open();
        let more = self.code.compare(CompareOp::SLe, Operand::i64(0), nearest);
        let test = self.code.close();
        self.code.open();
        let done = self.look_at_window(parts, (place, nearest), tiles, &window, carries);
        let body = self.code.close();
        self.code.emit(Op::While { test, cond: more, body });
        done
    }

    /// Every work-item looks at some tiles, the first at the nearest; then they fold what they found, older before newer, up
    /// to the newest that knows its prefix.
    fn look_at_window(
        &mut self,
        parts: &Parts<'a>,
        (place, nearest): (Place, Reg),
        tiles: &Tiles,
        window: &Window,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        let size = i64::from(SIZE);
        let before = self.code.mul(place.item, Operand::i64(TILES));
        let own = self.code.sub(nearest, before);
        let state = self.code.reg("state", ImpType::scalar(ScalarType::I32));
        let found = self.neutral_carries(parts)?;
        self.code.set(state, Operand::Const(Scalar::I32(PREFIX)));
        let exists = self.code.compare(CompareOp::SLe, Operand::i64(0), own);
        self.branch_if(exists, &mut |this| this.look_at_tiles(parts, own, tiles, (state, &found)))?;
        self.store_all(&window.values, &found, place.item.into());
        self.code.store(ScalarType::I32, window.stops, place.item, state);
        self.code.emit(Op::Barrier);
        let mut half = 1;
        while half < size {
            let rest = self.code.binary(BinaryOp::And, place.item, Operand::i64(2 * half - 1));
            let folds = self.code.compare(CompareOp::Eq, rest, Operand::i64(0));
            let goes_on = self.code.compare(CompareOp::Eq, state, Operand::Const(Scalar::I32(TOTAL)));
            let takes = self.code.binary(BinaryOp::And, folds, goes_on);
            self.branch_if(takes, &mut |this| {
                let older = this.code.add(place.item, Operand::i64(half));
                this.precede_all(parts, &found, &window.values, older)?;
                let stop = this.code.load("stop", ScalarType::I32, window.stops, older);
                this.code.set(state, stop);
                Ok(())
            })?;
            self.code.emit(Op::Barrier);
            self.store_all(&window.values, &found, place.item.into());
            self.code.store(ScalarType::I32, window.stops, place.item, state);
            self.code.emit(Op::Barrier);
            half *= 2;
        }
        // The first work-item holds what the window comes to.
        self.precede_all(parts, carries, &window.values, Operand::i64(0))?;
        let stop = self.code.load("stop", ScalarType::I32, window.stops, Operand::i64(0));
        let stopped = self.code.compare(CompareOp::Eq, stop, Operand::Const(Scalar::I32(PREFIX)));
        let further = self.code.sub(nearest, Operand::i64(size * TILES));
        let next = self.code.select(stopped, Operand::i64(-1), further);
        self.code.set(nearest, next);
        // Nobody writes the next window before all have read this one.
        self.code.emit(Op::Barrier);
        Ok(())
    }

    /// What the tiles of a work-item come to, up to the newest that knows its prefix, and whether one does. The first of them,
    /// `newest`, exists. There is no prefix before the first tile of all: nothing counts as one.
    fn look_at_tiles(
        &mut self,
        parts: &Parts<'a>,
        newest: Operand,
        tiles: &Tiles,
        (state, found): (Reg, &[Vec<Reg>]),
    ) -> Lowered<()> {
        let older = |this: &mut Self, number: i64| this.code.sub(newest, Operand::i64(number));
        let mut places = Vec::new();
        for number in 0..TILES {
            let place = older(self, number);
            places.push(self.code.binary(BinaryOp::SMax, place, Operand::i64(0)));
        }
        let states: Vec<Reg> =
            places.iter().map(|_| self.code.reg("state", ImpType::scalar(ScalarType::I32))).collect();
        self.code.emit(Op::Await { dsts: states.clone(), mem: tiles.states, indices: places.clone() });
        // All are loaded before any is looked at.
        let mut values = Vec::new();
        for (&place, &state) in places.iter().zip(&states) {
            let value = self.neutral_carries(parts)?;
            let whole = self.code.compare(CompareOp::Eq, state, Operand::Const(Scalar::I32(PREFIX)));
            self.code.open();
            self.load_all(&value, &tiles.prefixes, place);
            let then_block = self.code.close();
            self.code.open();
            self.load_all(&value, &tiles.totals, place);
            let else_block = self.code.close();
            self.code.emit(Op::If { cond: whole, then_block, else_block });
            values.push(value);
        }
        self.copy_all(found, &values[0]);
        self.code.set(state, states[0]);
        for (number, (value, &next)) in (0..).zip(values.iter().zip(&states)).skip(1) {
            let goes_on = self.code.compare(CompareOp::Eq, state, Operand::Const(Scalar::I32(TOTAL)));
            let place = older(self, number);
            let exists = self.code.compare(CompareOp::SLe, Operand::i64(0), place);
            let takes = self.code.binary(BinaryOp::And, goes_on, exists);
            let ends = Operand::Const(Scalar::I32(PREFIX));
            self.branch_if(takes, &mut |this| {
                this.precede_by(parts, found, value)?;
                this.code.set(state, next);
                Ok(())
            })?;
            let next = self.code.select(exists, state, ends);
            self.code.set(state, next);
        }
        Ok(())
    }
}
