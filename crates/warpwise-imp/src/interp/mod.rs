//! A reference interpreter of the imperative IR: host code and kernels, one operation at a time.
//!
//! It is the oracle of the lowering and of the back ends, so it is strict. Reading a register or memory that was never written, an
//! access outside a block, a division by zero in any lane, or waiting for a flag that nobody has set is a [`Stop::Wrong`], not a
//! value. Tasks of static and dynamic launches run last to first, so that forbidden dependences show. Atomics and flags work
//! because one thread runs everything.
//!
//! [`run_on_device`] runs kernels as devices do: one work-item or work-group for each iteration, the work-items of a group in step
//! from barrier to barrier. It is an error if two work-items touch one byte and one of them writes it.
//!
//! Absent on purpose: speed, memory that is weaker than a barrier's.

mod memory;

mod machine;

mod groups;
mod races;

mod ops;

pub use machine::{Data, Report, Stop, run, run_on_device};
