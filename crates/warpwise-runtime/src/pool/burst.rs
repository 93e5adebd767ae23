//! Signals that are one request. A Ctrl-C may reach a process twice: from the terminal, as a member of its process group, and from a
//! parent process that passes it on. What follows a signal within half a second belongs to it.

use std::sync::atomic::{AtomicI64, Ordering};

/// The time of the last burst of signals. Signal handlers may use it: it consists of atomic operations and reading a clock.
#[derive(Debug)]
pub struct Burst {
    /// Time of the first signal in milliseconds of the monotonic clock.
    began: AtomicI64,
}

/// Maximum length of a burst in milliseconds.
const LENGTH: i64 = 500;

impl Burst {
    /// Creates the state before the first signal.
    pub const fn none() -> Burst {
        Burst { began: AtomicI64::new(i64::MIN) }
    }

    /// Notes the first signal of a burst.
    pub fn begin(&self) {
        self.began.store(now(), Ordering::SeqCst);
    }

    /// Returns whether a signal that arrives now belongs to a burst.
    pub fn is_on(&self) -> bool {
        now().saturating_sub(self.began.load(Ordering::SeqCst)) < LENGTH
    }
}

fn now() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock is written to a live structure; signal handlers may make the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_ends() {
        let burst = Burst::none();
        assert!(!burst.is_on());
        burst.begin();
        assert!(burst.is_on());
        burst.began.fetch_sub(LENGTH, Ordering::SeqCst);
        assert!(!burst.is_on());
    }
}
