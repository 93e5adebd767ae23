//! What a program being made may use, and what it may consume.
//!
//! Values that may share storage are in one group; consuming one ends the whole group.

use crate::program::Var;
use crate::types::{Operand, Type};

/// Values, groups and sizes in scope.
#[derive(Default)]
pub(super) struct Scope {
    entries: Vec<Entry>,
    groups: Vec<Group>,
    /// Operands that stand as sizes of new arrays.
    pub(super) sizes: Vec<Operand>,
    /// Loop bodies and lambdas around.
    pub(super) boundary: usize,
}

struct Entry {
    var: Var,
    ty: Type,
    group: usize,
}

struct Group {
    /// The boundary at which the group may be consumed; none if it may not.
    boundary: Option<usize>,
    dead: bool,
}

/// How large a scope was.
pub(super) struct Mark {
    entries: usize,
    sizes: usize,
}

impl Scope {
    /// A parameter of the function.
    pub(super) fn add_param(&mut self, var: Var, ty: Type, consumed: bool) {
        let boundary = consumed.then_some(self.boundary);
        self.add_group(var, ty, boundary);
    }

    /// A value with storage of its own.
    pub(super) fn add_fresh(&mut self, var: Var, ty: Type) {
        self.add_group(var, ty, Some(self.boundary));
    }

    /// A value that nobody may consume, such as an element of an array.
    pub(super) fn add_borrowed(&mut self, var: Var, ty: Type) {
        self.add_group(var, ty, None);
    }

    fn add_group(&mut self, var: Var, ty: Type, boundary: Option<usize>) {
        self.groups.push(Group { boundary, dead: false });
        self.entries.push(Entry { var, ty, group: self.groups.len() - 1 });
    }

    /// A view of another value.
    pub(super) fn add_view(&mut self, var: Var, ty: Type, source: Var) {
        match self.entries.iter().find(|entry| entry.var == source) {
            Some(entry) => {
                let group = entry.group;
                self.entries.push(Entry { var, ty, group });
            }
            None => self.add_borrowed(var, ty),
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { entries: self.entries.len(), sizes: self.sizes.len() }
    }

    pub(super) fn leave(&mut self, mark: Mark) {
        self.entries.truncate(mark.entries);
        self.sizes.truncate(mark.sizes);
    }

    /// Every value that can be used.
    pub(super) fn alive_vars(&self) -> Vec<Var> {
        self.alive().map(|entry| entry.var).collect()
    }

    /// Values of the types that `fits` accepts.
    pub(super) fn find(&self, fits: impl Fn(&Type) -> bool) -> Vec<(Var, Type)> {
        self.alive().filter(|entry| fits(&entry.ty)).map(|entry| (entry.var, entry.ty.clone())).collect()
    }

    fn alive(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !self.groups[entry.group].dead)
    }

    /// Arrays that may be consumed here.
    pub(super) fn consumable(&self) -> Vec<(Var, Type)> {
        let here = |entry: &&Entry| self.groups[entry.group].boundary == Some(self.boundary);
        let entries = self.alive().filter(here).filter(|entry| entry.ty.rank() > 0);
        entries.map(|entry| (entry.var, entry.ty.clone())).collect()
    }

    /// From now on nobody may consume the value: something else shares its storage.
    pub(super) fn freeze(&mut self, var: Var) {
        if let Some(entry) = self.entries.iter().find(|entry| entry.var == var) {
            self.groups[entry.group].boundary = None;
        }
    }

    /// Whether two values may share storage.
    pub(super) fn share(&self, x: Var, y: Var) -> bool {
        let group = |var: Var| self.entries.iter().find(|entry| entry.var == var).map(|entry| entry.group);
        group(x) == group(y)
    }

    /// Ends the group of a consumed value.
    pub(super) fn consume(&mut self, var: Var) {
        if let Some(entry) = self.entries.iter().find(|entry| entry.var == var) {
            self.groups[entry.group].dead = true;
        }
    }
}
