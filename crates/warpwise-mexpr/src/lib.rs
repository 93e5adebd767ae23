//! The front end and the host of MExpr, the typed functional language whose expressions can be accelerated.
//!
//! [`syntax`] turns text into a tree that keeps every location, [`load`] gathers the files of a program, [`resolve`] looks up names,
//! [`check`] infers types, and [`reachable`] drops unused definitions; [`compile::front_end`] runs all of these. [`host`] runs the
//! result. [`accelerate`] finds the definitions that accelerated expressions need and lowers them to core IR. [`explain`] holds the
//! explanations of the messages.
//!
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
