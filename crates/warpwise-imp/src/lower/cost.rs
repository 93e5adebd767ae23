//! Estimates of the cost of an iteration and of the best number of lanes in a group.
//!
//! Only orders of magnitude matter. The unit of cost is a simple operation. Extents of inner loops enter as host operands where
//! the host knows them, and as a guess otherwise.

use std::rc::Rc;

use warpwise_ir::{
    Body, Expr, Lambda, LoopForm, Operand as CoreOperand, SegKind, SegOp, Stm, Type, Var, exprs,
};
use warpwise_prim::{BinaryOp, ScalarType, UnaryOp};

use crate::lower::emitter::{Emitter, Value};
use crate::lower::lanes::LaneLoop;
use crate::lower::variance::{Variance, Variances};
use crate::types::Operand;

/// Assumed number of iterations of a loop of unknown extent.
const UNKNOWN_TRIPS: i64 = 16;

/// Weight of straight code beyond which a processor does not overlap it with the next iteration: latencies within an iteration are
/// then exposed, unless there is a second vector.
const WINDOW: u64 = 400;

/// Minimum cost of an operation whose latency is exposed: division, roots, functions. A second vector fills the wait.
const LONG: u64 = 5;

/// Number of values of a body at which one vector for each already keeps the machine busy and its registers full.
const MANY_VALUES: u64 = 1200;

/// Maximum number of lanes of a group.
const MOST_LANES: u16 = 256;

/// The properties of a lane loop that determine the number of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Work {
    /// Every lane works on its own.
    Map,
    /// As `Map`, where memory bounds the speed: one vector per iteration, since the processor prefetches best in loops with few
    /// loads.
    Stream,
    /// Accumulates this number of values; several vectors hide the latency of the operator.
    Reduce(usize),
    /// Combines neighbours within a group; a narrower group takes fewer steps.
    Neighbours,
    /// Combines every lane with all lanes before it.
    Scan,
}

/// Returns the lambdas of a segmented operation's kind.
pub(super) fn lambdas(kind: &SegKind) -> Vec<&Lambda> {
    match kind {
        SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } => Vec::new(),
        SegKind::Reduce { reduces } => reduces.iter().map(|reduce| &reduce.op).collect(),
        SegKind::Scan { scans, reduces, post } => {
            let scans = scans.iter().map(|scan| &scan.op);
            scans.chain(reduces.iter().map(|reduce| &reduce.op)).chain(post.as_ref()).collect()
        }
        SegKind::Hist { ops } => ops.iter().map(|op| &op.op).collect(),
    }
}

impl Emitter<'_> {
    /// Returns the shape of the lane loop for the last dimension of an operation.
    pub fn plan_lanes(&self, op: &SegOp, work: Work) -> LaneLoop {
        let lambdas = lambdas(&op.kind);
        let index = op.space.last().map(|dim| (dim.index, Variance::Linear(1)));
        let facts = Variances::of(self.cx.function, index, &[&op.body], &lambdas);
        let mut profile = Profile {
            function: self.cx.function,
            facts: &facts,
            by_bytes: [0; 4],
            weight: 0,
            values: 0,
            waits: false,
            loops: false,
        };
        profile.body(&op.body, 1);
        for lambda in &lambdas {
            profile.body(&lambda.body, 1);
        }
        for &result in &op.body.result {
            profile.stored(result);
        }
        let (machine, width) = match self.scalar_only {
            true => (1, 1),
            false => profile.width(self.cx.target.vector_bits, work),
        };
        LaneLoop {
            width,
            facts: Rc::new(facts),
            counted: None,
            told: None,
            machine,
            whole_only: false,
            masked_only: false,
            steps_down: false,
            turns: 1,
            interior: None,
        }
    }

    /// Returns the cost of one run of a body, as a host operand.
    pub fn host_cost(&mut self, body: &Body) -> Operand {
        let mut constant = 0;
        let mut sum = Operand::i64(0);
        for stm in &body.stms {
            match self.nested_cost(&stm.expr) {
                Some(nested) => sum = self.code.add(sum, nested),
                None => constant += operation_cost(&stm.expr),
            }
        }
        self.code.add(sum, Operand::i64(constant + body.result.len() as i64))
    }

    /// Returns the cost of an expression, as a host operand.
    pub fn expr_cost(&mut self, expr: &Expr) -> Operand {
        self.nested_cost(expr).unwrap_or(Operand::i64(operation_cost(expr)))
    }

    /// Returns the cost of an expression with bodies; `None` for other expressions.
    fn nested_cost(&mut self, expr: &Expr) -> Option<Operand> {
        match expr {
            Expr::Loop { form, body, .. } => {
                let trips = match form {
                    LoopForm::For { bound, .. } => self.host_trips(*bound),
                    LoopForm::While { .. } => Operand::i64(UNKNOWN_TRIPS),
                };
                let once = self.host_cost(body);
                Some(self.code.mul(trips, once))
            }
            Expr::If { then_body, else_body, .. } => {
                let then_cost = self.host_cost(then_body);
                let else_cost = self.host_cost(else_body);
                Some(self.code.add(then_cost, else_cost))
            }
            Expr::Seg(op) => {
                let mut once = self.host_cost(&op.body);
                for lambda in lambdas(&op.kind) {
                    let more = self.host_cost(&lambda.body);
                    once = self.code.add(once, more);
                }
                let trips: Vec<Operand> = op.space.iter().map(|dim| self.host_trips(dim.extent)).collect();
                let trips = self.code.product(trips);
                Some(self.code.mul(trips, once))
            }
            exprs!(simple, soac) => None,
        }
    }

    /// Returns a number of iterations as the host knows it.
    fn host_trips(&mut self, extent: CoreOperand) -> Operand {
        let known = match extent {
            CoreOperand::Const(value) => value.as_int().map(Operand::i64),
            CoreOperand::Var(var) => match self.scope.values.get(&var) {
                Some(Value::Uniform(x)) if self.code.ty(*x).scalar == ScalarType::I64 => Some(*x),
                Some(_) | None => None,
            },
        };
        known.unwrap_or(Operand::i64(UNKNOWN_TRIPS))
    }

    /// Returns whether iterations of a body may differ in cost: it contains loops whose number of iterations the host does not
    /// know.
    pub fn is_uneven(&self, body: &Body) -> bool {
        body.stms.iter().any(|stm| {
            let own = match &stm.expr {
                Expr::Loop { form: LoopForm::While { .. }, .. } => true,
                Expr::Loop { form: LoopForm::For { bound, .. }, .. } => !self.host_knows(*bound),
                Expr::Seg(op) => op.space.iter().any(|dim| !self.host_knows(dim.extent)),
                exprs!(simple, If, Loop, soac) => false,
            };
            let mut inside = own;
            stm.expr.for_each_body(|body| inside |= self.is_uneven(body));
            inside
        })
    }

    fn host_knows(&self, operand: CoreOperand) -> bool {
        operand.as_var().is_none_or(|var| self.scope.values.contains_key(&var))
    }
}

