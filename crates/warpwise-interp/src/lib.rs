//! Reference interpreter of the core IR: the oracle every pass and back end is compared with.
//!
//! Value semantics: arrays are values, memory annotations are ignored, so programs of every level
//! ([`warpwise_ir::verify::Level`]) can be run. Everything runs in order, one element after the other: the first
//! failing check is the one SEMANTICS wants reported, and reductions fold from the left (integers agree
//! bit for bit with every back end, floats up to the order of summation).
//!
//! Reading order: [`value`], [`text`], `machine`, `expr`, `arrays`, `soac`, `seg`. Absent on purpose: speed, IO, heap
//! semantics and race detection.

pub mod text;
pub mod value;

mod machine;

mod expr;

mod arrays;

mod seg;
mod soac;

pub use machine::{InterpError, interpret, interpret_within};
pub use value::{ArrayValue, Value};
