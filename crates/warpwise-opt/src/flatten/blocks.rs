//! Finds loops that update or exchange arrays, such as a block of a matrix, by operations that are short enough for one
//! work-group.
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

use super::levels::product;

/// Maximum number of bytes of all arrays that loops update or make. They are in the local memory of a work-group, 32 KiB, beside
/// arrays that are made before the loops.
const MOST_BYTES: i64 = 28 << 10;

/// The work of the loops within an element of a nest.
pub struct Repeated {
    /// The spaces of the operations in loop bodies.
    operations: Vec<Vec<Operand>>,
    /// The sizes of the arrays that loops update or make, and the bytes of an element.
    arrays: Vec<Vec<Operand>>,
}

/// Collects the work of the loops in `lambda`. Returns `None` if there is no loop, if a loop carries an array that it neither
/// updates in place nor exchanges with another, or if a size is not known outside the nest.
pub fn repeated(function: &Function, lambda: &Lambda) -> Option<Repeated> {
    let outside = free_in_lambda(function, lambda).iter().collect();
    let found = Repeated { operations: Vec::new(), arrays: Vec::new() };
    let mut loops = Loops { function, outside, updated: FxHashSet::default(), found };
    loops.body(&lambda.body, false)?;
    Some(loops.found).filter(|found| !found.operations.is_empty())
}

impl Repeated {
    /// Emits the test whether every operation has at most `most` points, and the arrays have at most [`MOST_BYTES`].
    pub fn is_small(&self, b: &mut Builder, most: Operand) -> Operand {
        let mut small = Operand::Const(true.into());
        let mut at_most = |b: &mut Builder, x: Operand, most: Operand| {
            let enough = b.compare("small", CompareOp::SLe, x, most);
            small = b.binary("small", BinaryOp::And, small, enough);
        };
        for space in &self.operations {
            let points = product(b, space);
            at_most(b, points, most);
        }
        let mut all = Operand::i64(0);
        for sizes in &self.arrays {
            let bytes = product(b, sizes);
            at_most(b, bytes, Operand::i64(MOST_BYTES));
            all = b.binary("bytes", BinaryOp::Add, all, bytes);
        }
        at_most(b, all, Operand::i64(MOST_BYTES));
        small
    }
}

struct Loops<'f> {
    function: &'f Function,
    /// The variables bound outside of the element.
    outside: FxHashSet<Var>,
    /// The parameters of the loops seen so far, and the arrays from before the loops that these update.
    updated: FxHashSet<Var>,
    found: Repeated,
}

impl Loops<'_> {
    /// Collects from a body; `repeats` is true within a loop.
    fn body(&mut self, body: &Body, repeats: bool) -> Option<()> {
        body.stms.iter().try_for_each(|stm| match &stm.expr {
            Expr::Loop { params, body: inner, .. } => {
                for (param, &result) in params.iter().zip(&inner.result) {
                    self.param(param, body)?;
                    self.result(params, inner, result)?;
                }
                self.body(inner, true)
            }
            Expr::If { then_body, else_body, .. } => {
                self.body(then_body, repeats)?;
                self.body(else_body, repeats)
            }
            Expr::Screma(_) if repeats => {
                self.operation(&stm.expr, &[])?;
                self.arrays(&stm.pattern)
            }
            Expr::Scatter(_) if repeats => self.operation(&stm.expr, &[]),
            exprs!(fresh) if repeats => self.arrays(&stm.pattern),
            Expr::Screma(_) | Expr::Scatter(_) => Some(()),
            Expr::Partition(_) | Expr::Hist(_) | Expr::Stream(_) | Expr::FlatMap(_) => None,
            exprs!(Operand, scalar, Assert, array, Call, WithAcc, UpdateAcc, Seg, Tuned, Alloc) => Some(()),
        })
    }

    /// Collects an operation inside the dimensions `around`. Returns `None` if its width varies between elements or iterations.
    /// Nested operations of varying width run in order within a point.
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

    /// Collects a parameter of a loop in `around`. Returns `None` for an array whose size varies.
    fn param(&mut self, param: &LoopParam, around: &Body) -> Option<()> {
        if self.function.ty(param.var).rank() == 0 {
            return Some(());
        }
        self.updated.insert(param.var);
        if self.updated.insert(origin(around, param.init.as_var()?)) {
            self.arrays(&[param.var])
        } else {
            Some(())
        }
    }

    /// Returns `None` for an array result of a loop's body that is not one of the loop's parameters after updates in place.
    fn result(&self, params: &[LoopParam], body: &Body, result: Operand) -> Option<()> {
        let Some(var) = result.as_var().filter(|&var| self.function.ty(var).rank() > 0) else {
            return Some(());
        };
        let origin = origin(body, var);
        params.iter().any(|param| param.var == origin).then_some(())
    }

    /// Collects the arrays among these variables. Returns `None` if a size varies.
    fn arrays(&mut self, vars: &[Var]) -> Option<()> {
        for &var in vars {
            let Type::Array(ty) = self.function.ty(var) else { continue };
            if !ty.shape.iter().all(|&size| self.is_outside(size)) {
                return None;
            }
            let bytes = Operand::i64(ty.elem.bytes() as i64);
            self.found.arrays.push([ty.shape.as_slice(), &[bytes]].concat());
        }
        Some(())
    }
}

/// Returns the array that `var` is after updates in place: an array from outside `body`, the result of a loop, or a fresh array.
fn origin(body: &Body, var: Var) -> Var {
    let Some(stm) = body.stms.iter().find(|stm| stm.pattern.contains(&var)) else { return var };
    let at = stm.pattern.iter().position(|&bound| bound == var).expect("it is bound here");
    match &stm.expr {
        Expr::Update { array, .. } => origin(body, *array),
        Expr::Operand(Operand::Var(array)) => origin(body, *array),
        Expr::Scatter(scatter) => origin(body, scatter.dests[at].array),
        Expr::Loop { params, body: inner, .. } => {
            let updated =
                inner.result[at].as_var().is_some_and(|result| origin(inner, result) == params[at].var);
            params[at].init.as_var().filter(|_| updated).map_or(var, |array| origin(body, array))
        }
        exprs!(
            Operand, scalar, Assert, view, fresh, If, Call, Screma, Partition, Hist, Stream, WithAcc,
            FlatMap, UpdateAcc, Seg, Tuned, Alloc
        ) => var,
    }
}
