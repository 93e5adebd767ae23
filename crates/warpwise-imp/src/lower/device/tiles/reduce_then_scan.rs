//! Tiles in three launches: totals of tiles, prefixes of tiles, and the scan of each tile from its prefix.
//!
//! ```text
//! totals:    total[tile] = op over the tile, by a group for each but the last
//! prefixes:  total[tile] = op over the totals up to this one, by one group, as many at a time as it has room for
//! scan:      before = total[tile - 1]; result = op(before, scanned tile), by a group for each
//! ```
//!
//! No group waits for another. One group suffices for the totals: a tile of totals stands for a tile of tiles, millions of
//! elements. A single tile takes one launch. The order of combination depends on the extents alone.
//!
//! The first launch keeps no elements. Where their order makes no difference, work-items fold them in turn, otherwise by way of
//! local memory. Partitions work in the same way, with kernels `count`, `sums` and `place`.

use warpwise_prim::CompareOp;
use warpwise_runtime::machine::Schedule;

use super::{Combine, Of, Parts, Place, Shared, Totals, per_item};
use crate::lower::blocks::Cut;
use crate::lower::device::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered};
use crate::lower::kernels::{Built, Range};
use crate::lower::reduce::componentwise;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

impl<'a> Emitter<'a> {
    /// Launches the kernels that process all tiles. Host code.
    pub(super) fn reduce_then_scan(&mut self, parts: Parts<'a>, read: Totals<'_, 'a>) -> Lowered<()> {
        let cut = self.cut_flat(&parts.op.space, parts.size(), parts.stm.span)?;
        let totals = self.unit_values(&cut, &self.combined_types(parts.combine));
        let cost = self.tile_cost(parts.op, &cut);
        let before = self.code.sub(cut.units, Operand::i64(1));
        let several = self.code.compare(CompareOp::SLt, Operand::i64(0), before);
        self.branch_if(several, &mut |this| {
            let built = this.build_totals_of_tiles(parts, &totals)?;
            this.launch(built, Range { extent: before, schedule: Schedule::Static, cost });
            let built = this.build_prefixes(parts, &totals, before)?;
            this.launch(built, Range { extent: Operand::i64(1), schedule: Schedule::Static, cost: before });
            Ok(())
        })?;
        let built = self.build_scan_of_tiles(parts, &totals, &cut)?;
        self.launch(built, Range { extent: cut.units, schedule: Schedule::Static, cost });
        if let Some(read) = read {
            let types = self.combined_types(parts.combine);
            let both = totals.iter().zip(types);
            let all: Vec<Operand> =
                both.map(|(&mem, ty)| self.code.load("size", ty, mem, before).into()).collect();
            read(self, &all);
        }
        self.release_locals(totals);
        Ok(())
    }

