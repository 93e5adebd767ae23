//! Syntax trees to the typed tree: names, types, sizes, uniqueness.
//!
//! [`check`] is the entry. A file is checked declaration by declaration ([`modules`]); a definition goes through
//!
//! 1. [`infer`]: Hindley-Milner without sizes. Resolves names and overloading, and leaves in side tables the type of
//!    every expression and pattern. Only this phase decides what a program without sizes means.
//! 2. [`size`]: builds the typed tree with sized types. As all shapes are known, only sizes remain to be unified;
//!    here sizes come into being, are checked to stay in scope, and become parameters of the definition.
//! 3. [`finish`]: puts the sizes found into the tree.
//! 4. [`causality`], [`mod@matches`] and [`consume`]: sizes are known when they are needed, cases match every value, and
//!    uniqueness, all on the finished tree.
//!
//! A definition with errors is known by name, so that uses of it are no errors, and its type fits everywhere.
//! A parametric module is checked where it is written and, to make its result, for each application ([`modules::parametric`]).
//!
//! Not supported yet, with a message that says so: differentiation.

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
