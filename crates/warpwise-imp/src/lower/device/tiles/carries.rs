//! The values that a work-item carries from element to element: registers, their combination, and their transfer to and from
//! memories.

use warpwise_ir::Scan;
use warpwise_prim::ScalarType;

use super::{Combine, Parts};
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::types::{Mem, Operand, Reg};

impl<'a> Emitter<'a> {
    /// Sets registers to the neutral elements, for each scan.
    pub(super) fn neutral_carries(&mut self, parts: &Parts<'a>) -> Lowered<Vec<Vec<Reg>>> {
        if let Combine::Members(classes) = parts.combine {
            return Ok(vec![(0..classes).map(|_| self.code.copy("count", Operand::i64(0))).collect()]);
        }
        parts.combine.scans().iter().map(|scan| self.neutral_regs(&scan.neutral, parts.stm.span)).collect()
    }

    /// Emits `carry = op(carry, mems[at])` for every scan.
    pub(super) fn advance_all(
        &mut self,
        parts: &Parts<'a>,
        carries: &[Vec<Reg>],
        mems: &[Mem],
        at: Operand,
    ) -> Lowered<()> {
        if let Combine::Members(_) = parts.combine {
            self.add_counts(&carries[0], mems, at);
            return Ok(());
        }
        let mut taken = 0;
        for (scan, carry) in parts.combine.scans().iter().zip(carries) {
            let values = self.loaded(carry, &mems[taken..taken + carry.len()], at);
            taken += carry.len();
            self.advance(&scan.op, carry, &values)?;
        }
        Ok(())
    }

    /// Emits `carry = op(mems[at], carry)` for every scan.
    pub(super) fn precede_all(
        &mut self,
        parts: &Parts<'a>,
        carries: &[Vec<Reg>],
        mems: &[Mem],
        at: Operand,
    ) -> Lowered<()> {
        if let Combine::Members(_) = parts.combine {
            self.add_counts(&carries[0], mems, at);
            return Ok(());
        }
        let mut taken = 0;
        for (scan, carry) in parts.combine.scans().iter().zip(carries) {
            let before = self.loaded(carry, &mems[taken..taken + carry.len()], at);
            taken += carry.len();
            self.precede(scan, carry, before)?;
        }
        Ok(())
    }

    /// Emits `carry = op(before, carry)` for one scan.
    fn precede(&mut self, scan: &'a Scan, carry: &[Reg], before: Vec<Value>) -> Lowered<()> {
        let mut args = before;
        args.extend(carry.iter().map(|&reg| Value::Uniform(reg.into())));
        let next = self.apply(&scan.op, &args)?;
        self.set_all(carry, &next);
        Ok(())
    }

    /// Loads the elements of some memories at a position, with the types of the registers `like`.
    pub(in crate::lower) fn loaded(&mut self, like: &[Reg], mems: &[Mem], at: Operand) -> Vec<Value> {
        let mut values = Vec::new();
        for (&reg, &mem) in like.iter().zip(mems) {
            let elem = self.code.regs[reg].ty.scalar;
            values.push(Value::Uniform(self.code.load("x", elem, mem, at).into()));
        }
        values
    }

    pub(super) fn load_all(&mut self, carries: &[Vec<Reg>], mems: &[Mem], at: Operand) {
        for (&reg, &mem) in carries.iter().flatten().zip(mems) {
            let elem = self.code.regs[reg].ty.scalar;
            let x = self.code.load("x", elem, mem, at);
            self.code.set(reg, x);
        }
    }

    pub(super) fn store_all(&mut self, mems: &[Mem], carries: &[Vec<Reg>], at: Operand) {
        for (&reg, &mem) in carries.iter().flatten().zip(mems) {
            let elem = self.code.regs[reg].ty.scalar;
            self.code.store(elem, mem, at, reg);
        }
    }

    /// Copies the elements of some memories at a position to a position of other memories.
    pub(super) fn move_all(&mut self, to: &[Mem], to_at: Operand, from: &[Mem], from_at: Operand) {
        for (&to, &from) in to.iter().zip(from) {
            let elem = self.local_elem(from);
            let x = self.code.load("x", elem, from, from_at);
            self.code.store(elem, to, to_at, x);
        }
    }

    /// Returns the element type of an array in local memory.
    pub(super) fn local_elem(&self, mem: Mem) -> ScalarType {
        let arrays = self.group.iter().flat_map(|group| &group.local);
        arrays.into_iter().find(|array| array.mem == mem).map_or(ScalarType::I64, |array| array.elem)
    }
}
