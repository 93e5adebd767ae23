//! Static estimates of the cost of code, in simple vector or scalar operations.

use rustc_hash::FxHashSet;
use warpwise_ir::{Body, Expr, Function, LoopForm, LoopParam, Operand, SegKind, SegOp, Stm, Var, exprs};
use warpwise_prim::{BinaryOp, Scalar, UnaryOp};

use super::access::{Access, Variance};
use super::rows;

/// Number of lanes of a typical vector. Only the order of magnitude matters.
pub const LANES: f64 = 16.0;

/// The assumed trip counts of dimensions whose extents are not constants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Guess {
    /// The dimensions of the outermost operation of a nest.
    pub outer: f64,
    /// All other dimensions.
    pub inner: f64,
    /// An extent with a small trip count, wherever it occurs.
    pub few: Option<(Operand, f64)>,
}

impl Guess {
    /// Long dimensions everywhere.
    pub const LONG: Guess = Guess { outer: 1000.0, inner: 1000.0, few: None };

    /// Long dimensions outside, short ones inside.
    pub const SHORT_INSIDE: Guess = Guess { outer: 1000.0, inner: 4.0, few: None };

    /// Returns the guess for the inside of an operation.
    pub fn inside(self) -> Guess {
        Guess { outer: self.inner, ..self }
    }

    /// Returns a guess of long dimensions everywhere, except for this extent.
    pub fn few(extent: Operand, trips: f64) -> Guess {
        Guess { few: Some((extent, trips)), ..Guess::LONG }
    }

    /// Returns the trip count of a dimension of the outermost operation.
    fn outer_trips(self, extent: Operand) -> f64 {
        self.trips(extent, self.outer)
    }

    /// Returns the trip count of any other dimension.
    pub fn inner_trips(self, extent: Operand) -> f64 {
        self.trips(extent, self.inner)
    }

    fn trips(self, extent: Operand, unknown: f64) -> f64 {
        let few = self.few.and_then(|(few, trips)| (few == extent).then_some(trips));
        let known = || extent.as_const().and_then(Scalar::as_int).map(|n| n.max(0) as f64);
        few.or_else(known).unwrap_or(unknown)
    }
}

/// Ratio of the longest to the average of the rows that lanes process together, if lengths vary. A few rows may be much longer
/// than all others.
const DIVERGENCE: f64 = 2.0;

/// The same ratio for searches, which follow a chain of places until they find something: most end soon, some never.
const SEARCHING: f64 = LANES;

/// The same ratio for loops that try one candidate after the other. Lanes gain nothing if one of them tries all.
const TRYING: f64 = 2.0 * LANES;

/// Cost of loading in lanes that walk along memory, each from a different start. One value at a time such loads hit the first-level
/// cache, several in a cycle.
const WALK: f64 = 4.0 * LANES;

/// Cost of gathering elements of less than 32 bits in each iteration of a loop: they are loaded and put into their lanes one by one.
/// Measured on loops over rows, whose lanes then take as long as one row after the other, or up to 15 times as long.
const NARROW_GATHER: f64 = 3.0 * LANES;

/// Maximum length of loops that a processor overlaps with the next ones. In longer loops each iteration waits for the one before, and
/// lanes gain although they gather. Loops whose lengths vary between lanes count as short.
const OVERLAPPING: f64 = 64.0;

/// Cost of combining the lanes of a vector at the end of a reduction.
const COMBINE_LANES: f64 = 12.0;

/// Whether evaluating an expression once more costs almost nothing.
pub fn is_cheap(expr: &Expr) -> bool {
    expr.is_straight() || matches!(expr, Expr::Assert { .. })
}

/// Whether a body consists only of cheap expressions and choices between them.
pub fn is_cheap_body(body: &Body) -> bool {
    body.stms.iter().all(|stm| {
        if let Expr::If { then_body, else_body, .. } = &stm.expr {
            is_cheap_body(then_body) && is_cheap_body(else_body)
        } else {
            is_cheap(&stm.expr)
        }
    })
}

