//! Histograms by atomic operations and locks: every work-item combines its values directly into a table.
//!
//! ```text
//! global:   for each element, by a work-item { dest[bin] atomically= op(dest[bin], value) }
//! local:    table[..] = neutral, in local memory; barrier
//!           for each element of the group's chunk { table[bin, copy] atomically= op(table[bin, copy], value) }; barrier
//!           for each bin { dest[bin] atomically= op(dest[bin], table[bin, 0], table[bin, 1], ...) }
//! passes:   for a range of bins after the other, each as large as local memory holds: the same with one copy; elements of other
//!           bins are skipped
//! locked:   for each element, by a work-item { lock locks[bin]; dest[bin] = op(dest[bin], value); unlock }
//! ```
//!
//! Tables that fit local memory are filled there first, so that few work-items wait for the same place. Tables of few bins have
//! several copies, and neighbouring work-items use different copies. The order in which values are combined is not fixed: sums of
//! floats may differ in their last bits from run to run.
//!
//! Tables of a few times the size of local memory are filled in several passes over the elements, up to a number of passes that is
//! a parameter (`--param passes.FUNCTION.NUMBER=...`): more passes pay on devices whose atomic operations on main memory are slow.
//!
//! Operators that do not consist of commutative operators on single components are applied under a lock for each bin.
//!
//! Not done here: locks and elements of less than 32 bits in local memory.

mod locked;
mod tables;

use warpwise_ir::{HistOp, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};
use warpwise_runtime::machine::Schedule;

use self::tables::{Bins, Tables};
use super::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::{Built, Range};
use crate::lower::reduce::componentwise_operators;
use crate::lower::stms::allocates;
use crate::op::{AtomicOp, Op};
use crate::types::{Mem, Operand, Reg};

/// Size of local memory for tables, in bytes.
const LOCAL: i64 = 16 << 10;

/// Minimum number of elements that a work-item combines, if there are enough.
const PER_ITEM: i64 = 16;

/// Maximum number of groups, if there are no more elements for each of their bins: somewhat more than a large device runs at a
/// time.
const FEW_GROUPS: i64 = 1 << 11;

/// Maximum number of groups, large enough that the start time of the last one does not matter.
const MOST_GROUPS: i64 = 1 << 15;

/// Number of elements that a work-item computes before it combines them, so that several loads are in flight.
const AT_ONCE: i64 = 4;

/// Default of the maximum number of passes over the elements.
const MOST_PASSES: i64 = 4;

/// Minimum number of elements for each bin for which passes, and more tables to be combined, pay.
const PER_BIN: i64 = 16;

/// Maximum number of copies of a table: the number of banks of local memory on GPUs, and of work-items that run in step.
const MOST_COPIES: i64 = 32;

/// Minimum number of elements of a group for each place of its tables, where there is more than one copy.
const PER_PLACE: i64 = 8;

/// The division of the elements among groups.
#[derive(Clone, Copy)]
struct Chunks {
    /// Number of elements.
    count: Operand,
    /// Number of elements of a group.
    chunk: Operand,
}

impl<'a> Emitter<'a> {
    /// Returns whether all operators can be applied atomically, one component at a time.
    pub fn combines_atomically(&self, ops: &[HistOp]) -> bool {
        self.combines_scalars(ops) && ops.iter().all(|hist| componentwise_operators(&hist.op).is_some())
    }

