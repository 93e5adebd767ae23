//! Histograms by atomic operations and locks: every work-item combines what it computes right into a table.
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
//! Tables that local memory holds are filled there first, so that few work-items wait for the same place; those of few bins in
//! several copies, of which neighbouring work-items take different ones. In which order values are combined is not fixed: sums of
//! floats may differ in their last bits from run to run.
//!
//! Tables of a few times the size of local memory are filled in passes over the elements, up to a number of passes that is a
//! parameter (`--param passes.FUNCTION.NUMBER=...`): on devices whose atomic operations on main memory are slow more pay.
//!
//! Operators that are no commutative operators of one component each are combined under a lock for each bin.
//!
//! Not done here: locks and elements of less than 32 bits in local memory.

use warpwise_ir::{HistOp, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};
use warpwise_runtime::machine::Schedule;

use super::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::{Built, Range};
use crate::lower::reduce::componentwise_operators;
use crate::lower::stms::allocates;
use crate::op::{AtomicOp, Op};
use crate::types::{Mem, Operand, Reg};

/// Bytes of local memory for tables.
const LOCAL: i64 = 16 << 10;

/// Elements that a work-item combines at least, where there are enough.
const PER_ITEM: i64 = 16;

/// Groups at most, if there are no more elements for each of their bins: some more than a large device runs at a time.
const FEW_GROUPS: i64 = 1 << 11;

/// Groups at most, so many that it does not matter when the last of them begins.
const MOST_GROUPS: i64 = 1 << 15;

/// Elements that a work-item has at hand before it combines them, so that as many loads are under way.
const AT_ONCE: i64 = 4;

/// Passes over the elements at most, unless set.
const MOST_PASSES: i64 = 4;

/// Elements for each bin from which on passes, and more tables to be combined, are worth their while.
const PER_BIN: i64 = 16;

/// Copies of a table at most: local memory of GPUs has so many banks, and as many work-items run in step.
const MOST_COPIES: i64 = 32;

/// Elements of a group for each place of its tables at least, where there is more than one copy.
const PER_PLACE: i64 = 8;

/// What the groups of a launch fill in local memory.
#[derive(Clone, Copy)]
enum Bins {
    /// All bins, in so many copies, a power of two. The copies of a bin lie side by side.
    All { copies: Operand },
    /// As many as there is room for, from this one on.
    From(Operand),
}

/// The tables of a group, by histogram and component.
struct Tables {
    mems: Vec<Vec<Mem>>,
    /// For how many elements each has room.
    room: i64,
    bins: Bins,
    item: Reg,
}

/// The sizes of the groups' work.
#[derive(Clone, Copy)]
struct Chunks {
    /// Elements.
    count: Operand,
    /// Elements of a group.
    chunk: Operand,
}

impl<'a> Emitter<'a> {
    /// Whether all operators are such that a component at a time can be combined atomically.
    pub fn combines_atomically(&self, ops: &[HistOp]) -> bool {
        self.combines_scalars(ops) && ops.iter().all(|hist| componentwise_operators(&hist.op).is_some())
    }

    /// Launches a histogram whose operators need locks. Host code.
    pub fn locked_hist(&mut self, stm: &'a Stm, op: &'a SegOp, ops: &'a [HistOp]) -> Lowered<()> {
        let range = self.flat_range(stm, op)?;
        let mut locks = Vec::new();
        for hist in ops {
            let bins = self.bins(stm, hist)?;
            let bytes = self.code.mul(bins, Operand::i64(4));
            let mem = self.alloc("locks", bytes);
            let (value, elem) = (Operand::Const(Scalar::I32(0)), ScalarType::I32);
            self.code.emit(Op::Fill { mem, index: Operand::i64(0), count: bins, value, elem });
            locks.push(mem);
        }
        let built = self.build("locked_hist", stm.span, &|kernel, lo, hi| {
            let locks: Vec<Mem> = locks.iter().map(|&mem| kernel.mem_param("locks", mem, None)).collect();
            kernel.for_units((lo, hi), &mut |kernel, point| {
                kernel.counted_as(point.into(), &mut |kernel| {
                    kernel.bind_flat(&op.space, point.into(), stm.span)?;
                    kernel.in_own_arena(&mut |kernel| {
                        kernel.stms(&op.body)?;
                        kernel.combine_locked(stm, op, ops, (&locks, point))
                    })
                })
            })
        })?;
        self.launch(built, range);
        self.release_locals(locks);
        Ok(())
    }

