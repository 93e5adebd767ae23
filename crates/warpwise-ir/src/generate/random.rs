//! Random numbers by SplitMix64, so that a seed gives the same program on every machine.

/// A source of random numbers.
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates the source of a seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// Returns 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    /// Returns true with probability `often / out_of`.
    pub fn chance(&mut self, often: usize, out_of: usize) -> bool {
        self.below(out_of) < often
    }

    /// Returns one of the items, which are not empty.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}
