//! Bounds of variables, and proofs that a sum of products of variables is not negative.
//!
//! ```text
//! 0 <= i < n, 0 <= k < 8        8*i + k <= 8*n - 1, since that holds for the greatest k and the greatest i
//! ```
//!
//! Variables are eliminated from the last to the first (Fourier-Motzkin elimination): a sum that is linear in a variable has its
//! minimum at one of the ends of the variable's range. Not handled: bounds in which a variable has a non-constant factor, and
//! facts that hold for integers only.

use std::collections::BTreeSet;

use crate::program::Var;
use crate::sums::Sum;

/// Known bounds of variables: sums of them that are not negative.
///
/// `0 <= i < n` is represented by `i` and `n - i - 1`. A variable that no sum mentions is unbounded.
#[derive(Clone, Default, Debug)]
pub struct Bounds {
    not_negative: Vec<Sum>,
}

impl Bounds {
    /// Adds the fact that `var` is at least `sum`.
    pub fn at_least(&mut self, var: Var, sum: &Sum) {
        self.not_negative.extend(Sum::var(var).minus(sum));
    }

    /// Adds the fact that a sum is 0 or more.
    pub fn know(&mut self, sum: Sum) {
        self.not_negative.push(sum);
    }

    /// Returns whether a sum is provably 0 or more for all values of its variables within the bounds. False means: not proved.
    pub fn prove_not_negative(&self, sum: &Sum) -> bool {
        self.solve().prove_not_negative(sum)
    }

    /// Eliminates the variables from the last to the first. Each gets the lower and upper bounds that sums of earlier variables
    /// imply. The condition that no lower bound exceeds an upper one is then a fact about the earlier variables.
    pub fn solve(&self) -> Ranges {
        let mut known: BTreeSet<Sum> = self.not_negative.iter().cloned().collect();
        let mut ranges = Ranges { by_var: Vec::new(), is_empty: false };
        while let Some(var) = known.iter().flat_map(Sum::variables).max() {
            let (mut least, mut most) = (Vec::new(), Vec::new());
            let (about, others) = known.into_iter().partition(|sum| sum.mentions(var));
            let about: BTreeSet<Sum> = about;
            known = others;
            for sum in about {
                let Some((factor, rest)) = sum.linear_in(var) else { continue };
                match factor.as_constant() {
                    Some(factor @ 1..) => {
                        least.extend(Sum::default().minus(&rest).map(|sum| End { factor, sum }));
                    }
                    Some(factor) => most.extend(factor.checked_neg().map(|factor| End { factor, sum: rest })),
                    None => {}
                }
            }
            if known.len() + least.len() * most.len() <= MOST_KNOWN {
                let pairs = least.iter().flat_map(|least| most.iter().map(|most| least.up_to(most)));
                known.extend(pairs.flatten());
            }
            ranges.by_var.push(Range { var, least, most });
        }
        ranges.is_empty = known.iter().any(|sum| sum.as_constant().is_some_and(|value| value < 0));
        ranges
    }
}

/// Maximum number of known sums during elimination.
const MOST_KNOWN: usize = 64;

/// Maximum number of sums that one proof examines.
const MOST_STEPS: usize = 1000;

/// Bounds, solved for every variable.
#[derive(Debug)]
pub struct Ranges {
    /// From the last variable to the first.
    by_var: Vec<Range>,
    /// Whether no values satisfy the bounds.
    is_empty: bool,
}

/// The range of a variable, between sums of earlier variables.
#[derive(Debug)]
struct Range {
    var: Var,
    least: Vec<End>,
    most: Vec<End>,
}

/// A bound of a variable: a sum divided by a positive factor.
#[derive(Debug)]
struct End {
    factor: i64,
    sum: Sum,
}

impl End {
    /// Returns the sum that is not negative if a variable lies between this end and another.
    fn up_to(&self, most: &End) -> Option<Sum> {
        most.sum.times(&Sum::constant(self.factor))?.minus(&self.sum.times(&Sum::constant(most.factor))?)
    }
}

impl Ranges {
    /// Like [`Bounds::prove_not_negative`].
    pub fn prove_not_negative(&self, sum: &Sum) -> bool {
        self.is_empty || self.proves(sum, &mut MOST_STEPS.clone()).unwrap_or(false)
    }

