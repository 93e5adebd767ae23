//! Proofs that two index functions address no common element, for all values of their variables.
//!
//! ```text
//! i*m + {(m : 1)}    j*m + {(m : 1)}      i < j               two rows
//! i + {(n : m)}      j + {(n : m)}        i < j < m           two columns
//! 0 + {(n : 2)}      1 + {(n : 2)}                            two that are interleaved
//! ```
//!
//! The question is whether `offset + a*s + ...` can equal `offset' + b*s + ...`. It cannot if one region ends before the other
//! begins. Otherwise, take a stride `s` and divide the difference into the multiples of `s` and the rest. If the rest always lies
//! strictly between `-s` and `s`, both parts must be 0 by themselves, so it is enough that one of them never is (as in the
//! literature on these descriptors, which distributes the offset over the dimensions).
//!
//! An index function with a dimension of size 0 addresses nothing, so extents are assumed to be at least 1. False means that
//! there is no proof. Not handled: divisibility beyond a common stride.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::bounds::{Bounds, Ranges};
use crate::memory::Lmad;
use crate::program::Var;
use crate::sums::Sum;
use crate::types::Operand;

/// The elements that an index function addresses, with its numbers as sums.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// The first element.
    pub offset: Sum,
    /// Extent and stride of every dimension.
    pub dims: Vec<(Sum, Sum)>,
}

impl Region {
    /// Returns the region of an index function with its operands expanded, or none if a number is too large.
    pub fn of(index_fn: &Lmad, sum: &impl Fn(Operand) -> Option<Sum>) -> Option<Region> {
        let mut dims = Vec::with_capacity(index_fn.dims.len());
        for dim in &index_fn.dims {
            dims.push((sum(dim.extent)?, sum(dim.stride)?));
        }
        Some(Region { offset: sum(index_fn.offset)?, dims })
    }

    /// Returns the part of the region at these leading indices.
    pub fn row(&self, indices: impl IntoIterator<Item = Sum>) -> Option<Region> {
        let (mut offset, mut dims) = (self.offset.clone(), self.dims.iter());
        for index in indices {
            let (_, stride) = dims.next()?;
            offset = offset.plus(&index.times(stride)?)?;
        }
        Some(Region { offset, dims: dims.cloned().collect() })
    }

    /// Returns whether two arrays of equal shape with these regions coincide element by element.
    pub fn is_same_place(&self, other: &Region) -> bool {
        self.offset == other.offset
            && self.dims.len() == other.dims.len()
            && self.dims.iter().zip(&other.dims).all(|((_, x), (_, y))| x == y)
    }

    /// Renames the variables; none if a number is too large.
    pub fn renamed(&self, rename: &impl Fn(Var) -> Var) -> Option<Region> {
        let dims =
            self.dims.iter().map(|(extent, stride)| Some((extent.renamed(rename)?, stride.renamed(rename)?)));
        Some(Region { offset: self.offset.renamed(rename)?, dims: dims.collect::<Option<_>>()? })
    }

    /// Replaces a variable by a sum; none if a number is too large.
    pub fn with(&self, var: Var, sum: &Sum) -> Option<Region> {
        let dims = self.dims.iter();
        let dims = dims.map(|(extent, stride)| Some((extent.replace(var, sum)?, stride.replace(var, sum)?)));
        Some(Region { offset: self.offset.replace(var, sum)?, dims: dims.collect::<Option<_>>()? })
    }

    /// Iterates over the numbers of the region.
    pub fn sums(&self) -> impl Iterator<Item = &Sum> {
        [&self.offset].into_iter().chain(self.dims.iter().flat_map(|(extent, stride)| [extent, stride]))
    }
}

/// Returns whether two regions provably have no element in common.
pub fn are_disjoint(bounds: &Bounds, x: &Region, y: &Region) -> bool {
    let is_empty = |region: &Region| {
        region.dims.iter().any(|(extent, _)| extent.as_constant().is_some_and(|extent| extent <= 0))
    };
    is_empty(x) || is_empty(y) || disjoint(&with_elements(bounds, x, y).solve(), x, y).unwrap_or(false)
}

/// Returns the first and the last offset in a block that a region with elements addresses. None if a number is too large or of
/// unknown sign.
pub(crate) fn ends(bounds: &Ranges, region: &Region) -> Option<(Sum, Sum)> {
    let Steps { first, dims } = steps(bounds, region)?;
    let last = first.plus(&reach(&dims)?)?;
    Some((first, last))
}

