//! Small arrays of a work-item's own that are variables of the kernel's language, and no memory of the arena.
//!
//! ```text
//! a_m2 = arena_alloc 16;                 float a_m2[4];
//! store a_m2[0] = x_4;            ==>    a_m2[0] = x_4;
//! x_5 = load a_m2[i_3];                  x_5 = a_m2[i_3];
//! ```
//!
//! Compilers keep them in registers where they know all indices, and launches need not be cut into parts for which
//! the arena suffices, after each of which the host would have to look whether it did.
//!
//! For arrays of one type whose size is known when the kernel is made, which no other name stands for: another round of a loop
//! begins with the same variable, and whoever held the array of the round before would see it change. Not done here: arrays of
//! which words are combined atomically.

use rustc_hash::FxHashMap;
use warpwise_imp::{Mem, Operand};
use warpwise_prim::{Scalar, ScalarType};

use super::printer::Printer;
use super::survey::{Elements, Survey};

/// Bytes of such arrays in a kernel, at most.
const MOST: i64 = 1 << 10;

/// The arrays taken in a kernel that can be variables, with their bytes.
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
    /// The declaration of such an array; of words where nobody accesses it.
    pub fn private_array(&self, mem: Mem, bytes: i64) -> String {
        let elem = match self.survey.elements.get(&mem) {
            Some(Elements::One(ty)) => *ty,
            Some(Elements::Several) | None => ScalarType::I64,
        };
        let count = (bytes as usize).div_ceil(elem.bytes()).max(1);
        format!("{} {}[{count}];", self.dialect.ty(elem), self.mem(mem))
    }
}
