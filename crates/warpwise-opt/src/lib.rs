//! The optimiser: one file per pass, the order in `pipelines`.

pub mod place;
pub mod schedule;
