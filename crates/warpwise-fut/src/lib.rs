//! The Futhark-compatible front end: source text to core IR.
//!
//! [`syntax`] turns text into a tree that keeps every place, [`check`] turns that into [`typed`], in which everything is resolved,
//! [`explain`] says what its messages mean, [`testspec`] reads what a program says about its own tests, [`entries`] what it says of its entry points. The front end does no input or output
//! of its own, and holds no global state: what one compilation shares lives in [`syntax::session::Session`].

pub mod check;
pub mod compile;
pub mod entries;
pub mod explain;
pub mod lower;
pub mod syntax;
pub mod testspec;
pub mod typed;
