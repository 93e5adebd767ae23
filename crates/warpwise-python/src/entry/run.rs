//! Runs of entry points: in the main thread or in another, until the call ends or an exception ends it.

use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::time::Instant;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use warpwise_driver::{ArgumentError, CallError, Program as Loaded};
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::execute::RunError as Stopped;
use warpwise_standalone::entry::Dimension;
use warpwise_standalone::interface::Input;

use super::{EntryPoint, parameter_name};
use crate::calls;
use crate::error;
use crate::given::Consumed;
use crate::interrupt;
use crate::program::Running;

/// The outcome of a call that may have failed inside of the run time.
type Called<T> = PyResult<Result<T, CallError>>;

impl EntryPoint {
    /// Runs `call` to completion with these arguments.
    pub(super) fn run<T: Send>(
        &self,
        py: Python<'_>,
        running: &Running,
        given: &[Bound<'_, PyAny>],
        call: impl Fn(&Loaded, Vec<Placed>) -> Result<T, CallError> + Sync,
    ) -> PyResult<T> {
        let work = || {
            let leaves = self.taken(running, given)?;
            Ok(|| error::guarded(|| call(&running.program, leaves)))
        };
        let gives_away = || given.iter().any(|object| object.is_instance_of::<Consumed>());
        let is_repeatable = !self.interface().inputs.iter().any(Input::is_consumed) || !gives_away();
        let called = if interrupt::is_main_thread() {
            self.run_in_main(py, running, is_repeatable, work)
        } else {
            self.run_in_thread(py, running, is_repeatable, work)
        };
        called?.map_err(|error| self.failure(py, error))
    }

    /// Runs the work that `work` returns, in the main thread or, if it is likely to be long, while the main thread handles signals.
    fn run_in_main<T: Send, W: FnOnce() -> Called<T> + Send>(
        &self,
        py: Python<'_>,
        running: &Running,
        is_repeatable: bool,
        work: impl Fn() -> PyResult<W>,
    ) -> PyResult<Result<T, CallError>> {
        let flag = running.context.threads().cancel_flag();
        loop {
            let called = if self.is_long.load(Ordering::Relaxed) {
                let start = Instant::now();
                let called = interrupt::apart(py, flag, work()?)??;
                self.is_long.store(start.elapsed() >= interrupt::LOOK, Ordering::Relaxed);
                called
            } else {
                let call = interrupt::Call { flag, is_long: &self.is_long, is_repeatable };
                interrupt::here(py, &call, work()?)??
            };
            if !is_interrupted(&called) {
                return Ok(called);
            }
            interrupt::raise(py)?;
            if !is_repeatable {
                return Ok(called);
            }
            self.is_long.store(true, Ordering::Relaxed);
            interrupt::until_over(py, flag);
        }
    }

    /// Runs the work that `work` returns in another thread. An exception that ends the main thread's call on the same threads also stops
    /// this one, which then starts again if it can.
    fn run_in_thread<T: Send, W: FnOnce() -> Called<T> + Send>(
        &self,
        py: Python<'_>,
        running: &Running,
        is_repeatable: bool,
        work: impl Fn() -> PyResult<W>,
    ) -> PyResult<Result<T, CallError>> {
        let flag = running.context.threads().cancel_flag();
        loop {
            let called = calls::in_thread(py, flag, work()?)??;
            if !is_interrupted(&called) || !is_repeatable {
                return Ok(called);
            }
            interrupt::until_over(py, flag);
        }
    }

    /// Returns the exception for a failed call.
    pub(super) fn failure(&self, py: Python<'_>, error: CallError) -> PyErr {
        let CallError::Argument(ArgumentError::Size { position, name, dimension, expected, found, same }) =
            error
        else {
            return error::not_run(py, error);
        };
        let (entry, place) = (&self.interface().name, self.place(position, &name));
        let mut text = format!(
            "{entry}(): argument `{place}`: dimension {dimension} has size {found}, but {expected} is expected"
        );
        if let Some(Dimension { position, name, dimension }) = same {
            let place = self.place(position, &name);
            // Writing to a string cannot fail.
            let _ = write!(text, ", as dimension {dimension} of argument `{place}` has");
        }
        PyValueError::new_err(text)
    }

    /// Returns the parameter, or its part, that the run time calls `name`. The run time counts the parts of all parameters.
    fn place(&self, position: usize, name: &str) -> String {
        if !name.is_empty() && !name.starts_with('.') {
            return name.to_string();
        }
        let mut parameters = self.interface().inputs.iter().enumerate().flat_map(|(at, input)| {
            let parts = self.code.interface.leaves(input.ty).len();
            std::iter::repeat_n((at, input), parts)
        });
        let unnamed = parameters.nth(position).map(|(at, input)| parameter_name(at, input));
        unnamed.unwrap_or_default() + name
    }
}

fn is_interrupted<T>(called: &Result<T, CallError>) -> bool {
    matches!(called, Err(CallError::Run(Stopped::Interrupted)))
}
