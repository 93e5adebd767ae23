//! The buffer in which device kernels record the failure of the first failing iteration.
//!
//! Work-items fail in any order, so a failure replaces a recorded one only if its iteration is earlier. The buffer is an array of
//! 32-bit words, because every device has atomic operations on these; wider values occupy two words, the low one first.
//!
//! The host does not wait for every launch that may fail. It checks the buffer when something depends on it. Until then, later
//! launches would rely on results that a failed launch did not compute. So a launch begins by checking whether an earlier one
//! failed; if so, it only passes the failure on. The launches of a run alternate between two words for this purpose, so that no
//! work-item writes the word that others of the same launch read.
//!
//! | word | what |
//! |---|---|
//! | 0 | a lock: 1 while a work-item records |
//! | 1 | the number of the check |
//! | 2, 3 | the iteration; the greatest `i64` while nothing has failed |
//! | 4 | the largest amount of arena memory that a work-item requested in vain, in units of 64 bytes |
//! | 5, 6 | by turn: 1 if a launch up to the latest of this turn has failed |
//! | 7, ... | the values of the message as bits, two words each |

use std::sync::Arc;

use super::memory::{DeviceBlock, NoBlock};
use crate::machine::{Check, CheckPart};

/// Index of the word with the lock.
pub const LOCK: usize = 0;
/// Index of the word with the check's number.
pub const CHECK: usize = 1;
/// Index of the first word of the iteration.
pub const ITERATION: usize = 2;
/// Index of the word with the requested arena memory.
pub const WANTED: usize = 4;
/// Index of the first of the two words between which launches alternate.
pub const FAILED: usize = 5;
/// Index of the first word of the values.
pub const VALUES: usize = 7;

/// Size in bytes of the unit of the word [`WANTED`].
pub const WANTED_UNIT: u64 = 64;

/// A check that failed in a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedCheck {
    /// Number of the check.
    pub check: u32,
    /// Flat iteration of the launch in which the check failed.
    pub iteration: i64,
    /// Values that the message shows, as bits.
    pub values: Vec<u64>,
}

/// The contents of a buffer after launches.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Recorded {
    /// Failure of the first failing iteration of the first launch that failed.
    pub failed: Option<FailedCheck>,
    /// Bytes of arena memory that a work-item needs, if some work-item needed more than it had.
    pub wanted: Option<u64>,
}

/// Returns the contents of a buffer without failures, large enough for each of these checks.
pub fn no_failure(checks: &[Check]) -> Vec<u32> {
    let most = checks.iter().map(shown).max().unwrap_or(0);
    let mut words = vec![0; VALUES + 2 * most];
    words[ITERATION] = i64::MAX as u32;
    words[ITERATION + 1] = (i64::MAX >> 32) as u32;
    words
}

/// Clears all failures from a buffer.
pub fn clear(buffer: &Arc<DeviceBlock>, checks: &[Check]) -> Result<(), NoBlock> {
    let bytes: Vec<u8> = no_failure(checks).iter().flat_map(|word| word.to_le_bytes()).collect();
    buffer.write(0, &bytes)
}

/// Reads and decodes a buffer when all earlier commands of the device are done.
pub fn read(buffer: &Arc<DeviceBlock>, checks: &[Check]) -> Result<Recorded, NoBlock> {
    let mut bytes = vec![0; buffer.bytes() as usize];
    buffer.read(0, &mut bytes)?;
    let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    Ok(recorded(checks, &words.collect::<Vec<_>>()))
}

/// Decodes a buffer; contents that no kernel produces are ignored.
pub fn recorded(checks: &[Check], words: &[u32]) -> Recorded {
    let wide = |at: usize| Some(u64::from(*words.get(at)?) | u64::from(*words.get(at + 1)?) << 32);
    let wanted = words.get(WANTED).filter(|&&units| units > 0).map(|&units| u64::from(units) * WANTED_UNIT);
    let failed = || {
        let iteration = wide(ITERATION)? as i64;
        let number = *words.get(CHECK)?;
        let check = checks.get(number as usize).filter(|_| iteration != i64::MAX)?;
        let values = (0..shown(check)).map(|i| wide(VALUES + 2 * i)).collect::<Option<_>>()?;
        Some(FailedCheck { check: number, iteration, values })
    };
    Recorded { failed: failed(), wanted }
}

/// Returns the number of values that a message shows.
fn shown(check: &Check) -> usize {
    check.parts.iter().filter(|part| matches!(part, CheckPart::Value(_))).count()
}

#[cfg(test)]
mod tests {
    use warpwise_prim::ValueType;

    use super::*;

    #[test]
    fn a_fresh_buffer_says_nothing_and_a_written_one_what_was_written() {
        let parts = vec![CheckPart::Value(ValueType::I64), CheckPart::Text("!".into())];
        let checks = [Check { parts, place: String::new(), calls: Vec::new() }];
        let mut words = no_failure(&checks);
        assert_eq!(recorded(&checks, &words), Recorded::default());
        assert_eq!(recorded(&checks, &[]), Recorded::default());
        (words[ITERATION], words[ITERATION + 1], words[VALUES + 1]) = (7, 1, 2);
        words[WANTED] = 3;
        let failed = FailedCheck { check: 0, iteration: (1 << 32) + 7, values: vec![2 << 32] };
        assert_eq!(recorded(&checks, &words), Recorded { failed: Some(failed), wanted: Some(192) });
    }
}
