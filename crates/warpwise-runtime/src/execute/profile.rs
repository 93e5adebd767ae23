//! Where the time of runs goes: what every kernel, and all copies and fills took.
//!
//! Off unless asked for; then a launch costs two looks at the clock more. Copies count what they move; a kernel counts the
//! sizes of the blocks it is given, which is the most it can touch once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::machine::KernelName;

/// Counters of a machine.
pub(super) struct Profile {
    on: AtomicBool,
    kernels: Vec<Counter>,
    copies: Counter,
    fills: Counter,
}

/// What is counted for one kind of work.
#[derive(Default)]
pub(super) struct Counter {
    times: AtomicU64,
    nanoseconds: AtomicU64,
    bytes: AtomicU64,
}

/// What one kernel, or all copies or fills, took in all runs since counting began.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spent {
    /// The kernel's name; `copy` or `fill`.
    pub what: String,
    /// `file:line:column` of the operation it came from; empty for copies and fills.
    pub place: String,
    /// How often it ran.
    pub times: u64,
    /// For how long in all.
    pub time: Duration,
    /// Bytes of the arrays given to it, in all.
    pub bytes: u64,
}

impl Profile {
    pub(super) fn new(kernels: usize) -> Profile {
        Profile {
            on: AtomicBool::new(false),
            kernels: (0..kernels).map(|_| Counter::default()).collect(),
            copies: Counter::default(),
            fills: Counter::default(),
        }
    }

    pub(super) fn start(&self) {
        self.on.store(true, Ordering::Relaxed);
    }

    pub(super) fn stop(&self) {
        self.on.store(false, Ordering::Relaxed);
    }

    /// Whether anything is counted.
    pub(super) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Runs a launch, counting it if anybody wants to know.
    pub(super) fn kernel<T>(&self, kernel: u32, bytes: impl FnOnce() -> u64, run: impl FnOnce() -> T) -> T {
        self.count(&self.kernels[kernel as usize], bytes, run)
    }

    pub(super) fn copy<T>(&self, bytes: impl FnOnce() -> u64, run: impl FnOnce() -> T) -> T {
        self.count(&self.copies, bytes, run)
    }

    pub(super) fn fill<T>(&self, bytes: impl FnOnce() -> u64, run: impl FnOnce() -> T) -> T {
        self.count(&self.fills, bytes, run)
    }

    fn count<T>(&self, counter: &Counter, bytes: impl FnOnce() -> u64, run: impl FnOnce() -> T) -> T {
        if !self.on.load(Ordering::Relaxed) {
            return run();
        }
        let start = Instant::now();
        let result = run();
        counter.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        counter.times.fetch_add(1, Ordering::Relaxed);
        counter.bytes.fetch_add(bytes(), Ordering::Relaxed);
        result
    }

    /// What ran at all, the longest first.
    pub(super) fn spent(&self, names: &[KernelName]) -> Vec<Spent> {
        let kernels =
            names.iter().zip(&self.kernels).map(|(name, counter)| counter.spent(&name.name, &name.place));
        let others = [self.copies.spent("copy", ""), self.fills.spent("fill", "")];
        let mut spent: Vec<Spent> = kernels.chain(others).filter(|spent| spent.times > 0).collect();
        spent.sort_by_key(|spent| std::cmp::Reverse(spent.time));
        spent
    }
}

impl Counter {
    fn spent(&self, what: &str, place: &str) -> Spent {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Spent {
            what: what.to_string(),
            place: place.to_string(),
            times: load(&self.times),
            time: Duration::from_nanos(load(&self.nanoseconds)),
            bytes: load(&self.bytes),
        }
    }
}
