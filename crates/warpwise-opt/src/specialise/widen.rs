//! Computes 32-bit indices of a body in 64 bits.
//!
//! Indices are 64 bits wide, but many programs compute neighbours and test borders in `i32`. In 32 bits `i + 1` may wrap between
//! two lanes, so neighbours are not known to be contiguous in memory, and borders are not recognised. If all such values fit 32
//! bits, which a few comparisons of the extents determine, the same computations in 64 bits have the same results:
//!
//! ```text
//! k: i32 = itrunc i;
//! first: bool = eq k 0i32;                       first: bool = eq i 0;
//! m: i32 = sub k 1i32;                ==>        m_wide: i64 = sub i 1;
//! l: i64 = sext m;
//! x: f32 = index a[l];                           x: f32 = index a[m_wide];      if n <= 2147483647
//! ```
//!
//! Every 32-bit value that is followed has bounds that do not depend on the point. Followed are truncations of the indices of the
//! space, loop counters, values from outside, and sums, differences, products with and remainders by values from outside, minima,
//! maxima and choices of scalars. Not followed: values carried by loops or yielded by branches.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Span;
use warpwise_ir::{Body, Expr, Function, LoopForm, Operand, SegOp, Stm, Type, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarType};

/// Minimum absolute value of a bound's constant that is assumed not to fit.
const FAR: u64 = 1 << 40;

/// A body in 64 bits, with its prerequisites.
pub struct Widened {
    /// The body. It binds all variables of the original body, and more.
    pub body: Body,
    /// Statements before the body, on values from outside.
    pub stms: Vec<Stm>,
    /// Whether the body computes the same as the original.
    pub fits: Operand,
}

/// Returns the body of an operation with its 32-bit indices in 64 bits, or the original body if they never all fit.
pub fn widened(function: &mut Function, before: &FxHashMap<Var, Expr>, op: &SegOp) -> Widened {
    let mut inside = FxHashSet::default();
    add_bound(&op.body, &mut inside);
    let known = op.space.iter().map(|dim| (dim.index, Known::index(dim.index.into(), dim.extent)));
    let known = known.collect();
    let (outside, lows, highs) = Default::default();
    let mut widener = Widener { function, before, inside, known, outside, lows, highs, is_used: false };
    let mut body = op.body.clone();
    widener.body(&mut body);
    match widener.is_used.then(|| widener.fits()).flatten() {
        Some(fits) => Widened { body, stms: widener.outside, fits },
        None => Widened { body: op.body.clone(), stms: Vec::new(), fits: Operand::bool(true) },
    }
}

/// Adds the variables that a body and its inner bodies bind.
fn add_bound(body: &Body, bound: &mut FxHashSet<Var>) {
    for stm in &body.stms {
        bound.extend(&stm.pattern);
        stm.expr.for_each_binding(|var| {
            bound.insert(var);
        });
        stm.expr.for_each_body(|body| add_bound(body, bound));
    }
}

/// A number that is the same at all points: a value from outside, if any, plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Bound {
    base: Option<Operand>,
    plus: i64,
}

impl Bound {
    fn of(operand: Operand) -> Bound {
        match operand.as_const().and_then(|value| value.as_int()) {
            Some(plus) => Bound { base: None, plus },
            None => Bound { base: Some(operand), plus: 0 },
        }
    }

    fn plus(self, more: i64) -> Bound {
        Bound { plus: self.plus.saturating_add(more), ..self }
    }
}

/// The facts about a 32-bit value, or about an index that one is computed from.
#[derive(Clone, Copy)]
struct Known {
    /// The value in 64 bits, if it fits.
    wide: Operand,
    low: Bound,
    high: Bound,
}

impl Known {
    /// Returns the facts about an index in `0..bound`.
    fn index(wide: Operand, bound: Operand) -> Known {
        Known { wide, low: Bound { base: None, plus: 0 }, high: Bound::of(bound).plus(-1) }
    }

    /// Returns the facts about a value that is the same at all points.
    fn uniform(wide: Operand) -> Known {
        Known { wide, low: Bound::of(wide), high: Bound::of(wide) }
    }

    fn is_uniform(&self) -> bool {
        self.low == self.high
    }
}

struct Widener<'f> {
    function: &'f mut Function,
    /// Scalar work before the operation.
    before: &'f FxHashMap<Var, Expr>,
    /// All variables bound in the body.
    inside: FxHashSet<Var>,
    known: FxHashMap<Var, Known>,
    /// Statements before the body.
    outside: Vec<Stm>,
    /// Values that must not be below the range of 32 bits, one for each base.
    lows: Vec<Bound>,
    /// Values that must not be above the range of 32 bits, one for each base.
    highs: Vec<Bound>,
    /// Whether a wide value has replaced a narrow one.
    is_used: bool,
}

