//! Translation of structured control flow to basic blocks.
//!
//! Short loops with constant bounds are marked for full unrolling: their indices become constants, and with them addresses of
//! table entries, shift amounts and comparisons. LLVM's own heuristic only counts instructions.

use warpwise_imp::{Block, Label, Op, Operand, Reg, ops};

use super::Emitted;
use super::function::Function;
use super::llvm::{BlockName, Int, Scalar, Type, int};

/// Maximum number of operations of an unrolled loop with constant bounds.
const UNROLLED_OPERATIONS: i64 = 400;

impl Function<'_> {
    pub fn control_op(&mut self, op: &Op) -> Emitted<()> {
        match op {
            Op::If { cond, then_block, else_block } => self.branch(*cond, then_block, else_block),
            Op::For { index, from, to, step, body } => self.count(*index, *from, *to, *step, body),
            Op::While { test, cond, body } => self.repeat(test, *cond, body),
            Op::Scope { label, body } => self.scope(*label, body),
            Op::Leave { label } => self.leave(*label),
            other @ ops!(value, lane, access, SetMem, arena, Fail, flag, group, host) => {
                Err(format!("not control flow: {other:?}"))
            }
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
        self.text.branch(&runs, body_block, exit);
        self.text.begin(body_block);
        self.block(body)?;
        let counts_up = matches!(from, Operand::Const(scalar) if scalar.as_int() >= Some(0));
        let hint = if unrolls(from, to, step, body) { self.text.unroll_hint() } else { String::new() };
        self.advance(index, &end, step, counts_up, (body_block, exit), &hint)?;
        self.text.begin(exit);
        Ok(())
    }

    /// Emits the end of a counting loop. The sum cannot overflow with step 1, since the index is below `end`, or in 64 bits,
    /// since no loop runs long enough. In all other cases the remaining distance is compared instead.
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
        self.text.jump(test_block);
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

    /// Leaves a scope. The operations that follow in the same block are unreachable; they go into a block of their own, which
    /// LLVM drops.
    fn leave(&mut self, label: Label) -> Emitted<()> {
        let exit =
            *self.exits.get(&label.0).ok_or_else(|| format!("{label:?} is left from outside its scope"))?;
        self.text.jump(exit);
        let rest = self.text.new_block();
        self.text.begin(rest);
        Ok(())
    }
}

/// Returns whether a loop, with all its iterations, is short enough to be unrolled.
fn unrolls(from: Operand, to: Operand, step: i64, body: &Block) -> bool {
    iterations(from, to, step)
        .is_some_and(|count| count > 1 && count.saturating_mul(operations(body)) <= UNROLLED_OPERATIONS)
}

/// Returns the number of iterations of a loop with constant bounds.
fn iterations(from: Operand, to: Operand, step: i64) -> Option<i64> {
    let (Operand::Const(from), Operand::Const(to)) = (from, to) else { return None };
    let span = to.as_int()?.checked_sub(from.as_int()?)?;
    Some(span.max(0) as u64).map(|span| span.div_ceil(step as u64) as i64)
}

/// Returns the number of operations that a block runs. Loops of unknown length count once.
fn operations(block: &Block) -> i64 {
    let of = |op: &Op| {
        let inside =
            op.blocks().into_iter().flatten().fold(0i64, |sum, block| sum.saturating_add(operations(block)));
        if let Op::For { from, to, step, .. } = op {
            inside.saturating_mul(iterations(*from, *to, *step).unwrap_or(1))
        } else {
            inside
        }
    };
    block.iter().fold(0, |sum, op| sum.saturating_add(1).saturating_add(of(op)))
}
