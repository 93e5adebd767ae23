//! Facts about the integers in scope, enough to prove most bounds checks.
//!
//! Facts come from the place where a variable is bound: a loop index lies in `0..bound`, an element of `iota n` in `0..n`, a size
//! is not negative and, after a comparison with zero, may be known to be positive. Facts learnt within a branch, a loop or a lambda
//! are dropped at its end, since it may not run.
//!
//! Neighbours of an index that are clamped to an array lie in bounds, and so do the neighbours in a loop that stops early enough:
//! with `0 <= i < n` and `0 <= k < n - 1`,
//!
//! ```text
//! 0 <= smax 0 (i - 1) <= i < n        0 <= i <= smin (n - 1) (i + 1) < n        0 <= k + 1 < n        0 <= (n - 2) - k < n - 1
//! ```
//!
//! The sides of a clamp that these facts prove idle are dropped: `smin (n - 1) (i - 1)` is `i - 1`.
//!
//! One more than the length of a row in memory does not overflow, as in tables with a column before the first element:
//! with `0 <= j < m`, `0 <= j + 1 < m + 1`.
//!
//! For these proofs, variables and bounds are represented as the sum of another variable and a number. Sums that may overflow are
//! not represented.
//!
//! An index into a flattened matrix is decomposed again: with `0 <= k < n * m`, `0 <= k / m < n`. An overflowing product is
//! smaller than the true product, so the conclusion still holds.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{Operand, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar};

use warpwise_ir::Expr;

/// Facts about the integer variables of a function.
#[derive(Default)]
pub struct Facts {
    known: SecondaryMap<Var, Known>,
    /// The previous facts for each change within the enclosing bodies.
    before: Vec<(Var, Known)>,
    /// Number of enclosing branches, loops and lambdas.
    depth: usize,
}

/// State of the facts when a body was entered.
pub struct Mark(usize);

#[derive(Clone, Default)]
struct Known {
    /// Whether the variable is known not to be negative.
    nonnegative: bool,
    /// Whether the variable is known not to be zero.
    nonzero: bool,
    /// Upper bounds (exclusive, signed).
    below: Vec<Sum>,
    /// The variable and the number whose sum the variable equals.
    sum: Option<(Var, i64)>,
    /// Variables that are this variable minus a number, if this variable should turn out not to be negative.
    lesser: Vec<(Var, i64)>,
    /// The two nonnegative factors whose product the variable equals.
    product: Option<(Operand, Operand)>,
}

/// The sum of a base and a number, without overflow. The base `of` is a variable that is not itself such a sum, or zero if
/// absent.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sum {
    of: Option<Var>,
    number: i64,
}

/// Maximum absolute value of the number in a sum, far below where a sum of a size and such a number could overflow.
const MOST: i64 = 1 << 40;

/// More elements than any memory holds.
const MOST_IN_MEMORY: i64 = 1 << 62;

impl Facts {
    /// Enters a body that may not run.
    pub fn enter(&mut self) -> Mark {
        self.depth += 1;
        Mark(self.before.len())
    }

    /// Leaves the body and drops the facts learnt since it was entered.
    pub fn leave(&mut self, Mark(mark): Mark) {
        self.depth -= 1;
        for (var, known) in self.before.drain(mark..).rev() {
            self.known[var] = known;
        }
    }

    /// Returns the facts about a variable for a change, and records the previous ones inside bodies.
    fn change(&mut self, var: Var) -> &mut Known {
        if self.depth > 0 {
            self.before.push((var, self.known[var].clone()));
        }
        &mut self.known[var]
    }

    /// Records that `var` is not negative.
    pub fn set_nonnegative(&mut self, var: Var) {
        if !self.known[var].nonnegative {
            self.change(var).nonnegative = true;
            for (lesser, number) in self.known[var].lesser.clone() {
                self.bind_sum(lesser, var, number);
            }
        }
    }

    /// Records that `var` is the length of a row in memory. An element takes at least a byte, so memory limits the length.
    pub fn set_in_memory(&mut self, var: Var) {
        self.set_index(var, Operand::i64(MOST_IN_MEMORY));
    }

    /// Records that `var` lies in `0..bound`.
    pub fn set_index(&mut self, var: Var, bound: Operand) {
        self.set_nonnegative(var);
        self.set_below(var, bound);
    }

    /// Records that a signed comparison holds.
    pub fn assume(&mut self, op: CompareOp, x: Operand, y: Operand) {
        let least = constant(x).map(|n| if op == CompareOp::SLt { n.saturating_add(1) } else { n });
        if let (Some(0..), Operand::Var(y)) = (least, y) {
            self.set_nonnegative(y);
        }
        if let (Some(1..), Operand::Var(y)) = (least, y) {
            self.set_nonzero(y);
        }
        if let (CompareOp::SLt, Operand::Var(x)) = (op, x) {
            self.set_below(x, y);
        }
    }

