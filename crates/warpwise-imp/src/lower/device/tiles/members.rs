//! Partitions by tiles: as scans, but with counts of the kept elements of each class.
//!
//! ```text
//! class[e] = the first class that element e of the tile joins; count the members of each work-item's part, and scan the counts
//! before = members in all tiles before
//! member[e] = how many elements of the tile before e join the same class; barrier
//! for each element { result[class[e]][before[class[e]] + member[e]] = its value }
//! ```
//!
//! The body runs twice in the kernel, once for the class and once for the values. The sizes are the counts up to the end of the
//! last tile.

use warpwise_ir::{SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use super::{Combine, Of, Parts, Place, Shared};
use crate::lower::Scanning;
use crate::lower::device::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::stms::allocates;
use crate::types::{Mem, Operand, Reg};

/// Number of elements of a work-item.
const PER_ITEM: i64 = 16;

/// Number of elements of a tile. A class and a number within the tile are encoded as `class * TILE + number`.
const TILE: i64 = SIZE as i64 * PER_ITEM;

/// Maximum number of classes, whose counts are in local memory.
const MOST_CLASSES: usize = 3;

impl<'a> Emitter<'a> {
    /// Returns whether a partition can be computed by tiles.
    pub fn can_partition_tiles(&self, op: &SegOp, classes: usize) -> bool {
        let by_groups = self.cx.scanning != Scanning::Blocks;
        by_groups && (1..=MOST_CLASSES).contains(&classes) && !allocates(&op.body)
    }

    /// Launches a partition. Host code.
    pub fn tile_partition(&mut self, stm: &'a Stm, op: &'a SegOp, classes: usize) -> Lowered<()> {
        let combine = Combine::Members(classes);
        let (of, per_item) = (Of::Elements, PER_ITEM);
        let parts = Parts { stm, op, combine, of, post: None, per_item, segment: None };
        let mut bind_sizes = |this: &mut Self, totals: &[Operand]| {
            for (&total, &size) in totals.iter().zip(&stm.pattern) {
                this.bind_uniform(size, total);
            }
        };
        self.launch_tiles(parts, Some(&mut bind_sizes))
    }

    /// Computes the class of every element, with neighbouring work-items on neighbouring elements.
    pub(super) fn stage_classes(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        (shared, classes): (&Shared, usize),
    ) -> Lowered<()> {
        let elements = shared.elements[0];
        let none = none_of(classes);
        self.each_in_tile(parts, place, &mut |this, (at, slot)| {
            // An element whose check fails joins no class.
            this.code.store(ScalarType::I64, elements, slot, none);
            let index = this.code.add(place.from, at);
            this.counted_as(index, &mut |this| {
                this.bind_flat(&parts.op.space, index, parts.stm.span)?;
                this.stms(&parts.op.body)?;
                let class = this.class_of(parts, classes);
                this.code.store(ScalarType::I64, elements, slot, class);
                Ok(())
            })
        })
    }

    /// Returns the class of the element whose body has run.
    fn class_of(&mut self, parts: &Parts<'a>, classes: usize) -> Operand {
        let conds = self.values(&parts.op.body.result[..classes]);
        let mut class = none_of(classes);
        for (number, cond) in conds.into_iter().enumerate().rev() {
            let joins = self.vector(cond);
            class = self.code.select(joins, Operand::i64(number as i64 * TILE), class);
        }
        class
    }

    /// Adds the element whose body has run to the count of its class.
    pub(super) fn count_own(&mut self, parts: &Parts<'a>, classes: usize, counts: &[Reg]) {
        let class = self.class_of(parts, classes);
        self.count_class(counts, class);
    }

    /// Adds an element to the count of its class.
    pub(super) fn count_member(&mut self, counts: &[Reg], elements: Mem, slot: Operand) {
        let class = self.code.load("class", ScalarType::I64, elements, slot);
        self.count_class(counts, class.into());
    }

    fn count_class(&mut self, counts: &[Reg], class: Operand) {
        for (number, &count) in counts.iter().enumerate() {
            let joins = self.code.compare(CompareOp::Eq, class, Operand::i64(number as i64 * TILE));
            let one = self.code.select(joins, Operand::i64(1), Operand::i64(0));
            let next = self.code.add(count, one);
            self.code.set(count, next);
        }
    }

    /// Adds the counts of some memories at a position.
    pub(super) fn add_counts(&mut self, counts: &[Reg], mems: &[Mem], at: Operand) {
        for (&count, &mem) in counts.iter().zip(mems) {
            let more = self.code.load("more", ScalarType::I64, mem, at);
            let next = self.code.add(count, more);
            self.code.set(count, next);
        }
    }

    /// Numbers the elements of a work-item's stretch within the tile, class by class.
    pub(super) fn number_members(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        let carries = self.neutral_carries(parts)?;
        let behind_first = self.code.compare(CompareOp::SLt, Operand::i64(0), place.item);
        self.branch_if(behind_first, &mut |this| {
            let other = this.code.sub(place.item, Operand::i64(1));
            this.advance_all(parts, &carries, &shared.totals, other)
        })?;
        self.each_own(parts, place, &mut |this, (_, slot)| {
            let class = this.code.load("class", ScalarType::I64, shared.elements[0], slot);
            let mut numbered = Operand::Reg(class);
            for (number, &count) in carries[0].iter().enumerate() {
                let joins = this.code.compare(CompareOp::Eq, class, Operand::i64(number as i64 * TILE));
                let own = this.code.add(class, count);
                numbered = this.code.select(joins, own, numbered);
            }
            this.code.store(ScalarType::I64, shared.elements[0], slot, numbered);
            this.count_class(&carries[0], class.into());
            Ok(())
        })
    }

    /// Stores the elements of the tile at their final places, with neighbouring work-items on neighbouring elements.
    pub(super) fn place_members(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        (shared, classes): (&Shared, usize),
    ) -> Lowered<()> {
        let (result, span) = (&parts.op.body.result, parts.stm.span);
        let (values, arrays) = (&result[classes..], &parts.stm.pattern[classes..]);
        self.each_in_tile(parts, place, &mut |this, (at, slot)| {
            let index = this.code.add(place.from, at);
            this.counted_as(index, &mut |this| {
                this.bind_flat(&parts.op.space, index, span)?;
                this.stms(&parts.op.body)?;
                let numbered = this.code.load("numbered", ScalarType::I64, shared.elements[0], slot);
                for (class, &before) in shared.before.iter().enumerate() {
                    let number = this.code.sub(numbered, Operand::i64(class as i64 * TILE));
                    let begun = this.code.compare(CompareOp::SLe, Operand::i64(0), number);
                    let ends = this.code.compare(CompareOp::SLt, number, Operand::i64(TILE));
                    let joins = this.code.binary(BinaryOp::And, begun, ends);
                    let dests = &arrays[class * values.len()..(class + 1) * values.len()];
                    this.branch_if(joins, &mut |this| {
                        let before = this.code.load("before", ScalarType::I64, before, Operand::i64(0));
                        let at = this.code.add(before, number);
                        for (&dest, &value) in dests.iter().zip(values) {
                            let view = this.view(dest, span)?;
                            let value = this.value(value);
                            this.store(&view, &[Value::Uniform(at)], value);
                        }
                        Ok(())
                    })?;
                }
                Ok(())
            })
        })
    }
}

/// Returns the class of an element that joins none.
fn none_of(classes: usize) -> Operand {
    Operand::i64(classes as i64 * TILE)
}
