//! Streams: compiled programs over data that is larger than memory, chunk by chunk.
//!
//! [`source`]s give elements (rows of one type), a [`step`] computes on a chunk of them, [`sink`]s take what comes out;
//! [`pipeline::run`] lets the three overlap within a byte budget, with chunks as large as [`policy`] finds useful.
//! Results never depend on how the stream was cut: [`pipeline::Grouping`] says how.
//!
//! Absent: elements of different sizes, several steps in a row (one program does both), devices other than through
//! the program's own calls.

pub mod policy;

mod element;
pub mod source;

pub mod chunks;
pub mod step;

pub mod sink;

pub mod pipeline;

pub use element::{Cause, ElementType, StreamError};
