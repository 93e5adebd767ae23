//! Unknown sizes, which are solved or stay unknown.
//!
//! A lifted type parameter may be instantiated to a type with a size that only its function knows: in `apply iota 3`, with
//! `apply '^a '^b (f: a -> b) (x: a) : b`, the size in `b` is the parameter of `iota`. An unknown in the argument for such a type
//! parameter that meets a size bound inside a function type *absorbs* it. The unknown then becomes a size of its own, at the
//! level of sizes that are bound only in types; closing the result of the application opens or binds it again. Each occurrence of
//! the type parameter then has a size of its own. As long as none has absorbed a size, all occurrences have the same one.

use crate::check::Checker;
use crate::check::size::unify::{Clash, Locals, known_or_substituted};
use crate::check::size::{DEEPEST, META, Sizing};
use crate::check::type_exprs::Subst;
use crate::syntax::ast::Liftedness;
use crate::typed::ids::{LocalId, TypeParamId};
use crate::typed::map::{Map, map_type};
use crate::typed::ty::{Size, Type};
use warpwise_diag::Span;

/// An unknown size.
#[derive(Clone, Debug)]
pub struct Meta {
    /// Solution, once known.
    pub solution: Option<Size>,
    /// Level: see the module [`size`](crate::check::size).
    pub level: u32,
    /// Source position that the unknown comes from.
    pub span: Span,
    /// The occurrence of a lifted type parameter in whose argument the unknown lies. Such an unknown may stay unknown.
    pub occurrence: Option<Occurrence>,
    /// Parameters of the enclosing function types, which the unknown may become.
    pub binders: Vec<LocalId>,
    /// Copies of the unknown in other occurrences of the type parameter.
    pub copies: Vec<LocalId>,
    /// Whether the unknown is a size of a parameter. Callers may pass values of any size, so that only a type equates it with
    /// another size.
    pub of_parameter: bool,
}

/// One occurrence of a lifted type parameter in an instantiated type, or a size parameter that an argument determines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    number: u32,
    /// Whether it is that of a size parameter.
    is_size: bool,
}

/// A size absorbed by an occurrence.
pub struct Absorbed {
    occurrence: Occurrence,
    source: Size,
    unknown: LocalId,
    /// The size that a later argument has at this place.
    met: Option<Size>,
}

impl Sizing {
    /// Returns the unknown that a local denotes, if it does.
    pub fn meta(&self, local: LocalId) -> Option<&Meta> {
        self.metas.get(local.0.checked_sub(META)? as usize)
    }

    /// Creates an unknown at a level.
    pub fn new_meta(&mut self, level: u32, span: Span, occurrence: Option<Occurrence>) -> Size {
        let binders = self.binders.clone();
        self.metas.push(Meta {
            solution: None,
            level,
            span,
            occurrence,
            binders,
            copies: Vec::new(),
            of_parameter: false,
        });
        Size::Local(LocalId(META + self.metas.len() as u32 - 1))
    }

    /// Creates an occurrence of a lifted type parameter.
    pub fn new_occurrence(&mut self) -> Occurrence {
        self.occurrences += 1;
        Occurrence { number: self.occurrences, is_size: false }
    }

    /// Creates the occurrence of a size parameter.
    pub fn new_told(&mut self) -> Occurrence {
        Occurrence { is_size: true, ..self.new_occurrence() }
    }

    /// Whether an unknown is a copy of an unsolved one.
    fn is_waiting_copy(&self, local: LocalId) -> bool {
        let Some(Size::Local(source)) = self.meta(local).and_then(|meta| meta.solution.as_ref()) else {
            return false;
        };
        self.meta(*source).is_some_and(|source| source.solution.is_none() && source.copies.contains(&local))
    }

    /// Records the solution of an unknown.
    pub fn set(&mut self, meta: LocalId, solution: Size) {
        let Some(state) = self.metas.get_mut(meta.0.wrapping_sub(META) as usize) else { return };
        let of_parameter = state.of_parameter;
        if let Size::Local(other) = &solution
            && let Some(other) = self.metas.get_mut(other.0.wrapping_sub(META) as usize)
        {
            other.of_parameter |= of_parameter;
        }
        self.metas[(meta.0 - META) as usize].solution = Some(solution);
    }

