//! The threads of a pass: one reads, one computes, the caller's consumes.
//!
//! Between them are queues for one chunk: one chunk is being read, one waits, one is computed on, one result waits, one is
//! consumed. Whoever is ahead waits. A pass ends when sources end, when a limit is reached, when its consumer takes no more,
//! when something fails; all that came before a failure is consumed first.
//!
//! A chunk on which the program fails is done again in halves, until the failure is that of one element. So errors name
//! elements, a chunk that memory does not suffice for becomes smaller ones, and results never depend on chunks.
//!
//! Absent: ending a source that hangs (its thread ends when the source does).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use warpwise_runtime::memory::MemoryPool;
use warpwise_stream::policy::{self, Limits, Sample, State};

use super::batch::Batch;
use super::error::{SeqCause, SeqError};
use super::feed::{End, Feed};
use super::pass::{Pass, Steps};
use super::settings::{Progress, Streaming};
use crate::error::Error;

/// How long to wait for memory that others may give back.
const PATIENCE: Duration = Duration::from_millis(1);
/// Steps shorter than this are the start of a pass.
const START: Duration = Duration::from_millis(1);
/// A reading takes at most this part of the budget.
const PART: u64 = 8;
/// Large chunks end at multiples of so many elements, so that the groups of folds are complete and nothing is copied to complete them.
const ALIGNED: u64 = 512;
/// What large chunks are.
const LARGE: u64 = 16 * ALIGNED;
/// Chunks in flight on either side of the program.
const IN_FLIGHT: u64 = 3;

/// What comes out of a pass: chunks in order, then why it ended.
pub type Results = Receiver<Message>;

/// What consumers are told.
pub enum Message {
    /// The next elements.
    Chunk(Output),
    /// There are no more.
    Ended(Option<SeqError>),
}

/// What was computed of consecutive elements.
pub struct Output {
    /// The number of the first one.
    pub first: u64,
    /// For each of them the arrays that consumers take.
    pub batch: Batch,
    /// Say that memory is in use: that of the chunk, and that of the results.
    pub _tokens: [Arc<()>; 2],
}

/// Consecutive elements of all sources.
struct Chunk {
    first: u64,
    batches: Vec<Batch>,
    token: Arc<()>,
}

/// What the reader says.
enum Given {
    Chunk(Chunk),
    Ended(Option<SeqError>),
}

/// Starts a pass.
pub fn start(pass: Pass, memory: &MemoryPool, streaming: &Streaming) -> Result<Results, Error> {
    let Pass { feeds, needs, steps, .. } = pass;
    let ready = feeds.iter().all(|feed| feed.is_ready());
    let known = steps.experience().elements(streaming.budget()).filter(|_| ready);
    let state = known.map_or_else(State::start, State::experienced);
    let pace = Arc::new(match streaming.chunk {
        Some(fixed) => Pace::steady(fixed),
        None if known.is_some() => Pace::steady(state.units),
        None => Pace::start(),
    });
    let (to_step, chunks) = sync_channel(1);
    let (to_consumer, results) = sync_channel(1);
    let mut reader = Reader {
        feeds: feeds.into_iter().map(|feed| Waiting { feed, batch: Batch::default(), end: None }).collect(),
        limit: needs.iter().map(|(_, limit)| limit.unwrap_or(u64::MAX)).max().unwrap_or(0),
        needs,
        at: 0,
        ended: false,
        memory: memory.clone(),
        streaming: streaming.clone(),
        pace: Arc::clone(&pace),
        token: Arc::new(()),
    };
    let compute = Compute {
        steps,
        to_consumer,
        streaming: streaming.clone(),
        pace,
        state,
        progress: Progress::default(),
        most: u64::MAX,
        unconsumed: Arc::new(()),
        waited: Duration::ZERO,
    };
    let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
        let spawned = thread::Builder::new().name(name.to_string()).spawn(run);
        spawned.map(|_| ()).map_err(|error| Error::Device(error.to_string()))
    };
    spawn("sequence reader", Box::new(move || while reader.next(&to_step) {}))?;
    spawn("sequence", Box::new(move || compute.run(&chunks)))?;
    Ok(results)
}

