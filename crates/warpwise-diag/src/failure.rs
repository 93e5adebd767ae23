//! The three kinds of failure (SEMANTICS, "Failing operations").

use std::fmt;

use crate::diagnostic::Diagnostic;
use crate::span::Span;

/// Why a compilation stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The program is wrong: located messages, at least one of them an error.
    User(Vec<Diagnostic>),
    /// The program is right, but we cannot handle it yet.
    Limit(Limit),
    /// A mistake of ours.
    Bug(Bug),
}

/// A known gap, said as such.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limit {
    /// What is not supported, and a way round where there is one.
    pub message: String,
    /// Where in the program it is met.
    pub span: Span,
}

/// A broken invariant, with what is needed to report it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bug {
    /// The pass to blame.
    pub pass: String,
    /// What the verifier said.
    pub message: String,
    /// The offending IR as text, for the driver to write to a file.
    pub ir: String,
}

impl Failure {
    /// The failure as diagnostics: a limit has the code `limit`, a bug of ours `bug`.
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
