//! The command `warpwise`, in a Python interpreter that was started for it.

use std::ffi::OsString;

use pyo3::prelude::*;
use warpwise_cli::Foreign;

/// The subcommands that `warpwise/__main__.py` runs itself, with their descriptions.
const FOREIGN: [Foreign; 1] =
    [("stubs", "Write down for editors and type checkers what Python programs give to a program, and get")];

/// Runs the command and returns its exit code. `words` are its name and arguments; `itself` is the command line that starts the command
/// in another process. From then on the command, and no longer Python, handles this process's signals.
#[pyfunction(name = "_command")]
pub fn command(py: Python<'_>, words: Vec<OsString>, itself: Vec<OsString>) -> u8 {
    py.detach(|| warpwise_cli::main(words, itself, &FOREIGN))
}
