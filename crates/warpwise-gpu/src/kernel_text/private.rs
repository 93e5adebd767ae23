//! Small private arrays of a work-item that are variables of the kernel's language instead of memory of the arena.
//!
//! ```text
//! a_m2 = arena_alloc 16;                 float a_m2[4];
//! store a_m2[0] = x_4;            ==>    a_m2[0] = x_4;
//! x_5 = load a_m2[i_3];                  x_5 = a_m2[i_3];
//! ```
//!
//! Compilers keep such arrays in registers if they know all indices. Moreover, launches need not be cut into parts for which the
//! arena suffices; after each part the host would have to check whether it did.
//!
//! Only for arrays of one type whose size is known at compile time and that have no aliases: the next iteration of a loop uses
//! the same variable, so an alias to the array of the former iteration would see it change. Not done here: arrays with words that
//! are combined atomically.

use rustc_hash::FxHashMap;
use warpwise_imp::{Mem, Operand};
use warpwise_prim::{Scalar, ScalarType};

use super::printer::Printer;
use super::survey::{Elements, Survey};

/// Maximum size in bytes of all private arrays of a kernel.
const MOST: i64 = 1 << 10;

/// Returns the arrays of a kernel that can be variables, with their sizes in bytes.
pub(super) fn private(survey: &Survey) -> FxHashMap<Mem, i64> {
    let mut found = FxHashMap::default();
    let mut room = MOST;
    for &(mem, bytes) in &survey.taken {
        let Operand::Const(Scalar::I64(bytes)) = bytes else { continue };
        let is_alone = survey.taken.iter().filter(|(other, _)| *other == mem).count() == 1
            && !survey.set.iter().any(|&(dst, src)| dst == mem || src == mem)
            && !survey.shared.contains(&mem)
            && survey.elements.get(&mem) != Some(&Elements::Several);
        if is_alone && (0..=room).contains(&bytes) {
            room -= bytes;
            found.insert(mem, bytes);
        }
    }
    found
}

impl Printer<'_> {
    /// Returns the declaration of a private array; its elements are words if nothing accesses it.
    pub fn private_array(&self, mem: Mem, bytes: i64) -> String {
        let elem = match self.survey.elements.get(&mem) {
            Some(Elements::One(ty)) => *ty,
            Some(Elements::Several) | None => ScalarType::I64,
        };
        let count = (bytes as usize).div_ceil(elem.bytes()).max(1);
        format!("{} {}[{count}];", self.dialect.ty(elem), self.mem(mem))
    }
}
