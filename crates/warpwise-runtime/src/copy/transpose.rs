//! Transposition of one or many matrices, in vector blocks.
//!
//! A block consists of as many source rows as a vector of the result has elements, and is one cache line of the source wide. Its
//! lines are first copied side by side, because with strides that are powers of two they would evict each other from the cache.
//! Each vector is then loaded lane by lane. Interleaving elements `log2 n` times transposes the `n` by `n` elements of every lane
//! at once, and each vector then holds a stretch of a result row. For elements of 4 bytes, and one lane of each vector:
//!
//! ```text
//! 00 01 02 03    00 20 01 21    00 10 20 30
//! 10 11 12 13    02 22 03 23    01 11 21 31
//! 20 21 22 23    10 30 11 31    02 12 22 32
//! 30 31 32 33    12 32 13 33    03 13 23 33      pairs of rows 0 and 2, 1 and 3, interleaved twice
//! ```
//!
//! Blocks are grouped in tiles. A tile of a large result is assembled in a buffer that stays cached, and is then written row by
//! row with streaming stores. So results of any alignment are written in whole lines, and memory sees several neighbouring lines
//! at a time.

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::pool::{Cancelled, Schedule, ThreadPool};

use super::dense::stream_copy;
use super::vector::{Job, LANE, Vector, dispatch};
use super::{Address, STREAM_FROM, serial_below};

/// Width of a tile in the result, in bytes.
const TILE_COLUMNS: usize = 512;

/// Size of a cache line in bytes.
const LINE: usize = 64;

/// Number of result rows of a tile, times the element size in bytes.
const TILE_ROW_BYTES: usize = 256;

/// Number of result rows of a tile of a narrow matrix.
const NARROW_ROWS: usize = 4096;

/// Maximum number of result rows of a staged tile.
const STAGE_ROWS: usize = 128;

/// Distance of a stage's rows in bytes: a line more than a tile's row, so that rows do not compete for the same cache sets.
const STAGE_PITCH: usize = TILE_COLUMNS + LINE;

/// Matrices to transpose. Strides are in bytes.
pub(super) struct Transposition<'a> {
    /// Element size in bytes: 1, 2, 4 or 8.
    pub(super) width: usize,
    /// Number of rows of the result, columns of the source.
    pub(super) rows: usize,
    /// Number of columns of the result, rows of the source; neighbours in a result row are `width` apart.
    pub(super) columns: usize,
    /// Distance from one result row to the next.
    pub(super) to_stride: isize,
    /// Distance from one source row to the next; neighbours in a source row are `width` apart.
    pub(super) from_stride: isize,
    /// Dimensions of the batch: the number of matrices and their strides in the result and the source.
    pub(super) batches: &'a [(usize, isize, isize)],
}

/// Transposes all matrices of `job`.
///
/// # Safety
/// All elements of the source can be read and all of the result written, nobody else touches the result meanwhile, and the two do
/// not overlap.
pub(super) unsafe fn transpose(
    threads: &ThreadPool,
    to: *mut u8,
    from: *const u8,
    job: &Transposition<'_>,
) -> Result<(), Cancelled> {
    let (to, from) = (Address(to), Address(from.cast_mut()));
    let tile_columns = TILE_COLUMNS / job.width;
    // Matrices narrower than a block consist of margin only.
    let narrow = job.columns * job.width < LINE;
    let tile_rows = if narrow { NARROW_ROWS } else { (TILE_ROW_BYTES / job.width).min(STAGE_ROWS) };
    let across = job.columns.div_ceil(tile_columns);
    let tiles = across * job.rows.div_ceil(tile_rows);
    let matrices: usize = job.batches.iter().map(|&(count, _, _)| count).product();
    let bytes = matrices * job.rows * job.columns * job.width;
    serial_below(threads, bytes, matrices * tiles, 1, Schedule::Static, &|lo, hi| {
        for number in lo..hi {
            let (matrix, tile) = (number / tiles, number % tiles);
            let (to_matrix, from_matrix) = job.matrix(matrix);
            let (row, column) = (tile / across * tile_rows, tile % across * tile_columns);
            let tile = Tile {
                to: to.offset(to_matrix + row as isize * job.to_stride).plus(column * job.width),
                from: from.offset(from_matrix + column as isize * job.from_stride).plus(row * job.width),
                rows: tile_rows.min(job.rows - row),
                columns: tile_columns.min(job.columns - column),
                to_stride: job.to_stride,
                from_stride: job.from_stride,
                stream: bytes >= STREAM_FROM && !narrow,
            };
            // SAFETY: the tile is part of the matrices, which are accessible as the caller promises.
            unsafe {
                match job.width {
                    1 => dispatch(&Blocks::<u8, 16>(tile, [])),
                    2 => dispatch(&Blocks::<u16, 8>(tile, [])),
                    4 => dispatch(&Blocks::<u32, 4>(tile, [])),
                    _ => dispatch(&Blocks::<u64, 2>(tile, [])),
                }
            }
        }
    })
}

