//! Scans: one pass over memory, by blocks with look-back.
//!
//! A unit reduces its block, waits for the prefix of the preceding blocks, publishes the prefix for the next one, and then scans
//! the block, which is still in the cache, starting from its own prefix:
//!
//! ```text
//! total = reduce block                              // not for the last block of a segment
//! if number > 0 { wait flag[unit-1]; carry = prefix[unit-1] } else { carry = neutral }
//! prefix[unit] = op(carry, total); set flag[unit]
//! for each group of lanes { local = prefixes within the group; result = op(carry, local); carry = op(carry, last local) }
//! ```
//!
//! Within a group, prefixes take log2(lanes) steps of shuffle and operator; operators that may fail are applied to one lane after
//! another (`in_order`). The results of an expensive body are kept in the arena between the two passes over the block; a cheap
//! body runs twice.

use warpwise_ir::{
    Body, Lambda, Mapping, Operand as CoreOperand, Reduce, Scan, SegDim, SegKind, SegOp, Stm, Type, Var,
};
use warpwise_prim::ScalarType;

use crate::lower::blocks::{Cut, Unit};
use crate::lower::cost::{self, Work};
use crate::lower::emitter::{Ahead, BlockBinding, Emitter, Lowered, Value};
use crate::lower::in_order::{in_order, scans_in_order, some_in_order};
use crate::lower::kernels::{Built, Make};
use crate::lower::lanes::LaneLoop;
use crate::lower::reduce::{Accumulators, componentwise};
use crate::lower::segs::UNKNOWN_TRIPS;
use crate::op::Op;
use crate::types::{ImpType, Mem, Operand, Reg, Space};

/// Target cost of a block, in operations.
const BLOCK_COST: i64 = 1 << 18;

/// The parts of a segmented scan.
#[derive(Clone, Copy)]
struct Parts<'a> {
    stm: &'a Stm,
    op: &'a SegOp,
    scans: &'a [Scan],
    reduces: &'a [Reduce],
    post: Option<&'a Lambda>,
}

/// The data shared by the units, allocated by the host.
struct Shared {
    flags: Mem,
    /// For each scanned value, the prefix that each unit publishes for the next one.
    prefixes: Vec<Mem>,
    /// For each reduced value, the partial result of each unit.
    partials: Vec<Mem>,
    /// Usual distance, in elements, between a unit and the next unit of the same thread.
    next: Operand,
}

/// The results of an expensive body, kept between the passes over a block.
struct Kept {
    /// For each result that the body computes, its memory in the arena.
    mems: Vec<Option<Mem>>,
    from: Operand,
}

impl<'a> Parts<'a> {
    fn of(stm: &'a Stm, op: &'a SegOp) -> Option<Parts<'a>> {
        match &op.kind {
            SegKind::Scan { scans, reduces, post } => {
                Some(Parts { stm, op, scans, reduces, post: post.as_ref() })
            }
            SegKind::Map
            | SegKind::Reduce { .. }
            | SegKind::Partition { .. }
            | SegKind::Scatter { .. }
            | SegKind::Hist { .. } => None,
        }
    }

    fn n_scanned(&self) -> usize {
        self.scans.iter().map(|scan| scan.neutral.len()).sum()
    }

    fn n_reduced(&self) -> usize {
        self.reduces.iter().map(|reduce| reduce.neutral.len()).sum()
    }

    fn last(&self) -> &'a SegDim {
        self.op.space.last().expect("a space has dimensions")
    }
}

impl<'a> Emitter<'a> {
    /// Launches a scan of host code.
    pub fn launch_scan(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        let Some(parts) = Parts::of(stm, op) else { return self.limit(stm.span, "no scan") };
        let block = scan_block(op);
        let cut = self.cut(&op.space, block, stm.span)?;
        let flags = self.flags(&cut);
        let scanned = parts.scans.iter().flat_map(|scan| &scan.op.params[..scan.neutral.len()]);
        let types: Vec<ScalarType> = scanned.map(|&param| self.elem(param)).collect();
        let prefixes = self.unit_values(&cut, &types);
        let reduced = self.reduced_types(parts.reduces);
        let partials = self.unit_values(&cut, &reduced);
        let next = self.next_unit(&cut);
        let shared = Shared { flags, prefixes, partials, next };
        let built = self.build_scan(&parts, &cut, &shared, false)?;
        let past = self.streams(op, UNKNOWN_TRIPS).then(|| self.build_scan(&parts, &cut, &shared, true));
        let mut element = self.host_cost(&op.body);
        for lambda in cost::lambdas(&op.kind) {
            let more = self.host_cost(&lambda.body);
            element = self.code.add(element, more);
        }
        let cost = self.block_cost(&cut, element);
        let elements = self.code.mul(cut.segments, cut.extent);
        let bytes = self.code.mul(elements, Operand::i64(self.result_bytes(op)));
        self.launch_by_size((built, past.and_then(Result::ok)), bytes, &mut |this, built| {
            this.launch_in_order(built, &cut, cost);
        });
        self.launch_combination(stm, op, parts.reduces, &cut, &shared.partials)?;
        self.release_locals(shared.prefixes);
        self.release_locals(vec![flags]);
        Ok(())
    }