/// Returns the cost of one execution of a body, one value at a time. `inner` gives the cost of inner segmented operations.
pub fn scalar_body(
    function: &Function,
    body: &Body,
    guess: Guess,
    inner: &mut dyn FnMut(&SegOp) -> f64,
) -> f64 {
    let stm = |stm: &Stm| match &stm.expr {
        Expr::Seg(op) => inner(op),
        Expr::Index { .. } => 1.0,
        // The branch is predicted. Its comparison is counted.
        Expr::Assert { .. } => 0.0,
        expr @ exprs!(
            Operand, scalar, Slice, Update, fresh, Rearrange, Reshape, If, Loop, Call, soac, UpdateAcc,
            Tuned, Alloc
        ) => match rows::filled(function, stm, guess) {
            Some(elements) => rows::by_vectors(elements),
            None => nested(expr, guess, &mut |body| scalar_body(function, body, guess, inner)),
        },
    };
    body.stms.iter().map(stm).sum()
}

/// Returns the cost of one execution of a body by all lanes at once, with sequential inner dimensions.
pub fn lane_body(function: &Function, access: &Access, body: &Body, guess: Guess) -> f64 {
    let leaving = &rows::leaving(function, body);
    InLanes { function, access, leaving, along: None, in_long_loop: false }.body(body, guess)
}

/// Code that all lanes run together.
#[derive(Clone, Copy)]
struct InLanes<'a> {
    function: &'a Function,
    access: &'a Access<'a>,
    /// Rows that leave the outermost body: adjacent lanes access addresses a row apart.
    leaving: &'a FxHashSet<Var>,
    /// The accesses along the innermost loop around the code, if that counts as short.
    along: Option<&'a Access<'a>>,
    /// Whether the code is directly in a long loop.
    in_long_loop: bool,
}

impl InLanes<'_> {
    fn body(self, body: &Body, guess: Guess) -> f64 {
        body.stms.iter().map(|stm| self.stm(stm, guess)).sum()
    }

    fn stm(self, stm: &Stm, guess: Guess) -> f64 {
        let InLanes { function, access, leaving, .. } = self;
        match &stm.expr {
            Expr::Seg(op) => self.operation(stm, op, guess),
            Expr::Loop { params, form, body } => {
                let mut known = params.iter().map(|param| param.var).collect();
                let waiting = match form {
                    LoopForm::For { bound, .. } => waiting(access, [*bound].into_iter()),
                    LoopForm::While { cond } if access.operand((*cond).into()) == Variance::Uniform => 1.0,
                    LoopForm::While { .. } if searches(function, access, &mut known, body) => SEARCHING,
                    LoopForm::While { cond } if tries(params, *cond, body) => TRYING,
                    LoopForm::While { .. } => DIVERGENCE,
                };
                let trips = loop_trips(form, guess);
                let along = match form {
                    LoopForm::For { index, .. } if waiting > 1.0 || trips <= OVERLAPPING => {
                        Some(Access::along(function, &access.uniform_layouts(), *index, body))
                    }
                    LoopForm::For { .. } | LoopForm::While { .. } => None,
                };
                let inside = InLanes { along: along.as_ref(), in_long_loop: trips > OVERLAPPING, ..self };
                waiting * trips * inside.body(body, guess)
            }
            Expr::Index { array, indices } if indices.len() == function.ty(*array).rank() => {
                self.load(*array, indices)
            }
            Expr::Update { array, .. }
                if leaving.contains(array) && rows::is_scalar_update(function, stm) =>
            {
                rows::SCATTER
            }
            expr @ exprs!(simple, If, soac) => match rows::filled(function, stm, guess) {
                Some(elements) => elements * rows::in_lanes(function, access, stm, leaving),
                None => nested(expr, guess, &mut |body| self.body(body, guess)),
            },
        }
    }

    /// Returns the cost of an operation whose dimensions are all sequential.
    fn operation(self, stm: &Stm, op: &SegOp, guess: Guess) -> f64 {
        let escapes = stm.pattern.iter().any(|var| self.leaving.contains(var));
        let stores = |apart: f64| if escapes { apart } else { 1.0 };
        let is_element = |result: &&Operand| self.function.operand_type(**result).rank() == 0;
        let elements = op.body.result.iter().filter(is_element).count() as f64;
        let stores = match &op.kind {
            SegKind::Map => {
                let moved = rows::moved(self.function, op, guess.inside());
                elements * stores(LANES) + moved * (LANES + stores(rows::SCATTER))
            }
            SegKind::Scan { .. } => op.body.result.len() as f64 * stores(rows::SCATTER),
            // Every lane has a separate table, so that bins of adjacent lanes are a table apart.
            SegKind::Hist { ops } => 2.0 * LANES * ops.iter().map(|op| op.dests.len() as f64).sum::<f64>(),
            SegKind::Reduce { .. } | SegKind::Partition { .. } | SegKind::Scatter { .. } => 0.0,
        };
        let inside = lane_body(self.function, self.access, &op.body, guess.inside());
        let waiting = waiting(self.access, op.space.iter().map(|dim| dim.extent));
        waiting * whole_trips(op, guess) * (inside + operators(self.function, op, guess) + stores)
    }

    /// Whether the elements of an array are narrower than those that processors gather.
    fn is_narrow(self, array: Var) -> bool {
        self.function.ty(array).elem().is_some_and(|elem| elem.bytes() < 4)
    }

    /// Returns the cost of loading an element.
    fn load(self, array: Var, indices: &[Operand]) -> f64 {
        let at = |access: &Access| access.at(array, indices.iter().copied());
        match at(self.access) {
            Variance::Uniform if self.leaving.contains(&array) => LANES,
            Variance::Uniform => 1.0,
            Variance::Unit => 1.5,
            // Includes a shuffle.
            Variance::Falling => 2.5,
            Variance::Other if self.along.is_some_and(|along| at(along) == Variance::Unit) => WALK,
            Variance::Other if self.in_long_loop && self.is_narrow(array) => NARROW_GATHER,
            Variance::Other => LANES,
        }
    }
}

