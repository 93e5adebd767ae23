//! Raw data and `.npy` files that are mapped into memory: elements are used where the system keeps the file.
//!
//! Nothing is copied, and no budget counts memory that the system can drop at any time; a write to elements goes to copies of
//! their pages. Pages are touched before they are handed out, so that the user of elements does not wait for the disk, and given
//! back with the last array in them. Arrays that do not begin and end at multiples of 64 bytes in the file must be copied before
//! they are written. Arrays whose scalars are not aligned to their size are copied.
//!
//! Absent: protection from truncation. A file that is truncated between the check and the use of its elements ends the process
//! (the system raises a signal); an earlier truncation is an error.

use std::fs::File;
use std::io;
use std::ptr::NonNull;
use std::sync::Arc;

use memmap2::{MmapOptions, MmapRaw};
use warpwise_prim::ValueType;
use warpwise_runtime::memory::Block;

use super::{End, InPlace, Read, Source, View};
use crate::element::ElementType;

/// Alignment of blocks in bytes.
const ALIGNMENT: usize = 64;

/// Number of bytes that the system maps around a byte that is read, if it has them in memory.
const AROUND: usize = 1 << 16;

/// Granularity of mapping and unmapping in bytes.
const PAGE: usize = 4096;

/// Number of pages that are sampled to determine whether a file is in memory.
const SAMPLES: usize = 64;

/// Elements as bytes in a mapped file.
pub struct MappedSource {
    name: String,
    element: ElementType,
    file: File,
    map: Arc<MmapRaw>,
    /// Offset of the next element.
    at: usize,
    /// Size of an element in bytes, at least 1.
    size: usize,
    /// Number of remaining whole elements.
    left: u64,
    /// End that follows the elements.
    end: End,
}

/// A part of a mapping in use.
struct Part {
    map: Arc<MmapRaw>,
    at: usize,
    bytes: usize,
}

impl MappedSource {
    /// Maps elements from offset `at` on: `count` of them, or all. Returns `None` if elements have no bytes.
    pub fn new(
        name: &str,
        file: File,
        element: ElementType,
        at: u64,
        count: Option<u64>,
    ) -> io::Result<Option<MappedSource>> {
        let Some(size) = element.bytes().filter(|&size| size > 0) else { return Ok(None) };
        // SAFETY: concurrent writes to the file may be visible or not; no code relies on either.
        let map = MmapRaw::from(unsafe { MmapOptions::new().no_reserve_swap().map_copy(&file)? });
        let bytes = (map.len() as u64).saturating_sub(at);
        let whole = bytes / size;
        let missing = size - bytes % size;
        let end = match count {
            Some(count) if count > whole => End::cut(missing),
            Some(count) if bytes > count * size => End::more(),
            None if !bytes.is_multiple_of(size) => End::cut(missing),
            Some(_) | None => End::Finished,
        };
        let left = count.map_or(whole, |count| count.min(whole));
        let (name, at, size) = (name.to_string(), at as usize, size as usize);
        Ok(Some(MappedSource { name, element, file, map: Arc::new(map), at, size, left, end }))
    }

    /// Ignores the rest of the file after the elements.
    pub fn without_rest(mut self) -> MappedSource {
        if self.end == End::more() {
            self.end = End::Finished;
        }
        self
    }

    /// Returns whether the next elements share no vector with others.
    fn is_own(&self, count: u64) -> bool {
        let bytes = self.left.min(count) as usize * self.size;
        self.at.is_multiple_of(ALIGNMENT) && (count >= self.left || bytes.is_multiple_of(ALIGNMENT))
    }

    /// Skips up to `count` of the existing elements; returns their offset and the number of valid ones.
    fn advance(&mut self, count: u64) -> (usize, Read) {
        let (at, asked) = (self.at, self.left.min(count));
        let bytes = asked as usize * self.size;
        if !self.present(at, bytes) {
            self.left = 0;
            let message = "the file has become shorter while it was read".to_string();
            return (at, Read { count: 0, end: Some(End::Failed(message)) });
        }
        let elements = self.bytes(at, bytes);
        if self.element.scalar == ValueType::Bool
            && let Some(wrong) = elements.iter().position(|&byte| byte > 1)
        {
            let message = format!("{} is no truth value", elements[wrong]);
            return (at, Read { count: (wrong / self.size) as u64, end: Some(End::Failed(message)) });
        }
        self.at += bytes;
        self.left -= asked;
        let end = (self.left == 0).then(|| self.end.clone());
        (at, Read { count: asked, end })
    }

