//! The values that a program under construction may use, and those that it may consume.
//!
//! Values that may share storage form a group; consuming one of them ends the whole group.

use crate::program::Var;
use crate::types::{Operand, Type};

/// Values, groups and sizes in scope.
#[derive(Default)]
pub(super) struct Scope {
    entries: Vec<Entry>,
    groups: Vec<Group>,
    /// Operands available as sizes of new arrays.
    pub(super) sizes: Vec<Operand>,
    /// Number of enclosing loop bodies and lambdas.
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

/// The former size of a scope.
pub(super) struct Mark {
    entries: usize,
    sizes: usize,
}

impl Scope {
    /// Adds a parameter of the function.
    pub(super) fn add_param(&mut self, var: Var, ty: Type, consumed: bool) {
        let boundary = consumed.then_some(self.boundary);
        self.add_group(var, ty, boundary);
    }

    /// Adds a value with storage of its own.
    pub(super) fn add_fresh(&mut self, var: Var, ty: Type) {
        self.add_group(var, ty, Some(self.boundary));
    }

    /// Adds a value that may not be consumed, such as an element of an array.
    pub(super) fn add_borrowed(&mut self, var: Var, ty: Type) {
        self.add_group(var, ty, None);
    }

    fn add_group(&mut self, var: Var, ty: Type, boundary: Option<usize>) {
        self.groups.push(Group { boundary, dead: false });
        self.entries.push(Entry { var, ty, group: self.groups.len() - 1 });
    }

    /// Adds a view of another value.
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

    /// Returns all usable values.
    pub(super) fn alive_vars(&self) -> Vec<Var> {
        self.alive().map(|entry| entry.var).collect()
    }

    /// Returns the usable values whose types `fits` accepts.
    pub(super) fn find(&self, fits: impl Fn(&Type) -> bool) -> Vec<(Var, Type)> {
        self.alive().filter(|entry| fits(&entry.ty)).map(|entry| (entry.var, entry.ty.clone())).collect()
    }

    fn alive(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| !self.groups[entry.group].dead)
    }

    /// Returns the arrays that may be consumed here.
    pub(super) fn consumable(&self) -> Vec<(Var, Type)> {
        let here = |entry: &&Entry| self.groups[entry.group].boundary == Some(self.boundary);
        let entries = self.alive().filter(here).filter(|entry| entry.ty.rank() > 0);
        entries.map(|entry| (entry.var, entry.ty.clone())).collect()
    }

    /// Forbids consumption of a value because another value shares its storage.
    pub(super) fn freeze(&mut self, var: Var) {
        if let Some(entry) = self.entries.iter().find(|entry| entry.var == var) {
            self.groups[entry.group].boundary = None;
        }
    }

    /// Returns whether two values may share storage.
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
