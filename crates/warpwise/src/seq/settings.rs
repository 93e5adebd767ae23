//! Settings of passes over sequences.

use std::sync::Arc;

use warpwise_runtime::memory::MemoryPool;

use crate::context::Cancel;

/// Size of the chunks in flight, in bytes, if no limit is set.
const PLANNED: u64 = 256 << 20;

/// Settings of a pass over sequences. They do not affect its results.
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

/// Callback that is called after every chunk.
pub(super) type Observer = dyn Fn(&Progress) + Send + Sync;

/// Progress of a pass.
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
    /// Number of elements computed so far.
    pub elements: u64,
    /// Number of chunks computed so far.
    pub chunks: u64,
    /// Number of elements of the last chunk.
    pub chunk: u64,
    /// Size of the last chunk in bytes, including its results.
    pub bytes: u64,
}

impl Streaming {
    /// Creates the default settings: the chunk size is chosen automatically.
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

    /// Limits the memory of arrays to this many bytes: elements, their results, and intermediate arrays of the computation.
    /// Arrays gathered by consumers are not counted.
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

    /// Fixes the number of elements per chunk, which is at least one.
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

    /// Stops the pass when `cancel` is requested.
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

    /// Calls a function after every computed chunk.
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

    /// Returns a memory pool for this pass, if its memory is limited.
    pub(super) fn own_memory(&self) -> Option<MemoryPool> {
        self.memory_limit.map(MemoryPool::new)
    }

    /// Returns the size that chunks may have, in bytes.
    pub(super) fn budget(&self) -> u64 {
        self.memory_limit.unwrap_or(PLANNED)
    }
}
