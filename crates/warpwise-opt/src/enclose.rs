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
//! one thread anyway, so nothing is lost if the same thread runs the code between them as well.
//!
//! Needs the sizes of all arrays and operations before the loop. Not done here: filters, whose results have sizes of their own;
//! calls; operations in sequence without a loop; loops on devices, where one thread is slow.

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Branch, Expr, Function, LoopForm, LoopParam, Mapping, Operand, Program, SegDim, SegKind, SegOp,
    Stm, Type, Var, exprs,
};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::pass::rewrite_bodies;
use crate::schedule::cost;

/// Maximum work of an iteration, in simple operations: the run time shares no launch below it among threads.
const MOST_WORK: i64 = 20_000;

/// Maximum number of statements of a loop, all of which are compiled twice.
const MOST_STMS: usize = 100;

/// Encloses the loops of every function.
pub fn enclose(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, walk);
    Ok(())
}

/// Walks over host code only.
fn walk(function: &mut Function, body: &mut Body) {
    for mut stm in std::mem::take(&mut body.stms) {
        if let Some(work) = Work::of_loop(function, &stm) {
            body.stms.extend(versions(function, stm, &work));
            continue;
        }
        if !matches!(stm.expr, Expr::Seg(_)) {
            stm.expr.for_each_body_mut(|body| walk(function, body));
        }
        body.stms.push(stm);
    }
}

/// The work of one iteration of a loop, in terms of sizes that are known before it.
struct Work<'f> {
    function: &'f Function,
    /// Cost of the code that runs once for each point of a space, by the extents of the space.
    terms: IndexMap<Vec<Operand>, f64>,
    /// Variables that the loop binds.
    local: FxHashSet<Var>,
    /// Whether there is a segmented operation.
    launches: bool,
    /// Number of statements.
    stms: usize,
}

