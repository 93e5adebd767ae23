//! Fingerprints: what a cache takes two equal texts or settings by.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Adds things up to 128 bits. The same on every run of one build of the compiler; not meant to withstand
/// anybody who searches for collisions.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    low: DefaultHasher,
    high: DefaultHasher,
}

impl Fingerprint {
    /// Of nothing yet.
    pub fn new() -> Fingerprint {
        let mut high = DefaultHasher::new();
        high.write_u8(1);
        Fingerprint { low: DefaultHasher::new(), high }
    }

    /// Adds a thing; two things in order are told apart from their concatenation.
    pub fn add<T: Hash + ?Sized>(&mut self, thing: &T) {
        thing.hash(&mut self.low);
        thing.hash(&mut self.high);
    }

    /// The sum.
    pub fn finish(&self) -> u128 {
        (u128::from(self.high.finish()) << 64) | u128::from(self.low.finish())
    }
}

impl Default for Fingerprint {
    fn default() -> Fingerprint {
        Fingerprint::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[&str]) -> u128 {
        let mut fingerprint = Fingerprint::new();
        parts.iter().for_each(|part| fingerprint.add(*part));
        fingerprint.finish()
    }

    #[test]
    fn order_and_borders_count() {
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
        assert_ne!(of(&["a", "b"]), of(&["b", "a"]));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["a"]) >> 64, of(&["a"]) & u128::from(u64::MAX));
    }
}
