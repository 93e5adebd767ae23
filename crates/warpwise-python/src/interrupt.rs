//! Signals during calls. A handler that raises an exception ends the call, any other handler runs while the call goes on.
//!
//! Python notes a signal, and the main thread runs the handler when it next runs Python code. A call in the main thread prevents that.
//! So a long call runs in a thread of its own, and the main thread waits and polls ([`apart`]). Starting a thread takes longer than a
//! short call, so an entry point whose last call was short is called in the main thread ([`here`]). If such a call turns out to be long
//! and a signal comes, the call is stopped, the handlers run, and the call starts again, apart.
//!
//! A handler of ours notes signals for the latter case ([`handler`]). A thread installs it again when a call has run for a while
//! ([`watch`]), since Python installs its own handler whenever a program asks for another one.

mod handler;
mod watch;

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use pyo3::prelude::*;
use warpwise_runtime::pool::CancelFlag;

use crate::error::Error;
use crate::runtime::generation;

/// Interval at which the main thread polls for signals during a call. A call that lasts as long is long.
pub const LOOK: Duration = Duration::from_millis(20);
/// Interval of the checks whether a stopped call has ended.
const SOON: Duration = Duration::from_millis(1);
/// Size of the stack of a thread that runs a call, as that of the main thread.
const STACK: usize = 8 << 20;

/// The call that the main thread runs itself.
static CALL: AtomicPtr<Call<'static>> = AtomicPtr::new(std::ptr::null_mut());
/// Number of threads that are about to read that call.
static READING: AtomicUsize = AtomicUsize::new(0);

/// A call that the main thread runs itself.
pub struct Call<'c> {
    /// The flag that stops it.
    pub flag: &'c CancelFlag,
    /// Set when the call has lasted long.
    pub is_long: &'c AtomicBool,
    /// Whether the call can start again after it was stopped. Only SIGINT stops other calls.
    pub is_repeatable: bool,
}

/// Runs `work`, the call, in the main thread. A signal that came shortly before raises its exception. A signal that comes during a long
/// call stops the call.
pub fn here<T: Send>(py: Python<'_>, call: &Call<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    watch::begin(py);
    handler::forget();
    CALL.store(std::ptr::from_ref(call).cast_mut().cast(), Ordering::SeqCst);
    // A signal that came before is known to Python alone, which would raise only after the work.
    let result = raise(py).map(|()| py.detach(work));
    CALL.store(std::ptr::null_mut(), Ordering::SeqCst);
    while READING.load(Ordering::SeqCst) > 0 {
        std::hint::spin_loop();
    }
    watch::end();
    // A signal may have come after the work was done.
    call.flag.clear();
    result
}

/// Runs `work`, which checks `flag`, in a thread of its own, while the main thread runs the handlers of signals. If one raises an
/// exception, the work is stopped, and the exception is returned when it has ended.
pub fn apart<T: Send>(py: Python<'_>, flag: &CancelFlag, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    raise(py)?;
    let (tell, told) = sync_channel(1);
    let told = Mutex::new(told);
    // The receiver lives until the thread has ended.
    let work = move || drop(tell.send(work()));
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("call".to_string()).stack_size(STACK);
        let thread = builder.spawn_scoped(scope, work);
        let thread = thread.map_err(|error| Error::new_err(format!("cannot start a thread: {error}")))?;
        loop {
            let heard = py.detach(|| told.lock().ok().map(|told| told.recv_timeout(LOOK)));
            match heard {
                Some(Ok(result)) => return Ok(result),
                Some(Err(RecvTimeoutError::Timeout)) => {}
                Some(Err(RecvTimeoutError::Disconnected)) | None => {
                    return Err(Error::new_err("the call has ended without a result"));
                }
            }
            if let Err(raised) = raise(py) {
                py.detach(|| stop(flag, || thread.is_finished()));
                return Err(raised);
            }
        }
    })
}

/// Notes that the running call is long, and stops it if a signal has come. The handlers of the `missed` signals stood alone until now,
/// so one may have come unnoticed.
fn look_at_call(missed: u64) {
    READING.fetch_add(1, Ordering::SeqCst);
    let call = CALL.load(Ordering::SeqCst);
    // SAFETY: a call removed from `CALL` is kept alive until no thread reads it.
    if let Some(call) = unsafe { call.as_ref() } {
        call.is_long.store(true, Ordering::Relaxed);
        let pending = handler::pending();
        let asked = if call.is_repeatable { pending | missed } else { pending & handler::bit(libc::SIGINT) };
        if asked != 0 {
            call.flag.set();
        }
    }
    READING.fetch_sub(1, Ordering::SeqCst);
}

/// Asks calls to stop until this has happened. A single request may fall between two kernels and be missed.
fn stop(flag: &CancelFlag, has_happened: impl Fn() -> bool) {
    while !has_happened() {
        flag.set();
        std::thread::sleep(SOON);
    }
    flag.clear();
}

/// Waits until the call that a signal was meant for has ended.
pub fn until_over(py: Python<'_>, flag: &CancelFlag) {
    py.detach(|| {
        while flag.is_set() {
            std::thread::sleep(SOON);
        }
    });
}

/// Raises the exception, if any, that Python's handlers raise for a pending signal.
pub fn raise(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Notes that this process is the child of a fork, which has none of its parent's threads.
pub fn after_fork() {
    CALL.store(std::ptr::null_mut(), Ordering::SeqCst);
    READING.store(0, Ordering::SeqCst);
}

/// Returns whether this is the thread in which Python's handlers run, the first of the process. The answer is cached for each thread,
/// since a system call takes a good part of the time of a short call.
pub fn is_main_thread() -> bool {
    thread_local! {
        static IS_MAIN: Cell<Option<(u64, bool)>> = const { Cell::new(None) };
    }
    let generation = generation();
    match IS_MAIN.get() {
        Some((asked, is_main)) if asked == generation => is_main,
        Some(_) | None => {
            // SAFETY: the calls take no pointers and always succeed.
            let is_main = unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) };
            IS_MAIN.set(Some((generation, is_main)));
            is_main
        }
    }
}
