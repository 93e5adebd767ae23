//! Keeps the value that a loop iteration writes last in a register for the next iteration, which reads it.
//!
//! ```text
//! ys = loop (us = a) for k < t {                ys, y = loop (us = a, last = if 0 < t { a[0] } ...) for k < t {
//!   x: f32 = index us[k];                         x: f32 = last;
//!   y: f32 = fmul x c;                   ==>      y: f32 = fmul x c;
//!   i: i64 = add k 1;                             i: i64 = add k 1;
//!   vs: [n]f32 = update us[i] = y;                vs: [n]f32 = update us[i] = y;
//!   return vs                                     return vs, y
//! }                                             }
//! ```
//!
//! A recurrence then waits only for its last value, not for memory: scalar replacement of loop-carried values (D. Callahan, S.
//! Carr, K. Kennedy, PLDI 1990). The place that is read must be the place that the previous iteration has written, as a
//! polynomial in the loop's index and values from outside. The value for the first iteration is loaded before the loop.
//!
//! Not done: values older than one iteration, writes in one branch of a choice, loops without an index.

use rustc_hash::FxHashMap;
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::sums::Sum;
use warpwise_ir::{Body, Expr, Function, LoopForm, LoopParam, Operand, Program, SliceDim, Stm, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use crate::pass::rewrite_bodies;

/// Rewrites every loop.
pub fn carry(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| Carrier { function }.body(body));
    Ok(())
}

struct Carrier<'f> {
    function: &'f mut Function,
}

/// A counting loop under analysis.
struct Counting<'a> {
    params: &'a [LoopParam],
    index: Var,
    body: &'a Body,
    /// The expressions that the statements of the body bind.
    definitions: FxHashMap<Var, &'a Expr>,
}

/// A place that every iteration writes and the next one reads.
struct Recurrence {
    /// The statements of the body that read it.
    reads: Vec<usize>,
    /// Whether the reads rely on checks.
    is_checked: bool,
    /// The written value.
    value: Operand,
    /// The array and the place that the first iteration reads.
    array: Var,
    first: Vec<Operand>,
}

impl Carrier<'_> {
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            stm.expr.for_each_body_mut(|inner| self.body(inner));
            self.stm(&mut stm, &mut body.stms);
            body.stms.push(stm);
        }
    }

    fn stm(&mut self, stm: &mut Stm, before: &mut Vec<Stm>) {
        let Expr::Loop { params, form: LoopForm::For { index, bound }, body } = &mut stm.expr else { return };
        if self.function.ty(*index).as_scalar() != Some(warpwise_prim::ScalarType::I64) {
            return;
        }
        for position in 0..params.len() {
            let mut b = Builder::new(self.function);
            b.set_span(stm.span);
            let Some(found) = Counting::of(params, *index, body).recurrence(&mut b, position) else {
                continue;
            };
            let init = first_value(&mut b, *bound, &found);
            before.extend(b.take_stms());
            let ty = self.function.operand_type(init);
            let last = self.function.fresh("last", ty.clone());
            for &read in &found.reads {
                body.stms[read].expr = Expr::Operand(last.into());
            }
            params.push(LoopParam { var: last, init, consumed: false });
            body.result.push(found.value);
            stm.pattern.push(self.function.fresh("last", ty));
        }
    }
}

