//! Types without sizes, and their unification.
//!
//! One [`Types`] arena serves one definition. A variable may be restricted to a set of scalar types, to comparable types, to
//! records with certain fields, or to sums with certain constructors.
//!
//! Unified types become one node, and walks visit shared nodes once: `let y = (x, x)` costs the same however large the type of
//! `x` is. Later phases walk types as trees, so a type with too many parts is an error (see [`Types::too_large`]).

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Span;

use crate::check::operators::PrimSet;
use crate::syntax::ast::{Liftedness, PrimType};
use crate::syntax::session::Symbol;
use crate::typed::ids::{AbstractId, TypeParamId};
use crate::typed::ty::{MOST_LEVELS, MOST_PARTS};

/// Index of a type without sizes in a [`Types`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ty(u32);

/// A type.
#[derive(Clone, Debug)]
pub enum Node {
    /// A scalar type.
    Prim(PrimType),
    /// A type parameter.
    Param(TypeParamId),
    /// An abstract type with its type arguments; size arguments are left out.
    Abstract(AbstractId, Rc<[Ty]>),
    /// An array, with the type of its element.
    Array(Ty),
    /// A record, fields sorted as in the typed tree.
    Record(Rc<[Symbol]>, Rc<[Ty]>),
    /// A sum: constructors with their payloads, sorted as in the typed tree.
    Sum(Rc<[(Symbol, Rc<[Ty]>)]>),
    /// A function: argument and result.
    Arrow(Ty, Ty),
    /// An unknown type.
    Var(Rc<Var>),
    /// A type that was unified with another one.
    Link(Ty),
    /// The type of an expression with an error that is already reported; unifies with every type.
    Error,
}

/// An unknown type.
#[derive(Clone, Debug)]
pub struct Var {
    /// The constraint on its solution.
    pub constraint: Constraint,
    /// Source position that it comes from.
    pub span: Span,
    /// Liftedness of its solution.
    pub lifted: Liftedness,
    /// Number of enclosing local functions. The variable cannot become a type parameter of a function nested deeper.
    pub level: u32,
}

/// A constraint on a variable.
#[derive(Clone, Debug)]
pub enum Constraint {
    /// Any type.
    Free,
    /// One of a set of scalar types.
    OneOf(PrimSet),
    /// Any type that `==` accepts.
    Comparable,
    /// A record with at least these fields.
    Fields(Vec<(Symbol, Ty)>),
    /// A sum with at least these constructors and their payloads.
    Constructors(Vec<(Symbol, Rc<[Ty]>)>),
}

/// The reason why two types do not unify.
#[derive(Clone, Debug)]
pub enum Clash {
    /// Two parts that differ.
    Differ(Ty, Ty),
    /// A part would have to contain itself.
    Infinite,
    /// A type that is not in the set of scalar types of an operator or literal.
    NotOneOf(Ty, PrimSet),
    /// A type that cannot be compared.
    NotComparable(Ty),
    /// A type without the named field.
    NoField(Ty, Symbol),
    /// Constructors that only one of two sums has.
    Unshared(Vec<Symbol>),
    /// A constructor whose payloads differ in length, and both lengths.
    Arity(Symbol, usize, usize),
    /// A type parameter of a local function that is not in scope where the other type was decided.
    Escapes(TypeParamId),
}

/// The arena of the types of one definition.
#[derive(Default)]
pub struct Types {
    nodes: Vec<Node>,
    /// Number of parts and depth of each node, as of its creation.
    measures: Vec<(u32, u32)>,
    /// Whether some type had too many parts or levels when it was added.
    pub too_large: bool,
    /// Number of enclosing local functions at the current place.
    pub level: u32,
    /// Levels of the type parameters of local functions.
    pub param_levels: FxHashMap<TypeParamId, u32>,
}

