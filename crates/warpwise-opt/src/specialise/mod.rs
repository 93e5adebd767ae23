//! Gives lane dimensions, and grids of work-items, a faster version of their body for the interior of their range.
//!
//! Border handling makes neighbours' indices vary irregularly from lane to lane, so that contiguous loads become gathers. Almost
//! all groups of lanes contain no border:
//!
//! ```text
//! segmap (i < h: task, j < w: task lane) {        segmap (i < h: task, j < w: task lane) {
//!   first = eq j 0;                                 inside = ne j 0;
//!   left = sub j 1;                                 r = if inside specialised {
//!   k = select first 0 left;                 ==>        left = sub j 1; x = index a[i, left]; return x }
//!   x = index a[i, k];                                else { ... the body as it was ... };
//!   return x }                                      return r }
//! ```
//!
//! The pass decides comparisons of a value linear in the lane index with a uniform value, and minima and maxima of such values,
//! including clamps of clamps. In the interior an equality fails, a bound holds, and a clamp has no effect. The general version
//! is correct everywhere, so groups of lanes that straddle a border use it for all lanes ([`Branch::Specialised`]).
//!
//! Indices that a program computes in 32 bits are computed in 64 bits in the fast version, if all of them fit ([`widen`]). Loads
//! of neighbours are then contiguous, which justifies a version even without a border.
//!
//! For a grid of work-items (`segmap (i < h: thread, j < w: thread)`) the interior is that of all dimensions. It is specialised
//! if the body is straight, because work-items then compute several rows of it at a time.
//!
//! Maps and reductions whose bodies yield scalars are specialised. Not done here: conditions on indices of loops inside the body.

mod widen;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::{Limit, Span};
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Branch, Expr, Function, Mapping, Operand, Program, SegDim, SegKind, SegOp, Stm, Type, Var, exprs,
};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::pass::rewrite_bodies;
use crate::schedule::access::{Access, Variance};
use crate::schedule::cost::is_cheap_body;
use widen::{Widened, widened};

/// Specialises the lane dimensions of every function.
pub fn specialise(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, walk);
    Ok(())
}

fn walk(function: &mut Function, body: &mut Body) {
    for stm in &mut body.stms {
        if let Expr::Seg(op) = &mut stm.expr
            && (runs_in_lanes(op) || is_grid_of_work_items(op))
        {
            specialise_op(function, op)
        } else {
            stm.expr.for_each_body_mut(|body| walk(function, body))
        }
    }
}

fn runs_in_lanes(op: &SegOp) -> bool {
    let last = op.space.last().expect("a space has dimensions");
    matches!(last.mapping, Mapping::Lane | Mapping::TaskLane)
}

/// Whether each point of a space of two or more dimensions is a work-item whose body is straight.
fn is_grid_of_work_items(op: &SegOp) -> bool {
    let all_threads = op.space.iter().all(|dim| dim.mapping == Mapping::Thread);
    all_threads && op.space.len() > 1 && op.kind == SegKind::Map && is_cheap_body(&op.body)
}

/// A variable whose value is known in the interior.
#[derive(Clone)]
struct Decision {
    var: Var,
    /// The value of the variable in the interior.
    value: Operand,
    /// The comparison that holds in the interior.
    holds: (CompareOp, Operand, Operand),
    /// The clamps that the decision relies on, which must be decided too.
    given: Vec<Var>,
}

