//! Fingerprints, by which caches recognise equal texts and settings.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A hash of a sequence of values, in 128 bits. It is the same in every run of one build of the compiler. It does not withstand
/// deliberate search for collisions.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    low: DefaultHasher,
    high: DefaultHasher,
}

impl Fingerprint {
    /// Creates the fingerprint of an empty sequence.
    pub fn new() -> Fingerprint {
        let mut high = DefaultHasher::new();
        high.write_u8(1);
        Fingerprint { low: DefaultHasher::new(), high }
    }

    /// Adds a value. Two texts added in turn give another fingerprint than their concatenation.
    pub fn add<T: Hash + ?Sized>(&mut self, thing: &T) {
        thing.hash(&mut self.low);
        thing.hash(&mut self.high);
    }

    /// Returns the fingerprint.
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
