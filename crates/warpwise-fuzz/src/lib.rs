//! Hostile, random and very long programs, which the compiler must survive.
//!
//! [`compile`] runs everything from text to host bytecode, and distinguishes compiler bugs from all other outcomes. [`mutate`] corrupts
//! programs of the corpus, [`grammar`] writes well-typed programs, [`growing`] long ones. Only the tests of this crate use it. It
//! generates no machine code: LLVM would take most of the time and gets valid code only, which the tests of `warpwise-driver` cover.

pub mod compile;
pub mod grammar;
pub mod growing;
pub mod mutate;
