//! Sums of products of variables, which represent sizes and offsets symbolically.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use warpwise_prim::{BinaryOp, Scalar};

use crate::expr::Expr;
use crate::program::Var;
use crate::types::Operand;

/// Maximum number of terms of the sum that a variable is taken for; a variable with a larger one stands for itself.
const MOST_TERMS: usize = 128;

/// Maximum number of factors of the products in such a sum.
const MOST_FACTORS: usize = 12;

/// A polynomial over `i64` variables: the coefficient of every product of variables (sorted), none of them 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Sum {
    terms: BTreeMap<Vec<Var>, i64>,
}

impl Sum {
    /// Creates a constant.
    pub fn constant(value: i64) -> Sum {
        Sum { terms: BTreeMap::from([(vec![], value)]) }.without_zeros()
    }

    /// Creates the sum of one variable.
    pub fn var(var: Var) -> Sum {
        Sum { terms: BTreeMap::from([(vec![var], 1)]) }
    }

    /// Returns the value of an operand, with variables that `definition` knows as sums, differences or products expanded. None if
    /// a number is too large.
    pub fn of<'e>(operand: Operand, definition: &impl Fn(Var) -> Option<&'e Expr>) -> Option<Sum> {
        Expansion { definition, known: FxHashMap::default() }.operand(operand)
    }

    /// Returns the number, if the sum is constant.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.iter().next() {
            None => Some(0),
            Some((product, &factor)) => (product.is_empty() && self.terms.len() == 1).then_some(factor),
        }
    }

    /// Returns the variable, if the sum is a single variable.
    pub fn as_var(&self) -> Option<Var> {
        let mut terms = self.terms.iter();
        match (terms.next(), terms.next()) {
            (Some((product, 1)), None) if product.len() == 1 => Some(product[0]),
            _ => None,
        }
    }

    /// Returns the sum of both, or none if a number is too large.
    pub fn plus(&self, other: &Sum) -> Option<Sum> {
        let mut terms = self.terms.clone();
        for (product, &factor) in &other.terms {
            let term = terms.entry(product.clone()).or_insert(0);
            *term = term.checked_add(factor)?;
        }
        Some(Sum { terms }.without_zeros())
    }

    /// Returns the difference, or none if a number is too large.
    pub fn minus(&self, other: &Sum) -> Option<Sum> {
        self.plus(&other.times(&Sum::constant(-1))?)
    }

    /// Returns the product, or none if a number is too large.
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

    /// Divides term by term; returns quotient and remainder, or none if the divisor is 0 or a number is too large.
    pub fn divide(&self, divisor: &Sum) -> Option<(Sum, Sum)> {
        if let Some((number, by)) = self.as_constant().zip(divisor.as_constant()) {
            let quotient = number.checked_div_euclid(by)?;
            return Some((Sum::constant(quotient), Sum::constant(number.checked_rem_euclid(by)?)));
        }
        let (by, factor_by) = divisor.leading()?;
        let (mut left, mut quotient, mut rest) = (self.clone(), Sum::default(), Sum::default());
        while let Some((product, factor)) = left.leading() {
            let times = without(&product, &by).map(|kept| (kept, factor.checked_div_euclid(factor_by)));
            if let Some((kept, times)) = times {
                let term = Sum { terms: BTreeMap::from([(kept, times?)]) }.without_zeros();
                left = left.minus(&term.times(divisor)?)?;
                quotient = quotient.plus(&term)?;
            }
            // The rest of this term is not divisible further, and all later terms are below it.
            if let Some(factor) = left.terms.remove(&product) {
                rest.terms.insert(product, factor);
            }
        }
        Some((quotient, rest))
    }

    /// Returns the term with the most variables.
    fn leading(&self) -> Option<(Vec<Var>, i64)> {
        let leading = self.terms.iter().max_by_key(|(product, _)| (product.len(), *product));
        leading.map(|(product, &factor)| (product.clone(), factor))
    }

    fn is_small(&self) -> bool {
        self.terms.len() <= MOST_TERMS && self.terms.keys().all(|product| product.len() <= MOST_FACTORS)
    }

    fn without_zeros(mut self) -> Sum {
        self.terms.retain(|_, factor| *factor != 0);
        self
    }

    /// Replaces a variable by a sum; none if a number is too large.
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

    /// Renames the variables; none if a number is too large.
    pub fn renamed(&self, rename: &impl Fn(Var) -> Var) -> Option<Sum> {
        let mut result = Sum::default();
        for (product, &factor) in &self.terms {
            let mut product: Vec<Var> = product.iter().map(|&var| rename(var)).collect();
            product.sort_unstable();
            result = result.plus(&Sum { terms: BTreeMap::from([(product, factor)]) })?;
        }
        Some(result)
    }

    /// Returns the value in a model that has all variables of the sum.
    pub fn value(&self, model: &std::collections::HashMap<Var, i64>) -> i64 {
        let term = |(product, factor): (&Vec<Var>, &i64)| {
            product.iter().fold(*factor, |value, var| value * model[var])
        };
        self.terms.iter().map(term).sum()
    }

    /// Returns `factor` and `rest` if the sum is `factor * var + rest` and neither mentions the variable.
    pub(crate) fn linear_in(&self, var: Var) -> Option<(Sum, Sum)> {
        let (factor, rest) = self.without_power(var);
        (!factor.mentions(var) && !rest.mentions(var)).then_some((factor, rest))
    }

    /// Returns the factor of the least power of a variable that occurs in the sum, and the rest of the sum.
    pub(crate) fn without_power(&self, var: Var) -> (Sum, Sum) {
        let power = |product: &Vec<Var>| product.iter().filter(|&&x| x == var).count();
        let least = self.terms.keys().map(power).filter(|&power| power > 0).min();
        let (mut factor, mut rest) = (Sum::default(), Sum::default());
        for (product, &by) in &self.terms {
            if Some(power(product)) == least {
                factor.terms.insert(product.iter().copied().filter(|&x| x != var).collect(), by);
            } else {
                rest.terms.insert(product.clone(), by);
            }
        }
        (factor, rest)
    }

    /// Iterates over the factors of the products.
    pub(crate) fn factors(&self) -> impl Iterator<Item = i64> {
        self.terms.values().copied()
    }

    /// Iterates over the products of variables with their factors.
    pub fn terms(&self) -> impl Iterator<Item = (&[Var], i64)> {
        self.terms.iter().map(|(product, &factor)| (product.as_slice(), factor))
    }

    /// Iterates over the variables that occur in the sum, possibly with repetitions.
    pub fn variables(&self) -> impl Iterator<Item = Var> {
        self.terms.keys().flatten().copied()
    }

    /// Returns whether a variable occurs in the sum.
    pub fn mentions(&self, var: Var) -> bool {
        self.terms.keys().any(|product| product.contains(&var))
    }
}

