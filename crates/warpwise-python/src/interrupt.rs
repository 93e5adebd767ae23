//! Interruption of calls by Ctrl-C.
//!
//! Python's own handler notes SIGINT, and the main thread raises `KeyboardInterrupt` when it next runs Python code. A long call
//! prevents that. So while the main thread calls a program, a handler of ours stands before Python's: it asks the run to stop, and goes
//! on to Python's handler. The first call installs it. It is installed again when a call has run for a while ([`watch`]), since Python
//! installs its own handler whenever a program asks for another one, and again after each signal.
//!
//! Ours is only put before another handler: Python's, or one that goes on to Python's. If the signal is ignored or ends the process,
//! that stays so. A handler that ours goes on to may not simply return: LLVM, which a device's driver loads, has handlers that restore
//! the earlier handler and send the signal again. The earlier handler may be ours, so ours detects that it is called from within
//! ([`on_signal`]).

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use pyo3::prelude::*;
use warpwise_runtime::pool::CancelFlag;

use crate::runtime::generation;

/// Cancel flag of the call that the main thread is in.
static CALL: AtomicPtr<CancelFlag> = AtomicPtr::new(std::ptr::null_mut());
/// Number of threads that are about to read that flag, or to set it.
static HANDLING: AtomicUsize = AtomicUsize::new(0);
/// The handler that stood before ours, and its flags.
static NEXT: AtomicUsize = AtomicUsize::new(0);
static NEXT_FLAGS: AtomicI32 = AtomicI32::new(0);
/// Whether that handler is running.
static GOING_ON: AtomicBool = AtomicBool::new(false);

/// Runs `work`, which checks `flag`, without the interpreter's lock. In the main thread SIGINT sets the flag meanwhile. A SIGINT that
/// came shortly before raises its exception.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    flag: &CancelFlag,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    if !is_main_thread() {
        return Ok(py.detach(work));
    }
    watch::begin();
    CALL.store(std::ptr::from_ref(flag).cast_mut(), Ordering::SeqCst);
    // A signal that came before the flag was stored is known to Python alone, which would raise only after the work.
    let result = raise(py).map(|()| py.detach(work));
    CALL.store(std::ptr::null_mut(), Ordering::SeqCst);
    while HANDLING.load(Ordering::SeqCst) > 0 {
        std::hint::spin_loop();
    }
    watch::end();
    // A signal may have come after the work was done.
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

/// Raises the exception, if any, that Python's handlers raise for a pending signal.
pub fn raise(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
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

/// Puts our handler before the current one, unless it already stands there. Signal handlers may call this function.
fn stand_before() {
    let ours = on_signal as *const () as usize;
    // SAFETY: the structure is plain data that the calls read and fill in.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let is_known = libc::sigaction(libc::SIGINT, std::ptr::null(), &mut action) == 0;
        if !is_known || [ours, libc::SIG_DFL, libc::SIG_IGN].contains(&action.sa_sigaction) {
            return;
        }
        NEXT.store(action.sa_sigaction, Ordering::SeqCst);
        NEXT_FLAGS.store(action.sa_flags, Ordering::SeqCst);
        action.sa_sigaction = ours;
        // A handler for a single signal would have removed itself; ours stays.
        action.sa_flags = action.sa_flags & !libc::SA_RESETHAND | libc::SA_SIGINFO;
        CancelFlag::complete_mask(&mut action.sa_mask);
        libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut());
    }
}

