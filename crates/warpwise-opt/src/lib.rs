//! The optimiser: one file (or folder) for each pass over the core IR, in suggested reading order.
//!
//! A pass is a plain value ([`pass::Pass`]); [`pipelines`] alone knows their order. On valid programs a pass fails only with a
//! located limit. No pass calls another, and none does IO.

// A new construct must be handled wherever constructs are distinguished.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod pass;
pub mod pipelines;

pub mod aliases;
pub mod blocks;
pub mod side_by_side;
pub mod small_arrays;
pub mod uses;

pub mod inline;
pub mod simplify;

pub mod accumulate;
pub mod regularise;

pub mod contract;
pub mod count;
pub mod fuse;
pub mod hoist;
pub mod nest;
pub mod relax;
pub mod sink;
pub mod unmap;
pub mod unroll;

pub mod check_sizes;
pub mod flatten;
pub mod gather;

pub mod chunk;

pub mod segment;
pub mod straighten;
pub mod tighten;

pub mod delinearise;
pub mod distribute;
pub mod divide;
pub mod enclose;

pub mod carry;
pub mod coalesce;
pub mod jam;
pub mod migrate;
pub mod narrow;
pub mod schedule;
pub mod specialise;
pub mod tile;

pub mod place;

pub mod merge;
pub mod short_circuit;
