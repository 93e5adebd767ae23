//! A thread that looks at long calls, so that short calls need not: a system call would take as long as they do.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Thread;

use pyo3::Python;

use super::handler::{learn, stand_before_all};
use super::{LOOK, look_at_call};
use crate::runtime::generation;

/// Number of idle checks after which the thread sleeps.
const PATIENCE: u32 = 50;

/// Number of beginnings and ends of calls; odd during a call.
static STEPS: AtomicU64 = AtomicU64::new(0);
/// Generation whose thread is awake; `u64::MAX` if none is.
static AWAKE: AtomicU64 = AtomicU64::new(u64::MAX);
static WATCHER: Mutex<Option<(u64, Thread)>> = Mutex::new(None);

/// Notes that the main thread begins a call.
pub fn begin(py: Python<'_>) {
    STEPS.fetch_add(1, Ordering::SeqCst);
    if AWAKE.load(Ordering::SeqCst) != generation() {
        wake(py);
    }
}

/// Notes that the call has ended.
pub fn end() {
    STEPS.fetch_add(1, Ordering::SeqCst);
}

#[cold]
fn wake(py: Python<'_>) {
    // Without Python's handler, signals other than SIGINT wait until a call that turns out to be long has ended.
    let _ = learn(py);
    stand_before_all();
    let mut watcher = WATCHER.lock().unwrap_or_else(PoisonError::into_inner);
    let here = generation();
    AWAKE.store(here, Ordering::SeqCst);
    match &*watcher {
        Some((generation, thread)) if *generation == here => thread.unpark(),
        Some(_) | None => {
            let started =
                std::thread::Builder::new().name("watch".to_string()).stack_size(1 << 16).spawn(look);
            // Without the thread, nobody checks the handler during calls.
            *watcher = started.ok().map(|started| (here, started.thread().clone()));
        }
    }
}

fn look() {
    let (mut last, mut idle) = (STEPS.load(Ordering::SeqCst), 0);
    loop {
        std::thread::sleep(LOOK);
        let now = STEPS.load(Ordering::SeqCst);
        let is_same = now == last;
        if is_same && !now.is_multiple_of(2) {
            look_at_call(stand_before_all());
        }
        idle = if is_same && now.is_multiple_of(2) { idle + 1 } else { 0 };
        last = now;
        if idle >= PATIENCE {
            AWAKE.store(u64::MAX, Ordering::SeqCst);
            // A call that began just before has not seen this store, and still needs checks.
            if STEPS.load(Ordering::SeqCst) == now {
                std::thread::park();
            }
            AWAKE.store(generation(), Ordering::SeqCst);
            idle = 0;
        }
    }
}
