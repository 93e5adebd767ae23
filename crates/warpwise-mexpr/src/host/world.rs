//! The interface of a running program to the world outside.

use std::io::{BufRead, Write};

use crate::builtins::Builtin;

use super::budget::Budget;

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
    /// How many bytes a file has; none if it is not there.
    fn file_size(&mut self, path: &str) -> Option<u64>;
    /// Opens a file to be read bit by bit.
    fn open_read(&mut self, path: &str) -> Result<Box<dyn BufRead>, String>;
    /// Makes an empty file and opens it to be written bit by bit.
    fn open_write(&mut self, path: &str) -> Result<Box<dyn Write>, String>;
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
    /// How much memory a run may take; no bound if none is given.
    fn budget(&self) -> Option<Budget> {
        None
    }
    /// A function of mathematics (`externalExp`, ...) as accelerated code computes it here; none where that is how the standard
    /// library does. The last bits of such functions depend on who computes them, and the host is to have those of the device.
    fn mathematics(&self, _function: Builtin, _x: f64, _y: f64) -> Option<f64> {
        None
    }
}

/// A world that keeps what is printed, and has nothing else: no files, no input, no commands, no time.
#[derive(Clone, Default, Debug)]
pub struct Listener {
    /// The program's name and arguments.
    pub arguments: Vec<String>,
    /// The output so far.
    pub printed: String,
    /// How much memory a run may take.
    pub budget: Option<Budget>,
}

/// Why a [`Listener`] refuses.
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
