//! Histograms: the input is divided into chunks, which are combined into private copies of the table.
//!
//! The number of chunks depends on the sizes, and on the number of threads only where results are the same for any number of
//! chunks. The copies are combined in the order of the chunks, so results do not depend on threads. A small table has several
//! copies for each chunk, used in turn, so that equal neighbours do not wait for each other's stores. Chunks for a table that
//! exceeds the cache are first sorted by ranges of bins (`hist_ranges`). For a table of few bins, every lane has a copy
//! (`hist_few`). Where the table is large compared with the input, each task combines its range of bins directly into the table
//! (`hist_sorted`), or one task does everything. One task also does everything where the operator may fail, since private copies
//! start from neutral elements. Histograms inside a task are in `inner_hist`.
//!
//! ```text
//! chunk c:  own = neutral; for i in chunk { own[i mod copies][bin i] = op(own[..], value i) }
//! bin b:    dest[b] = op(... op(op(dest[b], chunk 0, copy 0), chunk 0, copy 1) ..., last chunk, last copy)
//! ```

use std::rc::Rc;

use warpwise_ir::{HistOp, Mapping, SegOp, Stm, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};
use warpwise_runtime::machine::Schedule;

use crate::lower::cost::{self, Work};
use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Mask, Value};
use crate::lower::in_order::some_in_order;
use crate::lower::kernels::{Built, Range};
use crate::lower::lanes::LaneLoop;
use crate::lower::memory::View;
use crate::lower::variance::Variances;
use crate::op::{Block, Op};
use crate::types::{Mem, Operand, Reg, Space};

/// Minimum number of inputs, for each byte of a table and chunk, that justifies a private table.
const INPUTS_PER_BYTE: i64 = 2;

/// Minimum number of inputs of a chunk.
const LEAST_CHUNK: i64 = 1 << 15;

/// Maximum number of chunks.
const MOST_CHUNKS: i64 = 64;

/// Maximum number of chunks for each thread, where results are the same for any number of chunks and tables are not small:
/// clearing and combining the tables costs time and memory.
const CHUNKS_PER_THREAD: i64 = 4;

/// Maximum size of a table with negligible cost, in bytes; there are then many chunks, which threads share evenly.
const CHEAP_TABLE: i64 = 1 << 16;

/// Maximum number of bins for which a chunk has several copies.
const SMALL_TABLE: i64 = 2048;

/// Number of copies of a small table.
const COPIES: i64 = 4;

/// Size of a cache line, in bytes. Two tables share no line, so that the tasks that fill them do not wait for each other's stores.
pub(super) const CACHE_LINE: i64 = 64;

/// The sizes of a histogram, as operands of host code or of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// Number of inputs.
    pub count: Operand,
    /// Number of inputs of a chunk, a multiple of [`COPIES`].
    pub chunk: Operand,
    /// Number of chunks.
    pub chunks: Operand,
    /// Number of copies of a table for each chunk: 1 or [`COPIES`].
    pub copies: Operand,
    /// Number of bins of the largest table.
    pub most: Operand,
}

/// The private tables of one operation.
pub(super) struct Tables {
    /// One memory for each value.
    pub mems: Vec<Mem>,
    /// Distance from one table to the next, in elements: its bins, and padding up to a cache line.
    pub pitch: Operand,
}

/// Arena memory in which the lanes of a group place their inputs to a histogram.
pub(super) struct Staging {
    /// Positions in the tables; negative where there is nothing to combine.
    places: Mem,
    /// One memory for each value; unused for values that are the same in all lanes.
    values: Vec<Mem>,
}

/// A function that combines values at a position.
pub(super) type Combine<'f, 'e> = &'f mut dyn FnMut(&mut Emitter<'e>, Value, &[Value]) -> Lowered<()>;

/// Minimum cost of a body that gains from lanes.
const WORTH_LANES: i64 = 16;

impl<'a> Emitter<'a> {
    /// Returns whether every value of the operations is a scalar.
    pub fn combines_scalars(&self, ops: &[HistOp]) -> bool {
        ops.iter().all(|op| op.dests.iter().all(|&dest| self.cx.function.ty(dest).rank() == op.rank))
    }

