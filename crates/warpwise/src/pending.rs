//! Asynchronous runs, which a thread can wait for, or a task of an asynchronous runtime can await.

use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;

/// A run in the background, on a thread of its own. As a [`Future`] it wakes its task when the result is available, and does not
/// block a thread of the task's runtime. Dropping it does not end the run; [`Context::cancel`](crate::Context::cancel) ends runs.
///
/// ```
/// use warpwise::{Acc, Array, Context, Vector};
///
/// let sum = Context::cpu()?.compile(|xs: Acc<Vector<i64>>| xs.sum())?;
/// let pending = sum.start(&Array::from([1, 2, 3]))?;
/// assert_eq!(pending.wait()?.to_vec(), [6]);
///
/// async fn total(pending: warpwise::Pending<i64>) -> Result<i64, warpwise::Error> {
///     Ok(pending.await? * 2)
/// }
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Pending<T> {
    state: Arc<State<T>>,
}

/// State shared by the run and its caller.
struct State<T> {
    result: Mutex<Progress<T>>,
    is_done: Condvar,
}

enum Progress<T> {
    /// No result yet. Holds the waker to call when there is one.
    Running(Option<Waker>),
    /// The result is available.
    Done(Result<T, Error>),
    /// The result was taken.
    Taken,
}

impl<T> State<T> {
    fn progress(&self) -> MutexGuard<'_, Progress<T>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn finish(&self, result: Result<T, Error>) {
        let before = std::mem::replace(&mut *self.progress(), Progress::Done(result));
        self.is_done.notify_all();
        if let Progress::Running(Some(waker)) = before {
            waker.wake();
        }
    }
}

impl<T> Progress<T> {
    /// Takes the result if it is available. A future polled again after it returned its result gets an error.
    fn take(&mut self) -> Option<Result<T, Error>> {
        if let Progress::Running(_) = self {
            return None;
        }
        match std::mem::replace(self, Progress::Taken) {
            Progress::Done(result) => Some(result),
            Progress::Running(_) | Progress::Taken => {
                Some(Err(Error::Internal("the result of a run was taken before".to_string())))
            }
        }
    }
}

impl<T: Send + 'static> Pending<T> {
    /// Starts a run.
    pub(crate) fn start(
        run: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<Pending<T>, Error> {
        let state = Arc::new(State { result: Mutex::new(Progress::Running(None)), is_done: Condvar::new() });
        let shared = Arc::clone(&state);
        let run = move || {
            // State left behind by a panicking run is not used again.
            let result = catch_unwind(AssertUnwindSafe(run));
            shared.finish(result.unwrap_or_else(|_| Err(Error::Internal("a run panicked".to_string()))));
        };
        thread::Builder::new().spawn(run).map_err(|error| Error::Device(error.to_string()))?;
        Ok(Pending { state })
    }
}

impl<T> Pending<T> {
    /// Returns whether the result is available.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let double = Context::new()?.compile(|x: Exp<i32>| x * 2)?;
    /// let pending = double.start(&4)?;
    /// while !pending.is_done() {
    ///     std::thread::yield_now();
    /// }
    /// assert_eq!(pending.wait()?, 8);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn is_done(&self) -> bool {
        !matches!(*self.state.progress(), Progress::Running(_))
    }

    /// Waits for the result.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let double = Context::new()?.compile(|x: Exp<i32>| x * 2)?;
    /// assert_eq!(double.start(&4)?.wait()?, 8);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn wait(self) -> Result<T, Error> {
        let mut progress = self.state.progress();
        loop {
            if let Some(result) = progress.take() {
                return result;
            }
            progress = self.state.is_done.wait(progress).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for the result, but at most for `timeout`. If the result is not available then, returns the run, which continues.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use warpwise::{Context, Exp};
    ///
    /// let double = Context::new()?.compile(|x: Exp<i32>| x * 2)?;
    /// let result = match double.start(&4)?.wait_timeout(Duration::from_secs(600)) {
    ///     Ok(result) => result?,
    ///     Err(_still_running) => panic!("ten minutes for one product"),
    /// };
    /// assert_eq!(result, 8);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn wait_timeout(self, timeout: Duration) -> Result<Result<T, Error>, Pending<T>> {
        let deadline = Instant::now().checked_add(timeout);
        let mut progress = self.state.progress();
        loop {
            if let Some(result) = progress.take() {
                return Ok(result);
            }
            // A deadline beyond the representable times is never reached.
            let left =
                deadline.map_or(timeout, |deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                break;
            }
            let waited = self.state.is_done.wait_timeout(progress, left);
            progress = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(progress);
        Err(self)
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("is_done", &self.is_done()).finish_non_exhaustive()
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, Error>;

    fn poll(self: Pin<&mut Self>, task: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let mut progress = self.state.progress();
        match progress.take() {
            Some(result) => Poll::Ready(result),
            None => {
                *progress = Progress::Running(Some(task.waker().clone()));
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::task::Wake;

    use super::*;

    /// A waker that unparks the polling thread.
    struct Unpark(thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        loop {
            match Pin::new(&mut future).poll(&mut TaskContext::from_waker(&waker)) {
                Poll::Ready(result) => return result,
                Poll::Pending => thread::park(),
            }
        }
    }

    /// Starts a run that ends on a message.
    fn told() -> (mpsc::Sender<i32>, Pending<i32>) {
        let (sender, receiver) = mpsc::channel();
        let pending =
            Pending::start(move || receiver.recv().map_err(|error| Error::Foreign(error.to_string())));
        (sender, pending.unwrap())
    }

    #[test]
    fn a_task_is_woken_by_the_result() {
        let (sender, mut pending) = told();
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        assert!(Pin::new(&mut pending).poll(&mut TaskContext::from_waker(&waker)).is_pending());
        sender.send(7).unwrap();
        assert_eq!(block_on(&mut pending), Ok(7));
        assert!(matches!(block_on(&mut pending), Err(Error::Internal(_))), "there is one result");
    }

    #[test]
    fn a_run_that_lasts_longer_goes_on() {
        let (sender, pending) = told();
        assert!(!pending.is_done());
        let Err(pending) = pending.wait_timeout(Duration::from_millis(1)) else {
            panic!("no result was sent")
        };
        sender.send(8).unwrap();
        assert_eq!(pending.wait_timeout(Duration::MAX).ok(), Some(Ok(8)));
    }

    #[test]
    fn a_run_that_panics_is_an_error() {
        let pending: Pending<()> = Pending::start(|| panic!("as a test")).unwrap();
        assert!(matches!(pending.wait(), Err(Error::Internal(_))));
        let (sender, pending) = told();
        drop(sender);
        assert!(matches!(pending.wait(), Err(Error::Foreign(_))));
    }

    #[test]
    fn runs_are_sent_between_threads() {
        fn is_sent<T: Send + Sync + Unpin>() {}
        is_sent::<Pending<crate::Vector<f32>>>();
    }
}
