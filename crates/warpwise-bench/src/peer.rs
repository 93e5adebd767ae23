//! A program that can do a work, prepared on its inputs.

use std::time::Duration;

use crate::value::Value;

/// A program with its inputs in place; only the computation is timed.
pub trait Peer {
    /// Returns the name of its column, such as `C strict (gcc)`.
    fn name(&self) -> &str;

    /// Computes once and returns the elapsed time.
    fn run(&mut self) -> Result<Duration, String>;

    /// Returns the results of the last run.
    fn results(&mut self) -> Result<Vec<Value>, String>;
}
