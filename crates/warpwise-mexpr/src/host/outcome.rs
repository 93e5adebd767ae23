//! How a run ended, and what is said of one that failed.

use std::rc::Rc;

use warpwise_diag::Span;

/// The number of calls of a chain that are shown at each end.
const SHOWN_CALLS: usize = 8;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The exit code, if the program ended itself.
    pub exit: Option<i64>,
    /// How many tests have passed.
    pub passed: u64,
    /// How many tests have failed.
    pub failed: u64,
}

/// Why a run failed.
#[derive(Clone, PartialEq, Debug)]
pub struct RunError {
    /// The message.
    pub message: String,
    /// Where, on the host.
    pub span: Span,
    /// `file:line:column` in accelerated code, if it is a device that failed and tells.
    pub device_place: Option<String>,
    /// The functions that were being run, innermost first, with the places of the calls in them.
    pub calls: Vec<Call>,
}

/// A function that was being run.
#[derive(Clone, PartialEq, Debug)]
pub enum Call {
    /// One of them.
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

/// A failed test.
#[derive(Clone, PartialEq, Debug)]
pub struct FailedTest {
    /// Where it is.
    pub span: Span,
    /// The message.
    pub message: String,
}
