//! Unification of types.

use std::rc::Rc;

use crate::syntax::names::Symbol;
use crate::tree::TypeVar;

use super::types::{MOST_PARTS, MetaId, Node, Open, Ty, Types};

/// The reason why two types cannot be the same: the innermost difference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Clash {
    /// These two types differ.
    Types(Ty, Ty),
    /// A type would contain itself.
    Infinite(Ty, Ty),
    /// The record has no such field.
    NoField(Ty, Symbol),
    /// This type variable has no meaning outside its definition.
    Escape(TypeVar),
    /// The types nest too deeply.
    TooDeep,
}

/// Maximum depth of types; deeper ones are refused.
const DEEPEST: u32 = 2000;

/// A type that a meta is to become.
struct Solution {
    meta: MetaId,
    /// The meta as a type.
    this: Ty,
    /// Number of `let`s around the meta.
    level: u32,
    /// Number of parts of the type that were seen so far.
    parts: u32,
}

impl Solution {
    fn is_too_large(&self) -> bool {
        self.parts > MOST_PARTS
    }
}

impl Types {
    /// Makes two types the same, if possible.
    pub fn unify(&mut self, a: Ty, b: Ty) -> Result<(), Clash> {
        self.unify_at(a, b, 0)
    }

    fn unify_at(&mut self, a: Ty, b: Ty, depth: u32) -> Result<(), Clash> {
        let (a, b) = (self.reduced(a), self.reduced(b));
        if a == b {
            return Ok(());
        }
        if depth > DEEPEST {
            return Err(Clash::TooDeep);
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Meta(x), Node::Meta(y)) => self.join(x, y, b),
            (Node::Meta(meta), _) => self.assign(meta, a, b),
            (_, Node::Meta(meta)) => self.assign(meta, b, a),
            (Node::Bool, Node::Bool)
            | (Node::Int, Node::Int)
            | (Node::Float, Node::Float)
            | (Node::Char, Node::Char) => Ok(()),
            (Node::Var(x), Node::Var(y)) if x == y => Ok(()),
            (Node::Seq(x), Node::Seq(y)) | (Node::Tensor(x), Node::Tensor(y)) => {
                self.unify_at(x, y, depth + 1)
            }
            (Node::Arrow(x, p), Node::Arrow(y, q)) => {
                self.unify_at(x, y, depth + 1)?;
                self.unify_at(p, q, depth + 1)
            }
            (Node::Apply(x, p), Node::Apply(y, q)) => {
                self.unify_at(x, y, depth + 1)?;
                self.unify_at(p, q, depth + 1)
            }
            (Node::Apply(function, argument), Node::Named(id, arguments))
            | (Node::Named(id, arguments), Node::Apply(function, argument)) => {
                let Some((last, first)) = arguments.split_last() else { return Err(Clash::Types(a, b)) };
                let first = self.add(Node::Named(id, first.into()));
                self.unify_at(function, first, depth + 1)?;
                self.unify_at(argument, *last, depth + 1)
            }
            (Node::Named(x, p), Node::Named(y, q)) if x == y && p.len() == q.len() => {
                p.iter().zip(q.iter()).try_for_each(|(x, y)| self.unify_at(*x, *y, depth + 1))
            }
            (Node::Record(x), Node::Record(y)) => {
                let same = x.len() == y.len() && x.iter().zip(y.iter()).all(|(x, y)| x.0 == y.0);
                if !same {
                    return Err(Clash::Types(a, b));
                }
                x.iter().zip(y.iter()).try_for_each(|(x, y)| self.unify_at(x.1, y.1, depth + 1))
            }
            (Node::All(x, p), Node::All(y, q)) => {
                let same = self.add(Node::Var(x));
                let q = self.substitute(q, &[(y, same)]);
                self.unify_at(p, q, depth + 1)
            }
            _ => Err(Clash::Types(a, b)),
        }
    }

    /// Makes one of two open metas the other, with the fields of both.
    fn join(&mut self, x: MetaId, y: MetaId, b: Ty) -> Result<(), Clash> {
        let (first, second) = (self.open(x).clone(), self.open(y).clone());
        let level = first.level.min(second.level);
        let mut shared = Vec::new();
        let fields = match (&first.fields, &second.fields) {
            (None, None) => None,
            (Some(fields), None) | (None, Some(fields)) => Some(fields.clone()),
            (Some(p), Some(q)) => {
                let mut all: Vec<(Symbol, Ty)> = p.to_vec();
                for (label, ty) in q.iter() {
                    match p.iter().find(|(other, _)| other == label) {
                        Some((_, other)) => shared.push((*other, *ty)),
                        None => all.push((*label, *ty)),
                    }
                }
                all.sort_by_key(|(label, _)| *label);
                Some(all.into())
            }
        };
        self.solve(x, b);
        self.reopen(y, Open { level, fields: fields.clone() });
        if let Some(fields) = fields {
            let mut solution = Solution { meta: y, this: b, level, parts: 0 };
            fields.iter().try_for_each(|(_, ty)| self.adjust(*ty, &mut solution, 0))?;
            if solution.is_too_large() {
                self.note_too_large();
            }
        }
        shared.into_iter().try_for_each(|(x, y)| self.unify(x, y))
    }

    /// Solves a meta with a type that is not a meta.
    fn assign(&mut self, meta: MetaId, this: Ty, ty: Ty) -> Result<(), Clash> {
        let Open { level, fields } = self.open(meta).clone();
        let mut solution = Solution { meta, this, level, parts: 0 };
        self.adjust(ty, &mut solution, 0)?;
        if solution.is_too_large() {
            // It stays unknown: the program is in error already.
            self.note_too_large();
            return Ok(());
        }
        let Some(fields) = fields else {
            self.solve(meta, ty);
            return Ok(());
        };
        let Node::Record(has) = self.node(ty).clone() else { return Err(Clash::Types(this, ty)) };
        self.solve(meta, ty);
        fields.iter().try_for_each(|(label, wanted)| match field(&has, *label) {
            Some(found) => self.unify(*wanted, found),
            None => Err(Clash::NoField(ty, *label)),
        })
    }

    /// Prepares a type to be (part of) the solution of a meta: it must not contain the meta, and its parts get a level that is
    /// low enough.
    fn adjust(&mut self, ty: Ty, solution: &mut Solution, depth: u32) -> Result<(), Clash> {
        let ty = self.shallow(ty);
        if depth > DEEPEST {
            return Err(Clash::TooDeep);
        }
        solution.parts += 1;
        if solution.is_too_large() {
            return Ok(());
        }
        match self.node(ty).clone() {
            Node::Meta(other) if other == solution.meta => return Err(Clash::Infinite(solution.this, ty)),
            Node::Meta(other) => {
                let open = self.open(other).clone();
                if open.level > solution.level {
                    self.reopen(other, Open { level: solution.level, ..open });
                }
            }
            Node::Var(var) if self.var_level(var) > solution.level => return Err(Clash::Escape(var)),
            Node::Bool
            | Node::Int
            | Node::Float
            | Node::Char
            | Node::Var(_)
            | Node::Seq(_)
            | Node::Tensor(_)
            | Node::Record(_)
            | Node::Arrow(..)
            | Node::Named(..)
            | Node::Apply(..)
            | Node::All(..) => {}
        }
        self.parts(ty).into_iter().try_for_each(|part| self.adjust(part, solution, depth + 1))
    }

    /// Returns the type of a field of what must be a record.
    pub fn field(&mut self, record: Ty, label: Symbol, level: u32) -> Result<Ty, Clash> {
        let record = self.shallow(record);
        match self.node(record).clone() {
            Node::Record(fields) => field(&fields, label).ok_or(Clash::NoField(record, label)),
            Node::Meta(meta) => {
                let open = self.open(meta).clone();
                let known = open.fields.clone().unwrap_or_else(|| Rc::new([]));
                if let Some(ty) = field(&known, label) {
                    return Ok(ty);
                }
                let ty = self.fresh(level.min(open.level));
                let mut fields = known.to_vec();
                fields.push((label, ty));
                fields.sort_by_key(|(label, _)| *label);
                self.reopen(meta, Open { fields: Some(fields.into()), ..open });
                Ok(ty)
            }
            _ => Err(Clash::NoField(record, label)),
        }
    }
}

/// Returns the type of a field; labels are in order.
fn field(fields: &[(Symbol, Ty)], label: Symbol) -> Option<Ty> {
    fields.binary_search_by_key(&label, |(label, _)| *label).ok().map(|index| fields[index].1)
}
