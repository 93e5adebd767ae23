//! Filters and partitions: one pass over memory, by blocks with look-back.
//!
//! A unit runs the body once over its block and compresses the kept elements into the arena, class by class. Then it waits for the
//! counts of the preceding blocks, publishes its own sums for the next one, and copies the kept elements to their final places:
//!
//! ```text
//! for each group of lanes { kept[class] compressed at count[class]; count[class] += members }
//! if unit > 0 { wait flag[unit-1]; before = sums[unit-1] } else { before = 0 }
//! sums[unit] = before + count; set flag[unit]
//! result[class][before ..] = kept[class]
//! ```
//!
//! Result arrays occupy blocks for as many elements as there are inputs; only a prefix is valid.

use warpwise_ir::{Mapping, SegOp, Stm};
use warpwise_prim::{BinaryOp, ScalarType};

use crate::lower::blocks::{Cut, Unit};
use crate::lower::cost::{self, Work};
use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Value};
use crate::lower::kernels::{Built, Make};
use crate::lower::lanes::LaneLoop;
use crate::lower::packed::Packed;
use crate::lower::segs::UNKNOWN_TRIPS;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// Target cost of a block, in operations.
const BLOCK_COST: i64 = 1 << 20;

/// Maximum size of a block in bytes: its kept elements should stay in the second-level cache. Smaller blocks are slower, since a
/// core switches from reading to writing between any two of them.
const BLOCK_BYTES: i64 = 512 << 10;

/// Size of a cache line, in bytes; only whole lines are stored past the caches.
const CACHE_LINE: i64 = 64;

impl<'a> Emitter<'a> {
    /// Returns whether the results of every point are scalars.
    pub fn results_are_scalars(&self, op: &SegOp) -> bool {
        op.body.result.iter().all(|&x| !self.is_array_operand(x))
    }

    /// Launches a partition of host code.
    pub fn launch_partition(&mut self, stm: &'a Stm, op: &'a SegOp, classes: usize) -> Lowered<()> {
        let block = BLOCK_COST / cost::static_cost(&op.body, 1000).max(8);
        let block = block.min(BLOCK_BYTES / self.result_bytes(op).max(1)).max(16) as u64;
        let cut = self.cut(&op.space, block.next_power_of_two() as i64, stm.span)?;
        let flags = self.flags(&cut);
        let sums = self.unit_values(&cut, &vec![ScalarType::I64; classes]);
        let built = self.build_partition(stm, op, classes, &cut, (flags, &sums), false)?;
        let past = self
            .streams(op, UNKNOWN_TRIPS)
            .then(|| self.build_partition(stm, op, classes, &cut, (flags, &sums), true));
        let element = self.host_cost(&op.body);
        let cost = self.block_cost(&cut, element);
        let bytes = self.code.mul(cut.extent, Operand::i64(self.result_bytes(op)));
        self.launch_by_size((built, past.and_then(Result::ok)), bytes, &mut |this, built| {
            this.launch_in_order(built, &cut, cost);
        });
        let last = self.code.sub(cut.blocks, Operand::i64(1));
        for (&mem, &size) in sums.iter().zip(&stm.pattern) {
            let total = self.code.load("size", ScalarType::I64, mem, last);
            self.bind_uniform(size, total);
        }
        self.release_locals(sums);
        self.release_locals(vec![flags]);
        Ok(())
    }

