//! Meanings of names.

use rustc_hash::FxHashMap;

use crate::syntax::names::Symbol;

/// The meanings of the names of one kind, with an undo log of earlier meanings.
pub(super) struct Scope<T> {
    meanings: FxHashMap<Symbol, T>,
    undo: Vec<(Symbol, Option<T>)>,
    /// The names in the order they were first bound, so that suggestions do not depend on hashes.
    order: Vec<Symbol>,
}

impl<T> Default for Scope<T> {
    fn default() -> Scope<T> {
        Scope { meanings: FxHashMap::default(), undo: Vec::new(), order: Vec::new() }
    }
}

impl<T: Copy> Scope<T> {
    pub(super) fn get(&self, name: Symbol) -> Option<T> {
        self.meanings.get(&name).copied()
    }

    pub(super) fn bind(&mut self, name: Symbol, meaning: T) {
        let before = self.meanings.insert(name, meaning);
        if before.is_none() {
            self.order.push(name);
        }
        self.undo.push((name, before));
    }

    pub(super) fn mark(&self) -> usize {
        self.undo.len()
    }

    pub(super) fn reset(&mut self, mark: usize) {
        while self.undo.len() > mark {
            match self.undo.pop() {
                Some((name, Some(before))) => {
                    self.meanings.insert(name, before);
                }
                Some((name, None)) => {
                    self.meanings.remove(&name);
                    self.order.pop();
                }
                None => return,
            }
        }
    }

    /// Returns the names that have been bound, in the order of their first binding.
    pub(super) fn names(&self) -> impl Iterator<Item = Symbol> {
        self.order.iter().copied()
    }
}

/// Returns the candidate that takes the fewest changes to become `text`, if those are few.
pub(super) fn closest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = match text.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        _ => 2,
    };
    candidates
        .map(|other| (distance(text, other), other))
        .filter(|(d, _)| *d <= most)
        .min()
        .map(|(_, other)| other)
}

/// Returns the edit distance: the number of characters to insert, remove or replace.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, d) in b.iter().enumerate() {
            let changed = diagonal + usize::from(c != *d);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_end() {
        let mut scope = Scope::default();
        scope.bind(Symbol(1), 'a');
        let mark = scope.mark();
        scope.bind(Symbol(1), 'b');
        scope.bind(Symbol(2), 'c');
        assert_eq!((scope.get(Symbol(1)), scope.get(Symbol(2))), (Some('b'), Some('c')));
        scope.reset(mark);
        assert_eq!((scope.get(Symbol(1)), scope.get(Symbol(2))), (Some('a'), None));
        assert_eq!(scope.names().collect::<Vec<_>>(), [Symbol(1)]);
    }

    #[test]
    fn close_names() {
        assert_eq!(closest("lenght", ["length", "last"].into_iter()), Some("length"));
        assert_eq!(closest("xy", ["x"].into_iter()), None);
        assert_eq!(closest("foo", ["bar", "foe"].into_iter()), Some("foe"));
        assert_eq!(distance("", "abc"), 3);
    }
}
