//! Analysis of the variance of values and accesses in a nest along one candidate dimension for lanes.
//!
//! For a candidate index `v` every scalar is *uniform* (the same for all `v`), *unit* (`v` plus a uniform value), *falling* (a
//! uniform value minus `v`) or *other*. Every array has the dimension that is contiguous in memory, and the variance of its first
//! element's address. So an access is uniform, contiguous or a gather. Layouts are those that placement will choose: fresh arrays
//! are row-major, views permute and shift.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{Body, Expr, Function, LoopForm, Operand, SegOp, SliceDim, Stm, Var, exprs};
use warpwise_prim::BinaryOp;

/// The variance of a value along the candidate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Variance {
    /// The same for all lanes.
    #[default]
    Uniform,
    /// Increases by one from lane to lane.
    Unit,
    /// Decreases by one from lane to lane.
    Falling,
    /// Anything else.
    Other,
}

/// The layout of an array in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The dimension whose adjacent elements are adjacent in memory.
    pub contiguous: Option<usize>,
    /// The variance of the first element's address.
    pub offset: Variance,
}

/// The variance of every variable of a nest along one candidate.
pub struct Access<'f> {
    function: &'f Function,
    scalars: SecondaryMap<Var, Variance>,
    layouts: SecondaryMap<Var, Option<Layout>>,
}

impl Variance {
    /// Returns the variance of a sum.
    pub fn plus(self, other: Variance) -> Variance {
        match (self, other) {
            (Variance::Uniform, x) | (x, Variance::Uniform) => x,
            _ => Variance::Other,
        }
    }

    /// Returns the variance of a negated number.
    fn negated(self) -> Variance {
        match self {
            Variance::Uniform => Variance::Uniform,
            Variance::Unit => Variance::Falling,
            Variance::Falling => Variance::Unit,
            Variance::Other => Variance::Other,
        }
    }

    /// Returns the variance of any other function of both.
    fn mixed(self, other: Variance) -> Variance {
        if self == Variance::Uniform && other == Variance::Uniform {
            Variance::Uniform
        } else {
            Variance::Other
        }
    }
}

impl<'f> Access<'f> {
    /// Analyses a segmented operation with its last dimension as the candidate. `outer` has the known layouts of arrays from
    /// outside.
    pub fn of(function: &'f Function, outer: &SecondaryMap<Var, Option<Layout>>, op: &SegOp) -> Access<'f> {
        let candidate = op.space.last().expect("a space has dimensions").index;
        Access::along(function, outer, candidate, &op.body)
    }

    /// Analyses a body with this index as the candidate.
    pub fn along(
        function: &'f Function,
        outer: &SecondaryMap<Var, Option<Layout>>,
        candidate: Var,
        body: &Body,
    ) -> Access<'f> {
        let mut access = Access { function, scalars: SecondaryMap::default(), layouts: outer.clone() };
        access.scalars[candidate] = Variance::Unit;
        access.body(body);
        access
    }

    /// Returns the layouts of arrays bound by host code, for later use as `outer`.
    pub fn host_layouts(function: &'f Function, body: &Body) -> SecondaryMap<Var, Option<Layout>> {
        let mut access =
            Access { function, scalars: SecondaryMap::default(), layouts: SecondaryMap::default() };
        access.body(body);
        access.layouts
    }

    /// Returns the variance of a scalar.
    pub fn operand(&self, operand: Operand) -> Variance {
        operand.as_var().map_or(Variance::Uniform, |var| self.scalars[var])
    }

    /// Returns the variance of an access of `array` at these leading indices: uniform, contiguous (up or down) or a gather.
    pub fn at(&self, array: Var, indices: impl Iterator<Item = Operand>) -> Variance {
        let layout = self.layout(array);
        indices.enumerate().fold(layout.offset, |sum, (dim, index)| {
            let moved = match self.operand(index) {
                Variance::Unit | Variance::Falling if layout.contiguous != Some(dim) => Variance::Other,
                variance @ (Variance::Uniform | Variance::Unit | Variance::Falling | Variance::Other) => {
                    variance
                }
            };
            sum.plus(moved)
        })
    }

    /// Returns the layout of an array: row-major at a uniform address unless known otherwise.
    pub fn layout(&self, array: Var) -> Layout {
        let row_major = || Layout {
            contiguous: self.function.ty(array).rank().checked_sub(1),
            offset: Variance::Uniform,
        };
        self.layouts[array].unwrap_or_else(row_major)
    }