/// Returns the bounds that hold where both regions have elements: otherwise there is nothing to prove.
fn with_elements(bounds: &Bounds, x: &Region, y: &Region) -> Bounds {
    let mut bounds = bounds.clone();
    for (extent, _) in x.dims.iter().chain(&y.dims).filter(|(extent, _)| extent.as_constant().is_none()) {
        extent.minus(&Sum::constant(1)).into_iter().for_each(|more| bounds.know(more));
    }
    bounds
}

/// The dimensions of a region as steps from its first element, with maximum counts and step sizes; none negative.
struct Steps {
    first: Sum,
    dims: Vec<Step>,
}

#[derive(Clone)]
struct Step {
    most: Sum,
    stride: Sum,
}

/// Returns whether two regions are disjoint. None if a number is too large or of unknown sign.
fn disjoint(bounds: &Ranges, x: &Region, y: &Region) -> Option<bool> {
    let (x, y) = (steps(bounds, x)?, steps(bounds, y)?);
    apart(bounds, &x.first.minus(&y.first)?, &x.dims, &y.dims)
}

fn steps(bounds: &Ranges, region: &Region) -> Option<Steps> {
    let mut steps = Steps { first: region.offset.clone(), dims: Vec::new() };
    for (extent, stride) in &region.dims {
        let most = extent.minus(&Sum::constant(1))?;
        let back = stride.times(&Sum::constant(-1))?;
        if most.as_constant() == Some(0) || stride.as_constant() == Some(0) {
            continue;
        }
        if bounds.prove_not_negative(stride) {
            steps.dims.push(Step { most, stride: stride.clone() });
        } else if bounds.prove_not_negative(&back) {
            steps.first = steps.first.plus(&most.times(stride)?)?;
            steps.dims.push(Step { most, stride: back });
        } else {
            return None;
        }
    }
    Some(steps)
}

pub(crate) fn positive(bounds: &Ranges, sum: &Sum) -> Option<bool> {
    Some(bounds.prove_not_negative(&sum.minus(&Sum::constant(1))?))
}

/// Returns the maximum distance that steps cover.
fn reach(steps: &[Step]) -> Option<Sum> {
    steps.iter().try_fold(Sum::default(), |reach, step| reach.plus(&step.most.times(&step.stride)?))
}

/// Returns whether `distance + x - y` is never 0, for any distances `x` and `y` that the steps cover.
fn apart(bounds: &Ranges, distance: &Sum, x: &[Step], y: &[Step]) -> Option<bool> {
    let most = distance.plus(&reach(x)?)?;
    let least = distance.minus(&reach(y)?)?;
    if positive(bounds, &least)? || positive(bounds, &most.times(&Sum::constant(-1))?)? {
        return Some(true);
    }
    // Everything is a multiple of 1, so this stride would gain nothing.
    let strides: BTreeSet<&Sum> = x.iter().chain(y).map(|step| &step.stride).collect();
    for stride in strides.into_iter().filter(|stride| stride.as_constant() != Some(1)) {
        if apart_by(bounds, distance, x, y, stride).unwrap_or(false) {
            return Some(true);
        }
    }
    Some(false)
}

/// Proves the same by division into multiples of a stride and a rest.
fn apart_by(bounds: &Ranges, distance: &Sum, x: &[Step], y: &[Step], stride: &Sum) -> Option<bool> {
    let (x_multiples, x_rest) = split(bounds, x, stride);
    let (y_multiples, y_rest) = split(bounds, y, stride);
    let (quotient, rest) = distance.divide(stride)?;
    let below = stride.minus(&Sum::constant(1))?;
    // Division prefers nonnegative coefficients in the remainder; a remainder lower by one stride may fit better.
    let shifted = (quotient.plus(&Sum::constant(1))?, rest.minus(stride)?);
    for (quotient, rest) in [(quotient, rest), shifted] {
        let most = rest.plus(&reach(&x_rest)?)?;
        let least = rest.minus(&reach(&y_rest)?)?;
        let small = bounds.prove_not_negative(&below.minus(&most)?)
            && bounds.prove_not_negative(&below.plus(&least)?);
        if small
            && (apart(bounds, &quotient, &x_multiples, &y_multiples)?
                || apart(bounds, &rest, &x_rest, &y_rest)?)
        {
            return Some(true);
        }
    }
    Some(false)
}

/// Splits steps into the multiples of a stride, measured in units of it, and the others.
fn split(bounds: &Ranges, steps: &[Step], stride: &Sum) -> (Vec<Step>, Vec<Step>) {
    let (mut multiples, mut others) = (Vec::new(), Vec::new());
    for step in steps {
        match step.stride.divide(stride) {
            Some((times, rest)) if rest == Sum::default() && positive(bounds, &times) == Some(true) => {
                multiples.push(Step { most: step.most.clone(), stride: times });
            }
            Some(_) | None => others.push(step.clone()),
        }
    }
    (multiples, others)
}
