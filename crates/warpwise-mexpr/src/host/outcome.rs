//! Outcomes of runs, and reports of failures.

use std::rc::Rc;

use warpwise_diag::Span;

/// Number of calls that are shown at each end of a chain.
const SHOWN_CALLS: usize = 8;

/// The outcome of a run that did not fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The exit code, if the program ended itself.
    pub exit: Option<i64>,
    /// Number of passed tests.
    pub passed: u64,
    /// Number of failed tests.
    pub failed: u64,
}

/// The reason why a run failed.
#[derive(Clone, PartialEq, Debug)]
pub struct RunError {
    /// The message.
    pub message: String,
    /// Source position on the host.
    pub span: Span,
    /// `file:line:column` in accelerated code, if a device failed and reports the position.
    pub device_place: Option<String>,
    /// The open calls: the functions, innermost first, with the positions of the calls in them.
    pub calls: Vec<Call>,
}

/// An open call.
#[derive(Clone, PartialEq, Debug)]
pub enum Call {
    /// A function, and the position of the call in it.
    In(Rc<str>, Span),
    /// The number of calls that are not shown.
    More(usize),
}

impl Call {
    /// Returns the part of the open calls that is shown, innermost first.
    pub(super) fn chain<T>(open: &[T], show: impl Fn(&T) -> Call) -> Vec<Call> {
        if open.len() <= 2 * SHOWN_CALLS + 1 {
            return open.iter().map(show).collect();
        }
        let (inner, outer) = (&open[..SHOWN_CALLS], &open[open.len() - SHOWN_CALLS..]);
        let hidden = Call::More(open.len() - 2 * SHOWN_CALLS);
        inner.iter().map(&show).chain([hidden]).chain(outer.iter().map(&show)).collect()
    }
}

/// The outcome of a test.
#[derive(Clone, PartialEq, Debug)]
pub struct TestOutcome {
    /// Source position of the test.
    pub span: Span,
    /// The message, if the test failed.
    pub failure: Option<String>,
}
