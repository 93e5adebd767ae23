//! Cancellation of computations.

use warpwise_runtime::pool::CancelFlag;

/// A handle that asks computations to stop; clones share the request. [`Streaming::cancel`](crate::Streaming::cancel) attaches one to
/// passes over sequences; the one of a context ([`Context::cancel`](crate::Context::cancel)) ends its runs.
///
/// ```
/// use warpwise::{Cancel, Context, Seq, SeqCause, Streaming, unit};
///
/// let cancel = Cancel::new();
/// cancel.cancel();
/// let streaming = Streaming::new().cancel(&cancel);
/// let stopped = Seq::produce_forever(unit).elements().run_with(&Context::cpu()?, &streaming);
/// assert_eq!(stopped.unwrap_err().cause, SeqCause::Cancelled);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Cancel {
    asked: CancelFlag,
}

impl Cancel {
    /// Creates a handle without a request.
    ///
    /// ```
    /// let cancel = warpwise::Cancel::new();
    /// assert!(!cancel.is_cancelled());
    /// cancel.cancel();
    /// assert!(cancel.is_cancelled());
    /// ```
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Wraps the flag of a context.
    pub(crate) fn with(asked: &CancelFlag) -> Cancel {
        Cancel { asked: asked.clone() }
    }

    /// Asks to stop: passes stop after the current chunks, runs of a context at once, also inside long loops. May be called in a
    /// signal handler.
    ///
    /// ```
    /// let cancel = warpwise::Cancel::new();
    /// assert!(!cancel.is_cancelled());
    /// cancel.cancel();
    /// assert!(cancel.is_cancelled());
    /// ```
    pub fn cancel(&self) {
        self.asked.set();
    }

    /// Returns whether a stop was requested.
    ///
    /// ```
    /// let cancel = warpwise::Cancel::new();
    /// assert!(!cancel.is_cancelled());
    /// cancel.cancel();
    /// assert!(cancel.is_cancelled());
    /// ```
    pub fn is_cancelled(&self) -> bool {
        self.asked.is_set()
    }

    /// Withdraws the request: computations that start from now on run. Computations that are already stopping still end.
    ///
    /// ```
    /// let cancel = warpwise::Cancel::new();
    /// cancel.cancel();
    /// cancel.reset();
    /// assert!(!cancel.is_cancelled());
    /// ```
    pub fn reset(&self) {
        self.asked.clear();
    }
}
