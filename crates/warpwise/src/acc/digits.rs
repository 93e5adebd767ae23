//! Sorting of numbers on the host by their leading bits (a radix sort, most significant digit first).
//!
//! The numbers are distributed over buckets by the first bits in which they differ: threads count the occurrences of each digit
//! in their chunk of the numbers, and move every number to its position in the bucket of its digit. The buckets are then sorted
//! one by one, on all threads: a small bucket fits the first-level cache and is sorted by comparisons, a large one is divided
//! again. Threads write to different positions of one array, which is therefore an array of atomics; on current processors their
//! accesses compile to ordinary moves.
//!
//! An item is a number, or a number with its index. In the latter case no two items are equal, so equal numbers stay in order.
//!
//! Absent: sorting in place; two arrays are used.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use warpwise_runtime::pool::available_cores;

/// Number of bits of a digit.
const BITS: u32 = 11;
/// Number of digits.
const DIGITS: usize = 1 << BITS;
/// Maximum size of a bucket that is sorted by comparisons.
const SMALL: usize = 1 << 11;
/// Minimum number of items per thread.
const LEAST_FOR_A_THREAD: usize = 1 << 16;

/// Occurrences of each digit, or the next position for each digit.
type Counts = Vec<usize>;

/// An item to sort: a number, possibly with its index.
pub(super) trait Item: Copy + Ord + Send + Sync {
    /// Shared memory cell for one item.
    type Cell: Send + Sync;

    /// Returns the bits that are the most significant part of the order.
    fn bits(self) -> u64;
    fn into_cell(self) -> Self::Cell;
    fn from_cell(cell: Self::Cell) -> Self;
    fn set(self, cell: &Self::Cell);
}

/// Implements [`Item`] for an integer.
macro_rules! integers {
    ($($ty:ident $cell:ident;)*) => { $(
        impl Item for $ty {
            type Cell = $cell;

            fn bits(self) -> u64 {
                u64::from(self)
            }

            fn into_cell(self) -> $cell {
                $cell::new(self)
            }

            fn from_cell(cell: $cell) -> $ty {
                cell.into_inner()
            }

            fn set(self, cell: &$cell) {
                cell.store(self, Ordering::Relaxed);
            }
        }
    )* };
}

integers! {
    u32 AtomicU32;
    u64 AtomicU64;
}

/// A number and its index.
impl Item for (u64, u32) {
    type Cell = (AtomicU64, AtomicU32);

    fn bits(self) -> u64 {
        self.0
    }

    fn into_cell(self) -> Self::Cell {
        (AtomicU64::new(self.0), AtomicU32::new(self.1))
    }

    fn from_cell((number, place): Self::Cell) -> (u64, u32) {
        (number.into_inner(), place.into_inner())
    }

    fn set(self, (number, place): &Self::Cell) {
        number.store(self.0, Ordering::Relaxed);
        place.store(self.1, Ordering::Relaxed);
    }
}

/// Returns the indices of the numbers in ascending order, stably.
pub(super) fn places_of_narrow(numbers: &[u32]) -> Vec<i64> {
    if u32::try_from(numbers.len()).is_err() {
        return places_compared(numbers);
    }
    let item = |(place, &number): (usize, &u32)| u64::from(number) << 32 | place as u64;
    let items: Vec<u64> = numbers.iter().enumerate().map(item).collect();
    sorted(items).into_iter().map(|item| i64::from(item as u32)).collect()
}

/// Returns the indices of the numbers in ascending order, stably.
pub(super) fn places_of_wide(numbers: &[u64]) -> Vec<i64> {
    if u32::try_from(numbers.len()).is_err() {
        return places_compared(numbers);
    }
    let items: Vec<(u64, u32)> =
        numbers.iter().enumerate().map(|(place, &number)| (number, place as u32)).collect();
    sorted(items).into_iter().map(|(_, place)| i64::from(place)).collect()
}

/// Returns the indices of the numbers in ascending order, for more numbers than 32-bit indices can distinguish.
fn places_compared<T: Ord>(numbers: &[T]) -> Vec<i64> {
    let mut places: Vec<i64> = (0..numbers.len() as i64).collect();
    places.sort_by_key(|&place| &numbers[place as usize]);
    places
}

/// Returns the items in ascending order.
pub(super) fn sorted<I: Item>(items: Vec<I>) -> Vec<I> {
    let threads = (items.len() / LEAST_FOR_A_THREAD).clamp(1, available_cores());
    sorted_by(items, threads)
}

/// Returns the items in ascending order, using this number of threads.
fn sorted_by<I: Item>(mut items: Vec<I>, threads: usize) -> Vec<I> {
    if items.len() <= SMALL {
        items.sort_unstable();
        return items;
    }
    let part = items.len().div_ceil(threads);
    let differing = in_parts(items.chunks(part).map(|part| || differing(part, items[0])));
    let Some(shift) = shift_of(differing.into_iter().fold(0, |all, bits| all | bits)) else {
        items.sort_unstable();
        return items;
    };
    let mut counts = in_parts(items.chunks(part).map(|part| move || counted(part, shift)));
    let sizes: Counts = (0..DIGITS).map(|digit| counts.iter().map(|counts| counts[digit]).sum()).collect();
    make_starts(&mut counts);
    let cells: Vec<I::Cell> = items.iter().map(|item| item.into_cell()).collect();
    in_parts(items.chunks(part).zip(counts).map(|(part, starts)| {
        let cells = &cells;
        move || moved(part, starts, shift, |place, item| item.set(&cells[place]))
    }));
    let mut items: Vec<I> = cells.into_iter().map(I::from_cell).collect();
    sort_buckets(buckets(&mut items, &sizes).collect(), threads);
    items
}

