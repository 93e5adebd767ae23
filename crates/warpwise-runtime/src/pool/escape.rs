//! Leaving running kernels when a run is cancelled.
//!
//! Loops of kernels do not check the flag: a check in a loop of few instructions costs several percent of its time. Workers check
//! between parts of ranges, but a part may take arbitrarily long. Instead a thread of the pool, the *monitor*, sleeps until the
//! flag is set and then sends a signal (`SIGURG`, which is ignored by default) to every thread that is in a kernel. The signal's
//! handler makes the thread continue where the kernel was called, as if the kernel had returned. This costs nothing while nothing
//! is cancelled.
//!
//! A kernel can be left anywhere because it owns nothing. Its results are never read, since its launch fails. The functions it
//! calls (mathematics, copies of memory) hold no locks. Its worker resets its arena. The run time's own functions, which it calls
//! back, do hold locks: a thread inside one of them is *held*, and the monitor soon tries again. Callee-saved registers and the
//! rounding mode of floats are restored from the stack of the call.
//!
//! Other libraries may use the signal as well: the handler passes on every signal that is not for it.
//!
//! On systems other than Linux on x86-64, for which no kernels are compiled, kernels are left only between parts of ranges.

use crate::kernel::{KernelFn, TaskContext};

use super::CancelFlag;

