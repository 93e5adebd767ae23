//! Reading, computing and writing at once, within a byte budget.
//!
//! Three threads: one reads chunks, the calling one computes, one writes. Between them are queues for one chunk, so
//! at most one chunk is being read, one waits, one is computed on; one result waits, one is written. Whoever is ahead
//! waits. All arrays lie in the pool whose limit is the budget; the reader waits for room as long as others may still
//! give some back, and [`crate::policy`] keeps chunks small enough that this is rare.
//!
//! Results do not depend on how fast anything was (see [`Grouping`]), unless a call is told to wait no longer for a pipe
//! ([`Settings::patience`]).
//!
//! However a stream ends, all that was computed before is written, and sinks are finished. A cancelled stream does not wait for
//! a source that hangs in a read: its thread ends when that read does.

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

/// Which elements one call of the program gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grouping {
    /// Always so many (at least 1), counted from the first element; the last call gets what is left. Chunks are some
    /// blocks, so only how many are read ahead depends on time. Any program gives the same result on every run, without
    /// [`Settings::patience`].
    Blocks(u64),
    /// A whole chunk, of a size that depends on time. The caller vouches that the program treats elements one by one
    /// (`f (xs ++ ys) = f xs ++ f ys`, as maps and filters do), so that the result cannot depend on it.
    Elementwise,
    /// As [`Grouping::Elementwise`], always so many elements.
    Fixed(u64),
}

/// The threads, memory and options of a stream.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which elements one call gets.
    pub grouping: Grouping,
    /// Where chunks lie; its limit is the budget.
    pub memory: MemoryPool,
    /// How long a call waits for the rest of its elements once some have arrived; for ever without. With it, which elements a call
    /// of [`Grouping::Blocks`] gets depends on who writes them, too.
    pub patience: Option<Duration>,
    /// Asks to stop.
    pub cancel: CancelFlag,
}

/// How far a stream is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Done {
    /// Elements that were computed on.
    pub elements: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Chunks.
    pub chunks: u64,
    /// Elements of the last chunk.
    pub chunk: u64,
    /// Bytes of memory in use.
    pub memory: u64,
}

/// The outcome of a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How far it came.
    pub done: Done,
    /// Why it ended early, if it did not end with its sources or because the sinks had enough.
    pub error: Option<StreamError>,
}

/// Consecutive elements.
struct Chunk {
    /// The number of the first one.
    first: u64,
    /// The arguments of each call: its number of elements, and an array for each source.
    calls: Vec<(u64, Vec<Value>)>,
    /// Units of the policy.
    units: u64,
    /// Says that it is still there.
    _token: Arc<()>,
}

/// The results of one call.
struct Results {
    /// The number of the first element of the call.
    first: u64,
    values: Vec<Value>,
    /// Say that the chunk's memory, and that of the results, is not all given back.
    _tokens: [Arc<()>; 2],
}

/// Runs a stream to its end. There is one source for each array that the step takes, at least one, and one sink for
/// each that it gives. `observe` is told of every chunk.
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
        // Nobody takes more when the step has ended.
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
        // A sink that failed ended the rest, so its error is the first.
        let written = writer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if let Err(error) = written {
            outcome.error = Some(error);
        }
        outcome
    });
    end_reading(reading, settings);
    outcome
}

/// Waits for the reading thread; not for long if the stream is cancelled, since a read may wait for ever.
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

/// The time in which a reader that does not hang notices that the stream is cancelled.
const LEAVES_WITHIN: Duration = Duration::from_millis(50);

/// How often the computing side looks whether the stream is cancelled while it waits for a chunk.
const LOOKS_EVERY: Duration = Duration::from_millis(20);

/// Bytes of input that a block has about, unless its length is given.
const BLOCK_BYTES: u64 = 1 << 20;

impl Grouping {
    /// Blocks of about a mebibyte, a power of two of elements: so their borders depend on the types of the elements alone.
    pub fn usual(sources: &[Box<dyn Source>]) -> Grouping {
        let bytes: u64 = sources.iter().filter_map(|source| source.element().bytes()).sum();
        let count = (BLOCK_BYTES / bytes.max(1)).max(1);
        Grouping::Blocks(1 << count.ilog2())
    }

    /// Elements of a unit.
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
