//! Diagnostics: located messages with hints.

use crate::span::Span;

/// Severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// The program is rejected.
    Error,
    /// The program is accepted.
    Warning,
}

/// A secondary place with a message that says how it relates to the problem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Source position of the label.
    pub span: Span,
    /// Message shown at the place.
    pub message: String,
}

/// One located message to the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable code of this kind of message, such as `E0102`.
    pub code: &'static str,
    /// One sentence that says what is wrong.
    pub message: String,
    /// Source position of the problem.
    pub span: Span,
    /// Message shown at `span` itself; may be empty.
    pub at: String,
    /// Other relevant places.
    pub labels: Vec<Label>,
    /// Suggested fixes.
    pub hints: Vec<String>,
}

impl Diagnostic {
    /// Creates an error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            message: message.into(),
            span,
            at: String::new(),
            labels: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// Creates a warning at `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, span, message) }
    }

    /// Sets the message shown at `span` itself.
    pub fn at(mut self, message: impl Into<String>) -> Diagnostic {
        self.at = message.into();
        self
    }

    /// Adds a label at another place.
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds a suggested fix.
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hints.push(hint.into());
        self
    }
}
