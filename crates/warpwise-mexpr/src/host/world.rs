//! What a running program does outside of itself.

use crate::builtins::Builtin;

/// The world of a running program. Failures are messages without a place; the machine knows where it is.
pub trait World {
    /// Writes text to standard output.
    fn print(&mut self, text: &str) -> Result<(), String>;
    /// Writes text to standard error.
    fn print_error(&mut self, text: &str) -> Result<(), String>;
    /// Makes sure that standard output is written.
    fn flush(&mut self) -> Result<(), String>;
    /// A line of standard input without its end; none at the end of the input.
    fn read_line(&mut self) -> Result<Option<String>, String>;
    /// Up to so many bytes of standard input.
    fn read_bytes(&mut self, count: usize) -> Result<Vec<u8>, String>;
    /// The text of a file.
    fn read_file(&mut self, path: &str) -> Result<String, String>;
    /// Makes a file hold a text.
    fn write_file(&mut self, path: &str, text: &str) -> Result<(), String>;
    /// Whether there is such a file.
    fn file_exists(&mut self, path: &str) -> bool;
    /// Removes a file.
    fn delete_file(&mut self, path: &str) -> Result<(), String>;
    /// Runs a command of the shell; gives its exit code.
    fn command(&mut self, command: &str) -> Result<i64, String>;
    /// The program's name and arguments.
    fn arguments(&self) -> Vec<String>;
    /// Milliseconds since some moment.
    fn time_ms(&self) -> f64;
    /// Waits.
    fn sleep_ms(&self, ms: u64);
    /// A function of mathematics (`externalExp`, ...) as accelerated code computes it here; none where that is how the standard
    /// library does. The last bits of such functions depend on who computes them, and the host is to have those of the device.
    fn mathematics(&self, _function: Builtin, _x: f64, _y: f64) -> Option<f64> {
        None
    }
}
