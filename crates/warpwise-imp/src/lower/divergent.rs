//! Loops that lanes leave one by one.
//!
//! A mask holds the lanes that are still running, and the loop ends when it is empty. A lane that has left keeps its values:
//!
//! ```text
//! (n, x, y) = loop while ...              live = live & cond; while any live {
//!   { ...; return n_1, x_1, y_1 }           ...
//!                                           n = select live n_1 n
//! only n is used after the loop:            x = x_1; y = y_1
//!                                         }
//! ```
//!
//! A value that is not used after the loop is still computed in a lane that has left, as if the lane had not. The difference is
//! not observable: a lane that has left never returns, and everything that reads memory or can fail runs under the mask.

use warpwise_diag::Span;
use warpwise_ir::{Body, LoopForm, Operand as CoreOperand, Stm};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use crate::lower::emitter::{Emitter, Lowered, Mask, Value};
use crate::lower::scalars::as_kind;
use crate::lower::slots::{Carried, Slot};
use crate::lower::variance::Variance;
use crate::op::Op;
use crate::types::{ImpType, Operand, Reg};

/// The place of the values of lanes that have left, for one slot of the loop.
#[derive(Clone, Copy)]
struct Kept {
    slot: Slot,
    /// Whether the values are needed after the loop.
    needed: bool,
}

impl<'a> Emitter<'a> {
    /// Lowers a loop that lanes leave one by one.
    pub fn divergent_loop(
        &mut self,
        stm: &'a Stm,
        slots: &[Slot],
        form: &'a LoopForm,
        body: &'a Body,
    ) -> Lowered<()> {
        let kept = self.kept_slots(slots, stm)?;
        let live = self.code.reg("live", ImpType::vector(ScalarType::Bool, self.width()));
        let running = self.mask_operand().unwrap_or(Operand::Const(Scalar::Bool(true)));
        self.code.set(live, running);
        let any = self.code.reg("any", ImpType::scalar(ScalarType::Bool));
        let (test, counter) = self.block_of(|this| this.live_test(form, live, any));
        let counter = counter?;
        if let Some((counter, ty)) = counter {
            self.code.set(counter, Operand::Const(Scalar::int(ty, 0)));
        }
        let (block, done) = self.block_of(|this| {
            let done =
                this.with_mask(Mask::Some(live), |this| this.live_body(slots, &kept, live, body, stm.span));
            if let Some((counter, ty)) = counter {
                let next = this.code.add(counter, Operand::Const(Scalar::int(ty, 1)));
                this.code.set(counter, next);
            }
            done
        });
        self.code.emit(Op::While { test, cond: any.into(), body: block });
        for (&var, kept) in stm.pattern.iter().zip(&kept) {
            self.bind_slot(var, kept.slot);
        }
        done
    }

    /// Returns, for every slot, the vector that keeps the values of lanes that have left.
    fn kept_slots(&mut self, slots: &[Slot], stm: &'a Stm) -> Lowered<Vec<Kept>> {
        let mut all = Vec::new();
        for (&slot, &var) in slots.iter().zip(&stm.pattern) {
            let needed = self.cx.used.contains(&var);
            let slot = match slot {
                Slot::Scalar(_, Variance::Varying) | Slot::Nothing | Slot::Block(_) => slot,
                Slot::Scalar(..) if !needed => Slot::Nothing,
                Slot::Scalar(reg, kind) => {
                    let initial = self.vector(as_kind(kind, reg.into()));
                    let slot = self.slot(var, Variance::Varying, CoreOperand::bool(false), stm.span)?;
                    if let Slot::Scalar(reg, _) = slot {
                        self.code.set(reg, initial);
                    }
                    slot
                }
            };
            all.push(Kept { slot, needed });
        }
        Ok(all)
    }

    /// Emits the test of a divergent loop, which narrows the live lanes. Returns the counter of a counting loop.
    fn live_test(&mut self, form: &LoopForm, live: Reg, any: Reg) -> Lowered<Option<(Reg, ScalarType)>> {
        let (still, counter) = match form {
            LoopForm::For { index, bound } => {
                let bound = self.value(*bound);
                let ty = self.scalar_type(bound);
                let counter = self.code.reg("i", ImpType::scalar(ty));
                self.bind_uniform(*index, counter);
                let below = self.compare(CompareOp::SLt, Value::Uniform(counter.into()), bound);
                (self.vector(below), Some((counter, ty)))
            }
            LoopForm::While { cond } => {
                let cond = self.value(*cond);
                (self.vector(cond), None)
            }
        };
        self.code.emit(Op::Binary { dst: live, op: BinaryOp::And, x: live.into(), y: still });
        self.code.emit(Op::Any { dst: any, mask: live.into() });
        Ok(counter)
    }

    fn live_body(
        &mut self,
        slots: &[Slot],
        kept: &[Kept],
        live: Reg,
        body: &'a Body,
        span: Span,
    ) -> Lowered<()> {
        self.stms(body)?;
        let mut values = Vec::new();
        for &result in &body.result {
            values.push(self.carried(result, span)?);
        }
        self.keep_values(live, kept, &values);
        for (slot, value) in slots.iter().zip(&values) {
            if let (Slot::Block(to), Carried::Block(from)) = (slot, value)
                && to != from
            {
                return self.not_in_lanes(span, "arrays in memory that differs between vector lanes");
            }
        }
        let in_step = |(slot, value): (&Slot, Carried)| match slot {
            Slot::Scalar(_, Variance::Varying) | Slot::Block(_) | Slot::Nothing => (Slot::Nothing, value),
            Slot::Scalar(..) => (*slot, value),
        };
        let (slots, values): (Vec<Slot>, Vec<Carried>) = slots.iter().zip(values).map(in_step).unzip();
        self.assign(&slots, values, span)
    }

    /// Assigns values in the lanes that have not left, and in all lanes where the values are not needed after the loop.
    fn keep_values(&mut self, live: Reg, kept: &[Kept], values: &[Carried]) {
        let slots: Vec<Slot> = kept.iter().map(|kept| kept.slot).collect();
        let values = self.settled(&slots, values.to_vec());
        for (kept, value) in kept.iter().zip(&values) {
            let (Slot::Scalar(dst, _), Carried::Scalar(value)) = (kept.slot, value) else { continue };
            let x = self.vector(*value);
            if kept.needed {
                self.code.emit(Op::Select { dst, cond: live.into(), x, y: dst.into() });
            } else if x != Operand::Reg(dst) {
                self.code.set(dst, x);
            }
        }
    }
}