    /// Allocates, for each type, a block with one value for each unit. Host code.
    pub fn unit_values(&mut self, cut: &Cut, types: &[ScalarType]) -> Vec<Mem> {
        let mut mems = Vec::new();
        for ty in types {
            let bytes = self.code.mul(cut.units, Operand::i64(ty.bytes() as i64));
            mems.push(self.alloc("units", bytes));
        }
        mems
    }

    fn build_scan(&self, parts: &Parts<'a>, cut: &Cut, shared: &Shared, past: bool) -> Lowered<Built> {
        let (last, outer) = parts.op.space.split_last().expect("a space has dimensions");
        let make: Make = &|kernel, lo, hi| {
            let parts = *parts;
            let flags = kernel.mem_param("flags", shared.flags, None);
            let param = |kernel: &mut Emitter, mems: &[Mem]| -> Vec<Mem> {
                mems.iter().map(|&mem| kernel.mem_param("units", mem, None)).collect()
            };
            let (prefixes, partials) = (param(kernel, &shared.prefixes), param(kernel, &shared.partials));
            let cut = kernel.cut_param(cut);
            // While a block is stored, the next block of this task can be prefetched.
            let next = past.then(|| Ahead::Elements(kernel.param_for(shared.next)));
            let mut how = kernel.plan_lanes(parts.op, Work::Scan);
            let mut totalling = kernel.plan_lanes(parts.op, totalling_work(parts.scans));
            if last.mapping != Mapping::TaskLane {
                (how.width, totalling.width) = (1, 1);
            }
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let unit = kernel.unit(&cut, outer, unit, parts.stm.span)?;
                let how = LaneLoop { counted: Some(unit.counted), ..how.clone() };
                let mark = kernel.code.int_reg("mark");
                kernel.code.emit(Op::ArenaMark { dst: mark });
                let kept = kernel.keep(&parts, &cut, &unit);
                let told = (kept.is_some() && (parts.op.body.can_fail() || some_in_order(&parts.op.kind)))
                    .then(|| kernel.code.copy("failed", Operand::Const(false.into())));
                let totalling = LaneLoop { counted: Some(unit.counted), told, ..totalling.clone() };
                let carries = kernel.start_carries(&parts)?;
                let totals = kernel.start_carries(&parts)?;
                kernel.first_pass(&parts, &cut, &unit, &totalling, kept.as_ref(), &totals)?;
                kernel.unless_first(&unit, &mut |kernel| {
                    let previous = kernel.await_previous(flags, &unit);
                    for (&mem, &carry) in prefixes.iter().zip(carries.iter().flatten()) {
                        let elem = kernel.code.regs[carry].ty.scalar;
                        let prefix = kernel.code.load("prefix", elem, mem, previous);
                        kernel.code.set(carry, prefix);
                    }
                    Ok(())
                })?;
                kernel.unless_last(&cut, &unit, &mut |kernel| {
                    kernel.publish(&parts, &unit, &prefixes, (&carries, &totals))?;
                    kernel.code.emit(Op::SetFlag { mem: flags, index: unit.unit.into() });
                    Ok(())
                })?;
                // No results are kept for elements after a failing one.
                let to = told.map_or(unit.to, |failed| kernel.code.select(failed, unit.from, unit.to));
                let range = (unit.from, to);
                // Kept results are in the caches.
                let ahead = next.filter(|_| kept.is_none());
                let reduced = kernel.with_ahead(ahead, &mut |kernel| {
                    kernel.scan_range(&parts, &how, range, kept.as_ref(), &carries)
                })?;
                kernel.code.emit(Op::ArenaReset { mark: mark.into() });
                kernel.store_totals(&partials, unit.unit.into(), &reduced)
            })
        };
        if past {
            return self.build_streaming("scan_past", parts.stm.span, make);
        }
        self.build("scan", parts.stm.span, make)
    }

    /// Allocates memory for the results of an expensive body, if they are all scalars.
    fn keep(&mut self, parts: &Parts<'a>, cut: &Cut, unit: &Unit) -> Option<Kept> {
        let scalars = parts.op.body.result.iter().all(|&x| !self.is_array_operand(x));
        if !scalars || cost::static_cost(&parts.op.body, 1000) < 12 {
            return None;
        }
        let mut mems = Vec::new();
        for result in &parts.op.body.result {
            let Some(var) = result.as_var().filter(|&var| computes(&parts.op.body, var)) else {
                mems.push(None);
                continue;
            };
            let mem = self.code.mem("kept", Space::Arena);
            let bytes = Operand::i64(cut.block * self.elem(var).bytes() as i64);
            self.code.emit(Op::ArenaAlloc { dst: mem, bytes });
            mems.push(Some(mem));
        }
        Some(Kept { mems, from: unit.from })
    }

    /// Sets registers for the carries of each scan to the neutral elements.
    fn start_carries(&mut self, parts: &Parts<'a>) -> Lowered<Vec<Vec<Reg>>> {
        let mut carries = Vec::new();
        for scan in parts.scans {
            let mut regs = Vec::new();
            for &neutral in &scan.neutral {
                let x = self.uniform(neutral, parts.stm.span)?;
                regs.push(self.code.copy("carry", x));
            }
            carries.push(regs);
        }
        Ok(carries)
    }

    /// Runs the body over the block where its results are kept, and reduces the scans' inputs where the next unit needs the total.
    fn first_pass(
        &mut self,
        parts: &Parts<'a>,
        cut: &Cut,
        unit: &Unit,
        how: &LaneLoop,
        kept: Option<&Kept>,
        totals: &[Vec<Reg>],
    ) -> Lowered<()> {
        let pass = &mut |this: &mut Self| {
            let mut accs = Vec::new();
            for scan in parts.scans {
                accs.push(this.start_fold(&scan.op, &scan.neutral, false, how.width)?);
            }
            this.lane_loop(how, unit.from, unit.to, &mut |this, index| {
                this.bind(parts.last().index, index);
                this.with_arena(&[&parts.op.body], |this| {
                    this.stms(&parts.op.body)?;
                    if let Some(kept) = kept {
                        this.save(parts, kept, index);
                    }
                    this.fold_scans(parts, &accs)
                })
            })?;
            for ((scan, acc), regs) in parts.scans.iter().zip(&accs).zip(totals) {
                let total = this.finish_fold(&scan.op, acc, how)?;
                for (&reg, x) in regs.iter().zip(total) {
                    this.code.set(reg, x);
                }
            }
            Ok(())
        };
        if kept.is_some() { pass(self) } else { self.unless_last(cut, unit, pass) }
    }

    fn fold_scans(&mut self, parts: &Parts<'a>, accs: &[Accumulators]) -> Lowered<()> {
        let fails = parts.scans.iter().any(|scan| in_order(&scan.op));
        self.settle(fails, accs, &mut |this, accs| {
            let mut taken = 0;
            for (scan, acc) in parts.scans.iter().zip(accs) {
                let values = this.values(&parts.op.body.result[taken..taken + scan.neutral.len()]);
                this.fold_values(&scan.op, &scan.neutral, acc, &values)?;
                taken += scan.neutral.len();
            }
            Ok(())
        })
    }

    /// Keeps the results of a body.
    fn save(&mut self, parts: &Parts<'a>, kept: &Kept, index: Value) {
        for (&result, &mem) in parts.op.body.result.iter().zip(&kept.mems) {
            let Some(mem) = mem else { continue };
            let value = self.value(result);
            let (place, elem) = (self.kept_at(kept, index), self.scalar_type(value));
            self.store_at(BlockBinding::of(mem), elem, place, value, false);
        }
    }

    /// Binds the results of a body to the kept values.
    fn restore(&mut self, parts: &Parts<'a>, kept: &Kept, index: Value) {
        for (result, &mem) in parts.op.body.result.iter().zip(&kept.mems) {
            let (Some(mem), Some(var)) = (mem, result.as_var()) else { continue };
            let place = self.kept_at(kept, index);
            let value = self.load_at(BlockBinding::of(mem), self.elem(var), place);
            self.bind(var, value);
        }
    }

    fn kept_at(&mut self, kept: &Kept, index: Value) -> Value {
        self.binary(warpwise_prim::BinaryOp::Sub, index, Value::Uniform(kept.from))
    }

    /// Stores the prefix for the next unit.
    fn publish(
        &mut self,
        parts: &Parts<'a>,
        unit: &Unit,
        prefixes: &[Mem],
        (carries, totals): (&[Vec<Reg>], &[Vec<Reg>]),
    ) -> Lowered<()> {
        if !parts.scans.iter().any(|scan| in_order(&scan.op)) {
            return self.store_prefixes(parts, unit, prefixes, (carries, totals));
        }
        // A waiting unit must find a value, even if only for the run to end. A check that fails here also fails where the block is
        // scanned, at an element of its own.
        for (&mem, &carry) in prefixes.iter().zip(carries.iter().flatten()) {
            let elem = self.code.regs[carry].ty.scalar;
            self.code.store(elem, mem, unit.unit, carry);
        }
        let last = self.code.sub(unit.to, Operand::i64(1));
        let last = self.code.add(unit.counted, last);
        self.counted_as(last, &mut |this| this.store_prefixes(parts, unit, prefixes, (carries, totals)))
    }

    fn store_prefixes(
        &mut self,
        parts: &Parts<'a>,
        unit: &Unit,
        prefixes: &[Mem],
        (carries, totals): (&[Vec<Reg>], &[Vec<Reg>]),
    ) -> Lowered<()> {
        let mut mems = prefixes.iter();
        for ((scan, carry), total) in parts.scans.iter().zip(carries).zip(totals) {
            let args: Vec<Value> = carry.iter().chain(total).map(|&reg| Value::Uniform(reg.into())).collect();
            for (value, &mem) in self.apply(&scan.op, &args)?.into_iter().zip(mems.by_ref()) {
                if let Value::Uniform(x) = value {
                    let elem = self.code.ty(x).scalar;
                    self.code.store(elem, mem, unit.unit, x);
                }
            }
        }
        Ok(())
    }

    /// Scans a stretch of the last dimension from the carries, and stores the results. Returns the totals of the reductions fused
    /// into the scan.
    fn scan_range(
        &mut self,
        parts: &Parts<'a>,
        how: &LaneLoop,
        (from, to): (Operand, Operand),
        kept: Option<&Kept>,
        carries: &[Vec<Reg>],
    ) -> Lowered<Vec<Operand>> {
        let body = &parts.op.body;
        let accs = self.start_all(parts.reduces, how.width)?;
        let (n_scanned, n_reduced) = (parts.n_scanned(), parts.n_reduced());
        self.lane_loop(how, from, to, &mut |this, index| {
            this.bind(parts.last().index, index);
            this.with_arena(&[body], |this| {
                match kept {
                    Some(kept) => this.restore(parts, kept, index),
                    None => drop(this.stms(body)?),
                }
                let mut taken = 0;
                let (mut scanned, mut next) = (Vec::new(), Vec::new());
                for (scan, carry) in parts.scans.iter().zip(carries) {
                    let values = this.values(&body.result[taken..taken + carry.len()]);
                    let group = this.scan_group(scan, carry, &values)?;
                    scanned.extend(group.results);
                    next.push(group.next);
                    taken += carry.len();
                }
                let (arrays, further) =
                    (&parts.stm.pattern[n_reduced..], &body.result[n_scanned + n_reduced..]);
                this.store_scanned(arrays, &parts.op.space, scanned, further, parts.post, parts.stm.span)?;
                this.accumulate_all(parts.reduces, &accs, &body.result[n_scanned..n_scanned + n_reduced])?;
                // The carries change last, because a group in which a check fails runs again from its start.
                carries.iter().zip(&next).for_each(|(carry, next)| this.set_all(carry, next));
                Ok(())
            })
        })?;
        self.finish_all(parts.reduces, &accs, how)
    }

    /// Scans one group of lanes.
    fn scan_group(&mut self, scan: &'a Scan, carry: &[Reg], values: &[Value]) -> Lowered<Group> {
        let carried: Vec<Value> = carry.iter().map(|&reg| Value::Uniform(reg.into())).collect();
        let width = self.width();
        if width == 1 {
            let next = self.apply(&scan.op, &[carried.clone(), values.to_vec()].concat())?;
            return Ok(Group { results: if scan.exclusive { carried } else { next.clone() }, next });
        }
        if scans_in_order(&scan.op) {
            return self.scan_lanes(scan, carry, values);
        }
        let mut locals = self.or_neutral(&scan.neutral, values);
        let neutrals = self.neutral_vectors(&scan.neutral);
        let mut step = 1;
        while step < width {
            let shifted = self.shifted(&locals, &neutrals, step);
            let args: Vec<Value> = shifted.iter().chain(&locals).map(|&reg| Value::Varying(reg)).collect();
            let sums = self.apply_at(&scan.op, width, &args)?;
            locals = sums.into_iter().map(|value| self.vector_reg(value)).collect();
            step *= 2;
        }
        let own = if scan.exclusive { self.shifted(&locals, &neutrals, 1) } else { locals.clone() };
        let args = [carried.clone(), own.into_iter().map(Value::Varying).collect()].concat();
        let results = self.apply_at(&scan.op, width, &args)?;
        let mut lasts = Vec::new();
        for &local in &locals {
            let dst = self.code.reg("last", ImpType::scalar(self.code.regs[local].ty.scalar));
            let lane = Operand::i64(i64::from(width) - 1);
            self.code.emit(Op::Extract { dst, x: local.into(), lane });
            lasts.push(Value::Uniform(dst.into()));
        }
        let next = self.apply_at(&scan.op, 1, &[carried, lasts].concat())?;
        Ok(Group { results, next })
    }

    fn neutral_vectors(&mut self, neutral: &[CoreOperand]) -> Vec<Reg> {
        let values = self.values(neutral);
        values.into_iter().map(|value| self.vector_reg(value)).collect()
    }

    /// Shifts vectors up by some lanes, filling with neutral elements.
    fn shifted(&mut self, vectors: &[Reg], neutrals: &[Reg], by: u16) -> Vec<Reg> {
        let width = self.width();
        let lanes: Vec<u16> = (0..width).map(|lane| if lane < by { width } else { lane - by }).collect();
        let mut shifted = Vec::new();
        for (&x, &y) in vectors.iter().zip(neutrals) {
            let dst = self.code.reg("shifted", self.code.regs[x].ty);
            self.code.emit(Op::Shuffle { dst, x: x.into(), y: y.into(), lanes: lanes.clone() });
            shifted.push(dst);
        }
        shifted
    }

    /// Lowers a scan in lanes within a task.
    pub fn inner_scan(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        let Some(parts) = Parts::of(stm, op) else { return self.limit(stm.span, "no scan") };
        let how = self.plan_lanes(op, Work::Scan);
        let to = self.uniform(parts.last().extent, stm.span)?;
        let carries = self.start_carries(&parts)?;
        let totals = self.scan_range(&parts, &how, (Operand::i64(0), to), None, &carries)?;
        self.store_reductions(stm, op, totals)
    }
}

