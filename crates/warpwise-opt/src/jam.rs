//! Runs iterations of a loop side by side whose inner loops load the same: unroll and jam (S. Carr, K. Kennedy, TOPLAS 16(6), 1994).
//!
//! ```text
//! least: f32 = loop (best: f32 = inf) for i: i64 < 3 {
//!   d: f32 = loop (sum: f32 = 0.0f32) for j: i64 < m {       d0, d1, d2 = loop (sum0 = 0.0f32, ...) for j: i64 < m {
//!     x: f32 = index p[j];                                     x: f32 = index p[j];              once for all
//!     y: f32 = index c[i, j];                        ==>       y0: f32 = index c[0, j]; ...
//!     ...                                                      ...
//!     return s };                                              return s0, s1, s2 };
//!   b: f32 = fmin best d;                                    b0: f32 = fmin inf d0; b1: f32 = fmin b0 d1;
//!   return b }                                               least: f32 = fmin b1 d2;
//! ```
//!
//! A loop of a few iterations, known when this is compiled, goes; of another so many iterations are done at a time, and the rest one
//! by one. Inner loops keep the order of what they sum, and what waits for the iteration before stays behind it: results
//! do not change.
//!
//! For plain bodies ([`is_plain`]) inside operations: neither checks nor arrays, and one inner loop. Not done: loops whose
//! inner loops share nothing, which would only need more registers.

use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Expr, Function, LoopForm, LoopParam, Operand, Program, Stm, Type, Var};
use warpwise_prim::{BinaryOp, Scalar};

use crate::pass::rewrite_bodies;
use crate::side_by_side::{Copies, dependents, is_plain};

/// Iterations of a loop that goes, at most: what they carry should stay in registers.
const MOST: i64 = 8;

/// Iterations at a time of one that stays.
const AT_ONCE: i64 = 4;

/// Statements of an inner loop, at most: more of them gain little by what they share.
const MOST_STATEMENTS: usize = 24;

/// Rewrites loops within the operations of every function.
pub fn jam(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, outside);
    Ok(())
}

/// Host code: looks for operations.
fn outside(function: &mut Function, body: &mut Body) {
    for stm in &mut body.stms {
        let is_operation = matches!(stm.expr, Expr::Seg(_));
        let walk = if is_operation { inside } else { outside };
        stm.expr.for_each_body_mut(|body| walk(function, body));
    }
}

fn inside(function: &mut Function, body: &mut Body) {
    for mut stm in std::mem::take(&mut body.stms) {
        stm.expr.for_each_body_mut(|body| inside(function, body));
        match Nest::of(function, &stm) {
            Some(nest) => body.stms.extend(nest.jammed(function)),
            None => body.stms.push(stm),
        }
    }
}

/// A loop with a loop in it.
struct Nest<'a> {
    stm: &'a Stm,
    params: &'a [LoopParam],
    index: Var,
    bound: Operand,
    body: &'a Body,
    /// What waits for the iteration before.
    waiting: FxHashSet<Var>,
}

