//! A running stream: the pipeline in a thread of its own, and the thread that waits for its results.
//!
//! The waiting thread does not hold the interpreter's lock. Now and then it checks for signals and shows the progress. If either raises
//! an exception, the pipeline is stopped before the exception goes on. An exception that a source has raised is raised as it is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use warpwise_driver::CallError;
use warpwise_runtime::array::Value;
use warpwise_runtime::execute::RunError as Stopped;
use warpwise_runtime::pool::CancelFlag;
use warpwise_stream::pipeline::{self, Done, Outcome, Settings};
use warpwise_stream::sink::{HandedSink, Sink};
use warpwise_stream::source::{Notes, Source};
use warpwise_stream::step::{Fold, Map, Step};
use warpwise_stream::{Cause, StreamError};

use super::ending::Within;
use super::progress::Progress;
use crate::error::{self, Error, InternalError, RunError};
use crate::interrupt;
use crate::program::Running as Program;
use crate::runtime::Own;

/// Interval at which the waiting thread checks for signals.
const LOOK: Duration = Duration::from_millis(50);
/// Interval of the checks whether a stopped stream has ended.
const SOON: Duration = Duration::from_millis(1);
/// Maximum wait for a stopped stream to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// The computation of a stream.
pub enum Work {
    /// An entry point with the values of its first parameters.
    Map(String, Vec<Value>),
    /// A fold of the entry points `init`, `step`, `merge`.
    Fold([String; 3]),
}

/// The exception that a source raised.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

/// A stream before it starts.
pub struct Prepared {
    pub program: Arc<Program>,
    pub work: Work,
    pub sources: Vec<Box<dyn Source>>,
    /// Output files; without any, results go to the waiting thread.
    pub files: Vec<Box<dyn Sink>>,
    /// Number of results.
    pub results: usize,
    pub settings: Settings,
    pub raised: Raised,
    /// Notes about the inputs.
    pub notes: Notes,
    pub progress: Option<Progress>,
}

/// A running stream.
pub struct Running {
    /// Marker of the process that it runs in.
    home: Own<()>,
    results: Option<Receiver<Vec<Value>>>,
    thread: Option<JoinHandle<PyResult<Ended>>>,
    cancel: CancelFlag,
    /// Cancel flag of the threads that run the calls.
    threads: CancelFlag,
    elements: Arc<AtomicU64>,
    raised: Raised,
    notes: Notes,
    progress: Option<Progress>,
}

/// The outcome of a pipeline.
struct Ended {
    outcome: Outcome,
    /// State of a fold that reached its end.
    state: Option<Result<Vec<Value>, CallError>>,
}

/// An entry point that repeats a call if a signal meant for another call on the same threads has ended it.
struct Again<'s> {
    step: Map<'s>,
    cancel: CancelFlag,
    threads: CancelFlag,
}

impl Raised {
    /// Stores an exception.
    pub fn set(&self, error: PyErr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Prepared {
    /// Starts the pipeline's thread.
    pub fn start(mut self) -> PyResult<Running> {
        let (to, results) = sync_channel(1);
        let elements = Arc::new(AtomicU64::new(0));
        let (raised, notes, progress) = (self.raised.clone(), self.notes.clone(), self.progress.take());
        let cancel = self.settings.cancel.clone();
        let threads = self.program.context.threads().cancel_flag().clone();
        let seen = Arc::clone(&elements);
        let within = Within::enter().ok_or_else(|| Error::new_err("the interpreter ends"))?;
        let work = move || {
            let ended = error::guarded(|| self.run(&to, &seen));
            drop((to, within));
            ended?
        };
        let thread = std::thread::Builder::new().name("stream".to_string()).spawn(work);
        let thread = thread.map_err(|error| Error::new_err(format!("cannot start a thread: {error}")))?;
        let (results, thread) = (Some(results), Some(thread));
        Ok(Running {
            home: Own::new(()),
            results,
            thread,
            cancel,
            threads,
            elements,
            raised,
            notes,
            progress,
        })
    }

    fn run(self, to: &SyncSender<Vec<Value>>, elements: &AtomicU64) -> PyResult<Ended> {
        let Prepared { program, work, sources, mut files, results, settings, .. } = self;
        if files.is_empty() {
            let sinks = HandedSink::several(results, to).into_iter();
            files = sinks.map(|sink| Box::new(sink) as Box<dyn Sink>).collect();
        }
        let mut observe = |done: &Done| elements.store(done.elements, Ordering::Relaxed);
        // Both steps were created successfully when the stream was prepared.
        let wrong = InternalError::new_err::<String>;
        match work {
            Work::Map(entry, fixed) => {
                let step = Map::new(&program.program, &entry, fixed).map_err(wrong)?;
                let threads = program.context.threads().cancel_flag().clone();
                let mut step = Again { step, cancel: settings.cancel.clone(), threads };
                let outcome = pipeline::run(sources, &mut step, files, &settings, &mut observe);
                Ok(Ended { outcome, state: None })
            }
            Work::Fold(names) => {
                let mut step = Fold::new(&program.program, names).map_err(wrong)?;
                let outcome = pipeline::run(sources, &mut step, files, &settings, &mut observe);
                let state = outcome.error.is_none().then(|| step.finish());
                Ok(Ended { outcome, state })
            }
        }
    }
}

impl Step for Again<'_> {
    fn call(&mut self, columns: Vec<Value>) -> Result<Vec<Value>, CallError> {
        loop {
            match self.step.call(columns.clone()) {
                Err(CallError::Run(Stopped::Interrupted)) if !self.cancel.is_set() => {
                    while self.threads.is_set() && !self.cancel.is_set() {
                        std::thread::sleep(SOON);
                    }
                }
                called => return called,
            }
        }
    }
}

impl Running {
    /// Returns the number of elements processed so far.
    pub fn elements(&self) -> u64 {
        self.elements.load(Ordering::Relaxed)
    }

