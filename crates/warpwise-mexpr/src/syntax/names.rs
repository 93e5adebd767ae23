//! Interned names.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A name, as its position in a [`Names`]; it has a meaning only together with the table that made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

/// The table of names.
#[derive(Clone, Default, Debug)]
pub struct Names {
    names: IndexSet<Box<str>, FxBuildHasher>,
}

impl Names {
    /// Returns an empty table.
    pub fn new() -> Names {
        Names::default()
    }

    /// Returns the symbol of a name; enters the name if it is new.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(index) = self.names.get_index_of(name) {
            return Symbol(index as u32);
        }
        let (index, _) = self.names.insert_full(name.into());
        Symbol(index as u32)
    }

    /// Returns the symbol of a name that was entered before.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.names.get_index_of(name).map(|index| Symbol(index as u32))
    }

    /// Returns the text of a symbol of this table.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_symbol() {
        let mut names = Names::new();
        let (x, y) = (names.intern("x"), names.intern("y"));
        assert_ne!(x, y);
        assert_eq!(names.intern("x"), x);
        assert_eq!((names.text(x), names.text(y)), ("x", "y"));
        assert_eq!(names.get("z"), None);
    }
}
