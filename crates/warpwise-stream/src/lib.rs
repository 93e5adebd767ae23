//! Streams: compiled programs over data that is larger than memory, chunk by chunk.
//!
//! A [`source`] yields elements (rows of one type), a [`step`] computes on a chunk of them, and [`sink`]s consume the results.
//! [`pipeline::run`] overlaps the three within a byte budget; [`policy`] chooses the size of chunks. Results never depend on how the
//! stream was cut, as [`pipeline::Grouping`] ensures.
//!
//! Absent: elements of different sizes, several steps in a row (one program does both), devices other than through the program's
//! own calls.

pub mod policy;

mod element;
pub mod source;

pub mod chunks;
pub mod step;

pub mod sink;

pub mod pipeline;

pub use element::{Cause, ElementType, StreamError};
