//! The front end and the host of MExpr, the typed functional language whose expressions can be accelerated.
//!
//! [`syntax`] turns text into a tree that keeps every source position, [`load`] gathers the files of a program, [`resolve`] looks
//! up names, [`check`] infers types, and [`reachable`] drops unused definitions; [`compile::front_end`] runs all of these.
//! [`host`] runs the result. [`accelerate`] finds the definitions that accelerated expressions need and lowers them to core IR.
//! [`explain`] holds the explanations of the messages.
//!
//! This crate does no input or output and has no global state.

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
