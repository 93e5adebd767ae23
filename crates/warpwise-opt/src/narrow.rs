//! Computes 64-bit integers in 32 bits if only their low 32 bits matter, within parallel bodies.
//!
//! A vector holds twice as many 32-bit integers, but indices are 64 bits wide. A generator that mixes the bits of an index, or a
//! test of one of its bits, does not need that width.
//!
//! ```text
//! g: i64 = xor i h;                     g_low: i32 = xor i_low h_low;
//! s: i64 = ashr g 5;            ==>     s_low: i32 = lshr g_low 5i32;
//! b: i64 = and s 1;                     b_low: i32 = and s_low 1i32;
//! c: bool = eq b 1;                     c: bool = eq b_low 1i32;
//! ```
//!
//! The analysis starts at comparisons of values known to fit 31 bits, at conversions of such values to floats, and at
//! truncations. From there the bits that matter are propagated back to the sources of the values, which are truncated. Every
//! value on the way gets a narrow companion that agrees with it in these bits; the wide values are left to dead-code removal. A
//! single operator on a loaded value stays wide, because the truncation would cost as much as it saves.
//!
//! Not done: values carried by loops or yielded by choices, divisions, high halves of products.

use warpwise_diag::{Limit, Span};
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{Body, Expr, Function, LoopForm, Operand, Program, SegOp, Stm, Type, Var, exprs};
use warpwise_prim::{BinaryOp, ConvertOp, Scalar, ScalarType};

use crate::pass::rewrite_bodies;

/// The bits of a narrow value.
const LOW: u64 = u32::MAX as u64;

/// The bits of a narrow value that is not negative.
const NONNEGATIVE: u64 = i32::MAX as u64;

/// Narrows the bodies of every segmented operation.
pub fn narrow(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, walk);
    Ok(())
}

fn walk(function: &mut Function, body: &mut Body) {
    for stm in &mut body.stms {
        if let Expr::Seg(op) = &mut stm.expr {
            let mut facts =
                Facts { function, known: SecondaryMap::default(), wanted: SecondaryMap::default() };
            facts.space(op);
            stm.expr.for_each_body(|body| facts.forwards(body));
            stm.expr.for_each_body(|body| facts.backwards(body));
            let Facts { known, wanted, .. } = facts;
            let mut narrower = Narrower { function, known, wanted, low: SecondaryMap::default() };
            stm.expr.for_each_body_mut(|body| narrower.body(body));
        } else {
            stm.expr.for_each_body_mut(|body| walk(function, body))
        }
    }
}

/// The facts about a 64-bit integer.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Bits that are known to be 0.
    zeros: u64,
    /// Maximum value, if known.
    most: Option<i64>,
    /// Whether a statement of the body binds it, so that it may vary from lane to lane.
    computed: bool,
}

/// The demand for a narrow companion.
#[derive(Clone, Copy, Default)]
struct Wanted {
    /// Bits in which the companion must agree; 0 if no companion is wanted.
    bits: u64,
    /// Whether a truncation demands it, which the companion makes unnecessary.
    truncated: bool,
}

/// The results of the analysis before the transformation.
struct Facts<'f> {
    function: &'f Function,
    known: SecondaryMap<Var, Known>,
    wanted: SecondaryMap<Var, Wanted>,
}

/// Inserts narrow companions beside wide values.
struct Narrower<'f> {
    function: &'f mut Function,
    known: SecondaryMap<Var, Known>,
    wanted: SecondaryMap<Var, Wanted>,
    /// The companion of each variable, if it has one. It agrees with the variable in the wanted bits.
    low: SecondaryMap<Var, Option<Var>>,
}

