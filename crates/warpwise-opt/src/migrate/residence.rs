//! Analysis of the residence of scalars in host code: the host, or the device that computes them.
//!
//! A scalar comes from the device if it is the result of a reduction or an element of an array, or if it is computed from such
//! scalars. It stays on the device unless the host needs it: for a size, a number of iterations, a choice, a check, a call
//! argument or a result of the function, or to compute one of these.
//!
//! Values that loops carry are treated separately from the loops' results: a sum that the host needs after a loop need not be
//! read in each iteration. A loop without kernels inside either becomes a kernel itself or runs on the host, so it is left alone.

use rustc_hash::FxHashSet;
use warpwise_ir::traverse::{free_in_expr, free_in_type};
use warpwise_ir::{
    Body, Expr, Function, LoopForm, LoopParam, Operand, SegKind, SegOp, Stm, Type, Var, exprs,
};

/// The residence of the scalars of a function.
pub struct Residence {
    /// Scalars that stay on the device.
    stays: FxHashSet<Var>,
    /// Values that the host needs.
    needed: FxHashSet<Var>,
}

impl Residence {
    /// Analyses a function that is scheduled for a device.
    pub fn of(function: &Function) -> Residence {
        let mut needs = Needs { function, needed: FxHashSet::default() };
        needs.function();
        let mut residence = Residence { stays: FxHashSet::default(), needed: needs.needed };
        residence.body(function, &function.body);
        residence
    }

    /// Whether a scalar stays on the device.
    pub fn stays(&self, var: Var) -> bool {
        self.stays.contains(&var)
    }

    /// Whether the host needs a value.
    fn is_needed(&self, var: Var) -> bool {
        self.needed.contains(&var)
    }

    fn operand_stays(&self, x: Operand) -> bool {
        x.as_var().is_some_and(|var| self.stays(var))
    }

    fn body(&mut self, function: &Function, body: &Body) {
        body.stms.iter().for_each(|stm| self.stm(function, stm));
    }

    fn stm(&mut self, function: &Function, stm: &Stm) {
        match &stm.expr {
            Expr::Loop { params, body, .. } if launches(&stm.expr) => {
                self.carry(function, &stm.pattern, params, body)
            }
            Expr::If { then_body, else_body, .. } => {
                self.body(function, then_body);
                self.body(function, else_body);
                for ((&var, &x), &y) in stm.pattern.iter().zip(&then_body.result).zip(&else_body.result) {
                    if self.operand_stays(x) || self.operand_stays(y) {
                        self.stay_unless_needed(var);
                    }
                }
            }
            Expr::Seg(op) if reduces_scalars(function, op) => {
                let scalars = stm.pattern.iter().filter(|&&var| is_scalar(function, var));
                scalars.for_each(|&var| self.stay_unless_needed(var));
            }
            Expr::Index { .. } if is_scalar(function, stm.pattern[0]) => {
                self.stay_unless_needed(stm.pattern[0]);
            }
            expr @ exprs!(Operand, scalar) if computes_scalar(function, expr, stm.pattern[0]) => {
                let mut any = false;
                expr.for_each_operand(|x| any = any || self.operand_stays(x));
                if any {
                    self.stay_unless_needed(stm.pattern[0]);
                }
            }
            exprs!(simple, Loop, soac, Seg) => {}
        }
    }

    fn stay_unless_needed(&mut self, var: Var) {
        if !self.is_needed(var) {
            self.stays.insert(var);
        }
    }

    /// Analyses a loop repeatedly, until no further parameter is found to stay on the device.
    fn carry(&mut self, function: &Function, pattern: &[Var], params: &[LoopParam], body: &Body) {
        for param in params {
            if self.operand_stays(param.init) {
                self.stay_unless_needed(param.var);
            }
        }
        loop {
            self.body(function, body);
            let known = self.stays.len();
            for (param, &result) in params.iter().zip(&body.result) {
                if is_scalar(function, param.var) && self.operand_stays(result) {
                    self.stay_unless_needed(param.var);
                }
            }
            if self.stays.len() == known {
                break;
            }
        }
        for (&var, param) in pattern.iter().zip(params) {
            if self.stays(param.var) {
                self.stay_unless_needed(var);
            }
        }
    }
}

/// Whether an operation of host code reduces only to scalars, which it can also store.
pub fn reduces_scalars(function: &Function, op: &SegOp) -> bool {
    let SegKind::Reduce { reduces } = &op.kind else { return false };
    let mut neutral = reduces.iter().flat_map(|reduce| &reduce.neutral);
    op.space.len() == 1 && neutral.all(|&x| matches!(function.operand_type(x), Type::Scalar(_)))
}