type Combine = fn(&Sum, &Sum) -> Option<Sum>;

/// The variables that one operand is computed from, as sums. Each is computed once: in `b = a + a`, `c = b + b`, `d = c + c` and so on
/// there are twice as many ways to a variable at every step.
struct Expansion<'d, D> {
    definition: &'d D,
    known: FxHashMap<Var, Option<Sum>>,
}

impl<'e, D: Fn(Var) -> Option<&'e Expr>> Expansion<'_, D> {
    fn operand(&mut self, operand: Operand) -> Option<Sum> {
        match operand {
            Operand::Const(value) => Scalar::as_int(value).map(Sum::constant),
            Operand::Var(var) => self.var(var),
        }
    }

    fn var(&mut self, var: Var) -> Option<Sum> {
        match (self.definition)(var) {
            Some(Expr::Operand(x)) => self.operand(*x),
            Some(Expr::Binary(BinaryOp::Add, x, y)) => self.combined(var, (*x, *y), Sum::plus),
            Some(Expr::Binary(BinaryOp::Sub, x, y)) => self.combined(var, (*x, *y), Sum::minus),
            Some(Expr::Binary(BinaryOp::Mul, x, y)) => self.combined(var, (*x, *y), Sum::times),
            Some(_) | None => Some(Sum::var(var)),
        }
    }

    fn combined(&mut self, var: Var, (x, y): (Operand, Operand), combine: Combine) -> Option<Sum> {
        if let Some(known) = self.known.get(&var) {
            return known.clone();
        }
        let sum = self.operand(x).zip(self.operand(y)).and_then(|(x, y)| combine(&x, &y));
        let sum = sum.map(|sum| if sum.is_small() { sum } else { Sum::var(var) });
        self.known.insert(var, sum.clone());
        sum
    }
}

/// Returns a product without the variables of another, or none if it does not contain them all.
fn without(product: &[Var], by: &[Var]) -> Option<Vec<Var>> {
    let mut left = product.to_vec();
    for var in by {
        let position = left.iter().position(|x| x == var)?;
        left.remove(position);
    }
    Some(left)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Entity;

    /// For small polynomials, quotient times divisor plus remainder is the dividend.
    #[test]
    fn division_is_undone_by_multiplication() {
        let [x, y] = [0, 1].map(|index| Sum::var(Var::new(index)));
        let square = x.times(&x).expect("small");
        let product = x.times(&y).expect("small");
        let mut sums = vec![Sum::default()];
        for part in [Sum::constant(1), x, y, square, product] {
            let more = sums.iter().flat_map(|sum: &Sum| {
                [-2, -1, 1, 3].map(|factor| {
                    sum.plus(&part.times(&Sum::constant(factor)).expect("small")).expect("small")
                })
            });
            let more: Vec<Sum> = more.collect();
            sums.extend(more.into_iter().step_by(3));
        }
        let mut exact = 0;
        for divided in &sums {
            for divisor in sums.iter().step_by(5).filter(|divisor| **divisor != Sum::default()) {
                let (quotient, rest) = divided.divide(divisor).expect("small");
                let product = quotient.times(divisor).expect("small");
                assert_eq!(product.plus(&rest).as_ref(), Some(divided));
                let (again, none) = product.divide(divisor).expect("small");
                assert_eq!((again, none), (quotient, Sum::default()));
                exact += u32::from(rest == Sum::default());
            }
        }
        assert!(exact > 10);
        assert_eq!(sums[1].divide(&Sum::default()), None);
    }

    /// Chains in which every value is used twice take no more steps than they have values, and stay small.
    #[test]
    fn chains_of_shared_values_are_expanded_once() {
        let combinations: [(BinaryOp, Combine); 3] =
            [(BinaryOp::Add, Sum::plus), (BinaryOp::Sub, Sum::minus), (BinaryOp::Mul, Sum::times)];
        for (op, combine) in combinations {
            let vars: Vec<Var> = (0..200).map(Var::new).collect();
            let step = |index: usize| Expr::Binary(op, vars[index - 1].into(), vars[index - 2].into());
            let chain: Vec<Expr> = (2..200).map(step).collect();
            let definition = |var: Var| var.index().checked_sub(2).and_then(|index| chain.get(index));
            let of = |index: usize| Sum::of(vars[index].into(), &definition);
            assert!(of(199).is_none_or(|sum| sum.is_small()), "{op:?}");
            let (x, y) = (Sum::var(vars[1]), Sum::var(vars[0]));
            assert_eq!(of(2), combine(&x, &y));
        }
    }
}
