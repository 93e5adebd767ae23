//! Types during and after inference.
//!
//! A [`Ty`] is an index into a [`Types`], which the whole program shares. A type that is not known yet is a *meta*. A meta is
//! solved at most once, and every look at a type follows solutions, so that no type has to be rewritten when a solution is found.
//! A meta has a level, the number of `let`s around it. A meta of a higher level than a `let` is still free and becomes a type
//! variable of the variable that the `let` binds. A meta may demand fields of the record that it stands for; such a meta never
//! becomes a type variable.

use std::rc::Rc;

use crate::syntax::names::Symbol;
use crate::tree::{TypeId, TypeVar};

/// A type, as its index in a [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ty(u32);

impl Ty {
    /// The type of an unchecked expression or variable.
    pub const UNCHECKED: Ty = Ty(u32::MAX);
}

/// A type that is to be inferred.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MetaId(u32);

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// `Bool`.
    Bool,
    /// `Int`.
    Int,
    /// `Float`.
    Float,
    /// `Char`.
    Char,
    /// `[T]`.
    Seq(Ty),
    /// `Tensor[T]`.
    Tensor(Ty),
    /// A record; labels in order.
    Record(Rc<[(Symbol, Ty)]>),
    /// `A -> B`.
    Arrow(Ty, Ty),
    /// A named type, applied.
    Named(TypeId, Rc<[Ty]>),
    /// A type variable, or a type that is not known yet, applied to one type.
    Apply(Ty, Ty),
    /// A type variable.
    Var(TypeVar),
    /// `all a. T`.
    All(TypeVar, Ty),
    /// A type that is not known yet.
    Meta(MetaId),
}

/// The constraints on a type that is not known yet.
#[derive(Clone, PartialEq, Debug)]
pub struct Open {
    /// Number of `let`s around it.
    pub level: u32,
    /// The fields that the record has at least, labels in order; `None` if no fields are demanded.
    pub fields: Option<Rc<[(Symbol, Ty)]>>,
}

#[derive(Clone, Debug)]
enum Meta {
    Solved(Ty),
    Open(Open),
}

/// Maximum number of parts of a type. In `let p = (o, o) in let q = (p, p)` and so on, a type has twice as many parts at every step.
pub const MOST_PARTS: u32 = 50_000;

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    nodes: Vec<Node>,
    /// Number of parts of each type, as of its creation: a type that is not known yet counts as one.
    sizes: Vec<u32>,
    /// Whether a type with too many parts was left out since this was last asked.
    too_large: bool,
    metas: Vec<Meta>,
    /// The levels of type variables: a type variable must not get into a type of a lower level.
    var_levels: Vec<u32>,
}

impl Types {
    /// Returns a table with the types that every program has.
    pub fn new() -> Types {
        let nodes = vec![Node::Bool, Node::Int, Node::Float, Node::Char, Node::Record(Rc::new([]))];
        let sizes = vec![1; nodes.len()];
        Types { nodes, sizes, too_large: false, metas: Vec::new(), var_levels: Vec::new() }
    }

    /// `Bool`.
    pub const BOOL: Ty = Ty(0);
    /// `Int`.
    pub const INT: Ty = Ty(1);
    /// `Float`.
    pub const FLOAT: Ty = Ty(2);
    /// `Char`.
    pub const CHAR: Ty = Ty(3);
    /// `()`.
    pub const UNIT: Ty = Ty(4);

    /// Adds a type. One with too many parts becomes an unknown one, which fits everywhere: the program is in error already.
    pub fn add(&mut self, node: Node) -> Ty {
        let parts = self.parts_of(&node).into_iter();
        let size =
            parts.fold(1_u32, |sum, part| sum.saturating_add(self.sizes[self.shallow(part).0 as usize]));
        if size > MOST_PARTS {
            self.note_too_large();
            return self.fresh(0);
        }
        self.nodes.push(node);
        self.sizes.push(size);
        Ty(self.nodes.len() as u32 - 1)
    }

    /// Notes that a type with too many parts was left out.
    pub fn note_too_large(&mut self) {
        self.too_large = true;
    }

    /// Returns whether a type with too many parts was left out since the last call.
    pub fn were_too_large(&mut self) -> bool {
        std::mem::take(&mut self.too_large)
    }

    /// Adds `[T]`.
    pub fn seq(&mut self, element: Ty) -> Ty {
        self.add(Node::Seq(element))
    }

    /// Adds `A -> B`.
    pub fn arrow(&mut self, from: Ty, to: Ty) -> Ty {
        self.add(Node::Arrow(from, to))
    }

    /// Adds the application of a type to another one.
    pub fn apply(&mut self, function: Ty, argument: Ty) -> Ty {
        let ty = self.add(Node::Apply(function, argument));
        self.reduced(ty)
    }

    /// Follows all solutions of a type; if the applied variable has become a named type, returns that type applied.
    pub fn reduced(&mut self, ty: Ty) -> Ty {
        let ty = self.shallow(ty);
        if let Node::Apply(function, argument) = *self.node(ty) {
            let function = self.reduced(function);
            if let Node::Named(id, arguments) = self.node(function) {
                let arguments = arguments.iter().copied().chain([argument]).collect();
                self.nodes[ty.0 as usize] = Node::Named(*id, arguments);
            }
        }
        ty
    }

    /// Reduces all types, when inference is complete.
    pub fn finish(&mut self) {
        (0..self.nodes.len() as u32).for_each(|index| _ = self.reduced(Ty(index)));
    }

