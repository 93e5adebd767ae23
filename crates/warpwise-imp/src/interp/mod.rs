//! A reference interpreter of the imperative IR: host code and kernels, one operation at a time.
//!
//! It is the oracle of the lowering and of back ends, so it is strict: reading a register or memory that was never
//! written, leaving a block, dividing by zero in any lane, or waiting for a flag that nobody has
//! set is a [`Stop::Wrong`], not a value. Parts of static and dynamic launches run last to first, to
//! show dependences that must not be; atomics and flags work because one thread runs everything.
//!
//! [`run_on_device`] runs kernels as devices do: a work-item or a work-group an iteration, the work-items of a group in
//! step from barrier to barrier. Two work-items that touch one byte, one of them writing, are wrong.
//!
//! Absent on purpose: speed, memory that is weaker than a barrier's.

mod memory;

mod machine;

mod groups;
mod races;

mod ops;

pub use machine::{Data, Report, Stop, run, run_on_device};
