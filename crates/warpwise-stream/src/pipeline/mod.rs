//! Reading, computing and writing in parallel, within a byte budget.
//!
//! There are three threads: one reads chunks, the calling one computes, one writes. The queues between them hold one chunk each.
//! So at most one chunk is being read, one waits, and one is computed on; one result waits and one is written. A thread that is
//! ahead waits. All arrays lie in the pool whose limit is the budget. The reader waits for room as long as others may still give
//! some back, and [`crate::policy`] keeps chunks small enough that this is rare.
//!
//! Results do not depend on timing (see [`Grouping`]), unless calls wait only for a limited time for a pipe
//! ([`Settings::patience`]).
//!
//! However a stream ends, all results computed before are written, and sinks are finished. A cancelled stream does not wait for a
//! source that hangs in a read: the reading thread ends when that read does.

mod compute;
mod read;
mod write;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use warpwise_runtime::array::Value;
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::CancelFlag;

use crate::element::StreamError;
use crate::sink::Sink;
use crate::source::Source;
use crate::step::Step;

/// The rule that assigns elements to calls of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grouping {
    /// Blocks of this many elements (at least 1), counted from the first element; the last call gets the rest. Chunks consist of
    /// blocks, so only the number of blocks read ahead depends on time. Any program gives the same result on every run, without
    /// [`Settings::patience`].
    Blocks(u64),
    /// A whole chunk, whose size depends on time. The caller guarantees that the program treats elements one by one (`f (xs ++
    /// ys) = f xs ++ f ys`, as maps and filters do), so that the result cannot depend on the size.
    Elementwise,
    /// Chunks as for [`Grouping::Elementwise`], but always of this many elements.
    Fixed(u64),
}

/// The threads, memory and options of a stream.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Rule that assigns elements to calls.
    pub grouping: Grouping,
    /// Memory of the chunks; its limit is the budget.
    pub memory: MemoryPool,
    /// Maximum time that a call waits for the rest of its elements once some have arrived; unlimited if `None`. With a limit, the
    /// elements of a call of [`Grouping::Blocks`] also depend on the writer of the input.
    pub patience: Option<Duration>,
    /// Flag that cancels the stream.
    pub cancel: CancelFlag,
}

/// Progress of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Done {
    /// Number of elements computed on.
    pub elements: u64,
    /// Size of these elements in bytes.
    pub bytes: u64,
    /// Number of chunks.
    pub chunks: u64,
    /// Number of elements of the last chunk.
    pub chunk: u64,
    /// Memory held, in bytes.
    pub memory: u64,
}

/// The result of running a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Progress at the end.
    pub done: Done,
    /// Reason for an early end; `None` if the sources ended or the sinks had enough.
    pub error: Option<StreamError>,
}

/// Consecutive elements of a stream.
struct Chunk {
    /// Number of the first element.
    first: u64,
    /// Arguments of each call: the number of elements, and an array for each source.
    calls: Vec<(u64, Vec<Value>)>,
    /// Number of units of the policy.
    units: u64,
    /// Marks the chunk as still in use.
    _token: Arc<()>,
}

/// The results of one call.
struct Results {
    /// Number of the first element of the call.
    first: u64,
    values: Vec<Value>,
    /// Mark the memory of the chunk and of the results as still in use.
    _tokens: [Arc<()>; 2],
}

/// Runs a stream to its end. There is one source for each array that the step takes, at least one, and one sink for each array
/// that it returns. `observe` is called after every chunk.
pub fn run(
    sources: Vec<Box<dyn Source>>,
    step: &mut dyn Step,
    mut sinks: Vec<Box<dyn Sink>>,
    settings: &Settings,
    observe: &mut dyn FnMut(&Done),
) -> Outcome {
    let size = Arc::new(AtomicU64::new(1));
    let (to_step, chunks) = sync_channel(1);
    let (to_sinks, results) = sync_channel(1);
    let mut reader = read::Reader::new(sources, settings.clone(), Arc::clone(&size));
    let reading = thread::spawn(move || {
        // Sending fails when the step has ended.
        while let Some(message) = reader.next() {
            if to_step.send(message).is_err() {
                return;
            }
        }
    });
    let outcome = thread::scope(|scope| {
        let writer = scope.spawn(move || write::write(&results, &mut sinks));
        let mut outcome = compute::compute(&chunks, step, &to_sinks, settings, &size, observe);
        drop((chunks, to_sinks));
        // A sink that failed ended the other threads, so its error is the first.
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if let Err(error) = written {
            outcome.error = Some(error);
        }
        outcome
    });
    end_reading(reading, settings);
    outcome
}

/// Waits for the reading thread; only briefly if the stream is cancelled, since a read may wait forever.
fn end_reading(reading: JoinHandle<()>, settings: &Settings) {
    let start = Instant::now();
    while settings.cancel.is_set() && !reading.is_finished() {
        if start.elapsed() > LEAVES_WITHIN {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    if let Err(panic) = reading.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Time in which a reader that does not hang notices that the stream is cancelled.
const LEAVES_WITHIN: Duration = Duration::from_millis(50);

/// Interval at which the computing side checks for cancellation while it waits for a chunk.
const LOOKS_EVERY: Duration = Duration::from_millis(20);

/// Approximate input size of a block in bytes, unless its length is given.
const BLOCK_BYTES: u64 = 1 << 20;

impl Grouping {
    /// Returns blocks of about a mebibyte. Their length is a power of two, so their borders depend only on the types of the
    /// elements.
    pub fn usual(sources: &[Box<dyn Source>]) -> Grouping {
        let bytes: u64 = sources.iter().filter_map(|source| source.element().bytes()).sum();
        let count = (BLOCK_BYTES / bytes.max(1)).max(1);
        Grouping::Blocks(1 << count.ilog2())
    }

    /// Returns the number of elements of a unit.
    fn unit(self) -> u64 {
        match self {
            Grouping::Blocks(count) | Grouping::Fixed(count) => count.max(1),
            Grouping::Elementwise => 1,
        }
    }
}

fn units(size: &AtomicU64) -> u64 {
    size.load(Ordering::Relaxed)
}
