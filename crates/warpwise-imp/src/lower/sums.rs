//! Operands and positions of elements as sums of products of variables, so that two that are computed differently compare equal.

use warpwise_ir::sums::Sum;
use warpwise_ir::{Operand, Placement};

use crate::lower::emitter::{Context, Emitter};

impl Emitter<'_> {
    /// Returns whether an array is row-major without gaps, from its first element on.
    pub fn is_dense(&self, placement: &Placement) -> bool {
        let mut expected = Some(Sum::constant(1));
        placement.index_fn.dims.iter().rev().all(|dim| {
            let dense = expected.is_some() && self.cx.sum(dim.stride) == expected;
            expected = expected.as_ref().and_then(|below| below.times(&self.cx.sum(dim.extent)?));
            dense
        })
    }
}

impl Context<'_> {
    /// Returns an operand as a sum; `None` where a number is too large.
    pub fn sum(&self, operand: Operand) -> Option<Sum> {
        Sum::of(operand, &|var| self.definitions.get(&var).copied())
    }

    /// Returns the position of the element at leading indices.
    pub fn place(&self, whole: &Placement, indices: &[Operand]) -> Option<Sum> {
        let mut place = self.sum(whole.index_fn.offset)?;
        for (dim, &index) in whole.index_fn.dims.iter().zip(indices) {
            place = place.plus(&self.sum(index)?.times(&self.sum(dim.stride)?)?)?;
        }
        Some(place)
    }
}
