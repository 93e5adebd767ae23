//! Streams: an entry point over data that is larger than memory.
//!
//! ```text
//! program.stream("twice", source)         Map       for each block of elements what the entry point gives
//! program.fold(source)                    Fold      the state after all blocks
//! ```
//!
//! How elements are grouped, read ahead and written is decided in `warpwise-stream`; this only says what a Python object is as a
//! source ([`source`]), and what is to be done with results. The pipeline runs in threads of its own; the thread that asks for results
//! waits for them without the interpreter's lock, looks for signals meanwhile, and shows how far the stream is ([`progress`]).

mod ending;
mod options;
mod progress;
mod running;
mod source;
mod target;

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use warpwise_standalone::interface::TypeRef;

use crate::error::InternalError;
use crate::program::{Code, Running as Program};
use crate::results::Giver;

pub use ending::after_fork;
pub use options::Asked;

use running::{Prepared, Running};

/// The results of a stream, one block after the other: an iterator of NumPy arrays, or of what the entry point gives for a block.
///
/// Nothing is read before the first result is asked for, but the first piece of an iterator. A stream that is no longer wanted is closed
/// by `close`, or when nobody has it any more.
#[pyclass(module = "warpwise", frozen)]
pub struct Stream {
    code: Arc<Code>,
    program: Arc<Program>,
    output: TypeRef,
    state: Arc<Mutex<State>>,
}

/// How far a stream is.
pub enum State {
    /// It has not begun.
    Prepared(Box<Prepared>),
    /// There may be more results.
    Running(Box<Running>),
    /// There are none.
    Over,
}

impl Stream {
    /// Its state, if no other thread has it.
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        self.state.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                PyValueError::new_err("another thread waits for a result of this stream")
            }
            TryLockError::Poisoned(_) => InternalError::new_err("the stream has failed"),
        })
    }

    /// What comes next, taken from the state while no other thread does.
    fn advance(&self, py: Python<'_>) -> PyResult<Option<Vec<warpwise_runtime::array::Value>>> {
        let mut state = self.state()?;
        let mut running = match std::mem::replace(&mut *state, State::Over) {
            State::Prepared(prepared) => Box::new(prepared.start()?),
            State::Running(running) => running,
            State::Over => return Ok(None),
        };
        let next = running.next(py)?;
        if next.is_some() {
            *state = State::Running(running);
        }
        Ok(next)
    }
}

#[pymethods]
impl Stream {
    fn __iter__(slf: PyRef<'_, Stream>) -> PyRef<'_, Stream> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let results = self.advance(py)?;
        let given =
            results.map(|results| Giver::new(py, &self.code, &self.program).value(self.output, results));
        given.transpose()
    }

    /// Ends the stream: there are no further results. ValueError if another thread waits for one.
    fn close(&self) -> PyResult<()> {
        *self.state()? = State::Over;
        Ok(())
    }
}

/// What `Program.stream` does.
pub fn stream<'py>(
    py: Python<'py>,
    code: &Arc<Code>,
    (entry, source, fixed): (&str, &Bound<'py, PyAny>, &Bound<'py, PyTuple>),
    asked: &Asked<'py>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let program = code.running()?;
    let out = out.map(options::paths).transpose()?;
    let (prepared, output) = asked.map(code, &program, entry, source, fixed)?;
    let Some(out) = out else {
        let state = Arc::new(Mutex::new(State::Prepared(Box::new(prepared))));
        ending::watch(py, Arc::downgrade(&state))?;
        let stream = Stream { code: Arc::clone(code), program, output, state };
        return Ok(Bound::new(py, stream)?.into_any());
    };
    let (prepared, files) = target::files(prepared, &out)?;
    let mut running = prepared.start()?;
    match running.next(py) {
        Ok(_) => target::complete(files)?,
        Err(error) => {
            target::discard(files);
            return Err(error);
        }
    }
    Ok(running.elements().into_pyobject(py)?.into_any())
}

/// What `Program.fold` does.
pub fn fold<'py>(
    py: Python<'py>,
    code: &Arc<Code>,
    (names, source): ([&str; 3], &Bound<'py, PyAny>),
    asked: &Asked<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let program = code.running()?;
    let (prepared, output) = asked.fold(code, &program, names, source)?;
    let state = prepared.start()?.next(py)?;
    let state = state.ok_or_else(|| InternalError::new_err("a fold has no state"))?;
    Giver::new(py, code, &program).value(output, state)
}