impl<'a> Nest<'a> {
    /// A loop whose iterations gain by running side by side.
    fn of(function: &Function, stm: &'a Stm) -> Option<Nest<'a>> {
        let Expr::Loop { params, form: LoopForm::For { index, bound }, body } = &stm.expr else {
            return None;
        };
        let scalars = stm.pattern.iter().all(|&var| function.ty(var).as_scalar().is_some());
        if !scalars || *function.ty(*index) != Type::I64 || !is_plain(function, body) {
            return None;
        }
        let mut loops = body.stms.iter().filter(|stm| matches!(stm.expr, Expr::Loop { .. }));
        let (inner, None) = (loops.next()?, loops.next()) else { return None };
        let waiting = dependents(body, params.iter().map(|param| param.var));
        let shares = shares(inner, &dependents(body, [*index]));
        let at_once = !inner.pattern.iter().any(|var| waiting.contains(var));
        (shares && at_once).then_some(Nest { stm, params, index: *index, bound: *bound, body, waiting })
    }

    /// What the loop becomes.
    fn jammed(&self, function: &mut Function) -> Vec<Stm> {
        let mut b = Builder::new(function);
        b.set_span(self.stm.span);
        match self.bound {
            Operand::Const(Scalar::I64(few)) if few <= MOST => {
                let numbers = (0..few).map(Operand::i64).collect();
                let inits = self.params.iter().map(|param| param.init).collect();
                let results = self.side_by_side(&mut b, numbers, inits);
                for (&var, result) in self.stm.pattern.iter().zip(results) {
                    b.bind_to(vec![var], Expr::Operand(result));
                }
            }
            Operand::Const(_) | Operand::Var(_) => self.some_at_a_time(&mut b),
        }
        b.take_stms()
    }

    /// Blocks of iterations, then the rest.
    fn some_at_a_time(&self, b: &mut Builder) {
        let blocks = b.binary("blocks", BinaryOp::SQuot, self.bound, Operand::i64(AT_ONCE));
        let done = b.binary("done", BinaryOp::Mul, blocks, Operand::i64(AT_ONCE));
        let rest = b.binary("rest", BinaryOp::Sub, self.bound, done);
        let inits: Vec<Operand> = self.params.iter().map(|param| param.init).collect();
        let params = self.params_from(b, &inits);
        let carried = b.for_loop("some", blocks, params, |b, block, params| {
            let first = b.binary("first", BinaryOp::Mul, block, Operand::i64(AT_ONCE));
            let numbers =
                (0..AT_ONCE).map(|number| b.binary("i", BinaryOp::Add, first, Operand::i64(number)));
            let numbers = numbers.collect();
            self.side_by_side(b, numbers, params.iter().map(|param| param.var.into()).collect())
        });
        let carried: Vec<Operand> = carried.into_iter().map(Operand::Var).collect();
        let params = self.params_from(b, &carried);
        let index = b.function.fresh_like(self.index);
        let body = b.body(|b| {
            let number = b.binary("i", BinaryOp::Add, done, index);
            let mut by = Substitution::new();
            by.insert(self.index, number);
            self.params.iter().zip(&params).for_each(|(old, new)| by.insert(old.var, new.var));
            let copy = Copier::within(b.function, by).copy_body(self.body);
            b.extend(copy.stms);
            copy.result
        });
        b.bind_to(
            self.stm.pattern.clone(),
            Expr::Loop { params, form: LoopForm::For { index, bound: rest }, body },
        );
    }

    /// Parameters like those of the loop, with these values to begin with.
    fn params_from(&self, b: &mut Builder, inits: &[Operand]) -> Vec<LoopParam> {
        let params = self.params.iter().zip(inits);
        params
            .map(|(param, &init)| LoopParam {
                var: b.function.fresh_like(param.var),
                init,
                consumed: param.consumed,
            })
            .collect()
    }

    /// The iterations of these numbers, which begin with what is carried; what they end with.
    fn side_by_side(
        &self,
        b: &mut Builder,
        numbers: Vec<Operand>,
        mut carried: Vec<Operand>,
    ) -> Vec<Operand> {
        let turns = numbers.len();
        let waits = |stm: &&Stm| stm.pattern.iter().any(|var| self.waiting.contains(var));
        let (later, at_once): (Vec<&Stm>, Vec<&Stm>) = self.body.stms.iter().partition(waits);
        let mut copies = Copies::new(b.function, turns, [(self.index, numbers)]);
        copies.stms(at_once.iter().copied());
        let made = at_once.iter().flat_map(|stm| stm.pattern.iter().copied()).chain([self.index]);
        let made: Vec<(Var, Vec<Operand>)> = made.map(|var| (var, copies.values_of(var.into()))).collect();
        let stms = copies.take_stms();
        b.extend(stms);
        let later = Body { stms: later.into_iter().cloned().collect(), result: self.body.result.clone() };
        for turn in 0..turns {
            let mut by = Substitution::new();
            made.iter().for_each(|(var, values)| by.insert(*var, values[turn]));
            self.params.iter().zip(&carried).for_each(|(param, &value)| by.insert(param.var, value));
            let copy = Copier::within(b.function, by).copy_body(&later);
            b.extend(copy.stms);
            carried = copy.result;
        }
        carried
    }
}

/// Whether a loop is the same for all iterations around it but for what it computes, and loads something for all of them.
fn shares(inner: &Stm, by_iteration: &FxHashSet<Var>) -> bool {
    let Expr::Loop { form: LoopForm::For { index, bound }, body, .. } = &inner.expr else { return false };
    let differs = |x: Operand| x.as_var().is_some_and(|var| by_iteration.contains(&var));
    let by_step = dependents(body, [*index]);
    let is_shared = |stm: &Stm| {
        let var = stm.pattern[0];
        matches!(stm.expr, Expr::Index { .. }) && !by_iteration.contains(&var) && by_step.contains(&var)
    };
    !differs(*bound)
        && inner.pattern.iter().any(|&var| differs(var.into()))
        && body.stms.len() <= MOST_STATEMENTS
        && body.stms.iter().any(is_shared)
}
