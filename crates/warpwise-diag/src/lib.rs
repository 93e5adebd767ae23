//! Spans, diagnostics, their rendering, and the three kinds of failure.
//!
//! A [`Span`] is a range of bytes in one source file, small enough to be copied everywhere: every
//! statement of the IRs carries one, so that an error at run time finds its way back to the text.
//! Files are registered in a [`Sources`] table; reading them from disk is the business of a [`SourceProvider`].

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