    /// Launches a histogram of host code.
    pub fn launch_hist(&mut self, stm: &'a Stm, op: &'a SegOp, ops: &'a [HistOp]) -> Lowered<()> {
        if some_in_order(&op.kind) {
            return self.sequential_kernel(stm);
        }
        let mut bins = Vec::new();
        for hist in ops {
            let view = self.view(hist.dests[0], stm.span)?;
            let extents = self.extents(&view, stm.span)?;
            bins.push(self.code.product(extents[..hist.rank].iter().copied()));
        }
        let range = self.flat_range(stm, op)?;
        let sizes = self.hist_sizes(range.extent, ops, &bins);
        let several = self.code.compare(CompareOp::SLt, Operand::i64(1), sizes.chunks);
        let (chunked, whole) = self.choose(
            several,
            |this| this.launch_chunks(stm, op, ops, &bins, &sizes, range.cost),
            |this| {
                let sizes = (range.extent, sizes.most, range.cost);
                this.launch_sorted(stm, op, ops, sizes, &mut |this| this.sequential_kernel(stm))
            },
        );
        chunked.and(whole)
    }

    fn hist_sizes(&mut self, count: Operand, ops: &[HistOp], bins: &[Operand]) -> Sizes {
        let most = bins.iter().copied().reduce(|most, bins| self.code.binary(BinaryOp::SMax, most, bins));
        let most = most.unwrap_or(Operand::i64(0));
        let bytes = |dest: &Var| self.elem(*dest).bytes() as i64;
        let bytes = ops.iter().flat_map(|op| &op.dests).map(bytes).max().unwrap_or(1);
        let bytes = self.code.mul(most, Operand::i64(bytes));
        let worth = self.code.mul(bytes, Operand::i64(INPUTS_PER_BYTE));
        let worth = self.code.binary(BinaryOp::SMax, worth, Operand::i64(LEAST_CHUNK));
        let chunks = self.code.binary(BinaryOp::SQuot, count, worth);
        let most_chunks = self.most_chunks(ops, bytes);
        let chunks = self.code.binary(BinaryOp::SMin, chunks, most_chunks);
        let chunks = self.code.binary(BinaryOp::SMax, chunks, Operand::i64(1));
        let less = self.code.sub(chunks, Operand::i64(1));
        let rounded = self.code.add(count, less);
        let chunk = self.code.binary(BinaryOp::UDiv, rounded, chunks);
        let above = self.code.add(chunk, Operand::i64(COPIES - 1));
        let chunk = self.code.binary(BinaryOp::And, above, Operand::i64(-COPIES));
        let small = self.code.compare(CompareOp::SLe, most, Operand::i64(SMALL_TABLE));
        let copies = self.code.select(small, Operand::i64(COPIES), Operand::i64(1));
        Sizes { count, chunk, chunks, copies, most }
    }

    /// Returns the maximum number of chunks of these operations, whose largest table has `table` bytes. It must not depend on the
    /// number of threads if results are rounded; all other operators are associative and commutative exactly.
    fn most_chunks(&mut self, ops: &[HistOp], table: Operand) -> Operand {
        let is_rounded = |dest: &Var| self.elem(*dest).is_float();
        if ops.iter().flat_map(|op| &op.dests).any(is_rounded) {
            return Operand::i64(MOST_CHUNKS);
        }
        let threads = self.code.threads();
        let worthwhile = self.code.mul(threads, Operand::i64(CHUNKS_PER_THREAD));
        let cheap = self.code.compare(CompareOp::SLe, table, Operand::i64(CHEAP_TABLE));
        let worthwhile = self.code.select(cheap, Operand::i64(MOST_CHUNKS), worthwhile);
        self.code.binary(BinaryOp::SMin, worthwhile, Operand::i64(MOST_CHUNKS))
    }

