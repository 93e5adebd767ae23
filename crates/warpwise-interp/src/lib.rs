//! Reference interpreter of the core IR: the oracle for every pass and back end.
//!
//! Values have value semantics: arrays are values and memory annotations are ignored, so programs of every level
//! ([`warpwise_ir::verify::Level`]) can be run. Everything runs in order, one element after the other. The first failing check is
//! the one that SEMANTICS requires a run to report. Reductions fold from the left (integers agree bit for bit with every back
//! end, floats up to the order of summation).
//!
//! [`interpret_on_heap`] runs a program of level `mem` in the same way, and keeps its blocks of memory beside the values. It
//! detects arrays that do not lie at their placement, and data races.
//!
//! Reading order: [`value`], [`text`], `machine`, `expr`, `arrays`, `soac`, `seg`, then `heap`, `races`, `memory`. Absent on purpose:
//! speed, IO.

// New variants must be handled wherever variants are distinguished.
#![warn(clippy::wildcard_enum_match_arm)]

#[cfg(feature = "generate")]
pub mod acceptable;
pub mod text;
pub mod value;

mod machine;

mod expr;

mod arrays;

mod seg;
mod soac;

mod heap;
mod memory;
mod races;

pub use machine::{
    InterpError, interpret, interpret_on_heap, interpret_on_heap_within, interpret_until, interpret_within,
};
pub use value::{ArrayValue, Value};
