//! The reading side of a pass: reads chunks of consecutive elements from all sources, of the size that the computing side
//! requests.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use warpwise_runtime::memory::MemoryPool;

use super::START;
use crate::seq::batch::Batch;
use crate::seq::error::{SeqCause, SeqError};
use crate::seq::feed::{End, Feed};
use crate::seq::settings::Streaming;

/// Waiting time for memory that others may release.
pub const PATIENCE: Duration = Duration::from_millis(1);
/// Divisor of the budget: one read takes at most a `PART`-th of it.
pub const PART: u64 = 8;
/// Alignment of the ends of large chunks, in elements: so the groups of folds are complete, and nothing is copied to complete
/// them.
const ALIGNED: u64 = 512;
/// Minimum number of elements of a large chunk.
const LARGE: u64 = 16 * ALIGNED;

/// Consecutive elements of all sources.
pub struct Chunk {
    /// Number of the first element.
    pub first: u64,
    /// Elements of each source.
    pub batches: Vec<Batch>,
    /// Token that marks memory as in use.
    pub token: Arc<()>,
}

impl Chunk {
    /// Returns the number of sources times the bytes of the largest batch, which is the size that limits a read.
    pub fn largest_reading(&self) -> u64 {
        let most = self.batches.iter().map(Batch::bytes).max().unwrap_or(0);
        most * self.batches.len() as u64
    }
}

/// A message of the reader.
pub enum Given {
    /// The next elements.
    Chunk(Chunk),
    /// The end of the elements, with the error if any.
    Ended(Option<SeqError>),
}

/// A source, with elements that it returned in excess.
struct Waiting {
    feed: Box<dyn Feed>,
    batch: Batch,
    end: Option<End>,
}

/// Number of elements of the next chunk, which the computing side communicates to the reading side.
///
/// At the start, chunks grow by large factors after each step. While steps are brief, nothing is read ahead, because otherwise
/// several chunks of every size would be in flight.
pub struct Pace {
    units: AtomicU64,
    /// Number of elements computed so far; the largest number once the start is over.
    done: Mutex<u64>,
    changed: Condvar,
}

impl Pace {
    /// Starts with one element.
    pub fn start() -> Pace {
        Pace { units: AtomicU64::new(1), done: Mutex::new(0), changed: Condvar::new() }
    }

    /// Uses this number from the start.
    pub fn steady(units: u64) -> Pace {
        Pace { units: AtomicU64::new(units), done: Mutex::new(u64::MAX), changed: Condvar::new() }
    }

    /// Sets the number for the following chunks, after `done` elements were computed. `started` means that the start is over.
    pub fn set(&self, units: u64, done: u64, started: bool) {
        self.units.store(units, Ordering::Relaxed);
        let mut known = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *known = if started { u64::MAX } else { done.max(*known) };
        self.changed.notify_one();
    }

    /// Returns the size of the chunk that starts with this element.
    fn next(&self, first: u64) -> u64 {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if *done < first {
            let waited = self.changed.wait_timeout_while(done, START, |done| *done < first);
            done = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if *done < first {
            *done = u64::MAX;
        }
        self.units.load(Ordering::Relaxed)
    }
}

/// The reading side.
pub struct Reader {
    feeds: Vec<Waiting>,
    needs: Vec<(Vec<usize>, Option<u64>)>,
    /// Maximum number of elements that any consumer takes.
    limit: u64,
    /// Number of elements read so far.
    at: u64,
    memory: MemoryPool,
    streaming: Streaming,
    pace: Arc<Pace>,
    /// Token held by all chunks and results.
    token: Arc<()>,
}

impl Reader {
    /// Reads these sources. Each consumer has the sources that it needs, and its maximum number of elements.
    pub fn new(
        feeds: Vec<Box<dyn Feed>>,
        needs: Vec<(Vec<usize>, Option<u64>)>,
        memory: &MemoryPool,
        streaming: &Streaming,
        pace: Arc<Pace>,
    ) -> Reader {
        Reader {
            feeds: feeds
                .into_iter()
                .map(|feed| Waiting { feed, batch: Batch::default(), end: None })
                .collect(),
            limit: needs.iter().map(|(_, limit)| limit.unwrap_or(u64::MAX)).max().unwrap_or(0),
            needs,
            at: 0,
            memory: memory.clone(),
            streaming: streaming.clone(),
            pace,
            token: Arc::new(()),
        }
    }