impl Facts<'_> {
    /// Finds bits that are 0.
    fn forwards(&mut self, body: &Body) {
        for stm in &body.stms {
            match &stm.expr {
                Expr::Loop { form: LoopForm::For { index, bound }, .. } => self.index(*index, *bound),
                Expr::Seg(op) => self.space(op),
                exprs!(simple, If, Loop, soac) => {}
            }
            stm.expr.for_each_body(|body| self.forwards(body));
            if let [var] = stm.pattern[..] {
                let (zeros, most) = (self.zeros_of(&stm.expr), self.most_of(&stm.expr));
                self.known[var] = Known { zeros, most, computed: true };
            }
        }
    }

    fn space(&mut self, op: &SegOp) {
        for dim in &op.space {
            self.index(dim.index, dim.extent);
        }
    }

    /// Records the bounds of an index that counts from 0.
    fn index(&mut self, index: Var, bound: Operand) {
        if let Some(bound) = known(&self.known, bound).most {
            let most = bound.saturating_sub(1).max(0);
            self.known[index] = Known { zeros: !below(most as u64), most: Some(most), computed: false };
        }
    }

    /// Returns the maximum of a sign- or zero-extended value.
    fn most_of(&self, expr: &Expr) -> Option<i64> {
        let Expr::Convert(op @ (ConvertOp::SExt | ConvertOp::ZExt), x, _) = expr else { return None };
        let bits = self.function.operand_type(*x).as_scalar()?.bits();
        let value_bits = if *op == ConvertOp::SExt { bits - 1 } else { bits };
        (value_bits < 63).then(|| (1 << value_bits) - 1)
    }

    fn zeros_of(&self, expr: &Expr) -> u64 {
        let zeros = |x: &Operand| known(&self.known, *x).zeros;
        match expr {
            Expr::Operand(x) => zeros(x),
            Expr::Binary(BinaryOp::And, x, y) => zeros(x) | zeros(y),
            Expr::Binary(BinaryOp::Or | BinaryOp::Xor, x, y) => zeros(x) & zeros(y),
            Expr::Binary(BinaryOp::LShr, x, y) => match constant(*y) {
                Some(by @ 0..64) => zeros(x) >> by | !(u64::MAX >> by),
                _ => 0,
            },
            Expr::Select(_, x, y) => zeros(x) & zeros(y),
            Expr::Convert(ConvertOp::ZExt, x, _) => match self.function.operand_type(*x).as_scalar() {
                Some(ty) if ty.bits() < 64 => u64::MAX << ty.bits(),
                Some(_) | None => 0,
            },
            exprs!(
                Unary, Binary, Ternary, Compare, Convert, Assert, array, nested, Call, UpdateAcc, Tuned,
                Alloc
            ) => 0,
        }
    }

    /// Propagates wanted bits from uses to definitions.
    fn backwards(&mut self, body: &Body) {
        for stm in body.stms.iter().rev() {
            stm.expr.for_each_body(|body| self.backwards(body));
            match &stm.expr {
                Expr::Compare(_, x, y) if is_wide(self.function, *x) && both_fit(&self.known, *x, *y) => {
                    self.want(*x, Wanted { bits: LOW, truncated: false });
                    self.want(*y, Wanted { bits: LOW, truncated: false });
                }
                Expr::Convert(ConvertOp::SIToFP, x, _)
                    if is_wide(self.function, *x) && fits(&self.known, *x) =>
                {
                    self.want(*x, Wanted { bits: LOW, truncated: false });
                }
                Expr::Convert(ConvertOp::Truncate, x, ty)
                    if ty.bits() <= 32 && is_wide(self.function, *x) =>
                {
                    self.want(*x, Wanted { bits: u64::MAX >> (64 - ty.bits()), truncated: true });
                }
                expr @ exprs!(simple, nested) => {
                    if let [var] = stm.pattern[..]
                        && self.wanted[var].bits != 0
                    {
                        let Wanted { bits, truncated } = self.wanted[var];
                        for (x, bits) in needs(self.function, &self.known, expr, bits).unwrap_or_default() {
                            self.want(x, Wanted { bits, truncated });
                        }
                    }
                }
            }
        }
    }

    fn want(&mut self, x: Operand, wanted: Wanted) {
        if let Operand::Var(var) = x {
            self.wanted[var].bits |= wanted.bits;
            self.wanted[var].truncated |= wanted.truncated;
        }
    }
}

