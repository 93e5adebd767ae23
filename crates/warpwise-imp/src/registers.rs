//! The role of each register: whether it is a value, and whether it must be initialised.
//!
//! ```text
//! x = load a[i]; if c { y = fadd x 1f32; store b[i] = y }      `x` and `y` are values
//! acc = 0f32; for i in 0..n step 1 { acc = fadd acc x }        `acc` is a variable, assigned before it is read
//! if c { z = 1i32 }; w = z                                     `z` may not have been assigned: it is 0 then
//! ```
//!
//! Back ends need no variable for a value: readers take the result of the operation itself.

use rustc_hash::FxHashSet;
use warpwise_ir::entity::SecondaryMap;

use crate::op::{Block, Op};
use crate::ops;
use crate::program::{Kernel, KernelParam};
use crate::traverse::any_op;
use crate::types::{Operand, Reg};

/// The role of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Assigned by one operation, which always runs before every reader.
    Value,
    /// Always assigned before it is read, by several operations or by a counting loop.
    Variable,
    /// Read where it may not have been assigned; it is zero there.
    Initialized,
}

/// Returns the roles of a kernel's registers.
pub fn roles(kernel: &Kernel) -> SecondaryMap<Reg, Role> {
    let nothing = SecondaryMap::new(false);
    let mut walk = Walk { roles: SecondaryMap::new(None), is_assigned: nothing, assigned: Vec::new() };
    for param in &kernel.params {
        if let KernelParam::Scalar(reg) = param {
            walk.assign(*reg);
        }
    }
    [kernel.lo, kernel.hi].into_iter().for_each(|reg| walk.assign(reg));
    kernel.group.iter().for_each(|group| walk.assign(group.item));
    walk.block(&kernel.body);
    let mut roles = SecondaryMap::new(Role::Value);
    for reg in kernel.regs.keys() {
        roles[reg] = walk.roles[reg].unwrap_or(Role::Value);
    }
    roles
}

struct Walk {
    /// Roles of the registers met so far.
    roles: SecondaryMap<Reg, Option<Role>>,
    /// Whether a register has been assigned on every path to here.
    is_assigned: SecondaryMap<Reg, bool>,
    /// The registers for which `is_assigned` holds.
    assigned: Vec<Reg>,
}

impl Walk {
    fn assign(&mut self, reg: Reg) {
        self.roles[reg] = match self.roles[reg] {
            None => Some(Role::Value),
            Some(Role::Value) => Some(Role::Variable),
            other => other,
        };
        self.has_been_assigned(reg);
    }

    fn has_been_assigned(&mut self, reg: Reg) {
        if !self.is_assigned[reg] {
            self.is_assigned[reg] = true;
            self.assigned.push(reg);
        }
    }

