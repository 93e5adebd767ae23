//! Spans, diagnostics, their rendering, and the three kinds of failure.
//!
//! A [`Span`] is a range of bytes in one source file, small enough to be copied freely. Every statement of the IRs carries one, so
//! that an error at run time can name its location. Files are registered in a [`Sources`] table; a [`SourceProvider`] reads them.

mod diagnostic;
mod explanations;
mod failure;
mod provider;
mod render;
mod report;
mod span;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use explanations::Explanations;
pub use failure::{Bug, Failure, Limit};
pub use provider::{ReadError, SourceFile, SourceProvider};
pub use render::{render, render_failure};
pub use report::{Place, PlacedLabel, Report};
pub use span::{FileId, Position, Sources, Span, without_mark};
