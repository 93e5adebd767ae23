//! Bump arenas for memory that lives only during one task.
//!
//! An [`Arena`] is a list of chunks from the pool, each twice as large as the one before. It hands out memory from the start of
//! the current chunk upwards. Resetting the arena to a mark, an earlier value of its top, frees everything above the mark. Chunks
//! stay with the arena, so a task that needs no more memory than the one before allocates nothing. [`Arenas`] keeps one arena per
//! worker; a task checks it out.
//!
//! Compiled code bumps the top by itself. It reads [`Arena::top`] and [`Arena::end`] once, moves its own copy of the top, and
//! calls the arena only when a chunk is full. The last 64 bytes of a chunk are never handed out, so a mark belongs to exactly one
//! chunk even where chunks are adjacent.
//!
//! Absent on purpose: freeing single allocations, destructors, use by several threads at once.

use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::{Mutex, MutexGuard, TryLockError};

use crate::memory::{Block, MemoryPool, OutOfMemory};

/// Alignment and granularity of allocations, in bytes.
const ALIGNMENT: usize = 64;

/// Size of the first chunk, in bytes.
const FIRST_CHUNK: u64 = 64 << 10;

/// Memory for one task at a time.
pub struct Arena {
    pool: MemoryPool,
    /// Maximum size of all chunks together, in bytes.
    budget: u64,
    chunks: Vec<Block>,
    /// Total size of `chunks`, in bytes.
    held: u64,
    /// Index of the chunk that `top` points into, if there is one.
    current: usize,
    top: *mut u8,
    end: *mut u8,
}

// SAFETY: `top` and `end` point into the arena's own blocks.
unsafe impl Send for Arena {}

/// The arenas of a pool's workers.
pub struct Arenas {
    pool: MemoryPool,
    budget: u64,
    of_workers: Vec<Mutex<Arena>>,
}

/// An arena in use; it is empty again when dropped.
pub enum CheckedOut<'a> {
    /// The arena of the worker.
    Own(MutexGuard<'a, Arena>),
    /// The arena of a task nested in another that uses the worker's arena; boxed because it is rare.
    Nested(Box<Arena>),
}

impl Arena {
    /// Makes an empty arena whose chunks come from `pool` and have at most `budget` bytes together.
    pub fn new(pool: &MemoryPool, budget: u64) -> Arena {
        Arena {
            pool: pool.clone(),
            budget,
            chunks: Vec::new(),
            held: 0,
            current: 0,
            top: ptr::null_mut(),
            end: ptr::null_mut(),
        }
    }

    /// Returns the first free byte, 64-byte aligned; null before the first allocation. The address is also a mark for
    /// [`Arena::reset`].
    pub fn top(&self) -> *mut u8 {
        self.top
    }

    /// Returns the end of the memory that can be handed out without growing.
    pub fn end(&self) -> *mut u8 {
        self.end
    }

    /// Moves the top to where compiled code has moved its copy.
    ///
    /// # Panics
    /// When `top` is unaligned or does not lie between the present top and the end.
    pub fn advance_to(&mut self, top: *mut u8) {
        assert!(self.top <= top && top <= self.end && (top as usize).is_multiple_of(ALIGNMENT), "arena top");
        self.top = top;
    }

    /// Allocates `bytes` bytes, 64-byte aligned, initialised but unspecified.
    pub fn allocate(&mut self, bytes: u64) -> Result<*mut u8, OutOfMemory> {
        let rounded = bytes.checked_next_multiple_of(ALIGNMENT as u64);
        let rounded = rounded.ok_or_else(|| self.out_of_memory(bytes))?;
        if self.top.is_null() || rounded > self.end as u64 - self.top as u64 {
            self.grow(rounded)?;
        }
        let start = self.top;
        self.top = start.wrapping_add(rounded as usize);
        Ok(start)
    }

