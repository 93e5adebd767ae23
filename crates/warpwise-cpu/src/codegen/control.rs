//! Structured control flow to basic blocks.
//!
//! Short loops with constant bounds are to be unrolled as a whole: their indices become constants, and with them
//! table entries' addresses, shift amounts and comparisons. LLVM by itself counts instructions only.

use warpwise_imp::{Block, Label, Op, Operand, Reg};

use super::Emitted;
use super::function::Function;
use super::llvm::{BlockName, Int, Scalar, Type, int};
use super::polls::{Polling, iterations};

/// Operations that a loop with constant bounds may become when unrolled.
const UNROLLED_OPERATIONS: i64 = 400;

impl Function<'_> {
    pub fn control_op(&mut self, op: &Op) -> Emitted<()> {
        match op {
            Op::If { cond, then_block, else_block } => self.branch(*cond, then_block, else_block),
            Op::For { index, from, to, step, body } => self.count(*index, *from, *to, *step, body),
            Op::While { test, cond, body } => self.repeat(test, *cond, body),
            Op::Scope { label, body } => self.scope(*label, body),
            Op::Leave { label } => self.leave(*label),
            other => Err(format!("not control flow: {other:?}")),
        }
    }

    fn branch(&mut self, cond: Operand, then_block: &Block, else_block: &Block) -> Emitted<()> {
        let cond = self.condition(cond)?;
        let (then, otherwise, end) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
        self.text.branch(&cond, then, otherwise);
        for (name, block) in [(then, then_block), (otherwise, else_block)] {
            self.text.begin(name);
            self.block(block)?;
            self.text.jump(end);
        }
        self.text.begin(end);
        Ok(())
    }

    fn count(&mut self, index: Reg, from: Operand, to: Operand, step: i64, body: &Block) -> Emitted<()> {
        if step <= 0 {
            return Err(format!("a loop with step {step}"));
        }
        let (first, end) = (self.index(from)?, self.index(to)?);
        let (body_block, exit) = (self.text.new_block(), self.text.new_block());
        self.set(index, &first)?;
        let runs = self.text.compare(int::SLT, &first, &end);
        let counts_up = matches!(from, Operand::Const(scalar) if scalar.as_int() >= Some(0));
        let hint = if unrolls(from, to, step, body) { self.text.unroll_hint() } else { String::new() };
        let polling = Polling::of(iterations(from, to, step), body, first.ty.bits() >= 32);
        if let Polling::Strips(count) = polling
            && (step == 1 || first.ty == Type::I64)
        {
            let (strip, more, poll) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
            self.text.branch(&runs, strip, exit);
            self.text.begin(strip);
            let stop = self.end_of_strip(index, &end, count * step)?;
            self.text.jump(body_block);
            self.text.begin(body_block);
            self.block(body)?;
            self.advance(index, &stop, step, counts_up, (body_block, more), &hint)?;
            self.text.begin(more);
            let at = self.get(index).int()?.scalar()?;
            let again = self.text.compare(int::SLT, &at, &end);
            self.text.branch(&again, poll, exit);
            self.text.begin(poll);
            self.poll(strip);
        } else {
            let asks = polling != Polling::Never;
            self.text.branch(&runs, body_block, exit);
            self.text.begin(body_block);
            self.block(body)?;
            let again = if asks { self.text.new_block() } else { body_block };
            self.advance(index, &end, step, counts_up, (again, exit), &hint)?;
            if asks {
                self.text.begin(again);
                self.poll(body_block);
            }
        }
        self.text.begin(exit);
        Ok(())
    }

    /// Where a strip ends that starts at the index and is at most so long.
    fn end_of_strip(&mut self, index: Reg, end: &Scalar<Int>, length: i64) -> Emitted<Scalar<Int>> {
        let at = self.get(index).int()?.scalar()?;
        let left = self.text.binary(int::SUB, end, &at);
        let is_longer = self.text.compare_int(int::UGT, &left, length);
        let stop = self.text.binary_int(int::ADD, &at, length);
        Ok(self.text.select(&is_longer, &stop, end))
    }

    /// The end of a counting loop. The sum cannot overflow with step 1, since the index is below `end`; nor in
    /// 64 bits, where no loop runs long enough. In between, what remains is compared instead.
    fn advance(
        &mut self,
        index: Reg,
        end: &Scalar<Int>,
        step: i64,
        nonnegative: bool,
        (body, exit): (BlockName, BlockName),
        hint: &str,
    ) -> Emitted<()> {
        let current = self.get(index).int()?.scalar()?;
        let opcode = if nonnegative { int::ADD_NUW_NSW } else { int::ADD_NSW };
        if step == 1 || current.ty == Type::I64 {
            let next = self.text.binary_int(opcode, &current, step);
            self.set(index, &next)?;
            let again = self.text.compare(int::SLT, &next, end);
            self.text.branch_annotated(&again, body, exit, hint);
        } else {
            let remaining = self.text.binary(int::SUB, end, &current);
            let again = self.text.compare_int(int::UGT, &remaining, step);
            let latch = self.text.new_block();
            self.text.branch(&again, latch, exit);
            self.text.begin(latch);
            let next = self.text.binary_int(opcode, &current, step);
            self.set(index, &next)?;
            self.text.jump(body);
        }
        Ok(())
    }

    fn repeat(&mut self, test: &Block, cond: Operand, body: &Block) -> Emitted<()> {
        let (test_block, body_block, exit) =
            (self.text.new_block(), self.text.new_block(), self.text.new_block());
        self.text.jump(test_block);
        self.text.begin(test_block);
        self.block(test)?;
        let cond = self.condition(cond)?;
        self.text.branch(&cond, body_block, exit);
        self.text.begin(body_block);
        self.block(body)?;
        self.poll(test_block);
        self.text.begin(exit);
        Ok(())
    }

    fn scope(&mut self, label: Label, body: &Block) -> Emitted<()> {
        let exit = self.text.new_block();
        let outer = self.exits.insert(label.0, exit);
        self.block(body)?;
        self.text.jump(exit);
        self.text.begin(exit);
        match outer {
            Some(block) => self.exits.insert(label.0, block),
            None => self.exits.remove(&label.0),
        };
        Ok(())
    }

    /// What follows in the same block is never reached; it goes into a block of its own that LLVM drops.
    fn leave(&mut self, label: Label) -> Emitted<()> {
        let exit =
            *self.exits.get(&label.0).ok_or_else(|| format!("{label:?} is left from outside its scope"))?;
        self.text.jump(exit);
        let rest = self.text.new_block();
        self.text.begin(rest);
        Ok(())
    }
}

/// Whether a loop is short enough, all iterations together, to be unrolled.
fn unrolls(from: Operand, to: Operand, step: i64, body: &Block) -> bool {
    iterations(from, to, step)
        .is_some_and(|count| count > 1 && count.saturating_mul(operations(body)) <= UNROLLED_OPERATIONS)
}

/// How many operations a block runs, loops of unknown length once.
fn operations(block: &Block) -> i64 {
    let of = |op: &Op| {
        let inside =
            op.blocks().into_iter().flatten().fold(0i64, |sum, block| sum.saturating_add(operations(block)));
        match op {
            Op::For { from, to, step, .. } => {
                inside.saturating_mul(iterations(*from, *to, *step).unwrap_or(1))
            }
            _ => inside,
        }
    };
    block.iter().fold(0, |sum, op| sum.saturating_add(1).saturating_add(of(op)))
}