    /// Returns the results of the next call, or the state of a fold; `None` at the end. After an error the stream is over.
    pub fn next(&mut self, py: Python<'_>) -> PyResult<Option<Vec<Value>>> {
        if self.home.get().is_none() {
            return Err(RunError::new_err(
                "the stream runs in the parent process: start another one in the child",
            ));
        }
        loop {
            let Some(results) = &mut self.results else { return Ok(None) };
            let heard = py.detach(move || heard(results));
            if let Err(error) = interrupt::raise(py).and_then(|()| self.show(py)) {
                self.stop(py);
                return Err(error);
            }
            match heard {
                Ok(values) => return Ok(Some(values)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return self.end(py),
            }
        }
    }

    fn show(&mut self, py: Python<'_>) -> PyResult<()> {
        let elements = self.elements();
        self.progress.as_mut().map_or(Ok(()), |progress| progress.show(py, elements))
    }

    /// Stops the pipeline and waits for its end.
    fn stop(&mut self, py: Python<'_>) {
        self.cancel.set();
        self.results = None;
        let Some(thread) = self.thread.take() else { return };
        // The running call has to end as well. A single request may fall between two kernels and be missed, so the flag is set again
        // and again. A call that never notices runs on unattended, and its stream ends with it.
        let start = Instant::now();
        py.detach(|| {
            while !thread.is_finished() && start.elapsed() < PATIENCE {
                self.threads.set();
                std::thread::sleep(SOON);
            }
        });
        self.threads.clear();
    }

    /// Returns the outcome of a pipeline that has no more results.
    fn end(&mut self, py: Python<'_>) -> PyResult<Option<Vec<Value>>> {
        self.results = None;
        // With output files there are no results to wait for, so signals are checked here as well.
        while self.thread.as_ref().is_some_and(|thread| !thread.is_finished()) {
            if let Err(error) = interrupt::raise(py) {
                self.stop(py);
                return Err(error);
            }
            py.detach(|| std::thread::sleep(SOON));
        }
        let Some(thread) = self.thread.take() else { return Ok(None) };
        let ended =
            py.detach(|| thread.join()).map_err(|_| InternalError::new_err("the stream has failed"))?;
        let Ended { outcome, state } = ended?;
        for note in self.notes.take() {
            py.import("warnings")?.call_method1("warn", (note,))?;
        }
        if let Some(error) = outcome.error {
            return Err(self.failure(py, error));
        }
        self.show(py)?;
        self.progress.take().map_or(Ok(()), |progress| progress.close(py))?;
        state.transpose().map_err(|error| error::not_run(py, error))
    }

    fn failure(&self, py: Python<'_>, error: StreamError) -> PyErr {
        let text = error.to_string();
        match error.cause {
            Cause::Source { .. } => {
                self.raised.take().unwrap_or_else(|| error::run_error(py, &text, None, &[]))
            }
            Cause::Call { error: failed, culprit } => {
                let exception = error::not_run(py, *failed);
                noted(py, &exception, culprit.unwrap_or(error.element), culprit.is_some());
                exception
            }
            Cause::Memory(_) => PyMemoryError::new_err(text),
            Cause::Sink { .. } | Cause::Result(_) | Cause::Cancelled => {
                error::run_error(py, &text, None, &[])
            }
        }
    }
}

fn heard(results: &mut Receiver<Vec<Value>>) -> Result<Vec<Value>, RecvTimeoutError> {
    results.recv_timeout(LOOK)
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.home.get().is_none() {
            // A thread of the parent may have held the channel's lock when the process forked.
            std::mem::forget((self.results.take(), self.thread.take()));
            return;
        }
        // Nobody waits for the thread: it ends with the running call.
        self.cancel.set();
    }
}

/// Adds to an exception the element that caused it. Errors are ignored, since the exception is complete without the note.
fn noted(py: Python<'_>, exception: &PyErr, element: u64, is_known: bool) {
    let value = exception.value(py);
    let place = if is_known { "element" } else { "the block from element" };
    let on = if is_known { "" } else { " on" };
    let _ = value.setattr("element", element);
    let _ = value.call_method1("add_note", (format!("in {place} {element}{on} of the stream"),));
}
