//! Tiles: stretches of consecutive elements that a work-group scans in local memory.
//!
//! ```text
//! stage:   element[e] = body at e, neighbours by neighbours; barrier
//! items:   total[item] = op over the elements up to the end of the work-item's part
//! finish:  carry = op(before, total[item - 1]); for each element of the part { carry = op(carry, element); element = carry }
//! store:   result[e] = element[e], neighbours by neighbours
//! ```
//!
//! The prefix of a tile is found in one of two ways: by looking back at the preceding tiles, in a single launch (`look_back`), or
//! by earlier launches (`reduce_then_scan`).
//!
//! Segments are stored one after another, and tiles cross their ends. Where a segment begins in the second of two consecutive
//! stretches, the first one is dropped from their combination (`heads`); the total of a tile in which a segment begins is its
//! prefix.
//!
//! Partitions work in the same way, with counts of kept elements instead of elements (`members`).
//!
//! Not done here: reductions fused into scans, bodies that allocate memory, and operators whose checks may fail, because the other
//! work-items of the group would wait for a work-item that has left.

mod carries;
mod heads;
mod look_back;
mod members;
mod published;
mod reduce_then_scan;
mod scan;
mod totals;
mod walk;
mod windows;

use warpwise_ir::{Lambda, Scan, SegKind, SegOp, Stm};
use warpwise_prim::{BinaryOp, ScalarType};

use self::totals::RUNS;
use super::groups::SIZE;
use crate::lower::Scanning;
use crate::lower::blocks::Cut;
use crate::lower::cost;
use crate::lower::emitter::{Emitter, Lowered};
use crate::lower::stms::allocates;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// Size of local memory for the elements of a tile, in bytes.
const LOCAL: i64 = 16 << 10;

/// Maximum number of elements of a work-item.
const MOST_PER_ITEM: i64 = 32;

/// Number of banks of local memory, each of which serves one word at a time.
const BANKS: i64 = 32;

/// The operation that a kernel is lowered from.
#[derive(Clone, Copy)]
struct Parts<'a> {
    stm: &'a Stm,
    op: &'a SegOp,
    combine: Combine<'a>,
    of: Of,
    post: Option<&'a Lambda>,
    per_item: i64,
    /// Number of elements of a segment, at least 1, if there are several segments.
    segment: Option<Operand>,
}

/// The values that tiles combine.
#[derive(Clone, Copy)]
enum Combine<'a> {
    /// Elements, by the operators of scans.
    Scans(&'a [Scan]),
    /// Counts of the elements that join each class; the field is the number of classes.
    Members(usize),
}

/// The meaning of a tile's elements.
#[derive(Clone, Copy)]
enum Of {
    /// Elements of the space.
    Elements,
    /// Totals of this number of consecutive elements of the space each.
    Totals(i64),
}

impl Parts<'_> {
    /// Returns the number of elements of a tile.
    fn size(&self) -> i64 {
        i64::from(SIZE) * self.per_item
    }

    /// Returns the scanned values of an element, for each operator: the prefix before the element, or up to its end.
    fn scanned(&self, before: &[Vec<Reg>], after: &[Vec<Reg>]) -> Vec<Vec<Reg>> {
        let exclusive = |number: usize| match self.of {
            Of::Elements => self.combine.scans()[number].exclusive,
            Of::Totals(_) => false,
        };
        let chosen = |number| if exclusive(number) { &before[number] } else { &after[number] };
        (0..after.len()).map(|number| chosen(number).clone()).collect()
    }
}

impl<'a> Combine<'a> {
    fn scans(self) -> &'a [Scan] {
        match self {
            Combine::Scans(scans) => scans,
            Combine::Members(_) => &[],
        }
    }
}

/// The local arrays of a group.
struct Shared {
    /// Elements of the tile, for each value; in a partition, the class and number of each element.
    elements: Vec<Mem>,
    /// One total for each work-item, for each value.
    totals: Vec<Mem>,
    /// One total for each run of work-items, for each value, if there are several launches.
    runs: Vec<Mem>,
    /// Prefix of the tile, for each value.
    before: Vec<Mem>,
}

/// The position of a work-item in a tile.
#[derive(Clone, Copy)]
struct Place {
    item: Reg,
    tile: Operand,
    /// First element of the tile, and its number of elements.
    from: Operand,
    length: Operand,
}

/// A function that receives the totals of all elements, value by value, where the host needs them.
type Totals<'f, 'e> = Option<&'f mut dyn FnMut(&mut Emitter<'e>, &[Operand])>;

impl<'a> Emitter<'a> {
    /// Returns whether a scan can be computed by tiles.
    pub fn can_scan_tiles(&self, op: &SegOp) -> bool {
        let SegKind::Scan { scans, reduces, post } = &op.kind else { return false };
        let lambdas = scans.iter().map(|scan| &scan.op).chain(post);
        let alone = allocates(&op.body) || lambdas.into_iter().any(|lambda| allocates(&lambda.body));
        let may_leave = scans.iter().any(|scan| scan.op.body.can_fail());
        let bytes = bytes_of(&self.scanned_types(scans));
        let by_groups = self.cx.scanning != Scanning::Blocks;
        by_groups && reduces.is_empty() && !alone && !may_leave && bytes * i64::from(SIZE) <= LOCAL / 4
    }

