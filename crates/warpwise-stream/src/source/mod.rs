//! Sources of elements.
//!
//! A [`Source`] fills memory with the next elements, as many as requested unless it ends. An end in the middle of an element, an
//! invalid value, a failing device: each is an [`End::Failed`] that comes after all elements before it, so no element that was
//! read is lost. Input is not trusted: whatever a file contains, no source panics, and none holds more than a bounded look-ahead.
//!
//! [`open()`] knows the formats; `raw` is elements without any header, in this machine's byte order.
//!
//! Absent: conversions between number types.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "arrow")]
mod arrow_array;
mod binding;
mod bytes;
mod chain;
#[cfg(feature = "arrow")]
mod column;
#[cfg(feature = "arrow")]
mod counted;
mod mapped;
mod matrix_market;
mod notes;
mod number;
mod open;
#[cfg(feature = "parquet")]
mod parquet;
mod pieces;
mod piped;
#[cfg(feature = "csv")]
mod table;
mod table_style;
mod value;
#[cfg(feature = "wav")]
mod wav;

#[cfg(feature = "arrow")]
pub use arrow::arrow;
#[cfg(feature = "arrow")]
pub use arrow_array::ArrowRows;
pub use binding::Leaf;
pub use bytes::ByteSource;
pub use chain::Chain;
#[cfg(feature = "arrow")]
pub use column::ColumnSource;
#[cfg(feature = "csv")]
pub use encoding_rs::Encoding;
pub use mapped::MappedSource;
pub use matrix_market::MatrixMarketSource;
pub use notes::Notes;
pub(crate) use open::absent;
pub use open::{Format, SourceOptions, Wanted, open, open_columns};
#[cfg(feature = "parquet")]
pub use parquet::parquet;
pub use pieces::{Piece, PieceSource, Pieces};
#[cfg(feature = "csv")]
pub use table::TableSource;
pub use table_style::TableStyle;
pub use value::ValueSource;
#[cfg(feature = "wav")]
pub use wav::WavSource;

use std::sync::Arc;
use std::time::Duration;

use warpwise_runtime::memory::Block;

use crate::element::ElementType;

/// A stream of elements of one type.
pub trait Source: Send {
    /// Returns the source's name in messages.
    fn name(&self) -> &str;

    /// Returns the type of its elements.
    fn element(&self) -> &ElementType;

    /// Returns the number of elements that it claims to have left, if known.
    fn left(&self) -> Option<u64>;

    /// Writes up to `count` elements to the start of `target`, which has room for exactly `count`. Fewer than `count` are written
    /// only at an end.
    fn read(&mut self, count: u64, target: &mut [u8]) -> Read;

    /// Returns whether elements can be read without waiting, judging by a sample of them.
    fn is_ready(&self) -> bool {
        false
    }

    /// Returns the number of elements that can be read without waiting for their writer; 0 if none has arrived `within` this
    /// time. `None` for a source that never waits for a writer.
    fn arrived(&mut self, within: Duration) -> Option<u64> {
        let _ = within;
        None
    }

    /// Returns access to the elements in place, if they are in memory already.
    fn in_place(&mut self) -> Option<&mut dyn InPlace> {
        None
    }
}

/// Elements in memory that can be used in place.
pub trait InPlace {
    /// Returns the preferred divisor of requested numbers of elements.
    fn grain(&mut self) -> u64;

    /// Returns whether the next `count` elements can be used in place.
    fn holds(&mut self, count: u64) -> bool;

    /// Reads like [`Source::read`], without a copy; `None` for elements that it does not [hold](InPlace::holds).
    fn view(&mut self, count: u64) -> Option<View>;
}

/// Elements in place.
#[derive(Debug)]
pub struct View {
    /// Block that begins with the elements.
    pub block: Arc<Block>,
    /// Number of elements, and the end.
    pub read: Read,
}

/// The result of a read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// Number of whole elements.
    pub count: u64,
    /// The end, if this was the last read. The elements before it count.
    pub end: Option<End>,
}

/// Reason why a source yields no more elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The source has no more elements.
    Finished,
    /// The next element cannot be read.
    Failed(String),
}

/// The first elements of a source, up to a maximum number.
pub struct Take<S> {
    source: S,
    left: u64,
}

impl<S: Source> Take<S> {
    /// Limits `source` to its first `count` elements.
    pub fn new(source: S, count: u64) -> Take<S> {
        Take { source, left: count }
    }
}

impl<S: Source> Source for Take<S> {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn element(&self) -> &ElementType {
        self.source.element()
    }

    fn left(&self) -> Option<u64> {
        Some(self.source.left().map_or(self.left, |left| left.min(self.left)))
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        let asked = count.min(self.left);
        if asked == 0 {
            let end = (self.left == 0).then_some(End::Finished);
            return Read { count: 0, end };
        }
        let bytes = target.len() / count as usize * asked as usize;
        let mut read = self.source.read(asked, &mut target[..bytes]);
        self.left -= read.count;
        if self.left == 0 {
            read.end = Some(End::Finished);
        }
        read
    }

    fn is_ready(&self) -> bool {
        self.source.is_ready()
    }

    fn arrived(&mut self, within: Duration) -> Option<u64> {
        // An end never has to be waited for.
        if self.left == 0 { None } else { self.source.arrived(within) }
    }

    fn in_place(&mut self) -> Option<&mut dyn InPlace> {
        if self.source.in_place().is_some() { Some(self) } else { None }
    }
}

impl<S: Source> InPlace for Take<S> {
    fn grain(&mut self) -> u64 {
        self.source.in_place().map_or(1, InPlace::grain)
    }

    fn holds(&mut self, count: u64) -> bool {
        let count = count.min(self.left);
        self.source.in_place().is_some_and(|source| source.holds(count))
    }

    fn view(&mut self, count: u64) -> Option<View> {
        let mut view = self.source.in_place()?.view(count.min(self.left))?;
        self.left -= view.read.count;
        if self.left == 0 {
            view.read.end = Some(End::Finished);
        }
        Some(view)
    }
}

impl Source for Box<dyn Source> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn element(&self) -> &ElementType {
        (**self).element()
    }

    fn left(&self) -> Option<u64> {
        (**self).left()
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        (**self).read(count, target)
    }

    fn is_ready(&self) -> bool {
        (**self).is_ready()
    }

    fn arrived(&mut self, within: Duration) -> Option<u64> {
        (**self).arrived(within)
    }

    fn in_place(&mut self) -> Option<&mut dyn InPlace> {
        (**self).in_place()
    }
}

impl End {
    /// Makes the failure of an input that ends `missing` bytes before the end of an element.
    fn cut(missing: u64) -> End {
        End::Failed(format!("the input ends here, {missing} bytes before the end of the element"))
    }

    /// Makes the failure of an input that has bytes after its last element.
    fn more() -> End {
        End::Failed("there is more input after the last element".to_string())
    }
}

/// Reads element by element with `next`, which writes one element and returns whether there was one.
fn one_by_one(
    count: u64,
    target: &mut [u8],
    mut next: impl FnMut(&mut [u8]) -> Result<bool, String>,
) -> Read {
    let size = target.len().checked_div(count as usize).unwrap_or(0);
    for done in 0..count {
        let place = done as usize * size;
        let end = match next(&mut target[place..place + size]) {
            Ok(true) => continue,
            Ok(false) => End::Finished,
            Err(message) => End::Failed(message),
        };
        return Read { count: done, end: Some(end) };
    }
    Read { count, end: None }
}
