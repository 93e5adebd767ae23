//! What was made by key and used most recently.

use std::collections::HashMap;

/// So many values at most; another one takes the place of the one that was not used for the longest time.
pub(super) struct Recent<V> {
    most: usize,
    /// Counts uses.
    clock: u64,
    /// By key the last use, and the value.
    values: HashMap<u128, (u64, V)>,
}

impl<V: Clone> Recent<V> {
    /// Nothing yet, and never more than so many.
    pub(super) fn new(most: usize) -> Recent<V> {
        Recent { most, clock: 0, values: HashMap::new() }
    }

    /// The value of this key.
    pub(super) fn get(&mut self, key: u128) -> Option<V> {
        self.clock += 1;
        let (used, value) = self.values.get_mut(&key)?;
        *used = self.clock;
        Some(value.clone())
    }

    /// Keeps a value; gives back what it takes the place of, so that the caller can drop that where nothing is locked.
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

    /// How many there are.
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