impl<'a> Counting<'a> {
    fn of(params: &'a [LoopParam], index: Var, body: &'a Body) -> Counting<'a> {
        let bound = |stm: &'a Stm| stm.pattern.iter().map(|var| (*var, &stm.expr));
        Counting { params, index, body, definitions: body.stms.iter().flat_map(bound).collect() }
    }

    /// Returns the recurrence through the array parameter at this position, if there is one.
    fn recurrence(&self, b: &mut Builder<'_>, position: usize) -> Option<Recurrence> {
        let LoopParam { var: param, init, .. } = self.params[position];
        let array = init.as_var()?;
        let (place, value) = self.last_write(param, self.body.result[position])?;
        let written: Vec<Sum> = place.iter().map(|at| self.place(*at)).collect::<Option<_>>()?;
        let next = Sum::var(self.index).plus(&Sum::constant(1))?;
        let is_next = |indices: &[Operand]| {
            let read = indices.iter().map(|at| self.place(*at)?.replace(self.index, &next));
            indices.len() == written.len()
                && read.zip(&written).all(|(read, written)| read.as_ref() == Some(written))
        };
        let is_read = |stm: &Stm| matches!(&stm.expr, Expr::Index { array, indices } if *array == param && is_next(indices));
        let stms = &self.body.stms;
        let reads: Vec<usize> = (0..stms.len()).filter(|at| is_read(&stms[*at])).collect();
        let Expr::Index { indices, .. } = &stms[*reads.first()?].expr else { return None };
        if !b.function.ty(param).shape().iter().all(|extent| self.is_outside(*extent)) {
            return None;
        }
        let is_checked = reads.iter().any(|read| !stms[*read].certs.is_empty());
        let first = indices.iter().map(|at| self.at_start(b, *at)).collect();
        Some(Recurrence { reads, is_checked, value, array, first })
    }

    /// Returns the place and the value of the last single-element update between a parameter and a result.
    fn last_write(&self, param: Var, result: Operand) -> Option<(Vec<Operand>, Operand)> {
        let mut last = None;
        let mut array = result.as_var()?;
        while array != param {
            let Expr::Update { array: before, dims, value } = self.definitions.get(&array)? else {
                return None;
            };
            let fixed = |dim: &SliceDim| match dim {
                SliceDim::Fix(at) => Some(*at),
                SliceDim::Range { .. } => None,
            };
            let place: Vec<Operand> = dims.iter().map(fixed).collect::<Option<_>>()?;
            last.get_or_insert((place, *value));
            array = *before;
        }
        last
    }

    /// Returns an index as a sum over the loop's index and variables from outside.
    fn place(&self, at: Operand) -> Option<Sum> {
        let sum = Sum::of(at, &|var| self.definitions.get(&var).copied())?;
        let is_known = |var: Var| var == self.index || self.is_outside(var.into());
        if sum.variables().all(is_known) { Some(sum) } else { None }
    }

    /// Whether an operand is known before the loop.
    fn is_outside(&self, operand: Operand) -> bool {
        operand.as_var().is_none_or(|var| {
            let is_param = self.params.iter().any(|param| param.var == var);
            !is_param && var != self.index && !self.definitions.contains_key(&var)
        })
    }

    /// Returns the value in the first iteration of an index made of sums and products.
    fn at_start(&self, b: &mut Builder<'_>, operand: Operand) -> Operand {
        let Some(var) = operand.as_var() else { return operand };
        match self.definitions.get(&var) {
            _ if var == self.index => Operand::i64(0),
            Some(Expr::Operand(x)) => self.at_start(b, *x),
            Some(Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), x, y)) => {
                let (x, y) = (self.at_start(b, *x), self.at_start(b, *y));
                b.binary("at", *op, x, y)
            }
            Some(_) | None => operand,
        }
    }
}

/// Returns the value that the first iteration reads. Without a first iteration, or out of bounds, the value is unused and zero.
fn first_value(b: &mut Builder<'_>, bound: Operand, it: &Recurrence) -> Operand {
    let shape = b.function.ty(it.array).shape().to_vec();
    let mut is_there = b.compare("some", CompareOp::SLt, Operand::i64(0), bound);
    if it.is_checked {
        for (at, extent) in it.first.iter().zip(shape) {
            let inside = b.compare("inside", CompareOp::ULt, *at, extent);
            is_there = b.binary("some", BinaryOp::And, is_there, inside);
        }
    }
    let element = b.function.ty(it.array).elem().expect("arrays have elements");
    let own = |b: &mut Builder<'_>| vec![b.index("first", it.array, &it.first).into()];
    b.branch("first", is_there, own, |_| vec![Scalar::zero(element).into()])[0].into()
}
