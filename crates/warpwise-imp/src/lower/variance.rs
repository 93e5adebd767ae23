//! Which values are the same in all lanes, which go up by a constant from lane to lane.
//!
//! An analysis of the core IR, which is SSA: one pass over the body of a lane dimension, with a
//! fixpoint at loops. Code generation uses the same transfer functions ([`binary`], [`convert`], ...) on the
//! values it makes, so the two agree; what it cannot see in advance, the values carried round
//! loops and out of choices, it looks up here.
//!
//! A loop whose bound or condition varies is *divergent*: lanes leave one by one. Within it the live lanes
//! are in step, so its counter stays uniform; what comes out of it varies.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{
    Body, Branch, Expr, Function, Lambda, LoopForm, LoopParam, Operand, Placement, SegKind, SegOp, Stm, Type,
    Var, exprs,
};
use warpwise_prim::{BinaryOp, ConvertOp, ScalarType, UnaryOp};

/// How a scalar differs between lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Variance {
    /// The same in all active lanes.
    #[default]
    Uniform,
    /// An integer: lane `l` has `base + l * stride`, wrapping; the stride is small and not 0.
    Linear(i64),
    /// Anything.
    Varying,
}

/// What the transfer functions want to know of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// How it differs between lanes.
    pub variance: Variance,
    /// Its value, if it is an integer constant.
    pub constant: Option<i64>,
}

/// The facts about one lane dimension.
#[derive(Clone, Debug, Default)]
pub(super) struct Variances {
    scalars: SecondaryMap<Var, Variance>,
    /// Blocks allocated per lane, whose elements lie interleaved.
    interleaved: SecondaryMap<Var, bool>,
}

impl Variances {
    /// Analyses bodies in which the `indices` of the lanes differ so from lane to lane. Parameters of `lambdas` vary.
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

    /// How a variable differs between lanes; those bound outside do not.
    pub fn variance(&self, var: Var) -> Variance {
        self.scalars[var]
    }
}

impl Variance {
    /// What holds of a value that is either of two.
    pub fn join(self, other: Variance) -> Variance {
        if self == other { self } else { Variance::Varying }
    }

    /// Linear with this stride, if it is small enough that first and last lane tell about all between.
    fn linear(stride: Option<i64>) -> Variance {
        match stride {
            Some(0) => Variance::Uniform,
            Some(stride) if stride.unsigned_abs() <= 1 << 31 => Variance::Linear(stride),
            Some(_) | None => Variance::Varying,
        }
    }

    /// The stride, of what has one.
    fn stride(self) -> Option<i64> {
        match self {
            Variance::Uniform => Some(0),
            Variance::Linear(stride) => Some(stride),
            Variance::Varying => None,
        }
    }
}

/// Of an integer or float operator on two values.
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

/// Of an operator on one value.
pub(super) fn unary(op: UnaryOp, x: Variance) -> Variance {
    match (op, x) {
        (_, Variance::Uniform) => Variance::Uniform,
        (UnaryOp::Neg, Variance::Linear(stride)) => Variance::linear(stride.checked_neg()),
        (_, Variance::Linear(_) | Variance::Varying) => Variance::Varying,
    }
}

/// Of a conversion. Widening a linear value may unwrap it in the middle of the lanes: it varies.
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

/// Of a choice between two values.
pub(super) fn select(cond: Variance, x: Variance, y: Variance) -> Variance {
    if cond == Variance::Uniform { x.join(y) } else { Variance::Varying }
}

/// Of everything else: uniform where all operands are.
pub(super) fn other(operands: impl IntoIterator<Item = Variance>) -> Variance {
    let uniform = operands.into_iter().all(|x| x == Variance::Uniform);
    if uniform { Variance::Uniform } else { Variance::Varying }
}

/// An analysis under way.
struct Analysis<'a> {
    function: &'a Function,
    facts: Variances,
    /// Variables carried round loops and folds that have been come to.
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

    /// Of an expression without bodies.
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

    /// Of an element: the same for all lanes if its address is.
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

    /// Gives a variable that is carried round its first value. Coming again, in another round of a loop around, it
    /// goes on from where it was: values only ever become varying, so nothing is lost, and a nest of loops is
    /// walked a number of times that is not exponential in its depth.
    fn enter(&mut self, var: Var, init: Operand) {
        let init = self.of(init);
        let start = if self.entered[var] { self.facts.scalars[var].join(init) } else { init };
        self.entered[var] = true;
        self.set(var, start);
    }

    /// Joins what is carried round into the variables that carry it; whether anything changed.
    fn widen(&mut self, vars: impl Iterator<Item = Var>, next: &[Operand]) -> bool {
        let mut changed = false;
        for (var, &next) in vars.zip(next) {
            let joined = self.facts.scalars[var].join(self.of(next));
            changed |= joined != self.facts.scalars[var];
            self.set(var, joined);
        }
        changed
    }

    /// A sequential loop within each lane.
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

    /// A fold from `neutral` with `op` over values like `inputs`: the fixpoint stands at the operator's parameters.
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
