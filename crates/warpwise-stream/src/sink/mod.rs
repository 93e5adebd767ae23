//! Sinks for results.
//!
//! A [`Sink`] takes arrays whose rows are the elements of one stream. It gets the elements' type before the first element. It is
//! finished even when the stream ends early, so that the written data is a valid file.

#[cfg(feature = "arrow")]
mod arrow;
mod bytes;
mod closed;
mod handed;
mod lines;
mod memory;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
mod table;
mod text;

#[cfg(feature = "arrow")]
pub use arrow::scalar_type;
pub use bytes::{ArraySink, RawSink};
pub use handed::HandedSink;
pub use memory::{Gathered, MemorySink};
pub use open::{
    Created, CreatedTable, OutputFormat, Partial, create, create_columns, create_partial, partial_of,
};

use warpwise_runtime::array::Array;

use crate::element::ElementType;

#[cfg(feature = "arrow")]
/// Name of a column without a name in formats whose columns have names.
const COLUMN: &str = "value";

/// A consumer of a stream of elements.
pub trait Sink: Send {
    /// Returns the sink's name in messages.
    fn name(&self) -> &str;

    /// Sets the type of the elements. Called once, before the first elements.
    fn begin(&mut self, element: &ElementType) -> Result<(), String>;

    /// Writes the rows of an array.
    fn write(&mut self, elements: &Array) -> Result<Flow, String>;

    /// Makes the elements written so far visible to concurrent readers of the output, if it can have any.
    fn show(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// Ends the output, whatever the reason.
    fn finish(&mut self) -> Result<(), String>;
}

/// Whether a sink takes more elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// The sink takes more.
    More,
    /// The sink has enough: the stream may end.
    Enough,
}
