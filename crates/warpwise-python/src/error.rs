//! Failures as Python exceptions.

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use warpwise_diag::{Failure, Place, Report};
use warpwise_driver::build::BuildError;
use warpwise_driver::{ArgumentError, CallError, LoadProgramError};
use warpwise_runtime::execute::RunError as Stopped;
use warpwise_runtime::memory::OutOfMemory;
use warpwise_standalone::value::Problem;

create_exception!(warpwise, Error, PyException, "What every exception of this module is.");
create_exception!(
    warpwise,
    CompileError,
    Error,
    "There is no program.\n\n`str()` gives what the command prints; `diagnostics` is a list of dicts with `severity`, `code`, `message`, `at`, \
     `file`, `line`, `column`, `end_line`, `end_column`, `labels` and `hints` (lines and columns from 1, the end exclusive)."
);
create_exception!(
    warpwise,
    RunError,
    Error,
    "A call failed: a check of the program, or the device.\n\n`message` says what, with the values; `place` is `file:line:column` (None if the \
     program has nothing to do with it), and `calls` are the places of the calls that led there, innermost first."
);
create_exception!(
    warpwise,
    InternalError,
    Error,
    "A mistake of this module, or of the compiler. Please report it with the program."
);

/// Returns the exception for a failed compilation.
pub fn not_built(py: Python<'_>, error: &BuildError) -> PyErr {
    match made(py, error) {
        Ok(exception) | Err(exception) => exception,
    }
}

fn made(py: Python<'_>, error: &BuildError) -> PyResult<PyErr> {
    let diagnostics = PyList::empty(py);
    if let BuildError::Failure { failure, sources } = error {
        if matches!(failure, Failure::Bug(_)) {
            return Ok(InternalError::new_err(error.to_string()));
        }
        if let Failure::User(found) = failure {
            for diagnostic in found {
                diagnostics.append(described(py, &Report::new(sources, diagnostic))?)?;
            }
        }
    }
    let exception = CompileError::new_err(error.to_string().trim_end().to_string());
    exception.value(py).setattr("diagnostics", diagnostics)?;
    Ok(exception)
}

fn described<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyDict>> {
    let entry = placed(py, &report.place)?;
    entry.set_item("severity", report.severity)?;
    entry.set_item("code", &report.code)?;
    entry.set_item("message", &report.message)?;
    entry.set_item("at", &report.at)?;
    entry.set_item("hints", &report.hints)?;
    let labels = PyList::empty(py);
    for label in &report.labels {
        let other = placed(py, &label.place)?;
        other.set_item("message", &label.message)?;
        labels.append(other)?;
    }
    entry.set_item("labels", labels)?;
    Ok(entry)
}

fn placed<'py>(py: Python<'py>, place: &Place) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("file", &place.file)?;
    entry.set_item("line", place.line)?;
    entry.set_item("column", place.column)?;
    entry.set_item("end_line", place.end_line)?;
    entry.set_item("end_column", place.end_column)?;
    Ok(entry)
}

/// Returns the exception for a program that cannot be loaded.
pub fn not_loaded(py: Python<'_>, error: &LoadProgramError) -> PyErr {
    run_error(py, &error.to_string(), None, &[])
}

/// Returns the exception for a failed call.
pub fn not_run(py: Python<'_>, error: CallError) -> PyErr {
    match error {
        CallError::Argument(error) => argument(error),
        CallError::NoEntry(..) => PyTypeError::new_err(error.to_string()),
        CallError::Run(Stopped::Check { message, place, calls }) => {
            run_error(py, &message, Some(&place), &calls)
        }
        CallError::Run(error @ Stopped::OutOfMemory { .. }) => PyMemoryError::new_err(error.to_string()),
        CallError::Run(error @ (Stopped::Device(_) | Stopped::Interrupted)) => {
            run_error(py, &error.to_string(), None, &[])
        }
        CallError::Run(error @ Stopped::Internal(_)) => InternalError::new_err(error.to_string()),
    }
}

fn argument(error: ArgumentError) -> PyErr {
    match error {
        ArgumentError::Count { .. } | ArgumentError::Type { .. } => PyTypeError::new_err(error.to_string()),
        ArgumentError::Size { .. } => PyValueError::new_err(error.to_string()),
        ArgumentError::OutOfMemory(_) => PyMemoryError::new_err(error.to_string()),
        ArgumentError::Device(_) => RunError::new_err(error.to_string()),
    }
}

/// Returns a `RunError` with a message, the place in the program that the message is about, and the calls that led there.
pub fn run_error(py: Python<'_>, message: &str, place: Option<&str>, calls: &[String]) -> PyErr {
    let mut text = place.map_or_else(String::new, |place| format!("{place}: ")) + message;
    calls.iter().for_each(|call| text += &format!("\n  called from {call}"));
    let exception = RunError::new_err(text);
    let value = exception.value(py);
    let set = || {
        value.setattr("message", message)?;
        value.setattr("place", place)?;
        value.setattr("calls", calls)
    };
    match set() {
        Ok(()) => exception,
        Err(other) => other,
    }
}

/// Returns the exception for exhausted memory.
pub fn out_of_memory(error: &OutOfMemory) -> PyErr {
    PyMemoryError::new_err(error.to_string())
}

/// Returns the exception for a value that cannot be assembled or taken apart.
pub fn problem(problem: &Problem) -> PyErr {
    match problem {
        Problem::Memory(message) => PyMemoryError::new_err(message.clone()),
        Problem::Program(message) => PyValueError::new_err(message.clone()),
        Problem::Other(message) => InternalError::new_err(message.clone()),
    }
}

/// Runs `work`, which must not panic. A panic becomes an `InternalError`.
pub fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).map_err(|cause| {
        let words = cause.downcast_ref::<&str>().map(|words| (*words).to_string());
        let words = words.or_else(|| cause.downcast_ref::<String>().cloned()).unwrap_or_default();
        InternalError::new_err(format!("the compiler or its run time has failed: {words}"))
    })
}