    /// Launches a histogram. Host code.
    pub fn device_hist(&mut self, stm: &'a Stm, op: &'a SegOp, ops: &'a [HistOp]) -> Lowered<()> {
        let range = self.flat_range(stm, op)?;
        let global = self.build("hist", stm.span, &|kernel, lo, hi| {
            kernel.each_point(&op.space, (lo, hi), stm.span, &mut |kernel| {
                kernel.stms(&op.body)?;
                let results = kernel.values(&op.body.result);
                kernel.combine_results(stm, ops, &results, None)
            })
        })?;
        let Some(room) = self.local_bins(op, ops) else {
            self.launch(global, range);
            return Ok(());
        };
        let mut small = Operand::Const(true.into());
        let (mut all, mut largest) = (Operand::i64(1), Operand::i64(1));
        for hist in ops {
            let bins = self.bins(stm, hist)?;
            all = self.code.add(all, bins);
            largest = self.code.binary(BinaryOp::SMax, largest, bins);
            let fits = self.code.compare(CompareOp::SLe, bins, Operand::i64(room));
            small = self.code.binary(BinaryOp::And, small, fits);
        }
        let groups = self.code.ceil_div(range.extent, i64::from(SIZE) * PER_ITEM);
        let wanted = self.code.mul(all, Operand::i64(PER_BIN));
        let enough = self.code.binary(BinaryOp::SQuot, range.extent, wanted);
        let at_most = self.code.binary(BinaryOp::SMax, enough, Operand::i64(FEW_GROUPS));
        let at_most = self.code.binary(BinaryOp::SMin, at_most, Operand::i64(MOST_GROUPS));
        let groups = self.code.binary(BinaryOp::SMin, groups, at_most);
        let share = self.code.binary(BinaryOp::SMax, groups, Operand::i64(1));
        let chunk = self.code.add(range.extent, share);
        let chunk = self.code.sub(chunk, Operand::i64(1));
        let chunk = self.code.binary(BinaryOp::SQuot, chunk, share);
        let chunks = Chunks { count: range.extent, chunk };
        let by_room = self.code.binary(BinaryOp::SQuot, Operand::i64(room), largest);
        let worth = self.code.mul(all, Operand::i64(PER_PLACE));
        let worth = self.code.binary(BinaryOp::SQuot, chunk, worth);
        let copies = self.code.binary(BinaryOp::SMin, by_room, worth);
        let copies = self.power_of_two(copies, (1, MOST_COPIES));
        let local = self.build_local(stm, op, ops, chunks, (room, Bins::All { copies }))?;
        let cost = self.code.mul(range.cost, chunk);
        let by_groups = Range { extent: groups, schedule: Schedule::Static, cost };
        let ((), passes) = self.choose(
            small,
            |this| this.launch(local, by_groups),
            |this| this.launch_passes(stm, op, ops, (chunks, by_groups, room), (global, range)),
        );
        passes
    }

    /// Launches a histogram that does not fit local memory. It runs in passes over ranges of bins where these are few, each has
    /// many elements, and the body may run several times; otherwise values are combined directly into the destinations.
    fn launch_passes(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        ops: &'a [HistOp],
        (chunks, by_groups, room): (Chunks, Range, i64),
        (global, range): (Built, Range),
    ) -> Lowered<()> {
        let [hist] = ops else {
            self.launch(global, range);
            return Ok(());
        };
        if self.overwrites_outside(op) {
            self.launch(global, range);
            return Ok(());
        }
        let bins = self.bins(stm, hist)?;
        let passes = self.code.ceil_div(bins, room);
        let number = self.cx.kernels.borrow().len();
        let name = format!("passes.{}.{number}", self.cx.function.name);
        let allowed = self.code.int_reg("allowed");
        self.code.emit(Op::Tuned { dst: allowed, name, default: MOST_PASSES });
        let few = self.code.compare(CompareOp::SLe, passes, allowed);
        let wanted = self.code.mul(bins, Operand::i64(PER_BIN));
        let many = self.code.compare(CompareOp::SLe, wanted, range.extent);
        let worth = self.code.binary(BinaryOp::And, few, many);
        let base = self.code.int_reg("base");
        let built = self.build_local(stm, op, ops, chunks, (room, Bins::From(base.into())))?;
        self.choose(
            worth,
            |this| this.count_up(base, (Operand::i64(0), bins), room, |this| this.launch(built, by_groups)),
            |this| this.launch(global, range),
        );
        Ok(())
    }

    /// Returns the number of bins that fit local memory; `None` where work-groups cannot compute the histogram at all: work-items
    /// that wait for each other must not allocate in the arena.
    fn local_bins(&self, op: &SegOp, ops: &[HistOp]) -> Option<i64> {
        let types: Vec<ScalarType> =
            ops.iter().flat_map(|hist| &hist.dests).map(|&dest| self.elem(dest)).collect();
        let wide = types.iter().all(|ty| ty.bytes() >= 4);
        let bytes: i64 = types.iter().map(|ty| ty.bytes() as i64).sum();
        (wide && !allocates(&op.body)).then(|| LOCAL / bytes.max(1))
    }

    /// Returns the number of bins of an operation. Host code.
    fn bins(&mut self, stm: &Stm, hist: &HistOp) -> Lowered<Operand> {
        let view = self.view(hist.dests[0], stm.span)?;
        let extents = self.extents(&view, stm.span)?;
        Ok(self.code.product(extents[..hist.rank].iter().copied()))
    }

