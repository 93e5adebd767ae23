//! The checker, from syntax trees to the typed tree: names, types, sizes, uniqueness.
//!
//! [`check`] is the entry point. A file is checked declaration by declaration ([`modules`]). A definition goes through these
//! phases:
//!
//! 1. [`infer`]: Hindley-Milner without sizes. It resolves names and overloading, and records the type of every expression and
//!    pattern in side tables. Only this phase decides what a program without sizes means.
//! 2. [`size`]: builds the typed tree with sized types. All shapes are known, so only sizes remain to be unified. Here
//!    existential sizes are introduced, are checked to stay in scope, and become parameters of the definition.
//! 3. [`finish`]: substitutes the inferred sizes into the tree.
//! 4. [`causality`], [`mod@matches`] and [`consume`] check the finished tree: sizes are known before they are needed, cases match
//!    every value, and uniqueness holds.
//!
//! A definition with errors stays known by name, so that its uses are no errors, and its type fits everywhere. A parametric
//! module is checked where it is written, and again for each application, to make its result ([`modules::parametric`]).
//!
//! Differentiation is not supported yet; a message says so.

mod abbreviations;
mod causality;
pub mod consume;
mod context;
mod defs;
mod differences;
mod entries;
mod env;
mod files;
mod finish;
pub mod infer;
mod intrinsics;
mod liftedness;
mod matches;
pub mod modules;
mod operators;
mod readings;
mod recursion;
mod resolve;
mod sealing;
mod show;
pub mod size;
mod type_exprs;
mod type_names;
mod warnings;
mod words;

pub use context::Checker;
pub use files::{Input, check};
