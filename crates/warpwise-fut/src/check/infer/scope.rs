//! Locals and type parameters in scope inside a definition.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::check::env::Value;
use crate::check::infer::ty::Ty;
use crate::syntax::session::Symbol;
use crate::typed::ids::{LocalId, TypeParamId};

/// The names in scope. Entering a name is cheap; leaving a scope undoes all entries since a mark.
#[derive(Default)]
pub struct Scope {
    undo: Vec<(Symbol, Undo)>,
    values: FxHashMap<Symbol, Entry>,
    types: FxHashMap<Symbol, TypeParamId>,
}

/// A value name in scope.
#[derive(Clone)]
pub enum Entry {
    /// A local.
    Local {
        /// The local.
        local: LocalId,
        /// Its type.
        ty: Ty,
        /// Type parameters of a local function.
        params: Option<Rc<[TypeParamId]>>,
    },
    /// A member of a module that is opened locally.
    Member(Value),
}

enum Undo {
    Value(Option<Entry>),
    Type(Option<TypeParamId>),
}

/// A point in the history of a [`Scope`] to return to.
#[derive(Clone, Copy)]
pub struct Mark(usize);

impl Scope {
    /// Removes all names.
    pub fn clear(&mut self) {
        self.undo.clear();
        self.values.clear();
        self.types.clear();
    }

    /// Returns the current point.
    pub fn mark(&self) -> Mark {
        Mark(self.undo.len())
    }

    /// Undoes all entries since the mark.
    pub fn reset(&mut self, mark: Mark) {
        while self.undo.len() > mark.0 {
            match self.undo.pop() {
                Some((name, Undo::Value(Some(entry)))) => drop(self.values.insert(name, entry)),
                Some((name, Undo::Value(None))) => drop(self.values.remove(&name)),
                Some((name, Undo::Type(Some(param)))) => drop(self.types.insert(name, param)),
                Some((name, Undo::Type(None))) => drop(self.types.remove(&name)),
                None => return,
            }
        }
    }

    /// Enters a local.
    pub fn bind(&mut self, name: Symbol, local: LocalId, ty: Ty, params: Option<Rc<[TypeParamId]>>) {
        self.enter(name, Entry::Local { local, ty, params });
    }

    /// Enters a value.
    pub fn enter(&mut self, name: Symbol, entry: Entry) {
        let previous = self.values.insert(name, entry);
        self.undo.push((name, Undo::Value(previous)));
    }

    /// Enters a type parameter.
    pub fn bind_type(&mut self, name: Symbol, param: TypeParamId) {
        let previous = self.types.insert(name, param);
        self.undo.push((name, Undo::Type(previous)));
    }

    /// Returns the value with this name.
    pub fn value(&self, name: Symbol) -> Option<&Entry> {
        self.values.get(&name)
    }

    /// Returns the type parameter with this name.
    pub fn type_param(&self, name: Symbol) -> Option<TypeParamId> {
        self.types.get(&name).copied()
    }

    /// Returns the names of all locals, innermost last.
    pub fn names(&self) -> impl Iterator<Item = Symbol> + '_ {
        let values = self.undo.iter().filter(|entry| matches!(entry.1, Undo::Value(_)));
        values.map(|entry| entry.0)
    }
}