/// Whether an expression, bound to this variable, computes a scalar from scalars.
pub fn computes_scalar(function: &Function, expr: &Expr, var: Var) -> bool {
    matches!(expr, exprs!(Operand, scalar)) && is_scalar(function, var)
}

fn is_scalar(function: &Function, var: Var) -> bool {
    matches!(function.ty(var), Type::Scalar(_))
}

/// Whether an expression contains kernels of its own. A loop without any becomes a kernel itself.
fn launches(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Seg(_) | Expr::Call { .. });
    expr.for_each_body(|body| found = found || body.stms.iter().any(|stm| launches(&stm.expr)));
    found
}

/// A walk from the ends of bodies to their starts that collects the values that the host needs.
struct Needs<'f> {
    function: &'f Function,
    needed: FxHashSet<Var>,
}

impl Needs<'_> {
    fn function(&mut self) {
        // Sizes, including those of arrays inside kernels.
        for data in self.function.vars.values() {
            self.needed.extend(free_in_type(self.function, &data.ty).iter());
        }
        self.all(&self.function.body.result);
        self.body(&self.function.body);
    }

    fn need(&mut self, x: Operand) {
        self.needed.extend(x.as_var());
    }

    fn all(&mut self, operands: &[Operand]) {
        operands.iter().for_each(|&x| self.need(x));
    }

    fn body(&mut self, body: &Body) {
        body.stms.iter().rev().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.expr {
            Expr::Loop { params, form, body } if launches(&stm.expr) => self.carry(params, form, body),
            Expr::If { cond, then_body, else_body, .. } => {
                self.need(*cond);
                for (i, var) in stm.pattern.iter().enumerate() {
                    if self.needed.contains(var) {
                        self.all(&[then_body.result[i], else_body.result[i]]);
                    }
                }
                self.body(then_body);
                self.body(else_body);
            }
            Expr::Seg(op) => self.operation(op),
            // The host gives the indices of an element that the device reads or writes.
            Expr::Index { array: _, indices } => {
                if self.needed.contains(&stm.pattern[0]) || !is_scalar(self.function, stm.pattern[0]) {
                    self.all(indices);
                }
            }
            Expr::Update { dims, .. } => {
                let mut dims_of = Vec::new();
                let places = Expr::Slice { array: stm.pattern[0], dims: dims.clone() };
                places.for_each_operand(|x| dims_of.push(x));
                self.all(&dims_of);
            }
            Expr::Replicate { .. } => {}
            expr @ exprs!(Operand, scalar) if computes_scalar(self.function, expr, stm.pattern[0]) => {
                if self.needed.contains(&stm.pattern[0]) {
                    expr.for_each_operand(|x| self.need(x));
                }
            }
            expr @ exprs!(
                Operand, scalar, Assert, Slice, Iota, ArrayLit, Concat, Rearrange, Reshape, Copy, Manifest,
                Scratch, Loop, Call, soac, UpdateAcc, Tuned, Alloc
            ) => self.needed.extend(free_in_expr(self.function, expr).iter()),
        }
    }

    /// Analyses a loop repeatedly, until the values that its iterations need of each other are known.
    fn carry(&mut self, params: &[LoopParam], form: &LoopForm, body: &Body) {
        match form {
            LoopForm::For { bound, .. } => self.need(*bound),
            LoopForm::While { cond } => self.need((*cond).into()),
        }
        loop {
            let known = self.needed.len();
            self.body(body);
            for (param, &result) in params.iter().zip(&body.result) {
                if self.needed.contains(&param.var) {
                    self.all(&[param.init, result]);
                }
            }
            if self.needed.len() == known {
                break;
            }
        }
    }

    /// Collects the operands of an operation outside its body. Of its body, collects only the extents of operations.
    fn operation(&mut self, op: &SegOp) {
        let outside = SegOp { body: Body::default(), ..op.clone() };
        self.needed.extend(free_in_expr(self.function, &Expr::Seg(Box::new(outside))).iter());
        self.extents(&op.body);
    }

    fn extents(&mut self, body: &Body) {
        for stm in &body.stms {
            if let Expr::Seg(op) = &stm.expr {
                op.space.iter().for_each(|dim| self.need(dim.extent));
            }
            stm.expr.for_each_body(|body| self.extents(body));
        }
    }
}
