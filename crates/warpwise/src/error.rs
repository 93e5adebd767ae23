//! Everything that can go wrong, as one type.

use std::fmt;

use warpwise_diag::{Failure, Sources};
use warpwise_driver::CallError;
use warpwise_runtime::execute::RunError;
use warpwise_runtime::memory::OutOfMemory;

/// Why a computation has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The program is wrong in a way that Rust's types do not show; where, and why.
    Program {
        /// `file:line:column` of the operation.
        place: String,
        /// What is wrong.
        message: String,
    },
    /// The program is right, but not supported yet.
    Limit(String),
    /// A check failed while the program ran: an index out of bounds, a division by zero, a wrong shape.
    Check(String),
    /// There is not enough memory.
    OutOfMemory(String),
    /// The run was interrupted.
    Interrupted,
    /// A number of elements that does not fit the extents.
    Length {
        /// As many as the extents say.
        expected: u64,
        /// As many as there are.
        found: u64,
    },
    /// Extents beyond what 64 bits can count.
    TooLarge,
    /// The device cannot be used.
    Device(String),
    /// A foreign function failed.
    Foreign(String),
    /// A mistake of this library.
    Internal(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Program { place, message } => write!(f, "{place}: {message}"),
            Error::Limit(message) => write!(f, "not supported yet: {message}"),
            Error::Check(message) | Error::OutOfMemory(message) | Error::Device(message) => {
                f.write_str(message)
            }
            Error::Interrupted => f.write_str("interrupted"),
            Error::Length { expected, found } => {
                write!(f, "the extents ask for {expected} elements, but there are {found}")
            }
            Error::TooLarge => f.write_str("the extents are too large"),
            Error::Foreign(message) => write!(f, "a foreign function failed: {message}"),
            Error::Internal(message) => write!(f, "internal error of warpwise, please report it: {message}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<OutOfMemory> for Error {
    fn from(error: OutOfMemory) -> Error {
        Error::OutOfMemory(error.to_string())
    }
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Error {
        match error {
            CallError::Run(RunError::Check { message, .. }) => Error::Check(message),
            CallError::Run(RunError::Interrupted) => Error::Interrupted,
            CallError::Run(RunError::Device(message)) => Error::Device(message),
            CallError::Run(error @ RunError::OutOfMemory { .. }) => Error::OutOfMemory(error.to_string()),
            CallError::Run(RunError::Internal(message)) => Error::Internal(message),
            CallError::NoEntry(..) | CallError::Argument(_) => Error::Internal(error.to_string()),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        let text = warpwise_diag::render_failure(&Sources::new(), &failure, false);
        match failure {
            Failure::Limit(limit) => Error::Limit(limit.message),
            Failure::User(_) | Failure::Bug(_) => Error::Internal(text),
        }
    }
}
