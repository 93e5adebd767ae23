//! Registers that carry values from iteration to iteration and out of choices.
//!
//! A variable bound by a loop or a choice has one [`Slot`]: a scalar register for a uniform or linear value (the latter by its
//! first lane), a vector register for a varying value, a memory for a block. Arrays and certificates need none: an array is where
//! its placement says.

use warpwise_diag::Span;
use warpwise_ir::{Operand as CoreOperand, Type, Var};

use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Value};
use crate::lower::variance::Variance;
use crate::op::Op;
use crate::types::{ImpType, Mem, Operand, Reg, Space};

/// The carrier of one variable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Slot {
    /// A scalar with this variance.
    Scalar(Reg, Variance),
    /// A block.
    Block(BlockBinding),
    /// No carrier: nothing is carried.
    Nothing,
}

/// A value to be assigned to a slot.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Carried {
    /// A scalar.
    Scalar(Value),
    /// A block.
    Block(BlockBinding),
    /// A value that needs no carrier.
    Nothing,
}

impl Emitter<'_> {
    /// Creates a slot for a variable of variance `kind`; `like` is a value that it will hold.
    pub fn slot(&mut self, var: Var, kind: Variance, like: CoreOperand, span: Span) -> Lowered<Slot> {
        let data = &self.cx.function.vars[var];
        match &data.ty {
            Type::Scalar(ty) => {
                let lanes = if kind == Variance::Varying { self.width() } else { 1 };
                let name = data.name().to_string();
                Ok(Slot::Scalar(self.code.reg(&name, ImpType::vector(*ty, lanes)), kind))
            }
            Type::Mem => {
                let (interleaved, space) = match like {
                    CoreOperand::Var(block) if self.scope.blocks.contains_key(&block) => {
                        let block = self.block(block, span)?;
                        (block.interleaved, self.carried_space(block.mem))
                    }
                    // Bound inside the bodies still to be lowered: one for each lane if allocated there.
                    CoreOperand::Var(_) | CoreOperand::Const(_) => (self.width() > 1, Space::Global),
                };
                let name = data.name().to_string();
                let mem = self.code.mem(&name, space);
                Ok(Slot::Block(BlockBinding { mem, interleaved }))
            }
            Type::Array(_) | Type::Cert | Type::Acc(_) => Ok(Slot::Nothing),
        }
    }

    /// Binds a variable to the contents of its slot.
    pub fn bind_slot(&mut self, var: Var, slot: Slot) {
        match slot {
            Slot::Scalar(reg, Variance::Varying) if self.width() > 1 => self.bind(var, Value::Varying(reg)),
            Slot::Scalar(reg, Variance::Linear(stride)) => {
                self.bind(var, Value::Linear { base: reg.into(), stride });
            }
            Slot::Scalar(reg, Variance::Uniform | Variance::Varying) => self.bind_uniform(var, reg),
            Slot::Block(block) => {
                self.scope.blocks.insert(var, block);
            }
            Slot::Nothing => {}
        }
    }

    /// Returns the value of an operand in the form that slots are assigned from.
    pub fn carried(&mut self, operand: CoreOperand, span: Span) -> Lowered<Carried> {
        let ty = match operand {
            CoreOperand::Const(value) => return Ok(Carried::Scalar(Value::constant(value))),
            CoreOperand::Var(var) => self.cx.function.ty(var),
        };
        match (ty, operand) {
            (Type::Mem, CoreOperand::Var(block)) => Ok(Carried::Block(self.block(block, span)?)),
            (Type::Scalar(_), _) => Ok(Carried::Scalar(self.value(operand))),
            (Type::Array(_) | Type::Cert | Type::Acc(_) | Type::Mem, _) => Ok(Carried::Nothing),
        }
    }

    /// Assigns values to slots in parallel: the values refer to the slots' former contents.
    pub fn assign(&mut self, slots: &[Slot], values: Vec<Carried>, span: Span) -> Lowered<()> {
        let mems: Vec<Mem> = slots.iter().filter_map(Slot::mem).collect();
        let values = self.settled(slots, values);
        let mut temporaries = Vec::new();
        let mut blocks = Vec::new();
        for (&slot, value) in slots.iter().zip(values) {
            match (slot, value) {
                (Slot::Scalar(dst, kind), Carried::Scalar(value)) => {
                    let x = self.as_kind(kind, value, span)?;
                    if x != Operand::Reg(dst) {
                        self.code.set(dst, x);
                    }
                }
                (Slot::Block(dst), Carried::Block(src)) if dst.interleaved != src.interleaved => {
                    return self.not_in_lanes(
                        span,
                        "a block that vector lanes share at one time and not at another",
                    );
                }
                (Slot::Block(dst), Carried::Block(src)) if dst.mem != src.mem => {
                    blocks.push((dst.mem, self.settled_block(src.mem, &mems, &mut temporaries)));
                }
                (Slot::Nothing | Slot::Scalar(..) | Slot::Block(_), _) => {}
            }
        }
        for (dst, src) in blocks {
            self.code.emit(Op::SetMem { dst, src });
        }
        if self.is_host() {
            for mem in temporaries {
                self.code.emit(Op::Release { mem });
            }
        }
        Ok(())
    }

    /// Returns the values, with copies of those that sequential assignments to the slots would overwrite.
    pub fn settled(&mut self, slots: &[Slot], values: Vec<Carried>) -> Vec<Carried> {
        let regs: Vec<Reg> = slots.iter().filter_map(Slot::reg).collect();
        let mut settled = Vec::new();
        for (slot, value) in slots.iter().zip(values) {
            let own = slot.reg();
            let keep = |reg: Reg, this: &mut Self| {
                if regs.contains(&reg) && own != Some(reg) { this.code.copy("next", reg) } else { reg }
            };
            settled.push(match value {
                Carried::Scalar(Value::Uniform(Operand::Reg(reg))) => {
                    Carried::Scalar(Value::Uniform(keep(reg, self).into()))
                }
                Carried::Scalar(Value::Linear { base: Operand::Reg(reg), stride }) => {
                    Carried::Scalar(Value::Linear { base: keep(reg, self).into(), stride })
                }
                Carried::Scalar(Value::Varying(reg)) => Carried::Scalar(Value::Varying(keep(reg, self))),
                Carried::Scalar(Value::Uniform(_) | Value::Linear { .. })
                | Carried::Block(_)
                | Carried::Nothing => value,
            });
        }
        settled
    }

    /// Returns the address space of a memory that may hold this block or another one like it.
    fn carried_space(&self, mem: Mem) -> Space {
        match self.code.mems[mem].space {
            Space::Local => Space::Local,
            Space::Global | Space::Arena => Space::Global,
        }
    }

    /// Returns a memory with the contents of `src` that survives assignments to `mems`.
    fn settled_block(&mut self, src: Mem, mems: &[Mem], temporaries: &mut Vec<Mem>) -> Mem {
        if !mems.contains(&src) {
            return src;
        }
        let kept = self.code.mem("next", self.carried_space(src));
        self.code.emit(Op::SetMem { dst: kept, src });
        temporaries.push(kept);
        kept
    }

    /// Converts a value to the form in which a slot of variance `kind` holds it.
    pub fn as_kind(&mut self, kind: Variance, value: Value, span: Span) -> Lowered<Operand> {
        match (kind, value) {
            (Variance::Varying, _) => Ok(self.vector(value)),
            (Variance::Uniform, Value::Uniform(x)) => Ok(x),
            (Variance::Linear(a), Value::Linear { base, stride }) if a == stride => Ok(base),
            (Variance::Uniform | Variance::Linear(_), _) => {
                self.not_in_lanes(span, "a value that differs between vector lanes in a way not foreseen")
            }
        }
    }
}

impl Slot {
    fn reg(&self) -> Option<Reg> {
        match self {
            Slot::Scalar(reg, _) => Some(*reg),
            Slot::Block(_) | Slot::Nothing => None,
        }
    }

    fn mem(&self) -> Option<Mem> {
        match self {
            Slot::Block(block) => Some(block.mem),
            Slot::Scalar(..) | Slot::Nothing => None,
        }
    }
}
