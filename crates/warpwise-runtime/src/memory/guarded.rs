//! Blocks between inaccessible pages, to find accesses outside of blocks: each block is a mapping of its own.
//!
//! ```text
//! | no access | red zone | block | no access |     and for every other block     | no access | block | red zone | no access |
//! ```
//!
//! The size of a block is rarely a multiple of the page size. Blocks end at a page's end or begin at a page's start, in
//! alternation; the rest of the pages is a red zone of a known pattern. The pattern is checked when the block is given back: a
//! write into the red zone is a mistake of compiled code and ends the process with a message. The mapping is removed as well, so
//! that a later use of the block faults.

use std::ptr::NonNull;

/// The contents of red zones.
const PATTERN: u8 = 0xA5;

/// Environment variable that asks for guard pages.
const VARIABLE: &str = "WARPWISE_GUARD_PAGES";

/// Returns whether the environment asks for guard pages.
pub(super) fn wanted() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty() && value != "0")
}

/// Position of a block in its mapping.
struct Layout {
    /// Size of the mapping, in bytes.
    mapping: usize,
    /// Range of the accessible pages.
    pages: std::ops::Range<usize>,
    /// Start of the block.
    start: usize,
}

impl Layout {
    /// Computes the layout; `at_end` tells whether the block ends at the end of its pages.
    fn of(bytes: usize, page: usize, at_end: bool) -> Option<Layout> {
        let held = bytes.checked_next_multiple_of(page)?;
        let mapping = held.checked_add(2 * page)?;
        let pages = page..page + held;
        let start = if at_end { pages.end - bytes } else { pages.start };
        Some(Layout { mapping, pages, start })
    }

    /// Returns the range of the red zone within the mapping.
    fn red_zone(&self, bytes: usize) -> std::ops::Range<usize> {
        if self.start > self.pages.start {
            self.pages.start..self.start
        } else {
            self.start + bytes..self.pages.end
        }
    }
}

/// Obtains a zeroed block of `bytes` bytes, a multiple of 64. `at_end` tells whether it ends at a page's end.
pub(super) fn obtain(bytes: usize, at_end: bool) -> Option<NonNull<u8>> {
    let layout = Layout::of(bytes, page(), at_end)?;
    // SAFETY: a fresh anonymous mapping touches no existing memory.
    let base = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        libc::mmap(std::ptr::null_mut(), layout.mapping, libc::PROT_NONE, flags, -1, 0)
    };
    if base == libc::MAP_FAILED {
        return None;
    }
    let base = base.cast::<u8>();
    // SAFETY: the pages lie within the mapping, and so does the red zone, within the pages.
    unsafe {
        let pages = base.add(layout.pages.start).cast();
        if libc::mprotect(pages, layout.pages.len(), libc::PROT_READ | libc::PROT_WRITE) != 0 {
            libc::munmap(base.cast(), layout.mapping);
            return None;
        }
        let zone = layout.red_zone(bytes);
        base.add(zone.start).write_bytes(PATTERN, zone.len());
        NonNull::new(base.add(layout.start))
    }
}

/// Releases a block that [`obtain`] returned.
///
/// # Safety
/// `start` must come from `obtain(bytes, at_end)` and must not be used afterwards.
pub(super) unsafe fn release(start: NonNull<u8>, bytes: usize, at_end: bool) {
    let Some(layout) = Layout::of(bytes, page(), at_end) else { return };
    // SAFETY: the mapping that `obtain` made, as the caller promises.
    unsafe {
        let base = start.as_ptr().sub(layout.start);
        let zone = layout.red_zone(bytes);
        let whole = std::slice::from_raw_parts(base.add(zone.start), zone.len());
        if let Some(at) = whole.iter().position(|&byte| byte != PATTERN) {
            let distance = (zone.start + at) as i64 - layout.start as i64;
            eprintln!(
                "internal error: byte {distance} of a block of {bytes} bytes was written, outside of the block"
            );
            std::process::abort();
        }
        libc::munmap(base.cast(), layout.mapping);
    }
}

/// Returns the page size in bytes.
fn page() -> usize {
    // SAFETY: reads a constant of the system.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_touch_the_end_or_the_beginning_of_their_pages() {
        for bytes in [64, 4096, 4160, 100 * 4096 + 64] {
            for at_end in [false, true] {
                let start = obtain(bytes, at_end).expect("there is memory");
                let edge = start.as_ptr() as usize + if at_end { bytes } else { 0 };
                assert_eq!(edge % page(), 0, "{bytes}");
                assert_eq!(start.as_ptr() as usize % 64, 0);
                // SAFETY: the block is this long and nobody else's.
                unsafe {
                    assert!(std::slice::from_raw_parts(start.as_ptr(), bytes).iter().all(|&byte| byte == 0));
                    start.as_ptr().write_bytes(1, bytes);
                    release(start, bytes, at_end);
                }
            }
        }
    }

    #[test]
    fn red_zones_are_what_is_left_of_the_pages() {
        let layout = |bytes, at_end| Layout::of(bytes, 4096, at_end).expect("it is small");
        assert_eq!(layout(64, true).red_zone(64), 4096..8128);
        assert_eq!(layout(64, false).red_zone(64), 4160..8192);
        assert!(layout(4096, true).red_zone(4096).is_empty());
        assert!(Layout::of(usize::MAX, 4096, true).is_none());
    }
}
