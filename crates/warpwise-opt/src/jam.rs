//! Runs iterations of a loop together if their inner loops load the same data: unroll and jam (S. Carr, K. Kennedy, TOPLAS 16(6),
//! 1994).
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
//! A loop with a small constant number of iterations is unrolled completely. Of other loops a fixed number of iterations is run
//! at a time, and the remaining ones singly. Inner loops keep the order of their sums, and statements that depend on the previous
//! iteration stay in order, so results do not change.
//!
//! Applies to plain bodies ([`is_plain`]) inside operations, without checks and arrays, with one inner loop. Not done: loops
//! whose inner loops share nothing, which would only need more registers.

use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Expr, Function, LoopForm, LoopParam, Operand, Program, Stm, Type, Var};
use warpwise_prim::{BinaryOp, Scalar};

use crate::pass::rewrite_bodies;
use crate::side_by_side::{Copies, dependents, is_plain};

/// Maximum number of iterations of a loop that is unrolled completely. The values that it carries should fit in registers.
const MOST: i64 = 8;

/// Number of iterations of other loops that run together.
const AT_ONCE: i64 = 4;

/// Maximum number of statements of an inner loop. Longer loops gain little by sharing.
const MOST_STATEMENTS: usize = 24;

/// Rewrites loops within the operations of every function.
pub fn jam(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, outside);
    Ok(())
}

/// Looks for operations in host code.
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

/// A loop with an inner loop.
struct Nest<'a> {
    stm: &'a Stm,
    params: &'a [LoopParam],
    index: Var,
    bound: Operand,
    body: &'a Body,
    /// The variables that depend on the previous iteration.
    waiting: FxHashSet<Var>,
}

impl<'a> Nest<'a> {
    /// Returns the nest of a loop whose iterations gain by running together.
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

    /// Returns the statements that replace the loop.
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

    /// Emits a loop over blocks of iterations, then a loop over the rest.
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

    /// Returns parameters like those of the loop, with these initial values.
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

    /// Emits the iterations with these indices, starting with the values `carried`. Returns the carried values after them.
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

/// Whether an inner loop has the same form for all outer iterations, and a load that they share.
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
