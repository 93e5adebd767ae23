//! What is known about integers in scope: enough to see that most bounds checks hold.
//!
//! Facts come from where a variable is bound: a loop index lies in `0..bound`, an element of `iota n` in
//! `0..n`, a size is not negative. What is assumed within a branch is taken back at its end.
//!
//! Neighbours of an index that are clamped to an array lie in it: with `0 <= i < n`,
//!
//! ```text
//! 0 <= smax 0 (i - 1) <= i < n        and        0 <= i <= smin (n - 1) (i + 1) < n
//! ```

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{Operand, Var};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar};

use warpwise_ir::Expr;

/// Facts about the integer variables of a function.
#[derive(Default)]
pub struct Facts {
    known: SecondaryMap<Var, Known>,
    /// What was known before each change within the branches around.
    before: Vec<(Var, Known)>,
    /// The number of branches around.
    depth: usize,
}

/// Where a branch was entered.
pub struct Mark(usize);

#[derive(Clone, Default)]
struct Known {
    /// Not negative.
    nonnegative: bool,
    /// Smaller than each of these (signed).
    below: Vec<Operand>,
    /// This variable and this number added up, without overflow.
    sum: Option<(Var, i64)>,
}

impl Facts {
    /// Enters a branch.
    pub fn enter(&mut self) -> Mark {
        self.depth += 1;
        Mark(self.before.len())
    }

    /// Leaves a branch: what became known since it was entered is forgotten.
    pub fn leave(&mut self, Mark(mark): Mark) {
        self.depth -= 1;
        for (var, known) in self.before.drain(mark..).rev() {
            self.known[var] = known;
        }
    }

    /// What is known of a variable, to be changed.
    fn change(&mut self, var: Var) -> &mut Known {
        if self.depth > 0 {
            self.before.push((var, self.known[var].clone()));
        }
        &mut self.known[var]
    }

    /// `var` is not negative.
    pub fn set_nonnegative(&mut self, var: Var) {
        if !self.known[var].nonnegative {
            self.change(var).nonnegative = true;
        }
    }

    /// `var` lies in `0..bound`.
    pub fn set_index(&mut self, var: Var, bound: Operand) {
        self.set_nonnegative(var);
        self.set_below(var, bound);
    }

    /// A signed comparison holds.
    pub fn assume(&mut self, op: CompareOp, x: Operand, y: Operand) {
        let least = constant(x).map(|n| if op == CompareOp::SLt { n.saturating_add(1) } else { n });
        if let (Some(0..), Operand::Var(y)) = (least, y) {
            self.set_nonnegative(y);
        }
        if let (CompareOp::SLt, Operand::Var(x)) = (op, x) {
            self.set_below(x, y);
        }
    }

    /// What is known about `from` holds for `to` too.
    pub fn copy(&mut self, from: Var, to: Var) {
        let known = self.known[from].clone();
        *self.change(to) = known;
    }

    /// Derives facts about a variable from the expression it is bound to.
    pub fn bind(&mut self, var: Var, expr: &Expr) {
        match *expr {
            Expr::Binary(BinaryOp::Add, Operand::Var(x), Operand::Const(y))
            | Expr::Binary(BinaryOp::Add, Operand::Const(y), Operand::Var(x)) => {
                self.bind_sum(var, x, y.as_int())
            }
            Expr::Binary(BinaryOp::Sub, Operand::Var(x), y) => {
                self.bind_sum(var, x, constant(y).and_then(i64::checked_neg));
            }
            Expr::Binary(BinaryOp::SMax, x, y) => self.bind_maximum(var, x, y),
            Expr::Binary(BinaryOp::SMin, x, y) => self.bind_minimum(var, x, y),
            // Nothing has a value modulo zero.
            Expr::Binary(BinaryOp::SMod, _, y) if self.nonnegative(y) => self.set_index(var, y),
            Expr::Binary(BinaryOp::SDiv | BinaryOp::SQuot, x, y) if self.nonnegative(x) && positive(y) => {
                self.set_nonnegative(var);
                self.set_below_as(var, x);
            }
            Expr::Convert(ConvertOp::SExt, Operand::Var(x), _) if self.known[x].nonnegative => {
                self.set_nonnegative(var);
            }
            _ => {}
        }
    }

