//! The end of the interpreter. No thread of a stream may be inside Python then, because it could not leave again.
//!
//! Open streams are closed first, and their threads awaited, as Python does with its own threads.

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

/// Interval of the checks whether threads have ended.
const SOON: Duration = Duration::from_millis(1);

/// Permission for a thread to use Python objects, as long as this value lives.
pub struct Within;

impl Within {
    /// Grants the permission; `None` if the interpreter is ending.
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

/// Registers a stream, which is then closed before the interpreter ends.
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

/// Notes that this process is the child of a fork, which has none of its parent's threads.
pub fn after_fork() {
    THREADS.store(0, Ordering::SeqCst);
}
