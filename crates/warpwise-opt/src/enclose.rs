//! Runs host loops of small operations as one task: a kernel that does all iterations, instead of launches in each of them.
//!
//! ```text
//! ys: [n]f32 = loop (xs: [n]f32 = xs0) for i: i32 < k { ...; r: [n]f32 = segmap (j < n: seq) {...}; return r };
//! ==>
//! ... small: bool = slt work 20000 ...
//! ys: [n]f32 = if small {
//!   all: [1][n]f32 = segmap (t < 1: task) {
//!     rs: [n]f32 = loop (xs: [n]f32 = xs0) for i: i32 < k { ...; r: [n]f32 = segmap (j < n: seq) {...}; return r };
//!     return rs };
//!   one: [n]f32 = index all[0];
//!   return one
//! } else { ys = ... as it was ...; return ys };
//! ```
//!
//! A launch costs as much as a thousand operations in lanes, and the host's code is interpreted. Operations that are so small run on
//! one thread anyway; the same thread then runs the code between them, too.
//!
//! Needs the sizes of all arrays and operations before the loop. A task owns only what it makes: it copies the arrays that the loop
//! overwrites, and its results are copied when it ends, so they count as work. Not done here: filters, whose results have sizes of
//! their own; calls; operations in sequence without a loop; loops on devices, where one thread is slow.

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Branch, Expr, Function, LoopForm, LoopParam, Mapping, Operand, Program, SegDim, SegKind, SegOp,
    Stm, Type, Var, exprs,
};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarType};

use crate::pass::rewrite_bodies;
use crate::schedule::cost;
use crate::schedule::versions::statements;

/// Limit of the work of an iteration, in simple operations. The run time shares no launch below it among threads (`WORTH_SHARING`
/// there).
const MOST_WORK: i64 = 20_000;

/// Number of times that a task copies an array that its loop carries: the first value, the result, and the task's result.
const COPIES: f64 = 3.0;

/// Maximum number of statements of a loop. Each is compiled twice.
const MOST_STMS: usize = 100;

/// The cost of the code that runs once for each point of a space, by the extents of the space.
type Terms = IndexMap<Vec<Operand>, f64>;

/// Encloses the loops of every function.
pub fn enclose(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| walk(function, &mut FxHashSet::default(), body));
    Ok(())
}

/// Walks over host code only. `blank` are the arrays of unspecified contents before the body.
fn walk(function: &mut Function, blank: &mut FxHashSet<Var>, body: &mut Body) {
    for mut stm in std::mem::take(&mut body.stms) {
        let work = Work::of_loop(function, &stm);
        if matches!(stm.expr, Expr::Scratch { .. }) {
            blank.extend(&stm.pattern);
        }
        let enclosed =
            work.map(|work| (work, Copier::within(function, Substitution::new()).copy_expr(&stm.expr)));
        if !matches!(stm.expr, Expr::Seg(_)) {
            stm.expr.for_each_body_mut(|body| walk(function, blank, body));
        }
        match enclosed {
            Some((work, enclosed)) => body.stms.extend(versions(function, blank, stm, enclosed, &work)),
            None => body.stms.push(stm),
        }
    }
}

/// The work of one iteration of a loop, in terms of sizes that are known before it.
struct Work<'f> {
    function: &'f Function,
    terms: Terms,
    /// Variables that the loop binds.
    local: FxHashSet<Var>,
    /// Whether there is a segmented operation.
    launches: bool,
}

