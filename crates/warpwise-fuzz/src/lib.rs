//! Hostile, random and very long programs, and whether the compiler survives them.
//!
//! [`compile`] runs everything from text to host bytecode and tells mistakes of ours from all other endings;
//! [`mutate`] spoils programs of the corpus, [`grammar`] writes well-typed ones, [`growing`] long ones.
//! Used by the tests of this crate only. Machine code is not made here: LLVM takes most of the time and is
//! reached with valid code only, which `warpwise-driver`'s own tests cover.

pub mod compile;
pub mod grammar;
pub mod growing;
pub mod mutate;