    /// Combines chunks into private tables, and the tables into the destinations.
    fn launch_chunks(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        ops: &'a [HistOp],
        bins: &[Operand],
        sizes: &Sizes,
        cost: Operand,
    ) -> Lowered<()> {
        let mut tables = Vec::new();
        for (hist, &bins) in ops.iter().zip(bins) {
            let copies = self.code.mul(sizes.chunks, sizes.copies);
            let pitch = self.pitch(hist, bins);
            let elements = self.code.mul(copies, pitch);
            let mut mems = Vec::new();
            for &dest in &hist.dests {
                let bytes = self.code.mul(elements, Operand::i64(self.elem(dest).bytes() as i64));
                mems.push(self.alloc("tables", bytes));
            }
            tables.push(Tables { mems, pitch });
        }
        let cost = self.code.mul(cost, sizes.chunk);
        let schedule = if self.is_uneven(&op.body) { Schedule::Dynamic } else { Schedule::Static };
        let range = Range { extent: sizes.chunks, schedule, cost };
        let few = self.few_bins(op);
        let most = sizes.most.as_int();
        let one = Sizes { copies: Operand::i64(1), ..*sizes };
        let in_lanes = match most.is_none_or(|most| most <= few) {
            true => self.build_few(stm, op, ops, &tables, &one)?,
            false => None,
        };
        let sizes = match in_lanes {
            Some(in_lanes) if most.is_some() => {
                self.launch(in_lanes, range);
                one
            }
            Some(in_lanes) => {
                let cond = self.code.compare(CompareOp::SLe, sizes.most, Operand::i64(few));
                let (_, done) = self.choose(
                    cond,
                    |this| this.launch(in_lanes, range),
                    |this| this.launch_turns(stm, op, ops, &tables, sizes, range),
                );
                done?;
                Sizes { copies: self.code.select(cond, one.copies, sizes.copies), ..*sizes }
            }
            None => {
                self.launch_turns(stm, op, ops, &tables, sizes, range)?;
                *sizes
            }
        };
        for ((hist, table), &extent) in ops.iter().zip(&tables).zip(bins) {
            let built = self.build_merge(stm, hist, table, &sizes)?;
            let cost = self.code.mul(sizes.chunks, sizes.copies);
            self.launch(built, Range { extent, schedule: Schedule::Static, cost });
        }
        for table in tables {
            self.release_locals(table.mems);
        }
        Ok(())
    }

    /// Launches the kernel that combines the values of a chunk one after another.
    fn launch_turns(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        ops: &'a [HistOp],
        tables: &[Tables],
        sizes: &Sizes,
        range: Range,
    ) -> Lowered<()> {
        let small =
            self.build_chunks(stm, op, ops, tables, &Sizes { copies: Operand::i64(COPIES), ..*sizes })?;
        let large = self.build_chunks(stm, op, ops, tables, &Sizes { copies: Operand::i64(1), ..*sizes })?;
        let ranges = match ops {
            [hist] => self.build_ranges(stm, op, hist, &tables[0], sizes)?,
            _ => None,
        };
        let cond = self.code.compare(CompareOp::SLt, Operand::i64(1), sizes.copies);
        self.choose(
            cond,
            |this| this.launch(small, range),
            |this| match ranges {
                Some(ranges) => this.launch_ranges(ranges, large, range, sizes.most, &ops[0]),
                None => this.launch(large, range),
            },
        );
        Ok(())
    }

    /// Returns the distance from one table to the next, in elements.
    fn pitch(&mut self, hist: &HistOp, bins: Operand) -> Operand {
        let least = hist.dests.iter().map(|&dest| self.elem(dest).bytes() as i64).min().unwrap_or(1);
        let line = CACHE_LINE / least;
        let above = self.code.add(bins, Operand::i64(line - 1));
        self.code.binary(BinaryOp::And, above, Operand::i64(-line))
    }

    pub fn sizes_param(&mut self, sizes: &Sizes) -> Sizes {
        Sizes {
            count: self.param_for(sizes.count),
            chunk: self.param_for(sizes.chunk),
            chunks: self.param_for(sizes.chunks),
            copies: self.param_for(sizes.copies),
            most: self.param_for(sizes.most),
        }
    }

    pub fn tables_param(&mut self, tables: &Tables) -> Tables {
        let mems = tables.mems.iter().map(|&mem| self.mem_param("tables", mem, None)).collect();
        Tables { mems, pitch: self.param_for(tables.pitch) }
    }

