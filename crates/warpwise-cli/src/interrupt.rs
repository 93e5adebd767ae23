//! Signals. SIGINT (Ctrl-C), SIGTERM and SIGHUP end the command: a running program is asked to stop, which it does within
//! milliseconds, also inside kernels; whatever else goes on ends at once. The exit code is that of a shell for a process that the
//! signal has ended: 130, 143, 129. A program that does not stop in time (a driver that hangs, memory that is slow to be given back) is
//! not waited for. What is ignored when the command starts (`nohup`) stays so.
//!
//! Files that reach the limit of their size (`ulimit -f`): writing fails, as it does on a full disk.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use warpwise_driver::Context;
use warpwise_runtime::pool::CancelFlag;

/// How long a run may take to stop.
pub const PATIENCE: Duration = Duration::from_millis(150);

/// The same where results lie in files that have to be made whole.
pub const PATIENCE_WITH_FILES: Duration = Duration::from_secs(5);

static FLAG: OnceLock<CancelFlag> = OnceLock::new();
static RUNNING: AtomicBool = AtomicBool::new(false);
/// How long what runs may take to stop, in milliseconds.
static PATIENT: AtomicU64 = AtomicU64::new(0);
/// The first signal that came.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// Where the handler tells the watchdog.
static TELL: AtomicI32 = AtomicI32::new(-1);

/// Programs that run in this context from now on are stopped by signals.
pub fn watch(context: &Context) {
    // Only one context is made in a process.
    let _ = FLAG.set(context.threads().cancel_flag().clone());
}

/// Runs something that asks the context's flag.
pub fn stoppable<T>(work: impl FnOnce() -> T) -> T {
    stoppable_within(PATIENCE, work)
}

/// Runs something that asks the context's flag, and may take so long to stop.
pub fn stoppable_within<T>(patience: Duration, work: impl FnOnce() -> T) -> T {
    PATIENT.store(patience.as_millis() as u64, Ordering::SeqCst);
    RUNNING.store(true, Ordering::SeqCst);
    let result = work();
    RUNNING.store(false, Ordering::SeqCst);
    result
}

/// The exit code of an interrupted command.
pub fn exit_code() -> u8 {
    // A run is interrupted by nothing else.
    code_of(SIGNAL.load(Ordering::SeqCst)) as u8
}

#[cfg(unix)]
use unix::code_of;
#[cfg(unix)]
pub use unix::install;

#[cfg(unix)]
mod unix {
    use std::io::Read;
    use std::os::fd::IntoRawFd;

    use super::*;

    /// The exit code for a signal.
    pub fn code_of(signal: libc::c_int) -> libc::c_int {
        128 + if signal == 0 { libc::SIGINT } else { signal }
    }

    /// Listens to the signals.
    pub fn install() {
        start_watchdog();
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            if !is_ignored(signal) {
                listen(signal, end);
            }
        }
        // Not ignored but handled: programs that this one starts shall find the signal as it was.
        listen(libc::SIGXFSZ, go_on);
    }

    fn listen(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
        // SAFETY: the structure is plain data; the handlers only do what is allowed in one.
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

    /// Ends the process when a run that was asked to stop does not. Where there is no thread for that, a second signal does.
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

    /// Says what happens, unless that would take long: somebody may hold the lock of standard error, or not read it.
    fn say_interrupted() {
        const MESSAGE: &[u8] = b"error: interrupted\n";
        let mut place = libc::pollfd { fd: libc::STDERR_FILENO, events: libc::POLLOUT, revents: 0 };
        // SAFETY: one descriptor is asked for, and the message is as long as that.
        unsafe {
            if libc::poll(&mut place, 1, 0) == 1 && place.revents & libc::POLLOUT != 0 {
                libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len());
            }
        }
    }

    /// The call that wrote too much tells.
    extern "C" fn go_on(_signal: libc::c_int) {}

    /// Atomic loads and stores, `poll`, `write` and `_exit`, nothing else: it interrupts anything. A second signal ends even a program
    /// that does not stop.
    extern "C" fn end(signal: libc::c_int) {
        let is_first = SIGNAL.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        match FLAG.get() {
            Some(flag) if is_first && RUNNING.load(Ordering::SeqCst) => {
                flag.set();
                let number = signal as u8;
                // SAFETY: one byte that lives on, to a pipe of ours; `errno` is given back as it was found.
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

/// Elsewhere the system ends the process.
#[cfg(not(unix))]
pub fn install() {}

#[cfg(not(unix))]
fn code_of(_signal: i32) -> i32 {
    130
}
