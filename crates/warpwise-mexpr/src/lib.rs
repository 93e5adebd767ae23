//! The front end and the host of MExpr, the typed functional language whose expressions can be accelerated.
//!
//! [`syntax`] turns text into a tree that keeps every place; [`explain`] says what the messages mean.
//! There is no input or output and no global state here.

pub mod explain;
pub mod syntax;
