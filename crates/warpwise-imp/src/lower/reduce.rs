//! Reductions in lanes.
//!
//! The order in which elements are combined depends only on their indices and the number of lanes. A commutative operator keeps
//! one accumulator for each lane; the accumulators are folded at the end, halves onto halves. Any other operator combines the
//! lanes of each group as a tree of neighbours, and the groups in order. Operators that may fail are applied to one element after
//! another (`in_order`).

use warpwise_diag::Span;
use warpwise_ir::{Body, Expr, Lambda, Operand as CoreOperand, Reduce, Stm};
use warpwise_prim::BinaryOp;

use crate::lower::code::Code;
use crate::lower::emitter::{Emitter, Lanes, Lowered, Mask, Value};
use crate::lower::in_order::in_order;
use crate::lower::lanes::LaneLoop;
use crate::op::Op;
use crate::types::{ImpType, Operand, Reg};

/// The values that a reduction has combined so far.
pub(super) struct Accumulators {
    /// One register for each value: vectors where the operator is commutative, scalars otherwise.
    regs: Vec<Reg>,
    /// Whether there is one accumulator for each lane.
    per_lane: bool,
}

impl Accumulators {
    /// Returns accumulators in which each lane has combined its own values.
    pub fn of_lanes(regs: Vec<Reg>) -> Accumulators {
        Accumulators { regs, per_lane: true }
    }

    /// Copies the accumulators to fresh registers.
    pub fn copied(&self, code: &mut Code) -> Accumulators {
        let regs = self.regs.iter().map(|&reg| code.copy("next", reg)).collect();
        Accumulators { regs, per_lane: self.per_lane }
    }

    /// Sets the accumulators to the values of others.
    pub fn set(&self, code: &mut Code, others: &Accumulators) {
        for (&reg, &other) in self.regs.iter().zip(&others.regs) {
            code.set(reg, other);
        }
    }
}

/// Returns whether elements may be combined in any order. The operator is either declared commutative and cannot fail, or it
/// consists of commutative operators on single components.
pub(super) fn commutes(reduce: &Reduce) -> bool {
    reduce.commutative && !in_order(&reduce.op) || componentwise(&reduce.op)
}

/// Returns whether an operator consists of commutative operators on single components.
pub(super) fn componentwise(op: &Lambda) -> bool {
    componentwise_operators(op).is_some()
}

/// Returns the commutative operators on single components that an operator consists of.
pub(super) fn componentwise_operators(op: &Lambda) -> Option<Vec<BinaryOp>> {
    let Body { stms, result } = &op.body;
    let half = op.params.len() / 2;
    if stms.len() != half {
        return None;
    }
    let operator = |(i, stm): (usize, &Stm)| {
        let (x, y) = (CoreOperand::Var(op.params[i]), CoreOperand::Var(op.params[half + i]));
        if let Expr::Binary(op, a, b) = &stm.expr
            && (op.is_commutative()
                && ((*a, *b) == (x, y) || (*a, *b) == (y, x))
                && result[i] == CoreOperand::Var(stm.pattern[0]))
        {
            Some(*op)
        } else {
            None
        }
    };
    stms.iter().enumerate().map(operator).collect()
}

impl<'a> Emitter<'a> {
    /// Sets accumulators to the neutral elements, for groups of `width` lanes.
    pub fn start_reduce(&mut self, reduce: &'a Reduce, width: u16) -> Lowered<Accumulators> {
        self.start_fold(&reduce.op, &reduce.neutral, reduce.commutative, width)
    }

    /// Sets the accumulators of any associative operator to its neutral elements.
    pub fn start_fold(
        &mut self,
        op: &'a Lambda,
        neutral: &[CoreOperand],
        commutative: bool,
        width: u16,
    ) -> Lowered<Accumulators> {
        let per_lane = commutative && !in_order(op) || componentwise(op);
        let mut regs = Vec::new();
        for &neutral in neutral {
            let neutral = self.value(neutral);
            let Value::Uniform(x) = neutral else {
                return self.not_in_lanes(Span::NONE, "a neutral element that differs between vector lanes");
            };
            let lanes = if per_lane { width } else { 1 };
            let reg = self.code.reg("acc", ImpType::vector(self.code.ty(x).scalar, lanes));
            self.code.set(reg, x);
            regs.push(reg);
        }
        Ok(Accumulators { regs, per_lane })
    }

