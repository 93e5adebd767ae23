//! Size classes: eight per doubling, so that a block wastes at most an eighth of the requested size.
//!
//! Sizes are counted in granules of 64 bytes. Up to 16 granules each count has its own class; above,
//! a class is `mantissa << shift` granules with a mantissa from 9 to 16.

use super::system::BIG;

/// Size of a granule in bytes: the alignment of small blocks, a cache line, a 512-bit vector.
pub(super) const GRANULE: u64 = 64;

/// A size class, represented by its dense index in order of size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct SizeClass(u16);

impl SizeClass {
    /// Returns the smallest class that holds `bytes`; sizes above 2^62 bytes have none.
    pub(super) fn holding(bytes: u64) -> Option<SizeClass> {
        if bytes > 1 << 62 {
            return None;
        }
        let granules = bytes.div_ceil(GRANULE).max(1);
        let shift = if granules <= 8 { 0 } else { (granules - 1).ilog2() - 3 };
        let mantissa = granules.div_ceil(1 << shift);
        Some(SizeClass((8 * u64::from(shift) + mantissa - 1) as u16))
    }

    /// Returns the size of this class's blocks in bytes.
    pub(super) fn capacity(self) -> u64 {
        let index = u64::from(self.0);
        let (mantissa, shift) = if index < 8 { (index + 1, 0) } else { (index % 8 + 9, index / 8 - 1) };
        (mantissa << shift) * GRANULE
    }

    /// Returns the largest class whose blocks may be reused for this one: one of twice the size for big blocks, else
    /// this class.
    pub(super) fn largest_substitute(self) -> SizeClass {
        if self.capacity() < BIG { self } else { SizeClass(self.0 + 8) }
    }

    /// Returns the dense index.
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the class with this dense index.
    pub(super) fn from_index(index: usize) -> SizeClass {
        SizeClass(index as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capacities_increase_and_hold_themselves() {
        for index in 0..400 {
            let class = SizeClass::from_index(index);
            assert_eq!(SizeClass::holding(class.capacity()), Some(class), "class {index}");
            assert_eq!(
                SizeClass::holding(class.capacity() + 1),
                Some(SizeClass::from_index(index + 1)),
                "class {index}"
            );
        }
    }

    #[test]
    fn waste_is_bounded() {
        let sizes = (0..100_000).chain((0..40).flat_map(|e| [(1 << e) - 1, 1 << e, (1 << e) + 1]));
        for bytes in sizes {
            let capacity = SizeClass::holding(bytes).unwrap().capacity();
            assert!(capacity >= bytes);
            assert!(capacity - bytes <= (bytes / 8).max(GRANULE), "{bytes} takes {capacity}");
        }
    }

    #[test]
    fn absurd_sizes_have_no_class() {
        assert_eq!(SizeClass::holding(u64::MAX), None);
        assert_eq!(SizeClass::holding((1 << 62) + 1), None);
        assert!(SizeClass::holding(1 << 62).is_some());
    }
}
