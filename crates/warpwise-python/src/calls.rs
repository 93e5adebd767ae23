//! Calls in threads other than the main one, and their end before the interpreter ends.
//!
//! The end of a process takes down libraries that running calls use. So the exit hook of the module stops these calls, and waits until
//! their threads have left them. The threads then end with `SystemExit`, which Python does not report. Python waits for all threads but
//! daemons before the hook runs, so these threads are daemons.
//!
//! Absent: compilations, which nothing can stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PySystemExit;
use pyo3::prelude::*;
use warpwise_runtime::pool::CancelFlag;

use crate::interrupt;

static ENDING: AtomicBool = AtomicBool::new(false);
/// The flags of the running calls. The mutex is only held together with the interpreter's lock, and a fork takes place under that lock.
static CALLS: Mutex<Vec<CancelFlag>> = Mutex::new(Vec::new());

/// Runs `work`, which checks `flag`, without the interpreter's lock, in a thread other than the main one. Raises SystemExit if the
/// interpreter ends.
pub fn in_thread<T: Send>(py: Python<'_>, flag: &CancelFlag, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    go_on()?;
    calls().push(flag.clone());
    let result = py.detach(work);
    let mut calls = calls();
    let own = calls.iter().position(|other| std::ptr::eq(other.as_atomic(), flag.as_atomic()));
    own.map(|own| calls.swap_remove(own));
    drop(calls);
    go_on().map(|()| result)
}

fn go_on() -> PyResult<()> {
    match ENDING.load(Ordering::SeqCst) {
        true => Err(PySystemExit::new_err("the interpreter ends")),
        false => Ok(()),
    }
}

fn calls() -> MutexGuard<'static, Vec<CancelFlag>> {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stops the running calls and waits for their end, and for that of all commands of devices. The module's `__init__` registers this
/// function with Python.
#[pyfunction(name = "_end_calls")]
pub fn end_calls(py: Python<'_>) -> PyResult<()> {
    ENDING.store(true, Ordering::SeqCst);
    let mut flags: Vec<CancelFlag> = Vec::new();
    loop {
        let running = calls().clone();
        if running.is_empty() {
            break;
        }
        running.iter().for_each(CancelFlag::set);
        flags.extend(running);
        py.detach(|| std::thread::sleep(Duration::from_millis(1)));
        interrupt::raise(py)?;
    }
    flags.iter().for_each(CancelFlag::clear);
    py.detach(warpwise_gpu::opencl::finish_all);
    Ok(())
}

/// Notes that this process is the child of a fork, which has none of its parent's threads.
pub fn after_fork() {
    calls().clear();
}
