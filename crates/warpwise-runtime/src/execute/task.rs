//! The workers' arenas, and the run-time functions that compiled kernels call back.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::arena::{Arena, Arenas};
use crate::kernel::TaskContext;
use crate::memory::{MemoryPool, OutOfMemory};
use crate::pool::CancelFlag;
use crate::pool::escape::held;

/// Number of spins before a waiting task yields its time slice.
const SPINS: u32 = 200;

/// The arenas of all workers, kept from launch to launch so that their memory stays warm.
pub(super) struct Workers {
    arenas: Arenas,
}

/// State that the tasks of a launch share.
pub(super) struct LaunchState<'m> {
    failed: Mutex<Failed>,
    cancel: &'m CancelFlag,
    /// Whether a task returned early because of the flag, which may have been cleared since.
    left: AtomicBool,
}

/// The first failure of a launch so far.
#[derive(Default)]
pub(super) struct Failed {
    /// Iteration, check and values of the failed check with the smallest iteration.
    pub(super) check: Option<(i64, u32, Vec<u64>)>,
    /// The error of an arena that could not grow.
    pub(super) out_of_memory: Option<OutOfMemory>,
}

/// The run time's state behind a task's context.
struct Owner<'a> {
    arena: &'a mut Arena,
    launch: &'a LaunchState<'a>,
}

impl Workers {
    pub(super) fn new(count: usize, memory: &MemoryPool) -> Workers {
        Workers { arenas: Arenas::new(memory, count, memory.limit()) }
    }

    /// Calls `body` with a context for this worker that nobody else uses meanwhile.
    pub(super) fn with_context(
        &self,
        worker: usize,
        launch: &LaunchState<'_>,
        body: impl FnOnce(*mut TaskContext),
    ) {
        let mut arena = self.arenas.check_out(worker);
        let (arena_top, arena_end) = (arena.top(), arena.end());
        let mut owner = Owner { arena: &mut arena, launch };
        let mut context = TaskContext {
            arena_top,
            arena_end,
            grow_arena,
            reset_arena,
            fail,
            wait_flag,
            worker: worker as u64,
            owner: (&raw mut owner).cast::<c_void>(),
        };
        body(&raw mut context);
    }
}

impl<'m> LaunchState<'m> {
    pub(super) fn new(cancel: &'m CancelFlag) -> LaunchState<'m> {
        LaunchState { failed: Mutex::default(), cancel, left: AtomicBool::new(false) }
    }

    /// Records that a task ends early because the run is cancelled.
    pub(super) fn leave(&self) {
        self.left.store(true, Ordering::Relaxed);
    }

    /// Returns whether a task ended early because the run was cancelled.
    pub(super) fn was_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    pub(super) fn into_failed(self) -> Failed {
        self.failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the owner behind a context.
///
/// # Safety
/// `context` is the one that [`Workers::with_context`] handed to the running kernel.
unsafe fn owner<'a>(context: *mut TaskContext) -> &'a mut Owner<'a> {
    // SAFETY: by contract the context is valid and its owner outlives the kernel's call.
    unsafe { &mut *(*context).owner.cast::<Owner<'a>>() }
}

/// Implements [`TaskContext::grow_arena`].
unsafe extern "C" fn grow_arena(context: *mut TaskContext, bytes: i64) -> *mut u8 {
    // SAFETY: as the caller promises.
    held(|| unsafe { grow(context, bytes) })
}

unsafe fn grow(context: *mut TaskContext, bytes: i64) -> *mut u8 {
    // SAFETY: called by a kernel with its own context.
    let Owner { arena, launch } = unsafe { owner(context) };
    // SAFETY: the context is valid by contract; its top is where the kernel has moved it.
    unsafe { arena.advance_to((*context).arena_top) };
    match arena.allocate(u64::try_from(bytes).unwrap_or(u64::MAX)) {
        Ok(start) => {
            // SAFETY: the context is valid by contract.
            unsafe { ((*context).arena_top, (*context).arena_end) = (arena.top(), arena.end()) };
            start
        }
        Err(error) => {
            let mut failed = launch.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.out_of_memory.get_or_insert(error);
            null_mut()
        }
    }
}

/// Implements [`TaskContext::reset_arena`].
unsafe extern "C" fn reset_arena(context: *mut TaskContext, mark: *mut u8) {
    // SAFETY: as the caller promises.
    held(|| unsafe { reset(context, mark) });
}

unsafe fn reset(context: *mut TaskContext, mark: *mut u8) {
    // SAFETY: called by a kernel with its own context.
    let Owner { arena, .. } = unsafe { owner(context) };
    arena.reset(mark);
    // SAFETY: the context is valid by contract.
    unsafe { ((*context).arena_top, (*context).arena_end) = (arena.top(), arena.end()) };
}

/// Implements [`TaskContext::fail`].
unsafe extern "C" fn fail(
    context: *mut TaskContext,
    check: u32,
    iteration: i64,
    values: *const u64,
    count: u32,
) {
    // SAFETY: as the caller promises.
    held(|| unsafe { record(context, check, iteration, values, count) });
}

unsafe fn record(context: *mut TaskContext, check: u32, iteration: i64, values: *const u64, count: u32) {
    // SAFETY: called by a kernel with its own context and `count` values.
    let (owner, values) = unsafe {
        let values = if count == 0 { &[] } else { std::slice::from_raw_parts(values, count as usize) };
        (owner(context), values)
    };
    let mut failed = owner.launch.failed.lock().unwrap_or_else(PoisonError::into_inner);
    // Of two failures in one iteration the later one comes from an earlier lane (see `checks` of the lowering).
    if failed.check.as_ref().is_none_or(|(first, ..)| iteration <= *first) {
        failed.check = Some((iteration, check, values.to_vec()));
    }
}

/// Implements [`TaskContext::wait_flag`].
unsafe extern "C" fn wait_flag(context: *mut TaskContext, flag: *const u32) {
    use std::sync::atomic::AtomicU32;
    // SAFETY: called by a kernel with its own context and an aligned flag that is only accessed atomically.
    let (owner, flag) = unsafe { (owner(context), AtomicU32::from_ptr(flag.cast_mut())) };
    let mut spins = 0;
    while flag.load(Ordering::Acquire) == 0 {
        if owner.launch.cancel.is_set() {
            owner.launch.leave();
            return;
        }
        spins += 1;
        if spins < SPINS {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