    /// Copies the argument for a type parameter, for another occurrence.
    pub fn copied(&mut self, ty: &Type) -> Type {
        let occurrence = self.new_occurrence();
        map_type(ty, &mut Copy { sizing: self, occurrence })
    }
}

/// Substitutes what is known, except for copies that may still absorb a size of their own.
pub struct Uncopied<'s> {
    /// State of the unknowns.
    pub sizing: &'s Sizing,
    /// Substitution to be applied as well.
    pub subst: &'s Subst,
}

impl Map for Uncopied<'_> {
    fn local(&mut self, local: LocalId) -> Option<Size> {
        let (sizing, subst) = (self.sizing, self.subst);
        match sizing.is_waiting_copy(local) {
            true => None,
            false => known_or_substituted(self, sizing, subst, local),
        }
    }

    fn stays_bound(&self, local: LocalId) -> bool {
        self.sizing.known(local).is_none()
    }

    fn param(&mut self, param: TypeParamId) -> Option<Type> {
        self.subst.types.get(&param).cloned()
    }
}

/// Replaces each unknown that may absorb by a copy.
struct Copy<'s> {
    sizing: &'s mut Sizing,
    occurrence: Occurrence,
}

impl Map for Copy<'_> {
    fn local(&mut self, local: LocalId) -> Option<Size> {
        let meta = self.sizing.meta(local)?.clone();
        meta.occurrence?;
        let copy = LocalId(META + self.sizing.metas.len() as u32);
        let solution = Some(Size::Local(local));
        let state = Meta { solution, occurrence: Some(self.occurrence), copies: Vec::new(), ..meta };
        self.sizing.metas.push(state);
        self.sizing.metas[(local.0 - META) as usize].copies.push(copy);
        Some(Size::Local(copy))
    }

    fn param(&mut self, _: TypeParamId) -> Option<Type> {
        None
    }
}