    fn build_partition(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        classes: usize,
        cut: &Cut,
        (flags, sums): (Mem, &[Mem]),
        past: bool,
    ) -> Lowered<Built> {
        let make: Make = &|kernel, lo, hi| {
            let flags = kernel.mem_param("flags", flags, None);
            let sums: Vec<Mem> = sums.iter().map(|&mem| kernel.mem_param("sums", mem, None)).collect();
            let cut = kernel.cut_param(cut);
            let mut how = kernel.plan_lanes(op, Work::Scan);
            if op.space.iter().all(|dim| dim.mapping != Mapping::TaskLane) {
                how.width = 1;
            }
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let unit = kernel.unit(&cut, &[], unit, stm.span)?;
                let mark = kernel.code.int_reg("mark");
                kernel.code.emit(Op::ArenaMark { dst: mark });
                let how = LaneLoop { counted: Some(unit.counted), ..how.clone() };
                let kept = kernel.compress(op, classes, &cut, &unit, &how)?;
                let before = kernel.hand_on(&unit, flags, &sums, &kept)?;
                kernel.with_ahead(None, &mut |kernel| kernel.copy_kept(stm, classes, &kept, &before))?;
                kernel.code.emit(Op::ArenaReset { mark: mark.into() });
                Ok(())
            })
        };
        match past {
            true => self.build_streaming("partition_past", stm.span, make),
            false => self.build("partition", stm.span, make),
        }
    }

    /// Compresses the elements of a block into the arena, class by class.
    fn compress(
        &mut self,
        op: &'a SegOp,
        classes: usize,
        cut: &Cut,
        unit: &Unit,
        how: &LaneLoop,
    ) -> Lowered<Vec<Packed>> {
        let values = &op.body.result[classes..];
        let elem = |value: &_| self.cx.function.operand_type(*value).as_scalar().unwrap_or(ScalarType::Bool);
        let elems: Vec<ScalarType> = values.iter().map(elem).collect();
        let capacity = cut.block + i64::from(how.width);
        let kept: Vec<Packed> = (0..classes).map(|_| self.pack_room(&elems, capacity)).collect();
        let last = op.space.last().expect("a space has dimensions").index;
        self.lane_loop(how, unit.from, unit.to, &mut |this, index| {
            this.bind(last, index);
            this.with_arena(&[&op.body], |this| {
                this.stms(&op.body)?;
                let conds = this.values(&op.body.result[..classes]);
                let values = this.values(values);
                let mut free = Value::constant(true.into());
                for (&cond, class) in conds.iter().zip(&kept) {
                    let joins = this.and(cond, free);
                    this.pack(class, joins, &values)?;
                    let not = this.unary(warpwise_prim::UnaryOp::Not, cond);
                    free = this.and(free, not);
                }
                Ok(())
            })
        })?;
        Ok(kept)
    }

    /// Computes the number of elements of each class before a unit, and publishes the sums for the next unit.
    fn hand_on(&mut self, unit: &Unit, flags: Mem, sums: &[Mem], kept: &[Packed]) -> Lowered<Vec<Reg>> {
        let mut before = Vec::new();
        for _ in kept {
            before.push(self.code.copy("before", Operand::i64(0)));
        }
        self.unless_first(unit, &mut |this| {
            let previous = this.await_previous(flags, unit);
            for (&reg, &mem) in before.iter().zip(sums) {
                let sum = this.code.load("sum", ScalarType::I64, mem, previous);
                this.code.set(reg, sum);
            }
            Ok(())
        })?;
        for ((&reg, &mem), class) in before.iter().zip(sums).zip(kept) {
            let sum = self.code.add(reg, class.count);
            self.code.store(ScalarType::I64, mem, unit.unit, sum);
        }
        self.code.emit(Op::SetFlag { mem: flags, index: unit.unit.into() });
        Ok(before)
    }

    /// Copies the kept elements of a unit to the results.
    fn copy_kept(&mut self, stm: &'a Stm, classes: usize, kept: &[Packed], before: &[Reg]) -> Lowered<()> {
        let mut arrays = stm.pattern[classes..].iter();
        for (class, &before) in kept.iter().zip(before) {
            for (&(mem, elem), &array) in class.values.iter().zip(arrays.by_ref()) {
                let dest = self.view(array, stm.span)?;
                let width = if self.scalar_only { 1 } else { 2 * self.cx.target.lanes(elem).max(1) };
                let how = LaneLoop::simple(width);
                let mut copy = |this: &mut Self, index| {
                    let value = this.load_at(BlockBinding::of(mem), elem, index);
                    let place = this.binary(BinaryOp::Add, index, Value::Uniform(before.into()));
                    this.store(&dest, &[place], value);
                    Ok(())
                };
                let count: Operand = class.count.into();
                let mut from = Operand::i64(0);
                if self.streaming {
                    from = self.unaligned(before, elem, count);
                    self.lane_loop(&how, Operand::i64(0), from, &mut copy)?;
                }
                self.lane_loop(&how, from, count, &mut copy)?;
            }
        }
        Ok(())
    }

    /// Returns the number of elements from `start` on up to the next cache line, at most `count`.
    fn unaligned(&mut self, start: Reg, elem: ScalarType, count: Operand) -> Operand {
        let line = CACHE_LINE / elem.bytes() as i64;
        let negated = self.code.sub(Operand::i64(0), start);
        let rest = self.code.binary(BinaryOp::And, negated, Operand::i64(line - 1));
        self.code.binary(BinaryOp::SMin, rest, count)
    }
}
