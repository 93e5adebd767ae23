//! Finds the values of a body that are known in the interior of its range.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::{Body, Expr, Operand, SegDim, Stm, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use crate::schedule::access::{Access, Variance};

/// Maximum constant that is assumed to lie before the middle of a dimension of unknown size.
const EARLY: i64 = 64;

/// Maximum number of operations through which a value is followed to the size that it is computed from.
const MOST_STEPS: usize = 6;

/// A variable whose value is known in the interior.
#[derive(Clone)]
pub struct Decision {
    pub var: Var,
    pub interior: Interior,
    /// The clamps that the decision relies on, which must be decided too.
    pub given: Vec<Var>,
}

/// A part of the range, and the value of a variable there.
#[derive(Clone)]
pub enum Interior {
    /// Where a comparison holds, the variable is this operand.
    Beside { holds: (CompareOp, Operand, Operand), value: Operand },
    /// Where the remainder of `x` by the size of the dimension has the same quotient as in the middle of the dimension, it is a
    /// difference. There is at most one border unless `x` wraps, since `x` takes as many values as the dimension has points.
    Period { op: BinaryOp, x: Operand, dim: SegDim },
}

/// Collects possible decisions.
pub struct Finder<'a> {
    /// The variances along each of `dims`.
    accesses: &'a [Access<'a>],
    /// The dimensions that have borders.
    dims: &'a [SegDim],
    /// Scalar work before the operation.
    before: &'a FxHashMap<Var, Expr>,
    pub decisions: Vec<Decision>,
    /// The values of clamps in the interior. Clamps of clamps lead down to a linear value.
    clamped: FxHashMap<Var, Operand>,
    /// Scalar work that conditions may need.
    pub scalars: FxHashMap<Var, Expr>,
    /// All variables bound in the body.
    pub bound: FxHashSet<Var>,
}

