//! Chunks of histograms whose table exceeds the near caches, sorted by ranges of bins first.
//!
//! Inputs combined in their own order would wait for one cache line each. Instead, a chunk is processed in pieces, and the bins
//! and values of a piece are compressed into one list for each range of bins. Then the lists are combined one after another, each
//! into a part of the table that stays in the cache. A list keeps the order of its inputs, so results are those of the plain chunk
//! (`hist`).
//!
//! ```text
//! for piece in chunk { for part in piece { places, values = body, in lanes
//!                                          for each range { append those inside to the range's list } }
//!                      for each range { for each of its list { own[place] = op(own[place], value) } } }
//! ```
//!
//! Not for bodies with checks, because positions after a failure would be undefined.

use warpwise_ir::{HistOp, Mapping, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarType};

use crate::lower::cost::Work;
use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Value};
use crate::lower::hist::{Sizes, Tables};
use crate::lower::hist_columns::{Column, Columns};
use crate::lower::kernels::{Built, Range};
use crate::lower::lanes::LaneLoop;
use crate::op::Op;
use crate::types::{ImpType, Mem, Operand, Reg};

/// Size of a range in bytes: it stays in a cache of one core, together with the lists that stream through it.
const RANGE: i64 = 1 << 20;

/// Maximum number of ranges; appending to more lists costs more than it saves.
const MOST_RANGES: i64 = 16;

/// Number of inputs of a piece, large enough that every line of the table is used several times.
const PIECE: i64 = 1 << 19;

/// Number of inputs whose bins are computed before they are appended to lists: the nearest cache holds them.
const PART: i64 = 1 << 12;

/// The lists of the ranges.
struct Lists {
    /// Bins and values, one list after another.
    columns: Columns,
    /// End of each list.
    ends: Mem,
    /// Distance from one list to the next, in elements.
    capacity: i64,
}

/// The division of a table into ranges.
struct Ranges {
    count: Operand,
    /// Number of bins of a range.
    size: Operand,
    /// Number of bins of the table.
    bins: Operand,
}

impl<'a> Emitter<'a> {
    /// Builds the kernel that sorts its chunks, if the operation allows it. Host code.
    pub fn build_ranges(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        hist: &'a HistOp,
        table: &Tables,
        sizes: &Sizes,
    ) -> Lowered<Option<Built>> {
        let in_lanes = matches!(&op.space[..], [dim] if dim.mapping == Mapping::TaskLane);
        if self.cx.target.is_scalar() || !in_lanes || op.body.can_fail() {
            return Ok(None);
        }
        self.build_in_lanes("hist_ranges", stm.span, &|kernel, lo, hi| {
            let sizes = kernel.sizes_param(sizes);
            let table = kernel.tables_param(table);
            kernel.for_units((lo, hi), &mut |kernel, chunk| {
                let first = kernel.code.mul(chunk, table.pitch);
                kernel.clear(stm, hist, &table, first, table.pitch)?;
                let part = kernel.chunk_part(chunk, &sizes);
                let mark = kernel.code.int_reg("mark");
                kernel.code.emit(Op::ArenaMark { dst: mark });
                kernel.sorted_chunk(stm, op, hist, (&table, first), part)?;
                kernel.code.emit(Op::ArenaReset { mark: mark.into() });
                Ok(())
            })
        })
    }

    /// Launches the sorting kernel if the table is large enough, else the plain one. Host code.
    pub fn launch_ranges(
        &mut self,
        sorting: Built,
        plain: Built,
        range: Range,
        bins: Operand,
        hist: &HistOp,
    ) {
        let bytes = self.code.mul(bins, Operand::i64(self.bin_bytes(hist)));
        let near = Operand::i64(self.cx.target.near_bytes());
        let large = self.code.compare(CompareOp::SLe, near, bytes);
        let numbered = self.code.compare(CompareOp::SLt, bins, Operand::i64(i64::from(i32::MAX)));
        let cond = self.code.binary(BinaryOp::And, large, numbered);
        self.choose(cond, |this| this.launch(sorting, range), |this| this.launch(plain, range));
    }

    fn bin_bytes(&self, hist: &HistOp) -> i64 {
        hist.dests.iter().map(|&dest| self.elem(dest).bytes() as i64).sum()
    }

    fn sorted_chunk(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        hist: &'a HistOp,
        (table, first): (&Tables, Operand),
        (from, end): (Reg, Reg),
    ) -> Lowered<()> {
        let how = LaneLoop { counted: Some(Operand::i64(0)), ..self.plan_lanes(op, Work::Map) };
        let ranges = self.ranges(stm, hist)?;
        let parts = self.listed(op, hist, Operand::i64(PART));
        let capacity = PIECE + i64::from(self.cx.target.vector_bits / 8);
        let room = self.code.mul(ranges.count, Operand::i64(capacity));
        let columns = self.listed(op, hist, room);
        let ends = self.staged(ScalarType::I64, MOST_RANGES as u16);
        let lists = Lists { columns, ends, capacity };
        self.steps((from.into(), end.into()), PIECE, &mut |this, piece, piece_end| {
            this.each_range(&ranges, &mut |this, range| {
                let start = this.code.mul(range, Operand::i64(capacity));
                this.code.store(ScalarType::I64, ends, range, start);
                Ok(())
            })?;
            this.steps((piece.into(), piece_end), PART, &mut |this, part, part_end| {
                this.fill_columns(stm, op, hist, &how, (part, part_end), &parts)?;
                let count = this.code.sub(part_end, part);
                this.each_range(&ranges, &mut |this, range| {
                    this.append(&ranges, &parts, &lists, range, count)
                })
            })?;
            this.each_range(&ranges, &mut |this, range| {
                this.combine_list(hist, (table, first), &lists, range)
            })
        })
    }

