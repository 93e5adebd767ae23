//! Uniqueness: what is consumed is not used again.

use crate::check::Checker;
use crate::typed::tree::Def;

impl Checker<'_> {
    /// Checks a finished definition.
    pub fn check_consumption(&mut self, _def: &mut Def) {}
}
