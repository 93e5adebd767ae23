//! Streams: an entry point over data that is larger than memory.
//!
//! ```text
//! program.stream("twice", source)         Map       for each block of elements what the entry point gives
//! program.fold(source)                    Fold      the state after all blocks
//! ```
//!
//! `warpwise-stream` decides how elements are grouped, read ahead and written. This module only turns Python objects into sources
//! ([`source`]) and delivers the results.
//!
//! The pipeline runs in threads of its own. The thread that asks for results waits for them without the interpreter's lock, checks for
//! signals meanwhile, and shows the progress ([`progress`]).

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

/// The results of a stream, block by block: an iterator of NumPy arrays, or of other results of the entry point.
///
/// Nothing is read before the first result is asked for, except the first piece of an iterator. A stream is closed by `close`, at
/// the end of a `with` statement, or when the last reference to it is gone.
#[pyclass(module = "warpwise", frozen)]
pub struct Stream {
    code: Arc<Code>,
    program: Arc<Program>,
    output: TypeRef,
    state: Arc<Mutex<State>>,
}

/// The state of a stream.
pub enum State {
    /// The stream has not begun.
    Prepared(Box<Prepared>),
    /// The stream runs, and may have more results.
    Running(Box<Running>),
    /// There are no more results.
    Over,
}

impl Stream {
    /// Locks the state, unless another thread has locked it.
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        self.state.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                PyValueError::new_err("another thread waits for a result of this stream")
            }
            TryLockError::Poisoned(_) => InternalError::new_err("the stream has failed"),
        })
    }

    /// Returns the next results, holding the state so that no other thread takes them.
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

    fn __enter__(slf: PyRef<'_, Stream>) -> PyRef<'_, Stream> {
        slf
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, _raised: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close()
    }

    /// Ends the stream, so that it gives no further results. ValueError if another thread waits for one.
    fn close(&self) -> PyResult<()> {
        *self.state()? = State::Over;
        Ok(())
    }
}

/// Implements `Program.stream`.
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

/// Implements `Program.fold`.
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
