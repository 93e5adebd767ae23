//! Contiguous memory: copies, fills and arithmetic sequences, with streaming stores when they are large.

use bytemuck::Pod;

use crate::pool::{Cancelled, Schedule, ThreadPool};

use super::vector::{Job, Vector, dispatch};
use super::{Address, GRAIN, STREAM_FROM, serial_below};

/// Copies `bytes` bytes.
///
/// # Safety
/// `from` can be read and `to` written for `bytes` bytes, nobody else touches `to` meanwhile, and
/// the two do not overlap.
pub unsafe fn copy_dense(
    threads: &ThreadPool,
    to: *mut u8,
    from: *const u8,
    bytes: usize,
) -> Result<(), Cancelled> {
    let (to, from) = (Address(to), Address(from.cast_mut()));
    let stream = bytes >= STREAM_FROM;
    serial_below(threads, bytes, bytes, GRAIN, Schedule::Static, &|lo, hi| {
        let (to, from) = (to.plus(lo), from.plus(lo).cast_const());
        // SAFETY: `lo..hi` is within `0..bytes`, which the caller promises.
        unsafe {
            if stream {
                dispatch(&StreamCopy { to, from, bytes: hi - lo });
            } else {
                std::ptr::copy_nonoverlapping(from, to, hi - lo);
            }
        }
    })
}

/// Sets `count` elements of `width` (1, 2, 4 or 8) bytes to the low bytes of `bits`.
///
/// # Safety
/// `to` can be written for `count * width` bytes, nobody else touches them meanwhile, and `to` is a
/// multiple of `width`.
pub unsafe fn fill(
    threads: &ThreadPool,
    to: *mut u8,
    width: usize,
    bits: u64,
    count: usize,
) -> Result<(), Cancelled> {
    let to = Address(to);
    let bytes = count * width;
    let word = match width {
        1 => u64::from(bits as u8) * 0x0101_0101_0101_0101,
        2 => u64::from(bits as u16) * 0x0001_0001_0001_0001,
        4 => u64::from(bits as u32) * 0x0000_0001_0000_0001,
        _ => bits,
    };
    let pattern: [u8; 64] = bytemuck::cast([word; 8]);
    let stream = bytes >= STREAM_FROM;
    // The grain is a multiple of every width and vector.
    serial_below(threads, bytes, bytes, GRAIN, Schedule::Static, &|lo, hi| {
        // SAFETY: as in `copy_dense`.
        unsafe { dispatch(&Fill { to: to.plus(lo), bytes: hi - lo, pattern: &pattern, stream }) }
    })
}

/// Writes `start`, `start + step`, ... as `count` integers of `width` (1, 2, 4 or 8) bytes, wrapping.
///
/// # Safety
/// As for [`fill`].
pub unsafe fn iota(
    threads: &ThreadPool,
    to: *mut u8,
    width: usize,
    start: i64,
    step: i64,
    count: usize,
) -> Result<(), Cancelled> {
    let to = Address(to);
    let bytes = count * width;
    let stream = bytes >= STREAM_FROM;
    serial_below(threads, bytes, bytes, GRAIN, Schedule::Static, &|lo, hi| {
        let first = start.wrapping_add(step.wrapping_mul((lo / width) as i64));
        let job = Count { to: to.plus(lo), bytes: hi - lo, width, first, step, stream };
        // SAFETY: as in `copy_dense`.
        unsafe { dispatch(&job) }
    })
}

/// A copy of memory with streaming stores.
struct StreamCopy {
    to: *mut u8,
    from: *const u8,
    bytes: usize,
}

impl Job for StreamCopy {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        // SAFETY: the caller promises access to the memory.
        unsafe { stream_copy::<V>(self.to, self.from, self.bytes) }
        V::fence();
    }
}

