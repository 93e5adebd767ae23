//! The variance of values: whether they are the same in all lanes, grow by a constant from lane to lane, or neither.
//!
//! An analysis of the core IR, which is SSA: one pass over the body of a lane dimension, with a fixpoint at loops. Code generation
//! applies the same transfer functions ([`binary`], [`convert`], ...) to the values that it creates, so the two agree. For values
//! that it cannot see in advance, those carried by loops and out of choices, it looks up the result of the analysis.
//!
//! A loop whose bound or condition varies is *divergent*: lanes leave one by one. Within it the live lanes are in step, so its
//! counter stays uniform; the loop's results vary.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{
    Body, Branch, Expr, Function, Lambda, LoopForm, LoopParam, Operand, Placement, SegKind, SegOp, Stm, Type,
    Var, exprs,
};
use warpwise_prim::{BinaryOp, ConvertOp, ScalarType, UnaryOp};

/// The variance of a scalar: how it differs between lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Variance {
    /// The same in all active lanes.
    #[default]
    Uniform,
    /// An integer whose value in lane `l` is `base + l * stride`, wrapping; the stride is small and not 0.
    Linear(i64),
    /// Any other scalar.
    Varying,
}

/// The properties of an operand that the transfer functions use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// Variance of the operand.
    pub variance: Variance,
    /// Its value, if it is an integer constant.
    pub constant: Option<i64>,
}

/// The result of the analysis for one lane dimension.
#[derive(Clone, Debug, Default)]
pub(super) struct Variances {
    scalars: SecondaryMap<Var, Variance>,
    /// Whether a block is allocated for each lane, with interleaved elements.
    interleaved: SecondaryMap<Var, bool>,
}

impl Variances {
    /// Analyses bodies in which the lanes' `indices` have these variances. Parameters of `lambdas` vary.
    pub fn of(
        function: &Function,
        indices: impl IntoIterator<Item = (Var, Variance)>,
        bodies: &[&Body],
        lambdas: &[&Lambda],
    ) -> Variances {
        let entered = SecondaryMap::default();
        let mut analysis = Analysis { function, facts: Variances::default(), entered };
        for (index, variance) in indices {
            analysis.facts.scalars[index] = variance;
        }
        for body in bodies {
            analysis.body(body);
        }
        for lambda in lambdas {
            analysis.lambda_varying(lambda);
        }
        analysis.facts
    }

    /// Returns the variance of a variable; variables bound outside are uniform.
    pub fn variance(&self, var: Var) -> Variance {
        self.scalars[var]
    }
}

impl Variance {
    /// Returns the variance of a value that has either of two variances.
    pub fn join(self, other: Variance) -> Variance {
        if self == other { self } else { Variance::Varying }
    }

    /// Returns the variance of this stride, if it is small enough that the first and the last lane bound all others.
    fn linear(stride: Option<i64>) -> Variance {
        match stride {
            Some(0) => Variance::Uniform,
            Some(stride) if stride.unsigned_abs() <= 1 << 31 => Variance::Linear(stride),
            Some(_) | None => Variance::Varying,
        }
    }

    /// Returns the stride, if there is one.
    fn stride(self) -> Option<i64> {
        match self {
            Variance::Uniform => Some(0),
            Variance::Linear(stride) => Some(stride),
            Variance::Varying => None,
        }
    }
}

/// Returns the variance of the result of a binary operator.
#[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a rule keeps no stride")]
pub(super) fn binary(op: BinaryOp, x: Known, y: Known) -> Variance {
    if x.variance == Variance::Uniform && y.variance == Variance::Uniform {
        return Variance::Uniform;
    }
    let (Some(a), Some(b)) = (x.variance.stride(), y.variance.stride()) else { return Variance::Varying };
    match op {
        BinaryOp::Add => Variance::linear(a.checked_add(b)),
        BinaryOp::Sub => Variance::linear(a.checked_sub(b)),
        BinaryOp::Mul => match (x.constant, y.constant) {
            (_, Some(c)) => Variance::linear(a.checked_mul(c)),
            (Some(c), _) => Variance::linear(b.checked_mul(c)),
            (None, None) => Variance::Varying,
        },
        BinaryOp::Shl => match y.constant {
            Some(c) if (0..16).contains(&c) => Variance::linear(a.checked_mul(1 << c)),
            Some(_) | None => Variance::Varying,
        },
        _ => Variance::Varying,
    }
}