/// Returns the ratio of the lanes' time to a loop's average time, if these operands determine the loop's length.
fn waiting(access: &Access, mut decide: impl Iterator<Item = Operand>) -> f64 {
    if decide.all(|x| access.operand(x) == Variance::Uniform) { 1.0 } else { DIVERGENCE }
}

/// Whether an iteration of a loop continues reading where the previous one stopped, at a different place in each lane. The places
/// must follow from the loop's parameters (`known`) by arithmetic, not from work in inner loops.
fn searches(function: &Function, access: &Access, known: &mut FxHashSet<Var>, body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut follows = false;
        stm.expr.for_each_operand(|x| follows |= x.as_var().is_some_and(|var| known.contains(&var)));
        match &stm.expr {
            Expr::Loop { .. } | Expr::Seg(_) => return false,
            Expr::If { then_body, else_body, .. } => {
                for body in [then_body, else_body] {
                    if searches(function, access, known, body) {
                        return true;
                    }
                    follows |= body.result.iter().any(|x| x.as_var().is_some_and(|var| known.contains(&var)));
                }
            }
            Expr::Index { array, indices }
                if follows
                    && indices.len() == function.ty(*array).rank()
                    && access.at(*array, indices.iter().copied()) == Variance::Other =>
            {
                return true;
            }
            exprs!(simple, soac) => {}
        }
        if follows {
            known.extend(&stm.pattern);
        }
        false
    })
}

/// Whether a loop counts until a condition on the counters and on values from outside fails, as in a search for a divisor. Most such
/// loops end soon, and some try all candidates. Loops whose condition depends on a value that they compute are more alike.
fn tries(params: &[LoopParam], cond: Var, body: &Body) -> bool {
    let position = |var: Var| params.iter().position(|param| param.var == var);
    let next = |var: Var| position(var).and_then(|at| body.result[at].as_var());
    let maker = |var: Var| body.stms.iter().find(|stm| stm.pattern.contains(&var));
    let is_counter = |var: Var| {
        next(var).and_then(maker).is_some_and(|stm| match stm.expr {
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, x, y) => {
                let by = if x == var.into() { y } else { x };
                [x, y].contains(&var.into()) && by.as_const().is_some()
            }
            exprs!(Operand, scalar, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => false,
        })
    };
    let mut wanted: Vec<Var> = next(cond).into_iter().collect();
    let mut seen = FxHashSet::default();
    let mut counts = false;
    while let Some(var) = wanted.pop() {
        if !seen.insert(var) || var == cond {
            continue;
        }
        if position(var).is_some() {
            if !is_counter(var) {
                return false;
            }
            counts = true;
        }
        if let Some(stm) = maker(var) {
            stm.expr.for_each_operand(|x| wanted.extend(x.as_var()));
            if matches!(stm.expr, exprs!(nested, Call)) {
                return false;
            }
        }
    }
    counts
}

