//! Histograms whose table is too large for a copy in each task: inputs are sorted by ranges of bins, and each range belongs to one
//! task.
//!
//! The input is processed in rounds, and a round in pieces. One kernel computes the bins and values of a piece and sorts them by
//! ranges, stably. Another kernel combines, for one range, the inputs of all pieces in order, directly into the destination, where
//! a range stays in a cache. Each bin thus receives its inputs in order, and results are those of one task that processes the
//! inputs sequentially.
//!
//! ```text
//! for round of inputs {
//!     piece p:  bins, values = body;  starts[p], bins', values' = sorted by range of bins
//!     range r:  for p { for i in starts[p][r]..starts[p][r + 1] { dest[bins'[i]] = op(dest[bins'[i]], values'[i]) } }
//! }
//! ```
//!
//! Absent: several operations at once, and tables with more bins than 32 bits can number.

use warpwise_ir::{HistOp, Mapping, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType};
use warpwise_runtime::machine::Schedule;

use crate::lower::cost::Work;
use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Value};
use crate::lower::hist::CACHE_LINE;
use crate::lower::hist_columns::{Column, Columns};
use crate::lower::kernels::{Built, Range};
use crate::lower::lanes::LaneLoop;
use crate::lower::memory::View;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// Number of inputs of a piece: its bins and values, stored twice, fit a second-level cache.
const PIECE: i64 = 1 << 15;

/// Number of inputs of a round, which are kept between the kernels.
const ROUND: i64 = 1 << 22;

/// Minimum number of inputs that are worth sorting.
const LEAST_INPUTS: i64 = 1 << 17;

/// Minimum size of a table that is worth dividing, in bytes.
const LEAST_TABLE: i64 = 1 << 18;

/// Minimum size of a range, in bytes.
const LEAST_RANGE: i64 = 1 << 14;

/// Maximum number of ranges, which is the number of places that are written in turn.
const MOST_RANGES: i64 = 128;

/// Number of inputs whose bins fill a cache line.
const LINE: i64 = CACHE_LINE / size_of::<i32>() as i64;

/// Number of times the smallest range may double, up to half of all 32-bit numbers.
const DOUBLINGS: i64 = 24;

/// The division of a table into ranges, as operands of host code or of a kernel.
#[derive(Clone, Copy)]
struct Ranges {
    /// Number of low bits of a bin below its range number; an `i32`.
    shift: Operand,
    /// Number of ranges.
    count: Operand,
}

/// The data passed between the kernels: bins, the values to combine there, and the start of each range in each piece.
#[derive(Clone)]
struct Sorted {
    columns: Columns,
    starts: Mem,
}

impl<'a> Emitter<'a> {
    /// Launches a histogram in this way if its table and its input are large, and by `otherwise` if not. Host code.
    pub fn launch_sorted(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        ops: &'a [HistOp],
        (count, bins, cost): (Operand, Operand, Operand),
        otherwise: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let in_lanes = matches!(&op.space[..], [dim] if dim.mapping == Mapping::TaskLane);
        let combines_always = ops.iter().all(|hist| !hist.op.body.can_fail());
        let ([hist], true, true, false) = (ops, in_lanes, combines_always, self.cx.target.is_scalar()) else {
            return otherwise(self);
        };
        let width = hist.dests.iter().map(|&dest| self.elem(dest).bytes() as i64).sum::<i64>();
        let bytes = self.code.mul(bins, Operand::i64(width));
        let large = self.code.compare(CompareOp::SLe, Operand::i64(LEAST_TABLE), bytes);
        let many = self.code.compare(CompareOp::SLe, Operand::i64(LEAST_INPUTS), count);
        let numbered = self.code.compare(CompareOp::SLt, bins, Operand::i64(i64::from(i32::MAX)));
        let cond = self.code.binary(BinaryOp::And, large, many);
        let cond = self.code.binary(BinaryOp::And, cond, numbered);
        let (then_block, is_sorted) =
            self.block_of(|this| this.rounds(stm, op, hist, (count, bins, cost), width));
        if !is_sorted? {
            return otherwise(self);
        }
        let (else_block, done) = self.block_of(|this| otherwise(this));
        self.code.emit(Op::If { cond, then_block, else_block });
        done
    }