/// Returns whether running a body in vain costs less than a branch around it, and is safe under an empty mask.
pub(super) fn is_cheap(emitter: &Emitter, body: &Body) -> bool {
    let mut cost = 0;
    for stm in &body.stms {
        let safe = match &stm.expr {
            Expr::Operand(_)
            | Expr::Unary(..)
            | Expr::Ternary(..)
            | Expr::Compare(..)
            | Expr::Convert(..) => true,
            Expr::Select(..) => true,
            Expr::Binary(op, _, y) => {
                let divisor = y.as_var().map_or(Variance::Uniform, |var| emitter.variance(var));
                // A divisor that is the same in all lanes is not made safe; here it may belong to no running lane.
                !op.can_fail() || divisor != Variance::Uniform || y.as_const().is_some()
            }
            // A uniform address may be outside the array when no lane runs.
            Expr::Index { .. } => {
                let var = stm.pattern[0];
                emitter.is_array(var) || emitter.variance(var) == Variance::Varying
            }
            Expr::Slice { .. } | Expr::Rearrange { .. } | Expr::Reshape { .. } => true,
            exprs!(Assert, Update, fresh, nested, Call, UpdateAcc, Tuned, Alloc) => false,
        };
        cost += operation_cost(&stm.expr);
        if !safe || cost > 16 {
            return false;
        }
    }
    true
}

/// Returns the cost of one operation without bodies.
fn operation_cost(expr: &Expr) -> i64 {
    match expr {
        Expr::Unary(op, _) => unary_cost(*op),
        Expr::Binary(op, _, y) => binary_cost(*op, *y),
        Expr::Index { .. } => 2,
        Expr::Operand(_) | Expr::Slice { .. } | Expr::Rearrange { .. } | Expr::Reshape { .. } => 0,
        exprs!(
            Ternary, Compare, Convert, Select, Assert, Update, fresh, nested, Call, UpdateAcc, Tuned, Alloc
        ) => 1,
    }
}

fn unary_cost(op: UnaryOp) -> i64 {
    use UnaryOp::*;
    match op {
        Neg | Not | Abs | Signum | PopCount | LeadingZeros | TrailingZeros | FNeg | FAbs | FSignum
        | Floor | Ceil | Trunc | Round => 1,
        Sqrt | Rsqrt | ApproxRsqrt => 5,
        Cbrt | Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos | Tan | Asin | Acos
        | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | SinPi | CosPi | TanPi | AsinPi | AcosPi
        | AtanPi | Gamma | LogGamma | Erf | Erfc => 20,
    }
}

