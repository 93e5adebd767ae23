//! Copies of arrays for host code (dense, between any two strided views, transposed), fills and counts.
//!
//! A copy between views is first normalised: sizes of 1 are dropped, dimensions are put in the order of the result's strides,
//! negative strides of the result are reversed, and neighbouring dimensions that walk through both views like a single one are
//! merged. The normal form decides: contiguous in both views is a dense copy; contiguous rows are copied row by row; where the
//! result is contiguous along one dimension and the source along another, the copy is a transposition; the rest is copied element
//! by element.
//!
//! Large results bypass the caches with streaming stores, which save reading the overwritten memory. Measured on a shared
//! machine, one core with AVX-512, in GB/s read and written: dense copy of 256 MiB 21 (15 with plain stores); transposition of
//! 8192 x 8192 f32 15, that is 1.4 times a copy's time (1.35 on two cores), of 8191 x 8191, where no row is aligned, 9; of f64
//! 15, of i16 8, of bytes 7; narrow transpositions (3 or 4 columns) 7 to 10; fill 24; count 19.
//!
//! All functions take raw memory and are unsafe. The compiler guarantees that views lie within their blocks, do not overlap, and
//! name no element of the result twice.

mod dense;
mod strided;
mod transpose;
mod vector;

#[cfg(test)]
mod tests;

pub use dense::{copy_dense, fill, iota};
pub use strided::{Side, copy_strided};

use crate::pool::{Cancelled, Schedule, ThreadPool};

/// Minimum size in bytes of results that bypass the caches.
const STREAM_FROM: usize = 32 << 20;

/// Minimum number of bytes that makes a second thread worth waking.
const SHARE_FROM: usize = 256 << 10;

/// Number of bytes that a thread claims at once in dense copies. A multiple of all vector sizes.
const GRAIN: usize = 128 << 10;

/// An address shared with other threads, which use different parts of the memory behind it.
#[derive(Clone, Copy)]
struct Address(*mut u8);

// SAFETY: an address is only a number; its users are responsible for the accesses.
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

/// Runs `body` over `0..n`: on the calling thread when it moves few `bytes`, else on all threads.
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