    /// Emits all rounds of the input. Returns whether it did: a body that does not run in lanes is not sorted.
    fn rounds(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        hist: &'a HistOp,
        (count, bins, cost): (Operand, Operand, Operand),
        width: i64,
    ) -> Lowered<bool> {
        let ranges = self.ranges_of(bins, width);
        let most = self.code.binary(BinaryOp::SMin, count, Operand::i64(ROUND));
        let pieces = self.code.ceil_div(most, PIECE);
        let pitch = self.code.add(ranges.count, Operand::i64(1));
        let starts = self.code.mul(pieces, pitch);
        let sorted = Sorted {
            columns: self.columns(op, hist, &mut |this, elem| this.room("column", most, elem)),
            starts: self.room("starts", starts, ScalarType::I64),
        };
        let round = self.code.int_reg("round");
        let is_sorted = self.count_up(round, (Operand::i64(0), count), ROUND, |this| {
            let end = this.code.add(round, Operand::i64(ROUND));
            let end = this.code.binary(BinaryOp::SMin, end, count);
            let left = this.code.sub(end, round);
            let pieces = this.code.ceil_div(left, PIECE);
            let sort = this.build_sort(stm, op, hist, ranges, &sorted, (round, end))?;
            let is_sorted = sort.is_some();
            if let Some(sort) = sort {
                let combine = this.build_combine(stm, hist, ranges, &sorted, pieces)?;
                let schedule = if this.is_uneven(&op.body) { Schedule::Dynamic } else { Schedule::Static };
                let of_piece = this.code.mul(cost, Operand::i64(PIECE));
                this.launch(sort, Range { extent: pieces, schedule, cost: of_piece });
                // Some ranges may receive most of the input.
                let of_range = this.code.mul(pieces, Operand::i64(PIECE / MOST_RANGES));
                this.launch(
                    combine,
                    Range { extent: ranges.count, schedule: Schedule::Dynamic, cost: of_range },
                );
            }
            Ok(is_sorted)
        })?;
        let kept = sorted.columns.values.iter().filter_map(|column| match column {
            Column::Kept(mem, _) => Some(*mem),
            Column::Constant(_) => None,
        });
        self.release_locals([sorted.columns.bins, sorted.starts].into_iter().chain(kept).collect());
        Ok(is_sorted)
    }

    /// Divides a table of `bins` bins into at most [`MOST_RANGES`] ranges. Host code.
    fn ranges_of(&mut self, bins: Operand, width: i64) -> Ranges {
        let least = i64::from((LEAST_RANGE / width).max(1).ilog2());
        let mut shift = Operand::i64(least);
        for more in 0..DOUBLINGS {
            let too_many =
                self.code.compare(CompareOp::SLt, Operand::i64(MOST_RANGES << (least + more)), bins);
            shift = self.code.select(too_many, Operand::i64(least + more + 1), shift);
        }
        let one = Operand::i64(1);
        let size = self.code.binary(BinaryOp::Shl, one, shift);
        let less = self.code.sub(size, one);
        let above = self.code.add(bins, less);
        let count = self.code.binary(BinaryOp::LShr, above, shift);
        let shift = self.convert(ConvertOp::Truncate, Value::Uniform(shift), ScalarType::I32);
        let Value::Uniform(shift) = shift else { return Ranges { shift: one, count } };
        Ranges { shift, count }
    }

    fn ranges_param(&mut self, ranges: Ranges) -> Ranges {
        let shift = match ranges.shift {
            Operand::Const(_) => ranges.shift,
            Operand::Reg(_) => self.scalar_param("shift", ScalarType::I32, ranges.shift).into(),
        };
        Ranges { shift, count: self.param_for(ranges.count) }
    }

    /// Allocates a block for `count` elements. Host code.
    fn room(&mut self, name: &str, count: Operand, elem: ScalarType) -> Mem {
        let bytes = self.code.mul(count, Operand::i64(elem.bytes() as i64));
        self.alloc(name, bytes)
    }

    fn sorted_param(&mut self, sorted: &Sorted) -> Sorted {
        let param = |this: &mut Self, column: &Column| match *column {
            Column::Constant(_) => *column,
            Column::Kept(mem, elem) => Column::Kept(this.mem_param("values", mem, None), elem),
        };
        let bins = self.mem_param("bins", sorted.columns.bins, None);
        let values = sorted.columns.values.iter().map(|column| param(self, column)).collect();
        let starts = self.mem_param("starts", sorted.starts, None);
        Sorted { columns: Columns { bins, values }, starts }
    }

