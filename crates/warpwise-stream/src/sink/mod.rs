//! Where results go.
//!
//! A [`Sink`] takes arrays whose rows are the elements of one stream. It is told the elements' type before the first
//! of them, and finished also when the stream ends early, so that what was written is a valid file.

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
mod text;

#[cfg(feature = "arrow")]
pub use arrow::{ArrowSink, scalar_type};
pub use bytes::{ArraySink, RawSink};
pub use handed::HandedSink;
pub use memory::{Gathered, MemorySink};
pub use open::{Created, OutputFormat, Partial, create, create_partial, partial_of};
#[cfg(feature = "parquet")]
pub use parquet::ParquetSink;
pub use text::TextSink;

use warpwise_runtime::array::Array;

use crate::element::ElementType;

#[cfg(feature = "arrow")]
/// The name of the only column in formats with named columns.
const COLUMN: &str = "value";

/// Takes a stream of elements.
pub trait Sink: Send {
    /// Returns its name in messages.
    fn name(&self) -> &str;

    /// The elements to come are of this type. Called once, before the first ones.
    fn begin(&mut self, element: &ElementType) -> Result<(), String>;

    /// Takes the rows of an array.
    fn write(&mut self, elements: &Array) -> Result<Flow, String>;

    /// Lets whoever reads the output see what was taken so far, where it may be read meanwhile.
    fn show(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// There are no more, for whatever reason.
    fn finish(&mut self) -> Result<(), String>;
}

/// Whether a sink wants more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// It does.
    More,
    /// It has enough: the stream may end.
    Enough,
}
