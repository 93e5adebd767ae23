//! Dense typed ids and the maps keyed by them: the primary map owns the data, secondary maps annotate it.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense id: a `u32` with a type of its own.
pub trait Entity: Copy + Eq + std::hash::Hash {
    /// Returns the id at this position.
    fn new(index: usize) -> Self;
    /// Returns the position of this id.
    fn index(self) -> usize;
}

/// Declares a dense id type.
#[macro_export]
macro_rules! entity {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
        pub struct $name(u32);

        impl $crate::entity::Entity for $name {
            fn new(index: usize) -> $name {
                $name(u32::try_from(index).expect("fewer than 2^32 entities"))
            }

            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

/// The table that owns the data of every `K`.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct PrimaryMap<K, V> {
    values: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Entity, V> PrimaryMap<K, V> {
    /// Creates an empty table.
    pub fn new() -> Self {
        PrimaryMap { values: Vec::new(), key: PhantomData }
    }

    /// Adds data under a fresh id.
    pub fn push(&mut self, value: V) -> K {
        self.values.push(value);
        K::new(self.values.len() - 1)
    }

    /// Returns the number of ids.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether the table has no ids.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the data of an id, if the id belongs to this table.
    pub fn get(&self, key: K) -> Option<&V> {
        self.values.get(key.index())
    }

    /// Iterates over the ids, in order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = K> + use<K, V> {
        (0..self.values.len()).map(K::new)
    }

    /// Iterates over the data, in the order of the ids.
    pub fn values(&self) -> std::slice::Iter<'_, V> {
        self.values.iter()
    }

    /// Iterates mutably over the data, in the order of the ids.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }

    /// Consumes the table and iterates over the data, in the order of the ids.
    pub fn into_values(self) -> std::vec::IntoIter<V> {
        self.values.into_iter()
    }

    /// Iterates over the ids with their data, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (K, &V)> {
        self.values.iter().enumerate().map(|(i, v)| (K::new(i), v))
    }
}

impl<K: Entity, V> Default for PrimaryMap<K, V> {
    fn default() -> Self {
        PrimaryMap::new()
    }
}

impl<K: Entity, V> Index<K> for PrimaryMap<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        &self.values[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for PrimaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.values[key.index()]
    }
}

/// Annotations of ids of another table; ids without an annotation have the default.
#[derive(Clone, Debug)]
pub struct SecondaryMap<K, V> {
    values: Vec<V>,
    default: V,
    key: PhantomData<K>,
}

impl<K: Entity, V: Clone> SecondaryMap<K, V> {
    /// Creates a map in which every id has `default`.
    pub fn new(default: V) -> Self {
        SecondaryMap { values: Vec::new(), default, key: PhantomData }
    }

    /// Removes all annotations.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Returns all annotations, including defaults between them.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }
}

impl<K: Entity, V: Clone + Default> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        SecondaryMap::new(V::default())
    }
}

impl<K: Entity, V: Clone> Index<K> for SecondaryMap<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        self.values.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: Entity, V: Clone> IndexMut<K> for SecondaryMap<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        if key.index() >= self.values.len() {
            self.values.resize(key.index() + 1, self.default.clone());
        }
        &mut self.values[key.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    entity!(
        /// A test id.
        Key
    );

    #[test]
    fn secondary_map_grows_and_defaults() {
        let mut map: SecondaryMap<Key, u8> = SecondaryMap::default();
        map[Key::new(3)] = 7;
        assert_eq!((map[Key::new(3)], map[Key::new(0)], map[Key::new(9)]), (7, 0, 0));
    }
}
