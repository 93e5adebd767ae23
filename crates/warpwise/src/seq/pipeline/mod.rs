//! Running passes: chunks of elements are read, computed and consumed.
//!
//! Usually one thread reads, one computes, and the caller's thread consumes ([`start`]). Between them are queues of one chunk:
//! one chunk is being read, one waits, one is being computed, one result waits, and one is being consumed. A thread that is ahead
//! waits. If nothing has to be waited for, the caller does everything ([`run`]): programs use all processors anyway, and small
//! passes take less time than starting threads. A pass ends when sources end, when a limit is reached, when its consumer takes no
//! more, or when something fails. All elements before a failure are consumed first.
//!
//! Absent: stopping a source that hangs (its thread ends when the source does).

mod compute;
mod reader;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use warpwise_runtime::memory::MemoryPool;
use warpwise_stream::policy::State;

use self::compute::{Compute, Stop};
use self::reader::{Given, Pace, Reader};
use super::batch::Batch;
use super::error::SeqError;
use super::pass::Pass;
use super::settings::Streaming;
use crate::error::Error;

/// Duration below which steps belong to the start of a pass.
const START: Duration = Duration::from_millis(1);

/// Receiver of a pass's results: chunks in order, then the reason for its end.
pub type Results = Receiver<Message>;

/// A message to consumers.
pub enum Message {
    /// The next elements.
    Chunk(Output),
    /// The end of the pass, with its error if any.
    Ended(Option<SeqError>),
}

/// Results for consecutive elements.
pub struct Output {
    /// Number of the first element.
    pub first: u64,
    /// The arrays that consumers take, for each element.
    pub batch: Batch,
    /// Tokens that mark memory as in use: one for the chunk, one for the results.
    pub _tokens: [Arc<()>; 2],
}

/// Starts a pass on threads of its own.
pub fn start(pass: Pass, memory: &MemoryPool, streaming: &Streaming) -> Result<Results, Error> {
    let (to_step, chunks) = sync_channel(1);
    let (to_consumer, results) = sync_channel(1);
    let to_caller = to_consumer.clone();
    let consume = move |output| to_caller.send(Message::Chunk(output)).map_err(|_| Stop::Enough);
    let (reader, compute) = sides(pass, memory, streaming, consume);
    let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
        let spawned = thread::Builder::new().name(name.to_string()).spawn(run);
        spawned.map(|_| ()).map_err(|error| Error::Device(error.to_string()))
    };
    spawn("sequence reader", Box::new(move || read(reader, &to_step)))?;
    let compute = move || {
        let gone = |_| {
            Given::Ended(Some(SeqError::before(Error::Internal("the reading thread is gone".to_string()))))
        };
        let ended = match all(compute, || chunks.recv().unwrap_or_else(gone)) {
            Ok(()) => None,
            Err(Stop::Failed(error)) => Some(error),
            Err(Stop::Enough) => return,
        };
        // The receiver may be gone.
        let _ = to_consumer.send(Message::Ended(ended));
    };
    spawn("sequence", Box::new(compute))?;
    Ok(results)
}

/// Runs a whole pass on this thread.
pub fn run(
    pass: Pass,
    memory: &MemoryPool,
    streaming: &Streaming,
    mut consume: impl FnMut(Output) -> Result<(), SeqError>,
) -> Result<(), SeqError> {
    let consume = |output| consume(output).map_err(Stop::Failed);
    let (mut reader, compute) = sides(pass, memory, streaming, consume);
    match all(compute, || reader.next()) {
        Ok(()) | Err(Stop::Enough) => Ok(()),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// Makes the two sides of a pass, with this consumer.
fn sides<C: FnMut(Output) -> Result<(), Stop>>(
    pass: Pass,
    memory: &MemoryPool,
    streaming: &Streaming,
    consume: C,
) -> (Reader, Compute<C>) {
    let known = pass.steps.experience().elements(streaming.budget()).filter(|_| pass.is_ready());
    let state = known.map_or_else(State::start, State::experienced);
    let pace = Arc::new(match streaming.chunk {
        Some(fixed) => Pace::steady(fixed),
        None if known.is_some() => Pace::steady(state.units),
        None => Pace::start(),
    });
    let Pass { feeds, needs, steps, .. } = pass;
    let reader = Reader::new(feeds, needs, memory, streaming, Arc::clone(&pace));
    (reader, Compute::new(steps, consume, streaming, pace, state))
}

/// Runs the reading thread.
fn read(mut reader: Reader, to_step: &SyncSender<Given>) {
    loop {
        let given = reader.next();
        let ended = matches!(given, Given::Ended(_));
        if to_step.send(given).is_err() || ended {
            return;
        }
    }
}

/// Computes all chunks until the reader ends.
fn all<C: FnMut(Output) -> Result<(), Stop>>(
    mut compute: Compute<C>,
    mut next: impl FnMut() -> Given,
) -> Result<(), Stop> {
    loop {
        let asked = Instant::now();
        let given = next();
        compute.waited(asked);
        match given {
            Given::Chunk(chunk) => compute.chunk(&chunk)?,
            Given::Ended(error) => return error.map_or(Ok(()), |error| Err(Stop::Failed(error))),
        }
    }
}