/// Handles SIGINT: calls the handler before ours, then sets the flag. Otherwise it uses only atomic operations and system calls. Any
/// thread may run it. The flag comes last, because whoever sees it must find that Python knows of the signal.
extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if GOING_ON.swap(true, Ordering::SeqCst) {
        // The handler before ours has sent the signal again, or it came twice.
        // SAFETY: a signal handler may call this, with or without the interpreter's lock.
        unsafe { pyo3::ffi::PyErr_SetInterrupt() };
    } else {
        go_on(signal, info, context);
        GOING_ON.store(false, Ordering::SeqCst);
        block_leaving();
        // The other handler may have restored a handler that is not ours, and the next signal may come before anybody checks.
        stand_before();
    }
    HANDLING.fetch_add(1, Ordering::SeqCst);
    let flag = CALL.load(Ordering::SeqCst);
    // SAFETY: a flag removed from `CALL` is kept alive until no thread handles a signal.
    if let Some(flag) = unsafe { flag.as_ref() } {
        flag.set();
    }
    HANDLING.fetch_sub(1, Ordering::SeqCst);
}

/// Blocks the signal by which threads leave their kernels until the handler returns, as the handler's own mask does. The other handler
/// may have unblocked all signals. A thread that left the code below would never decrement [`HANDLING`].
fn block_leaving() {
    // SAFETY: the set is plain data that the calls fill in and read; signal handlers may make these calls.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        CancelFlag::complete_mask(&mut mask);
        libc::pthread_sigmask(libc::SIG_BLOCK, &mask, std::ptr::null_mut());
    }
}

/// Calls the handler that stood before ours, with the signature that its flags tell.
fn go_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let next = NEXT.load(Ordering::SeqCst);
    if next == 0 {
        return;
    }
    // SAFETY: the word is the address of a function whose type the flags tell.
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

/// A thread that checks the handler during long calls, so that short calls need not: a system call would take as long as they do.
mod watch {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Mutex, PoisonError};
    use std::thread::Thread;
    use std::time::Duration;

    use super::{generation, stand_before};

    /// Interval of the checks. A call that lasts as long is checked.
    const LOOK: Duration = Duration::from_millis(20);
    /// Number of idle checks after which the thread sleeps.
    const PATIENCE: u32 = 50;

    /// Number of beginnings and ends of calls; odd during a call.
    static STEPS: AtomicU64 = AtomicU64::new(0);
    /// Generation whose thread is awake; `u64::MAX` if none is.
    static AWAKE: AtomicU64 = AtomicU64::new(u64::MAX);
    static WATCHER: Mutex<Option<(u64, Thread)>> = Mutex::new(None);

    /// Notes that the main thread begins a call.
    pub fn begin() {
        STEPS.fetch_add(1, Ordering::SeqCst);
        if AWAKE.load(Ordering::SeqCst) != generation() {
            wake();
        }
    }

    /// Notes that the call has ended.
    pub fn end() {
        STEPS.fetch_add(1, Ordering::SeqCst);
    }

    #[cold]
    fn wake() {
        stand_before();
        let mut watcher = WATCHER.lock().unwrap_or_else(PoisonError::into_inner);
        let here = generation();
        AWAKE.store(here, Ordering::SeqCst);
        match &*watcher {
            Some((generation, thread)) if *generation == here => thread.unpark(),
            Some(_) | None => {
                let started =
                    std::thread::Builder::new().name("watch".to_string()).stack_size(1 << 16).spawn(look);
                // Without the thread, nobody checks the handler during calls.
                *watcher = started.ok().map(|started| (here, started.thread().clone()));
            }
        }
    }

    fn look() {
        let (mut last, mut idle) = (STEPS.load(Ordering::SeqCst), 0);
        loop {
            std::thread::sleep(LOOK);
            let now = STEPS.load(Ordering::SeqCst);
            let is_same = now == last;
            if is_same && !now.is_multiple_of(2) {
                stand_before();
            }
            idle = if is_same && now.is_multiple_of(2) { idle + 1 } else { 0 };
            last = now;
            if idle >= PATIENCE {
                AWAKE.store(u64::MAX, Ordering::SeqCst);
                // A call that began just before has not seen this store, and still needs checks.
                if STEPS.load(Ordering::SeqCst) == now {
                    std::thread::park();
                }
                AWAKE.store(generation(), Ordering::SeqCst);
                idle = 0;
            }
        }
    }
}