    /// Builds the kernel that sorts the pieces of a round.
    fn build_sort(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        hist: &'a HistOp,
        ranges: Ranges,
        sorted: &Sorted,
        (round, end): (Reg, Operand),
    ) -> Lowered<Option<Built>> {
        self.build_in_lanes("hist_sort", stm.span, &|kernel, lo, hi| {
            let ranges = kernel.ranges_param(ranges);
            let sorted = kernel.sorted_param(sorted);
            let [round, end] = [round.into(), end].map(|x| kernel.param_for(x));
            kernel.for_units((lo, hi), &mut |kernel, piece| {
                let before = kernel.code.mul(piece, Operand::i64(PIECE));
                let from = kernel.code.add(round, before);
                let from = kernel.code.copy("from", from);
                let to = kernel.code.add(from, Operand::i64(PIECE));
                let to = kernel.code.binary(BinaryOp::SMin, to, end);
                let count = kernel.code.sub(to, from);
                let mark = kernel.code.int_reg("mark");
                kernel.code.emit(Op::ArenaMark { dst: mark });
                let own = Sorted {
                    columns: kernel.columns(op, hist, &mut |this, elem| {
                        this.arena_column("own", elem, Operand::i64(PIECE))
                    }),
                    starts: kernel.arena_column("own", ScalarType::I64, Operand::i64(MOST_RANGES + 1)),
                };
                kernel.fill_piece(stm, op, hist, (from, to), &own.columns)?;
                let pitch = kernel.code.add(ranges.count, Operand::i64(1));
                let first = kernel.code.mul(piece, pitch);
                kernel.count_ranges(ranges, &own, &sorted, (before, count));
                kernel.begin_ranges(ranges, &own, (sorted.starts, first));
                kernel.place_in_ranges(ranges, &own, &sorted, (before, count));
                kernel.code.emit(Op::ArenaReset { mark: mark.into() });
                Ok(())
            })
        })
    }

    /// Computes the bins and values of a piece.
    fn fill_piece(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        hist: &'a HistOp,
        (from, to): (Reg, Operand),
        columns: &Columns,
    ) -> Lowered<()> {
        if op.body.can_fail() {
            // Iterations after a failing one have no bin.
            let unit = Value::constant(Scalar::I64(1));
            let count = self.code.sub(to, from);
            let view = View {
                block: BlockBinding::of(columns.bins),
                elem: ScalarType::I32,
                offset: Value::constant(Scalar::I64(0)),
                extents: vec![Value::Uniform(count)],
                strides: vec![unit],
            };
            let none = Value::constant(Scalar::I32(-1));
            self.fill(&view, stm.span, &mut |_, _| Ok(none))?;
        }
        let how = LaneLoop { counted: Some(Operand::i64(0)), ..self.plan_lanes(op, Work::Map) };
        self.fill_columns(stm, op, hist, &how, (from, to), columns)
    }

    /// Returns the range of a bin; the number of ranges for bin -1.
    fn range_of(&mut self, ranges: Ranges, bin: Reg) -> Operand {
        let range = self.code.binary(BinaryOp::LShr, bin, ranges.shift);
        let range = self.convert(ConvertOp::ZExt, Value::Uniform(range), ScalarType::I64);
        let Value::Uniform(range) = range else { return ranges.count };
        self.code.binary(BinaryOp::SMin, range, ranges.count)
    }

    /// Counts the inputs of each range. At the same time prefetches the cache lines from `before` on that bins and values will be
    /// written to: these writes come in no order, and each would wait for its line.
    fn count_ranges(
        &mut self,
        ranges: Ranges,
        own: &Sorted,
        sorted: &Sorted,
        (before, count): (Operand, Operand),
    ) {
        let all = self.code.add(ranges.count, Operand::i64(1));
        self.each((Operand::i64(0), all), &mut |this, range| {
            this.code.store(ScalarType::I64, own.starts, range, Operand::i64(0));
        });
        let first = self.code.int_reg("first");
        self.count_up(first, (Operand::i64(0), count), LINE, |this| {
            let place = this.code.add(before, first);
            this.claim_line(sorted.columns.bins, ScalarType::I32, place);
            for column in &sorted.columns.values {
                if let Column::Kept(mem, elem) = *column {
                    this.claim_line(mem, elem, place);
                }
            }
            let end = this.code.add(first, Operand::i64(LINE));
            let end = this.code.binary(BinaryOp::SMin, end, count);
            this.each((first.into(), end), &mut |this, at| {
                let bin = this.code.load("bin", ScalarType::I32, own.columns.bins, at);
                let range = this.range_of(ranges, bin);
                let members = this.code.load("members", ScalarType::I64, own.starts, range);
                let more = this.code.add(members, Operand::i64(1));
                this.code.store(ScalarType::I64, own.starts, range, more);
            });
        });
    }

