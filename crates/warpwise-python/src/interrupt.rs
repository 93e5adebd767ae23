//! Ctrl-C ends a call.
//!
//! Python's own handler notes SIGINT, and the main thread raises `KeyboardInterrupt` when it next runs Python code, which a long call
//! keeps it from. So a handler of ours stands before Python's while the main thread calls a program: it asks the run to stop, and goes on
//! to Python's. It is put there by the first call, stays, and does nothing but that while no call runs.
//!
//! Only Python's handler is preceded: who has the signal ignored or end the process has it so.

use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use pyo3::prelude::*;
use warpwise_runtime::pool::CancelFlag;

/// The flag of the call that the main thread is in.
static CALL: AtomicPtr<CancelFlag> = AtomicPtr::new(std::ptr::null_mut());
/// How many threads are about to look at it, or to set it.
static HANDLING: AtomicUsize = AtomicUsize::new(0);
/// The handler before ours, and its flags.
static NEXT: AtomicUsize = AtomicUsize::new(0);
static NEXT_FLAGS: AtomicI32 = AtomicI32::new(0);

/// Runs something that asks `flag`, without the interpreter's lock. In the main thread SIGINT sets the flag meanwhile.
pub fn interruptible<T: Send>(py: Python<'_>, flag: &CancelFlag, work: impl FnOnce() -> T + Send) -> T {
    let is_watched = is_main_thread() && stand_before();
    if !is_watched {
        return py.detach(work);
    }
    CALL.store(std::ptr::from_ref(flag).cast_mut(), Ordering::SeqCst);
    let result = py.detach(work);
    CALL.store(std::ptr::null_mut(), Ordering::SeqCst);
    while HANDLING.load(Ordering::SeqCst) > 0 {
        std::hint::spin_loop();
    }
    // A signal may have come when the work was done.
    flag.clear();
    result
}

/// Waits until the call that a signal was meant for has ended.
pub fn until_over(py: Python<'_>, flag: &CancelFlag) {
    py.detach(|| {
        while flag.is_set() {
            std::thread::sleep(Duration::from_millis(1));
        }
    });
}

/// What Python makes of a signal: an exception, usually.
pub fn raise(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Whether this is the thread in which Python's handlers run: the first of the process, which goes on to be that in a child.
pub fn is_main_thread() -> bool {
    // SAFETY: the calls take nothing and always succeed.
    unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) }
}

/// Puts our handler before one that is there, unless it already stands there. Gives whether it does.
fn stand_before() -> bool {
    let ours = on_signal as *const () as usize;
    // SAFETY: the structure is plain data that the calls read and fill in.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGINT, std::ptr::null(), &mut action) != 0 {
            return false;
        }
        if action.sa_sigaction == ours {
            return true;
        }
        if action.sa_sigaction == libc::SIG_DFL || action.sa_sigaction == libc::SIG_IGN {
            return false;
        }
        NEXT.store(action.sa_sigaction, Ordering::SeqCst);
        NEXT_FLAGS.store(action.sa_flags, Ordering::SeqCst);
        action.sa_sigaction = ours;
        action.sa_flags |= libc::SA_SIGINFO;
        // The pool makes threads leave their kernels by this one. It must not have them leave the handler, too.
        libc::sigaddset(&mut action.sa_mask, libc::SIGURG);
        libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut()) == 0
    }
}

/// Python's handler, atomic operations and a system call. Any thread may run it: whoever hears of the flag must find that Python knows.
extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    go_on(signal, info, context);
    HANDLING.fetch_add(1, Ordering::SeqCst);
    let flag = CALL.load(Ordering::SeqCst);
    // SAFETY: whoever takes a flag out of `CALL` keeps it until nobody handles a signal.
    if let Some(flag) = unsafe { flag.as_ref() } {
        flag.set();
    }
    HANDLING.fetch_sub(1, Ordering::SeqCst);
}

/// Calls the handler that stood here, as its flags say.
fn go_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let next = NEXT.load(Ordering::SeqCst);
    if next == 0 {
        return;
    }
    // SAFETY: the word is a function of the kind that the flags say.
    unsafe {
        if NEXT_FLAGS.load(Ordering::SeqCst) & libc::SA_SIGINFO != 0 {
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                std::mem::transmute(next);
            handler(signal, info, context);
        } else {
            let handler: extern "C" fn(libc::c_int) = std::mem::transmute(next);
            handler(signal);
        }
    }
}
