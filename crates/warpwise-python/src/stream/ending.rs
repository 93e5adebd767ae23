//! The interpreter's end: no thread of a stream may be within Python then, since it would not get out again.
//!
//! Streams that are left over are closed first, and their threads waited for, as Python does with its own.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, Weak};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::State;
use crate::interrupt;

static ENDING: AtomicBool = AtomicBool::new(false);
static THREADS: AtomicUsize = AtomicUsize::new(0);
static OPEN: Mutex<Vec<Weak<Mutex<State>>>> = Mutex::new(Vec::new());

/// How often to look whether threads have ended.
const SOON: Duration = Duration::from_millis(1);

/// A thread that may use what is Python's, as long as this lives.
pub struct Within;

impl Within {
    /// Enters; `None` if the interpreter ends.
    pub fn enter() -> Option<Within> {
        THREADS.fetch_add(1, Ordering::SeqCst);
        let within = Within;
        (!ENDING.load(Ordering::SeqCst)).then_some(within)
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        THREADS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Sees to it that a stream is closed before the interpreter ends.
pub fn watch(py: Python<'_>, stream: Weak<Mutex<State>>) -> PyResult<()> {
    static REGISTERED: PyOnceLock<()> = PyOnceLock::new();
    REGISTERED.get_or_try_init(py, || {
        let end = wrap_pyfunction!(end_streams, py)?;
        py.import("atexit")?.call_method1("register", (end,)).map(|_| ())
    })?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|stream| stream.strong_count() > 0);
    open.push(stream);
    Ok(())
}

#[pyfunction]
fn end_streams(py: Python<'_>) -> PyResult<()> {
    ENDING.store(true, Ordering::SeqCst);
    let open = std::mem::take(&mut *OPEN.lock().unwrap_or_else(PoisonError::into_inner));
    for stream in open.iter().filter_map(Weak::upgrade) {
        if let Ok(mut state) = stream.try_lock() {
            *state = State::Over;
        }
    }
    while THREADS.load(Ordering::SeqCst) > 0 {
        py.detach(|| std::thread::sleep(SOON));
        interrupt::raise(py)?;
    }
    Ok(())
}

/// Tells that this is the child of a fork, which has no thread of its parent's.
pub fn after_fork() {
    THREADS.store(0, Ordering::SeqCst);
}
