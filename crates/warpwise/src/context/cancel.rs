//! Asking computations to stop.

use warpwise_runtime::pool::CancelFlag;

/// Asks computations to stop; clones ask the same ones. One of its own is given to passes over sequences with
/// [`Streaming::cancel`](crate::Streaming::cancel); that of a context ([`Context::cancel`](crate::Context::cancel)) ends its runs.
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
    /// Nobody has asked yet.
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

    /// The one whose flag this is.
    pub(crate) fn with(asked: &CancelFlag) -> Cancel {
        Cancel { asked: asked.clone() }
    }

    /// Asks to stop: passes after the chunks under way, runs of a context at once, also inside of long loops. Fit for a signal handler.
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

    /// Whether somebody asked.
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

    /// Takes the request back: what starts from now on runs. What is ending ends.
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
