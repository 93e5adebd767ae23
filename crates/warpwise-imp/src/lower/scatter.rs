//! Scatters. If several inputs write to one place, the one with the largest position wins, whatever the schedule.
//!
//! - *Segments* never overlap, so each is written once, by the task that computes it.
//! - *Scalars of dear bodies*: tasks compute blocks of the input and pack the writes that fall into the destination. They write
//!   one after another, in the order of the blocks:
//!
//!   ```text
//!   for each group of lanes { places, values packed at count; count += members }
//!   wait flag[unit-1]; for k < count { dest[places[k]] = values[k] }; set flag[unit]
//!   ```
//!
//!   While one task writes, others compute. Inputs that write nothing cost nothing in the second loop.
//! - *Anything else*: each task runs through the whole input and writes to its own part of the destination. Positions increase
//!   within a task, and no other task writes there. The price is that indices are computed once for each part; there are at most
//!   as many parts as threads, few in all, and each writes to less memory.

use rustc_hash::FxHashMap;
use warpwise_ir::{Body, Expr, Operand as CoreOperand, ScatterDest, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};
use warpwise_runtime::machine::Schedule;

use crate::lower::blocks::Unit;
use crate::lower::cost::{self, Work};
use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Value};
use crate::lower::kernels::{Make, Range, task_dims};
use crate::lower::lanes::LaneLoop;
use crate::lower::packed::Packed;
use crate::lower::segs::UNKNOWN_TRIPS;
use crate::lower::variance::{Variance, Variances};
use crate::op::Op;
use crate::types::Operand;

/// Maximum number of parts of the destination.
const MOST_PARTS: i64 = 4;

/// Minimum number of inputs for several tasks.
const WORTH_SPLITTING: i64 = 1 << 16;

/// Minimum cost of a dear body without look-ups, in operations. Packing takes longer than running through cheaper code once for each
/// part.
const DEAR: i64 = 16;

/// Number of inputs of a block: what is packed of them stays in the second-level cache.
const BLOCK: i64 = 1 << 14;

/// Destinations that are written at the same places.
struct Places<'a> {
    /// Number of the first result with an index.
    first: usize,
    /// Each destination and the number of the result with its value.
    dests: Vec<(&'a ScatterDest, usize)>,
}

impl Places<'_> {
    /// Returns the indices.
    fn indices<'o>(&self, op: &'o SegOp) -> &'o [CoreOperand] {
        &op.body.result[self.first..self.first + self.dests[0].0.rank]
    }

    /// Returns the numbers of the results that are packed: constants need not be.
    fn packed(&self, op: &SegOp) -> Vec<usize> {
        let values = self.dests.iter().map(|&(_, value)| value);
        let indices = self.first..self.first + self.dests[0].0.rank;
        indices.chain(values.filter(|&value| op.body.result[value].as_const().is_none())).collect()
    }
}

impl<'a> Emitter<'a> {
    /// Launches a scatter of host code.
    pub fn launch_scatter(&mut self, stm: &'a Stm, op: &'a SegOp, dests: &'a [ScatterDest]) -> Lowered<()> {
        if dests.iter().any(|dest| dest.segments) {
            return self.launch_segments(stm, op, dests);
        }
        let range = self.flat_range(stm, op)?;
        let is_flat = task_dims(&op.space).count() == op.space.len();
        let many = self.code.compare(CompareOp::SLe, Operand::i64(WORTH_SPLITTING), range.extent);
        let threads = self.code.threads();
        if is_flat && self.results_are_scalars(op) && self.is_dear(op) {
            let several = self.code.compare(CompareOp::SLt, Operand::i64(1), threads);
            let shared = self.code.binary(BinaryOp::And, many, several);
            let (in_blocks, alone) = self.choose(
                shared,
                |this| this.launch_scatter_blocks(stm, op, dests, range),
                |this| this.launch_scatter_parts(stm, op, dests, range, Operand::i64(1)),
            );
            return in_blocks.and(alone);
        }
        let parts = self.code.binary(BinaryOp::SMin, threads, Operand::i64(MOST_PARTS));
        let parts = self.code.select(many, parts, Operand::i64(1));
        self.launch_scatter_parts(stm, op, dests, range, parts)
    }

    /// Whether the body of a scatter should be computed once: it looks up values, or takes much code.
    fn is_dear(&self, op: &SegOp) -> bool {
        fn looks_up(body: &Body, facts: &Variances) -> bool {
            body.stms.iter().any(|stm| {
                let mut found = false;
                if let Expr::Index { indices, .. } = &stm.expr {
                    let mut vars = indices.iter().filter_map(|x| x.as_var());
                    found = vars.any(|var| facts.variance(var) == Variance::Varying);
                }
                stm.expr.for_each_body(|body| found |= looks_up(body, facts));
                found
            })
        }
        let facts = self.plan_lanes(op, Work::Map).facts;
        looks_up(&op.body, &facts) || cost::static_cost(&op.body, UNKNOWN_TRIPS) >= DEAR
    }