    /// Combines the results of one point, each under the lock of its bin.
    fn combine_locked(
        &mut self,
        stm: &Stm,
        op: &SegOp,
        ops: &'a [HistOp],
        (locks, point): (&[Mem], Reg),
    ) -> Lowered<()> {
        let mut taken = 0;
        for (hist, &mem) in ops.iter().zip(locks) {
            let results = &op.body.result[taken..taken + hist.rank + hist.dests.len()];
            taken += results.len();
            let (indices, values) = (self.values(&results[..hist.rank]), self.values(&results[hist.rank..]));
            let mut views = Vec::new();
            for &dest in &hist.dests {
                views.push(self.view(dest, stm.span)?);
            }
            let inside = self.in_bounds(&views[0], &indices);
            self.guarded(inside, &mut |this| {
                let bin = this.flat_bin(&views[0], &indices);
                let index = this.vector(bin);
                this.code.open();
                // A check that fails leaves the lock first.
                let done = this.counted_as(point.into(), &mut |this| {
                    this.combine_into(&hist.op, &views, &indices, &values, stm.span)
                });
                let body = this.code.close();
                this.code.emit(Op::Locked { mem, index, body });
                done
            })?;
        }
        Ok(())
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
        self.code.open();
        self.launch(local, by_groups);
        let then_block = self.code.close();
        self.code.open();
        self.launch_passes(stm, op, ops, (chunks, by_groups, room), (global, range))?;
        let else_block = self.code.close();
        self.code.emit(Op::If { cond: small, then_block, else_block });
        Ok(())
    }

