//! The library: compile and run array programs.
//!
//! [`build`](build::build) turns a file into [`Compiled`] code, by way of a [cache]; [`compiler`] does the same
//! for core IR. Compiled code is plain data; [`Compiled::load`] makes it a [`Program`] whose entry points can be
//! called with values.

pub mod build;
pub mod chunks;
pub mod compiler;
#[cfg(any(feature = "opencl", feature = "cuda"))]
mod device;
mod open;
mod program;
pub mod target;

pub mod cache;
#[cfg(feature = "mexpr")]
pub mod host_device;
#[cfg(feature = "mexpr")]
pub mod host_files;
#[cfg(feature = "mexpr")]
mod host_inline;
#[cfg(feature = "mexpr")]
pub mod host_lower;
#[cfg(feature = "mexpr")]
pub mod host_marshal;
#[cfg(feature = "mexpr")]
pub mod host_native;
#[cfg(feature = "mexpr")]
mod host_places;
#[cfg(feature = "mexpr")]
pub mod host_recorded;
#[cfg(feature = "mexpr")]
mod host_rows;
#[cfg(feature = "mexpr")]
mod host_storage;
#[cfg(feature = "mexpr")]
mod host_tensors;
#[cfg(feature = "mexpr")]
pub mod host_world;

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