fn specialise_op(function: &mut Function, op: &mut SegOp) {
    let scalars = op.body.result.iter().all(|&x| function.operand_type(x).as_scalar().is_some());
    let points_apart = matches!(op.kind, SegKind::Map | SegKind::Reduce { .. });
    if !points_apart || !scalars || !loads(&op.body) {
        return;
    }
    let Widened { body: mut fast, stms: before, fits } = widened(function, op);
    let accesses = accesses(function, op, &fast);
    let is_in_order = runs_in_lanes(op)
        && in_order(&fast, &accesses) > in_order(&op.body, &self::accesses(function, op, &op.body));
    let mut finder = Finder {
        accesses: &accesses,
        decisions: Vec::new(),
        clamped: FxHashMap::default(),
        scalars: FxHashMap::default(),
        bound: FxHashSet::default(),
    };
    finder.body(&fast);
    let Finder { decisions, scalars, bound, .. } = finder;
    let mut prefix =
        Prefix { function, scalars: &scalars, bound: &bound, copies: FxHashMap::default(), stms: before };
    let mut inside = fits.as_var().map(Operand::Var);
    let mut decided = FxHashMap::default();
    for decision in decisions {
        if decision.given.iter().all(|var| decided.contains_key(var))
            && let Some(holds) = prefix.condition(decision.holds)
        {
            inside = Some(prefix.both(inside, holds));
            decided.insert(decision.var, decision.value);
        }
    }
    if decided.is_empty() && !is_in_order {
        return;
    }
    let mut stms = prefix.stms;
    decide(&mut fast, &decided);
    let Some(inside) = inside else {
        stms.append(&mut fast.stms);
        op.body = Body { stms, result: fast.result };
        return;
    };
    let general = std::mem::take(&mut op.body);
    let fast = Copier::within(function, Substitution::new()).copy_body(&fast);
    let result: Vec<Var> = general
        .result
        .iter()
        .map(|&x| {
            let ty = function.operand_type(x);
            function.fresh("r", ty)
        })
        .collect();
    let branch = Branch::Specialised;
    let expr = Expr::If { cond: inside, then_body: fast, else_body: general, branch };
    stms.push(Stm { pattern: result.clone(), expr, certs: vec![], span: Span::NONE });
    op.body = Body { stms, result: result.into_iter().map(Operand::Var).collect() };
}

fn loads(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut inner = matches!(stm.expr, Expr::Index { .. });
        stm.expr.for_each_body(|body| inner |= loads(body));
        inner
    })
}

/// Returns the variance of the values of a body along each dimension of a space that could have a border.
fn accesses<'f>(function: &'f Function, op: &SegOp, body: &Body) -> Vec<Access<'f>> {
    let lasts = if runs_in_lanes(op) { op.space.len() - 1.. } else { 0.. };
    let along = |dim: &SegDim| Access::along(function, &SecondaryMap::default(), dim.index, body);
    op.space[lasts].iter().map(along).collect()
}

/// Returns the number of loads that are uniform or contiguous.
fn in_order(body: &Body, accesses: &[Access]) -> usize {
    let is_in_order = |array: Var, indices: &[Operand]| {
        accesses.iter().all(|access| access.at(array, indices.iter().copied()) != Variance::Other)
    };
    let loads = body.stms.iter().map(|stm| {
        let own = matches!(&stm.expr, Expr::Index { array, indices } if is_in_order(*array, indices));
        let mut inner = usize::from(own);
        stm.expr.for_each_body(|body| inner += in_order(body, accesses));
        inner
    });
    loads.sum()
}

/// Replaces decided variables by their values.
fn decide(body: &mut Body, decided: &FxHashMap<Var, Operand>) {
    for stm in &mut body.stms {
        match stm.pattern.first().and_then(|var| decided.get(var)) {
            Some(&value) => stm.expr = Expr::Operand(value),
            None => stm.expr.for_each_body_mut(|body| decide(body, decided)),
        }
    }
}

/// Collects possible decisions, and the scalar work that their conditions may need.
struct Finder<'a> {
    /// The variances along each dimension that has a border.
    accesses: &'a [Access<'a>],
    decisions: Vec<Decision>,
    /// The values of clamps in the interior. Clamps of clamps lead down to a linear value.
    clamped: FxHashMap<Var, Operand>,
    scalars: FxHashMap<Var, Expr>,
    /// All variables bound in the body.
    bound: FxHashSet<Var>,
}