    /// Tries to prove that a sum is not negative, at the ends of the range of its last variable. None if a number is too large.
    fn proves(&self, sum: &Sum, steps: &mut usize) -> Option<bool> {
        if let Some(value) = sum.as_constant() {
            return Some(value >= 0);
        }
        *steps = steps.checked_sub(1)?;
        let var = sum.variables().max()?;
        let Some(range) = self.by_var.iter().find(|range| range.var == var) else { return Some(false) };
        let Some((factor, rest)) = sum.linear_in(var) else {
            return self.proves_of_powers(sum, range, steps);
        };
        let at = |end: &End| rest.times(&Sum::constant(end.factor))?.plus(&factor.times(&end.sum)?);
        let holds_at = |ends: &[End], steps: &mut usize| {
            for end in ends {
                if self.proves(&at(end)?, steps)? {
                    return Some(true);
                }
            }
            Some(false)
        };
        let back = Sum::default().minus(&factor)?;
        if self.is_plainly_positive(&factor) {
            return holds_at(&range.least, steps);
        }
        if self.is_plainly_positive(&back) {
            return holds_at(&range.most, steps);
        }
        let (from_below, from_above) = (holds_at(&range.least, steps)?, holds_at(&range.most, steps)?);
        match (from_below, from_above) {
            (true, true) => Some(true),
            (true, false) => self.proves(&factor, steps),
            (false, true) => self.proves(&back, steps),
            (false, false) => Some(false),
        }
    }

    /// Tries to prove that a sum with powers of a variable is not negative: rewritten in the distance of the variable from its
    /// least value, all coefficients of the sum must be nonnegative.
    fn proves_of_powers(&self, sum: &Sum, range: &Range, steps: &mut usize) -> Option<bool> {
        for End { sum: least, .. } in range.least.iter().filter(|end| end.factor == 1) {
            let mut left = sum.replace(range.var, &least.plus(&Sum::var(range.var))?)?;
            let mut holds = true;
            while holds && left.mentions(range.var) {
                let (factor, rest) = left.without_power(range.var);
                holds = self.proves(&factor, steps)?;
                left = rest;
            }
            if holds && self.proves(&left, steps)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Returns whether all factors of a sum are positive and all its variables have the lower bound 0.
    fn is_plainly_positive(&self, sum: &Sum) -> bool {
        let is_certain = |var: Var| {
            let range = self.by_var.iter().find(|range| range.var == var);
            range.is_some_and(|range| range.least.iter().any(|end| end.sum == Sum::default()))
        };
        sum.factors().all(|factor| factor > 0) && sum.variables().all(is_certain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entity::Entity;

    #[test]
    fn bounds_are_used_from_both_sides() {
        let [n, i, k] = [0, 1, 2].map(|index| Sum::var(Var::new(index)));
        let mut bounds = Bounds::default();
        let less =
            |x: &Sum, y: &Sum| y.minus(x).and_then(|more| more.minus(&Sum::constant(1))).expect("small");
        [&i, &k].into_iter().for_each(|var| bounds.know(var.clone()));
        bounds.know(less(&i, &n));
        bounds.know(less(&k, &Sum::constant(8)));
        // 8*i + k < 8*n, but not 8*i + k + 1 < 8*n.
        let at = i.times(&Sum::constant(8)).and_then(|at| at.plus(&k)).expect("small");
        let end = n.times(&Sum::constant(8)).expect("small");
        assert!(bounds.prove_not_negative(&less(&at, &end)));
        let next = at.plus(&Sum::constant(1)).expect("small");
        assert!(!bounds.prove_not_negative(&less(&next, &end)));
        assert!(!bounds.prove_not_negative(&n.minus(&k).expect("small")));
    }

    /// Twice a half that is rounded down is at most the whole, and more than the whole minus two.
    #[test]
    fn variables_have_factors() {
        let [n, half] = [0, 1].map(|index| Sum::var(Var::new(index)));
        let twice = half.times(&Sum::constant(2)).expect("small");
        let rest = n.minus(&twice).expect("small");
        let mut bounds = Bounds::default();
        bounds.know(rest.clone());
        bounds.know(Sum::constant(1).minus(&rest).expect("small"));
        assert!(bounds.prove_not_negative(&rest));
        let third = half.times(&Sum::constant(3)).expect("small");
        bounds.know(half);
        assert!(bounds.prove_not_negative(&n));
        assert!(!bounds.prove_not_negative(&n.minus(&third).expect("small")));
        assert!(!bounds.prove_not_negative(&twice.minus(&n).expect("small")));
        let more = twice.minus(&n).and_then(|more| more.plus(&Sum::constant(1))).expect("small");
        assert!(bounds.prove_not_negative(&more));
    }
}
