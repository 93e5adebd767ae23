//! How a pass over sequences runs.

use std::sync::Arc;

use warpwise_runtime::memory::MemoryPool;

use crate::context::Cancel;

/// Bytes of the chunks in flight where no limit is set.
const PLANNED: u64 = 256 << 20;

/// How a pass over sequences runs. What it computes does not depend on it.
///
/// ```
/// use warpwise::{Context, Seq, Streaming, unit};
///
/// let squares = Seq::produce(1000, |i| unit(i * i));
/// let streaming = Streaming::new().memory_limit(1 << 20);
/// assert_eq!(squares.elements().run_with(&Context::cpu()?, &streaming)?.len(), 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Streaming {
    memory_limit: Option<u64>,
    pub(super) chunk: Option<u64>,
    pub(super) cancel: Cancel,
    pub(super) observe: Option<Arc<Observer>>,
}

/// Told of every chunk.
pub(super) type Observer = dyn Fn(&Progress) + Send + Sync;

/// How far a pass is.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::sync::Arc;
/// use warpwise::{Context, Progress, Seq, Streaming, unit};
///
/// let elements = Arc::new(AtomicU64::new(0));
/// let seen = elements.clone();
/// let streaming = Streaming::new().observe(move |progress: &Progress| seen.store(progress.elements, Ordering::Relaxed));
/// Seq::produce(10, unit).elements().run_with(&Context::cpu()?, &streaming)?;
/// assert_eq!(elements.load(Ordering::Relaxed), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Progress {
    /// Elements that were computed.
    pub elements: u64,
    /// Chunks.
    pub chunks: u64,
    /// Elements of the last chunk.
    pub chunk: u64,
    /// Bytes of the last chunk, with what was computed of it.
    pub bytes: u64,
}

impl Streaming {
    /// Chunks as large as is useful.
    ///
    /// ```
    /// use warpwise::{Context, Seq, Streaming, unit};
    ///
    /// let streaming = Streaming::new();
    /// assert_eq!(Seq::produce(3, unit).elements().run_with(&Context::cpu()?, &streaming)?.to_vec(), [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new() -> Streaming {
        Streaming::default()
    }

    /// Holds at most so many bytes of arrays: elements, what is computed of them, and what the computation needs in between.
    /// What consumers gather is not counted.
    ///
    /// ```
    /// use warpwise::{Context, Seq, Streaming, unit};
    ///
    /// let streaming = Streaming::new().memory_limit(1 << 20);
    /// assert_eq!(Seq::produce(3, unit).elements().run_with(&Context::cpu()?, &streaming)?.to_vec(), [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn memory_limit(mut self, bytes: u64) -> Streaming {
        self.memory_limit = Some(bytes);
        self
    }

    /// Always takes so many elements at a time, at least one.
    ///
    /// ```
    /// use warpwise::{Context, Seq, Streaming, unit};
    ///
    /// let streaming = Streaming::new().chunk(2);
    /// assert_eq!(Seq::produce(3, unit).elements().run_with(&Context::cpu()?, &streaming)?.to_vec(), [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn chunk(mut self, elements: u64) -> Streaming {
        self.chunk = Some(elements.max(1));
        self
    }

    /// Stops when asked.
    ///
    /// ```
    /// use warpwise::{Cancel, Context, Seq, SeqCause, Streaming, unit};
    ///
    /// let cancel = Cancel::new();
    /// cancel.cancel();
    /// let streaming = Streaming::new().cancel(&cancel);
    /// let error = Seq::produce_forever(unit).elements().run_with(&Context::cpu()?, &streaming).unwrap_err();
    /// assert_eq!(error.cause, SeqCause::Cancelled);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cancel(mut self, cancel: &Cancel) -> Streaming {
        self.cancel = cancel.clone();
        self
    }

    /// Tells of every chunk that was computed.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use std::sync::Arc;
    /// use warpwise::{Context, Progress, Seq, Streaming, unit};
    ///
    /// let elements = Arc::new(AtomicU64::new(0));
    /// let seen = elements.clone();
    /// let streaming = Streaming::new().observe(move |progress: &Progress| seen.store(progress.elements, Ordering::Relaxed));
    /// Seq::produce(10, unit).elements().run_with(&Context::cpu()?, &streaming)?;
    /// assert_eq!(elements.load(Ordering::Relaxed), 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn observe(mut self, observe: impl Fn(&Progress) + Send + Sync + 'static) -> Streaming {
        self.observe = Some(Arc::new(observe));
        self
    }

    /// The memory of its own, if it is limited.
    pub(super) fn own_memory(&self) -> Option<MemoryPool> {
        self.memory_limit.map(MemoryPool::new)
    }

    /// Bytes that chunks may take.
    pub(super) fn budget(&self) -> u64 {
        self.memory_limit.unwrap_or(PLANNED)
    }
}