    /// Launches a histogram that local memory does not hold: in passes over ranges of bins where these are few, each has many
    /// elements, and the body may run several times; right into the destinations otherwise.
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
        self.code.open();
        self.code.open();
        self.launch(built, by_groups);
        let body = self.code.close();
        self.code.emit(Op::For { index: base, from: Operand::i64(0), to: bins, step: room, body });
        let then_block = self.code.close();
        self.code.open();
        self.launch(global, range);
        let else_block = self.code.close();
        self.code.emit(Op::If { cond: worth, then_block, else_block });
        Ok(())
    }

    /// The bins for which local memory has room; `None` where work-groups cannot do it at all: work-items that wait for
    /// each other take no memory from the arena.
    fn local_bins(&self, op: &SegOp, ops: &[HistOp]) -> Option<i64> {
        let types: Vec<ScalarType> =
            ops.iter().flat_map(|hist| &hist.dests).map(|&dest| self.elem(dest)).collect();
        let wide = types.iter().all(|ty| ty.bytes() >= 4);
        let bytes: i64 = types.iter().map(|ty| ty.bytes() as i64).sum();
        (wide && !allocates(&op.body)).then(|| LOCAL / bytes.max(1))
    }

    /// How many bins an operation has. Host code.
    fn bins(&mut self, stm: &Stm, hist: &HistOp) -> Lowered<Operand> {
        let view = self.view(hist.dests[0], stm.span)?;
        let extents = self.extents(&view, stm.span)?;
        Ok(self.code.product(extents[..hist.rank].iter().copied()))
    }

    /// The kernel whose groups fill tables in local memory.
    fn build_local(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        ops: &'a [HistOp],
        chunks: Chunks,
        (room, bins): (i64, Bins),
    ) -> Lowered<Built> {
        let kind = if matches!(bins, Bins::All { .. }) { "local_hist" } else { "hist_pass" };
        self.build(kind, stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let (count, chunk) = (kernel.param_for(chunks.count), kernel.param_for(chunks.chunk));
            let bins = match bins {
                Bins::All { copies } => Bins::All { copies: kernel.param_for(copies) },
                Bins::From(base) => Bins::From(kernel.param_for(base)),
            };
            let mut mems = Vec::new();
            for hist in ops {
                let types: Vec<ScalarType> = hist.dests.iter().map(|&dest| kernel.elem(dest)).collect();
                mems.push(types.into_iter().map(|ty| kernel.local_memory("table", ty, room)).collect());
            }
            let tables = Tables { mems, room, bins, item };
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                for (hist, mems) in ops.iter().zip(&tables.mems) {
                    kernel.clear_table(stm, hist, mems, &tables)?;
                }
                kernel.code.emit(Op::Barrier);
                let from = kernel.code.mul(unit, chunk);
                let to = kernel.code.add(from, chunk);
                let to = kernel.code.binary(BinaryOp::SMin, to, count);
                let first = kernel.code.add(from, item);
                kernel.each_combined(stm, op, (first, to), &mut |kernel, results| {
                    kernel.combine_results(stm, ops, results, Some(&tables))
                })?;
                kernel.code.emit(Op::Barrier);
                for (hist, mems) in ops.iter().zip(&tables.mems) {
                    kernel.merge_table(stm, hist, mems, &tables)?;
                }
                Ok(())
            })
        })
    }

    /// Computes the elements `first..to` that are the work-item's, and combines what each comes to: one by one, or several at
    /// once where nothing hinders it.
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
            self.code.open();
            let combined = self.several_combined(stm, op, index, combine);
            let body = self.code.close();
            self.code.emit(Op::For { index, from: first, to: from, step, body });
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

    /// Computes the elements from `index` on that are the work-item's, then combines them.
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

    /// Sets a table to the neutral elements.
    fn clear_table(&mut self, stm: &Stm, hist: &HistOp, mems: &[Mem], tables: &Tables) -> Lowered<()> {
        let view = self.view(hist.dests[0], stm.span)?;
        let bins = self.bins_here(&view.extents[..hist.rank], tables);
        let places = match tables.bins {
            Bins::All { copies } => self.code.mul(bins, copies),
            Bins::From(_) => bins,
        };
        self.each_in_turn(tables.item.into(), places, &mut |this, place| {
            for (&mem, &neutral) in mems.iter().zip(&hist.neutral) {
                let value = this.uniform(neutral, stm.span)?;
                let elem = this.code.ty(value).scalar;
                this.code.store(elem, mem, place, value);
            }
            Ok(())
        })
    }

    /// Combines a table into the destinations.
    fn merge_table(&mut self, stm: &Stm, hist: &HistOp, mems: &[Mem], tables: &Tables) -> Lowered<()> {
        let Some(operators) = componentwise_operators(&hist.op) else {
            return self.limit(stm.span, "a histogram that needs a lock");
        };
        let view = self.view(hist.dests[0], stm.span)?;
        let here = self.bins_here(&view.extents[..hist.rank], tables);
        self.each_in_turn(tables.item.into(), here, &mut |this, bin| {
            let flat = match tables.bins {
                Bins::All { .. } => bin.into(),
                Bins::From(base) => this.code.add(base, bin),
            };
            let indices = this.unflattened(&view.extents[..hist.rank], flat);
            for ((&mem, &dest), &op) in mems.iter().zip(&hist.dests).zip(&operators) {
                let elem = this.elem(dest);
                let value = match tables.bins {
                    Bins::All { copies } => this.fold_copies(op, (mem, elem), bin, copies),
                    Bins::From(_) => this.code.load("own", elem, mem, bin),
                };
                this.combine_atomically(stm, dest, op, &indices, Value::Uniform(value.into()))?;
            }
            Ok(())
        })
    }

    /// What the copies of a bin come to.
    fn fold_copies(
        &mut self,
        op: BinaryOp,
        (mem, elem): (Mem, ScalarType),
        bin: Reg,
        copies: Operand,
    ) -> Reg {
        let from = self.code.mul(bin, copies);
        let own = self.code.load("own", elem, mem, from);
        let second = self.code.add(from, Operand::i64(1));
        let end = self.code.add(from, copies);
        let place = self.code.int_reg("place");
        self.code.open();
        let other = self.code.load("other", elem, mem, place);
        let sum = self.code.binary(op, own, other);
        self.code.set(own, sum);
        let body = self.code.close();
        self.code.emit(Op::For { index: place, from: second, to: end, step: 1, body });
        own
    }

    /// How many bins there are in the range that is filled.
    fn bins_here(&mut self, extents: &[Value], tables: &Tables) -> Operand {
        let all = self.extents_product(extents);
        let Bins::From(base) = tables.bins else { return all };
        let rest = self.code.sub(all, base);
        self.code.binary(BinaryOp::SMin, rest, Operand::i64(tables.room))
    }

    /// Combines the results of one point: into the tables, or right into the destinations.
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

    /// Runs `body` with the place of a bin that the work-item uses, if the tables have it.
    fn in_table(
        &mut self,
        tables: &Tables,
        bin: Operand,
        body: &mut dyn FnMut(&mut Self, Operand) -> Lowered<()>,
    ) -> Lowered<()> {
        match tables.bins {
            Bins::All { copies } => {
                let mask = self.code.sub(copies, Operand::i64(1));
                let copy = self.code.binary(BinaryOp::And, tables.item, mask);
                let first = self.code.mul(bin, copies);
                let place = self.code.add(first, copy);
                body(self, place)
            }
            Bins::From(base) => {
                let place = self.code.sub(bin, base);
                let begun = self.code.compare(CompareOp::SLe, Operand::i64(0), place);
                let ends = self.code.compare(CompareOp::SLt, place, Operand::i64(tables.room));
                let here = self.code.binary(BinaryOp::And, begun, ends);
                self.branch_if(here, &mut |this| body(this, place))
            }
        }
    }

    /// Combines a value into an element of an array.
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
        self.code.open();
        let done = body(self, index);
        let block = self.code.close();
        self.code.emit(Op::For { index, from: first, to, step: i64::from(SIZE), body: block });
        done
    }

    /// The product of sizes that are the same in all lanes.
    fn extents_product(&mut self, extents: &[Value]) -> Operand {
        let mut product = Value::constant(1_i64.into());
        for &extent in extents {
            product = self.binary(BinaryOp::Mul, product, extent);
        }
        self.vector(product)
    }
}