    /// Returns whether tiles look back at the preceding ones.
    pub fn looks_back(&self) -> bool {
        matches!(self.cx.scanning, Scanning::LookBack { .. })
    }

    /// Launches a scan. Host code.
    pub fn scan_tiles(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        let SegKind::Scan { scans, post, .. } = &op.kind else { return self.limit(stm.span, "no scan") };
        let per_item = per_item(&self.scanned_types(scans));
        let segment = match op.space.split_last() {
            Some((last, outer)) if !outer.is_empty() => {
                let extent = self.uniform(last.extent, stm.span)?;
                Some(self.code.binary(BinaryOp::SMax, extent, Operand::i64(1)))
            }
            _ => None,
        };
        let (combine, of, post) = (Combine::Scans(scans), Of::Elements, post.as_ref());
        self.launch_tiles(Parts { stm, op, combine, of, post, per_item, segment }, None)
    }

    /// Launches the kernels that process all tiles. Host code.
    fn launch_tiles(&mut self, parts: Parts<'a>, totals: Totals<'_, 'a>) -> Lowered<()> {
        if self.looks_back() {
            self.look_back_tiles(parts, totals)
        } else {
            self.reduce_then_scan(parts, totals)
        }
    }

    fn scanned_types(&self, scans: &[Scan]) -> Vec<ScalarType> {
        let params = scans.iter().flat_map(|scan| &scan.op.params[..scan.neutral.len()]);
        params.map(|&param| self.elem(param)).collect()
    }

    /// Returns the types of the values that tiles combine.
    fn combined_types(&self, combine: Combine<'_>) -> Vec<ScalarType> {
        match combine {
            Combine::Scans(scans) => self.scanned_types(scans),
            Combine::Members(classes) => vec![ScalarType::I64; classes],
        }
    }

    /// Returns the cost of a tile. Host code.
    fn tile_cost(&mut self, op: &'a SegOp, cut: &Cut) -> Operand {
        let mut cost = self.host_cost(&op.body);
        for lambda in cost::lambdas(&op.kind) {
            let more = self.host_cost(&lambda.body);
            cost = self.code.add(cost, more);
        }
        self.block_cost(cut, cost)
    }

    fn shared(&mut self, parts: &Parts<'a>) -> Shared {
        let types = self.combined_types(parts.combine);
        let staged = match (parts.of, parts.combine) {
            (Of::Elements, Combine::Members(_)) => &[ScalarType::I64],
            (Of::Elements, Combine::Scans(_)) | (Of::Totals(_), _) => &types[..],
        };
        let elements = self.local_memories(staged, "elements", parts.size() * (BANKS + 1) / BANKS + 1);
        let before = self.local_memories(&types, "before", 1);
        Shared { elements, before, ..self.shared_totals(parts) }
    }

    /// Allocates the local arrays for a tile that is only folded.
    fn shared_totals(&mut self, parts: &Parts<'a>) -> Shared {
        let types = self.combined_types(parts.combine);
        let totals = self.local_memories(&types, "totals", i64::from(SIZE));
        let runs = match self.looks_back() {
            true => Vec::new(),
            false => self.local_memories(&types, "runs", RUNS),
        };
        Shared { elements: Vec::new(), totals, runs, before: Vec::new() }
    }

    fn local_memories(&mut self, types: &[ScalarType], name: &str, count: i64) -> Vec<Mem> {
        types.iter().map(|&ty| self.local_memory(name, ty, count)).collect()
    }

    /// Returns the work-item's position in a tile, given the total number of elements `count`.
    fn place_in(&mut self, parts: &Parts<'a>, item: Reg, tile: Operand, count: Operand) -> Place {
        let from = self.code.mul(tile, Operand::i64(parts.size()));
        let rest = self.code.sub(count, from);
        let length = self.code.binary(BinaryOp::SMin, rest, Operand::i64(parts.size()));
        Place { item, tile, from, length }
    }

    /// Computes the elements of a tile in local memory. A barrier must follow before work-items read elements of others.
    fn stage_tile(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        match parts.combine {
            Combine::Scans(_) => self.stage(parts, place, shared),
            Combine::Members(classes) => self.stage_classes(parts, place, (shared, classes)),
        }
    }

    /// Writes the results of a tile whose totals have been scanned.
    fn finish_tile(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        match parts.combine {
            Combine::Scans(_) => {
                self.finish_items(parts, place, shared)?;
                self.code.emit(Op::Barrier);
                self.store_tile(parts, place, shared)
            }
            Combine::Members(classes) => {
                self.number_members(parts, place, shared)?;
                self.code.emit(Op::Barrier);
                self.place_members(parts, place, (shared, classes))
            }
        }
    }
}

/// Returns the number of elements of these types for each work-item: a power of two, so that a work-item's stretch does not cross
/// the end of a row of banks.
fn per_item(types: &[ScalarType]) -> i64 {
    let most = (LOCAL / (i64::from(SIZE) * bytes_of(types).max(1))).clamp(1, MOST_PER_ITEM);
    1 << most.ilog2()
}

fn bytes_of(types: &[ScalarType]) -> i64 {
    types.iter().map(|ty| ty.bytes() as i64).sum()
}
