//! The front end and the host of MExpr, the typed functional language whose expressions can be accelerated.
//!
//! [`syntax`] turns text into a tree that keeps every place, [`load`] brings the files of a program together, [`resolve`]
//! looks up names, [`check`] finds types, [`reachable`] drops what is not used; [`compile::front_end`] does all of that.
//! [`host`] runs the result; [`accelerate`] finds what accelerated expressions need and lowers it. [`explain`] says what the messages mean.
//! There is no input or output and no global state here.

pub mod builtins;
pub mod tree;

pub mod syntax;

pub mod load;
pub mod resolve;

pub mod check;

pub mod reachable;

pub mod compile;
pub mod host;

pub mod explain;
pub mod library;

pub mod accelerate;