impl Work<'_> {
    /// Returns the work of a loop that one task can run; `None` for any other statement.
    fn of_loop(function: &Function, stm: &Stm) -> Option<IndexMap<Vec<Operand>, f64>> {
        let Expr::Loop { params, form, body } = &stm.expr else { return None };
        let mut local: FxHashSet<Var> = stm.pattern.iter().copied().collect();
        local.extend(params.iter().map(|param| param.var));
        if let LoopForm::For { index, .. } = form {
            local.insert(*index);
        }
        let mut work = Work { function, terms: IndexMap::new(), local, launches: false, stms: 0 };
        work.are_sized(&stm.pattern)?;
        work.body(body, &[])?;
        (work.launches && work.stms <= MOST_STMS).then_some(work.terms)
    }

    /// Adds the work of a body that runs once for each point of a space. The space of host code has no dimension.
    fn body(&mut self, body: &Body, space: &[Operand]) -> Option<()> {
        body.stms.iter().try_for_each(|stm| self.stm(stm, space))
    }

    fn stm(&mut self, stm: &Stm, space: &[Operand]) -> Option<()> {
        self.stms += 1;
        self.local.extend(&stm.pattern);
        self.are_sized(&stm.pattern)?;
        match &stm.expr {
            Expr::Seg(op) => self.operation(op, space),
            Expr::Loop { params, form, body } => {
                self.local.extend(params.iter().map(|param| param.var));
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
                self.body(body, &inner)
            }
            Expr::If { then_body, else_body, .. } => {
                self.body(then_body, space)?;
                self.body(else_body, space)
            }
            Expr::Update { value, .. } => {
                let row = value.as_var().map_or(&[][..], |var| self.function.ty(var).shape());
                self.add(space.iter().chain(row).copied().collect(), 1.0);
                Some(())
            }
            exprs!(fresh) => {
                let made = stm.pattern.iter().flat_map(|&var| self.function.ty(var).shape());
                self.add(space.iter().chain(made).copied().collect(), 1.0);
                Some(())
            }
            exprs!(Operand, scalar, Assert, view) => {
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
    fn are_sized(&self, pattern: &[Var]) -> Option<()> {
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

    fn add(&mut self, space: Vec<Operand>, cost: f64) {
        *self.terms.entry(space).or_default() += cost;
    }
}

/// Emits the condition that the work is below [`MOST_WORK`].
fn is_small(b: &mut Builder, work: &IndexMap<Vec<Operand>, f64>) -> Operand {
    let most = Operand::i64(MOST_WORK);
    let capped = |b: &mut Builder, x: Operand| b.binary("few", BinaryOp::SMin, x, most);
    let mut sum = Operand::i64(0);
    for (space, &cost) in work {
        let mut points = None;
        for &extent in space {
            let extent = capped(b, extent);
            // Both factors are capped, so the product stays in range.
            let product = points.map(|points| b.binary("points", BinaryOp::Mul, points, extent));
            points = Some(product.map_or(extent, |product| capped(b, product)));
        }
        let cost = Operand::i64((cost.ceil() as i64).min(MOST_WORK));
        let term = points.map_or(cost, |points| b.binary("work", BinaryOp::Mul, points, cost));
        sum = b.binary("work", BinaryOp::Add, sum, term);
    }
    b.compare("small", CompareOp::SLt, sum, most)
}

/// Returns the choice between the loop in one task and the original.
fn versions(function: &mut Function, stm: Stm, work: &IndexMap<Vec<Operand>, f64>) -> Vec<Stm> {
    let enclosed = Copier::within(function, Substitution::new()).copy_expr(&stm.expr);
    let mut b = Builder::new(function);
    b.set_span(stm.span);
    let cond = is_small(&mut b, work);
    let then_body = b.body(|b| b.with_certs(&stm.certs, |b| in_one_task(b, enclosed, &stm.pattern)));
    let whole: Vec<Var> = stm.pattern.iter().map(|&var| b.function.fresh_like(var)).collect();
    let result = whole.iter().map(|&var| var.into()).collect();
    let else_body = Body { stms: vec![Stm { pattern: whole, ..stm.clone() }], result };
    b.bind_to(stm.pattern, Expr::If { cond, then_body, else_body, branch: Branch::Plain });
    b.take_stms()
}

/// Emits a task that runs a loop, and returns the loop's results. `like` are variables of their types.
fn in_one_task(b: &mut Builder, enclosed: Expr, like: &[Var]) -> Vec<Operand> {
    let one = Operand::i64(1);
    let index = b.function.fresh("task", Type::I64);
    let body = b.body(|b| {
        let enclosed = match enclosed {
            Expr::Loop { params, form, body } => {
                let params = params.into_iter().map(|param| owned(b, param)).collect();
                Expr::Loop { params, form, body }
            }
            other @ exprs!(simple, If, soac, Seg) => other,
        };
        let results: Vec<Var> = like.iter().map(|&var| b.function.fresh_like(var)).collect();
        b.bind_to(results.clone(), enclosed);
        results.into_iter().map(Operand::Var).collect()
    });
    let space = vec![SegDim { index, extent: one, mapping: Mapping::Task }];
    let of_task = |b: &mut Builder, &var: &Var| {
        let ty = b.function.ty(var).array_of(&[one]);
        b.function.fresh("of_task", ty)
    };
    let rows: Vec<Var> = like.iter().map(|var| of_task(b, var)).collect();
    b.bind_to(rows.clone(), Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body })));
    rows.into_iter().map(|row| b.index("result", row, &[Operand::i64(0)]).into()).collect()
}

/// Returns the parameter with a first value that the loop may overwrite, if it overwrites it: a task owns only what it makes.
fn owned(b: &mut Builder, param: LoopParam) -> LoopParam {
    match param.init.as_var() {
        Some(array) if param.consumed && b.function.ty(array).rank() > 0 => {
            LoopParam { init: b.bind_one("own", Expr::Copy(array)).into(), ..param }
        }
        Some(_) | None => param,
    }
}
