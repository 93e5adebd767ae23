//! The state that all files of one compilation share: interned names and the counters of node ids.
//!
//! A [`Symbol`] means something only together with the [`Interner`] that made it; an [`ExprId`] or
//! [`PatId`] is unique in one session, so that side tables indexed by it cover imported files too.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// A name, by its position in an [`Interner`]. Operators and numeric field names are names too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(pub u32);

/// An expression, by order of its completion. Dense within a session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExprId(pub u32);

/// A pattern or another place that binds a value. Dense within a session.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PatId(pub u32);

/// The state of one compilation that outlives a single file.
#[derive(Clone, Default, Debug)]
pub struct Session {
    /// All names met so far.
    pub names: Interner,
    /// The counters of node ids.
    pub ids: NodeIds,
}

/// Hands out dense node ids.
#[derive(Clone, Default, Debug)]
pub struct NodeIds {
    exprs: u32,
    pats: u32,
}

/// The table of names.
#[derive(Clone, Default, Debug)]
pub struct Interner {
    names: IndexSet<Box<str>, FxBuildHasher>,
}

impl Session {
    /// A session that has seen nothing.
    pub fn new() -> Session {
        Session::default()
    }
}

impl NodeIds {
    /// A fresh expression id.
    pub fn fresh_expr(&mut self) -> ExprId {
        self.exprs += 1;
        ExprId(self.exprs - 1)
    }

    /// A fresh pattern id.
    pub fn fresh_pat(&mut self) -> PatId {
        self.pats += 1;
        PatId(self.pats - 1)
    }
}

impl Interner {
    /// The symbol of a name, entered if it is new.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(index) = self.names.get_index_of(name) {
            return Symbol(index as u32);
        }
        let (index, _) = self.names.insert_full(name.into());
        Symbol(index as u32)
    }

    /// The symbol of a name that was met before.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.names.get_index_of(name).map(|index| Symbol(index as u32))
    }

    /// The text of a symbol of this interner.
    pub fn text(&self, symbol: Symbol) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// How many names were met.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no name was met.
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