/// Sorts buckets, using this number of threads.
fn sort_buckets<I: Item>(buckets: Vec<&mut [I]>, threads: usize) {
    let waiting = Mutex::new(buckets.into_iter());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    in_parts((0..threads).map(|_| {
        || {
            let mut scratch = Vec::new();
            while let Some(bucket) = next() {
                sort_bucket(bucket, &mut scratch);
            }
        }
    }));
}

/// Sorts a bucket; `scratch` holds a copy of it.
fn sort_bucket<I: Item>(items: &mut [I], scratch: &mut Vec<I>) {
    if items.len() <= SMALL {
        return items.sort_unstable();
    }
    let Some(shift) = shift_of(differing(items, items[0])) else { return items.sort_unstable() };
    let sizes = counted(items, shift);
    let mut starts = [sizes.clone()];
    make_starts(&mut starts);
    let [starts] = starts;
    scratch.clear();
    scratch.extend_from_slice(items);
    moved(scratch, starts, shift, |place, item| items[place] = item);
    for bucket in buckets(items, &sizes) {
        sort_bucket(bucket, scratch);
    }
}

/// Splits items into slices of these sizes.
fn buckets<'a, I>(mut items: &'a mut [I], sizes: &[usize]) -> impl Iterator<Item = &'a mut [I]> {
    sizes.iter().map(move |&size| {
        let (bucket, rest) = std::mem::take(&mut items).split_at_mut(size);
        items = rest;
        bucket
    })
}

/// Runs all parts concurrently. Returns their results in order.
fn in_parts<T: Send>(parts: impl ExactSizeIterator<Item = impl FnOnce() -> T + Send>) -> Vec<T> {
    if parts.len() == 1 {
        return parts.map(|part| part()).collect();
    }
    thread::scope(|scope| {
        let running: Vec<_> = parts.map(|part| scope.spawn(part)).collect();
        running
            .into_iter()
            .map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Returns the bits in which any of the items differs from `from`.
fn differing<I: Item>(items: &[I], from: I) -> u64 {
    items.iter().fold(0, |bits, item| bits | (item.bits() ^ from.bits()))
}

/// Returns the right shift that makes the most significant differing bit the top bit of a digit; `None` if no bits differ.
fn shift_of(differing: u64) -> Option<u32> {
    (differing != 0).then(|| (u64::BITS - differing.leading_zeros()).saturating_sub(BITS))
}

fn digit<I: Item>(item: I, shift: u32) -> usize {
    (item.bits() >> shift) as usize % DIGITS
}

/// Counts the occurrences of every digit.
fn counted<I: Item>(items: &[I], shift: u32) -> Counts {
    let mut counts = vec![0; DIGITS];
    for &item in items {
        counts[digit(item, shift)] += 1;
    }
    counts
}

/// Turns the counts of digits in every chunk into the positions of the chunk's first item with each digit.
fn make_starts(counts: &mut [Counts]) {
    let mut start = 0;
    for digit in 0..DIGITS {
        for part in counts.iter_mut() {
            start += std::mem::replace(&mut part[digit], start);
        }
    }
}

/// Moves items to their positions.
fn moved<I: Item>(items: &[I], mut starts: Counts, shift: u32, mut set: impl FnMut(usize, I)) {
    for &item in items {
        let start = &mut starts[digit(item, shift)];
        set(*start, item);
        *start += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masks of the differing bits: few and many, low and high, none.
    const MASKS: [u64; 7] = [0, 1, 0x1f, 0xfff, u32::MAX as u64, 0xff00_0000_0000_0001, u64::MAX];
    /// Numbers of items: none, few, one bucket, several buckets, buckets that are divided again.
    const COUNTS: [usize; 6] = [0, 1, 3, SMALL, SMALL + 1, 100_000];

    fn numbers(count: usize, mask: u64) -> Vec<u64> {
        let scrambled = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(i | 1);
        (0..count as u64).map(|i| scrambled(i) & mask).collect()
    }

    #[test]
    fn places_are_those_of_a_stable_sort() {
        for (count, mask) in COUNTS.into_iter().flat_map(|count| MASKS.map(|mask| (count, mask))) {
            let wide = numbers(count, mask);
            assert_eq!(places_of_wide(&wide), places_compared(&wide), "{count} of {mask:x}");
            let narrow: Vec<u32> = wide.into_iter().map(|x| x as u32).collect();
            assert_eq!(places_of_narrow(&narrow), places_compared(&narrow), "{count} of {mask:x}");
        }
    }

    #[test]
    fn threads_sort_what_one_sorts() {
        for (threads, mask) in [1, 2, 3, 7].into_iter().flat_map(|threads| MASKS.map(|mask| (threads, mask)))
        {
            let numbers = numbers(10_001, mask);
            let mut compared = numbers.clone();
            compared.sort();
            assert_eq!(sorted_by(numbers, threads), compared, "{threads} threads, {mask:x}");
        }
    }
}
