//! A progress bar, by the protocol of `tqdm`.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

/// A bar: an object with `update`.
pub struct Progress {
    bar: Py<PyAny>,
    shown: u64,
    /// Whether the bar was created here, and must be closed here.
    is_own: bool,
}

impl Progress {
    /// Returns the bar that the caller asked for. `True` asks for a `tqdm` bar whose end is at `total` elements.
    pub fn of(asked: Option<&Bound<'_, PyAny>>, total: Option<u64>) -> PyResult<Option<Progress>> {
        let Some(asked) = asked else { return Ok(None) };
        let py = asked.py();
        if let Ok(truth) = asked.cast::<PyBool>() {
            if !truth.is_true() {
                return Ok(None);
            }
            let options = PyDict::new(py);
            options.set_item("total", total)?;
            options.set_item("unit", " elements")?;
            options.set_item("unit_scale", true)?;
            let bar = py.import("tqdm.auto")?.getattr("tqdm")?.call((), Some(&options))?;
            return Ok(Some(Progress { bar: bar.unbind(), shown: 0, is_own: true }));
        }
        if !asked.hasattr("update")? {
            return Err(PyTypeError::new_err(format!(
                "progress: expected True, False or something with `update(n)`, found {}",
                asked.get_type().name()?
            )));
        }
        Ok(Some(Progress { bar: asked.clone().unbind(), shown: 0, is_own: false }))
    }

    /// Shows that `elements` elements are done.
    pub fn show(&mut self, py: Python<'_>, elements: u64) -> PyResult<()> {
        let more = elements.saturating_sub(self.shown);
        if more > 0 {
            self.shown = elements;
            self.bar.bind(py).call_method1("update", (more,))?;
        }
        Ok(())
    }

    /// Closes the bar if it was created here.
    pub fn close(self, py: Python<'_>) -> PyResult<()> {
        if self.is_own {
            self.bar.bind(py).call_method0("close")?;
        }
        Ok(())
    }
}
