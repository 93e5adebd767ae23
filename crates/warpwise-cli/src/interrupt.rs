//! Signals. Ctrl-C: a running program stops at the next task boundary; whatever else goes on ends at once, with exit code 130.
//! Files that reach the limit of their size (`ulimit -f`): writing fails, as it does on a full disk.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use warpwise_driver::Context;
use warpwise_runtime::pool::CancelFlag;

/// Exit code after Ctrl-C.
pub const INTERRUPTED: u8 = 130;

static FLAG: OnceLock<CancelFlag> = OnceLock::new();
static RUNNING: AtomicBool = AtomicBool::new(false);

/// Programs that run in this context from now on are stopped by Ctrl-C.
pub fn watch(context: &Context) {
    // Only one context is made in a process.
    let _ = FLAG.set(context.threads().cancel_flag().clone());
}

/// Runs something that asks the context's flag.
pub fn stoppable<T>(work: impl FnOnce() -> T) -> T {
    RUNNING.store(true, Ordering::SeqCst);
    let result = work();
    RUNNING.store(false, Ordering::SeqCst);
    result
}

/// Listens to the signals.
#[cfg(unix)]
pub fn install() {
    // SAFETY: the structure is plain data; the handler only does what is allowed in one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut());
        // Not ignored but handled: programs that this one starts shall find the signal as it was.
        action.sa_sigaction = go_on as *const () as usize;
        libc::sigaction(libc::SIGXFSZ, &action, std::ptr::null_mut());
    }
}

/// The call that wrote too much tells.
#[cfg(unix)]
extern "C" fn go_on(_signal: libc::c_int) {}

/// Atomic loads and stores and `_exit`, nothing else: it interrupts anything. A second signal ends even a program
/// that does not stop.
#[cfg(unix)]
extern "C" fn handle(_signal: libc::c_int) {
    match FLAG.get() {
        Some(flag) if RUNNING.load(Ordering::SeqCst) && !flag.is_set() => flag.set(),
        Some(_) | None => {
            // SAFETY: ends the process without running anything.
            unsafe { libc::_exit(libc::c_int::from(INTERRUPTED)) }
        }
    }
}

/// Elsewhere the system ends the process.
#[cfg(not(unix))]
pub fn install() {}
