//! Inference of sizes, which builds the typed tree.
//!
//! Read in this order: [`unify`] (sizes and types), [`metas`], [`choices`], [`scopes`] (sizes whose scope ends), [`names`],
//! [`apply`], [`exprs`], [`paths`], [`loops`], [`functions`], [`pats`], [`sums`].
//!
//! An unknown size is a local numbered from [`META`] on; [`crate::check::finish`] removes these. Every local and every unknown
//! has a level, the number of enclosing scopes. An unknown never becomes a size of a deeper level.

pub mod apply;
pub mod choices;
pub mod exprs;
pub mod functions;
mod holes;
pub mod loops;
pub mod metas;
pub mod names;
pub mod paths;
pub mod pats;
pub mod recursive_calls;
pub mod scopes;
pub mod sums;
pub mod unify;

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Span;

use crate::check::causality::Written;
use crate::check::size::choices::Choice;
use crate::check::size::metas::{Absorbed, Meta};
use crate::typed::ids::{LocalId, TypeParamId};
use crate::typed::ty::Size;

/// First number of the locals that are unknown sizes. Pending sizes have higher numbers.
pub const META: u32 = 1 << 30;

/// Level of sizes that no unknown from outside may become.
pub const DEEPEST: u32 = u32::MAX;

/// State of this phase.
#[derive(Default)]
pub struct Sizing {
    /// Unknown sizes.
    pub metas: Vec<Meta>,
    /// Choices, by the local that is their size.
    pub choices: FxHashMap<LocalId, Choice>,
    /// Whether sizes are only compared, without solving unknowns.
    pub frozen: bool,
    /// Number of scopes around the current place.
    pub level: u32,
    /// Levels of locals; a missing one is 0.
    pub levels: FxHashMap<LocalId, u32>,
    /// Type and size parameters of polymorphic local functions.
    pub schemes: FxHashMap<LocalId, (Vec<TypeParamId>, Vec<LocalId>)>,
    /// Pending sizes that have been built.
    pub pending: FxHashMap<u32, Size>,
    /// Substitutes for the sizes of `let [n]` until the value has been matched.
    pub binding: FxHashMap<LocalId, Size>,
    /// Sizes absorbed by lifted type parameters.
    pub absorbed: Vec<Absorbed>,
    /// Number of occurrences of lifted type parameters.
    pub occurrences: u32,
    /// Whether a size was reported to leave its scope. Consequences are not reported again.
    pub escaped: bool,
    /// Size parameters of the function being applied, which absorb only sizes that were absorbed before.
    pub firm: Vec<LocalId>,
    /// Parameters of the enclosing function types.
    pub binders: Vec<LocalId>,
    /// Existential sizes of lambdas, which each call determines.
    pub computed: FxHashSet<LocalId>,
    /// Sizes absorbed from those in `computed`: only the call of the lambda knows them.
    pub nowhere: FxHashSet<LocalId>,
    /// Written form of applications and sections, by source position.
    pub written: FxHashMap<Span, Written>,
}

impl Sizing {
    /// Forgets the previous definition.
    pub fn clear(&mut self) {
        self.metas.clear();
        self.choices.clear();
        self.level = 0;
        self.levels.clear();
        self.schemes.clear();
        self.pending.clear();
        self.binding.clear();
        self.absorbed.clear();
        self.occurrences = 0;
        self.escaped = false;
        self.firm.clear();
        self.binders.clear();
        self.computed.clear();
        self.nowhere.clear();
        self.written.clear();
    }

    /// Returns the level of a local.
    pub fn level_of(&self, local: LocalId) -> u32 {
        match self.meta(local) {
            Some(meta) => meta.level,
            None => self.levels.get(&local).copied().unwrap_or(0),
        }
    }
}
