//! The Futhark-compatible front end: source text to core IR.
//!
//! [`syntax`] turns text into a tree that keeps every location. [`check`] turns this tree into a [`typed`] one, in which
//! everything is resolved, and [`lower`] turns the typed tree into core IR. [`compile`] runs all three. [`explain`] holds the
//! explanations of the messages, [`testspec`] reads a program's test blocks, and [`entries`] describes a program's entry points.
//!
//! The front end does no input or output and holds no global state. State shared by the phases of one compilation lives in
//! [`syntax::session::Session`].

pub mod check;
pub mod compile;
pub mod entries;
pub mod explain;
pub mod lower;
pub mod syntax;
pub mod testspec;
pub mod typed;
