//! Proves that two index functions lead to no common element, for whatever values the variables in them have.
//!
//! ```text
//! i*m + {(m : 1)}    j*m + {(m : 1)}      i < j               two rows
//! i + {(n : m)}      j + {(n : m)}        i < j < m           two columns
//! 0 + {(n : 2)}      1 + {(n : 2)}                            two that are interleaved
//! ```
//!
//! The question is whether `offset + a*s + ...` can equal `offset' + b*s + ...`. It cannot if one region ends before the
//! other begins. Otherwise, take a stride `s`: what is not a multiple of it must make up for what is, so that if it
//! always lies between `-s` and `s`, both parts must be equal by themselves, and it is enough that one never is
//! (as in the literature on these descriptors, distributing the offset over the dimensions).
//!
//! An index function with a dimension of size 0 leads nowhere, so that extents count as 1 at least. False means
//! that there is no proof. Not seen: strides that are sums, and divisibility beyond a common stride.

#[cfg(test)]
mod tests;

use warpwise_ir::sums::{Bounds, Sum};
use warpwise_ir::{Expr, Lmad, Var};

/// An index function with its numbers as sums.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// The first element.
    pub offset: Sum,
    /// Extent and stride of every dimension.
    pub dims: Vec<(Sum, Sum)>,
}

impl Region {
    /// The region of an index function, its operands expanded; none where a number is too large.
    pub fn of<'e>(index_fn: &Lmad, definition: &impl Fn(Var) -> Option<&'e Expr>) -> Option<Region> {
        let mut dims = Vec::with_capacity(index_fn.dims.len());
        for dim in &index_fn.dims {
            dims.push((Sum::of(dim.extent, definition)?, Sum::of(dim.stride, definition)?));
        }
        Some(Region { offset: Sum::of(index_fn.offset, definition)?, dims })
    }
}

/// Whether two regions have no element in common.
pub fn are_disjoint(bounds: &Bounds, x: &Region, y: &Region) -> bool {
    let is_empty = |region: &Region| {
        region.dims.iter().any(|(extent, _)| extent.as_constant().is_some_and(|extent| extent <= 0))
    };
    is_empty(x) || is_empty(y) || disjoint(bounds, x, y).unwrap_or(false)
}

/// A region's dimensions as ways to go from its first element: how far at most, in steps of which size; all positive.
struct Steps {
    first: Sum,
    dims: Vec<Step>,
}

#[derive(Clone)]
struct Step {
    most: Sum,
    stride: Sum,
}

/// None where a number is too large or of unknown sign.
fn disjoint(bounds: &Bounds, x: &Region, y: &Region) -> Option<bool> {
    let (x, y) = (steps(bounds, x)?, steps(bounds, y)?);
    apart(bounds, &x.first.minus(&y.first)?, &x.dims, &y.dims)
}

fn steps(bounds: &Bounds, region: &Region) -> Option<Steps> {
    let mut steps = Steps { first: region.offset.clone(), dims: Vec::new() };
    for (extent, stride) in &region.dims {
        let most = extent.minus(&Sum::constant(1))?;
        let back = stride.times(&Sum::constant(-1))?;
        if most.as_constant() == Some(0) || stride.as_constant() == Some(0) {
            continue;
        }
        if positive(bounds, stride)? {
            steps.dims.push(Step { most, stride: stride.clone() });
        } else if positive(bounds, &back)? {
            steps.first = steps.first.plus(&most.times(stride)?)?;
            steps.dims.push(Step { most, stride: back });
        } else {
            return None;
        }
    }
    Some(steps)
}

fn positive(bounds: &Bounds, sum: &Sum) -> Option<bool> {
    Some(bounds.prove_not_negative(&sum.minus(&Sum::constant(1))?))
}

/// How far steps lead at most.
fn reach(steps: &[Step]) -> Option<Sum> {
    steps.iter().try_fold(Sum::default(), |reach, step| reach.plus(&step.most.times(&step.stride)?))
}

/// Whether `distance + x - y` is never 0, for what steps lead to.
fn apart(bounds: &Bounds, distance: &Sum, x: &[Step], y: &[Step]) -> Option<bool> {
    let most = distance.plus(&reach(x)?)?;
    let least = distance.minus(&reach(y)?)?;
    if positive(bounds, &least)? || positive(bounds, &most.times(&Sum::constant(-1))?)? {
        return Some(true);
    }
    // Everything is a multiple of 1, and nothing would be won.
    let strides = x.iter().chain(y).filter(|step| step.stride.as_constant() != Some(1));
    for step in strides {
        if apart_by(bounds, distance, x, y, &step.stride).unwrap_or(false) {
            return Some(true);
        }
    }
    Some(false)
}

/// The same by way of multiples of a stride.
fn apart_by(bounds: &Bounds, distance: &Sum, x: &[Step], y: &[Step], stride: &Sum) -> Option<bool> {
    let (x_multiples, x_rest) = split(bounds, x, stride);
    let (y_multiples, y_rest) = split(bounds, y, stride);
    let (quotient, rest) = distance.divide(stride)?;
    let below = stride.minus(&Sum::constant(1))?;
    // The rest of a division is not negative by its factors; one below may fit better.
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

/// Steps that are multiples of a stride, counted in it, and the others.
fn split(bounds: &Bounds, steps: &[Step], stride: &Sum) -> (Vec<Step>, Vec<Step>) {
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
