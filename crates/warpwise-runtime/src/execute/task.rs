//! The workers' arenas and the calls compiled kernels make back into the run time.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Arc, Mutex, PoisonError};

use crate::kernel::TaskContext;
use crate::memory::{Block, MemoryPool, OutOfMemory};
use crate::pool::CancelFlag;

/// Size of the first chunk of an arena in bytes.
const FIRST_CHUNK: u64 = 256 << 10;

/// Spins before a waiting task gives its time slice away.
const SPINS: u32 = 200;

/// The arenas of all workers; kept from launch to launch, so that their memory stays warm.
pub(super) struct Workers {
    arenas: Vec<Mutex<Arena>>,
}

/// Memory for task-local arrays: chunks, the last of which is being filled.
struct Arena {
    memory: MemoryPool,
    chunks: Vec<Arc<Block>>,
}

/// What one launch shares among its tasks.
pub(super) struct LaunchState {
    failed: Mutex<Failed>,
    cancel: CancelFlag,
}

/// The first failure of a launch so far.
#[derive(Default)]
pub(super) struct Failed {
    /// Iteration, check and values of the failed check with the smallest iteration.
    pub(super) check: Option<(i64, u32, Vec<u64>)>,
    /// An arena could not grow.
    pub(super) out_of_memory: Option<OutOfMemory>,
}

/// What a task's context points back to.
struct Owner<'a> {
    arena: &'a mut Arena,
    launch: &'a LaunchState,
}

impl Workers {
    pub(super) fn new(count: usize, memory: &MemoryPool) -> Workers {
        let arena = || Mutex::new(Arena { memory: memory.clone(), chunks: Vec::new() });
        Workers { arenas: (0..count).map(|_| arena()).collect() }
    }

    /// Calls `body` with a context for this worker, which nobody else uses meanwhile.
    pub(super) fn with_context(
        &self,
        worker: usize,
        launch: &LaunchState,
        body: impl FnOnce(*mut TaskContext),
    ) {
        let mut arena = self.arenas[worker].lock().unwrap_or_else(PoisonError::into_inner);
        arena.chunks.truncate(1);
        let (arena_top, arena_end) = arena.current_chunk();
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

impl Arena {
    /// Start and end of the last chunk; null where there is none.
    fn current_chunk(&self) -> (*mut u8, *mut u8) {
        self.chunks.last().map_or((null_mut(), null_mut()), |chunk| {
            let range = chunk.as_mut_ptr();
            (range, range.wrapping_add(chunk.bytes()))
        })
    }
}

impl LaunchState {
    pub(super) fn new(cancel: &CancelFlag) -> LaunchState {
        LaunchState { failed: Mutex::default(), cancel: cancel.clone() }
    }

    pub(super) fn into_failed(self) -> Failed {
        self.failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The owner behind a context.
///
/// # Safety
/// `context` is the one that [`Workers::with_context`] handed to the running kernel.
unsafe fn owner<'a>(context: *mut TaskContext) -> &'a mut Owner<'a> {
    // SAFETY: by contract the context is valid and its owner outlives the kernel's call.
    unsafe { &mut *(*context).owner.cast::<Owner<'a>>() }
}

/// Implements [`TaskContext::grow_arena`].
unsafe extern "C" fn grow_arena(context: *mut TaskContext, bytes: i64) -> *mut u8 {
    // SAFETY: called by a kernel with its own context.
    let Owner { arena, launch } = unsafe { owner(context) };
    let asked = u64::try_from(bytes).unwrap_or(u64::MAX);
    let largest = arena.chunks.iter().map(|chunk| chunk.bytes() as u64).max().unwrap_or(FIRST_CHUNK / 2);
    match arena.memory.allocate(asked.max(largest * 2)) {
        Ok(chunk) => {
            arena.chunks.push(chunk);
            let (start, end) = arena.current_chunk();
            // SAFETY: the chunk holds at least `asked` bytes; rounding up may at most reach its end.
            unsafe {
                (*context).arena_top = start.wrapping_add((asked as usize).next_multiple_of(64)).min(end);
                (*context).arena_end = end;
            }
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
    // SAFETY: called by a kernel with its own context.
    let Owner { arena, .. } = unsafe { owner(context) };
    let holds_mark = |chunk: &Arc<Block>| {
        let start = chunk.as_mut_ptr();
        (start..=start.wrapping_add(chunk.bytes())).contains(&mark)
    };
    // A mark from before the first chunk is null: what there is now is all free then.
    while arena.chunks.len() > 1 && !arena.chunks.last().is_some_and(holds_mark) {
        arena.chunks.pop();
    }
    let (start, end) = arena.current_chunk();
    // SAFETY: the context is valid by contract.
    unsafe {
        (*context).arena_top = if mark.is_null() { start } else { mark };
        (*context).arena_end = end;
    }
}

/// Implements [`TaskContext::fail`].
unsafe extern "C" fn fail(
    context: *mut TaskContext,
    check: u32,
    iteration: i64,
    values: *const u64,
    count: u32,
) {
    // SAFETY: called by a kernel with its own context and `count` values.
    let (owner, values) = unsafe {
        let values = if count == 0 { &[] } else { std::slice::from_raw_parts(values, count as usize) };
        (owner(context), values)
    };
    let mut failed = owner.launch.failed.lock().unwrap_or_else(PoisonError::into_inner);
    if failed.check.as_ref().is_none_or(|(first, ..)| iteration < *first) {
        failed.check = Some((iteration, check, values.to_vec()));
    }
}

/// Implements [`TaskContext::wait_flag`].
unsafe extern "C" fn wait_flag(context: *mut TaskContext, flag: *const u32) {
    use std::sync::atomic::{AtomicU32, Ordering};
    // SAFETY: called by a kernel with its own context and an aligned flag that is only accessed atomically.
    let (owner, flag) = unsafe { (owner(context), AtomicU32::from_ptr(flag.cast_mut())) };
    let mut spins = 0;
    while flag.load(Ordering::Acquire) == 0 && !owner.launch.cancel.is_set() {
        spins += 1;
        if spins < SPINS {
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
