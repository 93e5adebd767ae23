//! A block of memory from a pool or from elsewhere.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::NoUninit;

use super::classes::SizeClass;
use super::pool::Shared;

/// The owner of memory that belongs to no pool; it is kept alive as long as the memory is used.
pub type Provider = Arc<dyn Any + Send + Sync>;

/// Memory from a [`MemoryPool`](super::MemoryPool), shared through `Arc` and returned to the pool
/// when the last owner drops it.
///
/// Blocks are 64-byte aligned (2 MiB from 4 MiB up) and every byte is initialised. At least [`bytes`](Block::bytes) rounded up to
/// a multiple of 64 may be read and written, so a kernel can load the whole last vector.
///
/// A block may also lie in memory from elsewhere, such as a file's ([`Block::foreign`]); no budget counts such memory. Or it is a
/// part of memory that others read ([`Block::part`]), which nobody may write.
pub struct Block {
    start: NonNull<u8>,
    bytes: usize,
    home: Home,
}

/// Treatment of a block's memory when the block is dropped.
enum Home {
    Pool(SizeClass, Arc<Shared>),
    /// Returns to a pool with guard pages; the flag tells whether the block ends at a page's end.
    Guarded(bool, Arc<Shared>),
    /// The provider is dropped.
    Foreign {
        _provider: Provider,
    },
    /// A vector, or memory lent for writing, is dropped. The alignment and the end are those of its elements.
    Vector {
        _elements: Provider,
    },
    /// Memory that others read loses one owner. The alignment and the end are those of its elements.
    Part {
        _whole: Provider,
    },
}