    /// Launches tasks that each run through the whole input and write to their own parts of the destinations.
    fn launch_scatter_parts(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        dests: &'a [ScatterDest],
        range: Range,
        parts: Operand,
    ) -> Lowered<()> {
        let count = range.extent;
        let built = self.build("scatter", stm.span, &|kernel, lo, hi| {
            let (count, parts) = (kernel.param_for(count), kernel.param_for(parts));
            let how = kernel.plan_lanes(op, Work::Map);
            kernel.for_units((lo, hi), &mut |kernel, part| {
                let limits = kernel.part_limits(stm, dests, part.into(), parts)?;
                let (first, end) =
                    (kernel.code.copy("first", Operand::i64(0)), kernel.code.copy("end", count));
                kernel.walk_space(stm, op, (first, end), &how, &mut |kernel| {
                    kernel.with_arena(&[&op.body], |kernel| {
                        kernel.stms(&op.body)?;
                        kernel.scatter_part(stm, op, dests, &limits)
                    })
                })
            })
        })?;
        let cost = self.code.mul(range.cost, count);
        self.launch(built, Range { extent: parts, schedule: Schedule::Dynamic, cost });
        Ok(())
    }

    /// Launches a scatter of segments. Segments have no element in common, so each task writes those of its own points.
    fn launch_segments(&mut self, stm: &'a Stm, op: &'a SegOp, dests: &'a [ScatterDest]) -> Lowered<()> {
        let built = self.build("segments", stm.span, &|kernel, lo, hi| {
            let how = kernel.plan_lanes(op, Work::Map);
            kernel.walk_space(stm, op, (lo, hi), &how, &mut |kernel| {
                kernel.with_arena(&[&op.body], |kernel| {
                    kernel.stms(&op.body)?;
                    kernel.scatter_point(dests, &op.body.result, stm.span)
                })
            })
        })?;
        let range = self.flat_range(stm, op)?;
        self.launch(built, range);
        Ok(())
    }