    /// Frees everything allocated since `mark` was the top; null frees everything.
    ///
    /// # Panics
    /// When `mark` was never a top of this arena, or the arena has meanwhile been reset to an earlier mark.
    pub fn reset(&mut self, mark: *mut u8) {
        let chunk = match mark.is_null() {
            true if self.chunks.is_empty() => return,
            true if self.pool.is_guarded() => return self.forget(0),
            true => 0,
            false => {
                let holds = |chunk: &Block| (chunk.as_mut_ptr()..=usable_end(chunk)).contains(&mark);
                let reached = self.chunks.iter().take(self.current + 1);
                reached.into_iter().position(holds).expect("a mark of this arena")
            }
        };
        if self.pool.is_guarded() {
            self.forget(chunk + 1);
        }
        self.enter(chunk);
        if !mark.is_null() {
            self.top = mark;
        }
    }

    /// Gives the chunks from index `from` on back to the pool.
    fn forget(&mut self, from: usize) {
        let freed: u64 = self.chunks.drain(from..).map(|chunk| chunk.bytes() as u64).sum();
        self.held -= freed;
        if from == 0 {
            (self.top, self.end) = (ptr::null_mut(), ptr::null_mut());
        }
    }

    /// Continues in the next chunk; allocates that chunk if it is missing or has no room for `bytes`.
    fn grow(&mut self, bytes: u64) -> Result<(), OutOfMemory> {
        let next = if self.top.is_null() { 0 } else { self.current + 1 };
        let needed = bytes.checked_add(ALIGNMENT as u64).ok_or_else(|| self.out_of_memory(bytes))?;
        if self.chunks.get(next).is_none_or(|chunk| (chunk.bytes() as u64) < needed) {
            // Later chunks hold nothing; one large enough replaces them.
            self.forget(next);
            // Between guard pages every allocation has a chunk of its own.
            let usual = if self.pool.is_guarded() { needed } else { FIRST_CHUNK << next.min(20) };
            let left = self.budget - self.held;
            if needed > left {
                return Err(self.out_of_memory(bytes));
            }
            let block = self.pool.allocate_unique(usual.min(left).max(needed))?;
            self.held += block.bytes() as u64;
            self.chunks.push(block);
        }
        self.enter(next);
        Ok(())
    }

    /// Makes a chunk, empty, the current one.
    fn enter(&mut self, chunk: usize) {
        self.current = chunk;
        self.top = self.chunks[chunk].as_mut_ptr();
        self.end = usable_end(&self.chunks[chunk]);
    }

    fn out_of_memory(&self, asked: u64) -> OutOfMemory {
        OutOfMemory { asked, live: self.held, held: self.held, limit: self.budget }
    }
}

/// Returns the end of the usable part of a chunk: 64-byte aligned, and at least 64 bytes before the chunk's own end (up to
/// rounding, which stays within the block's capacity).
fn usable_end(chunk: &Block) -> *mut u8 {
    let usable = (chunk.bytes() - ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    chunk.as_mut_ptr().wrapping_add(usable)
}

impl Arenas {
    /// Makes empty arenas for `threads` workers; each has a budget of its own, and all take their chunks from one pool.
    pub fn new(pool: &MemoryPool, threads: usize, budget: u64) -> Arenas {
        let of_workers = (0..threads).map(|_| Mutex::new(Arena::new(pool, budget))).collect();
        Arenas { pool: pool.clone(), budget, of_workers }
    }

    /// Checks out an empty arena for a task on `worker`. A task nested in another on the same worker gets a new arena.
    pub fn check_out(&self, worker: usize) -> CheckedOut<'_> {
        match self.of_workers[worker].try_lock() {
            Ok(own) => CheckedOut::Own(own),
            // The arena is empty: dropping its guard reset it.
            Err(TryLockError::Poisoned(own)) => CheckedOut::Own(own.into_inner()),
            Err(TryLockError::WouldBlock) => {
                CheckedOut::Nested(Box::new(Arena::new(&self.pool, self.budget)))
            }
        }
    }
}

impl Deref for CheckedOut<'_> {
    type Target = Arena;

    fn deref(&self) -> &Arena {
        match self {
            CheckedOut::Own(own) => own,
            CheckedOut::Nested(nested) => nested,
        }
    }
}