impl Widener<'_> {
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            self.enter(&mut stm.expr);
            stm.expr.for_each_body_mut(|inner| self.body(inner));
            self.use_wide(&mut stm.expr);
            let made = self.followed(&stm);
            let narrow = stm.pattern.first().copied();
            let certs = stm.certs.clone();
            body.stms.push(stm);
            if let (Some(narrow), Some((expr, low, high))) = (narrow, made) {
                let wide = match expr {
                    Expr::Operand(wide) => wide,
                    expr @ exprs!(scalar, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => {
                        let wide = bind(self.function, &mut body.stms, Type::I64, expr);
                        // A division relies on the same checks.
                        body.stms.last_mut().expect("it has just been bound").certs = certs;
                        wide
                    }
                };
                add(&mut self.lows, low, i64::min);
                add(&mut self.highs, high, i64::max);
                self.known.insert(narrow, Known { wide, low, high });
            }
        }
    }

    /// Records the counters of the bodies of a statement.
    fn enter(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Loop { form: LoopForm::For { index, bound }, body, .. } => {
                if self.function.ty(*index) == &Type::I64 {
                    self.count(*index, *bound);
                } else if let Some(bound) = self.narrow(*bound) {
                    let convert = Expr::Convert(ConvertOp::SExt, (*index).into(), ScalarType::I64);
                    let mut stms = Vec::with_capacity(body.stms.len() + 1);
                    let wide = bind(self.function, &mut stms, Type::I64, convert);
                    stms.append(&mut body.stms);
                    body.stms = stms;
                    let low = Bound { base: None, plus: 0 };
                    self.known.insert(*index, Known { wide, low, high: bound.high.plus(-1) });
                }
            }
            Expr::Seg(op) => op.space.iter().for_each(|dim| self.count(dim.index, dim.extent)),
            exprs!(simple, If, Loop, soac) => {}
        }
    }

    /// Records a 64-bit index below a bound from outside.
    fn count(&mut self, index: Var, bound: Operand) {
        if self.is_outside(bound) {
            self.known.insert(index, Known::index(index.into(), bound));
        }
    }

    fn is_outside(&self, operand: Operand) -> bool {
        operand.as_var().is_none_or(|var| !self.inside.contains(&var) && !self.known.contains_key(&var))
    }

    /// Replaces narrow values by wide ones.
    fn use_wide(&mut self, expr: &mut Expr) {
        match *expr {
            Expr::Convert(ConvertOp::SExt, x @ Operand::Var(_), ScalarType::I64) => {
                let Some(known) = self.narrow(x) else { return };
                *expr = Expr::Operand(known.wide);
            }
            Expr::Compare(op @ (CompareOp::Eq | CompareOp::Ne | CompareOp::SLt | CompareOp::SLe), x, y) => {
                let (Some(x), Some(y)) = (self.narrow(x), self.narrow(y)) else { return };
                *expr = Expr::Compare(op, x.wide, y.wide);
            }
            exprs!(simple, nested) => return,
        }
        self.is_used = true;
    }

    /// Returns the facts about a 32-bit operand.
    fn narrow(&mut self, operand: Operand) -> Option<Known> {
        if self.function.operand_type(operand).as_scalar() != Some(ScalarType::I32) {
            return None;
        }
        match operand {
            Operand::Const(value) => Some(Known::uniform(value.as_int()?.into())),
            Operand::Var(var) if self.is_outside(operand) => {
                if let Some(&Expr::Convert(ConvertOp::Truncate, wide, _)) = self.before.get(&var)
                    && self.function.operand_type(wide) == Type::I64
                {
                    let known = Known::uniform(wide);
                    add(&mut self.lows, known.low, i64::min);
                    add(&mut self.highs, known.high, i64::max);
                    self.known.insert(var, known);
                    return Some(known);
                }
                let convert = Expr::Convert(ConvertOp::SExt, operand, ScalarType::I64);
                let known = Known::uniform(bind(self.function, &mut self.outside, Type::I64, convert));
                self.known.insert(var, known);
                Some(known)
            }
            Operand::Var(var) => self.known.get(&var).copied(),
        }
    }

    /// Returns the wide value of a narrow one that a statement computes, and its bounds.
    fn followed(&mut self, stm: &Stm) -> Option<(Expr, Bound, Bound)> {
        match stm.expr {
            Expr::Convert(ConvertOp::Truncate, x, ScalarType::I32) => {
                let known = match x.as_var().and_then(|var| self.known.get(&var)) {
                    Some(known) => *known,
                    None if self.is_outside(x) => Known::uniform(x),
                    None => return None,
                };
                Some((Expr::Operand(known.wide), known.low, known.high))
            }
            Expr::Binary(op, x, y) => {
                let (x, y) = (self.narrow(x)?, self.narrow(y)?);
                let (low, high) = self.bounds(op, x, y)?;
                Some((Expr::Binary(op, x.wide, y.wide), low, high))
            }
            Expr::Select(cond, x, y) => {
                let (x, y) = (self.narrow(x)?, self.narrow(y)?);
                let low = self.bound(BinaryOp::SMin, x.low, y.low);
                let high = self.bound(BinaryOp::SMax, x.high, y.high);
                Some((Expr::Select(cond, x.wide, y.wide), low, high))
            }
            exprs!(
                Operand, Unary, Ternary, Compare, Convert, Assert, array, nested, Call, UpdateAcc, Tuned,
                Alloc
            ) => None,
        }
    }

    /// Returns the bounds of an operator's result; `None` for operators that are not followed.
    fn bounds(&mut self, op: BinaryOp, x: Known, y: Known) -> Option<(Bound, Bound)> {
        if op == BinaryOp::Mul {
            let (x, factor) = if y.is_uniform() { (x, y) } else { (y, x) };
            if !factor.is_uniform() {
                return None;
            }
            let [one, other] = [x.low, x.high].map(|end| self.bound(op, end, factor.low));
            return Some((self.bound(BinaryOp::SMin, one, other), self.bound(BinaryOp::SMax, one, other)));
        }
        if matches!(op, BinaryOp::SMod | BinaryOp::SRem) {
            let by = y.is_uniform().then_some(y.low)?;
            let negated = self.bound(BinaryOp::Sub, Bound { base: None, plus: 0 }, by);
            return Some((self.bound(BinaryOp::SMin, by, negated), self.bound(BinaryOp::SMax, by, negated)));
        }
        let (low, high) = if op == BinaryOp::Sub {
            ((x.low, y.high), (x.high, y.low))
        } else if matches!(op, BinaryOp::Add | BinaryOp::SMin | BinaryOp::SMax) {
            ((x.low, y.low), (x.high, y.high))
        } else {
            return None;
        };
        Some((self.bound(op, low.0, low.1), self.bound(op, high.0, high.1)))
    }

    /// Applies an operator to bounds.
    fn bound(&mut self, op: BinaryOp, x: Bound, y: Bound) -> Bound {
        match (op, x.base, y.base) {
            (BinaryOp::Add, None, _) => y.plus(x.plus),
            (BinaryOp::Add, _, None) => x.plus(y.plus),
            (BinaryOp::Sub, _, None) => x.plus(y.plus.saturating_neg()),
            (BinaryOp::Sub, a, b) if a == b => Bound { base: None, plus: x.plus.saturating_sub(y.plus) },
            (BinaryOp::SMin, a, b) if a == b => {
                if x.plus < y.plus {
                    x
                } else {
                    y
                }
            }
            (BinaryOp::SMax, a, b) if a == b => {
                if x.plus < y.plus {
                    y
                } else {
                    x
                }
            }
            (BinaryOp::Mul, None, None) => Bound { base: None, plus: x.plus.saturating_mul(y.plus) },
            _ => {
                let (x, y) = (self.value(x), self.value(y));
                Bound::of(bind(self.function, &mut self.outside, Type::I64, Expr::Binary(op, x, y)))
            }
        }
    }

    /// Returns a bound as a value from outside.
    fn value(&mut self, Bound { base, plus }: Bound) -> Operand {
        match base {
            None => plus.into(),
            Some(base) if plus == 0 => base,
            Some(base) => {
                let sum = Expr::Binary(BinaryOp::Add, base, plus.into());
                bind(self.function, &mut self.outside, Type::I64, sum)
            }
        }
    }

    /// Emits the test whether all followed values fit 32 bits. Returns `None` if they never do.
    ///
    /// Sums and products of bounds that fit do not wrap. So if a sum or product has wrapped, one of its operands does not fit.
    fn fits(&mut self) -> Option<Operand> {
        let (lows, highs) = (std::mem::take(&mut self.lows), std::mem::take(&mut self.highs));
        let mut all = Operand::bool(true);
        for (bound, is_low) in
            lows.into_iter().map(|low| (low, true)).chain(highs.into_iter().map(|high| (high, false)))
        {
            let limit = i64::from(if is_low { i32::MIN } else { i32::MAX });
            let Some(base) = bound.base else {
                if i32::try_from(bound.plus).is_err() {
                    return None;
                }
                continue;
            };
            if bound.plus.unsigned_abs() > FAR {
                return None;
            }
            let limit = Operand::i64(limit - bound.plus);
            let (x, y) = if is_low { (limit, base) } else { (base, limit) };
            let holds =
                bind(self.function, &mut self.outside, Type::BOOL, Expr::Compare(CompareOp::SLe, x, y));
            all = match all {
                Operand::Const(_) => holds,
                Operand::Var(_) => bind(
                    self.function,
                    &mut self.outside,
                    Type::BOOL,
                    Expr::Binary(BinaryOp::And, all, holds),
                ),
            };
        }
        Some(all)
    }
}

/// Adds a bound, unless there is a stricter one with the same base.
fn add(bounds: &mut Vec<Bound>, bound: Bound, stricter: fn(i64, i64) -> i64) {
    match bounds.iter_mut().find(|known| known.base == bound.base) {
        Some(known) => known.plus = stricter(known.plus, bound.plus),
        None => bounds.push(bound),
    }
}

/// Binds a wide value, or a test whether values fit.
fn bind(function: &mut Function, stms: &mut Vec<Stm>, ty: Type, expr: Expr) -> Operand {
    let var = function.fresh(if ty == Type::BOOL { "fits" } else { "wide" }, ty);
    stms.push(Stm { pattern: vec![var], expr, certs: vec![], span: Span::NONE });
    var.into()
}