    /// Divides a table into ranges.
    fn ranges(&mut self, stm: &'a Stm, hist: &HistOp) -> Lowered<Ranges> {
        let view = self.view(hist.dests[0], stm.span)?;
        let extents = self.extents(&view, stm.span)?;
        let bins = self.code.product(extents[..hist.rank].iter().copied());
        let bytes = self.code.mul(bins, Operand::i64(self.bin_bytes(hist)));
        let above = self.code.add(bytes, Operand::i64(RANGE - 1));
        let count = self.code.binary(BinaryOp::SQuot, above, Operand::i64(RANGE));
        let count = self.code.binary(BinaryOp::SMin, count, Operand::i64(MOST_RANGES));
        let count = self.code.binary(BinaryOp::SMax, count, Operand::i64(1));
        let less = self.code.sub(count, Operand::i64(1));
        let above = self.code.add(bins, less);
        let size = self.code.binary(BinaryOp::SQuot, above, count);
        Ok(Ranges { count, size, bins })
    }

    /// Allocates columns for `inputs` inputs in the arena.
    fn listed(&mut self, op: &SegOp, hist: &HistOp, inputs: Operand) -> Columns {
        self.columns(op, hist, &mut |this, elem| this.arena_column("list", elem, inputs))
    }

    /// Appends the inputs that belong to a range to its list.
    fn append(
        &mut self,
        ranges: &Ranges,
        parts: &Columns,
        lists: &Lists,
        range: Reg,
        count: Operand,
    ) -> Lowered<()> {
        let low = self.code.mul(range, ranges.size);
        let left = self.code.sub(ranges.bins, low);
        let size = self.code.binary(BinaryOp::SMin, ranges.size, left);
        let [low, size] =
            [low, size].map(|x| self.convert(ConvertOp::Truncate, Value::Uniform(x), ScalarType::I32));
        let end = self.code.load("end", ScalarType::I64, lists.ends, range);
        let end = self.code.copy("end", end);
        let how = LaneLoop::simple(self.cx.target.lanes(ScalarType::I32));
        self.lane_loop(&how, Operand::i64(0), count, &mut |this, index| {
            let bin = this.load_at(BlockBinding::of(parts.bins), ScalarType::I32, index);
            let distance = this.binary(BinaryOp::Sub, bin, low);
            let inside = this.compare(CompareOp::ULt, distance, size);
            let mut mask: Operand = this.vector_reg(inside).into();
            if let Some(running) = this.mask_operand() {
                mask = this.code.binary(BinaryOp::And, mask, running);
            }
            this.append_column((lists.columns.bins, ScalarType::I32), bin, end, mask);
            for (from, to) in parts.values.iter().zip(&lists.columns.values) {
                if let (Column::Kept(from, elem), Column::Kept(to, _)) = (*from, *to) {
                    let value = this.load_at(BlockBinding::of(from), elem, index);
                    this.append_column((to, elem), value, end, mask);
                }
            }
            let members = this.code.reg("members", ImpType::scalar(ScalarType::I64));
            this.code.emit(Op::Count { dst: members, mask });
            let next = this.code.add(end, members);
            this.code.set(end, next);
            Ok(())
        })?;
        self.code.store(ScalarType::I64, lists.ends, range, end);
        Ok(())
    }

    fn append_column(&mut self, (mem, elem): (Mem, ScalarType), value: Value, end: Reg, mask: Operand) {
        let value = self.vector_reg(value).into();
        self.code.emit(Op::CompressStore { mem, index: end.into(), value, elem, mask, spare: true });
    }

    /// Combines a list into the chunk's table.
    fn combine_list(
        &mut self,
        hist: &'a HistOp,
        (table, first): (&Tables, Operand),
        lists: &Lists,
        range: Reg,
    ) -> Lowered<()> {
        let start = self.code.mul(range, Operand::i64(lists.capacity));
        let end = self.code.load("end", ScalarType::I64, lists.ends, range);
        self.lane_loop(&LaneLoop::simple(1), start, end.into(), &mut |this, index| {
            let (bin, values) = this.load_columns(&lists.columns, index);
            let place = this.binary(BinaryOp::Add, bin, Value::Uniform(first));
            this.combine_at(hist, table, place, &values)
        })
    }

    /// Runs `body` for consecutive stretches of `from..to`, of length `length`.
    fn steps(
        &mut self,
        (from, to): (Operand, Operand),
        length: i64,
        body: &mut dyn FnMut(&mut Self, Reg, Operand) -> Lowered<()>,
    ) -> Lowered<()> {
        let index = self.code.int_reg("start");
        self.count_up(index, (from, to), length, |this| {
            let end = this.code.add(index, Operand::i64(length));
            let end = this.code.binary(BinaryOp::SMin, end, to);
            body(this, index, end)
        })
    }

    fn each_range(
        &mut self,
        ranges: &Ranges,
        body: &mut dyn FnMut(&mut Self, Reg) -> Lowered<()>,
    ) -> Lowered<()> {
        let range = self.code.int_reg("range");
        self.count_up(range, (Operand::i64(0), ranges.count), 1, |this| body(this, range))
    }
}