    /// Combines the values of one group of lanes.
    pub fn accumulate(&mut self, reduce: &'a Reduce, accs: &Accumulators, values: &[Value]) -> Lowered<()> {
        self.fold_values(&reduce.op, &reduce.neutral, accs, values)
    }

    /// Combines the values of one group of lanes with an operator.
    pub fn fold_values(
        &mut self,
        op: &'a Lambda,
        neutral: &[CoreOperand],
        accs: &Accumulators,
        values: &[Value],
    ) -> Lowered<()> {
        if self.width() == 1 {
            let carried: Vec<Value> = accs.regs.iter().map(|&reg| Value::Uniform(reg.into())).collect();
            let next = self.apply(op, &[carried, values.to_vec()].concat())?;
            self.set_all(&accs.regs, &next);
            return Ok(());
        }
        if accs.per_lane {
            let carried: Vec<Value> = accs.regs.iter().map(|&reg| Value::Varying(reg)).collect();
            let next = self.apply(op, &[carried, values.to_vec()].concat())?;
            return self.set_lanes(&accs.regs, &next);
        }
        if in_order(op) {
            return self.fold_lanes(op, &accs.regs, values);
        }
        let values = self.or_neutral(neutral, values);
        let total = self.neighbours(op, values)?;
        let carried: Vec<Value> = accs.regs.iter().map(|&reg| Value::Uniform(reg.into())).collect();
        let total: Vec<Value> = total.into_iter().map(Value::Uniform).collect();
        let next = self.apply_at(op, 1, &[carried, total].concat())?;
        self.set_all(&accs.regs, &next);
        Ok(())
    }

    /// Returns vectors that hold neutral elements in lanes that do not run.
    pub fn or_neutral(&mut self, neutral: &[CoreOperand], values: &[Value]) -> Vec<Reg> {
        let mut full = Vec::new();
        for (&value, &neutral) in values.iter().zip(neutral) {
            let vector = self.vector_reg(value);
            full.push(match self.mask_operand() {
                None => vector,
                Some(mask) => {
                    let neutral = self.value(neutral);
                    let y = self.vector(neutral);
                    let dst = self.code.reg("v", self.code.regs[vector].ty);
                    self.code.emit(Op::Select { dst, cond: mask, x: vector.into(), y });
                    dst
                }
            });
        }
        full
    }

    /// Assigns scalars to registers in parallel.
    pub fn set_all(&mut self, regs: &[Reg], values: &[Value]) {
        let mut settled = Vec::new();
        for &value in values {
            settled.push(match value {
                Value::Uniform(Operand::Reg(reg)) if regs.contains(&reg) => {
                    self.code.copy("next", reg).into()
                }
                Value::Uniform(x) => x,
                Value::Linear { base, .. } => base,
                Value::Varying(reg) => reg.into(),
            });
        }
        for (&reg, x) in regs.iter().zip(settled) {
            self.code.set(reg, x);
        }
    }

    /// Assigns values to vector registers in parallel, in the lanes that run.
    fn set_lanes(&mut self, regs: &[Reg], values: &[Value]) -> Lowered<()> {
        let mut settled: Vec<Operand> = Vec::new();
        for &value in values {
            let x = self.vector(value);
            settled.push(match x {
                Operand::Reg(reg) if regs.contains(&reg) => self.code.copy("next", reg).into(),
                Operand::Reg(_) | Operand::Const(_) => x,
            });
        }
        for (&dst, x) in regs.iter().zip(settled) {
            match self.mask_operand() {
                None => self.code.set(dst, x),
                Some(cond) => self.code.emit(Op::Select { dst, cond, x, y: dst.into() }),
            }
        }
        Ok(())
    }

    /// Returns the total of the accumulators as scalars.
    pub fn finish_fold(
        &mut self,
        op: &'a Lambda,
        accs: &Accumulators,
        how: &LaneLoop,
    ) -> Lowered<Vec<Operand>> {
        if !accs.per_lane || how.width == 1 {
            return Ok(accs.regs.iter().map(|&reg| reg.into()).collect());
        }
        let saved =
            self.lanes.replace(Lanes { width: how.width, mask: Mask::Full, facts: how.facts.clone() });
        let total = self.halves(op, accs.regs.clone());
        self.lanes = saved;
        total
    }

