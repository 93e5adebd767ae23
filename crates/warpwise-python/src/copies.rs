//! How many bytes of arguments and results were copied.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::pyfunction;

static COPIED: AtomicU64 = AtomicU64::new(0);

/// Notes that so much was copied.
pub fn note(bytes: usize) {
    COPIED.fetch_add(bytes as u64, Ordering::Relaxed);
}

/// How many bytes of arrays were copied since the module was loaded, on the way into programs and out of them.
///
/// Contiguous arrays of the type that a parameter has are not copied, and results are not. What is copied: arrays whose elements do not
/// lie one after the other in row-major order, lists, what an entry point consumes (unless it is given by `consume`), and results that
/// are arguments.
#[pyfunction]
pub fn copied_bytes() -> u64 {
    COPIED.load(Ordering::Relaxed)
}
