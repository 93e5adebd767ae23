//! Errors in value files, with their places.

use std::fmt;
use std::io;

use super::ExpectedType;
use crate::memory::OutOfMemory;

/// A value file, or stream, that cannot be read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// The file's name, or what stands for it (`standard input`).
    pub source: String,
    /// Where in it.
    pub position: Position,
    /// The type that had to be read there, where it is known.
    pub expected: Option<ExpectedType>,
    /// The message.
    pub message: String,
}

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Position {
    /// The file as a whole.
    File,
    /// In text; both count from 1, columns in bytes.
    Line {
        /// The line.
        line: u64,
        /// The column.
        column: u64,
    },
    /// In binary data: the number of bytes before the place.
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

/// A fault before source and expected type are added to it; the position is an offset in bytes.
#[derive(Debug)]
pub(super) struct Fault {
    /// Bytes before the place.
    pub(super) offset: u64,
    /// The message.
    pub(super) message: String,
}

impl Fault {
    /// A fault at `offset`.
    pub(super) fn new(offset: u64, message: impl Into<String>) -> Fault {
        Fault { offset, message: message.into() }
    }

    /// Reading from the system failed.
    pub(super) fn io(offset: u64, error: &io::Error) -> Fault {
        Fault::new(offset, format!("cannot read: {error}"))
    }

    /// No memory for the value that begins at `offset`.
    pub(super) fn memory(offset: u64, error: OutOfMemory) -> Fault {
        Fault::new(offset, error.to_string())
    }

    /// The complete error for binary data.
    pub(super) fn in_bytes(self, source: &str, expected: Option<ExpectedType>) -> FormatError {
        let position = Position::Byte(self.offset);
        FormatError { source: source.into(), position, expected, message: self.message }
    }

    /// The complete error for text that `content` holds from the start of the source.
    pub(super) fn in_text(self, source: &str, content: &[u8], expected: Option<ExpectedType>) -> FormatError {
        let before = &content[..content.len().min(self.offset as usize)];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        let position = Position::Line { line, column: 1 + (before.len() - line_start) as u64 };
        FormatError { source: source.into(), position, expected, message: self.message }
    }
}
