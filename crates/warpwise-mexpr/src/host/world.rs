//! The interface between a running program and its environment.

use std::io::{BufRead, Write};

use crate::builtins::Builtin;

use super::budget::Budget;

/// The world of a running program. Failures are messages without a position; the machine knows the position.
pub trait World {
    /// Writes text to standard output.
    fn print(&mut self, text: &str) -> Result<(), String>;
    /// Writes text to standard error.
    fn print_error(&mut self, text: &str) -> Result<(), String>;
    /// Flushes standard output.
    fn flush(&mut self) -> Result<(), String>;
    /// Reads a line of standard input, without its end; `None` at the end of the input.
    fn read_line(&mut self) -> Result<Option<String>, String>;
    /// Reads up to `count` bytes of standard input.
    fn read_bytes(&mut self, count: usize) -> Result<Vec<u8>, String>;
    /// Reads the text of a file.
    fn read_file(&mut self, path: &str) -> Result<String, String>;
    /// Replaces the content of a file by a text.
    fn write_file(&mut self, path: &str, text: &str) -> Result<(), String>;
    /// Returns whether a file exists.
    fn file_exists(&mut self, path: &str) -> bool;
    /// Returns the size of a file in bytes; `None` if it does not exist.
    fn file_size(&mut self, path: &str) -> Option<u64>;
    /// Opens a file to be read piece by piece.
    fn open_read(&mut self, path: &str) -> Result<Box<dyn BufRead>, String>;
    /// Makes an empty file and opens it to be written piece by piece.
    fn open_write(&mut self, path: &str) -> Result<Box<dyn Write>, String>;
    /// Removes a file.
    fn delete_file(&mut self, path: &str) -> Result<(), String>;
    /// Runs a shell command; returns its exit code.
    fn command(&mut self, command: &str) -> Result<i64, String>;
    /// Returns the program's name and arguments.
    fn arguments(&self) -> Vec<String>;
    /// Returns the milliseconds since some fixed moment.
    fn time_ms(&self) -> f64;
    /// Waits for `ms` milliseconds.
    fn sleep_ms(&self, ms: u64);
    /// Returns the memory bound of a run; `None` means no bound.
    fn budget(&self) -> Option<Budget> {
        None
    }
    /// Computes a mathematical function (`externalExp`, ...) in the same way as accelerated code; `None` if that is the standard
    /// library's way. The last bits of such functions depend on the implementation, and the host must agree with the device.
    fn mathematics(&self, _function: Builtin, _x: f64, _y: f64) -> Option<f64> {
        None
    }
}

/// A world that keeps the output and has nothing else: no files, no input, no commands, no time.
#[derive(Clone, Default, Debug)]
pub struct Listener {
    /// The program's name and arguments.
    pub arguments: Vec<String>,
    /// The output so far.
    pub printed: String,
    /// The memory bound of a run.
    pub budget: Option<Budget>,
}

/// Error message of a [`Listener`].
const NOTHING_ELSE: &str = "there are no files and no commands here";

impl World for Listener {
    fn print(&mut self, text: &str) -> Result<(), String> {
        self.printed.push_str(text);
        Ok(())
    }
    fn print_error(&mut self, _: &str) -> Result<(), String> {
        Ok(())
    }
    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
    fn read_line(&mut self) -> Result<Option<String>, String> {
        Ok(None)
    }
    fn read_bytes(&mut self, _: usize) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }
    fn read_file(&mut self, _: &str) -> Result<String, String> {
        Err(NOTHING_ELSE.to_string())
    }
    fn write_file(&mut self, _: &str, _: &str) -> Result<(), String> {
        Err(NOTHING_ELSE.to_string())
    }
    fn file_exists(&mut self, _: &str) -> bool {
        false
    }
    fn file_size(&mut self, _: &str) -> Option<u64> {
        None
    }
    fn open_read(&mut self, _: &str) -> Result<Box<dyn BufRead>, String> {
        Err(NOTHING_ELSE.to_string())
    }
    fn open_write(&mut self, _: &str) -> Result<Box<dyn Write>, String> {
        Err(NOTHING_ELSE.to_string())
    }
    fn delete_file(&mut self, _: &str) -> Result<(), String> {
        Err(NOTHING_ELSE.to_string())
    }
    fn command(&mut self, _: &str) -> Result<i64, String> {
        Err(NOTHING_ELSE.to_string())
    }
    fn arguments(&self) -> Vec<String> {
        self.arguments.clone()
    }
    fn time_ms(&self) -> f64 {
        1.0
    }
    fn sleep_ms(&self, _: u64) {}
    fn budget(&self) -> Option<Budget> {
        self.budget
    }
}
