//! The optimiser: one file per pass, the order in `pipelines`.

pub mod schedule;