    /// Reads a chunk, unless the pass ends.
    pub fn next(&mut self) -> Given {
        let read = catch_unwind(AssertUnwindSafe(|| self.chunk()));
        let failed = |this: &Reader, cause| Given::Ended(Some(SeqError::at(this.at, cause)));
        match read {
            Ok(Ok(Some(chunk))) => Given::Chunk(chunk),
            Ok(Ok(None)) => Given::Ended(None),
            Ok(Err(cause)) => failed(self, cause),
            Err(_) => failed(self, SeqCause::Source("the source panicked".to_string())),
        }
    }

    fn chunk(&mut self) -> Result<Option<Chunk>, SeqCause> {
        if self.streaming.cancel.is_cancelled() {
            return Err(SeqCause::Cancelled);
        }
        let mut count = self.pace.next(self.at).min(self.limit - self.at);
        if count == 0 {
            return Ok(None);
        }
        if self.streaming.chunk.is_none() && count >= LARGE {
            count -= (self.at + count) % ALIGNED;
        }
        let bytes = self.streaming.budget() / PART / self.feeds.len().max(1) as u64;
        for at in 0..self.feeds.len() {
            count = self.fill(at, count, bytes)?;
        }
        if count == 0 {
            return self.end();
        }
        let mut batches = Vec::new();
        for waiting in &mut self.feeds {
            let whole = std::mem::take(&mut waiting.batch);
            if whole.count as u64 == count {
                batches.push(whole);
                continue;
            }
            batches.push(whole.part(0, count as usize));
            waiting.batch = whole.part(count as usize, whole.count);
        }
        let chunk = Chunk { first: self.at, batches, token: Arc::clone(&self.token) };
        self.at += count;
        Ok(Some(chunk))
    }

    /// Makes a source return up to `count` elements. Returns how many are available.
    fn fill(&mut self, at: usize, mut count: u64, bytes: u64) -> Result<u64, SeqCause> {
        let waiting = &mut self.feeds[at];
        while waiting.batch.count == 0 && waiting.end.is_none() && count > 0 {
            match waiting.feed.read(count, bytes, &self.memory) {
                Ok(reading) => {
                    waiting.batch = reading.batch;
                    waiting.end = reading.end;
                }
                Err(_) if Arc::strong_count(&self.token) > 1 && !self.streaming.cancel.is_cancelled() => {
                    thread::sleep(PATIENCE);
                }
                Err(_) if count > 1 => count /= 2,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(count.min(waiting.batch.count as u64))
    }

    /// Handles the end of a source. The pass ends, unless a consumer needs only other sources that have more elements, which is
    /// an error.
    fn end(&mut self) -> Result<Option<Chunk>, SeqCause> {
        for waiting in &self.feeds {
            if let (0, Some(End::Failed(message))) = (waiting.batch.count, &waiting.end) {
                return Err(SeqCause::Source(message.clone()));
            }
        }
        let needs = self.needs.clone();
        for (feeds, limit) in needs {
            if limit.is_some_and(|limit| limit <= self.at) {
                continue;
            }
            let mut left = 1;
            for at in feeds {
                left = self.fill(at, left, 1)?;
            }
            if left > 0 {
                let message = "a source of another consumer of the same pass ends here".to_string();
                return Err(SeqCause::Shape(message));
            }
        }
        Ok(None)
    }
}
