//! The three kinds of failure (SEMANTICS, "Failing operations").

use std::fmt;

use crate::diagnostic::Diagnostic;
use crate::span::Span;

/// The reason why a compilation stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The program is wrong. At least one of the messages is an error.
    User(Vec<Diagnostic>),
    /// The program is right, but the compiler cannot handle it yet.
    Limit(Limit),
    /// A mistake of the compiler.
    Bug(Bug),
}

/// A known gap of the compiler, reported as such.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limit {
    /// The unsupported feature, and a workaround if there is one.
    pub message: String,
    /// Source position of the unsupported use.
    pub span: Span,
}

/// A broken invariant, with the data needed to report it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bug {
    /// Name of the pass to blame.
    pub pass: String,
    /// The verifier's message.
    pub message: String,
    /// The offending IR as text, for the driver to write to a file.
    pub ir: String,
}

impl Failure {
    /// Returns the failure as diagnostics. A limit has the code `limit`, a bug of the compiler the code `bug`.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        match self {
            Failure::User(diagnostics) => diagnostics.clone(),
            Failure::Limit(limit) => {
                vec![Diagnostic::error("limit", limit.span, format!("not supported yet: {}", limit.message))]
            }
            Failure::Bug(bug) => vec![
                Diagnostic::error("bug", Span::NONE, bug.to_string())
                    .hint("this is a mistake of the compiler, not of the program; please report it"),
            ],
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Failure {
        Failure::User(vec![diagnostic])
    }
}

impl From<Limit> for Failure {
    fn from(limit: Limit) -> Failure {
        Failure::Limit(limit)
    }
}

impl From<Bug> for Failure {
    fn from(bug: Bug) -> Failure {
        Failure::Bug(bug)
    }
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "internal error after pass `{}`: {}", self.pass, self.message)
    }
}
