//! Loops that update an array, a block of a matrix say, which a work-group can hold in local memory for all rounds.
//!
//! ```text
//! map (a: [b][b]f32) { loop (m = copy a) for i < b { col = map ...; m with [:, i] = col } }
//! ```
//!
//! Flattened, each round would be a launch for each operation, which takes longer than what a few hundred elements need. The scheduler
//! gives each element a work-group ([`crate::schedule`]), if nothing else in the nest keeps it from that.

use rustc_hash::FxHashSet;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::free_in_lambda;
use warpwise_ir::{Body, Expr, Function, Lambda, LoopParam, Operand, Type, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp};

/// Elements of an array for each point of an operation: what is updated by rows and columns.
const ROWS: i64 = 4;

/// What the loops of an element do.
pub struct Repeated {
    /// The spaces of the operations that they repeat.
    operations: Vec<Vec<Operand>>,
    /// The shapes of the arrays that they update.
    arrays: Vec<Vec<Operand>>,
}

/// What the loops of an element do, where all they do to arrays is to update them, and sizes are known outside; none if there is no
/// such loop, or another one.
pub fn repeated(function: &Function, lambda: &Lambda) -> Option<Repeated> {
    let outside = free_in_lambda(function, lambda).iter().collect();
    let found = Repeated { operations: Vec::new(), arrays: Vec::new() };
    let mut loops = Loops { function, outside, found };
    loops.body(&lambda.body, false)?;
    Some(loops.found).filter(|found| !found.operations.is_empty())
}

impl Repeated {
    /// Whether all operations have so many points at most, and arrays not many more elements. Host code.
    pub fn is_small(&self, b: &mut Builder, most: Operand) -> Operand {
        let most_elements = b.binary("most", BinaryOp::Mul, most, Operand::i64(ROWS));
        let operations = self.operations.iter().map(|space| (space, most));
        let arrays = self.arrays.iter().map(|shape| (shape, most_elements));
        let mut all = Operand::Const(true.into());
        for (sizes, most) in operations.chain(arrays) {
            let mut sizes = sizes.iter().copied();
            let first = sizes.next().unwrap_or(Operand::i64(1));
            let points = sizes.fold(first, |all, size| b.binary("points", BinaryOp::Mul, all, size));
            let small = b.compare("small", CompareOp::SLe, points, most);
            all = b.binary("small", BinaryOp::And, all, small);
        }
        all
    }
}

struct Loops<'f> {
    function: &'f Function,
    /// What is bound outside of the element.
    outside: FxHashSet<Var>,
    found: Repeated,
}

impl Loops<'_> {
    /// What an element does; `repeats` within a loop.
    fn body(&mut self, body: &Body, repeats: bool) -> Option<()> {
        body.stms.iter().try_for_each(|stm| match &stm.expr {
            Expr::Loop { params, body, .. } => {
                for (param, &result) in params.iter().zip(&body.result) {
                    self.param(param, body, result)?;
                }
                self.body(body, true)
            }
            Expr::If { then_body, else_body, .. } => {
                self.body(then_body, repeats)?;
                self.body(else_body, repeats)
            }
            Expr::Screma(_) | Expr::Scatter(_) if repeats => self.operation(&stm.expr, &[]),
            Expr::Screma(_) | Expr::Scatter(_) => Some(()),
            Expr::Partition(_) | Expr::Hist(_) | Expr::Stream(_) | Expr::FlatMap(_) => None,
            exprs!(Operand, scalar, Assert, array, Call, WithAcc, UpdateAcc, Seg, Tuned, Alloc) => Some(()),
        })
    }

    /// An operation within these dimensions; none if it is as long as the element or the round says. Of those inside, which are all its
    /// points do, such ones are done in order.
    fn operation(&mut self, expr: &Expr, around: &[Operand]) -> Option<()> {
        let (width, lambda) = match expr {
            Expr::Screma(soac) => (soac.width, &soac.map),
            Expr::Scatter(soac) => (soac.width, &soac.lambda),
            exprs!(simple, If, Loop, Partition, Hist, Stream, WithAcc, FlatMap, Seg) => return None,
        };
        if !self.is_outside(width) {
            return None;
        }
        let space = [around, &[width]].concat();
        for stm in &lambda.body.stms {
            let _ = self.operation(&stm.expr, &space);
        }
        self.found.operations.push(space);
        Some(())
    }

    fn is_outside(&self, size: Operand) -> bool {
        size.as_var().is_none_or(|var| self.outside.contains(&var))
    }

    /// A parameter of a loop, and what it is in the next round: the same array, updated, or no array.
    fn param(&mut self, param: &LoopParam, body: &Body, result: Operand) -> Option<()> {
        let Type::Array(ty) = self.function.ty(param.var) else { return Some(()) };
        if !ty.shape.iter().all(|&size| self.is_outside(size)) || !comes_of(body, result.as_var()?, param.var)
        {
            return None;
        }
        self.found.arrays.push(ty.shape.to_vec());
        Some(())
    }
}

/// Whether a variable of a body is an array after updates in place.
fn comes_of(body: &Body, var: Var, array: Var) -> bool {
    if var == array {
        return true;
    }
    let made = body.stms.iter().find(|stm| stm.pattern.contains(&var));
    let Some(stm) = made else { return false };
    let at = stm.pattern.iter().position(|&bound| bound == var).expect("it is bound here");
    match &stm.expr {
        Expr::Update { array: before, .. } => comes_of(body, *before, array),
        Expr::Operand(Operand::Var(before)) => comes_of(body, *before, array),
        Expr::Scatter(scatter) => comes_of(body, scatter.dests[at].array, array),
        Expr::Loop { params, body: inner, .. } => {
            let (param, result) = (&params[at], inner.result[at]);
            result.as_var().is_some_and(|result| comes_of(inner, result, param.var))
                && param.init.as_var().is_some_and(|before| comes_of(body, before, array))
        }
        exprs!(
            Operand, scalar, Assert, view, fresh, If, Call, Screma, Partition, Hist, Stream, WithAcc,
            FlatMap, UpdateAcc, Seg, Tuned, Alloc
        ) => false,
    }
}