    /// Records that `var` is not zero.
    pub fn set_nonzero(&mut self, var: Var) {
        if !self.known[var].nonzero {
            self.change(var).nonzero = true;
        }
    }

    /// Copies the facts about `from` to `to`.
    pub fn copy(&mut self, from: Var, to: Var) {
        let known = self.known[from].clone();
        *self.change(to) = known;
    }

    /// Records that `var` and `other` are equal, while both stay in use.
    pub fn equals(&mut self, var: Var, other: Var) {
        self.copy(other, var);
        let known = &mut self.known[var];
        known.sum = known.sum.or(Some((other, 0)));
    }

    /// Derives facts about a variable from the expression it is bound to.
    pub fn bind(&mut self, var: Var, expr: &Expr) {
        if let Some((x, number)) = as_sum(expr) {
            self.bind_sum(var, x, number);
            return;
        }
        match *expr {
            // `y <= x`, so the difference is not negative.
            Expr::Binary(BinaryOp::Sub, x, y) if self.nonnegative(y) && self.at_most(y, x) => {
                self.set_nonnegative(var);
                self.set_below_as(var, x);
            }
            Expr::Binary(BinaryOp::SMax, x, y) => self.bind_maximum(var, x, y),
            Expr::Binary(BinaryOp::SMin, x, y) => self.bind_minimum(var, x, y),
            // A modulus of zero fails, so the value exists only for `y > 0`.
            Expr::Binary(BinaryOp::SMod, _, y) if self.nonnegative(y) => self.set_index(var, y),
            // The same holds for a divisor of zero.
            Expr::Binary(BinaryOp::SDiv | BinaryOp::SQuot, x, y)
                if self.nonnegative(x) && self.nonnegative(y) =>
            {
                self.set_nonnegative(var);
                self.set_below_as(var, x);
                for rows in self.rows(x, y) {
                    self.set_below(var, rows);
                }
            }
            Expr::Binary(BinaryOp::Mul, x, y) if self.nonnegative(x) && self.nonnegative(y) => {
                self.change(var).product = Some((x, y));
            }
            Expr::Convert(ConvertOp::SExt, Operand::Var(x), _) if self.known[x].nonnegative => {
                self.set_nonnegative(var);
            }
            exprs!(simple, nested) => {}
        }
    }

    /// Returns the row counts `r` for which `x < r * columns` is known.
    fn rows(&self, x: Operand, columns: Operand) -> Vec<Operand> {
        let Operand::Var(x) = x else { return Vec::new() };
        let elements =
            self.known[x].below.iter().filter(|bound| bound.number <= 0).filter_map(|bound| bound.of);
        let products = elements.filter_map(|elements| self.known[elements].product);
        products
            .flat_map(|(a, b)| [(a, b), (b, a)])
            .filter(|(_, other)| *other == columns)
            .map(|(rows, _)| rows)
            .collect()
    }

    /// Records that `var` is `x + number`, if the sum is known not to overflow.
    fn bind_sum(&mut self, var: Var, x: Var, number: i64) {
        let Sum { of, number: own } = self.sum(x.into());
        let Some(of) = of else { return };
        let all = own.saturating_add(number);
        let ends = |bound: &Sum| match bound.of {
            Some(_) => bound.number.saturating_add(number) <= 1,
            None => bound.number.checked_add(number).is_some(),
        };
        let fits = match number {
            ..0 => self.nonnegative(of.into()),
            0 => true,
            1.. => self.known[x].below.iter().any(ends) || (all <= 0 && own <= 0),
        };
        if !fits && number < 0 && own == 0 {
            self.change(of).lesser.push((var, number));
        }
        if !fits || !(-MOST..=MOST).contains(&all) {
            return;
        }
        let bounds: Vec<Sum> = self.known[x].below.iter().filter_map(|bound| bound.and(number)).collect();
        let nonnegative =
            self.nonnegative(x.into()) && number >= 0 || self.nonnegative(of.into()) && all >= 0;
        let known = self.change(var);
        known.sum = Some((of, all));
        known.below.extend(bounds);
        if nonnegative {
            self.set_nonnegative(var);
        }
    }

    fn bind_maximum(&mut self, var: Var, x: Operand, y: Operand) {
        if self.nonnegative(x) || self.nonnegative(y) {
            self.set_nonnegative(var);
        }
        for high in [x, y].map(|side| self.summand(side)).into_iter().flatten() {
            if self.at_most(x, high) && self.at_most(y, high) {
                self.set_below_as(var, high);
            }
        }
    }

    fn bind_minimum(&mut self, var: Var, x: Operand, y: Operand) {
        let above = |low: Operand| self.nonnegative(low) && self.at_most(low, x) && self.at_most(low, y);
        let mut lows = [x, y].into_iter().filter_map(|side| self.summand(side));
        if self.nonnegative(x) && self.nonnegative(y) || lows.any(above) {
            self.set_nonnegative(var);
        }
        for side in [x, y] {
            self.set_below_as(var, side);
        }
    }