/// Returns the variance of the result of a unary operator.
pub(super) fn unary(op: UnaryOp, x: Variance) -> Variance {
    match (op, x) {
        (_, Variance::Uniform) => Variance::Uniform,
        (UnaryOp::Neg, Variance::Linear(stride)) => Variance::linear(stride.checked_neg()),
        (_, Variance::Linear(_) | Variance::Varying) => Variance::Varying,
    }
}

/// Returns the variance of a conversion. A widened linear value varies, because it may have wrapped between the lanes.
pub(super) fn convert(op: ConvertOp, x: Variance, to: ScalarType) -> Variance {
    match x {
        Variance::Linear(stride)
            if op == ConvertOp::Truncate && stride.unsigned_abs() < 1 << (to.bits() - 2) =>
        {
            x
        }
        Variance::Uniform => Variance::Uniform,
        Variance::Linear(_) | Variance::Varying => Variance::Varying,
    }
}

/// Returns the variance of a selection between two values.
pub(super) fn select(cond: Variance, x: Variance, y: Variance) -> Variance {
    if cond == Variance::Uniform { x.join(y) } else { Variance::Varying }
}

/// Returns the variance of any other result: uniform where all operands are.
pub(super) fn other(operands: impl IntoIterator<Item = Variance>) -> Variance {
    let uniform = operands.into_iter().all(|x| x == Variance::Uniform);
    if uniform { Variance::Uniform } else { Variance::Varying }
}

/// The state of an analysis.
struct Analysis<'a> {
    function: &'a Function,
    facts: Variances,
    /// Whether the analysis has reached a variable that a loop or fold carries.
    entered: SecondaryMap<Var, bool>,
}