impl Transposition<'_> {
    /// Returns the byte offsets of matrix `number` in the result and the source.
    fn matrix(&self, mut number: usize) -> (isize, isize) {
        let (mut to, mut from) = (0, 0);
        for &(count, to_stride, from_stride) in self.batches.iter().rev() {
            let index = (number % count) as isize;
            number /= count;
            to += index * to_stride;
            from += index * from_stride;
        }
        (to, from)
    }
}

/// A part of a matrix.
struct Tile {
    to: *mut u8,
    from: *const u8,
    rows: usize,
    columns: usize,
    to_stride: isize,
    from_stride: isize,
    stream: bool,
}

/// Transposition of a tile of elements like `T`; `N` elements fill a lane.
struct Blocks<T, const N: usize>(Tile, [T; 0]);

/// Lines of the source, one for each column of a block, side by side: with strides that are powers of two, the source's own lines
/// would evict each other from the first-level cache.
#[repr(align(64))]
struct Lines(MaybeUninit<[u8; 64 * LINE]>);

/// A tile of the result, rows `STAGE_PITCH` bytes apart.
#[repr(align(64))]
struct Stage(MaybeUninit<[u8; STAGE_ROWS * STAGE_PITCH]>);

impl<T: Copy, const N: usize> Job for Blocks<T, N> {
    #[inline(always)]
    unsafe fn run<V: Vector>(&self) {
        let tile = &self.0;
        // SAFETY: the stage holds a tile, and the caller promises access to the tile.
        unsafe {
            if !tile.stream {
                return self.transpose::<V>(tile.to, tile.to_stride);
            }
            let mut stage = Stage(MaybeUninit::uninit());
            let stage = stage.0.as_mut_ptr().cast::<u8>();
            self.transpose::<V>(stage, STAGE_PITCH as isize);
            for row in 0..tile.rows {
                let to = tile.to.offset(row as isize * tile.to_stride);
                stream_copy::<V>(to, stage.add(row * STAGE_PITCH), tile.columns * size_of::<T>());
            }
            V::fence();
        }
    }
}

