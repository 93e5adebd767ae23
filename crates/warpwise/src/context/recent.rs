//! A cache of the most recently used values.

use std::collections::HashMap;

/// Least-recently-used cache: holds at most `most` values, and evicts the one that was unused for the longest time.
pub(super) struct Recent<V> {
    most: usize,
    /// Number of uses so far.
    clock: u64,
    /// The last use and the value, by key.
    values: HashMap<u128, (u64, V)>,
}

impl<V: Clone> Recent<V> {
    /// Creates an empty cache of at most `most` values.
    pub(super) fn new(most: usize) -> Recent<V> {
        Recent { most, clock: 0, values: HashMap::new() }
    }

    /// Returns the value of this key.
    pub(super) fn get(&mut self, key: u128) -> Option<V> {
        self.clock += 1;
        let (used, value) = self.values.get_mut(&key)?;
        *used = self.clock;
        Some(value.clone())
    }

    /// Stores a value. Returns the value that it replaces or evicts, so that the caller can drop that value while nothing is
    /// locked.
    #[must_use = "what goes may take long to drop"]
    pub(super) fn insert(&mut self, key: u128, value: V) -> Option<V> {
        self.clock += 1;
        if let Some((_, former)) = self.values.insert(key, (self.clock, value)) {
            return Some(former);
        }
        if self.values.len() <= self.most {
            return None;
        }
        let oldest = self.values.iter().min_by_key(|(_, (used, _))| *used).map(|(&key, _)| key)?;
        self.values.remove(&oldest).map(|(_, value)| value)
    }

    /// Returns the number of values.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn the_one_not_used_for_the_longest_time_goes() {
        let mut recent = Recent::new(2);
        assert_eq!((recent.insert(1, 'a'), recent.insert(2, 'b')), (None, None));
        assert_eq!(recent.get(1), Some('a'));
        assert_eq!(recent.insert(3, 'c'), Some('b'));
        assert_eq!(recent.insert(3, 'd'), Some('c'));
        assert_eq!(
            (recent.get(1), recent.get(2), recent.get(3), recent.len()),
            (Some('a'), None, Some('d'), 2)
        );
    }
}