impl Narrower<'_> {
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            stm.expr.for_each_body_mut(|body| self.body(body));
            self.root(&mut stm, &mut body.stms);
            let companion = self.companion(&stm, &mut body.stms);
            body.stms.push(stm);
            body.stms.extend(companion);
        }
    }

    /// Makes a comparison, conversion or truncation use narrow values.
    fn root(&mut self, stm: &mut Stm, before: &mut Vec<Stm>) {
        match &mut stm.expr {
            Expr::Compare(_, x, y)
                if (self.has_low(*x) || self.has_low(*y)) && both_fit(&self.known, *x, *y) =>
            {
                *x = self.low(*x, stm.span, before);
                *y = self.low(*y, stm.span, before);
            }
            Expr::Convert(ConvertOp::SIToFP, x, _)
                if is_wide(self.function, *x)
                    && fits(&self.known, *x)
                    && self.is_worthwhile(&[(*x, LOW)]) =>
            {
                *x = self.low(*x, stm.span, before);
            }
            Expr::Convert(ConvertOp::Truncate, x, ty) if self.has_low(*x) => {
                let low = self.low(*x, stm.span, before);
                if *ty == ScalarType::I32 {
                    stm.expr = Expr::Operand(low);
                } else {
                    *x = low;
                }
            }
            exprs!(simple, nested) => {}
        }
    }

    /// Returns the statement that computes the companion of the variable that `stm` binds.
    fn companion(&mut self, stm: &Stm, before: &mut Vec<Stm>) -> Option<Stm> {
        let [var] = stm.pattern[..] else { return None };
        let Wanted { bits, truncated } = self.wanted[var];
        if bits == 0 {
            return None;
        }
        let needed = needs(self.function, &self.known, &stm.expr, bits)?;
        if !truncated && !self.is_worthwhile(&needed) {
            return None;
        }
        let source = |x: Operand| self.function.operand_type(x).as_scalar();
        let narrow = matches!(stm.expr, Expr::Convert(_, x, _) if source(x) == Some(ScalarType::I32));
        let mut low = |x: Operand| self.low(x, stm.span, before);
        let expr = match stm.expr {
            // The two shifts differ only in bits that are not wanted.
            Expr::Binary(BinaryOp::AShr, x, y) => Expr::Binary(BinaryOp::LShr, low(x), low(y)),
            Expr::Binary(op, x, y) => Expr::Binary(op, low(x), low(y)),
            Expr::Select(c, x, y) => Expr::Select(c, low(x), low(y)),
            Expr::Convert(_, x, _) if narrow => Expr::Operand(x),
            Expr::Convert(op, x, _) => Expr::Convert(op, x, ScalarType::I32),
            Expr::Operand(x) => Expr::Operand(low(x)),
            exprs!(Unary, Ternary, Compare, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => {
                return None;
            }
        };
        let low = self.fresh(var);
        self.low[var] = Some(low);
        Some(Stm { pattern: vec![low], expr, certs: stm.certs.clone(), span: stm.span })
    }

    /// Whether some operand is narrow, or all cost nothing to truncate.
    fn is_worthwhile(&self, operands: &[(Operand, u64)]) -> bool {
        let free = |x: Operand| x.as_var().is_none_or(|var| !self.known[var].computed);
        operands.iter().any(|&(x, _)| self.has_low(x)) || operands.iter().all(|&(x, _)| free(x))
    }

    fn has_low(&self, x: Operand) -> bool {
        x.as_var().is_some_and(|var| self.low[var].is_some())
    }

    /// Returns the companion of an operand, made by truncation if there is none.
    fn low(&mut self, x: Operand, span: Span, before: &mut Vec<Stm>) -> Operand {
        let var = match x {
            Operand::Const(value) => {
                return Operand::Const(Scalar::int(ScalarType::I32, value.as_int().unwrap_or(0)));
            }
            Operand::Var(var) => var,
        };
        if let Some(low) = self.low[var] {
            return low.into();
        }
        let low = self.fresh(var);
        let expr = Expr::Convert(ConvertOp::Truncate, x, ScalarType::I32);
        before.push(Stm { pattern: vec![low], expr, certs: vec![], span });
        low.into()
    }

    fn fresh(&mut self, var: Var) -> Var {
        let low = self.function.fresh("low", Type::Scalar(ScalarType::I32));
        self.function.vars[low].name = self.function.vars[var].name.clone();
        low
    }
}

/// Returns the bits of the operands that decide `bits` of the result, if a narrow operator can compute these.
fn needs(
    function: &Function,
    facts: &SecondaryMap<Var, Known>,
    expr: &Expr,
    bits: u64,
) -> Option<Vec<(Operand, u64)>> {
    // Only zero bits of a constant are certain to be 0 in the companion.
    let through = |x: Operand| constant(x).map_or(u64::MAX, |value| value as u64);
    Some(match *expr {
        Expr::Operand(x) => vec![(x, bits)],
        Expr::Binary(BinaryOp::And, x, y) => vec![(x, bits & through(y)), (y, bits & through(x))],
        Expr::Binary(BinaryOp::Or | BinaryOp::Xor, x, y) | Expr::Select(_, x, y) => {
            vec![(x, bits), (y, bits)]
        }
        Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, x, y) => {
            vec![(x, below(bits)), (y, below(bits))]
        }
        Expr::Binary(BinaryOp::Shl, x, y) => match constant(y) {
            Some(by @ 0..32) => vec![(x, bits >> by)],
            _ => return None,
        },
        Expr::Binary(BinaryOp::LShr | BinaryOp::AShr, x, y) => match known(facts, y).most {
            Some(by @ 0..32) if below(bits) << by & !LOW == 0 => vec![(x, below(bits << by)), (y, LOW)],
            _ => return None,
        },
        Expr::Convert(ConvertOp::SExt | ConvertOp::ZExt, x, _) => {
            if function.operand_type(x) == Type::I64 {
                return None;
            }
            vec![]
        }
        exprs!(
            Unary, Binary, Ternary, Compare, Convert, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc
        ) => return None,
    })
}

fn is_wide(function: &Function, x: Operand) -> bool {
    function.operand_type(x) == Type::I64
}

/// Whether a value is not negative and fits a narrow one.
fn fits(facts: &SecondaryMap<Var, Known>, x: Operand) -> bool {
    !known(facts, x).zeros & !NONNEGATIVE == 0
}

fn both_fit(facts: &SecondaryMap<Var, Known>, x: Operand, y: Operand) -> bool {
    fits(facts, x) && fits(facts, y)
}

fn known(facts: &SecondaryMap<Var, Known>, x: Operand) -> Known {
    match x {
        Operand::Const(_) => {
            let value = constant(x);
            Known { zeros: value.map_or(0, |value| !(value as u64)), most: value, computed: false }
        }
        Operand::Var(var) => facts[var],
    }
}

fn constant(x: Operand) -> Option<i64> {
    x.as_const().and_then(Scalar::as_int)
}

/// Returns all bits up to the highest of `bits`.
fn below(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> bits.leading_zeros() }
}
