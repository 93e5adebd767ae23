//! Elements of streams, and the errors of streams.

use std::fmt;

use warpwise_driver::CallError;
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Shape, element_count};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

/// The type of a stream's elements: scalars, or arrays of one shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementType {
    /// Type of the scalars.
    pub scalar: ValueType,
    /// Sizes of an element; none for a scalar.
    pub shape: Shape,
}

/// The error of a stream that ended early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamError {
    /// Number, from 0, of the first element that is not done.
    pub element: u64,
    /// Cause of the error.
    pub cause: Cause,
}

/// Cause of a stream's error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A source cannot be read.
    Source {
        /// Name of the source.
        name: String,
        /// Reason.
        message: String,
    },
    /// The program failed.
    Call {
        /// The program's error.
        error: Box<CallError>,
        /// The first element whose presence makes the call fail; `None` if it was not searched for.
        culprit: Option<u64>,
    },
    /// Memory does not suffice to read one unit.
    Memory(OutOfMemory),
    /// A sink cannot be written.
    Sink {
        /// Name of the sink.
        name: String,
        /// Reason.
        message: String,
    },
    /// A result of the program that cannot be written as a stream.
    Result(String),
    /// The stream was cancelled.
    Cancelled,
}

/// Maximum number of elements without bytes in an input. They cost the input nothing, so its writer could claim any number.
pub const MOST_WITHOUT_BYTES: u64 = 1 << 24;

impl ElementType {
    /// Fails with a message if an input cannot have this many of these elements.
    pub fn counted(&self, count: u64) -> Result<(), String> {
        match self.bytes().and_then(|bytes| Some((bytes, bytes.checked_mul(count)?))) {
            None => Err(format!("{count} elements of type {self} are more than 2^64 bytes")),
            Some((0, _)) if count > MOST_WITHOUT_BYTES => Err(format!(
                "{count} elements of type {self}, which have no bytes, are more than can be meant ({MOST_WITHOUT_BYTES})"
            )),
            Some(_) => Ok(()),
        }
    }

    /// Returns the size of an element in bytes, or `None` if it exceeds 64 bits.
    pub fn bytes(&self) -> Option<u64> {
        element_count(&self.shape)?.checked_mul(self.scalar.scalar().bytes() as u64)
    }

    /// Allocates an array for `count` elements.
    pub fn allocate(&self, count: u64, memory: &MemoryPool) -> Result<Array, OutOfMemory> {
        Array::allocate(memory, self.scalar.scalar(), &self.shape_of(count))
    }

    /// Returns the shape of an array of `count` elements.
    pub fn shape_of(&self, count: u64) -> Shape {
        let mut shape = Shape::new();
        shape.push(i64::try_from(count).unwrap_or(i64::MAX));
        shape.extend_from_slice(&self.shape);
        shape
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shape.iter().try_for_each(|size| write!(f, "[{size}]"))?;
        f.write_str(self.scalar.name())
    }
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = self.element;
        match &self.cause {
            Cause::Source { name, message } => write!(f, "{name}: element {element}: {message}"),
            Cause::Call { error, culprit: Some(culprit) } => write!(f, "element {culprit}: {error}"),
            Cause::Call { error, culprit: None } => {
                write!(f, "in the chunk from element {element} on: {error}")
            }
            Cause::Memory(error) => write!(f, "no room to read element {element}: {error}"),
            Cause::Sink { name, message } => {
                write!(f, "{name}: cannot write what came of the chunk from element {element} on: {message}")
            }
            Cause::Result(message) => write!(f, "in the chunk from element {element} on: {message}"),
            Cause::Cancelled => write!(f, "interrupted before element {element}"),
        }
    }
}

impl std::error::Error for StreamError {}