    /// Returns the variable that an operand equals or is a sum of.
    fn summand(&self, operand: Operand) -> Option<Operand> {
        self.sum(operand).of.map(Operand::Var)
    }

    /// Returns an operand as a sum.
    fn sum(&self, operand: Operand) -> Sum {
        match operand {
            Operand::Var(var) => {
                let (of, number) = self.known[var].sum.unwrap_or((var, 0));
                Sum { of: Some(of), number }
            }
            Operand::Const(value) => Sum { of: None, number: value.as_int().unwrap_or(i64::MAX) },
        }
    }

    /// Whether `x <= y`.
    fn at_most(&self, x: Operand, y: Operand) -> bool {
        let small = constant(x).is_some_and(|n| n <= 0) && self.nonnegative(y);
        small || self.sum(y).and(1).is_some_and(|after| self.is_below(x, after))
    }

    /// Returns two operands with the lesser one first, if the facts decide which it is.
    pub fn order(&self, x: Operand, y: Operand) -> Option<(Operand, Operand)> {
        if self.at_most(x, y) {
            Some((x, y))
        } else if self.at_most(y, x) {
            Some((y, x))
        } else {
            None
        }
    }

    /// Returns the outcome of a comparison, if the facts decide it.
    pub fn decide(&self, op: CompareOp, x: Operand, y: Operand) -> Option<bool> {
        match op {
            CompareOp::SLe if self.at_most(x, y) => Some(true),
            CompareOp::SLt if is_zero(y) && self.nonnegative(x) => Some(false),
            CompareOp::SLt if self.below(x, y) => Some(true),
            CompareOp::ULt if self.nonnegative(x) && self.below(x, y) => Some(true),
            CompareOp::SLt | CompareOp::ULt if is_zero(x) && self.nonnegative(y) && self.nonzero(y) => {
                Some(true)
            }
            CompareOp::Eq if is_zero(y) && self.nonzero(x) || is_zero(x) && self.nonzero(y) => Some(false),
            CompareOp::Ne if is_zero(y) && self.nonzero(x) || is_zero(x) && self.nonzero(y) => Some(true),
            CompareOp::Eq
            | CompareOp::Ne
            | CompareOp::SLt
            | CompareOp::SLe
            | CompareOp::ULt
            | CompareOp::ULe
            | CompareOp::FLt
            | CompareOp::FLe => None,
        }
    }

    fn set_below(&mut self, var: Var, bound: Operand) {
        let bound = self.sum(bound);
        if !self.known[var].below.contains(&bound) {
            self.change(var).below.push(bound);
        }
    }

    /// Records that `var <= x`: all upper bounds of `x` also hold for `var`.
    fn set_below_as(&mut self, var: Var, x: Operand) {
        let bounds = x.as_var().map_or(vec![], |x| self.known[x].below.clone());
        for bound in bounds.into_iter().chain(self.sum(x).and(1)) {
            if !self.known[var].below.contains(&bound) {
                self.change(var).below.push(bound);
            }
        }
    }

    fn nonnegative(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(value) => value.as_int().is_some_and(|n| n >= 0),
            Operand::Var(var) => self.known[var].nonnegative,
        }
    }

    fn nonzero(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(value) => value.as_int().is_some_and(|n| n != 0),
            Operand::Var(var) => self.known[var].nonzero,
        }
    }

    /// Whether `x < y`.
    fn below(&self, x: Operand, y: Operand) -> bool {
        self.is_below(x, self.sum(y))
    }

    fn is_below(&self, x: Operand, y: Sum) -> bool {
        let Operand::Var(var) = x else { return false };
        let own = self.sum(x).and(1);
        let mut bounds = self.known[var].below.iter().copied().chain(own);
        bounds.any(|bound| bound.of == y.of && bound.number <= y.number)
    }
}

/// Returns the variable and the number that an expression adds.
fn as_sum(expr: &Expr) -> Option<(Var, i64)> {
    match *expr {
        Expr::Binary(BinaryOp::Add, Operand::Var(x), Operand::Const(Scalar::I64(y)))
        | Expr::Binary(BinaryOp::Add, Operand::Const(Scalar::I64(y)), Operand::Var(x)) => Some((x, y)),
        Expr::Binary(BinaryOp::Sub, Operand::Var(x), Operand::Const(Scalar::I64(y))) => {
            Some((x, y.saturating_neg()))
        }
        exprs!(simple, nested) => None,
    }
}

impl Sum {
    /// Adds a number, if the result is still in range.
    fn and(self, number: i64) -> Option<Sum> {
        let number = self.number.checked_add(number)?;
        (self.of.is_none() || (-MOST..=MOST).contains(&number)).then_some(Sum { of: self.of, number })
    }
}

fn constant(operand: Operand) -> Option<i64> {
    operand.as_const().and_then(Scalar::as_int)
}

fn is_zero(operand: Operand) -> bool {
    constant(operand) == Some(0)
}
