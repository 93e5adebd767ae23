//! Ctrl-C ends a call.
//!
//! Python's own handler notes SIGINT, and the main thread raises `KeyboardInterrupt` when it next runs Python code, which a long call
//! keeps it from. So a handler of ours stands before Python's while the main thread calls a program: it asks the run to stop, and goes on
//! to Python's. It is put there by the first call, again when a call has run for a while ([`watch`]), since Python puts its own there
//! whenever a program asks for another one, and again after each signal.
//!
//! Only a handler is preceded, which is Python's or will go on to it: who has the signal ignored or end the process has it so. One of them
//! does not end with going on: LLVM, which a device's driver brings, has handlers that put back what stood there before them and send the
//! signal again. What stood there may be ours, so ours knows that it is called from within ([`on_signal`]).

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};
use std::time::Duration;

use pyo3::prelude::*;
use warpwise_runtime::pool::CancelFlag;

use crate::runtime::generation;

/// The flag of the call that the main thread is in.
static CALL: AtomicPtr<CancelFlag> = AtomicPtr::new(std::ptr::null_mut());
/// How many threads are about to look at it, or to set it.
static HANDLING: AtomicUsize = AtomicUsize::new(0);
/// The handler before ours, and its flags.
static NEXT: AtomicUsize = AtomicUsize::new(0);
static NEXT_FLAGS: AtomicI32 = AtomicI32::new(0);
/// Whether that handler is running.
static GOING_ON: AtomicBool = AtomicBool::new(false);

/// Runs something that asks `flag`, without the interpreter's lock. In the main thread SIGINT sets the flag meanwhile; one that came
/// shortly before raises.
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
    // A signal before the flag had its place is known to Python alone, which would tell only when the work is done.
    let result = raise(py).map(|()| py.detach(work));
    CALL.store(std::ptr::null_mut(), Ordering::SeqCst);
    while HANDLING.load(Ordering::SeqCst) > 0 {
        std::hint::spin_loop();
    }
    watch::end();
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

/// Whether this is the thread in which Python's handlers run: the first of the process. Which it is is asked once in each thread, since
/// a system call is a good part of a short call.
pub fn is_main_thread() -> bool {
    thread_local! {
        static IS_MAIN: Cell<Option<(u64, bool)>> = const { Cell::new(None) };
    }
    let generation = generation();
    match IS_MAIN.get() {
        Some((asked, is_main)) if asked == generation => is_main,
        Some(_) | None => {
            // SAFETY: the calls take nothing and always succeed.
            let is_main = unsafe { libc::syscall(libc::SYS_gettid) == libc::c_long::from(libc::getpid()) };
            IS_MAIN.set(Some((generation, is_main)));
            is_main
        }
    }
}

/// Puts our handler before one that is there, unless it already stands there. A handler may call this.
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
        // One that stood for a single signal put itself back; ours stays.
        action.sa_flags = action.sa_flags & !libc::SA_RESETHAND | libc::SA_SIGINFO;
        CancelFlag::complete_mask(&mut action.sa_mask);
        libc::sigaction(libc::SIGINT, &action, std::ptr::null_mut());
    }
}

/// Python's handler, atomic operations and system calls. Any thread may run it: whoever hears of the flag must find that Python knows.
extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if GOING_ON.swap(true, Ordering::SeqCst) {
        // The handler before ours has sent the signal again, or it came twice.
        // SAFETY: a handler may call this, with or without the interpreter's lock.
        unsafe { pyo3::ffi::PyErr_SetInterrupt() };
    } else {
        go_on(signal, info, context);
        GOING_ON.store(false, Ordering::SeqCst);
        block_leaving();
        // It may have put back what it found, which need not be ours: the next signal may come before anybody looks.
        stand_before();
    }
    HANDLING.fetch_add(1, Ordering::SeqCst);
    let flag = CALL.load(Ordering::SeqCst);
    // SAFETY: whoever takes a flag out of `CALL` keeps it until nobody handles a signal.
    if let Some(flag) = unsafe { flag.as_ref() } {
        flag.set();
    }
    HANDLING.fetch_sub(1, Ordering::SeqCst);
}

/// Blocks the signal by which threads leave their kernels until the handler returns, as its own mask does: the handler before it may have
/// unblocked all. A thread that left what is below would never count itself out of [`HANDLING`].
fn block_leaving() {
    // SAFETY: the set is plain data that the calls fill in and read; a handler may make them.
    unsafe {
        let mut mask: libc::sigset_t = std::mem::zeroed();
        CancelFlag::complete_mask(&mut mask);
        libc::pthread_sigmask(libc::SIG_BLOCK, &mask, std::ptr::null_mut());
    }
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

/// A thread that looks after long calls, so that short ones need not look for themselves: a system call would take as long as they do.
mod watch {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Mutex, PoisonError};
    use std::thread::Thread;
    use std::time::Duration;

    use super::{generation, stand_before};

    /// How long a call runs before it is looked after.
    const LOOK: Duration = Duration::from_millis(20);
    /// How many looks the thread takes without seeing a call before it sleeps.
    const PATIENCE: u32 = 50;

    /// Counts beginnings and ends of calls: odd during one.
    static STEPS: AtomicU64 = AtomicU64::new(0);
    /// The generation whose thread is awake; `u64::MAX` if none is.
    static AWAKE: AtomicU64 = AtomicU64::new(u64::MAX);
    static WATCHER: Mutex<Option<(u64, Thread)>> = Mutex::new(None);

    /// The main thread begins a call.
    pub fn begin() {
        STEPS.fetch_add(1, Ordering::SeqCst);
        if AWAKE.load(Ordering::SeqCst) != generation() {
            wake();
        }
    }

    /// The call has ended.
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
                // Without it the handler is as it is.
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
                // A call that began just before has not seen that, and is looked after.
                if STEPS.load(Ordering::SeqCst) == now {
                    std::thread::park();
                }
                AWAKE.store(generation(), Ordering::SeqCst);
                idle = 0;
            }
        }
    }
}
