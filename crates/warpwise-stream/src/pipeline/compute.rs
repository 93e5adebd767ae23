//! The computing side: from chunks to results, and the measurements for the policy.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use warpwise_driver::{ArgumentError, CallError};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::execute::RunError;
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use super::read::{Message, PATIENCE};
use super::{Chunk, Done, Grouping, LOOKS_EVERY, Outcome, Results, Settings};
use crate::element::{Cause, StreamError};
use crate::policy::{self, Limits, Sample, State};
use crate::step::Step;

/// Share of the budget, in percent, that the policy plans with; the rest is reserved for the unforeseen.
const PLANNED: u64 = 50;
/// Maximum number of chunks in flight up to the step: one being read, one waiting, one computed on.
const CHUNKS_BEFORE: u64 = 3;

/// The computing side of a stream.
struct Compute<'s> {
    step: &'s mut dyn Step,
    to_sinks: &'s SyncSender<Results>,
    settings: &'s Settings,
    state: State,
    footprint: Footprint,
    /// Token held by all results until they are written.
    unwritten: Arc<()>,
    /// Time spent waiting for sources and sinks since the last step.
    waited: Duration,
}

/// Observed memory per unit.
struct Footprint {
    /// Number of bytes in use before the stream began.
    base: u64,
    peak: u64,
    /// Number of units of the largest chunk.
    largest: u64,
    unit_bytes: u64,
}

/// Reason why a stream ends.
enum Stop {
    Failed(StreamError),
    /// The sinks take no more.
    Enough,
}

/// Computes until the chunks or the sinks end.
pub(super) fn compute(
    chunks: &Receiver<Message>,
    step: &mut dyn Step,
    to_sinks: &SyncSender<Results>,
    settings: &Settings,
    size: &AtomicU64,
    observe: &mut dyn FnMut(&Done),
) -> Outcome {
    let footprint = Footprint::new(&settings.memory);
    let (state, waited) = (State::start(), Duration::ZERO);
    let unwritten = Arc::new(());
    let mut compute = Compute { step, to_sinks, settings, state, footprint, unwritten, waited };
    let mut done = Done::default();
    loop {
        let start = Instant::now();
        let message = next(chunks, settings);
        compute.waited = start.elapsed();
        let chunk = match message {
            Ok(Ok(chunk)) => chunk,
            Ok(Err(error)) => return Outcome { done, error: Some(error) },
            Err(Ended::Whole) => {
                return match compute.last(done.elements) {
                    Ok(()) | Err(Stop::Enough) => Outcome { done, error: None },
                    Err(Stop::Failed(error)) => Outcome { done, error: Some(error) },
                };
            }
            Err(Ended::Cancelled) => {
                let error = StreamError { element: done.elements, cause: Cause::Cancelled };
                return Outcome { done, error: Some(error) };
            }
        };
        match compute.chunk(chunk, start, &mut done) {
            Ok(()) => {}
            Err(Stop::Failed(error)) => return Outcome { done, error: Some(error) },
            Err(Stop::Enough) => return Outcome { done, error: None },
        }
        size.store(compute.state.units, Ordering::Relaxed);
        observe(&done);
    }
}

/// Reason why there is no further chunk.
enum Ended {
    Whole,
    Cancelled,
}

