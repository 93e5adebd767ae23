//! The command `warpwise`, in a Python interpreter that was started for it.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command with these words, the first of which is its name; gives the exit code. `itself` are the words that start it in another
/// process. Python handles no signals from then on.
#[pyfunction(name = "_command")]
pub fn command(py: Python<'_>, words: Vec<OsString>, itself: Vec<OsString>) -> u8 {
    py.detach(|| warpwise_cli::main(words, itself))
}
