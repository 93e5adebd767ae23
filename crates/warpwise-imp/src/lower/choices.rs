//! Reductions whose operator chooses one of its operands, such as the least element with its index.
//!
//! An operator that chooses either all values of its left side or all of its right side seldom changes its accumulators after many
//! elements. The operations that are only needed for a change then follow a test of all lanes:
//!
//! ```text
//! a = acc_d < d                                  a = acc_d < d
//! keep = a | (acc_d == d & acc_i < i)            if not all a {
//! acc_d = select keep acc_d d                      keep = a | (acc_d == d & acc_i < i)
//! acc_i = select keep acc_i i                      acc_d = select keep acc_d d
//!                                                  acc_i = select keep acc_i i }
//! ```

use warpwise_ir::entity::PrimaryMap;
use warpwise_prim::{BinaryOp, ScalarType};

use crate::lower::code::Code;
use crate::op::{Block, Op};
use crate::ops;
use crate::types::{ImpType, Operand, Reg, RegData};

impl Code {
    /// Appends operations whose last ones set accumulators. They are emitted under a test of whether any lane changes the
    /// accumulators, where that is known before the other operations.
    pub fn emit_choice(&mut self, mut ops: Block) {
        let Some(choice) = Choice::of(&ops, &self.regs) else {
            ops.into_iter().for_each(|op| self.emit(op));
            return;
        };
        let change = ops.split_off(choice.decided);
        ops.into_iter().for_each(|op| self.emit(op));
        let tested = self.reg("tested", ImpType::scalar(ScalarType::Bool));
        let mask = choice.mask.into();
        if choice.keeps {
            self.emit(Op::All { dst: tested, mask });
            self.emit(Op::If { cond: tested.into(), then_block: Block::new(), else_block: change });
        } else {
            self.emit(Op::Any { dst: tested, mask });
            self.emit(Op::If { cond: tested.into(), then_block: change, else_block: Block::new() });
        }
    }
}

/// A test that decides whether the remaining operations change anything.
struct Choice {
    /// Mask of lanes that certainly keep their accumulators, or of the only lanes that may change them.
    mask: Reg,
    /// Whether the lanes of `mask` keep their accumulators.
    keeps: bool,
    /// Number of operations up to and including the computation of `mask`.
    decided: usize,
}

impl Choice {
    fn of(ops: &[Op], regs: &PrimaryMap<Reg, RegData>) -> Option<Choice> {
        let sets = ops.iter().rev().take_while(|op| matches!(op, Op::Move { .. })).count();
        // Choosing one accumulator is faster than testing.
        if sets < 2 {
            return None;
        }
        let definition = |reg: Reg| ops.iter().position(|op| value(op) == Some(reg));
        let condition = |op: &Op| {
            let Op::Move { dst, x: Operand::Reg(chosen) } = op else { return None };
            let Op::Select { cond: Operand::Reg(cond), x, y, .. } = &ops[definition(*chosen)?] else {
                return None;
            };
            let keeps = *x == Operand::Reg(*dst);
            (keeps || *y == Operand::Reg(*dst)).then_some((*cond, keeps))
        };
        let mut conditions = ops[ops.len() - sets..].iter().map(condition);
        let (chooser, keeps) = conditions.next()??;
        if !conditions.all(|condition| condition == Some((chooser, keeps))) {
            return None;
        }
        let mask = match &ops[definition(chooser)?] {
            // The operand that is known first is enough.
            Op::Binary { op: BinaryOp::Or, x: Operand::Reg(x), y: Operand::Reg(y), .. } if keeps => {
                if definition(*x)? < definition(*y)? {
                    *x
                } else {
                    *y
                }
            }
            ops!(value, lane, access, SetMem, arena, control, Fail, flag, group, host) => chooser,
        };
        let decided = definition(mask)? + 1;
        let is_pure = ops[decided..].iter().all(|op| value(op).is_some());
        (regs[mask].ty.is_vector() && is_pure).then_some(Choice { mask, keeps, decided })
    }
}

/// Returns the register that an operation sets, if it has no other effect.
fn value(op: &Op) -> Option<Reg> {
    match op {
        Op::Move { dst, .. }
        | Op::Unary { dst, .. }
        | Op::Binary { dst, .. }
        | Op::Ternary { dst, .. }
        | Op::Compare { dst, .. }
        | Op::Convert { dst, .. }
        | Op::Select { dst, .. }
        | Op::LaneIds { dst } => Some(*dst),
        ops!(
            Extract, Insert, Shuffle, Any, All, Count, First, access, SetMem, arena, control, Fail, flag,
            group, host
        ) => None,
    }
}
