//! The phase with sizes: builds the typed tree.
//!
//! Read in this order: [`unify`] (sizes and types), [`metas`], [`choices`], [`scopes`] (what happens to a size whose scope ends), [`names`],
//! [`apply`], [`exprs`], [`paths`], [`loops`], [`functions`], [`pats`], [`sums`].
//!
//! A size that is not known yet is a local with a number from [`META`]; [`crate::check::finish`] removes them. Every local and every unknown
//! has a level, the number of scopes around it: an unknown never becomes a size of a deeper level.

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

/// Locals from here on, below the pending ones, are sizes to be found.
pub const META: u32 = 1 << 30;

/// The level of what no unknown from outside may become.
pub const DEEPEST: u32 = u32::MAX;

/// The state of this phase.
#[derive(Default)]
pub struct Sizing {
    /// Sizes to be found.
    pub metas: Vec<Meta>,
    /// Sizes of choices.
    pub choices: FxHashMap<LocalId, Choice>,
    /// Whether sizes are only compared: nothing becomes known.
    pub frozen: bool,
    /// The number of scopes around the present place.
    pub level: u32,
    /// The levels of locals; those that are missing have level 0.
    pub levels: FxHashMap<LocalId, u32>,
    /// The schemes of polymorphic local functions.
    pub schemes: FxHashMap<LocalId, (Vec<TypeParamId>, Vec<LocalId>)>,
    /// Pending sizes that were built.
    pub pending: FxHashMap<u32, Size>,
    /// The substitutes of the sizes of `let [n]` until the value is matched.
    pub binding: FxHashMap<LocalId, Size>,
    /// The sizes that lifted type parameters absorbed.
    pub absorbed: Vec<Absorbed>,
    /// How many occurrences of lifted type parameters there are.
    pub occurrences: u32,
    /// Whether a size was reported to leave its scope: what follows from that is not reported again.
    pub escaped: bool,
    /// Size parameters of the function being applied, which absorb only what was absorbed before.
    pub firm: Vec<LocalId>,
    /// Parameters of the function types being entered.
    pub binders: Vec<LocalId>,
    /// Sizes that come into being when a lambda is called.
    pub computed: FxHashSet<LocalId>,
    /// Sizes that were absorbed from such: no place but the lambda's call knows them.
    pub nowhere: FxHashSet<LocalId>,
    /// How applications and sections were written.
    pub written: FxHashMap<Span, Written>,
}

impl Sizing {
    /// Forgets the definition before.
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

    /// The level of a local.
    pub fn level_of(&self, local: LocalId) -> u32 {
        match self.meta(local) {
            Some(meta) => meta.level,
            None => self.levels.get(&local).copied().unwrap_or(0),
        }
    }
}