impl DerefMut for CheckedOut<'_> {
    fn deref_mut(&mut self) -> &mut Arena {
        match self {
            CheckedOut::Own(own) => own,
            CheckedOut::Nested(nested) => nested,
        }
    }
}

impl Drop for CheckedOut<'_> {
    fn drop(&mut self) {
        self.reset(ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_aligned_and_apart() {
        let pool = MemoryPool::new(1 << 24);
        let mut arena = Arena::new(&pool, 1 << 24);
        let mut former = Vec::new();
        for bytes in [1, 64, 65, 0, 1000, 70_000, 5, 200_000, 1] {
            let start = arena.allocate(bytes).unwrap() as usize;
            assert_eq!(start % 64, 0);
            let range = start..start + bytes as usize;
            assert!(former.iter().all(|other: &std::ops::Range<usize>| {
                other.end <= range.start || range.end <= other.start
            }));
            former.push(range);
        }
    }

    #[test]
    fn a_reset_arena_hands_out_the_same_memory_again() {
        let pool = MemoryPool::new(1 << 26);
        let mut arena = Arena::new(&pool, 1 << 26);
        let first = arena.allocate(100).unwrap();
        let mark = arena.top();
        let second: Vec<_> = (0..10).map(|i| arena.allocate(20_000 << i).unwrap()).collect();
        let misses = pool.statistics().misses;
        for _ in 0..3 {
            arena.reset(mark);
            let again: Vec<_> = (0..10).map(|i| arena.allocate(20_000 << i).unwrap()).collect();
            assert_eq!(again, second);
        }
        assert_eq!(pool.statistics().misses, misses);
        arena.reset(ptr::null_mut());
        assert_eq!(arena.allocate(100).unwrap(), first);
    }

    #[test]
    fn compiled_code_moves_the_top() {
        let pool = MemoryPool::new(1 << 24);
        let mut arena = Arena::new(&pool, 1 << 24);
        let first = arena.allocate(64).unwrap();
        arena.advance_to(first.wrapping_add(640));
        assert_eq!(arena.allocate(1).unwrap(), first.wrapping_add(640));
        arena.advance_to(arena.end());
        let beyond = arena.allocate(1).unwrap();
        assert!(beyond < first || beyond > first.wrapping_add(60_000));
    }

    #[test]
    fn the_budget_is_kept() {
        let pool = MemoryPool::new(1 << 24);
        let mut arena = Arena::new(&pool, 100_000);
        assert!(arena.allocate(50_000).is_ok());
        let error = arena.allocate(50_000).unwrap_err();
        assert_eq!((error.asked, error.limit), (50_048, 100_000));
        assert!(arena.allocate(30_000).is_ok(), "a smaller last chunk");
        assert!(arena.allocate(u64::MAX).is_err());
        assert!(Arena::new(&MemoryPool::new(1000), 1 << 20).allocate(1).is_err());
    }

    #[test]
    fn later_chunks_that_are_too_small_are_replaced() {
        let pool = MemoryPool::new(1 << 24);
        let mut arena = Arena::new(&pool, 1_000_000);
        let mark = arena.allocate(50_000).map(|_| arena.top()).unwrap();
        arena.allocate(60_000).unwrap();
        assert!(arena.allocate(900_000).is_err());
        arena.reset(mark);
        assert!(arena.allocate(900_000).is_ok());
        arena.reset(mark);
        assert_eq!(arena.allocate(64).unwrap(), mark);
    }

    #[test]
    fn nested_tasks_of_a_worker_get_different_arenas() {
        let pool = MemoryPool::new(1 << 24);
        let arenas = Arenas::new(&pool, 2, 1 << 20);
        let mut outer = arenas.check_out(1);
        let start = outer.allocate(10).unwrap();
        let mut inner = arenas.check_out(1);
        assert_ne!(inner.allocate(10).unwrap(), start);
        drop(inner);
        drop(outer);
        assert_eq!(arenas.check_out(1).allocate(10).unwrap(), start);
    }
}
