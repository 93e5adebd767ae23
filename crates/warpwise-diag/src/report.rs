//! Diagnostics as data for tools: `check --json` writes one object per diagnostic.
//!
//! Positions are resolved to lines and columns, since a reader of the data has no [`Sources`]. Both count from 1, columns count
//! characters, and the end is exclusive. A place in no file has no `file` and zeros for positions.

use serde::Serialize;

use crate::diagnostic::{Diagnostic, Severity};
use crate::span::{Position, Sources, Span};

/// One diagnostic with its place resolved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// Source position of the problem.
    #[serde(flatten)]
    pub place: Place,
    /// Stable code of this kind of message.
    pub code: String,
    /// `error` or `warning`.
    pub severity: &'static str,
    /// One sentence that says what is wrong.
    pub message: String,
    /// Message shown at the place itself; may be empty.
    pub at: String,
    /// Other relevant places.
    pub labels: Vec<PlacedLabel>,
    /// Suggested fixes.
    pub hints: Vec<String>,
}

/// A resolved span.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Place {
    /// Name of the file; `None` for code that the compiler made itself.
    pub file: Option<String>,
    /// Line of the first character.
    pub line: u32,
    /// Column of the first character.
    pub column: u32,
    /// Line of the end.
    pub end_line: u32,
    /// Column one past the last character.
    pub end_column: u32,
}

/// A label with its place resolved.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlacedLabel {
    /// Source position of the label.
    #[serde(flatten)]
    pub place: Place,
    /// Message shown at the place.
    pub message: String,
}

impl Report {
    /// Resolves one diagnostic.
    pub fn new(sources: &Sources, diagnostic: &Diagnostic) -> Report {
        let labels = diagnostic.labels.iter().map(|label| PlacedLabel {
            place: Place::new(sources, label.span),
            message: label.message.clone(),
        });
        Report {
            place: Place::new(sources, diagnostic.span),
            code: diagnostic.code.to_string(),
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: diagnostic.message.clone(),
            at: diagnostic.at.clone(),
            labels: labels.collect(),
            hints: diagnostic.hints.clone(),
        }
    }
}

impl Place {
    /// Resolves a span, clamped to the text of its file.
    pub fn new(sources: &Sources, span: Span) -> Place {
        let nowhere = Position { line: 0, column: 0 };
        let (file, start, end) = match sources.clamp(span) {
            Some(range) => (
                Some(sources.name(span.file).to_string()),
                sources.position(span.file, range.start as u32),
                sources.position(span.file, range.end as u32),
            ),
            None => (None, nowhere, nowhere),
        };
        Place { file, line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_places_and_serialises_flat() {
        let mut sources = Sources::new();
        let file = sources.add("a.fut", "é\r\n\tb\n");
        let diagnostic = Diagnostic::error("E0007", Span { file, start: 0, end: 6 }, "wrong")
            .label(Span::NONE, "built in")
            .hint("mend");
        let json = serde_json::to_value(Report::new(&sources, &diagnostic)).unwrap();
        let expected = serde_json::json!({
            "file": "a.fut", "line": 1, "column": 1, "end_line": 2, "end_column": 3,
            "code": "E0007", "severity": "error", "message": "wrong", "at": "", "hints": ["mend"],
            "labels": [{
                "file": null, "line": 0, "column": 0, "end_line": 0, "end_column": 0,
                "message": "built in",
            }],
        });
        assert_eq!(json, expected);
    }
}