impl Types {
    /// Removes all types.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.measures.clear();
        self.too_large = false;
        self.level = 0;
        self.param_levels.clear();
    }

    /// Adds a type.
    pub fn add(&mut self, node: Node) -> Ty {
        if let Node::Array(element) = node {
            // Lifted contents of an element are reported once the type is complete.
            drop(self.restrict(element, Liftedness::Unlifted, u32::MAX));
        }
        let measure = self.measure(&node);
        self.too_large |= measure.0 > MOST_PARTS || measure.1 > MOST_LEVELS;
        // The type is an error already, so nothing larger needs to be made.
        let is_left_out = self.too_large && is_composite(&node);
        self.nodes.push(if is_left_out { Node::Error } else { node });
        self.measures.push(if is_left_out { (1, 1) } else { measure });
        Ty(self.nodes.len() as u32 - 1)
    }

    /// Whether some type has too many parts or levels. Called once all variables are solved.
    pub fn are_too_large(&mut self) -> bool {
        // Until here a variable counted as one part. Shared types are measured once.
        self.measures.fill((0, 0));
        for index in 0..self.nodes.len() {
            let mut open = vec![self.find(Ty(index as u32))];
            while let Some(&ty) = open.last() {
                if self.measures[ty.0 as usize].0 > 0 {
                    open.pop();
                    continue;
                }
                let node = self.node(ty);
                let parts = self.parts(&node);
                let unknown = parts.into_iter().find(|part| self.measures[part.0 as usize].0 == 0);
                match unknown {
                    Some(part) => open.push(part),
                    None => self.measures[ty.0 as usize] = self.measure(&node),
                }
            }
        }
        let is_too_large = |&(parts, levels): &(u32, u32)| parts > MOST_PARTS || levels > MOST_LEVELS;
        self.too_large || self.measures.iter().any(is_too_large)
    }

    /// Returns the parts of a type.
    fn parts(&mut self, node: &Node) -> Vec<Ty> {
        let parts: Vec<Ty> = match node {
            Node::Prim(_) | Node::Param(_) | Node::Var(_) | Node::Link(_) | Node::Error => Vec::new(),
            Node::Array(element) => vec![*element],
            Node::Abstract(_, parts) | Node::Record(_, parts) => parts.to_vec(),
            Node::Sum(sum) => sum.iter().flat_map(|c| c.1.iter().copied()).collect(),
            Node::Arrow(argument, result) => vec![*argument, *result],
        };
        parts.into_iter().map(|part| self.find(part)).collect()
    }

    /// Returns the number of parts and the depth of a type.
    fn measure(&mut self, node: &Node) -> (u32, u32) {
        let parts = self.parts(node);
        let measures = parts.into_iter().map(|part| self.measures[part.0 as usize]);
        measures.fold((1u32, 1u32), |whole, (parts, levels)| {
            (whole.0.saturating_add(parts), whole.1.max(levels.saturating_add(1)))
        })
    }

    /// Creates a variable.
    pub fn var(&mut self, constraint: Constraint, span: Span) -> Ty {
        self.lifted_var(constraint, span, Liftedness::Lifted)
    }

    /// Creates a variable whose solution has at most this liftedness.
    pub fn lifted_var(&mut self, constraint: Constraint, span: Span, lifted: Liftedness) -> Ty {
        self.add(Node::Var(Rc::new(Var { constraint, span, lifted, level: self.level })))
    }

    /// Creates a scalar type.
    pub fn prim(&mut self, ty: PrimType) -> Ty {
        self.add(Node::Prim(ty))
    }

    /// Follows all links, and shortens the path.
    pub fn find(&mut self, ty: Ty) -> Ty {
        let mut root = ty;
        while let Node::Link(next) = self.nodes[root.0 as usize] {
            root = next;
        }
        let mut at = ty;
        while let Node::Link(next) = self.nodes[at.0 as usize] {
            self.nodes[at.0 as usize] = Node::Link(root);
            at = next;
            if at == root {
                break;
            }
        }
        root
    }

    /// Returns the node of a type, after following links. Cheap, since the parts are shared.
    pub fn node(&mut self, ty: Ty) -> Node {
        let root = self.find(ty);
        self.nodes[root.0 as usize].clone()
    }

    /// Returns the node of a type, after following links, without shortening the path.
    pub fn peek(&self, mut ty: Ty) -> &Node {
        loop {
            match &self.nodes[ty.0 as usize] {
                Node::Link(to) => ty = *to,
                node => return node,
            }
        }
    }

    /// Links a variable to another type.
    pub fn bind(&mut self, var: Ty, to: Ty) {
        let root = self.find(var);
        let to = self.find(to);
        if root != to {
            self.nodes[root.0 as usize] = Node::Link(to);
        }
    }

    fn constrain(&mut self, var: Ty, constraint: Constraint, span: Span) {
        let root = self.find(var);
        if let Node::Var(before) = &self.nodes[root.0 as usize] {
            let (lifted, level) = (before.lifted, before.level);
            self.nodes[root.0 as usize] = Node::Var(Rc::new(Var { constraint, span, lifted, level }));
        }
    }

    /// Restricts the variables of a type to a liftedness, and keeps them from becoming type parameters deeper than `level`.
    pub fn restrict(&mut self, ty: Ty, lifted: Liftedness, level: u32) -> Result<(), Clash> {
        self.restrict_part(ty, lifted, level, &mut FxHashSet::default())
    }

    fn restrict_part(
        &mut self,
        ty: Ty,
        lifted: Liftedness,
        level: u32,
        seen: &mut FxHashSet<(Ty, u8)>,
    ) -> Result<(), Clash> {
        let ty = self.find(ty);
        let node = self.node(ty);
        if is_composite(&node) && !seen.insert((ty, lifted as u8)) {
            return Ok(());
        }
        match node {
            Node::Prim(_) | Node::Error | Node::Link(_) => Ok(()),
            Node::Param(param) if self.param_levels.get(&param).is_some_and(|&own| own > level) => {
                Err(Clash::Escapes(param))
            }
            Node::Param(_) => Ok(()),
            Node::Var(var) => self.restrict_var(ty, &var, lifted, level),
            Node::Array(element) => self.restrict_part(element, Liftedness::Unlifted, level, seen),
            Node::Abstract(_, parts) => self.restrict_all(&parts, Liftedness::Lifted, level, seen),
            Node::Record(_, parts) => self.restrict_all(&parts, lifted, level, seen),
            Node::Sum(sum) => {
                let parts: Vec<Ty> =
                    sum.iter().flat_map(|constructor| constructor.1.iter().copied()).collect();
                self.restrict_all(&parts, lifted, level, seen)
            }
            Node::Arrow(argument, result) => {
                self.restrict_all(&[argument, result], Liftedness::Lifted, level, seen)
            }
        }
    }

    fn restrict_all(
        &mut self,
        parts: &[Ty],
        lifted: Liftedness,
        level: u32,
        seen: &mut FxHashSet<(Ty, u8)>,
    ) -> Result<(), Clash> {
        // Restrict all parts, even if the first fails.
        let restricted: Vec<Result<(), Clash>> =
            parts.iter().map(|&part| self.restrict_part(part, lifted, level, seen)).collect();
        restricted.into_iter().collect()
    }

    fn restrict_var(&mut self, ty: Ty, var: &Var, lifted: Liftedness, level: u32) -> Result<(), Clash> {
        let level = level.min(var.level);
        let lifted = if (lifted as u8) < var.lifted as u8 { lifted } else { var.lifted };
        if level == var.level && lifted as u8 == var.lifted as u8 {
            return Ok(());
        }
        let root = self.find(ty);
        self.nodes[root.0 as usize] = Node::Var(Rc::new(Var { lifted, level, ..var.clone() }));
        let parts: Vec<Ty> = match &var.constraint {
            Constraint::Free | Constraint::OneOf(_) | Constraint::Comparable => Vec::new(),
            Constraint::Fields(fields) => fields.iter().map(|field| field.1).collect(),
            Constraint::Constructors(sum) => sum.iter().flat_map(|c| c.1.iter().copied()).collect(),
        };
        self.restrict_all(&parts, lifted, level, &mut FxHashSet::default())
    }

    /// Unifies two types.
    pub fn unify(&mut self, a: Ty, b: Ty) -> Result<(), Clash> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        let (x, y) = (self.node(a), self.node(b));
        let are_composite = is_composite(&x) && is_composite(&y);
        self.unify_nodes(a, x, b, y)?;
        if are_composite {
            // From here on both are one node.
            self.bind(a, b);
        }
        Ok(())
    }

    fn unify_nodes(&mut self, a: Ty, x: Node, b: Ty, y: Node) -> Result<(), Clash> {
        match (x, y) {
            (Node::Error, _) | (_, Node::Error) => Ok(()),
            (Node::Var(x), Node::Var(y)) => self.unify_vars(a, &x, b, &y),
            (Node::Var(x), _) => self.bind_checked(a, &x, b),
            (_, Node::Var(y)) => self.bind_checked(b, &y, a),
            (Node::Prim(x), Node::Prim(y)) if x == y => Ok(()),
            (Node::Param(x), Node::Param(y)) if x == y => Ok(()),
            (Node::Abstract(x, xs), Node::Abstract(y, ys)) if x == y => self.unify_all(&xs, &ys),
            (Node::Array(x), Node::Array(y)) => self.unify(x, y),
            (Node::Record(names, xs), Node::Record(others, ys)) if names == others => {
                self.unify_all(&xs, &ys)
            }
            (Node::Sum(xs), Node::Sum(ys)) => self.unify_sums(&xs, &ys),
            (Node::Arrow(x, r), Node::Arrow(y, s)) => {
                self.unify(x, y)?;
                self.unify(r, s)
            }
            (
                Node::Prim(_)
                | Node::Param(_)
                | Node::Abstract(..)
                | Node::Array(_)
                | Node::Record(..)
                | Node::Sum(_)
                | Node::Arrow(..)
                | Node::Link(_),
                _,
            ) => Err(Clash::Differ(a, b)),
        }
    }

    fn unify_sums(&mut self, xs: &[(Symbol, Rc<[Ty]>)], ys: &[(Symbol, Rc<[Ty]>)]) -> Result<(), Clash> {
        let missing = |from: &[(Symbol, Rc<[Ty]>)], name: Symbol| from.iter().all(|other| other.0 != name);
        let names = |of: &[(Symbol, Rc<[Ty]>)]| of.iter().map(|c| c.0).collect::<Vec<_>>();
        let only_left = names(xs).into_iter().filter(|&name| missing(ys, name));
        let only_right = names(ys).into_iter().filter(|&name| missing(xs, name));
        let unshared: Vec<Symbol> = only_left.chain(only_right).collect();
        if !unshared.is_empty() {
            return Err(Clash::Unshared(unshared));
        }
        xs.iter().zip(ys).try_for_each(|(x, y)| self.unify_payloads(x.0, &x.1, &y.1))
    }

    fn unify_payloads(&mut self, name: Symbol, xs: &[Ty], ys: &[Ty]) -> Result<(), Clash> {
        if xs.len() != ys.len() {
            return Err(Clash::Arity(name, xs.len(), ys.len()));
        }
        self.unify_all(xs, ys)
    }

    fn unify_all(&mut self, xs: &[Ty], ys: &[Ty]) -> Result<(), Clash> {
        xs.iter().zip(ys).try_for_each(|(&x, &y)| self.unify(x, y))
    }

    fn unify_vars(&mut self, a: Ty, x: &Var, b: Ty, y: &Var) -> Result<(), Clash> {
        use Constraint::*;
        let merged = match (&x.constraint, &y.constraint) {
            (Free, other) | (other, Free) => other.clone(),
            (OneOf(p), OneOf(q)) => {
                let both = p.intersect(*q);
                if both.is_empty() {
                    return Err(Clash::Differ(a, b));
                }
                OneOf(both)
            }
            (OneOf(p), Comparable) | (Comparable, OneOf(p)) => OneOf(*p),
            (Comparable, Comparable) => Comparable,
            (Fields(fields), Comparable) | (Comparable, Fields(fields)) => Fields(fields.clone()),
            (Constructors(sum), Comparable) | (Comparable, Constructors(sum)) => {
                sum.iter().flat_map(|c| c.1.iter()).try_for_each(|&ty| self.require_comparable(ty))?;
                Constructors(sum.clone())
            }
            (OneOf(_) | Constructors(_), Fields(_))
            | (Fields(_), OneOf(_) | Constructors(_))
            | (OneOf(_), Constructors(_))
            | (Constructors(_), OneOf(_)) => return Err(Clash::Differ(a, b)),
            (Constructors(first), Constructors(second)) => {
                let mut sum = first.clone();
                for (name, payload) in second {
                    match first.iter().find(|other| other.0 == *name) {
                        Some((_, other)) => self.unify_payloads(*name, other, payload)?,
                        None => sum.push((*name, payload.clone())),
                    }
                }
                Constructors(sum)
            }
            (Fields(first), Fields(second)) => {
                let mut fields = first.clone();
                for &(name, ty) in second {
                    match first.iter().find(|field| field.0 == name) {
                        Some(&(_, other)) => self.unify(other, ty)?,
                        None => fields.push((name, ty)),
                    }
                }
                Fields(fields)
            }
        };
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.bind(a, b);
            let parts: Vec<Ty> = match &merged {
                Fields(fields) => fields.iter().map(|field| field.1).collect(),
                Constructors(sum) => sum.iter().flat_map(|c| c.1.iter().copied()).collect(),
                Free | OneOf(_) | Comparable => Vec::new(),
            };
            if parts.into_iter().any(|part| self.occurs(b, part)) {
                self.constrain(b, Free, y.span);
                return Err(Clash::Infinite);
            }
            // Blame the matched expression, not the patterns.
            let span = if let Constructors(_) = merged { x.span } else { y.span };
            self.constrain(b, merged, span);
            self.restrict(b, x.lifted, x.level)?;
        }
        Ok(())
    }

    fn bind_checked(&mut self, var: Ty, state: &Var, to: Ty) -> Result<(), Clash> {
        match &state.constraint {
            Constraint::Free => {}
            Constraint::OneOf(set) => match self.node(to) {
                Node::Prim(ty) if set.contains(ty) => {}
                _ => return Err(Clash::NotOneOf(to, *set)),
            },
            Constraint::Comparable => self.require_comparable(to)?,
            Constraint::Fields(fields) => {
                let Node::Record(names, tys) = self.node(to) else {
                    return Err(Clash::Differ(var, to));
                };
                for &(name, ty) in fields {
                    let Some(position) = names.iter().position(|&other| other == name) else {
                        return Err(Clash::NoField(to, name));
                    };
                    self.unify(ty, tys[position])?;
                }
            }
            Constraint::Constructors(wanted) => self.require_constructors(var, wanted, to)?,
        }
        if self.occurs(var, to) {
            return Err(Clash::Infinite);
        }
        self.restrict(to, state.lifted, state.level)?;
        self.bind(var, to);
        Ok(())
    }

    /// Requires that a type is a sum with these constructors.
    fn require_constructors(&mut self, var: Ty, wanted: &[(Symbol, Rc<[Ty]>)], to: Ty) -> Result<(), Clash> {
        let Node::Sum(sum) = self.node(to) else { return Err(Clash::Differ(var, to)) };
        let missing = wanted.iter().map(|c| c.0).filter(|name| sum.iter().all(|other| other.0 != *name));
        let missing: Vec<Symbol> = missing.collect();
        if !missing.is_empty() {
            return Err(Clash::Unshared(missing));
        }
        for (name, payload) in wanted {
            if let Some((_, other)) = sum.iter().find(|other| other.0 == *name) {
                self.unify_payloads(*name, payload, other)?;
            }
        }
        Ok(())
    }

    /// Restricts a type to types that `==` accepts.
    pub fn require_comparable(&mut self, ty: Ty) -> Result<(), Clash> {
        self.require_comparable_part(ty, &mut FxHashSet::default())
    }

    fn require_comparable_part(&mut self, ty: Ty, seen: &mut FxHashSet<Ty>) -> Result<(), Clash> {
        let ty = self.find(ty);
        let node = self.node(ty);
        if is_composite(&node) && !seen.insert(ty) {
            return Ok(());
        }
        match node {
            Node::Prim(_) | Node::Error | Node::Link(_) => Ok(()),
            Node::Array(element) => self.require_comparable_part(element, seen),
            Node::Record(_, tys) => tys.iter().try_for_each(|&ty| self.require_comparable_part(ty, seen)),
            Node::Sum(sum) => {
                let mut parts = sum.iter().flat_map(|c| c.1.iter());
                parts.try_for_each(|&ty| self.require_comparable_part(ty, seen))
            }
            Node::Var(var) => {
                if let Constraint::Free = var.constraint {
                    self.constrain(ty, Constraint::Comparable, var.span);
                }
                Ok(())
            }
            Node::Param(_) | Node::Abstract(..) | Node::Arrow(..) => Err(Clash::NotComparable(ty)),
        }
    }

    fn occurs(&mut self, var: Ty, ty: Ty) -> bool {
        self.occurs_in(var, ty, &mut FxHashSet::default())
    }

    fn occurs_in(&mut self, var: Ty, ty: Ty, seen: &mut FxHashSet<Ty>) -> bool {
        let ty = self.find(ty);
        if ty == var {
            return true;
        }
        let node = self.node(ty);
        if is_composite(&node) && !seen.insert(ty) {
            return false;
        }
        let mut any = |mut parts: &mut dyn Iterator<Item = Ty>| {
            Iterator::any(&mut parts, |part| self.occurs_in(var, part, seen))
        };
        match node {
            Node::Prim(_) | Node::Param(_) | Node::Error | Node::Link(_) => false,
            Node::Abstract(_, parts) | Node::Record(_, parts) => any(&mut parts.iter().copied()),
            Node::Array(element) => any(&mut [element].into_iter()),
            Node::Sum(sum) => any(&mut sum.iter().flat_map(|c| c.1.iter().copied())),
            Node::Arrow(argument, result) => any(&mut [argument, result].into_iter()),
            Node::Var(state) => match &state.constraint {
                Constraint::Fields(fields) => any(&mut fields.iter().map(|field| field.1)),
                Constraint::Constructors(sum) => any(&mut sum.iter().flat_map(|c| c.1.iter().copied())),
                Constraint::Free | Constraint::OneOf(_) | Constraint::Comparable => false,
            },
        }
    }
}

/// Whether a type has parts, so that walks should visit it only once.
fn is_composite(node: &Node) -> bool {
    match node {
        Node::Abstract(..) | Node::Array(_) | Node::Record(..) | Node::Sum(_) | Node::Arrow(..) => true,
        Node::Prim(_) | Node::Param(_) | Node::Var(_) | Node::Link(_) | Node::Error => false,
    }
}