/// Returns the cost of a whole operation whose last dimension runs in lanes.
pub fn in_lanes(function: &Function, access: &Access, op: &SegOp, guess: Guess) -> f64 {
    let (last, outer) = op.space.split_last().expect("a space has dimensions");
    let groups = (guess.outer_trips(last.extent) / LANES).ceil();
    let outer: f64 = outer.iter().map(|dim| guess.outer_trips(dim.extent)).product();
    let combine = match &op.kind {
        SegKind::Map | SegKind::Scatter { .. } => 0.0,
        // One lane after the other.
        SegKind::Hist { .. } => LANES * groups,
        SegKind::Reduce { .. } => COMBINE_LANES,
        SegKind::Scan { .. } | SegKind::Partition { .. } => COMBINE_LANES * groups,
    };
    let moved = rows::moved(function, op, guess.inside()) * (LANES + rows::SCATTER);
    let inside = lane_body(function, access, &op.body, guess.inside()) + moved;
    outer * (groups * (inside + operators(function, op, guess)) + combine)
}

/// Returns the number of points of an operation's space.
pub fn whole_trips(op: &SegOp, guess: Guess) -> f64 {
    op.space.iter().map(|dim| guess.outer_trips(dim.extent)).product()
}

/// Returns the cost of applying the operators of an operation to one point.
pub fn operators(function: &Function, op: &SegOp, guess: Guess) -> f64 {
    let mut sum = 0.0;
    let mut add = |body: &Body| sum += scalar_body(function, body, guess, &mut |_| 0.0);
    match &op.kind {
        SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } => {}
        SegKind::Reduce { reduces } => reduces.iter().for_each(|reduce| add(&reduce.op.body)),
        SegKind::Scan { scans, reduces, post } => {
            scans.iter().for_each(|scan| add(&scan.op.body));
            reduces.iter().for_each(|reduce| add(&reduce.op.body));
            post.iter().for_each(|post| add(&post.body));
        }
        SegKind::Hist { ops } => ops.iter().for_each(|op| add(&op.op.body)),
    }
    sum
}

/// Returns the cost of an expression that is neither an access nor a segmented operation. `body` gives the cost of its bodies.
fn nested(expr: &Expr, guess: Guess, body: &mut dyn FnMut(&Body) -> f64) -> f64 {
    match expr {
        Expr::If { then_body, else_body, .. } => 1.0 + body(then_body) + body(else_body),
        Expr::Loop { form, body: inner, .. } => loop_trips(form, guess) * body(inner),
        expr @ exprs!(simple, soac, Seg) => scalar(expr).unwrap_or(1.0),
    }
}

fn loop_trips(form: &LoopForm, guess: Guess) -> f64 {
    match form {
        LoopForm::For { bound, .. } => guess.inner_trips(*bound),
        LoopForm::While { .. } => guess.inner,
    }
}

/// Returns the cost of a scalar operation, or `None` for any other expression.
#[expect(clippy::wildcard_enum_match_arm, reason = "most operators cost the same")]
pub fn scalar(expr: &Expr) -> Option<f64> {
    match expr {
        Expr::Unary(op, _) => Some(if is_transcendental(*op) { 12.0 } else { 1.0 }),
        Expr::Binary(op, _, divisor) => Some(match op {
            op if op.is_division() && !is_power_of_two(*divisor) => 8.0,
            BinaryOp::FDiv => 4.0,
            BinaryOp::FPow | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::FMod | BinaryOp::FRem => 20.0,
            _ => 1.0,
        }),
        Expr::Ternary(..) | Expr::Compare(..) | Expr::Convert(..) | Expr::Select(..) => Some(1.0),
        exprs!(Operand, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => None,
    }
}

fn is_power_of_two(operand: Operand) -> bool {
    operand.as_const().and_then(Scalar::as_int).is_some_and(|n| n > 0 && n & (n - 1) == 0)
}

fn is_transcendental(op: UnaryOp) -> bool {
    use UnaryOp::*;
    let simple = matches!(
        op,
        Neg | Not | Abs | Signum | PopCount | LeadingZeros | TrailingZeros | FNeg | FAbs | FSignum
    );
    !simple && !matches!(op, Floor | Ceil | Trunc | Round)
}
