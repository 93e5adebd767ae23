//! Choices and loops, in host code, scalar code and lanes.
//!
//! A condition that is the same in all lanes is a branch. A divergent choice between cheap, pure bodies computes both and selects.
//! Any other divergent choice runs each side under its mask, and skips a side that no lane takes. Divergent loops are in
//! [`super::divergent`].

use warpwise_diag::Span;
use warpwise_ir::{Body, Branch, LoopForm, LoopParam, Operand as CoreOperand, Stm, Type, Var};
use warpwise_prim::{BinaryOp, Scalar, ScalarType};

use crate::lower::cost;
use crate::lower::emitter::{Emitter, Lowered, Mask, Value};
use crate::lower::memory::MOST_SHUFFLED;
use crate::lower::segs::UNKNOWN_TRIPS;
use crate::lower::slots::{Carried, Slot};
use crate::lower::variance::Variance;
use crate::op::Op;
use crate::types::{ImpType, Operand, Reg};

/// Maximum number of operations of an iteration for which a loop of few iterations in lanes is unrolled.
const MOST_WRITTEN_OUT: i64 = 32;

impl<'a> Emitter<'a> {
    /// Lowers a choice.
    pub fn if_stm(
        &mut self,
        stm: &'a Stm,
        cond: CoreOperand,
        (then_body, else_body): (&'a Body, &'a Body),
        branch: Branch,
    ) -> Lowered<()> {
        // If the condition does not hold in all lanes, it may still hold in some: a plain choice has to test it.
        if let Some((decided, known)) = self.decided
            && cond.as_var() == Some(decided)
            && (known || branch == Branch::Specialised)
        {
            return self.one_side(stm, if known { then_body } else { else_body });
        }
        let value = self.value(cond);
        match (value, branch) {
            (Value::Uniform(x), _) => self.branch(stm, x, then_body, else_body),
            // Rows shorter than a vector have their ends in almost every group of lanes, so only the general side is emitted.
            (_, Branch::Specialised) if self.flat.is_some() && !self.gives_arrays(stm) => {
                self.one_side(stm, else_body)
            }
            (_, Branch::Specialised) => {
                let everywhere = self.holds_everywhere(cond);
                self.branch(stm, everywhere, then_body, else_body)
            }
            (_, Branch::Plain) if cost::is_cheap(self, then_body) && cost::is_cheap(self, else_body) => {
                self.select_bodies(stm, value, then_body, else_body)
            }
            (_, Branch::Plain) => self.masked_bodies(stm, value, then_body, else_body),
        }
    }

    fn gives_arrays(&self, stm: &Stm) -> bool {
        stm.pattern.iter().any(|&var| self.is_array(var))
    }

    /// Lowers the body that a choice of scalars is known to take.
    fn one_side(&mut self, stm: &'a Stm, body: &'a Body) -> Lowered<()> {
        self.stms(body)?;
        for (&var, &result) in stm.pattern.iter().zip(&body.result) {
            let value = self.value(result);
            self.bind(var, value);
        }
        Ok(())
    }

    /// Lowers a choice as a branch.
    fn branch(
        &mut self,
        stm: &'a Stm,
        cond: Operand,
        then_body: &'a Body,
        else_body: &'a Body,
    ) -> Lowered<()> {
        let likes = then_body.result.iter().zip(&else_body.result);
        let mut slots = Vec::new();
        for (&var, (&x, &y)) in stm.pattern.iter().zip(likes) {
            let like = if self.is_bound_block(x) { x } else { y };
            slots.push(self.slot(var, self.variance(var), like, stm.span)?);
        }
        let then_block = self.side(&slots, then_body, stm.span)?;
        let else_block = self.side(&slots, else_body, stm.span)?;
        self.code.emit(Op::If { cond, then_block, else_block });
        self.bind_slots(&stm.pattern, &slots);
        Ok(())
    }

    fn is_bound_block(&self, x: CoreOperand) -> bool {
        x.as_var().is_some_and(|var| self.scope.blocks.contains_key(&var))
    }

    fn side(&mut self, slots: &[Slot], body: &'a Body, span: Span) -> Lowered<Vec<Op>> {
        let (block, done) = self.block_of(|this| this.body_into(slots, body, span));
        done.map(|()| block)
    }

    /// Lowers one iteration of a loop. In a kernel, its allocations are freed at its end, unless a block that it may have
    /// allocated is carried on.
    fn iteration(&mut self, slots: &[Slot], body: &'a Body, span: Span) -> Lowered<Vec<Op>> {
        let is_from_body = |var: Var| body.stms.iter().any(|stm| stm.pattern.contains(&var));
        let is_new = |(slot, result): (&Slot, &CoreOperand)| {
            matches!(slot, Slot::Block(_)) && result.as_var().is_some_and(is_from_body)
        };
        if self.is_host() || slots.iter().zip(&body.result).any(is_new) {
            return self.side(slots, body, span);
        }
        let (block, done) =
            self.block_of(|this| this.with_arena(&[body], |this| this.body_into(slots, body, span)));
        done.map(|()| block)
    }

