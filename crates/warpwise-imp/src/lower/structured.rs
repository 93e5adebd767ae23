//! Structured control flow: blocks of code that are closed by the function that opens them.

use crate::lower::emitter::Emitter;
use crate::op::{Block, Op};
use crate::types::{Operand, Reg};

impl Emitter<'_> {
    /// Returns the operations that `fill` emits, as a block, and its result.
    pub fn block_of<R>(&mut self, fill: impl FnOnce(&mut Self) -> R) -> (Block, R) {
        self.code.open();
        let result = fill(self);
        (self.code.close(), result)
    }

    /// Emits the operations of `fill` under a condition.
    pub fn when<R>(&mut self, cond: Operand, fill: impl FnOnce(&mut Self) -> R) -> R {
        let (then_block, result) = self.block_of(fill);
        self.code.emit(Op::If { cond, then_block, else_block: Block::new() });
        result
    }

    /// Emits a branch between the operations of two functions.
    pub fn choose<R, S>(
        &mut self,
        cond: Operand,
        fill_then: impl FnOnce(&mut Self) -> R,
        fill_else: impl FnOnce(&mut Self) -> S,
    ) -> (R, S) {
        let (then_block, then_result) = self.block_of(fill_then);
        let (else_block, else_result) = self.block_of(fill_else);
        self.code.emit(Op::If { cond, then_block, else_block });
        (then_result, else_result)
    }

    /// Emits a branch on a condition; `fill` emits both sides, each with the condition's value.
    pub fn either<R>(&mut self, cond: Operand, mut fill: impl FnMut(&mut Self, bool) -> R) -> [R; 2] {
        let (then_block, then_result) = self.block_of(|this| fill(this, true));
        let (else_block, else_result) = self.block_of(|this| fill(this, false));
        self.code.emit(Op::If { cond, then_block, else_block });
        [then_result, else_result]
    }

    /// Emits a loop that runs the operations of `fill` as long as the condition that `test` emits holds.
    pub fn repeat_while<R>(
        &mut self,
        test: impl FnOnce(&mut Self) -> Operand,
        fill: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let (test, cond) = self.block_of(test);
        let (body, result) = self.block_of(fill);
        self.code.emit(Op::While { test, cond, body });
        result
    }

    /// Emits a loop that runs the operations of `fill` while `index` counts up from one bound to another.
    pub fn count_up<R>(
        &mut self,
        index: Reg,
        (from, to): (Operand, Operand),
        step: i64,
        fill: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let (body, result) = self.block_of(fill);
        self.code.emit(Op::For { index, from, to, step, body });
        result
    }
}
