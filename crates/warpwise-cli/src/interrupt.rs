//! Signals. SIGINT (Ctrl-C), SIGTERM and SIGHUP end the command. A running program is asked to stop, which it does within milliseconds,
//! even inside kernels; any other work ends at once. The exit code is the one a shell reports for a process that the signal ended: 130,
//! 143, 129. If a program does not stop in time (a hanging driver, memory that is slow to free), the process ends without it. Signals
//! that are ignored when the command starts (`nohup`) stay ignored. A second signal ends the command at once, unless it follows the first
//! within half a second and belongs to it (`Burst`).
//!
//! For files that reach the limit on their size (`ulimit -f`), writing fails as on a full disk.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use warpwise_driver::Context;
use warpwise_runtime::pool::CancelFlag;

/// Maximum time for a run to stop.
pub const PATIENCE: Duration = Duration::from_millis(150);

/// Maximum time for a run to stop if output files have to be completed.
pub const PATIENCE_WITH_FILES: Duration = Duration::from_secs(5);

static FLAG: OnceLock<CancelFlag> = OnceLock::new();
static RUNNING: AtomicBool = AtomicBool::new(false);
/// Maximum time for the current run to stop, in milliseconds.
static PATIENT: AtomicU64 = AtomicU64::new(0);
/// The first signal received; 0 before.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// The pipe by which the handler wakes the watchdog.
static TELL: AtomicI32 = AtomicI32::new(-1);

/// Lets signals stop programs in this context from now on.
pub fn watch(context: &Context) {
    // A process creates only one context.
    let _ = FLAG.set(context.threads().cancel_flag().clone());
}

/// Runs work that checks the context's flag.
pub fn stoppable<T>(work: impl FnOnce() -> T) -> T {
    stoppable_within(PATIENCE, work)
}

/// Runs work that checks the context's flag, and may take `patience` to stop.
pub fn stoppable_within<T>(patience: Duration, work: impl FnOnce() -> T) -> T {
    PATIENT.store(patience.as_millis() as u64, Ordering::SeqCst);
    RUNNING.store(true, Ordering::SeqCst);
    let result = work();
    RUNNING.store(false, Ordering::SeqCst);
    result
}

/// Returns the exit code of an interrupted command.
pub fn exit_code() -> u8 {
    // Only a signal interrupts a run.
    code_of(SIGNAL.load(Ordering::SeqCst)) as u8
}

/// Ends the process without a cleanup, which would wait for kernels that still run on devices, and take down libraries that other
/// threads use.
pub fn end_at_once(code: i32) -> ! {
    #[cfg(unix)]
    // SAFETY: ends the process without running anything.
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(unix))]
    std::process::exit(code)
}

#[cfg(unix)]
use unix::code_of;
#[cfg(unix)]
pub use unix::install;

#[cfg(unix)]
mod unix {
    use std::io::Read;
    use std::os::fd::IntoRawFd;

    use warpwise_runtime::pool::Burst;

    use super::*;

    /// The signals that stopped the program.
    static STOPPING: Burst = Burst::none();

    /// Returns the exit code for a signal.
    pub fn code_of(signal: libc::c_int) -> libc::c_int {
        128 + if signal == 0 { libc::SIGINT } else { signal }
    }

    /// Installs the signal handlers.
    pub fn install() {
        start_watchdog();
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            if !is_ignored(signal) {
                listen(signal, end);
            }
        }
        // The signal is handled, not ignored, because child processes inherit ignored signals, and must find this one unchanged.
        listen(libc::SIGXFSZ, go_on);
    }

    fn listen(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
        // SAFETY: the structure is plain data; the handlers do only what signal handlers may do.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handler as *const () as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigemptyset(&mut action.sa_mask);
            CancelFlag::complete_mask(&mut action.sa_mask);
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }

    fn is_ignored(signal: libc::c_int) -> bool {
        // SAFETY: the structure is plain data that the call fills in.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut action);
            action.sa_sigaction == libc::SIG_IGN
        }
    }

    /// Starts a thread that ends the process if a run does not stop when asked to. If the thread cannot start, a second signal ends the
    /// process.
    fn start_watchdog() {
        let Ok((mut told, tell)) = std::io::pipe() else { return };
        let watch = move || {
            let mut signal = [0];
            if told.read_exact(&mut signal).is_ok() {
                std::thread::sleep(Duration::from_millis(PATIENT.load(Ordering::SeqCst)));
                say_interrupted();
                // SAFETY: ends the process without running anything.
                unsafe { libc::_exit(code_of(libc::c_int::from(signal[0]))) }
            }
        };
        if std::thread::Builder::new().name("watchdog".to_string()).spawn(watch).is_ok() {
            TELL.store(tell.into_raw_fd(), Ordering::SeqCst);
        }
    }

    /// Prints a message unless that could block: another thread may hold the lock of standard error, or nobody may read it.
    fn say_interrupted() {
        const MESSAGE: &[u8] = b"error: interrupted\n";
        let mut place = libc::pollfd { fd: libc::STDERR_FILENO, events: libc::POLLOUT, revents: 0 };
        // SAFETY: one descriptor is polled, and the message has the given length.
        unsafe {
            if libc::poll(&mut place, 1, 0) == 1 && place.revents & libc::POLLOUT != 0 {
                libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            }
        }
    }

    /// Does nothing: the failing write reports the error.
    extern "C" fn go_on(_signal: libc::c_int) {}

    /// Handles a signal with atomic loads and stores, a clock, `poll`, `write` and `_exit` only, since it may interrupt anything. A
    /// later signal ends the process even if the program does not stop.
    extern "C" fn end(signal: libc::c_int) {
        if STOPPING.is_on() {
            return;
        }
        let is_first = SIGNAL.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        match FLAG.get() {
            Some(flag) if is_first && RUNNING.load(Ordering::SeqCst) => {
                STOPPING.begin();
                flag.set();
                let number = signal as u8;
                // SAFETY: one live byte is written to a pipe of ours; `errno` is restored.
                unsafe {
                    let errno = *libc::__errno_location();
                    libc::write(TELL.load(Ordering::SeqCst), (&raw const number).cast(), 1);
                    *libc::__errno_location() = errno;
                }
            }
            Some(_) | None => {
                say_interrupted();
                // SAFETY: ends the process without running anything.
                unsafe { libc::_exit(code_of(signal)) }
            }
        }
    }
}

/// Does nothing: on other systems the default handlers end the process.
#[cfg(not(unix))]
pub fn install() {}

#[cfg(not(unix))]
fn code_of(_signal: i32) -> i32 {
    130
}
