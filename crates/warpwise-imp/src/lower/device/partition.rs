//! Partitions in three launches: counts of the elements that each block keeps, prefixes of blocks, and the elements' final places.
//!
//! ```text
//! count:     members[unit][class] = elements of the block that join the class
//! prefixes:  before[unit] = sums over the blocks before it; the last is an empty block, so that it holds the sizes
//! place:     result[class][before + nth member] = value
//! ```
//!
//! Each work-item processes a block. This method serves partitions on processors ([`Scanning`](crate::lower::Scanning)), and
//! partitions whose body allocates memory or that have many classes; all other partitions use `tiles`.
//!
//! The body runs twice. Result arrays occupy blocks for as many elements as there are inputs; only a prefix is valid.

use warpwise_ir::{SegOp, Stm};
use warpwise_prim::{ScalarType, UnaryOp};
use warpwise_runtime::machine::Schedule;

use crate::lower::blocks::Cut;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::{Built, Range};
use crate::types::{Mem, Operand, Reg};

/// Number of elements of a block.
const BLOCK: i64 = 256;

impl<'a> Emitter<'a> {
    /// Launches a partition.
    pub fn device_partition(&mut self, stm: &'a Stm, op: &'a SegOp, classes: usize) -> Lowered<()> {
        let cut = self.cut(&op.space, BLOCK, stm.span)?;
        let bytes = self.code.add(cut.units, Operand::i64(1));
        let bytes = self.code.mul(bytes, Operand::i64(8));
        let counts: Vec<Mem> = (0..classes).map(|_| self.alloc("members", bytes)).collect();
        let element = self.host_cost(&op.body);
        let cost = self.block_cost(&cut, element);
        let range = Range { extent: cut.units, schedule: Schedule::Static, cost };
        let counting = self.build_members(stm, op, &cut, &counts, false)?;
        self.launch(counting, range);
        self.launch_sums(stm, &cut, &counts)?;
        let placing = self.build_members(stm, op, &cut, &counts, true)?;
        self.launch(placing, range);
        for (&mem, &size) in counts.iter().zip(&stm.pattern) {
            let total = self.code.load("size", ScalarType::I64, mem, cut.units);
            self.bind_uniform(size, total);
        }
        self.release_locals(counts);
        Ok(())
    }

    /// Builds the kernel that counts the kept elements of every block, or stores them at their final places.
    fn build_members(
        &self,
        stm: &'a Stm,
        op: &'a SegOp,
        cut: &Cut,
        counts: &[Mem],
        placing: bool,
    ) -> Lowered<Built> {
        let last = op.space.last().expect("a space has dimensions");
        self.build(if placing { "place" } else { "count" }, stm.span, &|kernel, lo, hi| {
            let counts: Vec<Mem> = counts.iter().map(|&mem| kernel.mem_param("members", mem, None)).collect();
            let cut = kernel.cut_param(cut);
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let unit = kernel.unit(&cut, &[], unit, stm.span)?;
                let mut places = Vec::new();
                for &mem in &counts {
                    places.push(if placing {
                        let before = kernel.code.load("before", ScalarType::I64, mem, unit.unit);
                        kernel.code.copy("place", before)
                    } else {
                        kernel.code.copy("count", Operand::i64(0))
                    });
                }
                kernel.each_of_unit(last, &unit, &mut |kernel| {
                    kernel.stms(&op.body)?;
                    kernel.join_classes(stm, op, &places, placing)
                })?;
                for (&mem, &place) in counts.iter().zip(&places).filter(|_| !placing) {
                    kernel.code.store(ScalarType::I64, mem, unit.unit, place);
                }
                Ok(())
            })
        })
    }

    /// Counts an element for the first class it joins, and stores it there if `placing`.
    fn join_classes(&mut self, stm: &'a Stm, op: &'a SegOp, places: &[Reg], placing: bool) -> Lowered<()> {
        let classes = places.len();
        let values = &op.body.result[classes..];
        let arrays = &stm.pattern[classes..];
        let conds = self.values(&op.body.result[..classes]);
        let mut free = Value::constant(true.into());
        for (class, (&cond, &place)) in conds.iter().zip(places).enumerate() {
            let joins = self.and(cond, free);
            let dests = &arrays[class * values.len()..(class + 1) * values.len()];
            self.guarded(joins, &mut |this| {
                for (&dest, &value) in dests.iter().zip(values).filter(|_| placing) {
                    let view = this.view(dest, stm.span)?;
                    let value = this.value(value);
                    this.store(&view, &[Value::Uniform(place.into())], value);
                }
                let next = this.code.add(place, Operand::i64(1));
                this.code.set(place, next);
                Ok(())
            })?;
            let not = self.unary(UnaryOp::Not, cond);
            free = self.and(free, not);
        }
        Ok(())
    }

    /// Replaces the counts of blocks by the sums over the preceding blocks; the total is stored after the last block.
    fn launch_sums(&mut self, stm: &'a Stm, cut: &Cut, counts: &[Mem]) -> Lowered<()> {
        let built = self.build("sums", stm.span, &|kernel, lo, hi| {
            let counts: Vec<Mem> = counts.iter().map(|&mem| kernel.mem_param("members", mem, None)).collect();
            let units = kernel.param_for(cut.units);
            kernel.for_units((lo, hi), &mut |kernel, _| {
                for &mem in &counts {
                    let sum = kernel.code.copy("sum", Operand::i64(0));
                    let unit = kernel.code.int_reg("unit");
                    kernel.count_up(unit, (Operand::i64(0), units), 1, |kernel| {
                        let count = kernel.code.load("count", ScalarType::I64, mem, unit);
                        kernel.code.store(ScalarType::I64, mem, unit, sum);
                        let next = kernel.code.add(sum, count);
                        kernel.code.set(sum, next);
                    });
                    kernel.code.store(ScalarType::I64, mem, units, sum);
                }
                Ok(())
            })
        })?;
        let range = Range { extent: Operand::i64(1), schedule: Schedule::Static, cost: cut.units };
        self.launch(built, range);
        Ok(())
    }
}