    /// Computes the work-item's elements of `first..to` and combines their results, one at a time or, with straight bodies,
    /// several at once.
    fn each_combined(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        (first, to): (Operand, Operand),
        combine: &mut dyn FnMut(&mut Self, &[Value]) -> Lowered<()>,
    ) -> Lowered<()> {
        let mut from = first;
        if op.body.stms.iter().all(|stm| stm.expr.is_straight()) {
            let step = AT_ONCE * i64::from(SIZE);
            let last = self.code.sub(to, Operand::i64(step - i64::from(SIZE)));
            let count = self.code.sub(last, first);
            let count = self.code.binary(BinaryOp::SMax, count, Operand::i64(0));
            let rounds = self.code.ceil_div(count, step);
            let done = self.code.mul(rounds, Operand::i64(step));
            from = self.code.add(first, done);
            let index = self.code.int_reg("j");
            let combined = self
                .count_up(index, (first, from), step, |this| this.several_combined(stm, op, index, combine));
            combined?;
        }
        self.each_in_turn(from, to, &mut |this, point| {
            this.counted_as(point.into(), &mut |this| {
                this.bind_flat(&op.space, point.into(), stm.span)?;
                this.stms(&op.body)?;
                let results = this.values(&op.body.result);
                combine(this, &results)
            })
        })
    }

    /// Computes several elements of the work-item from `index` on, then combines their results.
    fn several_combined(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        index: Reg,
        combine: &mut dyn FnMut(&mut Self, &[Value]) -> Lowered<()>,
    ) -> Lowered<()> {
        let mut computed = Vec::new();
        for number in 0..AT_ONCE {
            let point = self.code.add(index, Operand::i64(number * i64::from(SIZE)));
            self.bind_flat(&op.space, point, stm.span)?;
            self.stms(&op.body)?;
            computed.push(self.values(&op.body.result));
        }
        computed.iter().try_for_each(|results| combine(self, results))
    }

    /// Combines the results of one point, into the tables or directly into the destinations.
    fn combine_results(
        &mut self,
        stm: &Stm,
        ops: &[HistOp],
        results: &[Value],
        tables: Option<&Tables>,
    ) -> Lowered<()> {
        let mut taken = 0;
        for (number, hist) in ops.iter().enumerate() {
            let (indices, values) = results[taken..taken + hist.rank + hist.dests.len()].split_at(hist.rank);
            taken += hist.rank + hist.dests.len();
            let Some(operators) = componentwise_operators(&hist.op) else {
                return self.limit(stm.span, "a histogram that needs a lock");
            };
            let view = self.view(hist.dests[0], stm.span)?;
            let inside = self.in_bounds(&view, indices);
            self.guarded(inside, &mut |this| {
                let Some(tables) = tables else {
                    for ((&dest, &op), &value) in hist.dests.iter().zip(&operators).zip(values) {
                        this.combine_atomically(stm, dest, op, indices, value)?;
                    }
                    return Ok(());
                };
                let bin = this.flat_bin(&view, indices);
                let bin = this.vector(bin);
                this.in_table(tables, bin, &mut |this, place| {
                    for ((&mem, &op), &value) in tables.mems[number].iter().zip(&operators).zip(values) {
                        this.atomic(op, mem, Value::Uniform(place), value);
                    }
                    Ok(())
                })
            })?;
        }
        Ok(())
    }

    /// Combines a value with an element of an array atomically.
    fn combine_atomically(
        &mut self,
        stm: &Stm,
        dest: warpwise_ir::Var,
        op: BinaryOp,
        indices: &[Value],
        value: Value,
    ) -> Lowered<()> {
        let view = self.view(dest, stm.span)?;
        let address = self.address(&view, indices);
        self.atomic(op, view.block.mem, address, value);
        Ok(())
    }

    fn atomic(&mut self, op: BinaryOp, mem: Mem, address: Value, value: Value) {
        let elem = self.scalar_type(value);
        let (index, value) = (self.vector(address), self.vector(value));
        self.code.emit(Op::Atomic { op: AtomicOp::Binary(op), mem, index, value, elem, mask: None });
    }

    /// Runs `body` for every [`SIZE`]th index from the work-item's own `first` on.
    pub fn each_in_turn(
        &mut self,
        first: Operand,
        to: Operand,
        body: &mut dyn FnMut(&mut Self, Reg) -> Lowered<()>,
    ) -> Lowered<()> {
        let index = self.code.int_reg("j");
        self.count_up(index, (first, to), i64::from(SIZE), |this| body(this, index))
    }

    /// Returns the product of extents that are the same in all lanes.
    fn extents_product(&mut self, extents: &[Value]) -> Operand {
        let mut product = Value::constant(1_i64.into());
        for &extent in extents {
            product = self.binary(BinaryOp::Mul, product, extent);
        }
        self.vector(product)
    }
}