    /// Builds the kernel that combines a chunk of the input into the chunk's tables.
    fn build_chunks(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        ops: &'a [HistOp],
        tables: &[Tables],
        sizes: &Sizes,
    ) -> Lowered<Built> {
        self.build("hist", stm.span, &|kernel, lo, hi| {
            let sizes = kernel.sizes_param(sizes);
            let tables: Vec<Tables> = tables.iter().map(|table| kernel.tables_param(table)).collect();
            let turns = if sizes.copies == Operand::i64(1) { 1 } else { COPIES };
            kernel.for_units((lo, hi), &mut |kernel, chunk| {
                let first_copy = kernel.code.mul(chunk, sizes.copies);
                for (hist, table) in ops.iter().zip(&tables) {
                    let first = kernel.code.mul(first_copy, table.pitch);
                    let count = kernel.code.mul(sizes.copies, table.pitch);
                    kernel.clear(stm, hist, table, first, count)?;
                }
                let part = kernel.chunk_part(chunk, &sizes);
                let how = LaneLoop { turns, ..kernel.hist_lanes(op) };
                let mark = kernel.code.int_reg("mark");
                kernel.code.emit(Op::ArenaMark { dst: mark });
                let staging = kernel.staging(ops, how.width);
                let last = op.space.last().expect("a space has dimensions").index;
                kernel.walk_space(stm, op, part, &how, &mut |kernel| {
                    kernel.with_arena(&[&op.body], |kernel| {
                        kernel.stms(&op.body)?;
                        // In lanes the copy depends on the lane alone, so that it need not be computed for each group.
                        let lanes = Value::Linear { base: Operand::i64(0), stride: 1 };
                        let turn = if kernel.width() > 1 { lanes } else { kernel.value(last) };
                        let turn =
                            kernel.binary(BinaryOp::And, turn, Value::constant(Scalar::I64(turns - 1)));
                        let copy = kernel.binary(BinaryOp::Add, Value::Uniform(first_copy), turn);
                        kernel.combine_privately(stm, op, ops, &tables, &staging, copy)
                    })
                })?;
                kernel.code.emit(Op::ArenaReset { mark: mark.into() });
                Ok(())
            })
        })
    }

    /// Returns the bounds of a chunk of the input.
    pub fn chunk_part(&mut self, chunk: Reg, sizes: &Sizes) -> (Reg, Reg) {
        let from = self.code.mul(chunk, sizes.chunk);
        // Tells the back end that the chunk starts at a multiple of [`COPIES`].
        let from = self.code.binary(BinaryOp::And, from, Operand::i64(-COPIES));
        let end = self.code.add(from, sizes.chunk);
        let end = self.code.binary(BinaryOp::SMin, end, sizes.count);
        (self.code.copy("from", from), self.code.copy("end", end))
    }

    /// Returns the shape of the loop over the body. It runs in lanes where it costs more than extracting the lanes again, and
    /// where a group can run again because no operator fails once part of the group has been combined.
    pub fn hist_lanes(&self, op: &SegOp) -> LaneLoop {
        let in_lanes =
            op.space.last().is_some_and(|dim| matches!(dim.mapping, Mapping::TaskLane | Mapping::Lane));
        if in_lanes && !some_in_order(&op.kind) && cost::static_cost(&op.body, 1000) >= WORTH_LANES {
            self.plan_lanes(op, Work::Map)
        } else {
            LaneLoop::simple(1)
        }
    }

    /// Allocates memory for the values of one group of lanes.
    pub fn staging(&mut self, ops: &[HistOp], width: u16) -> Vec<Staging> {
        let mut staging = Vec::new();
        for hist in if width > 1 { ops } else { &[] } {
            let places = self.staged(ScalarType::I64, width);
            let values = hist.dests.iter().map(|&dest| self.staged(self.elem(dest), width)).collect();
            staging.push(Staging { places, values });
        }
        staging
    }

    pub fn staged(&mut self, elem: ScalarType, width: u16) -> Mem {
        let mem = self.code.mem("staged", Space::Arena);
        let bytes = Operand::i64(i64::from(width) * elem.bytes() as i64);
        self.code.emit(Op::ArenaAlloc { dst: mem, bytes });
        mem
    }

    /// Sets a stretch of an operation's tables to its neutral elements.
    pub fn clear(
        &mut self,
        stm: &'a Stm,
        hist: &'a HistOp,
        table: &Tables,
        first: Operand,
        count: Operand,
    ) -> Lowered<()> {
        for (&mem, &neutral) in table.mems.iter().zip(&hist.neutral) {
            let neutral = self.value(neutral);
            let elem = self.scalar_type(neutral);
            let block = BlockBinding::of(mem);
            let unit = Value::constant(Scalar::I64(1));
            let view = View {
                block,
                elem,
                offset: Value::Uniform(first),
                extents: vec![Value::Uniform(count)],
                strides: vec![unit],
            };
            self.fill(&view, stm.span, &mut |_, _| Ok(neutral))?;
        }
        Ok(())
    }

