//! Scans in three launches: totals of blocks, prefixes of blocks, and the scan of every block from its prefix.
//!
//! ```text
//! totals:    total[unit] = reduce block
//! prefixes:  before[unit] = op over the totals of the blocks before it in its segment
//! scan:      carry = before[unit]; for each element { carry = op(carry, element); result = carry }
//! ```
//!
//! Each work-item processes a block. This method serves scans on processors ([`Scanning`](crate::lower::Scanning)), and scans
//! whose body or operator allocates memory or whose operator may fail; all other scans use `tiles`.
//!
//! The body runs twice for all but the last block of a segment. Reductions fused into the scan leave partial results in the last
//! launch, which are combined like those of other reductions.

use warpwise_ir::{Lambda, Reduce, Scan, SegDim, SegKind, SegOp, Stm};
use warpwise_prim::ScalarType;
use warpwise_runtime::machine::Schedule;

use super::prefixes::Operator;
use crate::lower::blocks::{Cut, Unit};
use crate::lower::cost;
use crate::lower::emitter::{Emitter, Failing, Lowered, Value};
use crate::lower::kernels::{Built, Range};
use crate::types::{Mem, Operand, Reg};

/// Number of elements of a block.
const BLOCK: i64 = 256;

/// The parts of a segmented scan.
#[derive(Clone, Copy)]
struct Parts<'a> {
    stm: &'a Stm,
    op: &'a SegOp,
    scans: &'a [Scan],
    reduces: &'a [Reduce],
    post: Option<&'a Lambda>,
}

impl<'a> Emitter<'a> {
    /// Launches a scan.
    pub fn device_scan(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        let SegKind::Scan { scans, reduces, post } = &op.kind else { return self.limit(stm.span, "no scan") };
        let parts = Parts { stm, op, scans, reduces, post: post.as_ref() };
        let cut = self.cut(&op.space, BLOCK, stm.span)?;
        let mut operators = Vec::new();
        for scan in scans {
            let types: Vec<ScalarType> =
                scan.op.params[..scan.neutral.len()].iter().map(|&param| self.elem(param)).collect();
            let units = self.unit_values(&cut, &types);
            operators.push(Operator { op: &scan.op, neutral: &scan.neutral, units });
        }
        let types = self.reduced_types(reduces);
        let partials = self.unit_values(&cut, &types);
        let mut cost = self.host_cost(&op.body);
        for lambda in cost::lambdas(&op.kind) {
            let more = self.host_cost(&lambda.body);
            cost = self.code.add(cost, more);
        }
        let range =
            Range { extent: cut.units, schedule: Schedule::Static, cost: self.block_cost(&cut, cost) };
        let totals = self.build_totals(&parts, &cut, &operators)?;
        self.launch(totals, range);
        self.launch_prefixes(&operators, &cut, stm.span)?;
        let built = self.build_blocks(&parts, &cut, &operators, &partials)?;
        self.launch(built, range);
        for operator in operators {
            self.release_locals(operator.units);
        }
        self.launch_combination(stm, op, reduces, &cut, &partials)
    }