impl<T: Copy, const N: usize> Blocks<T, N> {
    /// Transposes the tile to `to`.
    #[inline(always)]
    unsafe fn transpose<V: Vector>(&self, to: *mut u8, to_stride: isize) {
        let tile = &self.0;
        let block_columns = V::BYTES / size_of::<T>();
        let line = LINE / size_of::<T>();
        let whole_rows = tile.rows / line * line;
        let whole_columns = tile.columns / block_columns * block_columns;
        let mut lines = Lines(MaybeUninit::uninit());
        let lines = lines.0.as_mut_ptr().cast::<u8>();
        // SAFETY: blocks and the two margins partition the tile.
        unsafe {
            for column in (0..whole_columns).step_by(block_columns) {
                for row in (0..whole_rows).step_by(line) {
                    let from = tile.from.add(row * size_of::<T>()).offset(column as isize * tile.from_stride);
                    for number in 0..block_columns {
                        let ahead = (number + block_columns) as isize * tile.from_stride;
                        V::prefetch(from.wrapping_offset(ahead));
                        let from = from.offset(number as isize * tile.from_stride);
                        for part in (0..LINE).step_by(V::BYTES) {
                            V::load(from.add(part)).store(lines.add(number * LINE + part));
                        }
                    }
                    let to = to.add(column * size_of::<T>()).offset(row as isize * to_stride);
                    for row in (0..line).step_by(N) {
                        let lanes = lines.add(row * size_of::<T>());
                        block::<V, N>(to.offset(row as isize * to_stride), to_stride, lanes);
                    }
                }
            }
            self.margin(0..tile.rows, whole_columns..tile.columns, to, to_stride);
            self.margin(whole_rows..tile.rows, 0..whole_columns, to, to_stride);
        }
    }

    /// Copies the margin that does not fill blocks, element by element.
    #[inline(always)]
    unsafe fn margin(&self, rows: Range<usize>, columns: Range<usize>, to: *mut u8, to_stride: isize) {
        let tile = &self.0;
        let element = |row: usize, column: usize| {
            // SAFETY: the element lies within the tile.
            unsafe {
                let from = tile.from.add(row * size_of::<T>()).offset(column as isize * tile.from_stride);
                let to = to.add(column * size_of::<T>()).offset(row as isize * to_stride);
                to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned());
            }
        };
        if rows.len() < columns.len() {
            rows.for_each(|row| columns.clone().for_each(|column| element(row, column)));
        } else {
            columns.for_each(|column| rows.clone().for_each(|row| element(row, column)));
        }
    }
}

/// Writes `N` result rows of one vector each, from lines that begin with the `N` elements of each column.
#[inline(always)]
unsafe fn block<V: Vector, const N: usize>(to: *mut u8, to_stride: isize, lines: *const u8) {
    let step = LINE as isize;
    // SAFETY: the caller promises access to the memory.
    unsafe {
        // Lane `l` of vector `i` is from column `l * N + i`.
        let mut vectors: [V; N] = std::array::from_fn(|number| {
            V::load_lanes(lines.offset(number as isize * step), N as isize * step)
        });
        let mut done = 1;
        while done < N {
            let former = vectors;
            for pair in 0..N / 2 {
                let (low, high) = former[pair].interleave(former[pair + N / 2], LANE / N);
                vectors[2 * pair] = low;
                vectors[2 * pair + 1] = high;
            }
            done *= 2;
        }
        for (number, vector) in vectors.into_iter().enumerate() {
            vector.store(to.offset(number as isize * to_stride));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vector::tests::with_each;
    use super::*;

    struct TransposesLikeAnyLoop {
        stream: bool,
    }

    impl Job for TransposesLikeAnyLoop {
        #[inline(always)]
        unsafe fn run<V: Vector>(&self) {
            let (rows, columns) = (100, 90);
            let from: Vec<u32> = (0..rows as u32 * columns as u32).collect();
            let mut to = vec![0_u32; rows * columns];
            let tile = Tile {
                to: to.as_mut_ptr().cast(),
                from: from.as_ptr().cast(),
                rows,
                columns,
                to_stride: 4 * columns as isize,
                from_stride: 4 * rows as isize,
                stream: self.stream,
            };
            // SAFETY: both vectors hold the whole matrix.
            unsafe { Blocks::<u32, 4>(tile, []).run::<V>() };
            for (number, &element) in to.iter().enumerate() {
                assert_eq!(element as usize, number % columns * rows + number / columns);
            }
        }
    }

    #[test]
    fn blocks_of_every_kind_of_vector() {
        for stream in [false, true] {
            // SAFETY: the job has no conditions of its own.
            unsafe { with_each(&TransposesLikeAnyLoop { stream }) };
        }
    }
}