    /// Adds a record type; its labels may come in any order.
    pub fn record(&mut self, mut fields: Vec<(Symbol, Ty)>) -> Ty {
        fields.sort_by_key(|(label, _)| *label);
        self.add(Node::Record(fields.into()))
    }

    /// Adds a type that is to be inferred.
    pub fn fresh(&mut self, level: u32) -> Ty {
        self.fresh_record(level, None)
    }

    /// Adds a record type that is to be inferred and has at least these fields; labels in order.
    pub fn fresh_record(&mut self, level: u32, fields: Option<Rc<[(Symbol, Ty)]>>) -> Ty {
        self.metas.push(Meta::Open(Open { level, fields }));
        self.add(Node::Meta(MetaId(self.metas.len() as u32 - 1)))
    }

    /// Follows all solutions of a type.
    pub fn shallow(&self, mut ty: Ty) -> Ty {
        while let Node::Meta(MetaId(id)) = self.nodes[ty.0 as usize]
            && let Meta::Solved(solution) = self.metas[id as usize]
        {
            ty = solution;
        }
        ty
    }

    /// Returns the node of a type, past all solutions: a meta is always an open one.
    pub fn node(&self, ty: Ty) -> &Node {
        &self.nodes[self.shallow(ty).0 as usize]
    }

    /// Returns the constraints on an open meta.
    ///
    /// # Panics
    /// If the meta is solved; [`Types::node`] returns no such metas.
    pub fn open(&self, meta: MetaId) -> &Open {
        match &self.metas[meta.0 as usize] {
            Meta::Open(open) => open,
            Meta::Solved(_) => panic!("a solved meta is not looked at"),
        }
    }

    /// Changes the constraints on an open meta.
    pub fn reopen(&mut self, meta: MetaId, open: Open) {
        self.metas[meta.0 as usize] = Meta::Open(open);
    }

    /// Solves an open meta.
    pub fn solve(&mut self, meta: MetaId, ty: Ty) {
        self.metas[meta.0 as usize] = Meta::Solved(ty);
    }

    /// Sets the level of a type variable.
    pub fn set_var_level(&mut self, var: TypeVar, level: u32) {
        let index = var.0 as usize;
        if self.var_levels.len() <= index {
            self.var_levels.resize(index + 1, 0);
        }
        self.var_levels[index] = level;
    }

    /// Returns the level of a type variable.
    pub fn var_level(&self, var: TypeVar) -> u32 {
        self.var_levels.get(var.0 as usize).copied().unwrap_or(0)
    }

    /// Returns the types directly inside a type.
    pub fn parts(&self, ty: Ty) -> Vec<Ty> {
        self.parts_of(self.node(ty))
    }

    fn parts_of(&self, node: &Node) -> Vec<Ty> {
        match node {
            Node::Bool | Node::Int | Node::Float | Node::Char | Node::Var(_) => Vec::new(),
            Node::Seq(element) | Node::Tensor(element) => vec![*element],
            Node::Record(fields) => fields.iter().map(|(_, ty)| *ty).collect(),
            Node::Arrow(from, to) | Node::Apply(from, to) => vec![*from, *to],
            Node::Named(_, arguments) => arguments.to_vec(),
            Node::All(_, body) => vec![*body],
            Node::Meta(meta) => match &self.open(*meta).fields {
                Some(fields) => fields.iter().map(|(_, ty)| *ty).collect(),
                None => Vec::new(),
            },
        }
    }

    /// Replaces type variables in a type.
    pub fn substitute(&mut self, ty: Ty, with: &[(TypeVar, Ty)]) -> Ty {
        let ty = self.shallow(ty);
        match self.node(ty).clone() {
            Node::Bool | Node::Int | Node::Float | Node::Char | Node::Meta(_) => ty,
            Node::Var(var) => with.iter().find(|(other, _)| *other == var).map_or(ty, |(_, ty)| *ty),
            Node::Seq(element) => {
                let new = self.substitute(element, with);
                self.changed(ty, new != element, Node::Seq(new))
            }
            Node::Tensor(element) => {
                let new = self.substitute(element, with);
                self.changed(ty, new != element, Node::Tensor(new))
            }
            Node::Record(fields) => {
                let new: Rc<[_]> =
                    fields.iter().map(|(label, ty)| (*label, self.substitute(*ty, with))).collect();
                self.changed(ty, new != fields, Node::Record(new))
            }
            Node::Arrow(from, to) => {
                let new = (self.substitute(from, with), self.substitute(to, with));
                self.changed(ty, new != (from, to), Node::Arrow(new.0, new.1))
            }
            Node::Apply(function, argument) => {
                let new = (self.substitute(function, with), self.substitute(argument, with));
                if new == (function, argument) { ty } else { self.apply(new.0, new.1) }
            }
            Node::Named(id, arguments) => {
                let new: Rc<[_]> = arguments.iter().map(|ty| self.substitute(*ty, with)).collect();
                self.changed(ty, new != arguments, Node::Named(id, new))
            }
            Node::All(var, body) => {
                let new = self.substitute(body, with);
                self.changed(ty, new != body, Node::All(var, new))
            }
        }
    }

    fn changed(&mut self, old: Ty, changed: bool, node: Node) -> Ty {
        if changed { self.add(node) } else { old }
    }
}

impl Default for Types {
    fn default() -> Types {
        Types::new()
    }
}
