//! Sums of products of variables, and a proof that such a sum is not negative: what is known of sizes and places without
//! running a program.

use std::collections::BTreeMap;

use warpwise_prim::{BinaryOp, Scalar};

use crate::expr::Expr;
use crate::program::Var;
use crate::types::Operand;

/// A polynomial over `i64` variables: the coefficient of every product of variables (sorted), none of them 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    terms: BTreeMap<Vec<Var>, i64>,
}

/// What is known of variables: each is at least every sum listed with it.
///
/// `0 <= i < n` is `(i, 0)` and `(n, i + 1)`. A variable without an entry may be anything.
#[derive(Clone, Default, Debug)]
pub struct Bounds {
    least: Vec<(Var, Sum)>,
}

impl Sum {
    /// A number.
    pub fn constant(value: i64) -> Sum {
        Sum { terms: BTreeMap::from([(vec![], value)]) }.without_zeros()
    }

    /// A variable.
    pub fn var(var: Var) -> Sum {
        Sum { terms: BTreeMap::from([(vec![var], 1)]) }
    }

    /// The value of an operand, with variables that `definition` knows as sums, differences or products taken apart.
    /// None where a number is too large.
    pub fn of<'e>(operand: Operand, definition: &impl Fn(Var) -> Option<&'e Expr>) -> Option<Sum> {
        let var = match operand {
            Operand::Const(value) => return Scalar::as_int(value).map(Sum::constant),
            Operand::Var(var) => var,
        };
        match definition(var) {
            Some(Expr::Operand(x)) => Sum::of(*x, definition),
            Some(Expr::Binary(BinaryOp::Add, x, y)) => {
                Sum::of(*x, definition)?.plus(&Sum::of(*y, definition)?)
            }
            Some(Expr::Binary(BinaryOp::Sub, x, y)) => {
                Sum::of(*x, definition)?.minus(&Sum::of(*y, definition)?)
            }
            Some(Expr::Binary(BinaryOp::Mul, x, y)) => {
                Sum::of(*x, definition)?.times(&Sum::of(*y, definition)?)
            }
            Some(_) | None => Some(Sum::var(var)),
        }
    }

    /// The number, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.iter().next() {
            None => Some(0),
            Some((product, &factor)) => (product.is_empty() && self.terms.len() == 1).then_some(factor),
        }
    }

    /// The variable, if it is one.
    pub fn as_var(&self) -> Option<Var> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (Some((product, 1)), None) if product.len() == 1 => Some(product[0]),
            _ => None,
        }
    }

    /// The sum of both; none where a number is too large.
    pub fn plus(&self, other: &Sum) -> Option<Sum> {
        let mut terms = self.terms.clone();
        for (product, &factor) in &other.terms {
            let term = terms.entry(product.clone()).or_insert(0);
            *term = term.checked_add(factor)?;
        }
        Some(Sum { terms }.without_zeros())
    }

    /// The difference; none where a number is too large.
    pub fn minus(&self, other: &Sum) -> Option<Sum> {
        self.plus(&other.times(&Sum::constant(-1))?)
    }

    /// The product; none where a number is too large.
    pub fn times(&self, other: &Sum) -> Option<Sum> {
        let mut terms = BTreeMap::new();
        for (x, &factor_x) in &self.terms {
            for (y, &factor_y) in &other.terms {
                let mut product = [x.as_slice(), y].concat();
                product.sort_unstable();
                let term = terms.entry(product).or_insert(0_i64);
                *term = term.checked_add(factor_x.checked_mul(factor_y)?)?;
            }
        }
        Some(Sum { terms }.without_zeros())
    }

    /// Quotient and rest of a division by one product, term by term; none if the divisor is a sum of several, or 0.
    pub fn divide(&self, divisor: &Sum) -> Option<(Sum, Sum)> {
        let (mut quotient, mut rest) = (Sum::default(), Sum::default());
        let mut divisors = divisor.terms.iter();
        let (Some((by, &factor_by)), None) = (divisors.next(), divisors.next()) else { return None };
        for (product, &factor) in &self.terms {
            match without(product, by) {
                Some(left) => {
                    quotient.terms.insert(left, factor.checked_div_euclid(factor_by)?);
                    rest.terms.insert(product.clone(), factor.checked_rem_euclid(factor_by)?);
                }
                None => {
                    rest.terms.insert(product.clone(), factor);
                }
            }
        }
        Some((quotient.without_zeros(), rest.without_zeros()))
    }

    fn without_zeros(mut self) -> Sum {
        self.terms.retain(|_, factor| *factor != 0);
        self
    }

    /// With a sum in the place of a variable; none where a number is too large.
    pub fn replace(&self, var: Var, by: &Sum) -> Option<Sum> {
        let mut result = Sum::default();
        for (product, &factor) in &self.terms {
            let kept: Vec<Var> = product.iter().copied().filter(|&x| x != var).collect();
            let times = product.len() - kept.len();
            let mut term = Sum { terms: BTreeMap::from([(kept, factor)]) };
            for _ in 0..times {
                term = term.times(by)?;
            }
            result = result.plus(&term)?;
        }
        Some(result)
    }

    /// The value in a model that has all its variables.
    pub fn value(&self, model: &std::collections::HashMap<Var, i64>) -> i64 {
        let term = |(product, factor): (&Vec<Var>, &i64)| {
            product.iter().fold(*factor, |value, var| value * model[var])
        };
        self.terms.iter().map(term).sum()
    }

    /// The variables that stand in it, some more than once.
    pub fn variables(&self) -> impl Iterator<Item = Var> {
        self.terms.keys().flatten().copied()
    }

    /// Whether a variable stands in it.
    pub fn mentions(&self, var: Var) -> bool {
        self.terms.keys().any(|product| product.contains(&var))
    }
}

/// A product without the variables of another; none if they are not all in it.
fn without(product: &[Var], by: &[Var]) -> Option<Vec<Var>> {
    let mut left = product.to_vec();
    for var in by {
        let position = left.iter().position(|x| x == var)?;
        left.remove(position);
    }
    Some(left)
}

impl Bounds {
    /// From now on `var` is at least `sum`.
    pub fn at_least(&mut self, var: Var, sum: Sum) {
        self.least.push((var, sum));
    }

    /// Whether a sum is 0 or more, whatever values within the bounds its variables have. False means: not proved.
    pub fn prove_not_negative(&self, sum: &Sum) -> bool {
        self.search(sum, &mut Vec::new())
    }

    /// Puts `bound + v` in the place of every `v`, which is then not negative; `slack` are those already replaced.
    /// When nothing is left to replace, all factors must be positive.
    fn search(&self, sum: &Sum, slack: &mut Vec<Var>) -> bool {
        let known = |product: &[Var]| product.iter().all(|var| slack.contains(var));
        if sum.terms.iter().all(|(product, &factor)| factor >= 0 && known(product)) {
            return true;
        }
        for (var, bound) in &self.least {
            // A bound may mention variables, but none of those whose names stand for something else by now.
            let spoilt = slack.iter().any(|done| done == var || bound.mentions(*done));
            if spoilt || !sum.mentions(*var) {
                continue;
            }
            let Some(replacement) = bound.plus(&Sum::var(*var)) else { continue };
            let Some(next) = sum.replace(*var, &replacement) else { continue };
            slack.push(*var);
            let proved = self.search(&next, slack);
            slack.pop();
            if proved {
                return true;
            }
        }
        false
    }
}