    /// Runs a body and assigns its results.
    fn body_into(&mut self, slots: &[Slot], body: &'a Body, span: Span) -> Lowered<()> {
        let locals = self.stms(body)?;
        let values = self.carried_all(&body.result, span)?;
        self.assign(slots, values, span)?;
        self.release_locals(locals);
        Ok(())
    }

    fn carried_all(&mut self, operands: &[CoreOperand], span: Span) -> Lowered<Vec<Carried>> {
        operands.iter().map(|&x| self.carried(x, span)).collect()
    }

    fn bind_slots(&mut self, vars: &[Var], slots: &[Slot]) {
        for (&var, &slot) in vars.iter().zip(slots) {
            self.bind_slot(var, slot);
        }
    }

    /// Lowers both bodies, and a selection between their results.
    fn select_bodies(
        &mut self,
        stm: &'a Stm,
        cond: Value,
        then_body: &'a Body,
        else_body: &'a Body,
    ) -> Lowered<()> {
        let (then_mask, else_mask) = self.split_mask(cond);
        self.with_mask(Mask::Some(then_mask), |this| this.stms(then_body))?;
        self.with_mask(Mask::Some(else_mask), |this| this.stms(else_body))?;
        for ((&var, &x), &y) in stm.pattern.iter().zip(&then_body.result).zip(&else_body.result) {
            match self.cx.function.ty(var) {
                Type::Scalar(_) => {
                    let (x, y) = (self.value(x), self.value(y));
                    let chosen = if x == y { x } else { self.select(cond, x, y) };
                    self.bind(var, chosen);
                }
                Type::Mem | Type::Array(_) | Type::Cert | Type::Acc(_) => {
                    self.same_block(var, x, y, stm.span)?
                }
            }
        }
        Ok(())
    }

    /// Lowers each body under its mask, skipped if no lane takes it.
    fn masked_bodies(
        &mut self,
        stm: &'a Stm,
        cond: Value,
        then_body: &'a Body,
        else_body: &'a Body,
    ) -> Lowered<()> {
        let (then_mask, else_mask) = self.split_mask(cond);
        let mut results = Vec::new();
        for (&var, &like) in stm.pattern.iter().zip(&then_body.result) {
            let slot = match self.cx.function.ty(var) {
                Type::Scalar(ty) => {
                    let slot = self.slot(var, Variance::Varying, like, stm.span)?;
                    if let Slot::Scalar(reg, _) = slot {
                        self.code.set(reg, Operand::Const(Scalar::zero(*ty)));
                    }
                    slot
                }
                Type::Mem | Type::Array(_) | Type::Cert | Type::Acc(_) => Slot::Nothing,
            };
            results.push(slot);
        }
        self.masked_side(then_mask, then_body, &results, stm.span)?;
        self.masked_side(else_mask, else_body, &results, stm.span)?;
        for (i, &var) in stm.pattern.iter().enumerate() {
            self.same_block(var, then_body.result[i], else_body.result[i], stm.span)?;
        }
        self.bind_slots(&stm.pattern, &results);
        Ok(())
    }

    /// Binds a block that comes out of a divergent choice, which must be the same on both sides.
    fn same_block(&mut self, var: Var, x: CoreOperand, y: CoreOperand, span: Span) -> Lowered<()> {
        if !matches!(self.cx.function.ty(var), Type::Mem) {
            return Ok(());
        }
        match (self.carried(x, span)?, self.carried(y, span)?) {
            (Carried::Block(x), Carried::Block(y)) if x == y => {
                self.scope.blocks.insert(var, x);
                Ok(())
            }
            _ => self.not_in_lanes(span, "arrays in memory that differs between vector lanes"),
        }
    }

    fn masked_side(&mut self, mask: Reg, body: &'a Body, results: &[Slot], span: Span) -> Lowered<()> {
        if body.stms.is_empty() && results.iter().all(|slot| *slot == Slot::Nothing) {
            return Ok(());
        }
        let any = self.code.reg("any", ImpType::scalar(ScalarType::Bool));
        self.code.emit(Op::Any { dst: any, mask: mask.into() });
        self.when(any.into(), |this| {
            this.with_mask(Mask::Some(mask), |this| {
                this.stms(body)?;
                let values = this.carried_all(&body.result, span)?;
                this.merge(mask, results, &values);
                Ok(())
            })
        })
    }