    /// Launches tasks that each compute blocks of the input, and write in the order of the blocks.
    fn launch_scatter_blocks(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        dests: &'a [ScatterDest],
        range: Range,
    ) -> Lowered<()> {
        let cut = self.cut_flat(&op.space, BLOCK, stm.span)?;
        let flags = self.flags(&cut);
        let places = self.places(op, dests);
        let make: Make = &|kernel, lo, hi| {
            let flags = kernel.mem_param("flags", flags, None);
            let cut = kernel.cut_param(&cut);
            let how = kernel.plan_lanes(op, Work::Scan);
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let unit = kernel.unit(&cut, &[], unit, stm.span)?;
                let mark = kernel.code.int_reg("mark");
                kernel.code.emit(Op::ArenaMark { dst: mark });
                let writes = kernel.pack_writes(stm, op, &places, &unit, &how)?;
                kernel.unless_first(&unit, &mut |kernel| {
                    kernel.await_previous(flags, &unit);
                    Ok(())
                })?;
                for (places, packed) in places.iter().zip(&writes) {
                    kernel.write_packed(stm, op, places, packed)?;
                }
                kernel.code.emit(Op::SetFlag { mem: flags, index: unit.unit.into() });
                kernel.code.emit(Op::ArenaReset { mark: mark.into() });
                Ok(())
            })
        };
        let built = self.build("scatter_blocks", stm.span, make)?;
        let cost = self.block_cost(&cut, range.cost);
        self.launch(built, Range { extent: cut.units, schedule: Schedule::Ordered, cost });
        self.release_locals(vec![flags]);
        Ok(())
    }

    /// Groups destinations that are written at the same places.
    fn places(&self, op: &SegOp, dests: &'a [ScatterDest]) -> Vec<Places<'a>> {
        let mut places: Vec<Places<'a>> = Vec::new();
        let mut first = 0;
        for dest in dests {
            let indices = |first: usize| &op.body.result[first..first + dest.rank];
            let extents = |dest: &ScatterDest| &self.cx.function.ty(dest.array).shape()[..dest.rank];
            let alike = places.iter_mut().find(|places| {
                let other = places.dests[0].0;
                other.rank == dest.rank
                    && indices(places.first) == indices(first)
                    && extents(other) == extents(dest)
            });
            let value = first + dest.rank;
            match alike {
                Some(places) => places.dests.push((dest, value)),
                None => places.push(Places { first, dests: vec![(dest, value)] }),
            }
            first = value + 1;
        }
        places
    }

    /// Computes the inputs of a unit and packs the indices and values of its writes.
    fn pack_writes(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        places: &[Places<'a>],
        unit: &Unit,
        how: &LaneLoop,
    ) -> Lowered<Vec<Packed>> {
        let capacity = BLOCK + i64::from(how.width);
        let writes: Vec<Packed> =
            places.iter().map(|places| self.pack_room(&self.types(op, places), capacity)).collect();
        let (from, to) = (self.code.copy("from", unit.from), self.code.copy("to", unit.to));
        self.walk_space(stm, op, (from, to), how, &mut |this| {
            this.with_arena(&[&op.body], |this| {
                this.stms(&op.body)?;
                for (places, packed) in places.iter().zip(&writes) {
                    let indices = this.values(places.indices(op));
                    let results = places.packed(op);
                    let values: Vec<Value> =
                        results.into_iter().map(|result| this.value(op.body.result[result])).collect();
                    let view = this.view(places.dests[0].0.array, stm.span)?;
                    let inside = this.in_bounds(&view, &indices);
                    this.pack(packed, inside, &values)?;
                }
                Ok(())
            })
        })?;
        Ok(writes)
    }

    /// Returns the types of the results that are packed.
    fn types(&self, op: &SegOp, places: &Places<'_>) -> Vec<ScalarType> {
        let ty = |result: usize| self.cx.function.operand_type(op.body.result[result]).as_scalar();
        places.packed(op).into_iter().map(|result| ty(result).expect("the results are scalars")).collect()
    }

    /// Writes the packed values to their places.
    fn write_packed(&mut self, stm: &Stm, op: &SegOp, places: &Places<'a>, packed: &Packed) -> Lowered<()> {
        let mut dests = Vec::new();
        for &(dest, value) in &places.dests {
            dests.push((self.view(dest.array, stm.span)?, value));
        }
        let numbers = places.packed(op);
        let rank = places.indices(op).len();
        self.lane_loop(&LaneLoop::simple(1), Operand::i64(0), packed.count.into(), &mut |this, at| {
            let lists = numbers.iter().zip(&packed.values);
            let loaded: FxHashMap<usize, Value> = lists
                .map(|(&number, &(mem, elem))| (number, this.load_at(BlockBinding::of(mem), elem, at)))
                .collect();
            let indices: Vec<Value> = numbers[..rank].iter().map(|number| loaded[number]).collect();
            for (view, number) in &dests {
                let value = match loaded.get(number) {
                    Some(&value) => value,
                    None => this.value(op.body.result[*number]),
                };
                this.store(view, &indices, value);
            }
            Ok(())
        })
    }

    /// Returns the first index and the length of a part of every destination, in the outermost dimension.
    fn part_limits(
        &mut self,
        stm: &Stm,
        dests: &[ScatterDest],
        part: Operand,
        parts: Operand,
    ) -> Lowered<Vec<(Operand, Operand)>> {
        let mut limits = Vec::new();
        for dest in dests {
            let view = self.view(dest.array, stm.span)?;
            let extent = self.extents(&view, stm.span)?[0];
            let share = self.code.add(extent, Operand::i64(MOST_PARTS - 1));
            let share = self.code.binary(BinaryOp::SQuot, share, parts);
            let first = self.code.mul(share, part);
            let left = self.code.sub(extent, first);
            let length = self.code.binary(BinaryOp::SMin, share, left);
            let length = self.code.binary(BinaryOp::SMax, length, Operand::i64(0));
            limits.push((first, length));
        }
        Ok(limits)
    }

    /// Writes the inputs that belong to a part.
    fn scatter_part(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        dests: &'a [ScatterDest],
        limits: &[(Operand, Operand)],
    ) -> Lowered<()> {
        let mut taken = 0;
        for (dest, &(first, length)) in dests.iter().zip(limits) {
            let indices = self.values(&op.body.result[taken..taken + dest.rank]);
            let value = op.body.result[taken + dest.rank];
            taken += dest.rank + 1;
            let view = self.view(dest.array, stm.span)?;
            let Some(&outermost) = indices.first() else { continue };
            let moved = self.binary(BinaryOp::Sub, outermost, Value::Uniform(first));
            let mut inside = self.compare(CompareOp::ULt, moved, Value::Uniform(length));
            for (&index, &extent) in indices.iter().zip(&view.extents).skip(1) {
                let below = self.compare(CompareOp::ULt, index, extent);
                inside = self.and(inside, below);
            }
            let whole = Value::constant(Scalar::Bool(true));
            debug_assert_ne!(inside, whole, "a part has limits");
            self.guarded(inside, &mut |this| {
                let row = this.row(&view, &indices);
                this.put(&row, value, stm.span)
            })?;
        }
        Ok(())
    }
}