/// Waits for a chunk, unless the stream is cancelled.
fn next(chunks: &Receiver<Message>, settings: &Settings) -> Result<Message, Ended> {
    loop {
        match chunks.recv_timeout(LOOKS_EVERY) {
            Ok(message) => return Ok(message),
            Err(RecvTimeoutError::Disconnected) => return Err(Ended::Whole),
            Err(RecvTimeoutError::Timeout) if settings.cancel.is_set() => return Err(Ended::Cancelled),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

impl Compute<'_> {
    fn chunk(&mut self, chunk: Chunk, start: Instant, done: &mut Done) -> Result<(), Stop> {
        let Chunk { mut first, calls, units, _token: token } = chunk;
        let (mut elements, mut bytes) = (0, 0);
        let before = self.waited;
        let calling = Instant::now();
        for (count, columns) in calls {
            if self.settings.cancel.is_set() {
                return Err(Stop::Failed(StreamError { element: first, cause: Cause::Cancelled }));
            }
            let size: u64 = columns.iter().map(Value::bytes).sum();
            self.call(first, count, columns, &token)?;
            (first, elements, bytes) = (first + count, elements + count, bytes + size);
            (done.elements, done.bytes) = (done.elements + count, done.bytes + size);
        }
        let busy = calling.elapsed().saturating_sub(self.waited - before);
        (done.chunks, done.chunk) = (done.chunks + 1, elements);
        done.memory = self.settings.memory.statistics().held;
        self.adapt(units, bytes, busy, start.elapsed());
        Ok(())
    }

    /// Sends what follows the last of `elements` elements.
    fn last(&mut self, elements: u64) -> Result<(), Stop> {
        loop {
            match self.step.last() {
                Ok(values) => {
                    let _tokens = [Arc::new(()), Arc::clone(&self.unwritten)];
                    return self.send(Results { first: elements, values, _tokens });
                }
                Err(error) if is_out_of_memory(&error) && self.sinks_gave_back() => {}
                Err(error) => {
                    return Err(Stop::Failed(StreamError { element: elements, cause: failure(error, None) }));
                }
            }
        }
    }

    fn adapt(&mut self, units: u64, bytes: u64, busy: Duration, elapsed: Duration) {
        if units == 0 {
            return;
        }
        let unit_bytes = self.footprint.seen(&self.settings.memory, units, bytes);
        let limits = match self.settings.grouping {
            Grouping::Fixed(_) => return,
            Grouping::Blocks(_) | Grouping::Elementwise => {
                Limits { units: u64::MAX, bytes: self.settings.memory.limit() / 100 * PLANNED }
            }
        };
        let sample = Sample { units, busy, elapsed, waiting: self.waited, unit_bytes };
        self.state = policy::next(&self.state, &sample, &limits);
    }

    /// Makes one call, or several if memory does not suffice for one and the grouping is elementwise.
    fn call(&mut self, first: u64, count: u64, columns: Vec<Value>, token: &Arc<()>) -> Result<(), Stop> {
        let kept = columns.clone();
        let divisible = self.settings.grouping == Grouping::Elementwise && count > 1;
        let failed = |error| Stop::Failed(StreamError { element: first, cause: failure(error, None) });
        match self.step.call(columns) {
            Ok(values) => {
                drop(kept);
                let _tokens = [Arc::clone(token), Arc::clone(&self.unwritten)];
                self.send(Results { first, values, _tokens })
            }
            Err(error) if is_out_of_memory(&error) && self.sinks_gave_back() => {
                self.call(first, count, kept, token)
            }
            Err(error) if is_out_of_memory(&error) && divisible => {
                let (left, right) = halves(count, kept, &self.settings.memory).map_err(|_| failed(error))?;
                self.call(first, count / 2, left, token)?;
                self.call(first + count / 2, count - count / 2, right, token)
            }
            Err(error) => {
                let culprit = self.culprit(count, &kept, &error).map(|place| first + place);
                Err(Stop::Failed(StreamError { element: first, cause: failure(error, culprit) }))
            }
        }
    }

    /// Returns the element of a call that makes a check fail: calls that end before it do not fail at this check.
    fn culprit(&mut self, count: u64, columns: &[Value], error: &CallError) -> Option<u64> {
        let place = place_of(error)?;
        let (mut fewest, mut most) = (1, count);
        while fewest < most {
            let middle = fewest.midpoint(most);
            let some = rows(count, columns, 0..middle, &self.settings.memory).ok()?;
            let fails = match self.step.attempt(some)? {
                Ok(_) => false,
                Err(error) if self.settings.cancel.is_set() || is_out_of_memory(&error) => return None,
                Err(error) => place_of(&error) == Some(place),
            };
            if fails { most = middle } else { fewest = middle + 1 }
        }
        (count > 0).then(|| fewest - 1)
    }

    /// Waits until all results are written, and returns whether any were unwritten.
    fn sinks_gave_back(&mut self) -> bool {
        let start = Instant::now();
        let any = Arc::strong_count(&self.unwritten) > 1;
        while Arc::strong_count(&self.unwritten) > 1 && !self.settings.cancel.is_set() {
            std::thread::sleep(PATIENCE);
        }
        self.waited += start.elapsed();
        any
    }

    fn send(&mut self, results: Results) -> Result<(), Stop> {
        if results.values.is_empty() {
            return Ok(());
        }
        let start = Instant::now();
        let sent = self.to_sinks.send(results);
        self.waited += start.elapsed();
        sent.map_err(|_| Stop::Enough)
    }
}

impl Footprint {
    fn new(memory: &MemoryPool) -> Footprint {
        let statistics = memory.statistics();
        Footprint { base: statistics.live, peak: statistics.peak_live, largest: 0, unit_bytes: 0 }
    }

    /// Returns the bytes in flight per unit after a chunk of `units` units with `bytes` bytes of elements: the bytes of all
    /// chunks up to the step, and at least a proportional share of the peak use so far (the fixed costs of a chunk count less per
    /// unit in a larger one).
    fn seen(&mut self, memory: &MemoryPool, units: u64, bytes: u64) -> u64 {
        let peak = memory.statistics().peak_live;
        let share = peak.saturating_sub(self.base) / units;
        if units >= self.largest {
            (self.largest, self.unit_bytes) = (units, share);
        } else if peak > self.peak {
            self.unit_bytes = share.max(self.unit_bytes);
        }
        self.peak = peak;
        self.unit_bytes.max((bytes / units).saturating_mul(CHUNKS_BEFORE))
    }
}

fn failure(error: CallError, culprit: Option<u64>) -> Cause {
    match error {
        CallError::Run(RunError::Interrupted) => Cause::Cancelled,
        error => Cause::Call { error: Box::new(error), culprit },
    }
}

/// Returns the place of a failed check.
fn place_of(error: &CallError) -> Option<&str> {
    match error {
        CallError::Run(RunError::Check { place, .. }) => Some(place),
        _ => None,
    }
}

fn is_out_of_memory(error: &CallError) -> bool {
    matches!(
        error,
        CallError::Run(RunError::OutOfMemory { .. }) | CallError::Argument(ArgumentError::OutOfMemory(_))
    )
}

/// Copies the first half of the rows, and the rest.
fn halves(
    count: u64,
    columns: Vec<Value>,
    memory: &MemoryPool,
) -> Result<(Vec<Value>, Vec<Value>), OutOfMemory> {
    let middle = count / 2;
    Ok((rows(count, &columns, 0..middle, memory)?, rows(count, &columns, middle..count, memory)?))
}

/// Copies some of the `count` rows.
fn rows(
    count: u64,
    columns: &[Value],
    wanted: Range<u64>,
    memory: &MemoryPool,
) -> Result<Vec<Value>, OutOfMemory> {
    let mut copies = Vec::new();
    for column in columns {
        let Value::Array { ty, array } = column else { continue };
        let row = array.bytes().len() / count as usize;
        let bytes = &array.bytes()[wanted.start as usize * row..wanted.end as usize * row];
        let rows = (wanted.end - wanted.start) as i64;
        let shape: Vec<i64> = std::iter::once(rows).chain(array.shape()[1..].iter().copied()).collect();
        let mut copy = Array::allocate(memory, array.elem(), &shape)?;
        copy.bytes_mut(memory)?.copy_from_slice(bytes);
        copies.push(Value::array(*ty, copy));
    }
    Ok(copies)
}
