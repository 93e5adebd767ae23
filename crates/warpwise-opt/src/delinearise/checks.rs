//! Bounds checks of flat places: `((y + 1) % h) * w + (x + 1) % w` is below `h * w` if its digits are below `h` and `w`.
//!
//! ```text
//! ok = ult at n        ==>        above = ult y1 h; before = ult x1 w; inside = and above before; flat = ult at n; ok = or inside flat
//! ```
//!
//! The digits are the terms of the place, by their factors: a product with `w` belongs to the row, and so does `w` itself. Unlike
//! the place, they have bounds that later passes know, or decide in the interior. If the digits are within theirs, then the place is
//! below the number of points, which must not exceed the size of the array: another test before the nest.
//!
//! A place of 32 bits equals the sum of its terms modulo 2^32. If the digits of that sum are within their bounds, the sum is a number
//! of 31 bits, and equal to the place.

use rustc_hash::FxHashMap;
use warpwise_ir::builder::Builder;
use warpwise_ir::{Body, Expr, Function, Operand, SegDim, Type, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType};

use super::digits::{Digits, Part};
use super::products::{Definitions, Product};

/// Maximum number of operations of a place.
const MOST_STEPS: usize = 24;

/// The check of a place.
pub struct Check {
    /// The condition that the place is below the size.
    pub cond: Var,
    pub size: Operand,
    /// The digits of the place, the last one first.
    digits: Vec<Sum>,
}

/// A sum of values and a number.
#[derive(Clone, Default)]
struct Sum {
    number: i64,
    terms: Vec<Term>,
}

#[derive(Clone, Copy)]
struct Term {
    value: Value,
    is_negative: bool,
}

/// The context of a term.
#[derive(Clone, Copy)]
struct Times<'p> {
    factor: &'p Product,
    is_negative: bool,
    /// Whether the place is computed in 32 bits.
    is_narrow: bool,
}

#[derive(Clone, Copy)]
enum Value {
    /// The index of the dimension to which the sum belongs.
    Index,
    Of(Operand),
}

/// Returns the checks of a body whose places have digits. `k` is the flat index.
pub fn checks(
    function: &Function,
    outside: &Definitions,
    (k, body): (Var, &Body),
    digits: &Digits,
    dims: &[Product],
) -> Vec<Check> {
    let (parts, inside, checks) = Default::default();
    let may_be_narrow = digits.is_narrow;
    let mut finder = Finder { function, outside, dims, may_be_narrow, parts, inside, checks };
    finder.parts.insert(k, Part { low: Product::one(), high: None });
    finder.parts.extend(digits.parts.iter().cloned());
    finder.note(body);
    finder.body(body);
    finder.checks
}

struct Finder<'f> {
    function: &'f Function,
    outside: &'f Definitions,
    /// The numbers of points that the dimensions of the nest are apart, the last one first.
    dims: &'f [Product],
    /// Whether there are at most 2^31 points.
    may_be_narrow: bool,
    parts: FxHashMap<Var, Part>,
    /// The variables that the body binds, with their definitions.
    inside: FxHashMap<Var, Option<Expr>>,
    checks: Vec<Check>,
}

