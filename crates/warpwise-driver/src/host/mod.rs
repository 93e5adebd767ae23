//! Host programs (`.mc`): from a file to a run.
//!
//! ```text
//! check           split, lower            compile                    run
//! HostProgram ──> Prepared (code, core IR) ──> Executable (device) ──> outcome
//! ```
//! [`program`] holds these four steps. Their parts, in reading order: [`files`] reads programs and their includes; [`lower`] lowers
//! accelerated expressions to core IR, with [`inline`] for text of the array language; [`accelerator`] compiles and calls them. A call
//! takes values apart into arrays ([`marshal`], [`rows`], [`tensors`] with [`places`] and [`storage`]) and keeps statistics of them
//! ([`recorded`]). [`native`] compiles functions that the host itself computes, and [`world`] is a running program's access to the
//! process. Absent: the language, its machine and its passes (`warpwise-mexpr`), command-line concerns.

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
