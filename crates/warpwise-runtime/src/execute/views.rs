//! A second line of defence: checks that all memory accesses of host code lie in their blocks.
//!
//! Index functions are right by construction and failing checks keep sizes in range, so a view outside of its block is a compiler
//! bug. It is reported here as an internal error before any memory is touched. A check costs some nanoseconds per view.

use std::fmt::Display;

use super::RunError;

/// A strided view, in elements.
#[derive(Clone, Debug)]
pub(super) struct Reach<D> {
    /// Element size in bytes.
    pub width: usize,
    /// Offset of the first element.
    pub offset: i64,
    /// Size and distance between neighbours of each dimension, outermost first.
    pub dimensions: D,
}

impl<D: Iterator<Item = (i64, i64)> + Clone> Reach<D> {
    /// Fails unless all elements lie in a block of `bytes` bytes.
    pub fn check<W: Display>(&self, what: impl FnOnce() -> W, bytes: u64) -> Result<(), RunError> {
        if self.lies_in(bytes) {
            return Ok(());
        }
        let Reach { width, offset, dimensions } = self;
        let (shape, strides): (Vec<i64>, Vec<i64>) = dimensions.clone().unzip();
        Err(RunError::Internal(format!(
            "{} of shape {shape:?} at {offset} with strides {strides:?} of {width} bytes each outside a block of {bytes} bytes",
            what()
        )))
    }

    /// Returns whether all elements lie in a block of `bytes` bytes; true if there are no elements.
    fn lies_in(&self, bytes: u64) -> bool {
        self.lies_in_exactly(bytes).unwrap_or(false) || self.dimensions.clone().any(|(size, _)| size <= 0)
    }

    /// Returns the same for a view with elements, or `None` if an offset exceeds `i64`. For a view without elements the answer means
    /// nothing.
    fn lies_in_exactly(&self, bytes: u64) -> Option<bool> {
        let (mut first, mut last) = (self.offset, self.offset);
        for (size, stride) in self.dimensions.clone() {
            let distance = (size - 1).checked_mul(stride)?;
            let end = if distance < 0 { &mut first } else { &mut last };
            *end = end.checked_add(distance)?;
        }
        let end = u64::try_from(last.checked_add(1)?).ok()?.checked_mul(self.width as u64)?;
        Some(first >= 0 && end <= bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Reach;

    fn lies(shape: &[i64], offset: i64, strides: &[i64], bytes: u64) -> bool {
        let dimensions = shape.iter().copied().zip(strides.iter().copied());
        Reach { width: 4, offset, dimensions }.lies_in(bytes)
    }

    #[test]
    fn views_end_where_their_block_does() {
        assert!(lies(&[], 2, &[], 12) && !lies(&[], 3, &[], 12) && !lies(&[], -1, &[], 12));
        assert!(lies(&[2, 3], 0, &[3, 1], 24) && !lies(&[2, 3], 0, &[3, 1], 23));
        assert!(lies(&[2, 3], 5, &[-3, -1], 24) && !lies(&[2, 3], 4, &[-3, -1], 24));
        assert!(lies(&[5], 0, &[0], 4) && !lies(&[5], 1, &[0], 4));
        assert!(lies(&[2, 3], 2, &[3, -1], 24));
    }

    #[test]
    fn views_without_elements_lie_anywhere() {
        assert!(lies(&[0], 100, &[1], 0) && lies(&[i64::MAX, 0], -7, &[1, 1], 0) && lies(&[-1], 0, &[1], 0));
    }

    #[test]
    fn no_place_wraps() {
        assert!(!lies(&[i64::MAX], 0, &[i64::MAX], u64::MAX));
        assert!(!lies(&[1 << 32, 1 << 32], 0, &[1 << 32, 1], u64::MAX));
        assert!(!lies(&[i64::MAX, 2], 1, &[1, 1], u64::MAX));
        assert!(!lies(&[1 << 62], 0, &[1], u64::MAX));
        assert!(!lies(&[2], i64::MIN, &[i64::MIN], u64::MAX));
    }
}
