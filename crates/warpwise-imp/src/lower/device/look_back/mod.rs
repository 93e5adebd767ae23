//! Scans in one launch: every group scans a tile, and finds what comes before it by looking back at the tiles before.
//!
//! ```text
//! tile = ticket; scan the tile in local memory; total[tile] = its total; state[tile] = TOTAL
//! before = neutral; window = the tiles just before
//! until a tile of the window has its prefix: before = op(totals of the window, before); go on with the window further back
//! before = op(prefix of that tile, op(totals of those after it, before))
//! prefix[tile] = op(before, total[tile]); state[tile] = PREFIX; result = op(before, scanned tile)
//! ```
//!
//! Tiles are numbered in the order in which groups begin, by a ticket: so the groups that others wait for run already. That
//! they go on while others wait is what CUDA promises for groups that run and OpenCL 1.2 does not, so that there scans
//! take three launches unless this is asked for. The work-items of a group look at a few tiles each, at hundreds at a time. Elements are
//! combined within tiles first; what is combined with what differs with how far tiles have got, so that floats may differ
//! in their last bits from run to run.
//!
//! Segments lie one behind the other, and tiles go over their ends. Of two parts that follow each other the first counts for
//! nothing where a segment begins in the second (`heads`); the total of a tile in which one begins is its prefix.
//!
//! Partitions go the same way, with counts of members instead of elements (`tile_partition`).
//!
//! Not done here: reductions that ride along, bodies that take memory.

mod carries;
mod heads;
mod tile;
mod walk;
mod windows;

use warpwise_ir::{Lambda, Scan, SegKind, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};
use warpwise_runtime::machine::Schedule;

use crate::lower::cost;
use crate::lower::device::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered};
use crate::lower::kernels::{Built, Range};
use crate::lower::stms::allocates;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// Bytes of local memory for the elements of a tile.
const LOCAL: i64 = 16 << 10;

/// Elements of a work-item at most.
const MOST_PER_ITEM: i64 = 32;

/// Banks of local memory, each for a word at a time.
const BANKS: i64 = 32;

/// State of a tile: its total is there.
const TOTAL: i32 = 1;

/// State of a tile: what comes up to its end is there.
const PREFIX: i32 = 2;

/// The memories of a launch: per value of all operators the totals and prefixes of tiles, and the states, with the counter
/// of tickets behind them.
#[derive(Clone)]
pub(in crate::lower) struct Tiles {
    totals: Vec<Mem>,
    /// What all elements up to the end of each tile come to.
    pub prefixes: Vec<Mem>,
    states: Mem,
    /// How many tiles there are.
    pub count: Operand,
}

/// What the work-items of a group share.
pub(in crate::lower) struct Shared {
    /// The elements of the tile, per value; of a partition, what is known of each element.
    pub elements: Vec<Mem>,
    /// One value a work-item, per value.
    pub totals: Vec<Mem>,
    /// One truth value a work-item, as an `i32`.
    stops: Mem,
    /// What comes before the tile.
    pub before: Vec<Mem>,
    /// The number of the tile.
    ticket: Mem,
}

/// What the lowering of a kernel knows.
#[derive(Clone, Copy)]
pub(in crate::lower) struct Parts<'a> {
    pub stm: &'a Stm,
    pub op: &'a SegOp,
    pub combine: Combine<'a>,
    pub post: Option<&'a Lambda>,
    pub per_item: i64,
    /// Elements of a segment, at least 1, where there are several segments.
    pub segment: Option<Operand>,
}

/// What tiles combine.
#[derive(Clone, Copy)]
pub(in crate::lower) enum Combine<'a> {
    /// Elements, by the operators of scans.
    Scans(&'a [Scan]),
    /// How many elements join each of so many classes.
    Members(usize),
}

impl<'a> Combine<'a> {
    fn scans(self) -> &'a [Scan] {
        match self {
            Combine::Scans(scans) => scans,
            Combine::Members(_) => &[],
        }
    }
}

