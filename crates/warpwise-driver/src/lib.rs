//! The driver: a library that compiles and runs programs.
//!
//! [`build`](build::build) turns a file into [`Compiled`] code, through a [cache]; [`compiler`] does the same for core IR. Compiled
//! code is plain data. [`Compiled::load`] turns it into a [`Program`], whose entry points are called with values. `host` runs host
//! programs (`.mc`), whose accelerated expressions are compiled in the same way.
//!
//! Absent: command-line concerns, a search path for imports.

pub mod build;
pub mod chunks;
pub mod compiler;
pub mod copies;
#[cfg(any(feature = "opencl", feature = "cuda"))]
mod device;
mod open;
mod program;
pub mod target;

pub mod cache;
#[cfg(feature = "mexpr")]
pub mod host;

pub mod standalone;

mod interpreted;
pub mod on_heap;
pub mod oracle;
mod private;
pub mod stages;

pub use compiler::Options;
pub use interpreted::interpret;
pub use program::{CallError, Code, Compiled, Context, LoadProgramError, Program};
pub use target::Target;
pub use warpwise_gpu::kernel_text::Dialect;
pub use warpwise_opt::chunk::{Item, Merged, ResultOf, Shape as ChunksShape};
pub use warpwise_source::embedded;
pub use warpwise_source::files as source;
pub use warpwise_standalone::entry::{ArgumentError, Entry, FlatType};