    /// `var` is `x` and a number, if that is known and small enough to leave room for the sum.
    fn bind_sum(&mut self, var: Var, x: Var, number: Option<i64>) {
        let Some(number) = number else { return };
        let fits = match number {
            ..0 => self.nonnegative(x.into()),
            0 => true,
            1 => !self.known[x].below.is_empty(),
            2.. => false,
        };
        if !fits {
            return;
        }
        self.change(var).sum = Some((x, number));
        if number < 0 {
            self.set_below(var, x.into());
            self.set_below_as(var, x.into());
        }
        if number >= 0 && self.nonnegative(x.into()) {
            self.set_nonnegative(var);
        }
    }

    fn bind_maximum(&mut self, var: Var, x: Operand, y: Operand) {
        if self.nonnegative(x) || self.nonnegative(y) {
            self.set_nonnegative(var);
        }
        for high in [x, y].map(|side| self.summand(side)).into_iter().flatten() {
            if self.at_most(x, high) && self.at_most(y, high) {
                self.set_below_as(var, high.into());
            }
        }
    }

    fn bind_minimum(&mut self, var: Var, x: Operand, y: Operand) {
        let above = |low: Var| {
            self.nonnegative(low.into()) && self.at_most(low.into(), x) && self.at_most(low.into(), y)
        };
        let mut lows = [x, y].into_iter().filter_map(|side| self.summand(side));
        if self.nonnegative(x) && self.nonnegative(y) || lows.any(above) {
            self.set_nonnegative(var);
        }
        for side in [x, y] {
            self.set_below_as(var, side);
        }
    }

    /// The variable that an operand is, or is a sum of.
    fn summand(&self, operand: Operand) -> Option<Var> {
        let var = operand.as_var()?;
        Some(self.known[var].sum.map_or(var, |(x, _)| x))
    }

    /// Whether `x <= y`, where one of them is the other and a number, or they are neighbours.
    fn at_most(&self, x: Operand, y: impl Into<Operand>) -> bool {
        let y = y.into();
        if constant(x).is_some_and(|n| n <= 0) && self.nonnegative(y) {
            return true;
        }
        let sum = |of: Operand| of.as_var().and_then(|var| self.known[var].sum);
        x == y
            || sum(x).is_some_and(|(x, n)| n <= 0 && y == x.into())
            || sum(y).is_some_and(|(y, n)| match n {
                0.. => x == y.into(),
                -1 => self.below(x, y.into()),
                _ => false,
            })
    }

    /// The outcome of a comparison, where facts decide it.
    pub fn decide(&self, op: CompareOp, x: Operand, y: Operand) -> Option<bool> {
        match op {
            CompareOp::SLe if is_zero(x) && self.nonnegative(y) => Some(true),
            CompareOp::SLt if is_zero(y) && self.nonnegative(x) => Some(false),
            CompareOp::SLt | CompareOp::SLe if self.below(x, y) => Some(true),
            CompareOp::ULt if self.nonnegative(x) && self.below(x, y) => Some(true),
            _ => None,
        }
    }

    fn set_below(&mut self, var: Var, bound: Operand) {
        if !self.known[var].below.contains(&bound) {
            self.change(var).below.push(bound);
        }
    }

    /// `var` is smaller than all that `x` is known to be smaller than.
    fn set_below_as(&mut self, var: Var, x: Operand) {
        let bounds = x.as_var().map_or(vec![], |x| self.known[x].below.clone());
        bounds.into_iter().for_each(|bound| self.set_below(var, bound));
    }

    fn nonnegative(&self, operand: Operand) -> bool {
        match operand {
            Operand::Const(value) => value.as_int().is_some_and(|n| n >= 0),
            Operand::Var(var) => self.known[var].nonnegative,
        }
    }

    fn below(&self, x: Operand, y: Operand) -> bool {
        let Operand::Var(x) = x else { return false };
        let smaller = |bound: &Operand| match (constant(*bound), constant(y)) {
            (Some(bound), Some(y)) => bound <= y,
            _ => *bound == y,
        };
        self.known[x].below.iter().any(smaller)
    }
}

fn constant(operand: Operand) -> Option<i64> {
    operand.as_const().and_then(Scalar::as_int)
}

fn is_zero(operand: Operand) -> bool {
    constant(operand) == Some(0)
}

fn positive(operand: Operand) -> bool {
    constant(operand).is_some_and(|n| n > 0)
}
