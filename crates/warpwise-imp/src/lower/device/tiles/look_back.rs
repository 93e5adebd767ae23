//! Tiles in one launch: every group scans a tile, and finds its prefix by looking back at the preceding tiles.
//!
//! ```text
//! tile = ticket; scan the tile in local memory; total[tile] = its total; state[tile] = TOTAL
//! before = neutral; window = the tiles just before
//! until a tile of the window has its prefix: before = op(totals of the window, before); go on with the window further back
//! before = op(prefix of that tile, op(totals of those after it, before))
//! prefix[tile] = op(before, total[tile]); state[tile] = PREFIX; result = op(before, scanned tile)
//! ```
//!
//! Tiles are numbered in the order in which groups start, by a ticket, so groups that others wait for are already running. CUDA
//! guarantees that running groups make progress while others wait. OpenCL 1.2 does not, so tiles take three launches there unless
//! this method is requested. The work-items of a group inspect one tile each, more than a hundred at a time. That is more than the
//! number of tiles that start meanwhile, otherwise groups would fall behind. Elements are combined within tiles first; the further
//! order of combination depends on the progress of the tiles, so floats may differ in their last bits from run to run.

use warpwise_prim::{CompareOp, ScalarType};
use warpwise_runtime::machine::Schedule;

use super::published::Published;
use super::{Parts, Place, Totals};
use crate::lower::emitter::{Emitter, Lowered};
use crate::lower::kernels::{Built, Range};
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

impl<'a> Emitter<'a> {
    /// Launches the kernel that processes all tiles. Host code.
    pub(super) fn look_back_tiles(&mut self, parts: Parts<'a>, totals: Totals<'_, 'a>) -> Lowered<()> {
        let cut = self.cut_flat(&parts.op.space, parts.size(), parts.stm.span)?;
        let published = self.unpublished(&parts, cut.units);
        let built = self.build_tiles(parts, (&published, cut.units), cut.extent)?;
        let cost = self.tile_cost(parts.op, &cut);
        self.launch(built, Range { extent: cut.units, schedule: Schedule::Static, cost });
        if let Some(take) = totals {
            let last = self.code.sub(cut.units, Operand::i64(1));
            let types = self.combined_types(parts.combine);
            let all = self.prefix_on_host(&published, last, &types);
            take(self, &all);
        }
        self.release_locals(published.memories());
        Ok(())
    }

    fn build_tiles(
        &self,
        parts: Parts<'a>,
        (published, tiles): (&Published, Operand),
        elements: Operand,
    ) -> Lowered<Built> {
        self.build("look_back", parts.stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let published = published.in_kernel(&mut |mem| kernel.mem_param("tiles", mem, None));
            let tiles = kernel.param_for(tiles);
            let shared = kernel.shared(&parts);
            let ticket = kernel.local_memory("ticket", ScalarType::I64, 1);
            let count = match &parts.op.space[..] {
                [only] => kernel.uniform(only.extent, parts.stm.span)?,
                _ => kernel.param_for(elements),
            };
            let parts = Parts { segment: parts.segment.map(|extent| kernel.param_for(extent)), ..parts };
            kernel.for_units((lo, hi), &mut |kernel, _| {
                let place = kernel.take_tile(&parts, item, (&published, tiles, ticket), count);
                kernel.stage_tile(&parts, place, &shared)?;
                kernel.code.emit(Op::Barrier);
                kernel.scan_items(&parts, place, &shared)?;
                kernel.look_back(&parts, place, &published, &shared)?;
                kernel.finish_tile(&parts, place, &shared)
            })
        })
    }

    /// Draws the next tile.
    fn take_tile(
        &mut self,
        parts: &Parts<'a>,
        item: Reg,
        (published, tiles, ticket): (&Published, Operand, Mem),
        count: Operand,
    ) -> Place {
        let is_first = self.code.compare(CompareOp::Eq, item, Operand::i64(0));
        self.when(is_first, |this| {
            let number = this.ticket(published, tiles);
            this.code.store(ScalarType::I64, ticket, Operand::i64(0), number);
        });
        self.code.emit(Op::Barrier);
        let tile = self.code.load("tile", ScalarType::I64, ticket, Operand::i64(0));
        self.place_in(parts, item, tile.into(), count)
    }
}