impl Analysis<'_> {
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
        }
    }

    fn stm(&mut self, stm: &Stm) {
        match &stm.expr {
            Expr::If { cond, then_body, else_body, branch } => {
                self.body(then_body);
                self.body(else_body);
                let divergent = *branch == Branch::Plain && self.of(*cond) != Variance::Uniform;
                for ((&var, &x), &y) in stm.pattern.iter().zip(&then_body.result).zip(&else_body.result) {
                    let joined = self.of(x).join(self.of(y));
                    self.set(var, if divergent && x != y { Variance::Varying } else { joined });
                    self.facts.interleaved[var] = self.is_interleaved(x);
                }
            }
            Expr::Loop { params, form, body } => self.loop_stm(stm, params, form, body),
            Expr::Seg(op) => self.seg(stm, op),
            Expr::Alloc { .. } => self.facts.interleaved[stm.pattern[0]] = true,
            Expr::Operand(x) => {
                self.set(stm.pattern[0], self.of(*x));
                self.facts.interleaved[stm.pattern[0]] = self.is_interleaved(*x);
            }
            expr @ exprs!(scalar, Assert, array, Call, soac, UpdateAcc, Tuned) => {
                let variance = self.simple(expr);
                for &var in &stm.pattern {
                    self.set(var, variance);
                }
            }
        }
    }

    /// Returns the variance of an expression without bodies.
    fn simple(&self, expr: &Expr) -> Variance {
        match expr {
            Expr::Unary(op, x) => unary(*op, self.of(*x)),
            Expr::Binary(op, x, y) => binary(*op, self.known(*x), self.known(*y)),
            Expr::Convert(op, x, ty) => convert(*op, self.of(*x), *ty),
            Expr::Select(c, x, y) => select(self.of(*c), self.of(*x), self.of(*y)),
            Expr::Index { array, indices } => self.load(*array, indices),
            Expr::Ternary(_, x, y, z) => other([*x, *y, *z].map(|x| self.of(x))),
            Expr::Compare(_, x, y) => other([*x, *y].map(|x| self.of(x))),
            exprs!(
                Operand, Assert, Slice, Update, fresh, Rearrange, Reshape, nested, Call, UpdateAcc, Tuned,
                Alloc
            ) => Variance::Varying,
        }
    }

    /// Returns the variance of a loaded element: uniform if its address is.
    fn load(&self, array: Var, indices: &[Operand]) -> Variance {
        let Some(Placement { block, index_fn }) = &self.function.vars[array].placement else {
            return Variance::Varying;
        };
        if self.facts.interleaved[*block] {
            return Variance::Varying;
        }
        let strides = index_fn.dims.iter().take(indices.len()).map(|dim| dim.stride);
        other(indices.iter().copied().chain(strides).chain([index_fn.offset]).map(|x| self.of(x)))
    }

    fn loop_stm(&mut self, stm: &Stm, params: &[LoopParam], form: &LoopForm, body: &Body) {
        for param in params {
            self.enter(param.var, param.init);
            self.facts.interleaved[param.var] = self.is_interleaved(param.init);
        }
        loop {
            self.body(body);
            let vars = params.iter().map(|param| param.var);
            if !self.widen(vars, &body.result) {
                break;
            }
        }
        let divergent = match form {
            LoopForm::For { bound, .. } => self.of(*bound) != Variance::Uniform,
            LoopForm::While { cond } => self.facts.scalars[*cond] != Variance::Uniform,
        };
        for (&var, param) in stm.pattern.iter().zip(params) {
            self.set(var, if divergent { Variance::Varying } else { self.facts.scalars[param.var] });
            self.facts.interleaved[var] = self.facts.interleaved[param.var];
        }
    }

    /// Gives a carried variable its first variance. On a further visit, in another iteration of an enclosing loop's fixpoint, it
    /// continues from its former variance: variances only ever become varying, so nothing is lost, and the number of visits is not
    /// exponential in the depth of a loop nest.
    fn enter(&mut self, var: Var, init: Operand) {
        let init = self.of(init);
        let start = if self.entered[var] { self.facts.scalars[var].join(init) } else { init };
        self.entered[var] = true;
        self.set(var, start);
    }

    /// Joins the variances of the next values into the variables that carry them; returns whether anything changed.
    fn widen(&mut self, vars: impl Iterator<Item = Var>, next: &[Operand]) -> bool {
        let mut changed = false;
        for (var, &next) in vars.zip(next) {
            let joined = self.facts.scalars[var].join(self.of(next));
            changed |= joined != self.facts.scalars[var];
            self.set(var, joined);
        }
        changed
    }

    /// Analyses a segmented operation that is a sequential loop within each lane.
    fn seg(&mut self, stm: &Stm, op: &SegOp) {
        let divergent = op.space.iter().any(|dim| self.of(dim.extent) != Variance::Uniform);
        let varying = |vars: &[Var], this: &mut Self| {
            for &var in vars {
                this.set(var, Variance::Varying);
            }
        };
        match &op.kind {
            SegKind::Reduce { reduces } => {
                self.body(&op.body);
                let mut taken = 0;
                for reduce in reduces {
                    let count = reduce.neutral.len();
                    let inputs = &op.body.result[taken..taken + count];
                    self.fold(&reduce.op, &reduce.neutral, inputs);
                    for i in 0..count {
                        let folded = self.facts.scalars[reduce.op.params[i]];
                        self.set(stm.pattern[taken + i], if divergent { Variance::Varying } else { folded });
                    }
                    taken += count;
                }
            }
            SegKind::Scan { scans, reduces, post } => {
                self.body(&op.body);
                let ops =
                    scans.iter().map(|s| &s.op).chain(reduces.iter().map(|r| &r.op)).chain(post.as_ref());
                for lambda in ops {
                    self.lambda_varying(lambda);
                }
                varying(&stm.pattern, self);
            }
            SegKind::Hist { ops } => {
                self.body(&op.body);
                for hist in ops {
                    self.lambda_varying(&hist.op);
                }
            }
            SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } => {
                self.body(&op.body);
                varying(&stm.pattern, self);
            }
        }
    }

    /// Analyses a fold from `neutral` with `op` over values like `inputs`, up to a fixpoint at the operator's parameters.
    fn fold(&mut self, op: &Lambda, neutral: &[Operand], inputs: &[Operand]) {
        let (accs, elems) = op.params.split_at(neutral.len());
        accs.iter().zip(neutral).for_each(|(&var, &x)| self.enter(var, x));
        elems.iter().zip(inputs).for_each(|(&var, &x)| self.set(var, self.of(x)));
        debug_assert_eq!(elems.len(), inputs.len());
        loop {
            self.body(&op.body);
            if !self.widen(accs.iter().copied(), &op.body.result) {
                return;
            }
        }
    }

    fn lambda_varying(&mut self, lambda: &Lambda) {
        for &param in &lambda.params {
            self.set(param, Variance::Varying);
        }
        self.body(&lambda.body);
    }

    fn set(&mut self, var: Var, variance: Variance) {
        if matches!(self.function.ty(var), Type::Scalar(_)) {
            self.facts.scalars[var] = variance;
        }
    }

    fn of(&self, operand: Operand) -> Variance {
        operand.as_var().map_or(Variance::Uniform, |var| self.facts.scalars[var])
    }

    fn known(&self, operand: Operand) -> Known {
        let constant = operand.as_const().and_then(|value| value.as_int());
        Known { variance: self.of(operand), constant }
    }

    fn is_interleaved(&self, operand: Operand) -> bool {
        operand.as_var().is_some_and(|var| self.facts.interleaved[var])
    }
}