impl Finder<'_> {
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.bound.extend(&stm.pattern);
            stm.expr.for_each_binding(|var| {
                self.bound.insert(var);
            });
            match &stm.expr {
                Expr::Compare(op, x, y) => self.comparison(stm.pattern[0], *op, *x, *y),
                Expr::Binary(op @ (BinaryOp::SMin | BinaryOp::SMax), x, y) => {
                    self.clamp(stm.pattern[0], *op, *x, *y);
                }
                expr @ exprs!(
                    Operand, Unary, Binary, Ternary, Convert, Select, Assert, array, nested, Call, UpdateAcc,
                    Tuned, Alloc
                ) => expr.for_each_body(|body| self.body(body)),
            }
            let movable = match &stm.expr {
                Expr::Binary(op, ..) => !op.can_fail(),
                Expr::Unary(..) | Expr::Compare(..) | Expr::Convert(..) | Expr::Select(..) => true,
                exprs!(Operand, Ternary, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => false,
            };
            if movable && stm.certs.is_empty() {
                self.scalars.insert(stm.pattern[0], stm.expr.clone());
            }
        }
    }

    /// Returns the variance of an operand along the only dimension that it varies with.
    fn variance(&self, x: Operand) -> Variance {
        let along = self.accesses.iter().map(|access| access.operand(x));
        along.fold(Variance::Uniform, Variance::plus)
    }

    /// Whether one side is linear in an index and the other uniform.
    fn is_border(&self, x: Operand, y: Operand) -> bool {
        let sides = (self.variance(x), self.variance(y));
        matches!(sides, (Variance::Unit, Variance::Uniform) | (Variance::Uniform, Variance::Unit))
    }

    /// Returns the value of an operand in the interior, and adds the clamps that must be decided for that to `given`.
    fn interior(&self, mut x: Operand, given: &mut Vec<Var>) -> Operand {
        while let Some(var) = x.as_var()
            && let Some(&value) = self.clamped.get(&var)
        {
            given.push(var);
            x = value;
        }
        x
    }

    fn comparison(&mut self, var: Var, op: CompareOp, x: Operand, y: Operand) {
        let mut given = Vec::new();
        let (x, y) = (self.interior(x, &mut given), self.interior(y, &mut given));
        if !self.is_border(x, y) {
            return;
        }
        let (value, op) = match op {
            CompareOp::Eq => (false, CompareOp::Ne),
            CompareOp::Ne | CompareOp::SLt | CompareOp::SLe | CompareOp::ULt | CompareOp::ULe => (true, op),
            CompareOp::FLt | CompareOp::FLe => return,
        };
        self.decisions.push(Decision { var, value: Operand::bool(value), holds: (op, x, y), given });
    }

    fn clamp(&mut self, var: Var, op: BinaryOp, x: Operand, y: Operand) {
        let mut given = Vec::new();
        let (x, y) = (self.interior(x, &mut given), self.interior(y, &mut given));
        if !self.is_border(x, y) {
            return;
        }
        let (linear, bound) = if self.variance(x) == Variance::Unit { (x, y) } else { (y, x) };
        let (low, high) = if op == BinaryOp::SMin { (linear, bound) } else { (bound, linear) };
        let holds = (CompareOp::SLe, low, high);
        self.clamped.insert(var, linear);
        self.decisions.push(Decision { var, value: linear, holds, given });
    }
}

/// The statements before the choice: copies of the scalar work that its condition needs.
struct Prefix<'a> {
    function: &'a mut Function,
    scalars: &'a FxHashMap<Var, Expr>,
    bound: &'a FxHashSet<Var>,
    copies: FxHashMap<Var, Option<Operand>>,
    stms: Vec<Stm>,
}

impl Prefix<'_> {
    /// Returns a condition over copies; `None` if it needs more than scalar work.
    fn condition(&mut self, (op, x, y): (CompareOp, Operand, Operand)) -> Option<Operand> {
        let (x, y) = (self.copy(x)?, self.copy(y)?);
        Some(self.bind("inside", Type::BOOL, Expr::Compare(op, x, y)))
    }

    fn both(&mut self, x: Option<Operand>, y: Operand) -> Operand {
        match x {
            None => y,
            Some(x) => self.bind("inside", Type::BOOL, Expr::Binary(BinaryOp::And, x, y)),
        }
    }

    fn bind(&mut self, name: &str, ty: Type, expr: Expr) -> Operand {
        let var = self.function.fresh(name, ty);
        self.stms.push(Stm { pattern: vec![var], expr, certs: vec![], span: Span::NONE });
        var.into()
    }

    fn copy(&mut self, operand: Operand) -> Option<Operand> {
        let Operand::Var(var) = operand else { return Some(operand) };
        if let Some(known) = self.copies.get(&var) {
            return *known;
        }
        let copied = self.copy_var(var);
        self.copies.insert(var, copied);
        copied
    }

    fn copy_var(&mut self, var: Var) -> Option<Operand> {
        let Some(expr) = self.scalars.get(&var) else {
            return (!self.bound.contains(&var)).then_some(var.into());
        };
        let mut possible = true;
        let mut expr = expr.clone();
        expr.map_operands(|x| {
            let copied = self.copy(x);
            possible &= copied.is_some();
            copied.unwrap_or(x)
        });
        let ty = self.function.ty(var).clone();
        possible.then(|| self.bind("at", ty, expr))
    }
}
