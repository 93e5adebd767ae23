//! Look-back: the total and prefix of a tile are published, and the preceding tiles are inspected, one window at a time.

use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use super::published::{PREFIX, Published, TOTAL};
use super::{Parts, Place, Shared};
use crate::lower::device::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered};
use crate::op::Op;
use crate::types::{ImpType, Mem, Operand, Reg};

/// The local arrays for a window of tiles: one value of each, and whether the tiles before it are still needed.
struct Window {
    values: Vec<Mem>,
    /// States of the tiles, as `i32`.
    stops: Mem,
}

impl<'a> Emitter<'a> {
    /// Publishes the tile's total, stores its prefix in `shared.before`, and publishes the prefix up to its end.
    pub(super) fn look_back(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        published: &Published,
        shared: &Shared,
    ) -> Lowered<()> {
        let last = Operand::i64(i64::from(SIZE) - 1);
        let is_first = self.code.compare(CompareOp::Eq, place.item, Operand::i64(0));
        let carries = self.neutral_carries(parts)?;
        self.branch_if(is_first, &mut |this| this.publish_total(parts, place, published, (shared, last)))?;
        self.look_at_windows(parts, place, published, &carries)?;
        self.branch_if(is_first, &mut |this| {
            this.store_all(&shared.before, &carries, Operand::i64(0));
            // A tile in which a segment begins has already published its prefix.
            let first = Operand::i64(0);
            let whole = Operand::Const(true.into());
            let mut publish =
                |this: &mut Self| this.publish_prefix(parts, place, published, (shared, last, &carries));
            match this.unless_head(parts, place, (first, place.length), whole) {
                Operand::Const(_) => publish(this),
                open => this.branch_if(open, &mut publish),
            }
        })?;
        self.code.emit(Op::Barrier);
        Ok(())
    }

    /// Publishes the total of a tile; where a segment begins in the tile, the total is its prefix.
    fn publish_total(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        published: &Published,
        (shared, last): (&Shared, Operand),
    ) -> Lowered<()> {
        let total = self.neutral_carries(parts)?;
        self.load_all(&total, &shared.totals, last);
        let whole = Operand::Const(true.into());
        let open = self.unless_head(parts, place, (Operand::i64(0), place.length), whole);
        if open == whole {
            self.publish_tile(published, place.tile, &total, TOTAL);
            return Ok(());
        }
        self.choose(
            open,
            |this| this.publish_tile(published, place.tile, &total, TOTAL),
            |this| this.publish_tile(published, place.tile, &total, PREFIX),
        );
        Ok(())
    }

    /// Publishes the prefix up to the end of a tile; `carries` holds the prefix before it.
    fn publish_prefix(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        published: &Published,
        (shared, last, carries): (&Shared, Operand, &[Vec<Reg>]),
    ) -> Lowered<()> {
        self.advance_all(parts, carries, &shared.totals, last)?;
        self.publish_tile(published, place.tile, carries, PREFIX);
        Ok(())
    }

    /// Goes back until the first tile, or until a tile whose prefix is known. The `carries` of the first work-item then hold this
    /// tile's prefix.
    fn look_at_windows(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        published: &Published,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        let nearest = self.code.sub(place.tile, Operand::i64(1));
        let nearest = self.code.copy("nearest", nearest);
        // The contents of `totals` are still needed, so the windows have arrays of their own.
        let types = self.combined_types(parts.combine);
        let values = self.local_memories(&types, "window", i64::from(SIZE));
        let window = Window { values, stops: self.local_memory("stops", ScalarType::I32, i64::from(SIZE)) };
        let (test, more) = self.block_of(|this| this.code.compare(CompareOp::SLe, Operand::i64(0), nearest));
        let (body, done) =
            self.block_of(|this| this.look_at_window(parts, (place, nearest), published, &window, carries));
        self.code.emit(Op::While { test, cond: more, body });
        done
    }

    /// Looks at one window. Every work-item inspects one tile, the first one the nearest. Then the work-items fold their values,
    /// older before newer, up to the newest tile with a known prefix. Positions before the first tile count as tiles with a
    /// neutral prefix.
    fn look_at_window(
        &mut self,
        parts: &Parts<'a>,
        (place, nearest): (Place, Reg),
        published: &Published,
        window: &Window,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        let size = i64::from(SIZE);
        let own = self.code.sub(nearest, place.item);
        let state = self.code.reg("state", ImpType::scalar(ScalarType::I32));
        let found = self.neutral_carries(parts)?;
        self.code.set(state, Operand::Const(Scalar::I32(PREFIX)));
        let exists = self.code.compare(CompareOp::SLe, Operand::i64(0), own);
        self.branch_if(exists, &mut |this| {
            this.await_tile(published, own, state, &found);
            Ok(())
        })?;
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
        // The first work-item holds the combination of the window.
        self.precede_all(parts, carries, &window.values, Operand::i64(0))?;
        let stop = self.code.load("stop", ScalarType::I32, window.stops, Operand::i64(0));
        let stopped = self.code.compare(CompareOp::Eq, stop, Operand::Const(Scalar::I32(PREFIX)));
        let further = self.code.sub(nearest, Operand::i64(size));
        let next = self.code.select(stopped, Operand::i64(-1), further);
        self.code.set(nearest, next);
        // No work-item may write the next window before all have read this one.
        self.code.emit(Op::Barrier);
        Ok(())
    }
}
