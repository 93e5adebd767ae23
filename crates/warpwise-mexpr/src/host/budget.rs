//! A bound on the memory of a run, so that a run that needs too much ends with an error and its position.
//!
//! Code that allocates charges the bytes before it allocates. Charges reduce an allowance. Only when the allowance is used up,
//! the memory of the process is measured, which takes microseconds. So the bound holds to within an allowance, and freed memory
//! counts again. Calls and iterations of loops are charged a flat rate ([`CALL`]) for the small objects that they make: closures,
//! frames, nodes of sequences. Absent: the memory of devices, and that of accelerated code, which has a pool with the same bound.

use std::cell::Cell;

/// The charge for a call or an iteration of a loop.
pub(super) const CALL: usize = 1 << 10;

/// The least and the largest allowance.
const ALLOWANCES: (u64, u64) = (1 << 20, 1 << 30);

/// The memory bound of a run.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Maximum number of bytes of the process.
    pub bytes: u64,
    /// Returns the bytes in use; `None` if they cannot be measured, and then there is no bound.
    pub used: fn() -> Option<u64>,
}

/// The budget of this thread's run, and the bytes that may be taken before memory is measured again.
struct Meter {
    budget: Cell<Option<Budget>>,
    allowance: Cell<i64>,
}

thread_local! {
    static METER: Meter = const { Meter { budget: Cell::new(None), allowance: Cell::new(0) } };
}

/// Starts to count against a budget, until the result is dropped.
pub(super) fn start(budget: Option<Budget>) -> Started {
    METER.with(|meter| {
        meter.budget.set(budget);
        meter.allowance.set(0);
    });
    Started
}

/// Guard of a run that counts its memory.
pub(super) struct Started;

impl Drop for Started {
    fn drop(&mut self) {
        METER.with(|meter| meter.budget.set(None));
    }
}

/// Charges bytes that are about to be taken; returns whether they are available.
pub(super) fn charge(bytes: usize) -> bool {
    METER.with(|meter| {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let left = meter.allowance.get().saturating_sub(bytes);
        meter.allowance.set(left);
        left >= 0 || meter.measure(bytes as u64)
    })
}

/// Charges bytes for the object described by `what`, or returns an error.
pub(super) fn take(bytes: usize, what: impl FnOnce() -> String) -> Result<(), String> {
    if charge(bytes) { Ok(()) } else { Err(format!("out of memory: {}{}", what(), held())) }
}

/// Returns the bytes in use and the bound, as text.
fn held() -> String {
    let budget = METER.with(|meter| meter.budget.get());
    let Some((bytes, used)) = budget.and_then(|budget| Some((budget.bytes, (budget.used)()?))) else {
        return String::new();
    };
    let mega = |bytes: u64| bytes >> 20;
    format!("{} MiB are in use, of {} MiB that may be", mega(used), mega(bytes))
}

impl Meter {
    /// Measures the memory that remains after `next` bytes, and sets the allowance to a part of it; returns whether there is
    /// enough.
    #[cold]
    fn measure(&self, next: u64) -> bool {
        let Some((bytes, used)) = self.budget.get().and_then(|it| Some((it.bytes, (it.used)()?))) else {
            self.allowance.set(i64::MAX);
            return true;
        };
        let left = bytes.saturating_sub(used).saturating_sub(next);
        let fits = left >= ALLOWANCES.0;
        self.allowance.set(if fits { (left / 2).clamp(ALLOWANCES.0, ALLOWANCES.1) as i64 } else { 0 });
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_refused_and_what_is_given_back_counts_again() {
        thread_local!(static USED: Cell<u64> = const { Cell::new(0) });
        let budget = Budget { bytes: 1 << 30, used: || Some(USED.with(Cell::get)) };
        let run = start(Some(budget));
        assert!(charge(1 << 29) && !charge(1 << 30));
        USED.with(|used| used.set((1 << 30) - 1));
        assert!(!charge(CALL));
        let error = take(CALL, || "a list; ".to_string()).unwrap_err();
        assert_eq!(error, "out of memory: a list; 1023 MiB are in use, of 1024 MiB that may be");
        USED.with(|used| used.set(0));
        assert!(charge(CALL));
        drop(run);
        assert!(charge(usize::MAX));
    }
}
