//! The phase with sizes: builds the typed tree.
//!
//! Read in this order: [`unify`] (sizes and types), [`scopes`] (what happens to a size whose scope ends), [`names`],
//! [`apply`], [`exprs`], [`paths`], [`loops`], [`functions`], [`pats`], [`sums`].
//!
//! A size that is not known yet is a local with a number from [`META`]; [`crate::check::finish`] removes them. Every local and every unknown
//! has a level, the number of scopes around it: an unknown never becomes a size of a deeper level.

pub mod apply;
pub mod exprs;
pub mod functions;
mod holes;
pub mod loops;
pub mod names;
pub mod paths;
pub mod pats;
pub mod scopes;
pub mod sums;
pub mod unify;

use rustc_hash::FxHashMap;
use warpwise_diag::Span;

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
    /// The number of scopes around the present place.
    pub level: u32,
    /// The levels of locals; those that are missing have level 0.
    pub levels: FxHashMap<LocalId, u32>,
    /// The schemes of polymorphic local functions.
    pub schemes: FxHashMap<LocalId, (Vec<TypeParamId>, Vec<LocalId>)>,
    /// Pending sizes that were built.
    pub pending: FxHashMap<u32, Size>,
    /// Sizes of `let [n]` that take the first size they meet.
    pub binding: FxHashMap<LocalId, Option<Size>>,
    /// Unknown sizes that a lifted type parameter took up and that are still to be opened.
    pub absorbed: Vec<LocalId>,
}

/// A size to be found.
#[derive(Clone, Debug)]
pub struct Meta {
    /// What it is, once known.
    pub solution: Option<Size>,
    /// See the module.
    pub level: u32,
    /// Where it comes from.
    pub span: Span,
    /// Whether it stands in the argument for a lifted type parameter, so that it may stay unknown.
    pub absorbs: bool,
}

impl Sizing {
    /// Forgets the definition before.
    pub fn clear(&mut self) {
        self.metas.clear();
        self.level = 0;
        self.levels.clear();
        self.schemes.clear();
        self.pending.clear();
        self.binding.clear();
        self.absorbed.clear();
    }

    /// The unknown that a local is, if it is one.
    pub fn meta(&self, local: LocalId) -> Option<&Meta> {
        self.metas.get(local.0.checked_sub(META)? as usize)
    }

    /// A new unknown at a level.
    pub fn new_meta(&mut self, level: u32, span: Span, absorbs: bool) -> Size {
        self.metas.push(Meta { solution: None, level, span, absorbs });
        Size::Local(LocalId(META + self.metas.len() as u32 - 1))
    }

    /// The level of a local.
    pub fn level_of(&self, local: LocalId) -> u32 {
        match self.meta(local) {
            Some(meta) => meta.level,
            None => self.levels.get(&local).copied().unwrap_or(0),
        }
    }
}