/// Copies memory with streaming stores; a fence must follow.
///
/// # Safety
/// `from` can be read and `to` written for `bytes` bytes, and the two do not overlap.
#[inline(always)]
pub(super) unsafe fn stream_copy<V: Vector>(to: *mut u8, from: *const u8, bytes: usize) {
    // SAFETY: all accesses stay within `bytes` of both starts; from `head` on `to` is aligned for streaming.
    unsafe {
        let head = to.align_offset(V::BYTES).min(bytes);
        std::ptr::copy_nonoverlapping(from, to, head);
        let mut at = head;
        while at + 4 * V::BYTES <= bytes {
            let vectors = [0, 1, 2, 3].map(|number| V::load(from.add(at + number * V::BYTES)));
            for (number, vector) in vectors.into_iter().enumerate() {
                vector.stream(to.add(at + number * V::BYTES));
            }
            at += 4 * V::BYTES;
        }
        while at + V::BYTES <= bytes {
            V::load(from.add(at)).stream(to.add(at));
            at += V::BYTES;
        }
        std::ptr::copy_nonoverlapping(from.add(at), to.add(at), bytes - at);
    }
}

/// A fill of memory with a repeated pattern.
struct Fill<'a> {
    to: *mut u8,
    bytes: usize,
    pattern: &'a [u8; 64],
    stream: bool,
}

impl Job for Fill<'_> {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        // SAFETY: all accesses stay within `bytes`. `to` is a multiple of the element's width, so the pattern is in phase at
        // every vector boundary.
        unsafe {
            let head = self.to.align_offset(V::BYTES).min(self.bytes);
            std::ptr::copy_nonoverlapping(self.pattern.as_ptr(), self.to, head);
            let vector = V::load(self.pattern.as_ptr());
            let end = head + (self.bytes - head) / V::BYTES * V::BYTES;
            if self.stream {
                for at in (head..end).step_by(V::BYTES) {
                    vector.stream(self.to.add(at));
                }
                V::fence();
            } else {
                for at in (head..end).step_by(V::BYTES) {
                    vector.store(self.to.add(at));
                }
            }
            std::ptr::copy_nonoverlapping(self.pattern.as_ptr(), self.to.add(end), self.bytes - end);
        }
    }
}

/// Size in bytes of the buffer that holds a stretch of the sequence.
const BUFFER: usize = 4096;

/// An arithmetic sequence, computed in a buffer that stays in the first-level cache.
struct Count {
    to: *mut u8,
    bytes: usize,
    width: usize,
    first: i64,
    step: i64,
    stream: bool,
}

impl Job for Count {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        match self.width {
            // SAFETY: the caller promises access to the memory.
            1 => unsafe { self.count::<V, _>(|value| value as u8, u8::wrapping_add) },
            2 => unsafe { self.count::<V, _>(|value| value as u16, u16::wrapping_add) },
            4 => unsafe { self.count::<V, _>(|value| value as u32, u32::wrapping_add) },
            _ => unsafe { self.count::<V, _>(|value| value as u64, u64::wrapping_add) },
        }
    }
}

impl Count {
    #[inline(always)]
    unsafe fn count<V: Vector, T: Pod>(&self, narrow: impl Fn(i64) -> T, add: impl Fn(T, T) -> T) {
        let mut buffer = [0_u64; BUFFER / 8];
        let buffer: &mut [T] = bytemuck::cast_slice_mut(&mut buffer);
        for (element, index) in buffer.iter_mut().zip(0..) {
            *element = narrow(self.first.wrapping_add(self.step.wrapping_mul(index)));
        }
        let stride = narrow(self.step.wrapping_mul(buffer.len() as i64));
        for done in (0..self.bytes).step_by(BUFFER) {
            let bytes = (self.bytes - done).min(BUFFER);
            // SAFETY: the part lies within `bytes` of `to`.
            unsafe {
                let to = self.to.add(done);
                if self.stream {
                    stream_copy::<V>(to, buffer.as_ptr().cast(), bytes);
                } else {
                    std::ptr::copy_nonoverlapping(buffer.as_ptr().cast(), to, bytes);
                }
            }
            for element in buffer.iter_mut() {
                *element = add(*element, stride);
            }
        }
        V::fence();
    }
}
