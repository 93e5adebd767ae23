//! Moves loop-invariant array operations out of loops and maps.
//!
//! ```text
//! y: [n]f32 = loop (x: [n]f32 = x0) for i: i64 < k {          s: f32 = screma n (a) map ... reduce ...;
//!   s: f32 = screma n (a) map ... reduce ...;            ==>  y: [n]f32 = loop (x: [n]f32 = x0) for i: i64 < k {
//!   z: [n]f32 = screma n (x) map ... s ...;                     z: [n]f32 = screma n (x) map ... s ...;
//!   return z }                                                  return z }
//! ```
//!
//! A SOAC moves out if nothing overwrites its results and no loop carries them. The views, arrays and checks that it needs move
//! along. From loops of the host all such SOACs move, from nests only those that cost more than reading their result. Scalars by
//! themselves are moved by `simplify`.
//!
//! A loop or map may have no iterations. Statements that are safe without one then run unnecessarily. A statement that may fail,
//! may not end, or relies on an iteration (an index without a check) moves out only if no statement before it that stays may
//! fail. Unless the number of iterations is known to be positive, a choice on it is emitted. Such choices are emitted only in
//! host code, because they yield arrays and are slow inside nests.
//!
//! Not done here: statements in branches, rows of a few elements inside nests (registers hold those), and statements that may
//! fail in `while` loops.

use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution, free_in_stm};
use warpwise_ir::{Body, Branch, Expr, Function, LoopForm, Operand, Program, Stm, Type, Var, exprs};
use warpwise_prim::{CompareOp, Scalar};

use crate::aliases::Aliases;
use crate::pass::rewrite_bodies;
use crate::schedule::cost::{Guess, is_cheap_body, scalar_body};

/// Maximum number of elements of rows that stay inside nests.
const FEW: i64 = 16;

/// Minimum cost per element of a map without checks to leave a nest. Below that, another pass over memory would cost as much.
const DEAR: f64 = 8.0;

/// Moves operations in every function.
pub fn hoist(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| {
        let aliases = Aliases::of(function, body);
        Hoister { function, aliases, nests: 0 }.body(body);
    });
    Ok(())
}

struct Hoister<'f> {
    function: &'f mut Function,
    aliases: Aliases,
    /// Number of enclosing SOACs.
    nests: usize,
}

/// A body that runs repeatedly.
struct Rounds<'a> {
    body: &'a mut Body,
    /// The variables that each iteration binds before the body.
    varying: Vec<Var>,
    /// Number of iterations, if known in advance and the results of zero iterations are known, too.
    count: Option<Operand>,
    /// Whether the results of an iteration are the parameters of the next.
    carries: bool,
}

impl Hoister<'_> {
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            let is_nest = matches!(stm.expr, exprs!(soac));
            self.nests += usize::from(is_nest);
            stm.expr.for_each_body_mut(|inner| self.body(inner));
            self.nests -= usize::from(is_nest);
            self.statement(stm, &mut body.stms);
        }
    }

    /// Emits a statement after the statements that move out of it.
    fn statement(&mut self, mut stm: Stm, stms: &mut Vec<Stm>) {
        let Some(rounds) = rounds(&mut stm.expr) else { return stms.push(stm) };
        let count = rounds.count;
        let certainly_runs =
            count.and_then(|count| count.as_const()?.as_int()).is_some_and(|count| count > 0);
        let may_fail = certainly_runs || count.is_some() && self.nests == 0;
        let leaves = self.leaving(&rounds, may_fail);
        let mut leaves = leaves.into_iter();
        let (leaving, staying): (Vec<Stm>, Vec<Stm>) = std::mem::take(&mut rounds.body.stms)
            .into_iter()
            .partition(|_| leaves.next().expect("one for each statement"));
        rounds.body.stms = staying;
        match count {
            Some(count) if !certainly_runs && leaving.iter().any(|stm| is_risky(&stm.expr)) => {
                self.where_it_runs(stm, count, leaving, stms);
            }
            _ => {
                stms.extend(leaving);
                stms.push(stm);
            }
        }
    }

    /// Returns which statements of a body move out.
    fn leaving(&self, rounds: &Rounds, may_fail: bool) -> Vec<bool> {
        let of_host = self.nests == 0 && rounds.carries;
        let mut leaves = self.same_in_all(rounds, may_fail);
        let mut needed = FxHashSet::default();
        let mut later_fails = false;
        for (leaves, stm) in leaves.iter_mut().zip(&rounds.body.stms).rev() {
            let is_risky = is_risky(&stm.expr);
            let is_needed = stm.pattern.iter().any(|var| needed.contains(var));
            // A risky statement moves with a later risky one, so that the first of several failures is still the reported one.
            *leaves &= is_needed || self.is_worth(&stm.expr, of_host) || is_risky && later_fails;
            if *leaves {
                later_fails |= is_risky;
                needed.extend(free_in_stm(self.function, stm).iter());
            }
        }
        leaves
    }

    /// Returns which statements of a body compute the same in all iterations and could stand before the loop.
    fn same_in_all(&self, rounds: &Rounds, mut may_fail: bool) -> Vec<bool> {
        let mut varying: FxHashSet<Var> = rounds.varying.iter().copied().collect();
        let mut held = self.aliases.consumed_in(rounds.body);
        if rounds.carries {
            let carried = rounds.body.result.iter().filter_map(|result| result.as_var());
            held.extend(carried.filter(|&var| self.is_array(var)).flat_map(|var| self.aliases.roots(var)));
        }
        let is_held = |&var: &Var| self.aliases.roots(var).iter().any(|root| held.contains(root));
        let is_same = |stm: &Stm| {
            let is_risky = is_risky(&stm.expr);
            let is_same = stands_anywhere(&stm.expr)
                && (may_fail || !is_risky)
                && !free_in_stm(self.function, stm).iter().any(|var| varying.contains(&var))
                && !stm.pattern.iter().any(is_held);
            if !is_same {
                varying.extend(&stm.pattern);
                may_fail &= !is_risky;
            }
            is_same
        };
        rounds.body.stms.iter().map(is_same).collect()
    }

    /// Whether moving an expression out of a host loop or a nest pays off.
    fn is_worth(&self, expr: &Expr, of_host: bool) -> bool {
        match expr {
            Expr::Screma(soac) => {
                let combines = !soac.scans.is_empty() || !soac.reduces.is_empty();
                let body = &soac.map.body;
                if of_host {
                    return combines || !body.stms.is_empty();
                }
                let is_dear = || {
                    body.can_fail()
                        || !is_cheap_body(body)
                        || scalar_body(self.function, body, Guess::LONG, &mut |_| 0.0) >= DEAR
                };
                !is_few(soac.width) && (combines || is_dear())
            }
            exprs!(Partition, Hist) => true,
            exprs!(simple, If, Loop, Scatter, Stream, WithAcc, FlatMap, Seg) => false,
        }
    }

    fn is_array(&self, var: Var) -> bool {
        matches!(self.function.ty(var), Type::Array(_))
    }

    /// Emits the moved statements and the statement that they leave, on the condition that there is an iteration.
    fn where_it_runs(&mut self, stm: Stm, count: Operand, mut leaving: Vec<Stm>, stms: &mut Vec<Stm>) {
        let Stm { pattern, expr, certs, span } = stm;
        let mut copier = Copier::within(self.function, Substitution::new());
        let inner: Vec<Var> = pattern.iter().map(|&var| copier.copy_binding(var)).collect();
        let result = inner.iter().map(|&var| var.into()).collect();
        let mut b = Builder::new(self.function);
        b.set_span(span);
        let else_body = match &expr {
            Expr::Loop { params, .. } => {
                Body { stms: Vec::new(), result: params.iter().map(|param| param.init).collect() }
            }
            exprs!(simple, If, soac, Seg) => {
                b.body(|b| pattern.iter().map(|&var| without_rows(b, var)).collect())
            }
        };
        leaving.push(Stm { pattern: inner, expr, certs, span });
        let then_body = Body { stms: leaving, result };
        let none = Scalar::int(b.function.operand_type(count).as_scalar().expect("a number of rounds"), 0);
        let cond = b.compare("some", CompareOp::SLt, Operand::Const(none), count);
        b.bind_to(pattern, Expr::If { cond, then_body, else_body, branch: Branch::Plain });
        stms.extend(b.take_stms());
    }
}

