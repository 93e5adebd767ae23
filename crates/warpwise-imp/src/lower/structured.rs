//! Structured control flow: blocks of code that are closed by the function that opened them.

use crate::lower::emitter::Emitter;
use crate::op::{Block, Op};
use crate::types::{Operand, Reg};

impl Emitter<'_> {
    /// What `fill` emits, as a block, and what it yields.
    pub fn block_of<R>(&mut self, fill: impl FnOnce(&mut Self) -> R) -> (Block, R) {
        self.code.open();
        let result = fill(self);
        (self.code.close(), result)
    }

    /// Runs what `fill` emits where a condition holds.
    pub fn when<R>(&mut self, cond: Operand, fill: impl FnOnce(&mut Self) -> R) -> R {
        let (then_block, result) = self.block_of(fill);
        self.code.emit(Op::If { cond, then_block, else_block: Block::new() });
        result
    }

    /// Runs what one of two functions emits.
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

    /// Runs what one function emits for either outcome of a condition.
    pub fn either<R>(&mut self, cond: Operand, mut fill: impl FnMut(&mut Self, bool) -> R) -> [R; 2] {
        let (then_block, then_result) = self.block_of(|this| fill(this, true));
        let (else_block, else_result) = self.block_of(|this| fill(this, false));
        self.code.emit(Op::If { cond, then_block, else_block });
        [then_result, else_result]
    }

    /// Runs what `fill` emits again and again, as long as what `test` emits comes to true.
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

    /// Runs what `fill` emits for an index that counts up from one bound to another.
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
