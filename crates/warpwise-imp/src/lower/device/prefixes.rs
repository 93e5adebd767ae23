//! The prefix of each block of a segment: one work-item processes the blocks of a segment in order.
//!
//! ```text
//! for each segment { carry = neutral; for each block { total = units[block]; units[block] = carry; carry = op(carry, total) } }
//! ```

use warpwise_diag::Span;
use warpwise_ir::{Lambda, Operand as CoreOperand, Reduce};
use warpwise_prim::{CompareOp, ScalarType};
use warpwise_runtime::machine::Schedule;

use crate::lower::blocks::Cut;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::in_order::in_order;
use crate::lower::kernels::Range;
use crate::types::{Mem, Operand, Reg};

/// The operator that combines the totals of blocks.
pub(in crate::lower) struct Operator<'a> {
    /// The operator.
    pub op: &'a Lambda,
    /// Its neutral element.
    pub neutral: &'a [CoreOperand],
    /// For each value, memory with one total for each unit.
    pub units: Vec<Mem>,
}

impl<'a> Emitter<'a> {
    /// Launches the kernel that replaces the total of each block by its prefix. Host code.
    pub fn launch_prefixes(&mut self, operators: &[Operator<'a>], cut: &Cut, span: Span) -> Lowered<()> {
        let built = self.build("prefixes", span, &|kernel, lo, hi| {
            let mut carried = Vec::new();
            for operator in operators {
                let mems: Vec<Mem> =
                    operator.units.iter().map(|&mem| kernel.mem_param("units", mem, None)).collect();
                carried.push((operator.op, operator.neutral, mems));
            }
            let blocks = kernel.param_for(cut.blocks);
            kernel.for_units((lo, hi), &mut |kernel, segment| {
                let first = kernel.code.mul(segment, blocks);
                let end = kernel.code.add(first, blocks);
                kernel.counted_as(segment.into(), &mut |kernel| {
                    for (op, neutral, mems) in &carried {
                        kernel.prefixes_of(op, neutral, mems, (first, end), span)?;
                    }
                    Ok(())
                })
            })
        })?;
        let range = Range { extent: cut.segments, schedule: Schedule::Static, cost: cut.blocks };
        self.launch(built, range);
        Ok(())
    }

    /// Sets registers to the neutral elements.
    pub fn neutral_regs(&mut self, neutral: &[CoreOperand], span: Span) -> Lowered<Vec<Reg>> {
        let mut regs = Vec::new();
        for &neutral in neutral {
            let x = self.uniform(neutral, span)?;
            regs.push(self.code.copy("carry", x));
        }
        Ok(regs)
    }

    /// Folds an element's values, in the order of the reductions, into the registers of each reduction.
    pub fn fold_element(
        &mut self,
        reduces: &'a [Reduce],
        folded: &[Vec<Reg>],
        inputs: &[CoreOperand],
    ) -> Lowered<()> {
        let mut inputs = inputs;
        for (reduce, accs) in reduces.iter().zip(folded) {
            let (own, rest) = inputs.split_at(accs.len());
            inputs = rest;
            let values = self.values(own);
            self.advance(&reduce.op, accs, &values)?;
        }
        Ok(())
    }

    /// Applies an operator to the contents of registers and to values, and stores the result in the registers.
    pub fn advance(&mut self, op: &'a Lambda, carry: &[Reg], values: &[Value]) -> Lowered<()> {
        let args: Vec<Value> =
            carry.iter().map(|&reg| Value::Uniform(reg.into())).chain(values.iter().copied()).collect();
        let next = self.apply(op, &args)?;
        self.set_all(carry, &next);
        Ok(())
    }

    fn prefixes_of(
        &mut self,
        op: &'a Lambda,
        neutral: &[CoreOperand],
        mems: &[Mem],
        (first, end): (Operand, Operand),
        span: Span,
    ) -> Lowered<()> {
        let carry = self.neutral_regs(neutral, span)?;
        let types: Vec<ScalarType> = carry.iter().map(|&reg| self.code.regs[reg].ty.scalar).collect();
        let block = self.code.int_reg("block");
        self.count_up(block, (first, end), 1, |this| {
            let mut totals = Vec::new();
            for ((&mem, &elem), &reg) in mems.iter().zip(&types).zip(&carry) {
                totals.push(Value::Uniform(this.code.load("total", elem, mem, block).into()));
                this.code.store(elem, mem, block, reg);
            }
            if in_order(op) {
                // No block follows the last one, which has no total.
                let next = this.code.add(block, Operand::i64(1));
                let followed = this.code.compare(CompareOp::SLt, next, end);
                this.branch_if(followed, &mut |this| this.advance(op, &carry, &totals))
            } else {
                this.advance(op, &carry, &totals)
            }
        })
    }
}
