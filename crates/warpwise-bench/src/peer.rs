//! One program that can do a work, prepared on its inputs.

use std::time::Duration;

use crate::value::Value;

/// A program with its inputs in place; what is timed is the computation alone.
pub trait Peer {
    /// The column it stands in, such as `C strict (gcc)`.
    fn name(&self) -> &str;

    /// Computes once and says how long that took.
    fn run(&mut self) -> Result<Duration, String>;

    /// The results of the last run.
    fn results(&mut self) -> Result<Vec<Value>, String>;
}