    /// Returns bytes of the file that are in no part that is handed out.
    fn bytes(&self, at: usize, bytes: usize) -> &[u8] {
        // SAFETY: they lie in the mapping, whose pages are initialised; nobody else has this part yet.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().add(at), bytes) }
    }

    /// Returns whether all these bytes are in the file. If so, they are in memory afterwards.
    fn present(&self, at: usize, bytes: usize) -> bool {
        let is_there = self.file.metadata().is_ok_and(|metadata| metadata.len() >= (at + bytes) as u64);
        if is_there {
            // This takes half as long as `MADV_POPULATE_READ`.
            let bytes = self.bytes(at, bytes);
            bytes.iter().step_by(AROUND).chain(bytes.last()).for_each(|byte| {
                std::hint::black_box(*byte);
            });
        }
        is_there
    }

    /// Returns whether the page with this byte is in memory.
    fn is_cached(&self, at: usize) -> bool {
        let page = at / PAGE * PAGE;
        if page >= self.map.len() {
            return true;
        }
        let mut found = 0_u8;
        #[cfg(target_os = "linux")]
        // SAFETY: the page begins within the mapping, and `found` has room for its one byte of result.
        let done = unsafe { libc::mincore(self.map.as_mut_ptr().add(page).cast(), 1, &mut found) };
        #[cfg(not(target_os = "linux"))]
        let done = -1;
        done == 0 && found & 1 == 1
    }
}

impl Source for MappedSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn element(&self) -> &ElementType {
        &self.element
    }

    fn left(&self) -> Option<u64> {
        Some(self.left)
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        let (at, read) = self.advance(count);
        let bytes = read.count as usize * self.size;
        target[..bytes].copy_from_slice(self.bytes(at, bytes));
        read
    }

    fn is_ready(&self) -> bool {
        let bytes = self.left as usize * self.size;
        (0..SAMPLES).all(|sample| self.is_cached(self.at + bytes / SAMPLES * sample))
    }

    fn in_place(&mut self) -> Option<&mut dyn InPlace> {
        Some(self)
    }
}

impl InPlace for MappedSource {
    fn grain(&mut self) -> u64 {
        (ALIGNMENT >> self.size.trailing_zeros().min(ALIGNMENT.trailing_zeros())) as u64
    }

    fn holds(&mut self, _: u64) -> bool {
        self.at.is_multiple_of(self.element.scalar.scalar().bytes())
    }

    fn view(&mut self, count: u64) -> Option<View> {
        if !self.holds(count) {
            return None;
        }
        // Nobody accesses memory beyond the last whole vector, which must not overlap the next elements.
        let is_own = self.is_own(count);
        let (at, Read { count, end }) = self.advance(count);
        let bytes = count as usize * self.size;
        let part = Arc::new(Part { map: Arc::clone(&self.map), at, bytes });
        // SAFETY: the part lies in the mapping, which the block keeps and which reaches to the end of its last page. Parts do not
        // overlap, and a write makes a private copy of a page. A writable part begins at a multiple of 64 bytes and, except for
        // the last one, ends at one.
        let block = unsafe {
            let start = NonNull::new_unchecked(self.map.as_mut_ptr().add(at));
            if is_own { Block::foreign(start, bytes, part) } else { Block::shared(start, bytes, part) }
        };
        Some(View { block: Arc::new(block), read: Read { count, end } })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Only whole pages: others hold the neighbouring ones.
        let (from, to) = (self.at.next_multiple_of(PAGE), (self.at + self.bytes) / PAGE * PAGE);
        if from < to {
            #[cfg(target_os = "linux")]
            // SAFETY: nobody uses these pages any more; they are read from the file again when needed. Pages that cannot be given
            // back now are released with the mapping.
            let _ = unsafe {
                self.map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, from, to - from)
            };
        }
    }
}
