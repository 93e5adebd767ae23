//! Memory of the device.

use std::collections::BTreeMap;
use std::ptr::null_mut;

/// Size of the memory in bytes.
pub const SIZE: usize = 4 << 30;

/// Alignment of blocks in bytes, as the driver guarantees.
const ALIGNMENT: usize = 256;

/// The byte that fills the first [`SPOILT`] bytes of a block, and the padding behind its end.
const GARBAGE: u8 = 0xa5;

/// Number of bytes of a fresh block that hold garbage.
const SPOILT: usize = 1 << 16;

/// The blocks in use, by address.
pub struct Memory {
    blocks: BTreeMap<usize, Block>,
    used: usize,
}

/// A block: whole pages with the block's bytes at their end, followed by an inaccessible page.
struct Block {
    pages: usize,
    mapped: usize,
    bytes: usize,
}

impl Memory {
    pub const fn new() -> Memory {
        Memory { blocks: BTreeMap::new(), used: 0 }
    }

    /// Allocates a block of this size; `None` if there is no room.
    pub fn allocate(&mut self, bytes: usize) -> Option<usize> {
        let room = SIZE - self.used;
        if bytes > room {
            return None;
        }
        let page = page();
        let padded = bytes.next_multiple_of(ALIGNMENT);
        let mapped = padded.next_multiple_of(page) + page;
        let (access, kind) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
        );
        // SAFETY: a fresh mapping affects no existing memory.
        let pages = unsafe { libc::mmap(null_mut(), mapped, access, kind, -1, 0) };
        if pages == libc::MAP_FAILED {
            return None;
        }
        let pages = pages as usize;
        let end = pages + mapped - page;
        let start = end - padded;
        // SAFETY: the last page of the mapping is used for nothing else.
        unsafe { libc::mprotect(end as *mut _, page, libc::PROT_NONE) };
        // SAFETY: both ranges lie in the mapping.
        unsafe {
            (start as *mut u8).write_bytes(GARBAGE, bytes.min(SPOILT));
            ((start + bytes) as *mut u8).write_bytes(GARBAGE, padded - bytes);
        }
        self.used += bytes;
        self.blocks.insert(start, Block { pages, mapped, bytes });
        Some(start)
    }

    /// Frees a block; `None` if there is none at this address, or if something was written behind its end.
    pub fn free(&mut self, start: usize) -> Option<()> {
        let Block { pages, mapped, bytes } = self.blocks.remove(&start)?;
        self.used -= bytes;
        let behind = start + bytes..start + bytes.next_multiple_of(ALIGNMENT);
        // SAFETY: the range lies in the block's mapping.
        let is_whole = behind.into_iter().all(|at| unsafe { *(at as *const u8) } == GARBAGE);
        // SAFETY: the mapping is this block's own.
        unsafe { libc::munmap(pages as *mut _, mapped) };
        is_whole.then_some(())
    }

    /// Returns whether a range lies in one block.
    pub fn holds(&self, start: usize, bytes: usize) -> bool {
        let Some((&at, block)) = self.blocks.range(..=start).next_back() else { return false };
        let offset = start - at;
        offset <= block.bytes && bytes <= block.bytes - offset
    }
}

fn page() -> usize {
    // SAFETY: reads a constant of the system.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_checked_and_overruns_found() {
        let mut memory = Memory::new();
        let start = memory.allocate(1000).expect("room");
        assert_eq!(start % ALIGNMENT, 0);
        assert!(memory.holds(start, 1000) && memory.holds(start + 999, 1) && memory.holds(start + 1000, 0));
        assert!(!memory.holds(start, 1001) && !memory.holds(start - 1, 1) && !memory.holds(start + 1, 1000));
        assert_eq!(memory.free(start), Some(()));
        assert!(!memory.holds(start, 1));
        assert_eq!(memory.free(start), None);

        let spoilt = memory.allocate(1000).expect("room");
        // SAFETY: the byte lies in the block's last page.
        unsafe { *((spoilt + 1000) as *mut u8) = 0 };
        assert_eq!(memory.free(spoilt), None, "something was written behind the end");
    }

    #[test]
    fn there_is_as_much_as_is_said() {
        let mut memory = Memory::new();
        assert_eq!(memory.allocate(SIZE + 1), None);
        let all = memory.allocate(SIZE).expect("all of it");
        assert_eq!(memory.allocate(1), None);
        memory.free(all).expect("a block");
        let empty = memory.allocate(0).expect("room");
        assert!(memory.holds(empty, 0) && !memory.holds(empty, 1));
    }
}
