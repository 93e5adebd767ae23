//! Elements of streams, and the errors of streams.

use std::fmt;

use warpwise_driver::CallError;
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Shape, element_count};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

/// The type of a stream's elements: scalars, or arrays of one shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementType {
    /// The type of the scalars.
    pub scalar: ValueType,
    /// The sizes of an element; none for a scalar.
    pub shape: Shape,
}

/// A stream ended before its time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamError {
    /// The number of the first element, from 0, that is not done because of it.
    pub element: u64,
    /// The cause.
    pub cause: Cause,
}

/// The cause of an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A source cannot be read.
    Source {
        /// Its name.
        name: String,
        /// Why.
        message: String,
    },
    /// The program failed.
    Call {
        /// Why.
        error: Box<CallError>,
        /// The element without which, and without those behind it, it does not; none where that was not looked for.
        culprit: Option<u64>,
    },
    /// Memory does not suffice for reading one unit.
    Memory(OutOfMemory),
    /// A sink takes no more.
    Sink {
        /// Its name.
        name: String,
        /// Why.
        message: String,
    },
    /// A result of the program that cannot be written as a stream.
    Result(String),
    /// Somebody asked to stop.
    Cancelled,
}

/// Elements without bytes that an input may have: they cost it nothing, and whoever wrote it can claim any number.
pub const MOST_WITHOUT_BYTES: u64 = 1 << 24;

impl ElementType {
    /// Whether an input can have so many of these elements; what is wrong otherwise.
    pub fn counted(&self, count: u64) -> Result<(), String> {
        match self.bytes().and_then(|bytes| Some((bytes, bytes.checked_mul(count)?))) {
            None => Err(format!("{count} elements of type {self} are more than 2^64 bytes")),
            Some((0, _)) if count > MOST_WITHOUT_BYTES => Err(format!(
                "{count} elements of type {self}, which have no bytes, are more than can be meant ({MOST_WITHOUT_BYTES})"
            )),
            Some(_) => Ok(()),
        }
    }

    /// Bytes of one element; `None` if no 64-bit number counts them.
    pub fn bytes(&self) -> Option<u64> {
        element_count(&self.shape)?.checked_mul(self.scalar.scalar().bytes() as u64)
    }

    /// An array for so many elements.
    pub fn allocate(&self, count: u64, memory: &MemoryPool) -> Result<Array, OutOfMemory> {
        Array::allocate(memory, self.scalar.scalar(), &self.shape_of(count))
    }

    /// The shape of an array of so many elements.
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