    /// Builds the kernel that reduces the scans' inputs of every block.
    fn build_totals(&self, parts: &Parts<'a>, cut: &Cut, operators: &[Operator<'a>]) -> Lowered<Built> {
        let parts = *parts;
        let (last, outer) = parts.op.space.split_last().expect("a space has dimensions");
        self.build("totals", parts.stm.span, &|kernel, lo, hi| {
            let units = unit_params(kernel, operators);
            let cut = kernel.cut_param(cut);
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let unit = kernel.unit(&cut, outer, unit, parts.stm.span)?;
                let totals = kernel.carries(&parts)?;
                kernel.unless_last(&cut, &unit, &mut |kernel| {
                    kernel.each_of_unit(last, &unit, &mut |kernel| {
                        kernel.stms(&parts.op.body)?;
                        kernel.scan_step(&parts, &totals).map(drop)
                    })
                })?;
                for (mems, totals) in units.iter().zip(&totals) {
                    store_regs(kernel, mems, totals, &unit);
                }
                Ok(())
            })
        })
    }

    /// Builds the kernel that scans every block.
    fn build_blocks(
        &self,
        parts: &Parts<'a>,
        cut: &Cut,
        operators: &[Operator<'a>],
        partials: &[Mem],
    ) -> Lowered<Built> {
        let parts = *parts;
        let (last, outer) = parts.op.space.split_last().expect("a space has dimensions");
        let n_scanned: usize = parts.scans.iter().map(|scan| scan.neutral.len()).sum();
        let n_reduced: usize = parts.reduces.iter().map(|reduce| reduce.neutral.len()).sum();
        self.build("scan", parts.stm.span, &|kernel, lo, hi| {
            let units = unit_params(kernel, operators);
            let partials: Vec<Mem> =
                partials.iter().map(|&mem| kernel.mem_param("partials", mem, None)).collect();
            let cut = kernel.cut_param(cut);
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                let unit = kernel.unit(&cut, outer, unit, parts.stm.span)?;
                let carries = kernel.carries(&parts)?;
                for (mems, carry) in units.iter().zip(&carries) {
                    for (&mem, &reg) in mems.iter().zip(carry) {
                        let elem = kernel.code.regs[reg].ty.scalar;
                        let before = kernel.code.load("before", elem, mem, unit.unit);
                        kernel.code.set(reg, before);
                    }
                }
                let accs = kernel.start_all(parts.reduces, 1)?;
                kernel.each_of_unit(last, &unit, &mut |kernel| {
                    let result = &parts.op.body.result;
                    kernel.stms(&parts.op.body)?;
                    let scanned = kernel.scan_step(&parts, &carries)?;
                    let (arrays, further) =
                        (&parts.stm.pattern[n_reduced..], &result[n_scanned + n_reduced..]);
                    kernel.store_scanned(
                        arrays,
                        &parts.op.space,
                        scanned,
                        further,
                        parts.post,
                        parts.stm.span,
                    )?;
                    kernel.accumulate_all(parts.reduces, &accs, &result[n_scanned..n_scanned + n_reduced])
                })?;
                let totals =
                    kernel.finish_all(parts.reduces, &accs, &crate::lower::lanes::LaneLoop::simple(1))?;
                kernel.store_totals(&partials, unit.unit.into(), &totals)
            })
        })
    }

    /// Sets registers for the scans' carries to the neutral elements.
    fn carries(&mut self, parts: &Parts<'a>) -> Lowered<Vec<Vec<Reg>>> {
        parts.scans.iter().map(|scan| self.neutral_regs(&scan.neutral, parts.stm.span)).collect()
    }

    /// Advances the carries by one element; returns the scanned values of the element.
    fn scan_step(&mut self, parts: &Parts<'a>, carries: &[Vec<Reg>]) -> Lowered<Vec<Value>> {
        let mut taken = 0;
        let mut scanned = Vec::new();
        for (scan, carry) in parts.scans.iter().zip(carries) {
            let inputs = self.values(&parts.op.body.result[taken..taken + carry.len()]);
            taken += carry.len();
            let before: Vec<Value> =
                carry.iter().map(|&reg| Value::Uniform(self.code.copy("before", reg).into())).collect();
            self.advance(&scan.op, carry, &inputs)?;
            let after = carry.iter().map(|&reg| Value::Uniform(self.code.copy("after", reg).into()));
            scanned.extend(if scan.exclusive { before } else { after.collect() });
        }
        Ok(scanned)
    }

    /// Emits `body` for every element of a unit, in order.
    pub fn each_of_unit(
        &mut self,
        last: &SegDim,
        unit: &Unit,
        body: super::points::Inside<'_, 'a>,
    ) -> Lowered<()> {
        let exit = self.code.label();
        let saved = self.failing;
        let index = self.code.int_reg("j");
        let (block, done) = self.block_of(|this| {
            this.count_up(index, (unit.from, unit.to), 1, |this| {
                let iteration = this.code.add(unit.counted, index);
                this.failing = Some(Failing::of(iteration, exit));
                this.bind_uniform(last.index, index);
                let done = this.in_own_arena(body);
                this.failing = saved;
                done
            })
        });
        self.scope_if_left(exit, block);
        done
    }
}

/// Passes the units' values to a kernel.
fn unit_params(kernel: &mut Emitter, operators: &[Operator]) -> Vec<Vec<Mem>> {
    let params = |operator: &Operator| {
        operator.units.iter().map(|&mem| kernel.mem_param("units", mem, None)).collect()
    };
    operators.iter().map(params).collect()
}

/// Stores the contents of registers as the values of a unit.
fn store_regs(kernel: &mut Emitter, mems: &[Mem], regs: &[Reg], unit: &Unit) {
    for (&mem, &reg) in mems.iter().zip(regs) {
        let elem = kernel.code.regs[reg].ty.scalar;
        kernel.code.store(elem, mem, unit.unit, Operand::Reg(reg));
    }
}
