//! Profile of runs: the time of every kernel, and of all copies and fills, in total and step by step.
//!
//! Off unless requested; then a launch costs two more clock readings, and on a device the host waits for it. Kernels on devices
//! count the time measured by the driver, everything else the time of the host's clock. Copies count the bytes that they move; a
//! kernel counts the sizes of the blocks that it receives, an upper bound of what it can touch once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::machine::KernelName;

/// Maximum number of recorded steps; later ones are only counted.
const MOST_STEPS: usize = 1 << 20;

/// The counters of a machine.
pub(super) struct Profile {
    on: AtomicBool,
    kernels: Vec<Counter>,
    others: [Counter; OTHERS.len()],
    steps: Mutex<Option<Steps>>,
}

/// Work other than kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Other {
    /// A copy of an array by the processor.
    Copy,
    /// A fill of an array with a scalar.
    Fill,
    /// A copy of an argument to a device.
    ToDevice,
    /// A copy of a result, or of a scalar that host code needs, to the host.
    ToHost,
    /// A check whether launches on a device have failed.
    Look,
}

/// Names of the variants of [`Other`], in order.
const OTHERS: [&str; 5] = ["copy", "fill", "to the device", "to the host", "look for failures"];

/// The counts of one kind of work.
#[derive(Default)]
pub(super) struct Counter {
    times: AtomicU64,
    nanoseconds: AtomicU64,
    bytes: AtomicU64,
}

/// The work of one kernel, or of all copies or fills, in all runs since counting began.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spent {
    /// Name of the kernel, or `copy`, `fill`, `to the device`, `to the host` or `look for failures`.
    pub what: String,
    /// `file:line:column` of the operation that the kernel was made from; empty for other work.
    pub place: String,
    /// Source lines of the kernel's statements if there are several: `file:3, 7-9`.
    pub lines: String,
    /// Number of runs.
    pub times: u64,
    /// Total time.
    pub time: Duration,
    /// Total size in bytes of the arrays given to it.
    pub bytes: u64,
}

/// One launch, copy or fill.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Name, as in [`Spent::what`].
    pub what: String,
    /// Source position, as in [`Spent::place`].
    pub place: String,
    /// Start time.
    pub start: Instant,
    /// Duration.
    pub time: Duration,
    /// Total size in bytes of the arrays given to it.
    pub bytes: u64,
}

/// The steps in order of their ends. A step's number counts the kernels first, then the variants of [`Other`].
#[derive(Default)]
struct Steps {
    steps: Vec<(usize, Instant, Duration, u64)>,
}

impl Profile {
    pub(super) fn new(kernels: usize) -> Profile {
        Profile {
            on: AtomicBool::new(false),
            kernels: (0..kernels).map(|_| Counter::default()).collect(),
            others: Default::default(),
            steps: Mutex::default(),
        }
    }

    pub(super) fn start(&self) {
        self.on.store(true, Ordering::Relaxed);
    }

    /// Starts counting and keeps every step.
    pub(super) fn start_steps(&self) {
        *self.steps.lock().unwrap_or_else(PoisonError::into_inner) = Some(Steps::default());
        self.start();
    }

    pub(super) fn stop(&self) {
        self.on.store(false, Ordering::Relaxed);
    }

    /// Returns whether counting is on.
    pub(super) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Runs a launch, and counts it if counting is on.
    pub(super) fn kernel<T>(&self, kernel: u32, bytes: impl FnOnce() -> u64, run: impl FnOnce() -> T) -> T {
        self.count(kernel as usize, bytes, run)
    }

    /// Counts a launch by the time that the device measured.
    pub(super) fn launched(&self, kernel: u32, start: Instant, time: Duration, bytes: u64) {
        self.add(kernel as usize, start, time, bytes);
    }

    /// Runs other work, and counts it if counting is on.
    pub(super) fn other<T>(&self, what: Other, bytes: impl FnOnce() -> u64, run: impl FnOnce() -> T) -> T {
        self.count(self.kernels.len() + what as usize, bytes, run)
    }

    fn count<T>(&self, number: usize, bytes: impl FnOnce() -> u64, run: impl FnOnce() -> T) -> T {
        if !self.is_on() {
            return run();
        }
        let start = Instant::now();
        let result = run();
        self.add(number, start, start.elapsed(), bytes());
        result
    }

