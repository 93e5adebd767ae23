//! The error type of this crate.

use std::convert::Infallible;
use std::fmt;

use warpwise_diag::{Failure, Limit, Span};
use warpwise_driver::build::BuildError;
use warpwise_driver::{ArgumentError, CallError};
use warpwise_runtime::device::memory::NoBlock;
use warpwise_runtime::execute::RunError;
use warpwise_runtime::memory::OutOfMemory;

/// The reason why a computation has no result.
///
/// ```
/// use warpwise::{Context, Error, enum_from};
///
/// let xs = enum_from(3, 1_i32);
/// match Context::new()?.run(&xs.at(5)) {
///     Err(Error::Check(message)) => assert!(message.contains("out of bounds")),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The program has an error that Rust's types do not detect.
    Program {
        /// `file:line:column` of the operation.
        place: String,
        /// Description of the error.
        message: String,
    },
    /// The program is valid, but needs a feature that is not supported yet.
    Limit(String),
    /// A check failed while the program ran: an index out of bounds, a division by zero, a wrong shape.
    Check(String),
    /// There is not enough memory.
    OutOfMemory(String),
    /// The run was interrupted.
    Interrupted,
    /// The number of elements does not match the extents.
    Length {
        /// Number of elements that the extents require.
        expected: u64,
        /// Number of elements found.
        found: u64,
    },
    /// The extents exceed what 64 bits can count.
    TooLarge,
    /// The device cannot be used.
    Device(String),
    /// A foreign function failed.
    Foreign(String),
    /// Files could not be written, or a required tool is missing or failed.
    Export(String),
    /// A bug in this library.
    Internal(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Program { place, message } => write!(f, "{place}: {message}"),
            Error::Limit(message) => write!(f, "not supported yet: {message}"),
            Error::Check(message)
            | Error::OutOfMemory(message)
            | Error::Device(message)
            | Error::Export(message) => f.write_str(message),
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

/// Converts the error of infallible operations, which has no values.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Error {
        match never {}
    }
}

impl From<OutOfMemory> for Error {
    fn from(error: OutOfMemory) -> Error {
        Error::OutOfMemory(error.to_string())
    }
}

impl From<NoBlock> for Error {
    fn from(why: NoBlock) -> Error {
        match why {
            NoBlock::OutOfMemory(error) => error.into(),
            NoBlock::Driver(message) => Error::Device(message),
        }
    }
}

impl From<CallError> for Error {
    fn from(error: CallError) -> Error {
        match error {
            // Messages of programs made of expressions already contain the place.
            CallError::Run(RunError::Check { message, place, .. }) if place.starts_with('<') => {
                Error::Check(message)
            }
            CallError::Run(error @ RunError::Check { .. }) => Error::Check(error.to_string()),
            CallError::Run(RunError::Interrupted) => Error::Interrupted,
            CallError::Run(RunError::Device(message)) => Error::Device(message),
            CallError::Run(error @ RunError::OutOfMemory { .. }) => Error::OutOfMemory(error.to_string()),
            CallError::Run(RunError::Internal(message)) => Error::Internal(message),
            CallError::Argument(ArgumentError::Device(message)) => Error::Device(message),
            CallError::Argument(ArgumentError::OutOfMemory(error)) => error.into(),
            CallError::Argument(_) => Error::Check(error.to_string()),
            CallError::NoEntry(..) => Error::Internal(error.to_string()),
        }
    }
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Error {
        match error {
            BuildError::Failure { failure: Failure::Limit(Limit { message, span }), sources } => {
                Error::Limit(match sources.describe(span) {
                    place if span == Span::NONE || place.starts_with('<') => message,
                    place => format!("{place}: {message}"),
                })
            }
            BuildError::Target(message) => Error::Device(message),
            BuildError::Source(_) | BuildError::Failure { .. } => Error::Internal(error.to_string()),
        }
    }
}