/// A work-item of a tile.
#[derive(Clone, Copy)]
pub(in crate::lower) struct Place {
    pub item: Reg,
    tile: Operand,
    /// The first element of the tile, and how many it has.
    pub from: Operand,
    pub length: Operand,
}
impl<'a> Emitter<'a> {
    /// Whether a scan can be done in one launch.
    pub fn can_look_back(&self, op: &SegOp) -> bool {
        let SegKind::Scan { scans, reduces, post } = &op.kind else { return false };
        let lambdas = scans.iter().map(|scan| &scan.op).chain(post);
        let alone = allocates(&op.body) || lambdas.into_iter().any(|lambda| allocates(&lambda.body));
        let bytes: i64 = self.scanned_types(scans).iter().map(|ty| ty.bytes() as i64).sum();
        self.cx.look_back && reduces.is_empty() && !alone && bytes * i64::from(SIZE) <= LOCAL / 4
    }

    fn scanned_types(&self, scans: &[Scan]) -> Vec<ScalarType> {
        let params = scans.iter().flat_map(|scan| &scan.op.params[..scan.neutral.len()]);
        params.map(|&param| self.elem(param)).collect()
    }

    /// Launches a scan. Host code.
    pub fn look_back_scan(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        let SegKind::Scan { scans, post, .. } = &op.kind else { return self.limit(stm.span, "no scan") };
        let types = self.scanned_types(scans);
        let bytes: i64 = types.iter().map(|ty| ty.bytes() as i64).sum();
        let per_item = (LOCAL / (i64::from(SIZE) * bytes.max(1))).clamp(1, MOST_PER_ITEM);
        let segment = match op.space.split_last() {
            Some((last, outer)) if !outer.is_empty() => {
                let extent = self.uniform(last.extent, stm.span)?;
                Some(self.code.binary(BinaryOp::SMax, extent, Operand::i64(1)))
            }
            _ => None,
        };
        let combine = Combine::Scans(scans);
        self.launch_tiles(Parts { stm, op, combine, post: post.as_ref(), per_item, segment }, &mut |_, _| {})
    }

    /// The types of what tiles combine.
    fn combined_types(&self, combine: Combine<'_>) -> Vec<ScalarType> {
        match combine {
            Combine::Scans(scans) => self.scanned_types(scans),
            Combine::Members(classes) => vec![ScalarType::I64; classes],
        }
    }

    /// Launches the kernel that does all tiles; `read` may read what they have left. Host code.
    pub fn launch_tiles(&mut self, parts: Parts<'a>, read: &mut dyn FnMut(&mut Self, &Tiles)) -> Lowered<()> {
        let (stm, op, per_item) = (parts.stm, parts.op, parts.per_item);
        let types = self.combined_types(parts.combine);
        let cut = self.cut_flat(&op.space, per_item * i64::from(SIZE), stm.span)?;
        let (totals, prefixes) = (self.unit_values(&cut, &types), self.unit_values(&cut, &types));
        let flags = self.code.add(cut.units, Operand::i64(1));
        let bytes = self.code.mul(flags, Operand::i64(4));
        let states = self.alloc("states", bytes);
        let (zero, elem) = (Operand::Const(Scalar::I32(0)), ScalarType::I32);
        self.code.emit(Op::Fill { mem: states, index: Operand::i64(0), count: flags, value: zero, elem });
        let tiles = Tiles { totals, prefixes, states, count: cut.units };
        let built = self.build_tiles(parts, &tiles, cut.extent)?;
        let mut cost = self.host_cost(&op.body);
        for lambda in cost::lambdas(&op.kind) {
            let more = self.host_cost(&lambda.body);
            cost = self.code.add(cost, more);
        }
        let cost = self.block_cost(&cut, cost);
        self.launch(built, Range { extent: cut.units, schedule: Schedule::Static, cost });
        read(self, &tiles);
        let Tiles { totals, prefixes, states, .. } = tiles;
        self.release_locals([totals, prefixes, vec![states]].concat());
        Ok(())
    }

