//! The binary interface between the run time and compiled kernels.
//!
//! A kernel is a C function that runs the part `lo..hi` of a range:
//! `void kernel(TaskContext *context, const uint64_t *args, int64_t lo, int64_t hi)`.
//! `args` holds the kernel's parameters in order, each in 8 bytes: scalars as their bits
//! zero-extended ([`warpwise_prim::Scalar::to_bits`]), memories as addresses. Compiled code reads
//! and writes the arena fields of the context directly and calls back through its function pointers.

use std::ffi::c_void;

/// A compiled kernel.
///
/// Safety contract: `context` is valid and used by one thread at a time, `args` holds the arguments that the kernel's parameter
/// list requires, and every block is large enough for the kernel's accesses.
pub type KernelFn = unsafe extern "C" fn(context: *mut TaskContext, args: *const u64, lo: i64, hi: i64);

/// Surroundings of a running kernel; one per worker and launch. The layout is part of the interface: compiled code addresses
/// fields by the offsets below.
#[repr(C)]
pub struct TaskContext {
    /// First free byte of the worker's arena; 64-byte aligned.
    pub arena_top: *mut u8,
    /// End of the current arena chunk.
    pub arena_end: *mut u8,
    /// Makes room for `bytes` more when the arena is too small. Returns their address and sets `arena_top` to their end. Returns
    /// null when out of memory; this is recorded as a failure, and the kernel returns at once.
    pub grow_arena: unsafe extern "C" fn(context: *mut TaskContext, bytes: i64) -> *mut u8,
    /// Resets the arena to an earlier value of `arena_top`, possibly in an earlier chunk.
    pub reset_arena: unsafe extern "C" fn(context: *mut TaskContext, mark: *mut u8),
    /// Records that check `check` failed in iteration `iteration` with these values (bits, 8 bytes each).
    pub fail: unsafe extern "C" fn(
        context: *mut TaskContext,
        check: u32,
        iteration: i64,
        values: *const u64,
        count: u32,
    ),
    /// Waits until the flag is nonzero (acquire); returns also when the run is cancelled.
    pub wait_flag: unsafe extern "C" fn(context: *mut TaskContext, flag: *const u32),
    /// Number of the worker, from 0.
    pub worker: u64,
    /// Private state of the run time.
    pub owner: *mut c_void,
}

/// Byte offsets of the fields of [`TaskContext`], for code generators.
pub mod offsets {
    use super::TaskContext;
    use std::mem::offset_of;

    /// Offset of `arena_top`.
    pub const ARENA_TOP: usize = offset_of!(TaskContext, arena_top);
    /// Offset of `arena_end`.
    pub const ARENA_END: usize = offset_of!(TaskContext, arena_end);
    /// Offset of `grow_arena`.
    pub const GROW_ARENA: usize = offset_of!(TaskContext, grow_arena);
    /// Offset of `reset_arena`.
    pub const RESET_ARENA: usize = offset_of!(TaskContext, reset_arena);
    /// Offset of `fail`.
    pub const FAIL: usize = offset_of!(TaskContext, fail);
    /// Offset of `wait_flag`.
    pub const WAIT_FLAG: usize = offset_of!(TaskContext, wait_flag);
}
