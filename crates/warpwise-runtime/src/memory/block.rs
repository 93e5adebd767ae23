//! A block of pooled memory.

use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use super::classes::SizeClass;
use super::pool::Shared;

/// Memory from a [`MemoryPool`](super::MemoryPool), shared through `Arc` and returned to the pool
/// when the last owner drops it.
///
/// Blocks are 64-byte aligned (2 MiB from 4 MiB up) and every byte is initialised. At least
/// [`bytes`](Block::bytes) rounded up to a multiple of 64 may be read and written, so a kernel can
/// load the last vector whole.
pub struct Block {
    start: NonNull<u8>,
    bytes: usize,
    class: SizeClass,
    home: Arc<Shared>,
}

// SAFETY: a block owns its memory; shared access is reading, and writers go through raw pointers
// under the contract of `as_mut_ptr`.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Wraps memory of `class` that belongs to `home`.
    pub(super) fn new(start: NonNull<u8>, bytes: usize, class: SizeClass, home: Arc<Shared>) -> Block {
        Block { start, bytes, class, home }
    }

    /// The size asked for.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The bytes that are really there.
    pub fn capacity(&self) -> usize {
        self.class.capacity() as usize
    }

    /// Where the block starts, for reading.
    pub fn as_ptr(&self) -> *const u8 {
        self.start.as_ptr()
    }

    /// Where the block starts, for writing. Whoever writes through it while the block is shared
    /// must see to it that no slice from [`as_slice`](Block::as_slice) lives and that no other
    /// thread touches the same bytes: compiled code keeps this by construction (consumption is
    /// checked), everybody else writes through [`as_mut_slice`](Block::as_mut_slice).
    pub fn as_mut_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The contents.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `bytes` initialised bytes start here and live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }

    /// The contents, writable by the only owner.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as in `as_slice`; `&mut self` means that nobody else holds the block.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.home.take_back(self.start, self.class);
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("start", &self.start).field("bytes", &self.bytes).finish()
    }
}
