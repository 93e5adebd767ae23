//! The pool: free lists per size class under one lock, and the budget.

use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::amount::Bytes;
use super::block::Block;
use super::classes::{GRANULE, SizeClass};
use super::guarded;
use super::limit::default_limit;
use super::system;

/// Free bytes that may always be kept for reuse, the budget permitting.
const SLACK: u64 = 64 << 20;

/// Blocks may be larger than their requests need. The budget divided by this number is the most that they waste together.
const SPARE_PART: u64 = 16;

/// A pool of memory blocks with a byte budget; clones are handles of the same pool.
///
/// Blocks keep their pool alive, so a pool may be dropped before them.
#[derive(Clone)]
pub struct MemoryPool {
    shared: Arc<Shared>,
}

/// An allocation that the budget or the system does not allow. All sizes are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OutOfMemory {
    /// The requested size; `u64::MAX` if it exceeds 64 bits.
    pub asked: u64,
    /// Bytes in blocks in use.
    pub live: u64,
    /// Bytes obtained from the system: blocks in use and blocks kept for reuse.
    pub held: u64,
    /// The budget.
    pub limit: u64,
}

/// Statistics of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PoolStatistics {
    /// Bytes in blocks in use now.
    pub live: u64,
    /// The highest value `live` had.
    pub peak_live: u64,
    /// Bytes obtained from the system now.
    pub held: u64,
    /// Allocations served by a block that was used before.
    pub hits: u64,
    /// Allocations that needed fresh memory.
    pub misses: u64,
}

impl MemoryPool {
    /// Makes a pool that holds at most `limit` bytes, with guard pages if the environment asks for them.
    pub fn new(limit: u64) -> MemoryPool {
        MemoryPool::with_guards(limit, guarded::wanted())
    }

    /// Makes a pool whose blocks each lie between inaccessible pages and are never reused: an access outside of a block, or after
    /// it has been given back, ends the process.
    pub fn guarded(limit: u64) -> MemoryPool {
        MemoryPool::with_guards(limit, true)
    }

    fn with_guards(limit: u64, is_guarded: bool) -> MemoryPool {
        let (state, refits) = (Mutex::default(), AtomicU64::new(0));
        MemoryPool { shared: Arc::new(Shared { limit, is_guarded, refits, state }) }
    }

    /// Returns whether blocks lie between guard pages.
    pub fn is_guarded(&self) -> bool {
        self.shared.is_guarded
    }

    /// Makes a pool with the default budget, 80 % of the available memory.
    pub fn with_default_limit() -> MemoryPool {
        MemoryPool::new(default_limit())
    }

    /// Returns the budget in bytes.
    pub fn limit(&self) -> u64 {
        self.shared.limit
    }

    /// Allocates a block of `bytes` bytes with unspecified contents (initialised, but not zeroed).
    pub fn allocate(&self, bytes: u64) -> Result<Arc<Block>, OutOfMemory> {
        self.allocate_unique(bytes).map(Arc::new)
    }

    /// Allocates like [`allocate`](MemoryPool::allocate); the block is still owned by the caller alone.
    pub fn allocate_unique(&self, bytes: u64) -> Result<Block, OutOfMemory> {
        let mut state = self.shared.lock();
        if self.shared.is_guarded {
            let (start, at_end) = state.take_guarded(bytes, self.shared.limit)?;
            return Ok(Block::guarded(start, bytes as usize, at_end, Arc::clone(&self.shared)));
        }
        let class = SizeClass::holding(bytes).ok_or_else(|| state.out_of_memory(bytes, self.shared.limit))?;
        let (start, class) = state.take(class, bytes, self.shared.limit)?;
        Ok(Block::new(start, bytes as usize, class, Arc::clone(&self.shared)))
    }

    /// Allocates a block for `count` elements of `element` bytes each; `None` stands for a count beyond 64 bits.
    pub fn allocate_elements(&self, count: Option<u64>, element: u64) -> Result<Block, OutOfMemory> {
        let bytes = count.and_then(|count| count.checked_mul(element)).unwrap_or(u64::MAX);
        self.allocate_unique(bytes)
    }

    /// Gives every free block back to the system.
    pub fn trim(&self) {
        self.shared.lock().trim(u64::MAX);
    }

    /// Returns the pool's statistics.
    pub fn statistics(&self) -> PoolStatistics {
        let statistics = self.shared.lock().statistics;
        PoolStatistics { hits: statistics.hits + self.shared.refits.load(Ordering::Relaxed), ..statistics }
    }
}

