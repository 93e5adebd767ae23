//! Passes at work: chunks of elements are read, computed on and consumed.
//!
//! Usually one thread reads, one computes, the caller's consumes ([`start`]). Between them are queues for one chunk: one chunk is
//! being read, one waits, one is computed on, one result waits, one is consumed. Whoever is ahead waits. Where nobody has to be
//! waited for, the caller does all ([`run`]): programs use all processors anyway, and small passes take less time than starting
//! threads. A pass ends when sources end, when a limit is reached, when its consumer takes no more, when something fails; all
//! that came before a failure is consumed first.
//!
//! Absent: ending a source that hangs (its thread ends when the source does).

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

/// Steps shorter than this are the start of a pass.
const START: Duration = Duration::from_millis(1);

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
        // Nobody may be there to be told.
        let _ = to_consumer.send(Message::Ended(ended));
    };
    spawn("sequence", Box::new(compute))?;
    Ok(results)
}

/// Runs a pass here, from beginning to end.
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

/// The two sides of a pass, whose results are consumed so.
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

/// The thread that reads.
fn read(mut reader: Reader, to_step: &SyncSender<Given>) {
    loop {
        let given = reader.next();
        let ended = matches!(given, Given::Ended(_));
        if to_step.send(given).is_err() || ended {
            return;
        }
    }
}

/// Computes on what is given until that ends.
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