    /// Builds the kernel that folds tiles, all of them whole.
    fn build_totals_of_tiles(&self, parts: Parts<'a>, totals: &[Mem]) -> Lowered<Built> {
        self.build(parts.combine.named("totals", "count"), parts.stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let outs = kernel.totals_params(totals);
            let parts = Parts { segment: parts.segment.map(|extent| kernel.param_for(extent)), ..parts };
            let shared = match parts.folds_in_turn() {
                true => kernel.shared_totals(&parts),
                false => kernel.shared(&parts),
            };
            kernel.for_units((lo, hi), &mut |kernel, tile| {
                let from = kernel.code.mul(tile, Operand::i64(parts.size()));
                let length = Operand::i64(parts.size());
                let place = Place { item, tile: tile.into(), from, length };
                let carries = kernel.neutral_carries(&parts)?;
                if parts.folds_in_turn() {
                    kernel.fold_in_turn(&parts, place, &carries)?;
                } else {
                    kernel.stage_tile(&parts, place, &shared)?;
                    kernel.code.emit(Op::Barrier);
                    kernel.fold_own(&parts, place, &shared, &carries)?;
                }
                kernel.fold_totals(&parts, place, (&shared, &carries), &mut |kernel, total| {
                    kernel.store_all(&outs, total, place.tile);
                })
            })
        })
    }

    /// Folds the elements of the tile, with the work-items taking elements in turn.
    fn fold_in_turn(&mut self, parts: &Parts<'a>, place: Place, carries: &[Vec<Reg>]) -> Lowered<()> {
        self.each_in_tile(parts, place, &mut |this, (at, _)| {
            let index = this.code.add(place.from, at);
            this.counted_as(index, &mut |this| {
                this.bind_flat(&parts.op.space, index, parts.stm.span)?;
                this.stms(&parts.op.body)?;
                match parts.combine {
                    Combine::Scans(scans) => {
                        let mut taken = 0;
                        for (scan, carry) in scans.iter().zip(carries) {
                            let values = this.values(&parts.op.body.result[taken..taken + carry.len()]);
                            taken += carry.len();
                            this.advance(&scan.op, carry, &values)?;
                        }
                    }
                    Combine::Members(classes) => this.count_own(parts, classes, &carries[0]),
                }
                Ok(())
            })
        })
    }

    /// Builds the kernel in which one group replaces the total of each tile by the prefix up to its end.
    fn build_prefixes(&self, parts: Parts<'a>, totals: &[Mem], count: Operand) -> Lowered<Built> {
        self.build(parts.combine.named("prefixes", "sums"), parts.stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let totals = kernel.totals_params(totals);
            let count = kernel.param_for(count);
            let segment = parts.segment.map(|extent| kernel.param_for(extent));
            let per_item = per_item(&kernel.combined_types(parts.combine));
            let parts = Parts { segment, per_item, of: Of::Totals(parts.size()), ..parts };
            let shared = kernel.shared(&parts);
            kernel.for_units((lo, hi), &mut |kernel, _| {
                let carries = kernel.neutral_carries(&parts)?;
                kernel.first_item(item, &mut |kernel| {
                    kernel.store_all(&shared.before, &carries, Operand::i64(0));
                    Ok(())
                })?;
                let tiles = kernel.code.ceil_div(count, parts.size());
                let tile = kernel.code.int_reg("tile");
                kernel.count_up(tile, (Operand::i64(0), tiles), 1, |kernel| {
                    let place = kernel.place_in(&parts, item, tile.into(), count);
                    kernel.scan_in_place(&parts, place, &shared, &totals)
                })
            })
        })
    }

    /// Scans a tile of totals; `shared.before` then holds the prefix of the next tile.
    fn scan_in_place(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        shared: &Shared,
        totals: &[Mem],
    ) -> Lowered<()> {
        let types = self.combined_types(parts.combine);
        self.each_in_tile(parts, place, &mut |this, (at, slot)| {
            let at = this.code.add(place.from, at);
            for ((&mem, &own), &elem) in totals.iter().zip(&shared.elements).zip(&types) {
                let total = this.code.load("total", elem, mem, at);
                this.code.store(elem, own, slot, total);
            }
            Ok(())
        })?;
        self.code.emit(Op::Barrier);
        self.scan_items(parts, place, shared)?;
        self.finish_items(parts, place, shared)?;
        self.code.emit(Op::Barrier);
        self.first_item(place.item, &mut |this| {
            let last = this.code.sub(place.length, Operand::i64(1));
            let last = this.apart(last);
            this.move_all(&shared.before, Operand::i64(0), &shared.elements, last);
            Ok(())
        })?;
        self.each_in_tile(parts, place, &mut |this, (at, slot)| {
            let at = this.code.add(place.from, at);
            this.move_all(totals, at, &shared.elements, slot);
            Ok(())
        })?;
        // No work-item may stage the next tile before all have stored this one.
        self.code.emit(Op::Barrier);
        Ok(())
    }

    /// Builds the kernel that writes the results of tiles.
    fn build_scan_of_tiles(&self, parts: Parts<'a>, totals: &[Mem], cut: &Cut) -> Lowered<Built> {
        self.build(parts.combine.named("scan", "place"), parts.stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let totals = kernel.totals_params(totals);
            let tiles = parts.combine.is_partition().then(|| kernel.param_for(cut.units));
            let extent = kernel.param_for(cut.extent);
            let parts = Parts { segment: parts.segment.map(|extent| kernel.param_for(extent)), ..parts };
            let shared = kernel.shared(&parts);
            kernel.for_units((lo, hi), &mut |kernel, tile| {
                let place = kernel.place_in(&parts, item, tile.into(), extent);
                kernel.find_before(&parts, place, &shared, &totals)?;
                kernel.stage_tile(&parts, place, &shared)?;
                kernel.code.emit(Op::Barrier);
                kernel.scan_items(&parts, place, &shared)?;
                if let Some(tiles) = tiles {
                    kernel.leave_sizes(&parts, place, &shared, (&totals, tiles))?;
                }
                kernel.finish_tile(&parts, place, &shared)
            })
        })
    }

    /// Stores the prefix of the tile in `shared.before`.
    fn find_before(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        shared: &Shared,
        totals: &[Mem],
    ) -> Lowered<()> {
        self.first_item(place.item, &mut |this| {
            let carries = this.neutral_carries(parts)?;
            let follows = this.code.compare(CompareOp::SLt, Operand::i64(0), place.tile);
            this.branch_if(follows, &mut |this| {
                let previous = this.code.sub(place.tile, Operand::i64(1));
                this.load_all(&carries, totals, previous);
                Ok(())
            })?;
            this.store_all(&shared.before, &carries, Operand::i64(0));
            Ok(())
        })
    }

    /// Stores the prefix up to the end of the last tile as its total.
    fn leave_sizes(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        shared: &Shared,
        (totals, tiles): (&[Mem], Operand),
    ) -> Lowered<()> {
        let next = self.code.add(place.tile, Operand::i64(1));
        let is_last = self.code.compare(CompareOp::Eq, next, tiles);
        self.branch_if(is_last, &mut |this| {
            this.first_item(place.item, &mut |this| {
                let carries = this.neutral_carries(parts)?;
                this.advance_all(parts, &carries, &shared.before, Operand::i64(0))?;
                let last = Operand::i64(i64::from(SIZE) - 1);
                this.advance_all(parts, &carries, &shared.totals, last)?;
                this.store_all(totals, &carries, place.tile);
                Ok(())
            })
        })
    }

    fn totals_params(&mut self, totals: &[Mem]) -> Vec<Mem> {
        totals.iter().map(|&mem| self.mem_param("totals", mem, None)).collect()
    }
}

impl Parts<'_> {
    /// Returns whether work-items may fold elements in turn: the operator is commutative, and no segment begins between the
    /// elements.
    fn folds_in_turn(&self) -> bool {
        match self.combine {
            Combine::Scans(scans) => {
                self.segment.is_none() && scans.iter().all(|scan| componentwise(&scan.op))
            }
            Combine::Members(_) => true,
        }
    }
}

impl Combine<'_> {
    fn is_partition(self) -> bool {
        match self {
            Combine::Scans(_) => false,
            Combine::Members(_) => true,
        }
    }

    /// Returns the name of a kernel, which differs between scans and partitions.
    fn named(self, scan: &'static str, partition: &'static str) -> &'static str {
        match self {
            Combine::Scans(_) => scan,
            Combine::Members(_) => partition,
        }
    }
}
