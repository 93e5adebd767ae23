//! Assertions: in host code, in scalar code and in lanes.
//!
//! A failing check is cold code. It finds the first lane that fails, reports its iteration with the values of the message in that
//! lane, and leaves the current iterations. Where lanes count iterations, the later checks of the iterations before the failing
//! one have not run yet: their number is left in `retry`, and the lane loop runs them again, so that the first failing iteration
//! is reported. Lanes inside an iteration of a kernel do the same, and leave that iteration afterwards; all their failures belong
//! to one iteration, and the last one reported counts.

use warpwise_diag::Span;
use warpwise_ir::{Message, MessagePart, Operand as CoreOperand};
use warpwise_prim::Scalar;
use warpwise_runtime::machine::CheckPart;

use crate::lower::emitter::{Emitter, Failing, Value};
use crate::op::{Block, Op};
use crate::program::{Check, CheckId};
use crate::types::{ImpType, Operand, Reg};

impl Emitter<'_> {
    /// Emits a check that fails unless the condition holds in every lane that runs.
    pub fn assert(&mut self, cond: CoreOperand, message: &Message, span: Span) {
        let (check, shown) = self.check(message, span);
        let holds = self.holds_everywhere(cond);
        let (else_block, ()) = self.block_of(|this| {
            match this.failing {
                // Host code, or a combination of partial results: there are no iterations to distinguish.
                None => {
                    let values = match this.width() {
                        1 => this.scalars(&shown),
                        _ => this.first_failing(cond, &shown).1,
                    };
                    this.code.emit(Op::Fail { check, iteration: Operand::i64(0), values });
                }
                Some(failing) if this.width() == 1 => this.fail_scalar(check, &shown, failing),
                Some(failing) => this.fail_lane(cond, check, &shown, failing),
            }
        });
        self.code.emit(Op::If { cond: holds, then_block: Block::new(), else_block });
    }

    /// Returns the check of a message, and the operands that the message shows.
    fn check(&mut self, message: &Message, span: Span) -> (CheckId, Vec<CoreOperand>) {
        let mut shown = Vec::new();
        let mut parts = Vec::new();
        for part in &message.parts {
            parts.push(match part {
                MessagePart::Text(text) => CheckPart::Text(text.clone()),
                MessagePart::Value(operand, ty) => {
                    shown.push(*operand);
                    CheckPart::Value(*ty)
                }
            });
        }
        (self.cx.checks.borrow_mut().push(Check { parts, span, calls: message.calls.clone() }), shown)
    }

    fn scalars(&mut self, shown: &[CoreOperand]) -> Vec<Operand> {
        shown.iter().filter_map(|&x| self.value(x).base()).collect()
    }

    fn fail_scalar(&mut self, check: CheckId, shown: &[CoreOperand], failing: Failing) {
        let values = self.scalars(shown);
        self.code.emit(Op::Fail { check, iteration: failing.iteration, values });
        if let (Some(retry), Some(lane)) = (failing.retry, failing.lane) {
            self.code.set(retry, lane);
        }
        if let Some(failed) = failing.failed {
            self.code.set(failed, Operand::Const(Scalar::Bool(true)));
        }
        self.code.emit(Op::Leave { label: failing.exit });
    }

    fn fail_lane(&mut self, cond: CoreOperand, check: CheckId, shown: &[CoreOperand], failing: Failing) {
        let (lane, values) = self.first_failing(cond, shown);
        let iteration =
            if failing.per_lane { self.code.add(failing.iteration, lane) } else { failing.iteration };
        self.code.emit(Op::Fail { check, iteration, values });
        if let Some(retry) = failing.retry {
            self.code.set(retry, lane);
        }
        if let Some(failed) = failing.failed {
            self.code.set(failed, Operand::Const(Scalar::Bool(true)));
        }
        self.code.emit(Op::Leave { label: failing.exit });
    }

    /// Returns the first lane in which a condition does not hold, and the values to show in that lane.
    fn first_failing(&mut self, cond: CoreOperand, shown: &[CoreOperand]) -> (Reg, Vec<Operand>) {
        let cond = self.value(cond);
        let mut failed = match cond {
            // The condition is false in all lanes, so the first lane that runs is meant.
            Value::Uniform(_) => self.vector_reg(Value::constant(true.into())).into(),
            Value::Linear { .. } | Value::Varying(_) => {
                let cond = self.vector(cond);
                self.code.not(cond)
            }
        };
        if let Some(mask) = self.mask_operand() {
            failed = self.code.binary(warpwise_prim::BinaryOp::And, failed, mask);
        }
        let lane = self.code.reg("failed", ImpType::scalar(warpwise_prim::ScalarType::I64));
        self.code.emit(Op::First { dst: lane, mask: failed });
        let values = shown
            .iter()
            .map(|&x| {
                let value = self.value(x);
                self.lane_value(value, lane.into())
            })
            .collect();
        (lane, values)
    }
}
