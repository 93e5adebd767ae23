//! Handling of SIGINT (Ctrl-C), SIGTERM and SIGHUP by executables and servers. Libraries leave signals alone.
//!
//! An executable ends at once, and so does a server that waits for commands; the exit codes are 130, 143 and 129. If a server is
//! running a call, the call fails instead, and the server answers as the protocol says. After SIGINT the server goes on; after the
//! other signals it ends. SIGINT within half a second of another signal is part of the same request (see [`Burst`]), and is ignored,
//! unless a new call has begun.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use warpwise_runtime::pool::{Burst, CancelFlag};

static FLAG: OnceLock<CancelFlag> = OnceLock::new();
static CALLING: AtomicBool = AtomicBool::new(false);
/// The signal that will end the server after its call; 0 if there is none.
static ENDING: AtomicI32 = AtomicI32::new(0);
/// The signals that stopped the last call.
static STOPPING: Burst = Burst::none();

/// Installs handlers for the signals, except ignored ones.
pub fn install() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the structures are plain data; the handler does only what a signal handler may do.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            libc::sigaction(signal, std::ptr::null(), &mut action);
            if action.sa_sigaction == libc::SIG_IGN {
                continue;
            }
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_RESTART;
            libc::sigemptyset(&mut action.sa_mask);
            CancelFlag::complete_mask(&mut action.sa_mask);
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// Runs a call that checks `flag`, which a signal sets. The flag is cleared after the call.
pub fn calling<T>(flag: &CancelFlag, call: impl FnOnce() -> T) -> T {
    // A process has one program.
    let _ = FLAG.set(flag.clone());
    CALLING.store(true, Ordering::SeqCst);
    let result = call();
    CALLING.store(false, Ordering::SeqCst);
    flag.clear();
    result
}

/// Ends the process if a signal asked for it during a call.
pub fn end_if_asked() {
    let signal = ENDING.load(Ordering::SeqCst);
    if signal != 0 {
        std::process::exit(128 + signal);
    }
}

/// Handles a signal with atomic loads and stores, a clock and `_exit` only, since it may interrupt anything. A later signal ends the
/// process even if the call does not stop.
extern "C" fn handle(signal: libc::c_int) {
    let flag = FLAG.get().filter(|_| CALLING.load(Ordering::SeqCst));
    // A signal to a call that none has stopped yet is a new request, however soon after the last one.
    let is_repeated = STOPPING.is_on() && flag.is_none_or(CancelFlag::is_set);
    if is_repeated && (signal == libc::SIGINT || ENDING.load(Ordering::SeqCst) != 0) {
        return;
    }
    match flag {
        Some(flag) if is_repeated || !flag.is_set() => {
            if signal != libc::SIGINT {
                ENDING.store(signal, Ordering::SeqCst);
            }
            STOPPING.begin();
            flag.set();
        }
        // SAFETY: ends the process without running anything.
        Some(_) | None => unsafe { libc::_exit(128 + signal) },
    }
}