// SAFETY: a block owns its memory; shared access is reading, and writers go through raw pointers
// under the contract of `as_mut_ptr`.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Wraps memory of `class` that belongs to `home`.
    pub(super) fn new(start: NonNull<u8>, bytes: usize, class: SizeClass, home: Arc<Shared>) -> Block {
        Block { start, bytes, home: Home::Pool(class, home) }
    }

    /// Wraps memory between guard pages that belongs to `home`.
    pub(super) fn guarded(start: NonNull<u8>, bytes: usize, at_end: bool, home: Arc<Shared>) -> Block {
        Block { start, bytes, home: Home::Guarded(at_end, home) }
    }

    /// Makes a block of memory that `provider` keeps.
    ///
    /// # Safety
    /// The `bytes` bytes from `start`, rounded up to a multiple of 64, can be read and written until the last `provider` is
    /// dropped; `start` is a multiple of 64. The bytes are initialised, nobody else writes them, and nobody relies on their
    /// contents.
    pub unsafe fn foreign(start: NonNull<u8>, bytes: usize, provider: Provider) -> Block {
        debug_assert_eq!(start.as_ptr() as usize % 64, 0);
        Block { start, bytes, home: Home::Foreign { _provider: provider } }
    }

    /// Makes a block of a vector without copying it. No pool's budget counts the block. Its alignment and its end are those of
    /// the elements.
    pub fn of_vec<T: NoUninit + Send + Sync>(mut elements: Vec<T>) -> Block {
        // The pointer that all accesses go through is taken once, and the vector is not touched again until it is dropped.
        let start = NonNull::new(elements.as_mut_ptr().cast::<u8>()).unwrap_or(NonNull::dangling());
        let bytes = size_of_val(elements.as_slice());
        Block { start, bytes, home: Home::Vector { _elements: Arc::new(elements) } }
    }

    /// Makes a read-only block of an owner's elements without copying them. `as_ref` is called once, and the owner is dropped
    /// with the block.
    pub fn of_owner<T: NoUninit>(owner: impl AsRef<[T]> + Send + Sync + 'static) -> Block {
        let owner = Arc::new(owner);
        let elements: &[T] = (*owner).as_ref();
        let (start, bytes) = (NonNull::from(elements).cast::<u8>(), size_of_val(elements));
        // SAFETY: the elements are initialised, are borrowed from the owner, which the block keeps, and are never written through it.
        unsafe { Block::shared(start, bytes, owner) }
    }

    /// Makes a read-only block of some bytes of another without copying them. Writers have to copy them first
    /// ([`Block::is_part`]).
    pub fn part(whole: &Arc<Block>, bytes: Range<usize>) -> Option<Block> {
        let part = whole.as_slice().get(bytes)?;
        // SAFETY: the bytes lie in the block, which the part keeps; anybody who writes to a block owns it alone.
        Some(unsafe { Block::shared(NonNull::from(part).cast(), part.len(), Arc::clone(whole) as Provider) })
    }

    /// Makes a read-only block of memory that `provider` keeps and others may read; it may begin and end anywhere.
    ///
    /// # Safety
    /// The `bytes` bytes from `start` can be read until the last `provider` is dropped; they are initialised, and nobody writes
    /// them.
    pub unsafe fn shared(start: NonNull<u8>, bytes: usize, provider: Provider) -> Block {
        Block { start, bytes, home: Home::Part { _whole: provider } }
    }

    /// Makes a writable block of memory that `provider` keeps; it may begin and end anywhere.
    ///
    /// # Safety
    /// The `bytes` bytes from `start` can be read and written until `provider` is dropped; they are initialised, and nobody else
    /// reads or writes them while the block is in use.
    pub unsafe fn lent(start: NonNull<u8>, bytes: usize, provider: Provider) -> Block {
        Block { start, bytes, home: Home::Vector { _elements: provider } }
    }

    /// Returns whether the block comes from a pool that reuses memory as it is (without guard pages).
    pub fn is_pooled(&self) -> bool {
        matches!(self.home, Home::Pool(..))
    }

    /// Returns whether a fresh block for `bytes` bytes would be of this block's size class, as for the bytes that it is used for.
    pub fn fits(&self, bytes: u64) -> bool {
        match &self.home {
            Home::Pool(class, _) => {
                [bytes, self.bytes as u64].iter().all(|&bytes| SizeClass::holding(bytes) == Some(*class))
            }
            Home::Guarded(..) | Home::Foreign { .. } | Home::Vector { .. } | Home::Part { .. } => false,
        }
    }

    /// Changes the size of a pooled block to `bytes`, in place, if the block [`fits`](Block::fits), and returns whether it does. The
    /// pool counts the change as an allocation that reuses memory.
    pub fn refit(&mut self, bytes: u64) -> bool {
        let fits = self.fits(bytes);
        if let (Home::Pool(_, home), true) = (&self.home, fits) {
            home.note_refit();
            self.bytes = bytes as usize;
        }
        fits
    }

    /// Returns whether others may read the memory, so that nobody may write it, not even the only owner of the block.
    pub fn is_part(&self) -> bool {
        matches!(self.home, Home::Part { .. })
    }

    /// Returns the requested size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of usable bytes.
    pub fn capacity(&self) -> usize {
        match &self.home {
            Home::Pool(class, _) => class.capacity() as usize,
            Home::Guarded(..) => self.bytes.max(1).next_multiple_of(64),
            Home::Foreign { .. } => self.bytes.next_multiple_of(64),
            Home::Vector { .. } | Home::Part { .. } => self.bytes,
        }
    }

    /// Returns whether a scalar of any type may lie at the block's start.
    pub fn is_aligned(&self) -> bool {
        (self.start.as_ptr() as usize).is_multiple_of(align_of::<u64>())
    }

    /// Returns the start of the block, for reading.
    pub fn as_ptr(&self) -> *const u8 {
        self.start.as_ptr()
    }

    /// Returns the start of the block, for writing. A writer must ensure that, while the block is shared, no slice from
    /// [`as_slice`](Block::as_slice) lives and no other thread touches the same bytes. Compiled code ensures this by construction
    /// (consumption is checked); all other code writes through [`as_mut_slice`](Block::as_mut_slice).
    pub fn as_mut_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Returns the contents.
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: `bytes` initialised bytes start here and live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }

    /// Returns the writable contents. Only the sole owner of a block that is not a part may write them.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        assert!(!self.is_part(), "others may read the memory of a part");
        // SAFETY: as in `as_slice`; `&mut self` means that nobody else holds the block.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        match &self.home {
            Home::Pool(class, home) => home.take_back(self.start, *class, self.bytes as u64),
            Home::Guarded(at_end, home) => home.take_guarded_back(self.start, self.capacity(), *at_end),
            Home::Foreign { .. } | Home::Vector { .. } | Home::Part { .. } => {}
        }
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Block").field("start", &self.start).field("bytes", &self.bytes).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory with the alignment of blocks.
    #[repr(align(64))]
    struct Line {
        _bytes: [u8; 64],
    }

    #[test]
    fn a_foreign_block_keeps_its_provider_and_is_writable() {
        let mut provider = Arc::new(Line { _bytes: [7; 64] });
        let start = NonNull::from(Arc::get_mut(&mut provider).unwrap()).cast();
        let watch = Arc::downgrade(&provider);
        // SAFETY: the line is 64 bytes long, and only this block uses it.
        let mut block = unsafe { Block::foreign(start, 10, provider) };
        assert_eq!((block.bytes(), block.capacity()), (10, 64));
        assert_eq!(block.as_slice(), [7; 10]);
        block.as_mut_slice()[3] = 1;
        assert_eq!(block.as_slice()[3], 1);
        assert!(watch.upgrade().is_some());
        drop(block);
        assert!(watch.upgrade().is_none());
    }

    #[test]
    fn a_part_keeps_its_whole() {
        let whole = Arc::new(Block::of_vec((0..10_u8).collect()));
        let watch = Arc::downgrade(&whole);
        let part = Block::part(&whole, 3..7).unwrap();
        drop(whole);
        let part = Arc::new(part);
        let inner = Block::part(&part, 1..4).unwrap();
        assert_eq!((part.as_slice(), inner.as_slice()), (&[3, 4, 5, 6][..], &[4, 5, 6][..]));
        assert!(inner.is_part() && Block::part(&part, 2..5).is_none());
        drop(part);
        assert!(watch.upgrade().is_some());
        drop(inner);
        assert!(watch.upgrade().is_none());
    }

    #[test]
    fn lent_elements_are_read_where_they_lie_and_never_written() {
        let owner: Arc<[u32]> = Arc::from([1, 2, 3]);
        let block = Block::of_owner(Arc::clone(&owner));
        assert_eq!(block.as_ptr(), owner.as_ptr().cast());
        assert_eq!((block.bytes(), block.capacity(), block.is_part()), (12, 12, true));
        assert_eq!(Arc::strong_count(&owner), 2);
        drop(block);
        assert_eq!(Arc::strong_count(&owner), 1);
        static CONSTANT: [u8; 3] = [4, 5, 6];
        assert_eq!(Block::of_owner(CONSTANT.as_slice()).as_slice(), CONSTANT);
        assert!(Block::of_owner::<u64>(Vec::new()).as_slice().is_empty());
    }
}
