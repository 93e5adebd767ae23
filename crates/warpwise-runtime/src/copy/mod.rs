//! Copies of arrays, as host code asks for them: dense, between any two strided views, transposed;
//! fills and counts.
//!
//! A copy between views is first brought into a normal form: sizes of 1 dropped, dimensions in the
//! order of the result's strides, negative strides of the result turned round, neighbours merged that
//! walk through both views as one would. Then the form decides: contiguous in both views is a dense
//! copy; contiguous rows are copied row by row; where the result is contiguous along one dimension and
//! the source along another it is a transposition; the rest goes element by element.
//!
//! Large results bypass the caches with streaming stores, which save reading what is overwritten.
//! Measured on a shared machine, one core with AVX-512, in GB/s read and written: dense copy of 256 MiB 21
//! (15 with plain stores); transposition of 8192 x 8192 f32 15, that is 1.4 times a copy's time (1.35 on
//! two cores), of 8191 x 8191, where no row is aligned, 9; of f64 15, of i16 8, of bytes 7; narrow
//! transpositions (3 or 4 columns) 7 to 10; fill 24; count 19.
//!
//! All functions take raw memory and are unsafe: that views lie within their blocks, do not overlap,
//! and name no element of the result twice is the compiler's promise.

mod dense;
mod strided;
mod transpose;
mod vector;

#[cfg(test)]
mod tests;

pub use dense::{copy_dense, fill, iota};
pub use strided::{Side, copy_strided};

use crate::pool::{Cancelled, Schedule, ThreadPool};

/// From this many bytes on results bypass the caches.
const STREAM_FROM: usize = 32 << 20;

/// Bytes below which a second thread is not worth waking.
const SHARE_FROM: usize = 256 << 10;

/// Bytes that a thread claims at once, in dense copies. A multiple of all vectors.
const GRAIN: usize = 128 << 10;

/// An address that goes to other threads, which use different parts of the memory behind it.
#[derive(Clone, Copy)]
struct Address(*mut u8);

// SAFETY: an address is a number; what happens at it is the users' business.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Address {
    fn plus(self, bytes: usize) -> *mut u8 {
        self.0.wrapping_add(bytes)
    }

    fn offset(self, bytes: isize) -> Address {
        Address(self.0.wrapping_offset(bytes))
    }
}

/// Runs `body` over `0..n`: here when it moves few `bytes`, else on all threads.
fn serial_below(
    threads: &ThreadPool,
    bytes: usize,
    n: usize,
    grain: usize,
    schedule: Schedule,
    body: &(dyn Fn(usize, usize) + Sync),
) -> Result<(), Cancelled> {
    if bytes < SHARE_FROM {
        body(0, n);
        return Ok(());
    }
    threads.run(n as i64, grain as i64, schedule, &|lo, hi, _| body(lo as usize, hi as usize))
}