impl fmt::Debug for MemoryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryPool")
            .field("limit", &self.shared.limit)
            .field("statistics", &self.statistics())
            .finish()
    }
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.asked == u64::MAX {
            write!(f, "out of memory: more bytes asked than 64 bits can count")?;
        } else {
            write!(f, "out of memory: {} asked", Bytes(self.asked))?;
        }
        write!(f, " with {} in use, and a limit of {}", Bytes(self.live), Bytes(self.limit))
    }
}

impl std::error::Error for OutOfMemory {}

/// State that a pool's handles and blocks share.
pub(super) struct Shared {
    limit: u64,
    is_guarded: bool,
    /// Number of times that an owner reused its block as a fresh one: hits that do not take the lock.
    refits: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Free blocks by class index. The last freed block is reused first, while it is still in the caches.
    free: Vec<Vec<FreeBlock>>,
    /// Bytes of blocks in use beyond the classes that were asked for.
    spare: u64,
    statistics: PoolStatistics,
}

/// Start of an unused block.
struct FreeBlock(NonNull<u8>);

// SAFETY: a free block is plain memory owned by the list it is in.
unsafe impl Send for FreeBlock {}

impl Shared {
    /// Counts that an owner reuses its block as a fresh one.
    pub(super) fn note_refit(&self) {
        self.refits.fetch_add(1, Ordering::Relaxed);
    }

    /// Puts a block of `class` without owners, whose user asked for `bytes`, into its free list.
    pub(super) fn take_back(&self, start: NonNull<u8>, class: SizeClass, bytes: u64) {
        let mut state = self.lock();
        let asked = SizeClass::holding(bytes).map_or(0, SizeClass::capacity);
        state.spare -= class.capacity() - asked;
        state.statistics.live -= class.capacity();
        if state.free.len() <= class.index() {
            state.free.resize_with(class.index() + 1, Vec::new);
        }
        state.free[class.index()].push(FreeBlock(start));
    }

