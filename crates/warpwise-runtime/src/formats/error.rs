//! Errors in value files, with their places.

use std::fmt;
use std::io;

use super::ExpectedType;
use crate::memory::OutOfMemory;

/// An error in reading or writing a value file or stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// Name of the file, or a description of the stream (`standard input`).
    pub source: String,
    /// Position of the error in the source.
    pub position: Position,
    /// Type that had to be read at this position, if it is known.
    pub expected: Option<ExpectedType>,
    /// Text of the message.
    pub message: String,
}

/// A position in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// The file as a whole.
    File,
    /// A position in text; line and column count from 1, columns in bytes.
    Line {
        /// Line, from 1.
        line: u64,
        /// Column in bytes, from 1.
        column: u64,
    },
    /// A position in binary data: the number of bytes before it.
    Byte(u64),
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Position::File => write!(f, "{}: ", self.source)?,
            Position::Line { line, column } => write!(f, "{}:{line}:{column}: ", self.source)?,
            Position::Byte(byte) => write!(f, "{}: byte {byte}: ", self.source)?,
        }
        if let Some(expected) = self.expected {
            write!(f, "expected a value of type {expected}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for FormatError {}

/// An error without its source and expected type; the position is an offset in bytes.
#[derive(Debug)]
pub(super) struct Fault {
    /// Number of bytes before the position.
    pub(super) offset: u64,
    /// Text of the message.
    pub(super) message: String,
}

impl Fault {
    /// Makes a fault at `offset`.
    pub(super) fn new(offset: u64, message: impl Into<String>) -> Fault {
        Fault { offset, message: message.into() }
    }

    /// Makes the fault for a system error in reading.
    pub(super) fn io(offset: u64, error: &io::Error) -> Fault {
        Fault::new(offset, format!("cannot read: {error}"))
    }

    /// Makes the fault for a lack of memory for the value that begins at `offset`.
    pub(super) fn memory(offset: u64, error: OutOfMemory) -> Fault {
        Fault::new(offset, error.to_string())
    }

    /// Completes the error for binary data.
    pub(super) fn in_bytes(self, source: &str, expected: Option<ExpectedType>) -> FormatError {
        let position = Position::Byte(self.offset);
        FormatError { source: source.into(), position, expected, message: self.message }
    }

    /// Completes the error for text that `content` holds from the start of the source.
    pub(super) fn in_text(self, source: &str, content: &[u8], expected: Option<ExpectedType>) -> FormatError {
        let before = &content[..content.len().min(self.offset as usize)];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let position = Position::Line { line, column: 1 + (before.len() - line_start) as u64 };
        FormatError { source: source.into(), position, expected, message: self.message }
    }
}
