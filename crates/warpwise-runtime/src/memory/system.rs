//! Memory from the operating system: the only calls that obtain or release pages.
//!
//! All memory obtained here reads as zero. Big blocks are mappings of their own at a 2 MiB boundary, with huge pages requested.
//! Blocks of half a mebibyte and more are mappings at any page. Small ones come from the process's allocator; it keeps what is
//! given back to it, so memory that a pool releases would still count as the process's.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

use super::classes::GRANULE;

/// Blocks of at least this size are 2 MiB-aligned and ask for huge pages.
pub(super) const BIG: u64 = 4 << 20;

/// Blocks of at least this size are mappings of their own.
const MAPPED: u64 = 512 << 10;

const HUGE_PAGE: usize = 2 << 20;

/// Obtains `bytes` zeroed bytes, or `None` when the system has none left.
pub(super) fn obtain(bytes: u64) -> Option<NonNull<u8>> {
    let bytes = usize::try_from(bytes).ok()?;
    match bytes as u64 {
        BIG.. => big::obtain(bytes),
        MAPPED.. => big::map(bytes),
        _ => obtain_small(bytes),
    }
}

/// Releases memory that [`obtain`] returned for the same `bytes`.
///
/// # Safety
/// `start` must come from `obtain(bytes)` and must not be used afterwards.
pub(super) unsafe fn release(start: NonNull<u8>, bytes: u64) {
    if bytes >= MAPPED {
        // SAFETY: the block is a mapping of its own, as the caller promises.
        unsafe { big::release(start, bytes as usize) }
    } else {
        // SAFETY: obtained with the same layout in `obtain_small`.
        unsafe { dealloc(start.as_ptr(), small_layout(bytes as usize)) }
    }
}

fn obtain_small(bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: a size class is never empty, so the layout has a size.
    NonNull::new(unsafe { alloc_zeroed(small_layout(bytes)) })
}

fn small_layout(bytes: usize) -> Layout {
    // SAFETY: the alignment is a power of two and `bytes` is below `MAPPED`.
    unsafe { Layout::from_size_align_unchecked(bytes, GRANULE as usize) }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod big {
    use super::{HUGE_PAGE, NonNull};

    /// Maps `bytes` bytes.
    pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: a fresh anonymous mapping touches no existing memory.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED { None } else { NonNull::new(base.cast()) }
    }

    /// Maps more than requested and keeps the aligned middle.
    pub(super) fn obtain(bytes: usize) -> Option<NonNull<u8>> {
        let base = map(bytes.checked_add(HUGE_PAGE)?)?.as_ptr();
        let head = base.align_offset(HUGE_PAGE);
        // SAFETY: head, block and tail partition the mapping just made; sizes are page multiples. A refused `madvise` costs only
        // speed.
        unsafe {
            let start = base.add(head);
            if head > 0 {
                libc::munmap(base.cast(), head);
            }
            if HUGE_PAGE > head {
                libc::munmap(start.add(bytes).cast(), HUGE_PAGE - head);
            }
            libc::madvise(start.cast(), bytes, libc::MADV_HUGEPAGE);
            NonNull::new(start)
        }
    }

    pub(super) unsafe fn release(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller gives back exactly one mapping made by `obtain` or `map`; the last page is released as a whole.
        unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
    }
}

/// Replacement for Miri, which can only unmap whole mappings, and for other systems.
#[cfg(any(miri, not(target_os = "linux")))]
mod big {
    use super::{HUGE_PAGE, Layout, NonNull, alloc_zeroed, dealloc};

    pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        obtain(bytes)
    }

    pub(super) fn obtain(bytes: usize) -> Option<NonNull<u8>> {
        let layout = Layout::from_size_align(bytes, HUGE_PAGE).ok()?;
        // SAFETY: the size is at least `MAPPED`.
        NonNull::new(unsafe { alloc_zeroed(layout) })
    }

    pub(super) unsafe fn release(start: NonNull<u8>, bytes: usize) {
        // SAFETY: obtained with the same layout above.
        unsafe { dealloc(start.as_ptr(), Layout::from_size_align_unchecked(bytes, HUGE_PAGE)) }
    }
}