/// The results of scanning a group of lanes.
pub(super) struct Group {
    /// Prefixes of the lanes.
    pub results: Vec<Value>,
    /// Carries for the next group.
    pub next: Vec<Value>,
}

/// Returns whether a variable is bound by a statement of a body, and so has a value of its own for each element.
fn computes(body: &Body, var: Var) -> bool {
    body.stms.iter().any(|stm| stm.pattern.contains(&var))
}

/// Returns the kind of work of the first pass. It only reduces, so several vectors hide the latency of a commutative operator.
fn totalling_work(scans: &[Scan]) -> Work {
    match scans.iter().all(|scan| componentwise(&scan.op)) {
        true => Work::Reduce(scans.iter().map(|scan| scan.neutral.len()).sum()),
        false => Work::Scan,
    }
}

/// Returns the number of elements of a block: it fits the cache twice, and is enough work for a task.
fn scan_block(op: &SegOp) -> i64 {
    let cost = cost::static_cost(&op.body, 1000).max(8);
    let values = op.body.result.iter().filter(|x| matches!(x, CoreOperand::Var(_))).count().max(1) as i64;
    let size = (BLOCK_COST / cost / values).clamp(16, 1 << 15) as u64;
    size.next_power_of_two() as i64
}

/// Returns whether every value of the scans is a scalar.
pub(super) fn scans_scalars(function: &warpwise_ir::Function, scans: &[Scan]) -> bool {
    let params = scans.iter().flat_map(|scan| &scan.op.params);
    params.into_iter().all(|&param| matches!(function.ty(param), Type::Scalar(_)))
}
