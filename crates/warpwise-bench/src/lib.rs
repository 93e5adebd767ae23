//! Measurements of Warpwise against programs that do the same work: C, ISPC, OpenBLAS, Futhark.
//!
//! Reading order: a [`work::Work`] describes a computation and its inputs; a [`peer::Peer`] is a program that does it;
//! [`measure`] runs all peers of a work in turn and keeps every time; [`report`] turns times into ratios and prints them.
//!
//! Absent on purpose: comparison of an absolute time with a fixed number, since machines differ and are noisy. The figures are
//! ratios between programs that ran in turn, and shares of limits measured in the same rounds.

pub mod ablation;
pub mod baseline;
pub mod cliffs;
pub mod compare;
pub mod embedded;
pub mod footprint;
pub mod futhark;
pub mod gpu;
pub mod measure;
pub mod memory;
pub mod mexpr;
pub mod ours;
pub mod peer;
pub mod picture;
pub mod probe;
pub mod report;
pub mod row;
pub mod safety;
pub mod scaling;
pub mod sequences;
pub mod start_up;
pub mod streams;
pub mod suite;
pub mod value;
pub mod work;
