//! Count of the bytes of arguments and results that were copied.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::pyfunction;

static COPIED: AtomicU64 = AtomicU64::new(0);

/// Adds `bytes` to the count.
pub fn note(bytes: usize) {
    COPIED.fetch_add(bytes as u64, Ordering::Relaxed);
}

/// Returns the number of bytes of arrays that were copied on the way into and out of programs since the module was loaded.
///
/// Contiguous arrays of the parameter's type are not copied, nor are results. Copied are: arrays whose elements are not contiguous in
/// row-major order, lists, arguments that an entry point consumes (unless they are given by `consume`), and results that are arguments.
#[pyfunction]
pub fn copied_bytes() -> u64 {
    COPIED.load(Ordering::Relaxed)
}