/// A source with what it gave too much.
struct Waiting {
    feed: Box<dyn Feed>,
    batch: Batch,
    end: Option<End>,
}

/// How many elements the next chunk has, as the computing side tells the reading side.
///
/// At the start chunks grow by large factors after each step. So as long as steps are brief nothing is read ahead, or there would be several
/// chunks of every size on the way.
struct Pace {
    units: AtomicU64,
    /// Elements done so far; the largest number once the start is over.
    done: Mutex<u64>,
    changed: Condvar,
}

impl Pace {
    /// One element first.
    fn start() -> Pace {
        Pace { units: AtomicU64::new(1), done: Mutex::new(0), changed: Condvar::new() }
    }

    /// So many from the start.
    fn steady(units: u64) -> Pace {
        Pace { units: AtomicU64::new(units), done: Mutex::new(u64::MAX), changed: Condvar::new() }
    }

    fn set(&self, units: u64, done: u64, started: bool) {
        self.units.store(units, Ordering::Relaxed);
        let mut known = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *known = if started { u64::MAX } else { done.max(*known) };
        self.changed.notify_one();
    }

    /// The size of the chunk that begins with this element.
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
struct Reader {
    feeds: Vec<Waiting>,
    needs: Vec<(Vec<usize>, Option<u64>)>,
    /// Elements that anybody takes.
    limit: u64,
    /// Elements read so far.
    at: u64,
    ended: bool,
    memory: MemoryPool,
    streaming: Streaming,
    pace: Arc<Pace>,
    /// Held by all chunks and results.
    token: Arc<()>,
}

impl Reader {
    /// Reads a chunk; whether there may be another.
    fn next(&mut self, to_step: &SyncSender<Given>) -> bool {
        if self.ended {
            return false;
        }
        let read = catch_unwind(AssertUnwindSafe(|| self.chunk()));
        let failed = |this: &Reader, cause| Given::Ended(Some(SeqError::at(this.at, cause)));
        let message = match read {
            Ok(Ok(Some(chunk))) => Given::Chunk(chunk),
            Ok(Ok(None)) => Given::Ended(None),
            Ok(Err(cause)) => failed(self, cause),
            Err(_) => failed(self, SeqCause::Source("the source panicked".to_string())),
        };
        self.ended = matches!(message, Given::Ended(_));
        to_step.send(message).is_ok() && !self.ended
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

    /// Has a source give up to so many elements; yields how many are there.
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

    /// A source gives no more: so the pass ends, unless a consumer needs others only, which give more.
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

/// The computing side.
struct Compute {
    steps: Steps,
    to_consumer: SyncSender<Message>,
    streaming: Streaming,
    pace: Arc<Pace>,
    state: State,
    progress: Progress,
    /// Elements of the largest chunks that memory sufficed for, once it did not for one.
    most: u64,
    /// Held by all results until they are consumed.
    unconsumed: Arc<()>,
    /// Time spent waiting for consumers since the last step.
    waited: Duration,
}

/// Why computing ends.
enum Stop {
    /// Nobody takes more.
    Enough,
    Failed(SeqError),
}

impl Compute {
    fn run(mut self, chunks: &Receiver<Given>) {
        let mut last = Instant::now();
        loop {
            let asked = Instant::now();
            let given = chunks.recv();
            self.waited += asked.elapsed();
            let ended = match given {
                Ok(Given::Chunk(chunk)) => match self.chunk(&chunk, &mut last) {
                    Ok(()) => continue,
                    Err(Stop::Enough) => return,
                    Err(Stop::Failed(error)) => Some(error),
                },
                Ok(Given::Ended(error)) => error,
                Err(_) => Some(SeqError::before(Error::Internal("the reading thread is gone".to_string()))),
            };
            // Nobody may be there to be told.
            let _ = self.to_consumer.send(Message::Ended(ended));
            return;
        }
    }

    fn chunk(&mut self, chunk: &Chunk, last: &mut Instant) -> Result<(), Stop> {
        let count = chunk.batches.first().map_or(0, |batch| batch.count) as u64;
        let (calling, before) = (Instant::now(), self.waited);
        self.progress.bytes = chunk.batches.iter().map(Batch::bytes).sum();
        let done = catch_unwind(AssertUnwindSafe(|| self.part(chunk.first, &chunk.batches, &chunk.token)));
        done.unwrap_or_else(|_| {
            let error = Error::Internal("computing a chunk panicked".to_string());
            Err(Stop::Failed(SeqError::at(chunk.first, error.into())))
        })?;
        let busy = calling.elapsed().saturating_sub(self.waited - before);
        self.progress.elements += count;
        self.progress.chunks += 1;
        self.progress.chunk = count;
        if let Some(observe) = &self.streaming.observe {
            observe(&self.progress);
        }
        let (elapsed, waiting) = (last.elapsed(), std::mem::take(&mut self.waited));
        *last = Instant::now();
        if self.streaming.chunk.is_none() {
            let unit_bytes = (self.progress.bytes / count.max(1)).saturating_mul(IN_FLIGHT);
            let limits = Limits { units: self.most, bytes: self.streaming.budget() };
            let sample = Sample { units: count, busy, elapsed, waiting, unit_bytes };
            self.state = policy::next(&self.state, &sample, &limits);
            self.pace.set(self.state.units, chunk.first + count, elapsed >= START);
            // Of a short pass no more is known than that all of it can be one chunk.
            let known = self.state.units.min(self.progress.elements);
            self.steps.experience().keep(known, self.streaming.budget());
        }
        Ok(())
    }

    /// Computes on some elements, or where that fails on halves of them.
    fn part(&mut self, first: u64, batches: &[Batch], token: &Arc<()>) -> Result<(), Stop> {
        if self.streaming.cancel.is_cancelled() {
            return Err(Stop::Failed(SeqError::at(first, SeqCause::Cancelled)));
        }
        let count = batches.first().map_or(0, |batch| batch.count);
        let failed = |cause| Stop::Failed(SeqError::at(first, cause));
        match self.steps.run(batches) {
            Ok(batch) => {
                self.progress.bytes += batch.bytes();
                let _tokens = [Arc::clone(token), Arc::clone(&self.unconsumed)];
                self.send(Output { first, batch, _tokens })
            }
            Err(SeqCause::TooLarge(_)) if self.consumers_gave_back() => self.part(first, batches, token),
            Err(cause) if count > 1 && is_of_elements(&cause) => {
                if let SeqCause::TooLarge(_) = cause {
                    self.most = self.most.min(count as u64 / 2);
                }
                for (from, to) in [(0, count / 2), (count / 2, count)] {
                    let parts: Vec<Batch> = batches.iter().map(|batch| batch.part(from, to)).collect();
                    self.part(first + from as u64, &parts, token)?;
                }
                Ok(())
            }
            Err(cause) => Err(failed(cause)),
        }
    }

    /// Waits until all results are consumed; whether there were any.
    fn consumers_gave_back(&mut self) -> bool {
        let start = Instant::now();
        let any = Arc::strong_count(&self.unconsumed) > 1;
        while Arc::strong_count(&self.unconsumed) > 1 {
            thread::sleep(PATIENCE);
        }
        self.waited += start.elapsed();
        any
    }

    fn send(&mut self, output: Output) -> Result<(), Stop> {
        let start = Instant::now();
        let sent = self.to_consumer.send(Message::Chunk(output));
        self.waited += start.elapsed();
        sent.map_err(|_| Stop::Enough)
    }
}

/// Whether fewer elements may fare better.
fn is_of_elements(cause: &SeqCause) -> bool {
    match cause {
        SeqCause::TooLarge(_) | SeqCause::Program(Error::Check(_)) => true,
        SeqCause::Program(_) | SeqCause::Source(_) | SeqCause::Shape(_) | SeqCause::Cancelled => false,
    }
}