impl Checker<'_> {
    /// Unifies two unknowns. An unknown that is bound only in a type is solved in preference, then a size parameter that an
    /// argument determines, then an unknown that absorbs.
    pub fn join_metas(&mut self, expected: LocalId, found: LocalId) -> Result<(), Clash> {
        let rank = |checker: &Self, local| match checker.sizing.meta(local) {
            Some(meta) if meta.level == DEEPEST => 3,
            Some(meta) => meta.occurrence.map_or(0, |occurrence| 1 + u32::from(occurrence.is_size)),
            None => 0,
        };
        match rank(self, found) > rank(self, expected) {
            true => self.solve(found, &Size::Local(expected)),
            false => self.solve(expected, &Size::Local(found)),
        }
    }

    /// Solves an unknown.
    pub fn solve(&mut self, meta: LocalId, size: &Size) -> Result<(), Clash> {
        let Some(state) = self.sizing.meta(meta).cloned() else { return Ok(()) };
        if self.sizing.frozen {
            return Err(Clash::Differ(Size::Local(meta), size.clone()));
        }
        let locals = self.locals_of(size);
        if locals.contains(&meta) {
            return Err(Clash::Differ(Size::Local(meta), size.clone()));
        }
        let escaping: Vec<LocalId> = locals
            .iter()
            .copied()
            .filter(|&local| {
                self.sizing.meta(local).is_none()
                    && self.sizing.level_of(local) > state.level
                    && !state.binders.contains(&local)
            })
            .collect();
        let is_firm = self.sizing.firm.contains(&meta);
        if escaping.is_empty() {
            locals.iter().for_each(|&local| self.lower(local, state.level, &state.binders));
            self.sizing.set(meta, size.clone());
            if is_firm {
                self.sizing.firm.extend(locals);
            }
            return Ok(());
        }
        let is_bound_in_type = escaping.iter().all(|&local| self.sizing.level_of(local) == DEEPEST);
        let was_absorbed = escaping
            .iter()
            .all(|local| self.sizing.absorbed.iter().any(|absorbed| absorbed.unknown == *local));
        match state.occurrence.filter(|_| is_bound_in_type && (!is_firm || was_absorbed)) {
            Some(occurrence) => {
                self.absorb(meta, occurrence, size);
                state.copies.iter().for_each(|&copy| {
                    if let Some(occurrence) = self.sizing.meta(copy).and_then(|copy| copy.occurrence) {
                        self.absorb(copy, occurrence, size);
                    }
                });
                Ok(())
            }
            None => Err(Clash::Escapes(size.clone())),
        }
    }

    /// Returns the unknown size parameters in the type of a parameter that is a function. In one call, a function has one value
    /// for each of these; therefore a size that the argument computes anew in every call cannot be it.
    pub fn firm_sizes(&self, parameter: &Type) -> Vec<LocalId> {
        if self.liftedness(parameter) != Liftedness::Lifted {
            return Vec::new();
        }
        let mut locals = Locals::default();
        map_type(&self.solved(parameter), &mut locals);
        let is_size = |&local: &LocalId| {
            self.sizing
                .meta(local)
                .and_then(|meta| meta.occurrence)
                .is_some_and(|occurrence| occurrence.is_size)
        };
        locals.0.into_iter().filter(is_size).collect()
    }

    /// Keeps the unknowns of a value's type from absorbing sizes: under one name, all copies of an unknown are equal.
    pub fn keep_from_absorbing(&mut self, ty: &Type) {
        let mut locals = Locals::default();
        map_type(&self.solved(ty), &mut locals);
        for local in locals.0 {
            if self.sizing.meta(local).is_some_and(|meta| !meta.copies.is_empty()) {
                self.sizing.metas[(local.0 - META) as usize].occurrence = None;
            }
        }
    }

    /// Whether a size is absorbed, and arguments agree on the size that they have in its place.
    pub fn meets(&mut self, absorbed: LocalId, found: &Size) -> bool {
        let known = self.sizing.absorbed.iter().position(|other| other.unknown == absorbed);
        let Some(index) = known else { return false };
        if matches!(found, Size::Local(local) if *local == absorbed) {
            return true;
        }
        match self.sizing.absorbed[index].met.clone() {
            Some(met) => self.unify_sizes(&met, found).is_ok(),
            None => {
                self.sizing.absorbed[index].met = Some(found.clone());
                true
            }
        }
    }

    /// Makes an unknown a size of its own. Each occurrence absorbs a given size only once.
    fn absorb(&mut self, meta: LocalId, occurrence: Occurrence, source: &Size) {
        let known = (0..self.sizing.absorbed.len()).find(|&index| {
            let Absorbed { occurrence: other, source: absorbed, .. } = &self.sizing.absorbed[index];
            let (other, absorbed) = (*other, absorbed.clone());
            other == occurrence && self.same_size(&absorbed, source)
        });
        let unknown = match known {
            Some(index) => self.sizing.absorbed[index].unknown,
            None => {
                let locals = self.locals_of(source);
                let computed = locals.into_iter().find(|local| self.sizing.computed.contains(local));
                let place = computed.map_or(Span::NONE, |local| self.program.locals[local.index()].span);
                let unknown = self.new_size("k", place);
                if computed.is_some() {
                    self.sizing.nowhere.insert(unknown);
                }
                self.sizing.levels.insert(unknown, DEEPEST);
                let absorbed = Absorbed { occurrence, source: source.clone(), unknown, met: None };
                self.sizing.absorbed.push(absorbed);
                unknown
            }
        };
        self.sizing.set(meta, Size::Local(unknown));
    }

    /// Keeps an unknown from becoming a size deeper than `level`, except for the given parameters of function types.
    pub fn lower(&mut self, local: LocalId, level: u32, binders: &[LocalId]) {
        if self.sizing.meta(local).is_some() {
            let meta = &mut self.sizing.metas[(local.0 - META) as usize];
            meta.level = meta.level.min(level);
            meta.binders.retain(|binder| binders.contains(binder));
        }
    }
}
