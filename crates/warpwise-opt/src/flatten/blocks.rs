//! Loops that update an array, such as a block of a matrix, by operations that are short enough for one work-group.
//!
//! ```text
//! map (a: [b][b]f32) { loop (m = copy a) for i < b { col = map ...; m with [:, i] = col } }
//! ```
//!
//! Flattening launches every operation once per iteration, which costs more than a few hundred elements do. The scheduler gives each
//! element of the nest a work-group instead ([`crate::schedule`]), unless another statement of the nest forbids that.

use rustc_hash::FxHashSet;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::free_in_lambda;
use warpwise_ir::{Body, Expr, Function, Lambda, LoopParam, Operand, Type, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp};

/// Maximum number of array elements per point of the longest operation: arrays are updated by rows and columns.
const ELEMENTS_PER_POINT: i64 = 4;

/// The work of the loops within an element of a nest.
pub struct Repeated {
    /// The spaces of the operations in loop bodies.
    operations: Vec<Vec<Operand>>,
    /// The shapes of the updated arrays.
    arrays: Vec<Vec<Operand>>,
}

/// Collects the work of the loops in `lambda`. Returns none if there is no loop, if a loop carries an array that it does not update in
/// place, or if a size is not known outside the nest.
pub fn repeated(function: &Function, lambda: &Lambda) -> Option<Repeated> {
    let outside = free_in_lambda(function, lambda).iter().collect();
    let found = Repeated { operations: Vec::new(), arrays: Vec::new() };
    let mut loops = Loops { function, outside, found };
    loops.body(&lambda.body, false)?;
    Some(loops.found).filter(|found| !found.operations.is_empty())
}

impl Repeated {
    /// Emits the test whether every operation has at most `most` points, and every array at most [`ELEMENTS_PER_POINT`] times as many
    /// elements.
    pub fn is_small(&self, b: &mut Builder, most: Operand) -> Operand {
        let most_elements = b.binary("most", BinaryOp::Mul, most, Operand::i64(ELEMENTS_PER_POINT));
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
    /// Collects from a body; `repeats` is true within a loop.
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

    /// Collects an operation inside the dimensions `around`. Returns none if its width varies between elements or iterations; nested
    /// operations of varying width run in order within a point.
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

    /// Collects a loop parameter. Returns none for an array that the loop does not update in place.
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

/// Returns whether `var` is `array` after updates in place.
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