    /// Prefetches the lines of [`LINE`] elements.
    fn claim_line(&mut self, mem: Mem, elem: ScalarType, first: Operand) {
        let of_line = CACHE_LINE / elem.bytes() as i64;
        for offset in (0..LINE).step_by(of_line as usize) {
            let index = self.code.add(first, Operand::i64(offset));
            self.code.emit(Op::Claim { mem, index, elem });
        }
    }

    /// Turns counts into start positions, which the other kernel also receives.
    fn begin_ranges(&mut self, ranges: Ranges, own: &Sorted, (starts, first): (Mem, Operand)) {
        let begin = self.code.copy("begin", Operand::i64(0));
        let all = self.code.add(ranges.count, Operand::i64(1));
        self.each((Operand::i64(0), all), &mut |this, range| {
            let members = this.code.load("members", ScalarType::I64, own.starts, range);
            this.code.store(ScalarType::I64, own.starts, range, begin);
            let place = this.code.add(first, range);
            this.code.store(ScalarType::I64, starts, place, begin);
            let next = this.code.add(begin, members);
            this.code.set(begin, next);
        });
    }

    /// Moves bins and values to the positions of their ranges, from `before` on.
    fn place_in_ranges(
        &mut self,
        ranges: Ranges,
        own: &Sorted,
        sorted: &Sorted,
        (before, count): (Operand, Operand),
    ) {
        self.each((Operand::i64(0), count), &mut |this, at| {
            let bin = this.code.load("bin", ScalarType::I32, own.columns.bins, at);
            let range = this.range_of(ranges, bin);
            let next = this.code.load("next", ScalarType::I64, own.starts, range);
            let place = this.code.add(before, next);
            this.code.store(ScalarType::I32, sorted.columns.bins, place, bin);
            for (from, to) in own.columns.values.iter().zip(&sorted.columns.values) {
                if let (Column::Kept(from, elem), Column::Kept(to, _)) = (*from, *to) {
                    let value = this.code.load("value", elem, from, at);
                    this.code.store(elem, to, place, value);
                }
            }
            let after = this.code.add(next, Operand::i64(1));
            this.code.store(ScalarType::I64, own.starts, range, after);
        });
    }

    /// Builds the kernel that combines the inputs of all pieces of a round in a range.
    fn build_combine(
        &self,
        stm: &'a Stm,
        hist: &'a HistOp,
        ranges: Ranges,
        sorted: &Sorted,
        pieces: Operand,
    ) -> Lowered<Built> {
        self.build("hist_combine", stm.span, &|kernel, lo, hi| {
            let ranges = kernel.ranges_param(ranges);
            let sorted = kernel.sorted_param(sorted);
            let pieces = kernel.param_for(pieces);
            let mut views = Vec::new();
            for &dest in &hist.dests {
                views.push(kernel.view(dest, stm.span)?);
            }
            let pitch = kernel.code.add(ranges.count, Operand::i64(1));
            kernel.for_units((lo, hi), &mut |kernel, range| {
                let mut done = Ok(());
                kernel.each((Operand::i64(0), pieces), &mut |kernel, piece| {
                    let first = kernel.code.mul(piece, Operand::i64(PIECE));
                    let row = kernel.code.mul(piece, pitch);
                    let at = kernel.code.add(row, range);
                    let next = kernel.code.add(at, Operand::i64(1));
                    let part = [at, next].map(|at| {
                        let start = kernel.code.load("start", ScalarType::I64, sorted.starts, at);
                        kernel.code.add(first, start)
                    });
                    kernel.each((part[0], part[1]), &mut |kernel, at| {
                        if done.is_ok() {
                            done = kernel.combine_sorted(stm, hist, &views, &sorted, at);
                        }
                    });
                });
                done
            })
        })
    }

    /// Combines the input at a position into its bin.
    fn combine_sorted(
        &mut self,
        stm: &'a Stm,
        hist: &'a HistOp,
        views: &[View],
        sorted: &Sorted,
        at: Reg,
    ) -> Lowered<()> {
        let (bin, values) = self.load_columns(&sorted.columns, Value::Uniform(at.into()));
        let indices = self.bin_indices(&views[0], hist.rank, bin);
        self.combine_into(&hist.op, views, &indices, &values, stm.span)
    }

    /// Emits `body` for the numbers `from..to`.
    fn each(&mut self, (from, to): (Operand, Operand), body: &mut dyn FnMut(&mut Self, Reg)) {
        let index = self.code.int_reg("i");
        self.count_up(index, (from, to), 1, |this| {
            body(this, index);
        });
    }
}
