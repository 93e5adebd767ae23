//! Where elements come from.
//!
//! A [`Source`] fills memory with the next elements, as many as asked for unless it ends. An end in the middle of an
//! element, a value that is none, a failing device: each is an [`End::Failed`] that comes with all elements before it,
//! so nothing that was read is lost. Input is not trusted: whatever a file says, no source panics, and none holds more
//! than a bounded look-ahead of its own.
//!
//! [`open()`] knows the formats; `raw` are elements without anything around them, in this machine's order.
//!
//! Absent: conversions between number types, and memory-mapped files (data is read into the pool's memory, which
//! costs one copy and cannot fault when a file shrinks).

mod bytes;
mod matrix_market;
mod number;
mod open;
mod table;
mod wav;

pub use bytes::ByteSource;
pub use matrix_market::MatrixMarketSource;
pub use open::{Format, SourceOptions, Wanted, open};
pub use table::TableSource;
pub use wav::WavSource;

use crate::element::ElementType;

/// A stream of elements of one type.
pub trait Source: Send {
    /// What messages call it.
    fn name(&self) -> &str;

    /// The type of its elements.
    fn element(&self) -> &ElementType;

    /// How many elements it claims to have left, where that is known.
    fn left(&self) -> Option<u64>;

    /// Writes up to `count` elements to the start of `target`, which has room for exactly so many. Fewer than
    /// `count` only with an end.
    fn read(&mut self, count: u64, target: &mut [u8]) -> Read;
}

/// What one reading gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// The number of whole elements.
    pub count: u64,
    /// Whether it was the last reading, and why. The elements before it count.
    pub end: Option<End>,
}

/// Why a source gives no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// There is no more.
    Finished,
    /// The next element cannot be read.
    Failed(String),
}

/// The first elements of a source, so many at most.
pub struct Take<S> {
    source: S,
    left: u64,
}

impl<S: Source> Take<S> {
    /// At most `count` elements.
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
}

/// Reads element by element with `next`, which writes one element and says whether there was one.
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
