//! Finds the values of a body that are known in the interior of its range.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::{Body, Expr, Operand, SegDim, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::schedule::access::{Access, Variance};

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
    /// difference. There is at most one border, since `x` takes as many values as the dimension has points.
    Period { op: BinaryOp, x: Operand, dim: SegDim },
}

/// Collects possible decisions.
pub struct Finder<'a> {
    /// The variances along each dimension that has a border.
    accesses: &'a [Access<'a>],
    /// These dimensions.
    dims: &'a [SegDim],
    pub decisions: Vec<Decision>,
    /// The values of clamps in the interior. Clamps of clamps lead down to a linear value.
    clamped: FxHashMap<Var, Operand>,
    /// Scalar work that conditions may need.
    pub scalars: FxHashMap<Var, Expr>,
    /// All variables bound in the body.
    pub bound: FxHashSet<Var>,
}

impl<'a> Finder<'a> {
    pub fn of(accesses: &'a [Access<'a>], dims: &'a [SegDim], body: &Body) -> Finder<'a> {
        let (clamped, scalars, bound) = Default::default();
        let mut finder = Finder { accesses, dims, decisions: Vec::new(), clamped, scalars, bound };
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
                Expr::Binary(op @ (BinaryOp::SMin | BinaryOp::SMax), x, y) => {
                    self.clamp(stm.pattern[0], *op, *x, *y);
                }
                Expr::Binary(op @ (BinaryOp::SMod | BinaryOp::SRem), x, y) => {
                    self.remainder(stm.pattern[0], *op, *x, *y);
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
        let interior = Interior::Beside { holds: (op, x, y), value: Operand::bool(value) };
        self.decisions.push(Decision { var, interior, given });
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
        let along = |access: &Access| access.operand(x) == Variance::Unit;
        let Some(dim) = self.accesses.iter().position(along).map(|at| self.dims[at]) else { return };
        // Shorter periods would leave a small part of the dimension as the interior.
        if self.is_border(x, by) && by == dim.extent {
            let interior = Interior::Period { op, x, dim };
            self.decisions.push(Decision { var, interior, given: Vec::new() });
        }
    }
}