impl Work<'_> {
    /// Returns the work of a loop that one task can run; `None` for any other statement.
    fn of_loop(function: &Function, stm: &Stm) -> Option<Terms> {
        let Expr::Loop { params, body, .. } = &stm.expr else { return None };
        let is_value = |&var: &Var| matches!(function.ty(var), Type::Scalar(_) | Type::Array(_));
        if statements(body) > MOST_STMS || !stm.pattern.iter().all(is_value) {
            return None;
        }
        let local = FxHashSet::default();
        let mut work = Work { function, terms: IndexMap::new(), local, launches: false };
        work.stm(stm, &[])?;
        for param in params {
            work.array(&[], param.var, COPIES);
        }
        work.launches.then_some(work.terms)
    }

    /// Adds the work of a body that runs once for each point of a space. The space of host code has no dimension.
    fn body(&mut self, body: &Body, space: &[Operand]) -> Option<()> {
        body.stms.iter().try_for_each(|stm| self.stm(stm, space))
    }

    fn stm(&mut self, stm: &Stm, space: &[Operand]) -> Option<()> {
        self.local.extend(&stm.pattern);
        self.check_sizes(&stm.pattern)?;
        match &stm.expr {
            Expr::Seg(op) => {
                self.arrays(space, &stm.pattern);
                self.operation(op, space)
            }
            Expr::Loop { params, form, body } => {
                let mut inner = space.to_vec();
                match *form {
                    LoopForm::For { index, bound } => {
                        self.local.insert(index);
                        // In host code it is a single iteration whose work counts.
                        if !space.is_empty() {
                            inner.push(self.outside(bound)?);
                        }
                    }
                    LoopForm::While { .. } if space.is_empty() => {}
                    LoopForm::While { .. } => return None,
                }
                let params: Vec<Var> = params.iter().map(|param| param.var).collect();
                self.local.extend(&params);
                self.arrays(&inner, &params);
                self.body(body, &inner)
            }
            Expr::If { then_body, else_body, .. } => {
                self.arrays(space, &stm.pattern);
                self.body(then_body, space)?;
                self.body(else_body, space)
            }
            Expr::Update { value, .. } => {
                self.add(space.to_vec(), 1.0);
                value.as_var().into_iter().for_each(|value| self.array(space, value, 1.0));
                Some(())
            }
            // A reshape may copy.
            Expr::Reshape { .. } | exprs!(fresh) => {
                self.arrays(space, &stm.pattern);
                Some(())
            }
            exprs!(Operand, scalar, Assert, Index, Slice, Rearrange) => {
                self.add(space.to_vec(), cost::scalar(&stm.expr).unwrap_or(1.0));
                Some(())
            }
            exprs!(soac, Call, UpdateAcc, Tuned, Alloc) => None,
        }
    }

    fn operation(&mut self, op: &SegOp, space: &[Operand]) -> Option<()> {
        self.launches = true;
        let possible = match &op.kind {
            SegKind::Partition { .. } => false,
            SegKind::Scatter { dests } => dests.iter().all(|dest| !dest.segments),
            SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } | SegKind::Hist { .. } => true,
        };
        let is_chunk = op.space.iter().any(|dim| dim.mapping == Mapping::Task);
        if !possible || is_chunk {
            return None;
        }
        self.local.extend(op.space.iter().map(|dim| dim.index));
        let mut inner = space.to_vec();
        for dim in &op.space {
            inner.push(self.outside(dim.extent)?);
        }
        for lambda in op.kind.lambdas() {
            self.local.extend(&lambda.params);
            self.body(&lambda.body, &inner)?;
        }
        self.body(&op.body, &inner)
    }

    /// Fails unless these variables have types that code in a task can bind, with sizes that are known before the loop.
    fn check_sizes(&self, pattern: &[Var]) -> Option<()> {
        pattern.iter().try_for_each(|&var| match self.function.ty(var) {
            Type::Scalar(_) | Type::Cert => Some(()),
            Type::Array(array) => array.shape.iter().try_for_each(|&extent| self.outside(extent).map(drop)),
            Type::Acc(_) | Type::Mem => None,
        })
    }

    /// Returns an operand that is known before the loop.
    fn outside(&self, operand: Operand) -> Option<Operand> {
        operand.as_var().is_none_or(|var| !self.local.contains(&var)).then_some(operand)
    }

    /// Adds the work of making arrays at each point of a space.
    fn arrays(&mut self, space: &[Operand], arrays: &[Var]) {
        arrays.iter().for_each(|&array| self.array(space, array, 1.0));
    }

    /// Adds the work of making an array at each point of a space, or nothing for a scalar.
    fn array(&mut self, space: &[Operand], array: Var, cost: f64) {
        let shape = self.function.ty(array).shape();
        if !shape.is_empty() {
            self.add(space.iter().chain(shape).copied().collect(), cost);
        }
    }

    fn add(&mut self, space: Vec<Operand>, cost: f64) {
        *self.terms.entry(space).or_default() += cost;
    }
}

