//! The buffer in which kernels record the failure of the first failing iteration.
//!
//! Work-items fail in any order, so a failure replaces a recorded one only if its iteration is
//! earlier. The buffer is an array of 32-bit words, because every device has atomic operations on those;
//! wider values are two words, the low one first.
//!
//! | word | what |
//! |---|---|
//! | 0 | a lock: 1 while a work-item records |
//! | 1 | the check |
//! | 2, 3 | the iteration; the greatest `i64` while nothing has failed |
//! | 4, ... | the values of the message, two words each, as bits |

use warpwise_imp::{CheckId, ImpProgram};
use warpwise_ir::entity::Entity;
use warpwise_prim::Scalar;
use warpwise_runtime::machine::CheckPart;

/// Word with the lock.
pub(crate) const LOCK: usize = 0;
/// Word with the check.
pub(crate) const CHECK: usize = 1;
/// First word of the iteration.
pub(crate) const ITERATION: usize = 2;
/// First word of the values.
pub(crate) const VALUES: usize = 4;

/// A check that failed in a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedCheck {
    /// Which.
    pub check: CheckId,
    /// In which flat iteration of the launch.
    pub iteration: i64,
    /// What its message shows.
    pub values: Vec<Scalar>,
}

/// The contents of a buffer in which nothing has failed, large enough for every check of a program.
pub fn no_failure(program: &ImpProgram) -> Vec<u32> {
    let most = program.checks.values().map(|check| value_types(&check.parts).count()).max().unwrap_or(0);
    let mut words = vec![0; VALUES + 2 * most];
    words[ITERATION] = i64::MAX as u32;
    words[ITERATION + 1] = (i64::MAX >> 32) as u32;
    words
}

/// What a buffer says after a launch; `None` where nothing failed, or for words that no kernel of
/// the program leaves.
pub fn read_failure(program: &ImpProgram, words: &[u32]) -> Option<FailedCheck> {
    let wide = |at: usize| Some(u64::from(*words.get(at)?) | u64::from(*words.get(at + 1)?) << 32);
    let iteration = wide(ITERATION)? as i64;
    let check = *words.get(CHECK)? as usize;
    if iteration == i64::MAX || check >= program.checks.len() {
        return None;
    }
    let check = CheckId::new(check);
    let types = value_types(&program.checks[check].parts).enumerate();
    let values = types.map(|(i, ty)| Some(Scalar::from_bits(ty, wide(VALUES + 2 * i)?)));
    Some(FailedCheck { check, iteration, values: values.collect::<Option<_>>()? })
}

/// The types of the values that a message shows.
fn value_types(parts: &[CheckPart]) -> impl Iterator<Item = warpwise_prim::ScalarType> {
    parts.iter().filter_map(|part| match part {
        CheckPart::Text(_) => None,
        CheckPart::Value(ty) => Some(ty.scalar()),
    })
}
