//! Host programs (`.mc`): from a file to a run.
//!
//! ```text
//! check           split, lower            compile                    run
//! HostProgram ──> Prepared (code, core IR) ──> Executable (device) ──> outcome
//! ```
//! [`program`] holds these four steps. What they are made of, in reading order: [`files`] reads programs and what they include;
//! [`lower`] makes core IR of accelerated expressions, with [`inline`] for text of the array language; [`accelerator`] compiles and
//! calls them. A call takes values apart into arrays ([`marshal`], [`rows`], [`tensors`] with [`places`] and [`storage`]) and keeps
//! account of them ([`recorded`]). [`native`] compiles what the host computes itself, and [`world`] is what a running program sees
//! of the process. Absent: the language, its machine and its passes (`warpwise-mexpr`), command-line concerns.

pub mod program;

pub mod files;
mod inline;
pub mod lower;

pub mod accelerator;
pub mod marshal;
mod places;
pub mod recorded;
mod rows;
mod storage;
mod tensors;

pub mod native;
pub mod world;