    /// Releases a guarded block without owners.
    pub(super) fn take_guarded_back(&self, start: NonNull<u8>, capacity: usize, at_end: bool) {
        let mut state = self.lock();
        state.statistics.live -= capacity as u64;
        state.statistics.held -= capacity as u64;
        // SAFETY: `take_guarded` obtained it with these values, and nobody uses it any more.
        unsafe { guarded::release(start, capacity, at_end) };
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half-way, so the state is sound even when poisoned.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Allocates a block of `class`, or reuses one that may be of a larger class; returns its class.
    fn take(
        &mut self,
        class: SizeClass,
        asked: u64,
        limit: u64,
    ) -> Result<(NonNull<u8>, SizeClass), OutOfMemory> {
        let (start, class) = match self.reuse(class, limit) {
            Some((FreeBlock(start), class)) => {
                self.statistics.hits += 1;
                (start, class)
            }
            None => {
                let capacity = class.capacity();
                let start = self.obtain(capacity, limit).ok_or_else(|| self.out_of_memory(asked, limit))?;
                self.statistics.misses += 1;
                self.statistics.held += capacity;
                (start, class)
            }
        };
        self.statistics.live += class.capacity();
        self.statistics.peak_live = self.statistics.peak_live.max(self.statistics.live);
        Ok((start, class))
    }

    /// Takes the smallest free block that may serve `class`. It may be of a larger class, because the system zeroes fresh memory,
    /// which costs as much as a pass over it; what blocks have beyond their classes stays a small part of the budget.
    fn reuse(&mut self, class: SizeClass, limit: u64) -> Option<(FreeBlock, SizeClass)> {
        for index in class.index()..=class.largest_substitute().index() {
            let larger = SizeClass::from_index(index);
            let spare = self.spare + (larger.capacity() - class.capacity());
            if spare > limit / SPARE_PART {
                return None;
            }
            if let Some(block) = self.free.get_mut(index).and_then(Vec::pop) {
                self.spare = spare;
                return Some((block, larger));
            }
        }
        None
    }

    /// Allocates a block between guard pages; also returns whether it ends at a page's end.
    fn take_guarded(&mut self, asked: u64, limit: u64) -> Result<(NonNull<u8>, bool), OutOfMemory> {
        let capacity = asked.max(1).checked_next_multiple_of(GRANULE).filter(|&capacity| capacity <= 1 << 62);
        let fits = |capacity: &u64| self.statistics.live.saturating_add(*capacity) <= limit;
        let at_end = self.statistics.misses.is_multiple_of(2);
        let obtained = capacity
            .filter(fits)
            .and_then(|capacity| Some((guarded::obtain(usize::try_from(capacity).ok()?, at_end)?, capacity)));
        let (start, capacity) = obtained.ok_or_else(|| self.out_of_memory(asked, limit))?;
        self.statistics.misses += 1;
        self.statistics.held += capacity;
        self.statistics.live += capacity;
        self.statistics.peak_live = self.statistics.peak_live.max(self.statistics.live);
        Ok((start, at_end))
    }

    /// Obtains fresh memory, trimming free blocks when the budget or the system demands it.
    fn obtain(&mut self, capacity: u64, limit: u64) -> Option<NonNull<u8>> {
        // Trimming cannot free blocks in use, so a hopeless request must not throw free blocks away.
        if self.statistics.live.saturating_add(capacity) > limit {
            return None;
        }
        let over =
            self.statistics.held.saturating_add(capacity).saturating_sub(self.most_held(capacity, limit));
        if over > 0 {
            self.trim(over);
        }
        system::obtain(capacity).or_else(|| {
            self.trim(u64::MAX);
            system::obtain(capacity)
        })
    }

    /// Returns the maximum number of bytes that may be held once another `capacity` bytes are in use.
    fn most_held(&self, capacity: u64, limit: u64) -> u64 {
        let peak = self.statistics.peak_live.max(self.statistics.live.saturating_add(capacity));
        limit.min(peak.saturating_add((peak / 2).max(SLACK)))
    }

    /// Releases free blocks, largest first, until `enough` bytes are given back or none is left.
    fn trim(&mut self, enough: u64) {
        let mut released = 0;
        for (index, free) in self.free.iter_mut().enumerate().rev() {
            let capacity = SizeClass::from_index(index).capacity();
            while released < enough {
                let Some(FreeBlock(start)) = free.pop() else { break };
                // SAFETY: the list holds blocks of this class that nobody uses.
                unsafe { system::release(start, capacity) };
                released += capacity;
                self.statistics.held -= capacity;
            }
        }
    }

    fn out_of_memory(&self, asked: u64, limit: u64) -> OutOfMemory {
        OutOfMemory { asked, live: self.statistics.live, held: self.statistics.held, limit }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.trim(u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn blocks_are_aligned_zeroed_when_fresh_and_writable() {
        let pool = MemoryPool::new(256 * MIB);
        let mut held = Vec::new();
        for bytes in [0, 1, 63, 64, 65, 4095, 3 * MIB, 4 * MIB, 5 * MIB + 1, 33 * MIB] {
            let mut block = pool.allocate_unique(bytes).unwrap();
            let alignment = if bytes >= 4 * MIB { 2 << 20 } else { 64 };
            assert_eq!(block.as_ptr() as usize % alignment, 0, "{bytes}");
            assert!(block.as_slice().iter().all(|&byte| byte == 0), "{bytes}");
            assert!(block.capacity() >= (bytes as usize).next_multiple_of(64));
            block.as_mut_slice().fill(7);
            assert!(block.as_slice().iter().all(|&byte| byte == 7), "{bytes}");
            held.push(block);
        }
    }

    #[test]
    fn a_dropped_block_is_reused() {
        let pool = MemoryPool::new(MIB);
        let first = pool.allocate(1000).unwrap();
        let (start, shared) = (first.as_ptr(), Arc::clone(&first));
        drop(first);
        assert_ne!(pool.allocate(1000).unwrap().as_ptr(), start, "still shared");
        drop(shared);
        let again = pool.allocate(990).unwrap();
        assert_eq!(again.as_ptr(), start);
        let statistics = pool.statistics();
        assert_eq!((statistics.hits, statistics.misses), (1, 2));
        assert_eq!(statistics.live, 1024);
        assert_eq!(statistics.peak_live, 2048);
        assert_eq!(statistics.held, 2048);
    }

    #[test]
    fn a_large_block_is_reused_for_less() {
        let pool = MemoryPool::new(128 * MIB);
        let first = pool.allocate(16 * MIB).unwrap().as_ptr();
        let half = pool.allocate(8 * MIB).unwrap();
        assert_eq!((half.as_ptr(), half.bytes(), half.capacity()), (first, 8 << 20, 16 << 20));
        assert_eq!(pool.statistics().live, 16 * MIB);
        drop(half);
        assert_ne!(pool.allocate(7 * MIB).unwrap().as_ptr(), first, "less than half as large");
        let second = pool.allocate(16 * MIB).unwrap();
        assert_eq!(second.as_ptr(), first);
        drop(pool.allocate(24 * MIB).unwrap());
        drop(second);
        // More than a sixteenth of the budget is never lost.
        let half = pool.allocate(8 * MIB).unwrap();
        assert_eq!(half.as_ptr(), first);
        assert_eq!(pool.allocate(17 * MIB).unwrap().capacity(), 18 << 20);
    }

    #[test]
    fn free_blocks_make_room_before_a_request_fails() {
        let pool = MemoryPool::new(10 * MIB);
        drop(pool.allocate(6 * MIB).unwrap());
        assert_eq!(pool.statistics().held, 6 * MIB);
        let kept = pool.allocate(8 * MIB).unwrap();
        assert_eq!(pool.statistics().held, 8 * MIB);
        let error = pool.allocate(3 * MIB).unwrap_err();
        assert_eq!(
            error,
            OutOfMemory { asked: 3 * MIB, live: 8 * MIB, held: 8 * MIB, limit: 10 * MIB },
            "{error}"
        );
        drop(kept);
        assert!(pool.allocate(3 * MIB).is_ok());
    }

    #[test]
    fn free_blocks_of_odd_sizes_do_not_pile_up() {
        let pool = MemoryPool::new(1 << 40);
        for round in 0..50 {
            drop(pool.allocate((200 + 30 * (round % 10)) * MIB).unwrap());
            let statistics = pool.statistics();
            assert!(statistics.held <= statistics.peak_live / 2 * 3, "{statistics:?}");
        }
        // Small ones may pile up.
        let pool = MemoryPool::new(1 << 40);
        for round in 0..50 {
            drop(pool.allocate((1 + round % 10) * MIB).unwrap());
        }
        assert_eq!(pool.statistics().misses, 10);
    }

    #[test]
    fn a_hopeless_request_throws_nothing_away() {
        let pool = MemoryPool::new(10 * MIB);
        drop(pool.allocate(6 * MIB).unwrap());
        assert!(pool.allocate(11 * MIB).is_err());
        assert_eq!(pool.statistics().held, 6 * MIB);
    }

    #[test]
    fn absurd_sizes_are_errors() {
        let pool = MemoryPool::new(u64::MAX);
        for (count, element) in [
            (Some(u64::MAX), 8),
            (Some(i64::MAX as u64), 8),
            (None, 1),
            (Some(1 << 61), 2),
            (Some(1 << 55), 8),
        ] {
            assert!(pool.allocate_elements(count, element).is_err(), "{count:?} * {element}");
        }
        assert!(pool.allocate_elements(None, 4).unwrap_err().to_string().contains("64 bits"));
    }

    #[test]
    fn guarded_blocks_go_at_once() {
        let pool = MemoryPool::guarded(MIB);
        let mut blocks: Vec<_> = [0, 1, 64, 5000].map(|bytes| pool.allocate_unique(bytes).unwrap()).into();
        for block in &mut blocks {
            assert_eq!(block.capacity(), block.bytes().max(1).next_multiple_of(64));
            block.as_mut_slice().fill(1);
        }
        assert_eq!(pool.statistics().live, 64 * 3 + 5056);
        drop(blocks);
        assert_eq!((pool.statistics().live, pool.statistics().held), (0, 0));
        assert!(pool.allocate(2 * MIB).is_err() && pool.allocate(u64::MAX).is_err());
    }

    #[test]
    fn trimming_releases_everything_free() {
        let pool = MemoryPool::new(64 * MIB);
        let kept = pool.allocate(100).unwrap();
        drop(pool.allocate(5 * MIB).unwrap());
        drop(pool.allocate(100_000).unwrap());
        pool.trim();
        assert_eq!(pool.statistics().held, kept.capacity() as u64);
    }

    #[test]
    fn blocks_outlive_their_pool_and_travel_between_threads() {
        let pool = MemoryPool::new(64 * MIB);
        let blocks: Vec<_> = (0..8).map(|i| pool.allocate(1000 << i).unwrap()).collect();
        drop(pool);
        std::thread::scope(|scope| {
            for block in blocks {
                scope.spawn(move || assert!(block.as_slice().iter().all(|&byte| byte == 0)));
            }
        });
    }
}
