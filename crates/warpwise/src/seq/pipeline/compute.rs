//! The computing side of a pass: computes each chunk, and chooses the size of the next one.
//!
//! If the program fails on a chunk, the chunk is computed again in halves, until the failure is isolated to one element. So
//! errors name elements, chunks that do not fit in memory are split, and results never depend on chunks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use warpwise_stream::policy::{self, Limits, Sample, State};

use super::reader::{Chunk, PART, PATIENCE, Pace};
use super::{Output, START};
use crate::error::Error;
use crate::seq::batch::Batch;
use crate::seq::error::{SeqCause, SeqError};
use crate::seq::pass::Steps;
use crate::seq::settings::{Progress, Streaming};

/// Number of chunks in flight on either side of the program.
const IN_FLIGHT: u64 = 3;

/// The computing side; `C` consumes the results.
pub struct Compute<C> {
    steps: Steps,
    consume: C,
    streaming: Streaming,
    pace: Arc<Pace>,
    state: State,
    progress: Progress,
    /// Maximum number of elements per chunk: at most half of any chunk that did not fit in memory.
    most: u64,
    /// Token that results hold until they are consumed.
    unconsumed: Arc<()>,
    /// End of the last step.
    last: Instant,
    /// Time spent waiting for sources and consumers since `last`.
    waited: Duration,
}

/// Reason why computing stops.
pub enum Stop {
    /// No consumer takes more elements.
    Enough,
    /// Computing or consuming failed.
    Failed(SeqError),
}

impl<C: FnMut(Output) -> Result<(), Stop>> Compute<C> {
    /// Creates the computing side; `state` determines the size of the first chunk.
    pub fn new(steps: Steps, consume: C, streaming: &Streaming, pace: Arc<Pace>, state: State) -> Compute<C> {
        Compute {
            steps,
            consume,
            streaming: streaming.clone(),
            pace,
            state,
            progress: Progress::default(),
            most: u64::MAX,
            unconsumed: Arc::new(()),
            last: Instant::now(),
            waited: Duration::ZERO,
        }
    }

    /// Records the time since `since` as waiting time.
    pub fn waited(&mut self, since: Instant) {
        self.waited += since.elapsed();
    }

    /// Computes a chunk and hands on the results.
    pub fn chunk(&mut self, chunk: &Chunk) -> Result<(), Stop> {
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
        let (elapsed, waiting) = (self.last.elapsed(), std::mem::take(&mut self.waited));
        self.last = Instant::now();
        if self.streaming.chunk.is_none() {
            let bytes = (self.progress.bytes * IN_FLIGHT).max(chunk.largest_reading() * PART);
            let unit_bytes = bytes / count.max(1);
            let limits = Limits { units: self.most, bytes: self.streaming.budget() };
            let sample = Sample { units: count, busy, elapsed, waiting, unit_bytes };
            self.state = policy::next(&self.state, &sample, &limits);
            self.pace.set(self.state.units, chunk.first + count, elapsed >= START);
            // After a short pass, it is only known that one chunk can hold all its elements.
            let known = self.state.units.min(self.progress.elements);
            self.steps.experience().keep(known, self.streaming.budget());
        }
        Ok(())
    }

    /// Computes some elements, or, if that fails, their halves.
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
                self.hand_on(Output { first, batch, _tokens })
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

    /// Waits until all results are consumed. Returns whether there were any.
    fn consumers_gave_back(&mut self) -> bool {
        let start = Instant::now();
        let any = Arc::strong_count(&self.unconsumed) > 1;
        while Arc::strong_count(&self.unconsumed) > 1 {
            thread::sleep(PATIENCE);
        }
        self.waited += start.elapsed();
        any
    }

    fn hand_on(&mut self, output: Output) -> Result<(), Stop> {
        let start = Instant::now();
        let taken = (self.consume)(output);
        self.waited += start.elapsed();
        taken
    }
}

/// Returns whether fewer elements may succeed.
fn is_of_elements(cause: &SeqCause) -> bool {
    match cause {
        SeqCause::TooLarge(_) | SeqCause::Program(Error::Check(_)) => true,
        SeqCause::Program(_) | SeqCause::Source(_) | SeqCause::Shape(_) | SeqCause::Cancelled => false,
    }
}