    fn build_tiles(&self, parts: Parts<'a>, tiles: &Tiles, elements: Operand) -> Lowered<Built> {
        self.build("look_back", parts.stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let mut param = |mem: Mem| kernel.mem_param("tiles", mem, None);
            let totals = tiles.totals.iter().map(|&mem| param(mem)).collect();
            let prefixes = tiles.prefixes.iter().map(|&mem| param(mem)).collect();
            let states = param(tiles.states);
            let tiles = Tiles { totals, prefixes, states, count: kernel.param_for(tiles.count) };
            let shared = kernel.shared(&parts);
            let count = match &parts.op.space[..] {
                [only] => kernel.uniform(only.extent, parts.stm.span)?,
                _ => kernel.param_for(elements),
            };
            let parts = Parts { segment: parts.segment.map(|extent| kernel.param_for(extent)), ..parts };
            kernel.for_units((lo, hi), &mut |kernel, _| {
                let place = kernel.take_tile(&parts, item, &tiles, &shared, count);
                match parts.combine {
                    Combine::Scans(_) => kernel.stage(&parts, place, &shared)?,
                    Combine::Members(classes) => kernel.stage_classes(&parts, place, (&shared, classes))?,
                }
                kernel.code.emit(Op::Barrier);
                kernel.scan_items(&parts, place, &shared)?;
                kernel.look_back(&parts, place, &tiles, &shared)?;
                match parts.combine {
                    Combine::Scans(scans) => {
                        kernel.finish_tile(&parts, scans, place, &shared)?;
                        kernel.code.emit(Op::Barrier);
                        kernel.store_tile(&parts, place, &shared)
                    }
                    Combine::Members(classes) => {
                        kernel.number_members(&parts, place, (&shared, classes))?;
                        kernel.code.emit(Op::Barrier);
                        kernel.place_members(&parts, place, (&shared, classes))
                    }
                }
            })
        })
    }

    fn shared(&mut self, parts: &Parts<'a>) -> Shared {
        let types = self.combined_types(parts.combine);
        let size = i64::from(SIZE);
        let mut each = |types: &[ScalarType], name: &str, count: i64| -> Vec<Mem> {
            types.iter().map(|&ty| self.local_memory(name, ty, count)).collect()
        };
        let staged = match parts.combine {
            Combine::Scans(_) => &types[..],
            Combine::Members(_) => &[ScalarType::I64],
        };
        let elements = each(staged, "elements", size * parts.per_item * (BANKS + 1) / BANKS + 1);
        let (totals, before) = (each(&types, "totals", size), each(&types, "before", 1));
        let stops = self.local_memory("stops", ScalarType::I32, size);
        let ticket = self.local_memory("ticket", ScalarType::I64, 1);
        Shared { elements, totals, stops, before, ticket }
    }

    /// Takes the next tile.
    fn take_tile(
        &mut self,
        parts: &Parts<'a>,
        item: Reg,
        tiles: &Tiles,
        shared: &Shared,
        count: Operand,
    ) -> Place {
        let is_first = self.code.compare(CompareOp::Eq, item, Operand::i64(0));
        self.code.open();
        let number = self.code.int_reg("number");
        self.code.emit(Op::Ticket { dst: number, mem: tiles.states, index: tiles.count });
        self.code.store(ScalarType::I64, shared.ticket, Operand::i64(0), number);
        let then_block = self.code.close();
        self.code.emit(Op::If { cond: is_first, then_block, else_block: Vec::new() });
        self.code.emit(Op::Barrier);
        let tile: Operand = self.code.load("tile", ScalarType::I64, shared.ticket, Operand::i64(0)).into();
        let size = i64::from(SIZE) * parts.per_item;
        let from = self.code.mul(tile, Operand::i64(size));
        let rest = self.code.sub(count, from);
        let length = self.code.binary(BinaryOp::SMin, rest, Operand::i64(size));
        Place { item, tile, from, length }
    }
}
