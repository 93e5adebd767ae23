//! Represents integers as sums of variables and a constant: the extent `(x + n) - x` of a slice is `n`.
//!
//! Arithmetic on 64-bit integers wraps, and so do the sums, so no rule here checks for overflow.

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use warpwise_ir::{Expr, Operand, Var, exprs};
use warpwise_prim::{BinaryOp, Scalar};

/// Maximum number of variables in a sum: longer ones rarely become short again.
const MOST_TERMS: usize = 4;

/// The known sums of variables.
#[derive(Default)]
pub struct Sums {
    known: FxHashMap<Var, Linear>,
}

/// A constant plus multiples of variables. No factor is zero, and no variable occurs twice.
#[derive(Clone)]
struct Linear {
    terms: SmallVec<[(Var, i64); MOST_TERMS]>,
    constant: i64,
}

impl Sums {
    /// Records the sum that `var`, a 64-bit integer, is equal to, if `expr` is one.
    pub fn bind(&mut self, var: Var, expr: &Expr) {
        if let Some(sum) = self.of_expr(expr) {
            self.known.insert(var, sum);
        }
    }

    /// Returns a simpler expression for a sum or a difference that is a constant, a variable, or a variable plus a constant.
    pub fn simpler(&self, expr: &Expr) -> Option<Expr> {
        let &Expr::Binary(BinaryOp::Add | BinaryOp::Sub, x, y) = expr else { return None };
        let Linear { terms, constant } = self.of_expr(expr)?;
        let constant = Scalar::I64(constant);
        match terms[..] {
            [] => Some(Expr::Operand(constant.into())),
            [(var, 1)] if constant == Scalar::I64(0) => Some(Expr::Operand(var.into())),
            // Not for sums that already have a constant: the bounds known of a variable also give those of the variable plus one.
            [(var, 1)] if x.as_var().is_some() && y.as_var().is_some() => {
                Some(Expr::Binary(BinaryOp::Add, var.into(), constant.into()))
            }
            _ => None,
        }
    }

    /// Returns `x - y`, if it is a constant.
    pub fn difference(&self, x: Operand, y: Operand) -> Option<i64> {
        let Linear { terms, constant } = self.of(x)?.plus(&self.of(y)?, -1)?;
        terms.is_empty().then_some(constant)
    }

    /// Returns whether `x` grows or shrinks by one when `var` grows by one.
    pub fn steps_with(&self, x: Operand, var: Var) -> bool {
        let Some(sum) = self.of(x) else { return false };
        sum.terms.iter().any(|&(term, factor)| term == var && matches!(factor, 1 | -1))
    }

    fn of_expr(&self, expr: &Expr) -> Option<Linear> {
        match *expr {
            Expr::Binary(BinaryOp::Add, x, y) => self.of(x)?.plus(&self.of(y)?, 1),
            Expr::Binary(BinaryOp::Sub, x, y) => self.of(x)?.plus(&self.of(y)?, -1),
            Expr::Binary(BinaryOp::Mul, Operand::Var(x), Operand::Const(Scalar::I64(factor)))
            | Expr::Binary(BinaryOp::Mul, Operand::Const(Scalar::I64(factor)), Operand::Var(x)) => {
                Linear::constant(0).plus(&self.of(x.into())?, factor)
            }
            exprs!(simple, nested) => None,
        }
    }

    /// Returns an operand as a sum, or `None` for a constant that is not a 64-bit integer.
    fn of(&self, operand: Operand) -> Option<Linear> {
        match operand {
            Operand::Const(Scalar::I64(number)) => Some(Linear::constant(number)),
            Operand::Const(_) => None,
            Operand::Var(var) => {
                let alone = || Linear { terms: smallvec![(var, 1)], constant: 0 };
                Some(self.known.get(&var).cloned().unwrap_or_else(alone))
            }
        }
    }
}

impl Linear {
    fn constant(constant: i64) -> Linear {
        Linear { terms: SmallVec::new(), constant }
    }

    /// Returns this and `factor` times `other`, unless there are too many terms.
    fn plus(mut self, other: &Linear, factor: i64) -> Option<Linear> {
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
        for &(var, times) in &other.terms {
            let times = times.wrapping_mul(factor);
            match self.terms.iter_mut().find(|(own, _)| *own == var) {
                Some((_, own)) => *own = own.wrapping_add(times),
                None => self.terms.push((var, times)),
            }
        }
        self.terms.retain(|(_, times)| *times != 0);
        (self.terms.len() <= MOST_TERMS).then_some(self)
    }
}