/// A kernel's arguments.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub kernel: KernelFn,
    pub context: *mut TaskContext,
    pub args: &'a [u64],
    /// The part of the range.
    pub part: (i64, i64),
}

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
pub(crate) use monitored::{Monitor, held};

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
pub(crate) use unmonitored::{Monitor, held};

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
mod monitored {
    use std::arch::global_asm;
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::ptr::{null, null_mut};
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering, compiler_fence};
    use std::sync::{Arc, Once};
    use std::thread::JoinHandle;
    use std::time::Duration;

    use super::{Call, CancelFlag};
    use crate::kernel::{KernelFn, TaskContext};

    /// Time that the monitor waits before it signals again.
    const AGAIN: Duration = Duration::from_millis(1);
    /// The same time while no thread is in a kernel.
    const IDLE: Duration = Duration::from_millis(20);

    /// The monitor of a pool's kernels.
    pub(crate) struct Monitor {
        shared: Arc<Shared>,
        thread: Option<JoinHandle<()>>,
    }

    struct Shared {
        cancel: CancelFlag,
        /// By worker, the id of the thread that runs a kernel as that worker; 0 if there is none.
        running: Box<[AtomicI32]>,
        shut_down: AtomicBool,
    }

    /// A kernel call on this thread's stack, as the handler sees it.
    #[repr(C)]
    struct Frame {
        /// Stack pointer at the call of the kernel; 0 before and after. The assembly below relies on the field's offset, 0.
        stack: AtomicUsize,
        /// Whether the kernel is in a function of the run time that must not be left.
        held: AtomicBool,
        left: AtomicBool,
        cancel: *const AtomicBool,
    }

    thread_local! {
        static FRAME: Cell<*const Frame> = const { Cell::new(null()) };
        /// The id of this thread, and the process for which it was found: it changes in the child of a fork.
        static THREAD: Cell<(i32, i32)> = const { Cell::new((0, 0)) };
    }

    /// The process of the newest monitor. Kernels run in the process that started their monitor.
    static PROCESS: AtomicI32 = AtomicI32::new(0);

    // Calls a kernel and stores the stack pointer in the frame during the call. The handler resumes at `warpwise_kernel_left`
    // with that stack pointer. The frame's `stack` is cleared before the stack is popped, and executing the epilogue twice does
    // no harm.
    global_asm!(
        ".pushsection .text.warpwise_kernel_call,\"ax\",@progbits",
        ".globl warpwise_kernel_call",
        ".hidden warpwise_kernel_call",
        ".type warpwise_kernel_call,@function",
        "warpwise_kernel_call:",
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 24",
        "stmxcsr [rsp]",
        "mov [rsp + 8], r9",
        "mov [r9], rsp",
        "call r8",
        "jmp 2f",
        ".globl warpwise_kernel_left",
        ".hidden warpwise_kernel_left",
        "warpwise_kernel_left:",
        "ldmxcsr [rsp]",
        "2:",
        "mov r9, [rsp + 8]",
        "mov qword ptr [r9], 0",
        "add rsp, 24",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        ".size warpwise_kernel_call, . - warpwise_kernel_call",
        ".popsection",
    );

    unsafe extern "C" {
        fn warpwise_kernel_call(
            context: *mut TaskContext,
            args: *const u64,
            lo: i64,
            hi: i64,
            kernel: KernelFn,
            frame: *const Frame,
        );
        fn warpwise_kernel_left();
    }

    impl Monitor {
        /// Starts a monitor of the kernels of `workers` workers. If no thread can be started, kernels are left only between parts
        /// of ranges.
        pub fn start(workers: usize, cancel: &CancelFlag) -> Monitor {
            install();
            // SAFETY: the call has no arguments and cannot fail.
            PROCESS.store(unsafe { libc::getpid() }, Ordering::Relaxed);
            let running = (0..workers).map(|_| AtomicI32::new(0)).collect();
            let shared =
                Arc::new(Shared { cancel: cancel.clone(), running, shut_down: AtomicBool::new(false) });
            let watched = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("monitor".to_string()).stack_size(1 << 16);
            Monitor { shared, thread: thread.spawn(move || watched.watch()).ok() }
        }

        /// Runs a part of a kernel as this worker and returns whether it ran to its end.
        ///
        /// # Safety
        /// As for the kernel. Nobody else runs a kernel as this worker meanwhile.
        pub unsafe fn call(&self, worker: usize, call: Call<'_>) -> bool {
            let frame = Frame {
                stack: AtomicUsize::new(0),
                held: AtomicBool::new(false),
                left: AtomicBool::new(false),
                cancel: self.shared.cancel.as_atomic(),
            };
            let running = &self.shared.running[worker];
            FRAME.set(&raw const frame);
            running.store(this_thread(), Ordering::Release);
            let Call { kernel, context, args, part: (lo, hi) } = call;
            // SAFETY: as the caller promises; the frame outlives the call.
            unsafe { warpwise_kernel_call(context, args.as_ptr(), lo, hi, kernel, &raw const frame) };
            running.store(0, Ordering::Release);
            FRAME.set(null());
            !frame.left.load(Ordering::Relaxed)
        }
    }

    impl Drop for Monitor {
        fn drop(&mut self) {
            self.shared.shut_down.store(true, Ordering::SeqCst);
            self.shared.cancel.ring();
            if let Some(thread) = self.thread.take() {
                // The monitor cannot panic.
                let _ = thread.join();
            }
        }
    }

    impl Shared {
        fn watch(&self) {
            loop {
                let seen = self.cancel.rung();
                if self.shut_down.load(Ordering::SeqCst) {
                    return;
                }
                if !self.cancel.is_set() {
                    self.cancel.wait(seen, None);
                    continue;
                }
                let mut busy = false;
                for thread in self.running.iter().map(|thread| thread.load(Ordering::Acquire)) {
                    if thread != 0 {
                        busy = true;
                        // SAFETY: plain system calls; the error for a thread that has ended meanwhile is harmless.
                        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, libc::SIGURG) };
                    }
                }
                self.cancel.wait(seen, Some(if busy { AGAIN } else { IDLE }));
            }
        }
    }

    /// Runs a callback of a kernel that must not be left.
    pub(crate) fn held<T>(work: impl FnOnce() -> T) -> T {
        let frame = FRAME.get();
        let hold = |held| {
            // SAFETY: the frame belongs to the kernel call that this thread is in.
            if let Some(frame) = unsafe { frame.as_ref() } {
                compiler_fence(Ordering::SeqCst);
                frame.held.store(held, Ordering::Relaxed);
                compiler_fence(Ordering::SeqCst);
            }
        };
        hold(true);
        let result = work();
        hold(false);
        // The monitor would never meet a kernel that is nearly always held; therefore the thread signals itself.
        // SAFETY: as above, and a plain system call.
        unsafe {
            if frame.as_ref().is_some_and(|frame| (*frame.cancel).load(Ordering::Relaxed)) {
                libc::syscall(libc::SYS_tgkill, libc::getpid(), this_thread(), libc::SIGURG);
            }
        }
        result
    }

    fn this_thread() -> i32 {
        let process = PROCESS.load(Ordering::Relaxed);
        if THREAD.get().0 != process {
            // SAFETY: the call has no arguments and cannot fail.
            THREAD.set((process, unsafe { libc::gettid() }));
        }
        THREAD.get().1
    }

    /// The former action of the signal.
    static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());

    /// Installs the handler of the signal, once per process.
    fn install() {
        static ONCE: Once = Once::new();
        // SAFETY: the structures are plain data; the handler does only what handlers may do.
        ONCE.call_once(|| unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGURG, null(), &mut before);
            // Kept as long as the process lives.
            BEFORE.store(Box::into_raw(Box::new(before)), Ordering::SeqCst);
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(libc::SIGURG, &action, null_mut());
        });
    }

    /// Leaves the kernel that this thread runs if its run is cancelled.
    extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let frame = FRAME.get();
        // SAFETY: a frame lives as long as `FRAME` points to it. The context comes from the system, and the registers are set so
        // that the thread continues as the caller of the kernel would after its return.
        unsafe {
            if let Some(frame) = frame.as_ref() {
                let stack = frame.stack.load(Ordering::Relaxed);
                let is_free = stack != 0 && !frame.held.load(Ordering::Relaxed);
                if is_free && (*frame.cancel).load(Ordering::Relaxed) {
                    let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
                    registers[libc::REG_RSP as usize] = stack as i64;
                    registers[libc::REG_RIP as usize] = warpwise_kernel_left as *const () as i64;
                    // The kernel may have been left during a backward copy; the ABI requires a clear direction flag.
                    registers[libc::REG_EFL as usize] &= !DIRECTION;
                    frame.left.store(true, Ordering::Relaxed);
                }
                return;
            }
            hand_on(signal, info, context);
        }
    }

    /// The processor flag that reverses the direction of string copies.
    const DIRECTION: i64 = 1 << 10;

    /// Passes a signal that is not for this handler on to the former one.
    unsafe fn hand_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: set once, before this handler was installed, and never freed; the former handler is called as the system would
        // call it.
        unsafe {
            let Some(before) = BEFORE.load(Ordering::SeqCst).as_ref() else { return };
            if matches!(before.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN) {
                return;
            }
            if before.sa_flags & libc::SA_SIGINFO != 0 {
                type Informed = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
                std::mem::transmute::<usize, Informed>(before.sa_sigaction)(signal, info, context);
            } else {
                std::mem::transmute::<usize, extern "C" fn(c_int)>(before.sa_sigaction)(signal);
            }
        }
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
mod unmonitored {
    use super::{Call, CancelFlag};

    /// A monitor that watches nothing.
    pub(crate) struct Monitor;

    impl Monitor {
        pub fn start(_workers: usize, _cancel: &CancelFlag) -> Monitor {
            Monitor
        }

        /// Runs a part of a kernel and returns whether it ran to its end.
        ///
        /// # Safety
        /// As for the kernel.
        pub unsafe fn call(&self, _worker: usize, call: Call<'_>) -> bool {
            let Call { kernel, context, args, part: (lo, hi) } = call;
            // SAFETY: as the caller promises.
            unsafe { kernel(context, args.as_ptr(), lo, hi) };
            true
        }
    }

    /// Runs a callback of a kernel.
    pub(crate) fn held<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
}
