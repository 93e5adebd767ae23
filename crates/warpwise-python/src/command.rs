//! The command `warpwise`, in a Python interpreter that was started for it.

use std::ffi::OsString;

use pyo3::prelude::*;
use warpwise_cli::Foreign;

/// What `warpwise/__main__.py` runs itself.
const FOREIGN: [Foreign; 1] =
    [("stubs", "Write down for editors and type checkers what Python programs give to a program, and get")];

/// Runs the command and gives its exit code. `words` are its name and its arguments, and `itself` is the command line that starts it in
/// another process. From then on the command handles this process's signals, and Python does not.
#[pyfunction(name = "_command")]
pub fn command(py: Python<'_>, words: Vec<OsString>, itself: Vec<OsString>) -> u8 {
    py.detach(|| warpwise_cli::main(words, itself, &FOREIGN))
}