    fn add(&self, number: usize, start: Instant, time: Duration, bytes: u64) {
        let counter = match number.checked_sub(self.kernels.len()) {
            None => &self.kernels[number],
            Some(other) => &self.others[other],
        };
        counter.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        counter.times.fetch_add(1, Ordering::Relaxed);
        counter.bytes.fetch_add(bytes, Ordering::Relaxed);
        if let Some(steps) = &mut *self.steps.lock().unwrap_or_else(PoisonError::into_inner)
            && steps.steps.len() < MOST_STEPS
        {
            steps.steps.push((number, start, time, bytes));
        }
    }

    /// Returns the work that ran at all, the longest first.
    pub(super) fn spent(&self, names: &[KernelName]) -> Vec<Spent> {
        let kernels = names.iter().zip(&self.kernels).map(|(name, counter)| counter.spent(name));
        let others = OTHERS.map(|name| KernelName { name: name.to_string(), ..KernelName::default() });
        let others = others.iter().zip(&self.others).map(|(name, counter)| counter.spent(name));
        let mut spent: Vec<Spent> = kernels.chain(others).filter(|spent| spent.times > 0).collect();
        spent.sort_by_key(|spent| std::cmp::Reverse(spent.time));
        spent
    }

    /// Returns every step since [`Profile::start_steps`], in the order in which they ended.
    pub(super) fn steps(&self, names: &[KernelName]) -> Vec<Step> {
        let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.as_ref().map_or(Vec::new(), |steps| steps.named(names))
    }

    /// Returns the steps as [`Profile::steps`] does, and forgets them.
    pub(super) fn take_steps(&self, names: &[KernelName]) -> Vec<Step> {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.as_mut().map_or(Vec::new(), |steps| std::mem::take(steps).named(names))
    }
}

impl Steps {
    fn named(&self, names: &[KernelName]) -> Vec<Step> {
        let step = |&(number, start, time, bytes): &(usize, Instant, Duration, u64)| {
            let (what, place) = match names.get(number) {
                Some(KernelName { name, place, .. }) => (name.clone(), place.clone()),
                None => (OTHERS[number - names.len()].to_string(), String::new()),
            };
            Step { what, place, start, time, bytes }
        };
        self.steps.iter().map(step).collect()
    }
}

impl Counter {
    fn spent(&self, KernelName { name, place, lines, .. }: &KernelName) -> Spent {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Spent {
            what: name.clone(),
            place: place.clone(),
            lines: lines.clone(),
            times: load(&self.times),
            time: Duration::from_nanos(load(&self.nanoseconds)),
            bytes: load(&self.bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_add_up_and_steps_are_kept_in_order() {
        let name = |name: &str| {
            let place = format!("{name}.fut:1:1");
            KernelName { name: name.to_string(), place, ..KernelName::default() }
        };
        let names = [name("a"), name("b")];
        let profile = Profile::new(2);
        profile.other(Other::Copy, || 1, || ());
        assert!(profile.spent(&names).is_empty() && profile.steps(&names).is_empty(), "it is off");
        profile.start();
        profile.kernel(1, || 5, || ());
        profile.start_steps();
        profile.launched(0, Instant::now(), Duration::from_secs(2), 7);
        profile.launched(0, Instant::now(), Duration::from_secs(3), 8);
        profile.other(Other::ToHost, || 9, || ());
        profile.stop();
        profile.kernel(0, || 1, || ());
        let spent = profile.spent(&names);
        let first = spent.first().expect("something ran");
        assert_eq!((first.what.as_str(), first.times, first.bytes), ("a", 2, 15));
        assert_eq!((first.place.as_str(), first.time), ("a.fut:1:1", Duration::from_secs(5)));
        assert_eq!(spent.len(), 3);
        let steps: Vec<(String, u64)> =
            profile.steps(&names).into_iter().map(|step| (step.what, step.bytes)).collect();
        let wanted = [("a", 7), ("a", 8), ("to the host", 9)];
        assert_eq!(steps, wanted.map(|(what, bytes)| (what.to_string(), bytes)));
        assert_eq!(profile.take_steps(&names).len(), 3);
        assert!(profile.take_steps(&names).is_empty());
        profile.start();
        profile.kernel(1, || 5, || ());
        assert_eq!(profile.take_steps(&names).len(), 1, "recording goes on");
    }
}
