//! The library: compile and run array programs.
//!
//! [`compiler`] turns programs into [`Compiled`] code, plain data that a cache can keep; [`Compiled::load`]
//! makes it a [`Program`] whose entry points can be called with values.

pub mod compiler;
mod program;
mod signature;

pub use compiler::Options;
pub use program::{CallError, Compiled, Context, Program};
pub use signature::{ArgumentError, Entry, FlatType};