impl<'a> Finder<'a> {
    pub fn of(
        accesses: &'a [Access<'a>],
        dims: &'a [SegDim],
        before: &'a FxHashMap<Var, Expr>,
        body: &Body,
    ) -> Finder<'a> {
        let (decisions, clamped, scalars, bound) = Default::default();
        let mut finder = Finder { accesses, dims, before, decisions, clamped, scalars, bound };
        finder.body(body);
        finder
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.bound.extend(&stm.pattern);
            stm.expr.for_each_binding(|var| {
                self.bound.insert(var);
            });
            match &stm.expr {
                Expr::Compare(op, x, y) => self.comparison(stm.pattern[0], *op, *x, *y),
                Expr::Select(cond, x, y) => self.wrapped(stm.pattern[0], *cond, *x, *y),
                Expr::Binary(op @ (BinaryOp::SMin | BinaryOp::SMax), x, y) => {
                    self.clamp(stm.pattern[0], *op, *x, *y);
                }
                Expr::Binary(op @ (BinaryOp::SMod | BinaryOp::SRem), x, y) => {
                    self.remainder(stm.pattern[0], *op, *x, *y);
                }
                expr @ exprs!(
                    Operand, Unary, Binary, Ternary, Convert, Assert, array, nested, Call, UpdateAcc, Tuned,
                    Alloc
                ) => expr.for_each_body(|body| self.body(body)),
            }
            note_scalar(&mut self.scalars, stm);
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
        let (holds, value) = match op {
            CompareOp::Eq => ((CompareOp::Ne, x, y), false),
            CompareOp::SLt if self.fails_inside(x, y) => ((CompareOp::SLe, y, x), false),
            CompareOp::SLe if self.fails_inside(x, y) => ((CompareOp::SLt, y, x), false),
            CompareOp::Ne | CompareOp::SLt | CompareOp::SLe | CompareOp::ULt | CompareOp::ULe => {
                ((op, x, y), true)
            }
            CompareOp::FLt | CompareOp::FLe => return,
        };
        let interior = Interior::Beside { holds, value: Operand::bool(value) };
        self.decisions.push(Decision { var, interior, given });
    }

    /// Whether `x` is probably greater than `y` in the middle of the dimension that one of them is linear in: `i + 1 < 2` holds near
    /// the start only, and `n - 3 < i` near the end.
    fn fails_inside(&self, x: Operand, y: Operand) -> bool {
        let is_linear = self.variance(x) == Variance::Unit;
        let (linear, uniform) = if is_linear { (x, y) } else { (y, x) };
        let Some(SegDim { extent, .. }) = self.dim_of(linear) else { return false };
        let known = |x: Operand| x.as_const().and_then(Scalar::as_int);
        // The linear side may count from the end: `i - n < 0` always holds.
        if self.mentions(linear, extent, MOST_STEPS) {
            return false;
        }
        match (known(uniform), known(extent)) {
            (Some(uniform), Some(extent)) => (uniform < extent / 2) == is_linear,
            (Some(uniform), None) => is_linear && uniform <= EARLY,
            (None, _) => !is_linear && self.begins_with(uniform, extent, MOST_STEPS),
        }
    }

    /// Returns the dimension that an operand is linear in.
    fn dim_of(&self, x: Operand) -> Option<SegDim> {
        let along = |access: &Access| access.operand(x) == Variance::Unit;
        self.accesses.iter().position(along).map(|at| self.dims[at])
    }

    fn scalar(&self, x: Operand) -> Option<&Expr> {
        let var = x.as_var()?;
        self.scalars.get(&var).or_else(|| self.before.get(&var))
    }

    /// Whether a value is computed from `size` in this many steps.
    fn mentions(&self, x: Operand, size: Operand, steps: usize) -> bool {
        let mut found = x == size;
        if let Some(expr) = self.scalar(x).filter(|_| !found && steps > 0) {
            expr.for_each_operand(|x| found = found || self.mentions(x, size, steps - 1));
        }
        found
    }

    /// Whether a value is `size`, more, or less by something that is probably small, in this many steps.
    fn begins_with(&self, x: Operand, size: Operand, steps: usize) -> bool {
        let begins = |x: &Operand| steps > 0 && self.begins_with(*x, size, steps - 1);
        x == size
            || match self.scalar(x) {
                Some(Expr::Binary(BinaryOp::Add, x, y)) => begins(x) || begins(y),
                Some(Expr::Binary(BinaryOp::Sub, x, _)) => begins(x),
                Some(_) | None => false,
            }
    }

    fn clamp(&mut self, var: Var, op: BinaryOp, x: Operand, y: Operand) {
        let mut given = Vec::new();
        let (x, y) = (self.interior(x, &mut given), self.interior(y, &mut given));
        if !self.is_border(x, y) {
            return;
        }
        let (linear, bound) = if self.variance(x) == Variance::Unit { (x, y) } else { (y, x) };
        let (low, high) = if op == BinaryOp::SMin { (linear, bound) } else { (bound, linear) };
        let interior = Interior::Beside { holds: (CompareOp::SLe, low, high), value: linear };
        self.clamped.insert(var, linear);
        self.decisions.push(Decision { var, interior, given });
    }

    fn remainder(&mut self, var: Var, op: BinaryOp, x: Operand, by: Operand) {
        let Some(dim) = self.dim_of(x) else { return };
        // Shorter periods would leave a small part of the dimension as the interior.
        if self.is_border(x, by) && by == dim.extent {
            let interior = Interior::Period { op, x, dim };
            self.decisions.push(Decision { var, interior, given: Vec::new() });
        }
    }

    /// Decides `select (slt x n) x (sub x n)`, which is an index into an array that is rotated by an unknown distance. For `x` between
    /// 0 and twice the size it is a remainder.
    fn wrapped(&mut self, var: Var, cond: Operand, x: Operand, wrapped: Operand) {
        let Some(dim) = self.dim_of(x) else { return };
        let is_less = Expr::Compare(CompareOp::SLt, x, dim.extent);
        let is_wrapped = Expr::Binary(BinaryOp::Sub, x, dim.extent);
        if self.scalar(cond) == Some(&is_less) && self.scalar(wrapped) == Some(&is_wrapped) {
            // Either side of the comparison may be the longer one.
            self.decisions.retain(|decision| cond.as_var() != Some(decision.var));
            let interior = Interior::Period { op: BinaryOp::SRem, x, dim };
            self.decisions.push(Decision { var, interior, given: Vec::new() });
        }
    }
}

/// Records the expression that a statement binds, if it is scalar work that can be done anywhere.
pub fn note_scalar(scalars: &mut FxHashMap<Var, Expr>, stm: &Stm) {
    let movable = match &stm.expr {
        Expr::Binary(op, ..) => !op.can_fail(),
        Expr::Unary(..) | Expr::Compare(..) | Expr::Convert(..) | Expr::Select(..) => true,
        exprs!(Operand, Ternary, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => false,
    };
    if movable && stm.certs.is_empty() {
        scalars.insert(stm.pattern[0], stm.expr.clone());
    }
}