    /// Folds accumulators of many lanes into fresh ones with fewer lanes, halves onto halves.
    pub fn fold_down(
        &mut self,
        op: &'a Lambda,
        many: &Accumulators,
        fewer: &Accumulators,
        how: &LaneLoop,
    ) -> Lowered<()> {
        let Some(&first) = fewer.regs.first() else { return Ok(()) };
        let until = self.code.regs[first].ty.lanes;
        let saved =
            self.lanes.replace(Lanes { width: how.width, mask: Mask::Full, facts: how.facts.clone() });
        let folded = self.narrowed(op, many.regs.clone(), until, |lane, half| (lane, half + lane));
        self.lanes = saved;
        for (&dst, x) in fewer.regs.iter().zip(folded?) {
            self.code.set(dst, x);
        }
        Ok(())
    }

    /// Folds vectors until one lane is left, the upper half of the lanes onto the lower one.
    fn halves(&mut self, op: &'a Lambda, vectors: Vec<Reg>) -> Lowered<Vec<Operand>> {
        self.tree(op, vectors, |lane, half| (lane, half + lane))
    }

    /// Folds vectors until one lane is left, each even lane with its neighbour.
    pub fn neighbours(&mut self, op: &'a Lambda, vectors: Vec<Reg>) -> Lowered<Vec<Operand>> {
        self.tree(op, vectors, |lane, _| (2 * lane, 2 * lane + 1))
    }

    fn tree(
        &mut self,
        op: &'a Lambda,
        vectors: Vec<Reg>,
        pair: impl Fn(u16, u16) -> (u16, u16),
    ) -> Lowered<Vec<Operand>> {
        let vectors = self.narrowed(op, vectors, 2, pair)?;
        let lanes = vectors.first().map_or(1, |&reg| self.code.regs[reg].ty.lanes);
        if lanes == 1 {
            return Ok(vectors.into_iter().map(Operand::Reg).collect());
        }
        let mut args = Vec::new();
        for lane in 0..2 {
            for &vector in &vectors {
                let dst = self.code.reg("part", ImpType::scalar(self.code.regs[vector].ty.scalar));
                self.code.emit(Op::Extract { dst, x: vector.into(), lane: Operand::i64(lane) });
                args.push(Value::Uniform(dst.into()));
            }
        }
        let total = self.apply_at(op, 1, &args)?;
        Ok(total.into_iter().filter_map(Value::base).collect())
    }

    /// Combines pairs of lanes until `until` lanes are left.
    fn narrowed(
        &mut self,
        op: &'a Lambda,
        mut vectors: Vec<Reg>,
        until: u16,
        pair: impl Fn(u16, u16) -> (u16, u16),
    ) -> Lowered<Vec<Reg>> {
        let mut lanes = vectors.first().map_or(1, |&reg| self.code.regs[reg].ty.lanes);
        while lanes > until {
            let half = lanes / 2;
            let left: Vec<u16> = (0..half).map(|lane| pair(lane, half).0).collect();
            let right: Vec<u16> = (0..half).map(|lane| pair(lane, half).1).collect();
            let xs = self.shuffled(&vectors, &left);
            let ys = self.shuffled(&vectors, &right);
            let args: Vec<Value> = xs.into_iter().chain(ys).map(Value::Varying).collect();
            let combined = self.apply_at(op, half, &args)?;
            vectors =
                self.at_width(half, |this| combined.iter().map(|&value| this.vector_reg(value)).collect());
            lanes = half;
        }
        Ok(vectors)
    }

    /// Returns the given lanes of each vector.
    pub fn shuffled(&mut self, vectors: &[Reg], lanes: &[u16]) -> Vec<Reg> {
        vectors
            .iter()
            .map(|&x| {
                let ty = ImpType::vector(self.code.regs[x].ty.scalar, lanes.len() as u16);
                let dst = self.code.reg("half", ty);
                self.code.emit(Op::Shuffle { dst, x: x.into(), y: x.into(), lanes: lanes.to_vec() });
                dst
            })
            .collect()
    }

    /// Applies an operator to vectors with another number of lanes, or to scalars.
    pub fn apply_at(&mut self, op: &'a Lambda, width: u16, args: &[Value]) -> Lowered<Vec<Value>> {
        self.at_width(width, |this| this.apply(op, args))
    }

    /// Runs `inner` with another number of lanes, all of which run.
    pub fn at_width<T>(&mut self, width: u16, inner: impl FnOnce(&mut Self) -> T) -> T {
        let saved = self.lanes.clone();
        match &mut self.lanes {
            Some(lanes) if width > 1 => (lanes.width, lanes.mask) = (width, Mask::Full),
            Some(_) | None => self.lanes = None,
        }
        let result = inner(self);
        self.lanes = saved;
        result
    }
}
