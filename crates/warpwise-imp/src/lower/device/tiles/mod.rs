//! Tiles: consecutive elements that a work-group scans in local memory.
//!
//! ```text
//! stage:   element[e] = body at e, neighbours by neighbours; barrier
//! items:   total[item] = op over the elements up to the end of the work-item's part
//! finish:  carry = op(before, total[item - 1]); for each element of the part { carry = op(carry, element); element = carry }
//! store:   result[e] = element[e], neighbours by neighbours
//! ```
//!
//! Where what comes before a tile is known from is one of two ways: by looking back at the tiles before, in the one launch
//! (`look_back`), or from launches before (`reduce_then_scan`).
//!
//! Segments lie one behind the other, and tiles go over their ends. Of two parts that follow each other the first counts for
//! nothing where a segment begins in the second (`heads`); the total of a tile in which one begins is its prefix.
//!
//! Partitions go the same way, with counts of members instead of elements (`members`).
//!
//! Not done here: reductions that ride along, bodies that take memory, operators whose checks may fail: a work-item that leaves is one
//! that the others of the group wait for.

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

/// Bytes of local memory for the elements of a tile.
const LOCAL: i64 = 16 << 10;

/// Elements of a work-item at most.
const MOST_PER_ITEM: i64 = 32;

/// Banks of local memory, each for a word at a time.
const BANKS: i64 = 32;

/// What the lowering of a kernel knows.
#[derive(Clone, Copy)]
struct Parts<'a> {
    stm: &'a Stm,
    op: &'a SegOp,
    combine: Combine<'a>,
    of: Of,
    post: Option<&'a Lambda>,
    per_item: i64,
    /// Elements of a segment, at least 1, where there are several segments.
    segment: Option<Operand>,
}

/// What tiles combine.
#[derive(Clone, Copy)]
enum Combine<'a> {
    /// Elements, by the operators of scans.
    Scans(&'a [Scan]),
    /// How many elements join each of so many classes.
    Members(usize),
}

/// What the elements of a tile are.
#[derive(Clone, Copy)]
enum Of {
    /// Those of the space.
    Elements,
    /// Totals of so many consecutive elements of the space each.
    Totals(i64),
}

impl Parts<'_> {
    /// Elements of a tile.
    fn size(&self) -> i64 {
        i64::from(SIZE) * self.per_item
    }

    /// What an element becomes, per operator: what comes before it, or what comes up to its end.
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

/// What the work-items of a group share.
struct Shared {
    /// The elements of the tile, per value; of a partition, what is known of each element.
    elements: Vec<Mem>,
    /// One value a work-item, per value.
    totals: Vec<Mem>,
    /// One value a run of work-items, per value, where there are several launches.
    runs: Vec<Mem>,
    /// What comes before the tile.
    before: Vec<Mem>,
}

/// A work-item of a tile.
#[derive(Clone, Copy)]
struct Place {
    item: Reg,
    tile: Operand,
    /// The first element of the tile, and how many it has.
    from: Operand,
    length: Operand,
}

/// Takes what all elements come to, value by value, where the host wants to know it.
type Totals<'f, 'e> = Option<&'f mut dyn FnMut(&mut Emitter<'e>, &[Operand])>;

impl<'a> Emitter<'a> {
    /// Whether a scan can be done by tiles.
    pub fn can_scan_tiles(&self, op: &SegOp) -> bool {
        let SegKind::Scan { scans, reduces, post } = &op.kind else { return false };
        let lambdas = scans.iter().map(|scan| &scan.op).chain(post);
        let alone = allocates(&op.body) || lambdas.into_iter().any(|lambda| allocates(&lambda.body));
        let may_leave = scans.iter().any(|scan| scan.op.body.can_fail());
        let bytes = bytes_of(&self.scanned_types(scans));
        let by_groups = self.cx.scanning != Scanning::Blocks;
        by_groups && reduces.is_empty() && !alone && !may_leave && bytes * i64::from(SIZE) <= LOCAL / 4
    }

    /// Whether tiles look back at those before them.
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

    /// Launches what does all tiles. Host code.
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

    /// The types of what tiles combine.
    fn combined_types(&self, combine: Combine<'_>) -> Vec<ScalarType> {
        match combine {
            Combine::Scans(scans) => self.scanned_types(scans),
            Combine::Members(classes) => vec![ScalarType::I64; classes],
        }
    }

    /// What a tile costs. Host code.
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

    /// What they share of a tile that is only folded.
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

    /// A work-item's place in a tile of so many elements in all.
    fn place_in(&mut self, parts: &Parts<'a>, item: Reg, tile: Operand, count: Operand) -> Place {
        let from = self.code.mul(tile, Operand::i64(parts.size()));
        let rest = self.code.sub(count, from);
        let length = self.code.binary(BinaryOp::SMin, rest, Operand::i64(parts.size()));
        Place { item, tile, from, length }
    }

    /// Finds the elements of a tile. No work-item knows those of others before they meet.
    fn stage_tile(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        match parts.combine {
            Combine::Scans(_) => self.stage(parts, place, shared),
            Combine::Members(classes) => self.stage_classes(parts, place, (shared, classes)),
        }
    }

    /// Writes the results of a tile whose totals are scanned.
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

/// How many elements of these types a work-item has: a power of two, so that its part does not go over the end of a row of banks.
fn per_item(types: &[ScalarType]) -> i64 {
    let most = (LOCAL / (i64::from(SIZE) * bytes_of(types).max(1))).clamp(1, MOST_PER_ITEM);
    1 << most.ilog2()
}

fn bytes_of(types: &[ScalarType]) -> i64 {
    types.iter().map(|ty| ty.bytes() as i64).sum()
}
