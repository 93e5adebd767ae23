//! State shared by all files of one compilation: interned names and the counters of node ids.
//!
//! A [`Symbol`] is meaningful only with the [`Interner`] that made it. An [`ExprId`] or [`PatId`] is unique in one session, so
//! that side tables indexed by it cover imported files, too.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// Index of a name in an [`Interner`]. Operators and numeric field names are names, too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

/// Id of an expression, in order of completion. Dense within a session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExprId(pub u32);

/// Id of a pattern, or of another node that binds a value. Dense within a session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PatId(pub u32);

/// State of one compilation that outlives a single file.
#[derive(Clone, Default, Debug)]
pub struct Session {
    /// All names so far.
    pub names: Interner,
    /// Counters of node ids.
    pub ids: NodeIds,
}

/// A generator of dense node ids.
#[derive(Clone, Default, Debug)]
pub struct NodeIds {
    exprs: u32,
    pats: u32,
}

/// A table of names.
#[derive(Clone, Default, Debug)]
pub struct Interner {
    names: IndexSet<Box<str>, FxBuildHasher>,
}

impl Session {
    /// Creates an empty session.
    pub fn new() -> Session {
        Session::default()
    }
}

impl NodeIds {
    /// Returns a new expression id.
    pub fn fresh_expr(&mut self) -> ExprId {
        self.exprs += 1;
        ExprId(self.exprs - 1)
    }

    /// Returns a new pattern id.
    pub fn fresh_pat(&mut self) -> PatId {
        self.pats += 1;
        PatId(self.pats - 1)
    }
}

impl Interner {
    /// Returns the symbol of a name, and adds the name if it is new.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(index) = self.names.get_index_of(name) {
            return Symbol(index as u32);
        }
        let (index, _) = self.names.insert_full(name.into());
        Symbol(index as u32)
    }

    /// Returns the symbol of a name, if the name is in the table.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.names.get_index_of(name).map(|index| Symbol(index as u32))
    }

    /// Returns the text of a symbol of this interner.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the table is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_symbol() {
        let mut names = Interner::default();
        let (x, y) = (names.intern("x"), names.intern("y"));
        assert_ne!(x, y);
        assert_eq!(names.intern("x"), x);
        assert_eq!((names.text(x), names.text(y)), ("x", "y"));
        assert_eq!(names.get("z"), None);
    }
}
