//! Sizes of choices.
//!
//! The result of `if`, `match` or `loop` has an unknown size where the sizes of its branches, or of initial value and result, may
//! differ. An unnamed size (`[]` of a parameter) may differ from any other, but nothing says yet that it does. The choice
//! therefore gets a size of its own, which stays undecided. Only where a type requires it to equal another size, both sides are
//! unified with that size.
//!
//! ```text
//! def f c (a: []f64) (b: []f64) = f64.sum (if c then a else b)       -- `a` and `b` have a size each
//! def g c (a: []f64) (b: []f64) = map2 (+) (if c then a else b) a    -- `map2` demands that both have one
//! ```

use crate::check::Checker;
use crate::check::size::unify::Clash;
use crate::check::size::{META, Sizing};
use crate::typed::ids::LocalId;
use crate::typed::ty::{Size, Type, TypeArg};

/// A size that is one of two sizes.
#[derive(Clone)]
pub struct Choice {
    /// Sizes of the two sides.
    sides: [Size; 2],
    /// The size that a type required, if any did.
    decided: Option<Size>,
}

impl Sizing {
    /// Returns the known value of a local: an unknown that was solved, or a choice that was decided.
    pub fn known(&self, local: LocalId) -> Option<&Size> {
        match self.meta(local) {
            Some(meta) => meta.solution.as_ref(),
            None => self.choices.get(&local).and_then(|choice| choice.decided.as_ref()),
        }
    }

    /// Records the two sizes that a choice is between.
    pub fn choose(&mut self, choice: LocalId, sides: [Size; 2]) {
        self.choices.insert(choice, Choice { sides, decided: None });
    }

    /// Returns the sides of a size that is an undecided choice.
    pub fn sides(&self, size: &Size) -> Option<&[Size; 2]> {
        let Size::Local(local) = size else { return None };
        self.choices.get(local).filter(|choice| choice.decided.is_none()).map(|choice| &choice.sides)
    }

    /// Whether a local is an unknown or a choice, solved or not.
    pub fn was_open(&self, local: LocalId) -> bool {
        self.meta(local).is_some() || self.choices.contains_key(&local)
    }

    /// Whether a local may still become another size.
    pub fn is_open(&self, local: LocalId) -> bool {
        match self.meta(local) {
            Some(meta) => meta.solution.is_none(),
            None => self.choices.get(&local).is_some_and(|choice| choice.decided.is_none()),
        }
    }

    /// Whether a size is an unknown size of a parameter, which differs from all others unless a type requires that they are
    /// equal.
    pub fn is_of_parameter(&self, size: &Size) -> bool {
        matches!(size, Size::Local(local) if self.meta(*local).is_some_and(|meta| meta.of_parameter))
    }

    /// Whether a size is an unknown that is not a parameter's. It can become any other size.
    pub fn is_free(&self, size: &Size) -> bool {
        matches!(size, Size::Local(local) if self.meta(*local).is_some_and(|meta| !meta.of_parameter))
    }
}

impl Checker<'_> {
    /// Marks the unknown sizes of a parameter's values. Sizes inside function types are not marked; uses of the function
    /// determine them.
    pub fn keep_apart(&mut self, parameter: &Type) {
        match parameter {
            Type::Prim(_) | Type::Param(_) | Type::Arrow(_) => {}
            Type::Abstract(_, args) => args.iter().for_each(|arg| match arg {
                TypeArg::Size(size) => self.mark(size),
                TypeArg::Type(ty) => self.keep_apart(ty),
            }),
            Type::Array(array) => {
                self.mark(&array.size);
                self.keep_apart(&array.element);
            }
            Type::Record(_) | Type::Sum(_) => {
                parameter.parts().unwrap_or_default().into_iter().for_each(|part| self.keep_apart(part));
            }
        }
    }

    fn mark(&mut self, size: &Size) {
        if let Size::Local(local) = self.resolve_size(size)
            && self.sizing.meta(local).is_some()
        {
            self.sizing.metas[(local.0 - META) as usize].of_parameter = true;
        }
    }

    /// Makes a choice equal to a size, by unifying both sides with it.
    pub fn decide(&mut self, choice: LocalId, size: &Size) -> Result<(), Clash> {
        let differ = Clash::Differ(Size::Local(choice), size.clone());
        let Some(sides) = self.sizing.sides(&Size::Local(choice)).cloned() else { return Err(differ) };
        let is_possible = !self.sizing.frozen
            && !self.locals_of(size).contains(&choice)
            && sides.iter().all(|side| self.may_be(side, size));
        if !is_possible {
            return Err(differ);
        }
        let before = (self.sizing.metas.clone(), self.sizing.choices.clone());
        // Decide first, since the size of a loop's result may mention the previous one.
        self.sizing.choices.entry(choice).and_modify(|choice| choice.decided = Some(size.clone()));
        let decided = sides.iter().try_for_each(|side| self.unify_sizes(size, side));
        if decided.is_err() {
            (self.sizing.metas, self.sizing.choices) = before;
        }
        decided.map_err(|_| differ)
    }

    /// Whether two sizes are equal or not known yet.
    fn may_be(&mut self, side: &Size, size: &Size) -> bool {
        let is_open =
            |checker: &Self, size: &Size| checker.locals_of(size).iter().any(|&l| checker.sizing.is_open(l));
        is_open(self, side) || is_open(self, size) || self.same_size(side, size)
    }
}