impl Finder<'_> {
    fn note(&mut self, body: &Body) {
        for stm in &body.stms {
            let sum = match stm.expr {
                Expr::Operand(_)
                | Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
                | Expr::Convert(ConvertOp::SExt | ConvertOp::Truncate, ..) => Some(stm.expr.clone()),
                exprs!(simple, nested) => None,
            };
            stm.expr.for_each_binding(|var| drop(self.inside.insert(var, None)));
            self.inside.extend(stm.pattern.iter().map(|&var| (var, sum.clone())));
            stm.expr.for_each_body(|body| self.note(body));
        }
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            if let (Expr::Compare(CompareOp::ULt, at, size), [cond]) = (&stm.expr, &stm.pattern[..])
                && self.function.operand_type(*size) == Type::I64
                && self.is_outside(*size)
                && let Some(digits) = self.digits(*at)
            {
                self.checks.push(Check { cond: *cond, size: *size, digits });
            }
            stm.expr.for_each_body(|body| self.body(body));
        }
    }

    fn is_outside(&self, x: Operand) -> bool {
        x.as_var().is_none_or(|var| !self.inside.contains_key(&var) && !self.parts.contains_key(&var))
    }

    /// Returns the digits of a place, if it has a term in each of several dimensions.
    fn digits(&self, at: Operand) -> Option<Vec<Sum>> {
        let mut digits = vec![Sum::default(); self.dims.len()];
        let mut steps = MOST_STEPS;
        let narrow = match self.definition(at) {
            Some(Expr::Convert(ConvertOp::SExt, narrow, _)) if self.is_narrow(*narrow) => Some(*narrow),
            Some(_) | None => None,
        };
        let is_narrow = narrow.is_some();
        if is_narrow && !self.may_be_narrow {
            return None;
        }
        let times = Times { factor: &Product::one(), is_negative: false, is_narrow };
        self.add(narrow.unwrap_or(at), times, &mut digits, &mut steps)?;
        let moved = digits.iter().filter(|sum| !sum.terms.is_empty()).count();
        (moved > 1).then_some(digits)
    }

    fn is_narrow(&self, x: Operand) -> bool {
        self.function.operand_type(x).as_scalar() == Some(ScalarType::I32)
    }

    /// Returns the sum, the product or the conversion inside the body that a variable is.
    fn definition(&self, x: Operand) -> Option<&Expr> {
        self.inside.get(&x.as_var()?)?.as_ref()
    }

    /// Returns a factor from outside.
    fn factor(&self, x: Operand, times: Times) -> Option<Product> {
        let (product, is_narrow) =
            self.is_outside(x).then(|| self.outside.product(self.function, x)).flatten()?;
        (times.is_narrow || !is_narrow).then_some(product)
    }

    /// Adds the terms of `x`, times a factor.
    fn add(&self, x: Operand, times: Times, digits: &mut [Sum], steps: &mut usize) -> Option<()> {
        *steps = steps.checked_sub(1)?;
        if let Some(part) = x.as_var().and_then(|var| self.parts.get(&var)) {
            return self.add_part(part, times, digits);
        }
        if self.is_outside(x) {
            return self.add_number(x, times, digits);
        }
        match self.definition(x) {
            Some(Expr::Operand(x)) => self.add(*x, times, digits, steps),
            Some(Expr::Binary(BinaryOp::Add, x, y)) => {
                self.add(*x, times, digits, steps)?;
                self.add(*y, times, digits, steps)
            }
            Some(Expr::Binary(BinaryOp::Sub, x, y)) => {
                self.add(*x, times, digits, steps)?;
                self.add(*y, Times { is_negative: !times.is_negative, ..times }, digits, steps)
            }
            Some(Expr::Binary(BinaryOp::Mul, x, y)) => {
                let (x, by) = match self.factor(*y, times) {
                    Some(by) => (*x, by),
                    None => (*y, self.factor(*x, times)?),
                };
                self.add(x, Times { factor: &times.factor.times(&by)?, ..times }, digits, steps)
            }
            Some(Expr::Convert(ConvertOp::Truncate, wide, ScalarType::I32))
                if times.is_narrow && self.function.operand_type(*wide) == Type::I64 =>
            {
                self.add(*wide, times, digits, steps)
            }
            Some(_) | None => self.add_value(Value::Of(x), times, digits),
        }
    }

    /// Adds the indices of the dimensions that make up a part of the flat index.
    fn add_part(&self, part: &Part, times: Times, digits: &mut [Sum]) -> Option<()> {
        let first = self.dims.iter().position(|dim| *dim == part.low)?;
        let end = match &part.high {
            Some(high) => self.dims.iter().position(|dim| dim == high)?,
            None => self.dims.len(),
        };
        for dim in &self.dims[first..end] {
            let factor = dim.over(&part.low)?.times(times.factor)?;
            if factor != *dim {
                return None;
            }
            self.add_value(Value::Index, Times { factor: &factor, ..times }, digits)?;
        }
        Some(())
    }

    /// Adds a number from outside.
    fn add_number(&self, x: Operand, times: Times, digits: &mut [Sum]) -> Option<()> {
        let known = x.as_const().and_then(Scalar::as_int);
        let (number, sign) = match known {
            Some(0) => return Some(()),
            Some(known) => (Operand::i64(known.checked_abs()?), known < 0),
            None => (x, false),
        };
        let whole = self.factor(number, times).and_then(|number| times.factor.times(&number));
        if let Some((dim, number)) = whole.and_then(|whole| self.dim_of(&whole)) {
            let number = if times.is_negative != sign { -number } else { number };
            digits[dim].number = digits[dim].number.checked_add(number)?;
            return Some(());
        }
        self.add_value(Value::Of(x), times, digits)
    }

    fn add_value(&self, value: Value, times: Times, digits: &mut [Sum]) -> Option<()> {
        let dim = self.dims.iter().position(|dim| dim == times.factor)?;
        digits[dim].terms.push(Term { value, is_negative: times.is_negative });
        Some(())
    }

    /// Returns the outermost dimension whose distance divides a number by a constant.
    fn dim_of(&self, number: &Product) -> Option<(usize, i64)> {
        let ratio = |dim: &Product| number.over(dim).and_then(|ratio| ratio.as_number());
        let find = |(index, dim)| Some((index, ratio(dim)?));
        self.dims.iter().enumerate().rev().find_map(find)
    }
}

impl Check {
    /// Emits the condition that the digits are within the extents of their dimensions; `flat` is the original condition.
    pub fn by_digits(&self, b: &mut Builder, dims: &[SegDim], flat: Expr) -> Expr {
        let mut inside = None;
        for (sum, dim) in self.digits.iter().zip(dims) {
            let Some(value) = sum.value(b, dim) else { continue };
            let is_below = b.compare("below", CompareOp::ULt, value, dim.extent);
            inside =
                Some(inside.map_or(is_below, |inside| b.binary("inside", BinaryOp::And, inside, is_below)));
        }
        let flat = b.bind_one("flat", flat);
        Expr::Binary(BinaryOp::Or, inside.unwrap_or(Operand::bool(true)), flat.into())
    }
}

impl Sum {
    /// Emits the sum; `None` if it is certainly an index of the dimension.
    fn value(&self, b: &mut Builder, dim: &SegDim) -> Option<Operand> {
        if let ([] | [Term { value: Value::Index, is_negative: false }], 0) = (&self.terms[..], self.number) {
            return None;
        }
        let mut sum = None;
        for term in &self.terms {
            let value = match term.value {
                Value::Index => dim.index.into(),
                Value::Of(value) if b.function.operand_type(value) == Type::I64 => value,
                Value::Of(value) => b.convert("digit", ConvertOp::SExt, value, ScalarType::I64),
            };
            sum = Some(match sum {
                None if term.is_negative => b.binary("digit", BinaryOp::Sub, 0, value),
                None => value,
                Some(sum) if term.is_negative => b.binary("digit", BinaryOp::Sub, sum, value),
                Some(sum) => b.binary("digit", BinaryOp::Add, sum, value),
            });
        }
        match sum {
            None => Some(self.number.into()),
            Some(sum) if self.number == 0 => Some(sum),
            Some(sum) => Some(b.binary("digit", BinaryOp::Add, sum, self.number)),
        }
    }
}
