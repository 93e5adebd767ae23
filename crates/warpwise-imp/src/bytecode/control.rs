//! Translation of structured control flow to jumps.

use warpwise_diag::Bug;
use warpwise_prim::{BinaryOp, CompareOp, Scalar};
use warpwise_runtime::machine::{Instr, Target};

use super::{Translator, reg};
use crate::op::{Block, Op};
use crate::ops;
use crate::types::{Operand, Reg};

/// Target of a jump that is not known yet.
const UNKNOWN: Target = Target::MAX;

/// Puts code in front of other code, whose jump targets are adjusted.
pub fn prepend(mut first: Vec<Instr>, mut rest: Vec<Instr>) -> Vec<Instr> {
    let moved = first.len() as Target;
    for instr in &mut rest {
        if let Instr::Jump { target } | Instr::JumpUnless { target, .. } = instr {
            *target += moved;
        }
    }
    first.append(&mut rest);
    first.push(Instr::Return);
    first
}

impl Translator<'_> {
    /// Translates an operation that contains blocks or leaves one.
    pub(super) fn control(&mut self, op: &Op) -> Result<(), Bug> {
        match op {
            Op::If { cond, then_block, else_block } => self.choice(*cond, then_block, else_block),
            Op::For { index, from, to, step, body } => self.counted(*index, *from, *to, *step, body),
            Op::While { test, cond, body } => {
                let start = self.here();
                self.block(test)?;
                let exit = self.jump_unless(*cond);
                self.block(body)?;
                self.code.push(Instr::Jump { target: start });
                self.aim(exit);
                Ok(())
            }
            Op::Scope { label, body } => {
                self.block(body)?;
                let (here, label) = (self.leaves.len(), *label);
                for at in (0..here).rev().filter(|&at| self.leaves[at].0 == label).collect::<Vec<_>>() {
                    let (_, jump) = self.leaves.remove(at);
                    self.aim(jump);
                }
                Ok(())
            }
            Op::Leave { label } => {
                let jump = self.jump();
                self.leaves.push((*label, jump));
                Ok(())
            }
            other @ ops!(value, lane, access, SetMem, arena, Fail, flag, group, host) => {
                Err(self.kernel_only(other))
            }
        }
    }

    fn choice(&mut self, cond: Operand, then_block: &Block, else_block: &Block) -> Result<(), Bug> {
        let to_else = self.jump_unless(cond);
        self.block(then_block)?;
        if else_block.is_empty() {
            self.aim(to_else);
            return Ok(());
        }
        let to_end = self.jump();
        self.aim(to_else);
        self.block(else_block)?;
        self.aim(to_end);
        Ok(())
    }

    fn counted(
        &mut self,
        index: Reg,
        from: Operand,
        to: Operand,
        step: i64,
        body: &Block,
    ) -> Result<(), Bug> {
        let ty = self.ty(Operand::Reg(index));
        let step = self.operand(Operand::Const(Scalar::int(ty, step)));
        // The bound is read once: the body may overwrite its register.
        let bound = self.temporary();
        let x = self.operand(to);
        self.code.push(Instr::Move { dst: bound, x });
        let x = self.operand(from);
        self.code.push(Instr::Move { dst: reg(index), x });
        let inside = self.temporary();
        let start = self.here();
        let op = CompareOp::SLt;
        self.code.push(Instr::Compare { dst: inside, op, ty, x: reg(index), y: bound });
        let exit = self.code.len();
        self.code.push(Instr::JumpUnless { cond: inside, target: UNKNOWN });
        self.block(body)?;
        self.code.push(Instr::Binary { dst: reg(index), op: BinaryOp::Add, ty, x: reg(index), y: step });
        self.code.push(Instr::Jump { target: start });
        self.aim(exit);
        Ok(())
    }

    fn here(&self) -> Target {
        self.code.len() as Target
    }

    /// Emits a jump to be aimed later.
    fn jump(&mut self) -> usize {
        self.code.push(Instr::Jump { target: UNKNOWN });
        self.code.len() - 1
    }

    fn jump_unless(&mut self, cond: Operand) -> usize {
        let cond = self.operand(cond);
        self.code.push(Instr::JumpUnless { cond, target: UNKNOWN });
        self.code.len() - 1
    }

    /// Aims a jump at the next instruction.
    fn aim(&mut self, jump: usize) {
        let here = self.here();
        let (Instr::Jump { target } | Instr::JumpUnless { target, .. }) = &mut self.code[jump] else {
            unreachable!("no jump at {jump}")
        };
        *target = here;
    }
}
