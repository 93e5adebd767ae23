//! The optimiser: one file per pass, the order in `pipelines`.

pub mod contract;
pub mod fuse;
pub mod inline;
pub mod place;
pub mod schedule;
pub mod simplify;