    /// Returns the layouts of all arrays, at uniform addresses, for an analysis along another index.
    pub fn uniform_layouts(&self) -> SecondaryMap<Var, Option<Layout>> {
        let mut layouts = self.layouts.clone();
        layouts.values_mut().flatten().for_each(|layout| layout.offset = Variance::Uniform);
        layouts
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
        }
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.expr {
            Expr::Operand(x) => self.alias(stm.pattern[0], *x),
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), x, y) => {
                let (x, y) = (self.operand(*x), self.operand(*y));
                let added = if *op == BinaryOp::Sub { y.negated() } else { y };
                self.scalars[stm.pattern[0]] = x.plus(added);
            }
            Expr::Binary(BinaryOp::Mul, x, y) if [*x, *y].contains(&Operand::i64(-1)) => {
                let negated = if *x == Operand::i64(-1) { y } else { x };
                self.scalars[stm.pattern[0]] = self.operand(*negated).negated();
            }
            Expr::Index { array, indices } => {
                let offset = self.at(*array, indices.iter().copied());
                if self.function.ty(stm.pattern[0]).rank() > 0 {
                    let layout = self.layout(*array);
                    let contiguous = layout.contiguous.and_then(|dim| dim.checked_sub(indices.len()));
                    self.layouts[stm.pattern[0]] = Some(Layout { contiguous, offset });
                } else {
                    self.scalars[stm.pattern[0]] = offset.mixed(offset);
                }
            }
            Expr::Slice { array, dims } => self.slice(stm.pattern[0], *array, dims),
            Expr::Rearrange { array, perm } => {
                let Layout { contiguous, offset } = self.layout(*array);
                let contiguous = contiguous.and_then(|dim| perm.iter().position(|&p| p == dim));
                self.layouts[stm.pattern[0]] = Some(Layout { contiguous, offset });
            }
            Expr::Update { array, .. } => self.layouts[stm.pattern[0]] = self.layouts[*array],
            Expr::Loop { params, form, body } => {
                for param in params {
                    self.alias(param.var, param.init);
                }
                self.loop_body(params, form, body);
                for (&var, param) in stm.pattern.iter().zip(params) {
                    self.scalars[var] = self.scalars[param.var];
                }
            }
            expr @ exprs!(scalar, Assert, fresh, Reshape, If, Call, soac, UpdateAcc, Seg, Tuned, Alloc) => {
                let mut varies = false;
                expr.for_each_operand(|x| varies |= self.operand(x) != Variance::Uniform);
                let mut inner = Variance::Uniform;
                expr.for_each_body(|body| {
                    self.body(body);
                    inner = body.result.iter().fold(inner, |sum, &x| sum.mixed(self.operand(x)));
                });
                if varies || inner != Variance::Uniform {
                    for &var in &stm.pattern {
                        self.scalars[var] = Variance::Other;
                    }
                }
            }
        }
    }

    /// Analyses the body repeatedly until the loop-carried variances no longer grow.
    fn loop_body(&mut self, params: &[warpwise_ir::LoopParam], form: &LoopForm, body: &Body) {
        let bound = match form {
            LoopForm::For { bound, .. } => self.operand(*bound),
            LoopForm::While { .. } => Variance::Uniform,
        };
        loop {
            self.body(body);
            let mut changed = false;
            for (param, &result) in params.iter().zip(&body.result) {
                let old = self.scalars[param.var];
                let new = if self.operand(result) == old { old } else { Variance::Other };
                let new = if bound == Variance::Uniform { new } else { Variance::Other };
                changed |= new != old;
                self.scalars[param.var] = new;
            }
            if !changed {
                return;
            }
        }
    }

    fn alias(&mut self, var: Var, of: Operand) {
        self.scalars[var] = self.operand(of);
        if let Operand::Var(of) = of {
            self.layouts[var] = self.layouts[of];
        }
    }

    fn slice(&mut self, var: Var, array: Var, dims: &[SliceDim]) {
        let layout = self.layout(array);
        let first = dims.iter().map(|dim| match dim {
            SliceDim::Fix(index) => *index,
            SliceDim::Range { start, .. } => *start,
        });
        let offset = self.at(array, first);
        let kept = |dim: &SliceDim| matches!(dim, SliceDim::Range { .. });
        let contiguous = layout.contiguous.filter(|&dim| match dims[dim] {
            SliceDim::Fix(_) => false,
            SliceDim::Range { stride, .. } => stride == Operand::i64(1),
        });
        let contiguous = contiguous.map(|dim| dims[..dim].iter().filter(|d| kept(d)).count());
        self.layouts[var] = Some(Layout { contiguous, offset });
    }
}
