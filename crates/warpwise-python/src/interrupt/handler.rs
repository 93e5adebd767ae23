//! The handler that notes the signals that come during a call.
//!
//! It stands before another handler and goes on to it: for SIGINT before any, for other signals only before Python's. If a signal is
//! ignored or ends the process, that stays so. The handler is installed again after each SIGINT, since a handler that ours goes on to
//! may not simply return: LLVM, which a device's driver loads, has handlers that restore the earlier handler and send the signal again.
//! The earlier handler may be ours, so ours detects that it is called from within ([`on_signal`]).

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};

use pyo3::prelude::*;
use warpwise_runtime::pool::CancelFlag;

/// Signals other than SIGINT for which Python programs have handlers.
const OTHERS: [libc::c_int; 12] = [
    libc::SIGALRM,
    libc::SIGCHLD,
    libc::SIGCONT,
    libc::SIGHUP,
    libc::SIGIO,
    libc::SIGPROF,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGVTALRM,
    libc::SIGWINCH,
];

/// The signals that came since the call began, as bits.
static PENDING: AtomicU64 = AtomicU64::new(0);
/// Python's handler.
static PYTHON: AtomicUsize = AtomicUsize::new(0);
/// The handler of SIGINT that stood before ours, and its flags.
static NEXT: AtomicUsize = AtomicUsize::new(0);
static NEXT_FLAGS: AtomicI32 = AtomicI32::new(0);
/// Whether that handler is running.
static GOING_ON: AtomicBool = AtomicBool::new(false);

/// Returns the signals that came since the last [`forget`], as bits.
pub fn pending() -> u64 {
    PENDING.load(Ordering::SeqCst)
}

/// Forgets the signals that came.
pub fn forget() {
    PENDING.store(0, Ordering::SeqCst);
}

/// Learns the address of Python's handler: installs a Python function for a signal that nobody uses, and removes it again.
pub fn learn(py: Python<'_>) -> PyResult<()> {
    if PYTHON.load(Ordering::SeqCst) != 0 {
        return Ok(());
    }
    let module = py.import("_signal")?;
    let (unused, default) = (module.getattr("SIGRTMAX")?, module.getattr("SIG_DFL")?);
    if !module.call_method1("getsignal", (&unused,))?.eq(&default)? {
        return Ok(());
    }
    module.call_method1("signal", (&unused, module.getattr("default_int_handler")?))?;
    // SAFETY: the structure is plain data that the call fills in.
    let handler = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGRTMAX(), std::ptr::null(), &mut action);
        action.sa_sigaction
    };
    PYTHON.store(handler, Ordering::SeqCst);
    module.call_method1("signal", (&unused, default)).map(|_| ())
}

/// Puts our handler before Python's, for all signals, and for SIGINT before any other handler. Returns the signals for which it was
/// not there before.
pub fn stand_before_all() -> u64 {
    let python = PYTHON.load(Ordering::SeqCst);
    let is_new = |signal| python != 0 && put_before(signal, |handler| handler == python);
    let others = OTHERS.into_iter().filter(|&signal| is_new(signal));
    let sigint = stand_before().then_some(libc::SIGINT);
    others.chain(sigint).fold(0, |all, signal| all | bit(signal))
}

/// Puts our handler for SIGINT before the current one, unless it already stands there. Signal handlers may call this function.
fn stand_before() -> bool {
    put_before(libc::SIGINT, |handler| ![libc::SIG_DFL, libc::SIG_IGN].contains(&handler))
}

/// Puts our handler before the current one if that is not ours and `is_wanted`. Returns whether it did.
fn put_before(signal: libc::c_int, is_wanted: impl Fn(usize) -> bool) -> bool {
    let ours = on_signal as *const () as usize;
    // SAFETY: the structure is plain data that the calls read and fill in.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let is_known = libc::sigaction(signal, std::ptr::null(), &mut action) == 0;
        if !is_known || action.sa_sigaction == ours || !is_wanted(action.sa_sigaction) {
            return false;
        }
        if signal == libc::SIGINT {
            NEXT.store(action.sa_sigaction, Ordering::SeqCst);
            NEXT_FLAGS.store(action.sa_flags, Ordering::SeqCst);
        }
        action.sa_sigaction = ours;
        // A handler for a single signal would have removed itself; ours stays.
        action.sa_flags = action.sa_flags & !libc::SA_RESETHAND | libc::SA_SIGINFO;
        CancelFlag::complete_mask(&mut action.sa_mask);
        libc::sigaction(signal, &action, std::ptr::null_mut()) == 0
    }
}

/// Returns the bit of a signal.
pub fn bit(signal: libc::c_int) -> u64 {
    1 << signal
}

/// Handles a signal: calls the handler before ours, then notes the signal. Otherwise it uses only atomic operations and system calls.
/// Any thread may run it. The note comes last, because whoever sees it must find that Python knows of the signal.
extern "C" fn on_signal(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if signal != libc::SIGINT {
        // SAFETY: ours stands only before Python's handler, whose type this is.
        let python: extern "C" fn(libc::c_int) =
            unsafe { std::mem::transmute(PYTHON.load(Ordering::SeqCst)) };
        python(signal);
    } else if GOING_ON.swap(true, Ordering::SeqCst) {
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
    PENDING.fetch_or(bit(signal), Ordering::SeqCst);
}

/// Blocks the signal by which threads leave their kernels until the handler returns, as the handler's own mask does. The other handler
/// may have unblocked all signals. A thread that left the code below would not note the signal.
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