fn binary_cost(op: BinaryOp, y: CoreOperand) -> i64 {
    let constant = y.as_const().is_some();
    match op {
        BinaryOp::SDiv
        | BinaryOp::SMod
        | BinaryOp::SQuot
        | BinaryOp::SRem
        | BinaryOp::UDiv
        | BinaryOp::UMod => {
            if constant {
                4
            } else {
                20
            }
        }
        BinaryOp::FDiv => 5,
        BinaryOp::Pow
        | BinaryOp::UPow
        | BinaryOp::FMod
        | BinaryOp::FRem
        | BinaryOp::FPow
        | BinaryOp::Atan2
        | BinaryOp::Atan2Pi
        | BinaryOp::Hypot
        | BinaryOp::NextAfter
        | BinaryOp::LdExp => 30,
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::SMulHigh
        | BinaryOp::UMulHigh
        | BinaryOp::SMin
        | BinaryOp::UMin
        | BinaryOp::SMax
        | BinaryOp::UMax
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FMin
        | BinaryOp::FMax
        | BinaryOp::CopySign => 1,
    }
}

/// Returns the cost of one run of a body at compile time, with `trips` for unknown extents.
pub(super) fn static_cost(body: &Body, trips: i64) -> i64 {
    let known = |extent: &CoreOperand| {
        extent.as_const().and_then(|value| value.as_int()).map_or(trips, |n| n.clamp(0, 1 << 20))
    };
    let stm = |stm: &Stm| {
        let mut nested: i64 = 0;
        stm.expr.for_each_body(|body| nested = nested.saturating_add(static_cost(body, trips)));
        let times = match &stm.expr {
            Expr::Loop { form: LoopForm::For { bound, .. }, .. } => known(bound),
            Expr::Loop { form: LoopForm::While { .. }, .. } => trips,
            Expr::Seg(op) => op.space.iter().map(|dim| known(&dim.extent)).fold(1, i64::saturating_mul),
            exprs!(simple, If, Loop, soac) => 1,
        };
        operation_cost(&stm.expr).saturating_add(nested.saturating_mul(times))
    };
    body.stms.iter().map(stm).fold(0, i64::saturating_add)
}

/// The composition of the varying work of a lane body.
struct Profile<'a> {
    function: &'a warpwise_ir::Function,
    facts: &'a Variances,
    /// Weight of values of 1, 2, 4 and 8 bytes.
    by_bytes: [u64; 4],
    weight: u64,
    /// Number of values that differ between the lanes.
    values: u64,
    /// Whether such a value is the result of a division, a root or a function.
    waits: bool,
    loops: bool,
}

impl Profile<'_> {
    fn body(&mut self, body: &Body, times: u64) {
        for stm in &body.stms {
            let inner = match &stm.expr {
                Expr::Loop { .. } | Expr::Seg(_) => {
                    self.loops = true;
                    (times * 8).min(1 << 20)
                }
                exprs!(simple, If, soac) => times,
            };
            stm.expr.for_each_body(|body| self.body(body, inner));
            for &var in &stm.pattern {
                self.value(var, operation_cost(&stm.expr).unsigned_abs(), times);
            }
        }
    }

    fn value(&mut self, var: Var, cost: u64, times: u64) {
        let Type::Scalar(ty) = self.function.ty(var) else { return };
        if self.facts.variance(var) == Variance::Varying {
            self.weight += cost * times;
            self.values += 1;
            self.waits |= cost >= LONG;
            self.bytes(*ty, cost * times);
        }
    }

    fn stored(&mut self, result: CoreOperand) {
        let ty = match result {
            CoreOperand::Const(value) => value.ty(),
            CoreOperand::Var(var) => match self.function.ty(var) {
                Type::Scalar(ty) => *ty,
                Type::Array(_) | Type::Mem | Type::Cert | Type::Acc(_) => return,
            },
        };
        self.bytes(ty, 2);
    }

    fn bytes(&mut self, ty: ScalarType, weight: u64) {
        if ty != ScalarType::Bool {
            self.by_bytes[ty.bytes().trailing_zeros() as usize] += weight;
        }
    }

    /// Returns the number of lanes of a machine vector of the dominant type, and that of a group, which is a multiple.
    fn width(&self, vector_bits: u32, work: Work) -> (u16, u16) {
        let mut best = 2;
        for bytes in 0..4 {
            if self.by_bytes[bytes] > self.by_bytes[best] {
                best = bytes;
            }
        }
        if self.by_bytes.iter().all(|&weight| weight == 0) {
            best = 0;
        }
        let lanes = (vector_bits / 8 / (1 << best)).max(2) as u16;
        (lanes, (lanes * self.unroll(work)).min(MOST_LANES))
    }

    fn unroll(&self, work: Work) -> u16 {
        match work {
            Work::Stream => 1,
            Work::Map if self.values > MANY_VALUES => 1,
            Work::Map if self.loops => 2,
            Work::Map if self.weight <= 8 => 4,
            Work::Map if self.weight <= 40 || self.waits || self.weight > WINDOW => 2,
            Work::Map => 1,
            Work::Reduce(values) if self.loops || self.weight > 40 => {
                if values <= 2 {
                    2
                } else {
                    1
                }
            }
            Work::Reduce(1) => 8,
            Work::Reduce(2) => 4,
            Work::Reduce(_) => 2,
            Work::Neighbours => 2,
            Work::Scan => 1,
        }
    }
}