    /// Assigns values to varying slots where the mask holds.
    pub fn merge(&mut self, mask: Reg, slots: &[Slot], values: &[Carried]) {
        let values = self.settled(slots, values.to_vec());
        for (slot, value) in slots.iter().zip(&values) {
            if let (Slot::Scalar(dst, _), Carried::Scalar(value)) = (slot, value) {
                let x = self.vector(*value);
                self.code.emit(Op::Select { dst: *dst, cond: mask.into(), x, y: (*dst).into() });
            }
        }
    }

    /// Returns the mask of the running lanes in which a varying condition holds, and that of the others.
    pub fn split_mask(&mut self, cond: Value) -> (Reg, Reg) {
        let cond = self.vector(cond);
        let not = self.code.not(cond);
        match self.mask_operand() {
            None => (self.vector_bool(cond), self.vector_bool(not)),
            Some(mask) => {
                let then_mask = self.code.binary(BinaryOp::And, mask, cond);
                let else_mask = self.code.binary(BinaryOp::And, mask, not);
                (self.vector_bool(then_mask), self.vector_bool(else_mask))
            }
        }
    }

    fn vector_bool(&mut self, x: Operand) -> Reg {
        match x {
            Operand::Reg(reg) => reg,
            Operand::Const(_) => {
                let reg = self.code.reg("mask", ImpType::vector(ScalarType::Bool, self.width()));
                self.code.set(reg, x);
                reg
            }
        }
    }

    /// Lowers a sequential loop.
    pub fn loop_stm(
        &mut self,
        stm: &'a Stm,
        params: &'a [LoopParam],
        form: &'a LoopForm,
        body: &'a Body,
    ) -> Lowered<()> {
        let mut slots = Vec::new();
        for param in params {
            slots.push(self.slot(param.var, self.variance(param.var), param.init, stm.span)?);
        }
        let inits: Vec<CoreOperand> = params.iter().map(|param| param.init).collect();
        let inits = self.carried_all(&inits, stm.span)?;
        self.assign(&slots, inits, stm.span)?;
        let begun_with = std::mem::take(&mut self.begun_with);
        self.release_locals(begun_with);
        let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        self.bind_slots(&vars, &slots);
        let divergent = match form {
            LoopForm::For { bound, .. } => !matches!(self.value(*bound), Value::Uniform(_)),
            LoopForm::While { cond } => !matches!(self.value(*cond), Value::Uniform(_)),
        };
        if divergent {
            return self.divergent_loop(stm, &slots, form, body);
        }
        match form {
            LoopForm::For { index, bound } => self.uniform_for(*index, *bound, &slots, body, stm.span)?,
            LoopForm::While { cond } => self.uniform_while(*cond, &slots, body, stm.span)?,
        }
        self.bind_slots(&stm.pattern, &slots);
        Ok(())
    }

    fn uniform_for(
        &mut self,
        index: Var,
        bound: CoreOperand,
        slots: &[Slot],
        body: &'a Body,
        span: Span,
    ) -> Lowered<()> {
        let to = self.uniform(bound, span)?;
        let ty = self.code.ty(to).scalar;
        if let Some(rounds) = self.few_rounds(to, body) {
            for round in 0..rounds {
                self.bind_uniform(index, Operand::Const(Scalar::int(ty, round)));
                for op in self.iteration(slots, body, span)? {
                    self.code.emit(op);
                }
            }
            return Ok(());
        }
        let counter = self.code.reg("i", ImpType::scalar(ty));
        self.bind_uniform(index, counter);
        let block = self.iteration(slots, body, span)?;
        let from = Operand::Const(Scalar::int(ty, 0));
        self.code.emit(Op::For { index: counter, from, to, step: 1, body: block });
        Ok(())
    }

    /// Returns the number of iterations of a loop in lanes that is better unrolled. Its iterations then know which elements of
    /// short rows they read, and the rows of all lanes are read as whole vectors.
    fn few_rounds(&self, bound: Operand, body: &Body) -> Option<i64> {
        let Operand::Const(bound) = bound else { return None };
        let rounds = bound.as_int().filter(|&rounds| rounds <= MOST_SHUFFLED)?;
        (self.width() > 1 && cost::static_cost(body, UNKNOWN_TRIPS) <= MOST_WRITTEN_OUT).then_some(rounds)
    }

    fn uniform_while(&mut self, cond: Var, slots: &[Slot], body: &'a Body, span: Span) -> Lowered<()> {
        let cond = self.uniform(cond, span)?;
        let block = self.iteration(slots, body, span)?;
        self.code.emit(Op::While { test: Vec::new(), cond, body: block });
        Ok(())
    }
}