/// Emits the condition that the work is below [`MOST_WORK`].
fn is_small(b: &mut Builder, work: &Terms) -> Operand {
    let mut sum = Operand::i64(0);
    for (space, &cost) in work {
        let mut points = None;
        for &extent in space {
            let extent = trips(b, extent);
            // Both factors are between 0 and the limit, so the product stays in range.
            let product = points.map(|points| b.binary("points", BinaryOp::Mul, points, extent));
            points = Some(product.map_or(extent, |product| limited(b, product)));
        }
        let cost = Operand::i64((cost.ceil() as i64).min(MOST_WORK));
        let term = points.map_or(cost, |points| b.binary("work", BinaryOp::Mul, points, cost));
        sum = b.binary("work", BinaryOp::Add, sum, term);
    }
    b.compare("small", CompareOp::SLt, sum, Operand::i64(MOST_WORK))
}

/// Returns the number of iterations for an extent or the bound of a loop, which may be negative, up to the limit.
fn trips(b: &mut Builder, bound: Operand) -> Operand {
    let is_wide = b.function.operand_type(bound) == Type::I64;
    let wide = if is_wide { bound } else { b.convert("wide", ConvertOp::SExt, bound, ScalarType::I64) };
    let trips = limited(b, wide);
    b.binary("trips", BinaryOp::SMax, trips, Operand::i64(0))
}

fn limited(b: &mut Builder, x: Operand) -> Operand {
    b.binary("few", BinaryOp::SMin, x, Operand::i64(MOST_WORK))
}

/// Returns the choice between a loop in one task and the original.
fn versions(
    function: &mut Function,
    blank: &FxHashSet<Var>,
    stm: Stm,
    enclosed: Expr,
    work: &Terms,
) -> Vec<Stm> {
    let mut b = Builder::new(function);
    b.set_span(stm.span);
    let cond = is_small(&mut b, work);
    let then_body = b.body(|b| b.with_certs(&stm.certs, |b| in_one_task(b, blank, enclosed)));
    let whole: Vec<Var> = stm.pattern.iter().map(|&var| b.function.fresh_like(var)).collect();
    let result = whole.iter().map(|&var| var.into()).collect();
    let else_body = Body { stms: vec![Stm { pattern: whole, ..stm.clone() }], result };
    b.bind_to(stm.pattern, Expr::If { cond, then_body, else_body, branch: Branch::Plain });
    b.take_stms()
}

/// Emits a task that runs a loop, and returns the loop's results.
fn in_one_task(b: &mut Builder, blank: &FxHashSet<Var>, mut enclosed: Expr) -> Vec<Operand> {
    let index = b.function.fresh("task", Type::I64);
    let body = b.body(|b| {
        if let Expr::Loop { params, .. } = &mut enclosed {
            params.iter_mut().for_each(|param| param.init = owned(b, blank, param));
        }
        b.bind("of_loop", enclosed).into_iter().map(Operand::Var).collect()
    });
    let space = vec![SegDim { index, extent: Operand::i64(1), mapping: Mapping::Task }];
    let rows = b.bind("of_task", Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body })));
    rows.into_iter().map(|row| b.index("result", row, &[Operand::i64(0)]).into()).collect()
}

/// Returns the first value of a parameter: a copy if the loop overwrites it, or a new array if its contents do not matter.
fn owned(b: &mut Builder, blank: &FxHashSet<Var>, param: &LoopParam) -> Operand {
    let array = param.init.as_var().filter(|&array| param.consumed && b.function.ty(array).rank() > 0);
    let Some(array) = array else { return param.init };
    let ty = b.function.ty(array);
    let own = match ty.elem() {
        Some(elem) if blank.contains(&array) => Expr::Scratch { elem, shape: ty.shape().into() },
        Some(_) | None => Expr::Copy(array),
    };
    b.bind_one("own", own).into()
}
