//! Errors of passes over sequences.

use std::fmt;

use warpwise_runtime::memory::OutOfMemory;

use crate::error::Error;

/// The error of a pass that ended early.
///
/// ```
/// use warpwise::{Cancel, Context, Seq, SeqCause, Streaming, unit};
///
/// let cancel = Cancel::new();
/// cancel.cancel();
/// let streaming = Streaming::new().cancel(&cancel);
/// let error = Seq::produce_forever(unit).elements().run_with(&Context::cpu()?, &streaming).unwrap_err();
/// assert_eq!(error.cause, SeqCause::Cancelled);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeqError {
    /// Number of the element that failed, from 0; `None` if the pass could not start.
    pub element: Option<u64>,
    /// Cause of the failure.
    pub cause: SeqCause,
}

/// Cause of the early end of a pass.
///
/// ```
/// use warpwise::{Cancel, Context, Seq, SeqCause, Streaming, unit};
///
/// let cancel = Cancel::new();
/// cancel.cancel();
/// let streaming = Streaming::new().cancel(&cancel);
/// let error = Seq::produce_forever(unit).elements().run_with(&Context::cpu()?, &streaming).unwrap_err();
/// assert_eq!(error.cause, SeqCause::Cancelled);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SeqCause {
    /// A source failed.
    Source(String),
    /// The program could not be compiled, or failed on this element.
    Program(Error),
    /// An element, or its result, needs more memory than the stream may use.
    TooLarge(String),
    /// An element's extents do not match its consumer.
    Shape(String),
    /// The pass was cancelled.
    Cancelled,
}

impl SeqError {
    /// Wraps an error from before the start of a pass.
    pub(super) fn before(error: Error) -> SeqError {
        SeqError { element: None, cause: SeqCause::Program(error) }
    }

    pub(super) fn at(element: u64, cause: SeqCause) -> SeqError {
        SeqError { element: Some(element), cause }
    }
}

impl From<OutOfMemory> for SeqCause {
    fn from(error: OutOfMemory) -> SeqCause {
        SeqCause::TooLarge(error.to_string())
    }
}

impl From<Error> for SeqCause {
    fn from(error: Error) -> SeqCause {
        match error {
            Error::OutOfMemory(message) => SeqCause::TooLarge(message),
            Error::Interrupted => SeqCause::Cancelled,
            error => SeqCause::Program(error),
        }
    }
}

impl fmt::Display for SeqError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(element) = self.element {
            write!(f, "element {element}: ")?;
        }
        match &self.cause {
            SeqCause::Source(message) | SeqCause::TooLarge(message) | SeqCause::Shape(message) => {
                f.write_str(message)
            }
            SeqCause::Program(error) => error.fmt(f),
            SeqCause::Cancelled => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for SeqError {}