/// Returns an empty array of the type of `like`.
fn without_rows(b: &mut Builder, like: Var) -> Operand {
    let ty = b.function.ty(like);
    let (elem, shape) = (ty.elem().expect("maps have arrays as results"), ty.shape().into());
    b.bind_one("none", Expr::Scratch { elem, shape }).into()
}

fn rounds(expr: &mut Expr) -> Option<Rounds<'_>> {
    match expr {
        Expr::Loop { params, form, body } => {
            let mut varying: Vec<Var> = params.iter().map(|param| param.var).collect();
            let count = match *form {
                LoopForm::For { index, bound } => {
                    varying.push(index);
                    Some(bound)
                }
                LoopForm::While { .. } => None,
            };
            Some(Rounds { body, varying, count, carries: true })
        }
        Expr::Screma(soac) => {
            let count = soac.is_map().then_some(soac.width);
            let varying = soac.map.params.clone();
            Some(Rounds { body: &mut soac.map.body, varying, count, carries: false })
        }
        exprs!(simple, If, Partition, Scatter, Hist, Stream, WithAcc, FlatMap, Seg) => None,
    }
}

/// Whether a width is known to be at most [`FEW`].
fn is_few(width: Operand) -> bool {
    width.as_const().and_then(|width| width.as_int()).is_some_and(|width| width <= FEW)
}

/// Whether an expression may stand in any body where its operands are known.
fn stands_anywhere(expr: &Expr) -> bool {
    match expr {
        exprs!(Operand, scalar, Assert, view, fresh, Screma, Partition, Hist) => true,
        exprs!(Update, If, Loop, Call, Scatter, Stream, WithAcc, UpdateAcc, FlatMap, Seg, Tuned, Alloc) => {
            false
        }
    }
}

/// Whether an expression may fail, may not end, or may rely on an iteration. The last holds for an index, a divisor or a size
/// whose check has been dropped because it holds in every iteration.
fn is_risky(expr: &Expr) -> bool {
    let by_itself = match expr {
        Expr::Binary(op, ..) => op.can_fail(),
        Expr::Loop { form, .. } => matches!(form, LoopForm::While { .. }),
        Expr::Screma(soac) => soac.inputs.is_empty(),
        exprs!(Operand, Unary, Ternary, Compare, Convert, Select, ArrayLit, Rearrange, Copy, Manifest) => {
            false
        }
        exprs!(If, Partition, Scatter, Hist, Stream, WithAcc, FlatMap, Seg, UpdateAcc, Tuned) => false,
        exprs!(Assert, Call, Index, Slice, Update, Iota, Replicate, Concat, Reshape, Scratch, Alloc) => true,
    };
    let mut is_inside = false;
    expr.for_each_body(|body| is_inside |= body.stms.iter().any(|stm| is_risky(&stm.expr)));
    by_itself || is_inside
}