    fn read(&mut self, x: Operand) {
        if let Operand::Reg(reg) = x
            && !self.is_assigned[reg]
        {
            self.roles[reg] = Some(Role::Initialized);
        }
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|op| self.op(op));
    }

    /// Walks a block that may not run, or not to its end. Returns the registers that it assigns if it does.
    fn optional(&mut self, block: &Block) -> Vec<Reg> {
        let outer = self.assigned.len();
        self.block(block);
        let inner = self.assigned.split_off(outer);
        inner.iter().for_each(|&reg| self.is_assigned[reg] = false);
        inner
    }

    fn op(&mut self, op: &Op) {
        if let Op::While { test, cond, body } = op {
            self.block(test);
            self.read(*cond);
            self.optional(body);
            return;
        }
        op.for_each_operand(|x| self.read(x));
        op.for_each_assigned(|reg| self.assign(reg));
        match op {
            Op::If { then_block, else_block, .. } => {
                let first = self.optional(then_block);
                let second: FxHashSet<Reg> = self.optional(else_block).into_iter().collect();
                let both = first.into_iter().filter(|reg| second.contains(reg));
                both.for_each(|reg| self.has_been_assigned(reg));
            }
            Op::For { index, body, .. } => {
                // Each iteration assigns it.
                self.assign(*index);
                self.optional(body);
            }
            Op::Scope { label, body } if any_op(body, &|op| *op == Op::Leave { label: *label }) => {
                self.optional(body);
            }
            Op::Scope { body, .. } | Op::Locked { body, .. } => self.block(body),
            ops!(
                value, lane, access, SetMem, arena, While, Leave, Fail, flag, Barrier, Ticket, Publish,
                Await, host
            ) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use warpwise_ir::entity::PrimaryMap;
    use warpwise_prim::{BinaryOp, Scalar, ScalarType};

    use super::Role::{Initialized, Value, Variable};
    use super::*;
    use crate::op::Label;
    use crate::types::{ImpType, RegData};

    const NOUGHT: Operand = Operand::Const(Scalar::I64(0));

    /// Returns the roles of four registers in a kernel with this body.
    fn of_four(body: impl FnOnce([Reg; 4]) -> Block) -> [Role; 4] {
        let mut regs = PrimaryMap::new();
        let mut reg = || regs.push(RegData { ty: ImpType::scalar(ScalarType::I64), name: String::new() });
        let (lo, hi) = (reg(), reg());
        let four = [reg(), reg(), reg(), reg()];
        let kernel = Kernel {
            name: String::new(),
            params: vec![],
            regs,
            mems: PrimaryMap::new(),
            lo,
            hi,
            group: None,
            body: body(four),
            span: warpwise_diag::Span::NONE,
            places: vec![],
            doubles: None,
        };
        let roles = roles(&kernel);
        assert_eq!((roles[lo], roles[hi]), (Value, Value));
        four.map(|reg| roles[reg])
    }

    fn set(dst: Reg, x: impl Into<Operand>) -> Op {
        Op::Binary { dst, op: BinaryOp::Add, x: x.into(), y: Operand::i64(1) }
    }

    fn choice(cond: Reg, then_block: Block, else_block: Block) -> Op {
        Op::If { cond: cond.into(), then_block, else_block }
    }

    fn repeat(index: Reg, body: Block) -> Op {
        Op::For { index, from: NOUGHT, to: NOUGHT, step: 1, body }
    }

    #[test]
    fn values_are_assigned_once() {
        let chain = |[x, y, z, w]: [Reg; 4]| vec![set(x, NOUGHT), set(y, x), set(z, y), set(w, x)];
        assert_eq!(of_four(chain), [Value; 4]);
        let inside = |[x, y, z, w]: [Reg; 4]| {
            vec![set(x, NOUGHT), choice(x, vec![set(y, x), set(z, y)], vec![set(w, x)])]
        };
        assert_eq!(of_four(inside), [Value; 4]);
        let again =
            |[x, y, z, w]: [Reg; 4]| vec![set(x, NOUGHT), set(x, x), set(y, x), repeat(z, vec![set(w, z)])];
        assert_eq!(of_four(again), [Variable, Value, Variable, Value]);
    }

    #[test]
    fn what_both_branches_assign_is_assigned() {
        let body = |[x, y, z, w]: [Reg; 4]| {
            let both = choice(x, vec![set(y, x), set(z, x)], vec![set(y, x)]);
            vec![set(x, NOUGHT), both, set(w, y), set(w, z)]
        };
        assert_eq!(of_four(body), [Value, Variable, Initialized, Variable]);
    }

    #[test]
    fn what_may_not_run_assigns_nothing_for_those_after_it() {
        let in_the_next_round =
            |[index, x, y, z]: [Reg; 4]| vec![repeat(index, vec![set(y, x), set(x, index)]), set(z, y)];
        assert_eq!(of_four(in_the_next_round), [Variable, Initialized, Initialized, Value]);
        let left_at_its_end = |[x, y, z, w]: [Reg; 4]| {
            let scope = Op::Scope { label: Label(0), body: vec![set(x, NOUGHT)] };
            vec![scope, set(y, x), set(z, x), set(w, x)]
        };
        assert_eq!(of_four(left_at_its_end), [Value; 4]);
        let left_before = |[x, y, z, w]: [Reg; 4]| {
            let label = Label(0);
            let body = vec![choice(z, vec![Op::Leave { label }], vec![]), set(x, NOUGHT)];
            vec![set(z, NOUGHT), Op::Scope { label, body }, set(y, x), set(w, NOUGHT)]
        };
        assert_eq!(of_four(left_before), [Initialized, Value, Value, Value]);
    }

    #[test]
    fn tests_of_loops_run_at_least_once() {
        let body = |[x, y, z, w]: [Reg; 4]| {
            let body = vec![set(y, x)];
            vec![Op::While { test: vec![set(x, NOUGHT)], cond: x.into(), body }, set(w, x), set(z, y)]
        };
        assert_eq!(of_four(body), [Value, Initialized, Value, Value]);
    }
}