    /// Combines the results of one point into a copy of the tables.
    fn combine_privately(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        ops: &'a [HistOp],
        tables: &[Tables],
        staging: &[Staging],
        copy: Value,
    ) -> Lowered<()> {
        let mut taken = 0;
        for (number, (hist, table)) in ops.iter().zip(tables).enumerate() {
            let results = &op.body.result[taken..taken + hist.rank + hist.dests.len()];
            taken += results.len();
            let indices = self.values(&results[..hist.rank]);
            let values = self.values(&results[hist.rank..]);
            let dest = self.view(hist.dests[0], stm.span)?;
            let inside = self.in_bounds(&dest, &indices);
            let bin = self.flat_bin(&dest, &indices);
            let start = self.binary(BinaryOp::Mul, copy, Value::Uniform(table.pitch));
            let place = self.binary(BinaryOp::Add, start, bin);
            match staging.get(number) {
                Some(staging) => {
                    let combine: Combine<'_, 'a> =
                        &mut |this, place, values| this.combine_at(hist, table, place, values);
                    self.combine_lanes(hist, staging, (inside, place), &values, combine)?;
                }
                None => self.guarded(inside, &mut |this| this.combine_at(hist, table, place, &values))?,
            }
        }
        Ok(())
    }

    /// Returns the flat number of a bin.
    pub fn flat_bin(&mut self, dest: &View, indices: &[Value]) -> Value {
        let mut bin = Value::constant(Scalar::I64(0));
        for (&index, &extent) in indices.iter().zip(&dest.extents) {
            let above = self.binary(BinaryOp::Mul, bin, extent);
            bin = self.binary(BinaryOp::Add, above, index);
        }
        bin
    }

    /// Combines the values of a group of lanes, one lane after another.
    pub fn combine_lanes(
        &mut self,
        hist: &'a HistOp,
        staging: &Staging,
        (inside, place): (Value, Value),
        values: &[Value],
        combine: Combine<'_, 'a>,
    ) -> Lowered<()> {
        let nowhere = Value::constant(Scalar::I64(-1));
        let mut place = self.select(inside, place, nowhere);
        if let Some(mask) = self.mask_operand()
            && let Operand::Reg(mask) = mask
        {
            place = self.select(Value::Varying(mask), place, nowhere);
        }
        let types: Vec<ScalarType> = hist.dests.iter().map(|&dest| self.elem(dest)).collect();
        let lane = Value::Linear { base: Operand::i64(0), stride: 1 };
        let staged = |mem| BlockBinding::of(mem);
        self.with_mask(Mask::Full, |this| {
            this.store_at(staged(staging.places), ScalarType::I64, lane, place, false);
            for ((&mem, &elem), &value) in staging.values.iter().zip(&types).zip(values) {
                if !matches!(value, Value::Uniform(_)) {
                    this.store_at(staged(mem), elem, lane, value, false);
                }
            }
        });
        let else_block = self.one_by_one(staging, &types, values, true, combine)?;
        if self.mask() != Mask::Full {
            else_block.into_iter().for_each(|op| self.code.emit(op));
            return Ok(());
        }
        // No lane needs a test where all have a bin.
        let cond = match inside {
            Value::Uniform(x) => x,
            Value::Linear { .. } | Value::Varying(_) => self.all(inside),
        };
        let then_block = self.one_by_one(staging, &types, values, false, combine)?;
        self.code.emit(Op::If { cond, then_block, else_block });
        Ok(())
    }

    /// Returns the loop over the staged lanes; `asks` tests whether a lane has a bin.
    fn one_by_one(
        &mut self,
        staging: &Staging,
        types: &[ScalarType],
        values: &[Value],
        asks: bool,
        combine: Combine<'_, 'a>,
    ) -> Lowered<Block> {
        let to = Operand::i64(i64::from(self.width()));
        let staged = |mem| BlockBinding::of(mem);
        let (block, done) = self.block_of(|this| {
            this.at_width(1, |this| {
                let lane = this.code.int_reg("lane");
                this.count_up(lane, (Operand::i64(0), to), 1, |this| {
                    let at = Value::Uniform(lane.into());
                    let place = this.load_at(staged(staging.places), ScalarType::I64, at);
                    let mut one = |this: &mut Self| {
                        let mut own = Vec::new();
                        for ((&mem, &elem), &value) in staging.values.iter().zip(types).zip(values) {
                            own.push(match value {
                                Value::Uniform(_) => value,
                                Value::Linear { .. } | Value::Varying(_) => {
                                    this.load_at(staged(mem), elem, at)
                                }
                            });
                        }
                        combine(this, place, &own)
                    };
                    if asks {
                        let somewhere = this.compare(CompareOp::SLe, Value::constant(Scalar::I64(0)), place);
                        this.guarded(somewhere, &mut one)
                    } else {
                        one(this)
                    }
                })
            })
        });
        done.map(|()| block)
    }

