//! Leaving kernels in the midst of them when a run is cancelled.
//!
//! Loops of kernels do not look at the flag: a look in a loop of few instructions costs several percent of its time, and parts of
//! ranges, between which workers look, may take for ever. Instead a thread of the pool, the *monitor*, sleeps until the flag is set and
//! then sends a signal (`SIGURG`, which is ignored unless somebody asks for it) to every thread that is in a kernel. Its handler makes
//! the thread go on where the kernel was called, as if it had returned: at no cost while nobody cancels anything.
//!
//! A kernel can be left anywhere because it owns nothing: what it writes is never looked at, since its launch fails; what it calls
//! (mathematics, copies of memory) holds no locks; its arena is reset by its worker. The run time's own functions, which it calls back, do
//! hold locks: a thread inside of one is *held*, and the monitor tries again soon. Registers that a function must keep, and how floats
//! are rounded, are restored from the stack of the call.
//!
//! What another library does with the signal goes on: the handler hands on what is not for it.
//!
//! Elsewhere than on Linux on x86-64, where no kernels are compiled, kernels are left between parts of ranges only.

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

    /// How long the monitor waits before it signals again.
    const AGAIN: Duration = Duration::from_millis(1);
    /// The same while nobody is in a kernel.
    const IDLE: Duration = Duration::from_millis(20);

    /// Watches the kernels of a pool.
    pub(crate) struct Monitor {
        shared: Arc<Shared>,
        thread: Option<JoinHandle<()>>,
    }

    struct Shared {
        cancel: CancelFlag,
        /// By worker, the thread that is in a kernel as that worker; 0 if none is.
        running: Box<[AtomicI32]>,
        shut_down: AtomicBool,
    }

    /// A kernel's call on this thread's stack, for the handler.
    #[repr(C)]
    struct Frame {
        /// Where the stack was when the kernel was called; 0 before and after. The code below knows its place.
        stack: AtomicUsize,
        /// Whether the kernel has called back.
        held: AtomicBool,
        left: AtomicBool,
        cancel: *const AtomicBool,
    }

    thread_local! {
        static FRAME: Cell<*const Frame> = const { Cell::new(null()) };
        static THREAD: Cell<i32> = const { Cell::new(0) };
    }

    // Calls a kernel and says in the frame where the stack is meanwhile. The handler resumes at the second label, with that stack.
    // The frame is no longer valid before the stack is given up, and going through the end twice does no harm.
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
        /// Watches kernels of so many workers. Where no thread can be started, kernels are left between parts of ranges only.
        pub fn start(workers: usize, cancel: &CancelFlag) -> Monitor {
            install();
            let running = (0..workers).map(|_| AtomicI32::new(0)).collect();
            let shared =
                Arc::new(Shared { cancel: cancel.clone(), running, shut_down: AtomicBool::new(false) });
            let watched = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("monitor".to_string()).stack_size(1 << 16);
            Monitor { shared, thread: thread.spawn(move || watched.watch()).ok() }
        }

        /// Runs a part of a kernel as this worker; whether it came to its end.
        ///
        /// # Safety
        /// As for the kernel. Nobody else calls one as this worker meanwhile.
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
            // SAFETY: as the caller vouches; the frame lives on.
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
                // It cannot panic.
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
                        // SAFETY: plain system calls; a thread that has ended meanwhile is an error that does not matter.
                        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, libc::SIGURG) };
                    }
                }
                self.cancel.wait(seen, Some(if busy { AGAIN } else { IDLE }));
            }
        }
    }

    /// Does something that a kernel calls for and that must not be left.
    pub(crate) fn held<T>(work: impl FnOnce() -> T) -> T {
        let frame = FRAME.get();
        let hold = |held| {
            // SAFETY: the frame is that of the kernel's call that this thread is in.
            if let Some(frame) = unsafe { frame.as_ref() } {
                compiler_fence(Ordering::SeqCst);
                frame.held.store(held, Ordering::Relaxed);
                compiler_fence(Ordering::SeqCst);
            }
        };
        hold(true);
        let result = work();
        hold(false);
        // Who is always held would never meet the monitor.
        // SAFETY: as above, and a plain system call.
        unsafe {
            if frame.as_ref().is_some_and(|frame| (*frame.cancel).load(Ordering::Relaxed)) {
                libc::syscall(libc::SYS_tgkill, libc::getpid(), this_thread(), libc::SIGURG);
            }
        }
        result
    }

    fn this_thread() -> i32 {
        if THREAD.get() == 0 {
            // SAFETY: the call has no arguments and cannot fail.
            THREAD.set(unsafe { libc::gettid() });
        }
        THREAD.get()
    }

    /// The action of the signal before.
    static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());

    /// Listens to the signal, once in a process.
    fn install() {
        static ONCE: Once = Once::new();
        // SAFETY: the structures are plain data; the handler only does what is allowed in one.
        ONCE.call_once(|| unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGURG, null(), &mut before);
            // For as long as the process lives.
            BEFORE.store(Box::into_raw(Box::new(before)), Ordering::SeqCst);
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(libc::SIGURG, &action, null_mut());
        });
    }

    /// Leaves the kernel that this thread is in, if its run is cancelled.
    extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let frame = FRAME.get();
        // SAFETY: a frame lives as long as it is this thread's; the context is the system's, and the registers are put so that
        // the thread goes on as the call of the kernel would after its return.
        unsafe {
            if let Some(frame) = frame.as_ref() {
                let stack = frame.stack.load(Ordering::Relaxed);
                let is_free = stack != 0 && !frame.held.load(Ordering::Relaxed);
                if is_free && (*frame.cancel).load(Ordering::Relaxed) {
                    let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
                    registers[libc::REG_RSP as usize] = stack as i64;
                    registers[libc::REG_RIP as usize] = warpwise_kernel_left as *const () as i64;
                    // Copies may go either way.
                    registers[libc::REG_EFL as usize] &= !DIRECTION;
                    frame.left.store(true, Ordering::Relaxed);
                }
                return;
            }
            hand_on(signal, info, context);
        }
    }

    /// The flag of the processor that says which way strings are copied.
    const DIRECTION: i64 = 1 << 10;

    /// Lets the former handler have a signal that is not for us.
    unsafe fn hand_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: set once, before this handler, and never freed; the system has called that handler so before.
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

    /// Watches nothing.
    pub(crate) struct Monitor;

    impl Monitor {
        pub fn start(_workers: usize, _cancel: &CancelFlag) -> Monitor {
            Monitor
        }

        /// Runs a part of a kernel; whether it came to its end.
        ///
        /// # Safety
        /// As for the kernel.
        pub unsafe fn call(&self, _worker: usize, call: Call<'_>) -> bool {
            let Call { kernel, context, args, part: (lo, hi) } = call;
            // SAFETY: as the caller vouches.
            unsafe { kernel(context, args.as_ptr(), lo, hi) };
            true
        }
    }

    /// Does something that a kernel calls for.
    pub(crate) fn held<T>(work: impl FnOnce() -> T) -> T {
        work()
    }
}
