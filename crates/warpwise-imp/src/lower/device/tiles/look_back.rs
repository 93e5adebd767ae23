//! Tiles in one launch: every group scans a tile, and finds what comes before it by looking back at the tiles before.
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
//! they go on while others wait is what CUDA promises for groups that run and OpenCL 1.2 does not, so that there tiles
//! take three launches unless this is asked for. The work-items of a group look at a few tiles each, at hundreds at a time. Elements are
//! combined within tiles first; what is combined with what differs with how far tiles have got, so that floats may differ
//! in their last bits from run to run.

use warpwise_prim::{CompareOp, Scalar, ScalarType};
use warpwise_runtime::machine::Schedule;

use super::{Parts, Place, Read};
use crate::lower::emitter::{Emitter, Lowered};
use crate::lower::kernels::{Built, Range};
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// State of a tile: its total is there.
pub(super) const TOTAL: i32 = 1;

/// State of a tile: what comes up to its end is there.
pub(super) const PREFIX: i32 = 2;

/// The memories of a launch: per value of all operators the totals and prefixes of tiles, and the states, with the counter
/// of tickets behind them.
pub(super) struct Tiles {
    pub totals: Vec<Mem>,
    /// What all elements up to the end of each tile come to.
    pub prefixes: Vec<Mem>,
    pub states: Mem,
    /// How many tiles there are.
    count: Operand,
}

impl<'a> Emitter<'a> {
    /// Launches the kernel that does all tiles. Host code.
    pub(super) fn look_back_tiles(&mut self, parts: Parts<'a>, read: Read<'_, 'a>) -> Lowered<()> {
        let types = self.combined_types(parts.combine);
        let cut = self.cut_flat(&parts.op.space, parts.size(), parts.stm.span)?;
        let (totals, prefixes) = (self.unit_values(&cut, &types), self.unit_values(&cut, &types));
        let flags = self.code.add(cut.units, Operand::i64(1));
        let bytes = self.code.mul(flags, Operand::i64(4));
        let states = self.alloc("states", bytes);
        let (zero, elem) = (Operand::Const(Scalar::I32(0)), ScalarType::I32);
        self.code.emit(Op::Fill { mem: states, index: Operand::i64(0), count: flags, value: zero, elem });
        let tiles = Tiles { totals, prefixes, states, count: cut.units };
        let built = self.build_tiles(parts, &tiles, cut.extent)?;
        let cost = self.tile_cost(parts.op, &cut);
        self.launch(built, Range { extent: cut.units, schedule: Schedule::Static, cost });
        read(self, &tiles.prefixes, cut.units);
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
            let ticket = kernel.local_memory("ticket", ScalarType::I64, 1);
            let count = match &parts.op.space[..] {
                [only] => kernel.uniform(only.extent, parts.stm.span)?,
                _ => kernel.param_for(elements),
            };
            let parts = Parts { segment: parts.segment.map(|extent| kernel.param_for(extent)), ..parts };
            kernel.for_units((lo, hi), &mut |kernel, _| {
                let place = kernel.take_tile(&parts, item, (&tiles, ticket), count);
                kernel.stage_tile(&parts, place, &shared)?;
                kernel.code.emit(Op::Barrier);
                kernel.scan_items(&parts, place, &shared)?;
                kernel.look_back(&parts, place, &tiles, &shared)?;
                kernel.finish_tile(&parts, place, &shared)
            })
        })
    }

    /// Takes the next tile.
    fn take_tile(
        &mut self,
        parts: &Parts<'a>,
        item: Reg,
        (tiles, ticket): (&Tiles, Mem),
        count: Operand,
    ) -> Place {
        let is_first = self.code.compare(CompareOp::Eq, item, Operand::i64(0));
        self.code.open();
        let number = self.code.int_reg("number");
        self.code.emit(Op::Ticket { dst: number, mem: tiles.states, index: tiles.count });
        self.code.store(ScalarType::I64, ticket, Operand::i64(0), number);
        let then_block = self.code.close();
        self.code.emit(Op::If { cond: is_first, then_block, else_block: Vec::new() });
        self.code.emit(Op::Barrier);
        let tile = self.code.load("tile", ScalarType::I64, ticket, Operand::i64(0));
        self.place_in(parts, item, tile.into(), count)
    }
}