    /// Combines values into the private tables at a position.
    pub fn combine_at(
        &mut self,
        hist: &'a HistOp,
        table: &Tables,
        place: Value,
        values: &[Value],
    ) -> Lowered<()> {
        let types: Vec<ScalarType> = hist.dests.iter().map(|&dest| self.elem(dest)).collect();
        let blocks = table.mems.iter().map(|&mem| BlockBinding::of(mem));
        let places: Vec<(BlockBinding, ScalarType)> = blocks.zip(types).collect();
        let mut args = Vec::new();
        for &(block, elem) in &places {
            args.push(self.load_at(block, elem, place));
        }
        args.extend(values);
        let new = self.apply(&hist.op, &args)?;
        for (&(block, elem), value) in places.iter().zip(new) {
            self.store_at(block, elem, place, value, false);
        }
        Ok(())
    }

    /// Builds the kernel that combines all tables of an operation into its destinations, bin by bin.
    fn build_merge(&self, stm: &'a Stm, hist: &'a HistOp, table: &Tables, sizes: &Sizes) -> Lowered<Built> {
        self.build("merge", stm.span, &|kernel, lo, hi| {
            let table = kernel.tables_param(table);
            let sizes = kernel.sizes_param(sizes);
            let copies = kernel.code.mul(sizes.chunks, sizes.copies);
            let elem = kernel.elem(hist.dests[0]);
            // Bins of several dimensions are found by division, one at a time.
            let width =
                if kernel.scalar_only || hist.rank > 1 { 1 } else { kernel.cx.target.lanes(elem).max(2) };
            let facts = Rc::new(Variances::of(kernel.cx.function, None, &[], &[&hist.op]));
            let how = LaneLoop { facts, ..LaneLoop::simple(width) };
            kernel.lane_loop(&how, lo.into(), hi.into(), &mut |kernel, bin| {
                kernel.merge_bin(stm, hist, &table, copies, bin)
            })
        })
    }

    fn merge_bin(
        &mut self,
        stm: &'a Stm,
        hist: &'a HistOp,
        table: &Tables,
        copies: Operand,
        bin: Value,
    ) -> Lowered<()> {
        let mut views = Vec::new();
        for &dest in &hist.dests {
            views.push(self.view(dest, stm.span)?);
        }
        let indices = self.bin_indices(&views[0], hist.rank, bin);
        let mut totals = Vec::new();
        for view in &views {
            let value = self.load(view, &indices);
            let vector = self.vector_reg(value);
            totals.push(self.code.copy("total", vector));
        }
        let copy = self.code.int_reg("copy");
        let combined = self.count_up(copy, (Operand::i64(0), copies), 1, |this| {
            let start = this.code.mul(copy, table.pitch);
            let place = this.binary(BinaryOp::Add, bin, Value::Uniform(start));
            let mut args: Vec<Value> = totals.iter().map(|&reg| this.in_register(reg)).collect();
            for (&mem, view) in table.mems.iter().zip(&views) {
                args.push(this.load_at(BlockBinding::of(mem), view.elem, place));
            }
            let combined = this.apply(&hist.op, &args);
            if let Ok(combined) = &combined {
                let next: Vec<_> = combined.iter().map(|&value| this.vector(value)).collect();
                let kept: Vec<_> = next.into_iter().map(|x| this.code.copy("next", x)).collect();
                for (&total, next) in totals.iter().zip(kept) {
                    this.code.set(total, next);
                }
            }
            combined
        });
        combined?;
        for (view, &total) in views.iter().zip(&totals) {
            let value = self.in_register(total);
            self.store(view, &indices, value);
        }
        Ok(())
    }

    /// Returns the contents of a register: a value for every lane, or the only one.
    fn in_register(&self, reg: Reg) -> Value {
        if self.width() > 1 { Value::Varying(reg) } else { Value::Uniform(reg.into()) }
    }

    /// Returns the indices of a bin.
    pub fn bin_indices(&mut self, view: &View, rank: usize, bin: Value) -> Vec<Value> {
        let mut indices = vec![bin; rank];
        for dim in (1..rank).rev() {
            let extent = view.extents[dim];
            let above = self.binary(BinaryOp::SQuot, indices[dim], extent);
            let whole = self.binary(BinaryOp::Mul, above, extent);
            indices[dim] = self.binary(BinaryOp::Sub, indices[dim], whole);
            indices[dim - 1] = above;
        }
        indices
    }
}
