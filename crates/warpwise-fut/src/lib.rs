//! The Futhark-compatible front end: source text to core IR.
//!
//! [`syntax`] turns text into a tree that keeps every location. [`check`] turns that into [`typed`], in which everything is resolved,
//! and [`lower`] makes core IR of it; [`compile`] runs all three. [`explain`] holds the explanations of its messages, [`testspec`]
//! reads a program's test blocks, and [`entries`] describes its entry points.
//!
//! The front end does no input or output and holds no global state. What one compilation shares lives in
//! [`syntax::session::Session`].

pub mod check;
pub mod compile;
pub mod entries;
pub mod explain;
pub mod lower;
pub mod syntax;
pub mod testspec;
pub mod typed;
