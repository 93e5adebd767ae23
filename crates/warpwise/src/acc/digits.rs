//! Sorting numbers on the host by their digits, from the least significant one on, each in order (a radix sort).
//!
//! A pass counts how often every digit occurs in each of the parts that threads work on, and moves every number to its place among
//! those with the same digit. Threads write to different places of one array, which is an array of atomic numbers therefore;
//! on the processors there are these are moves like others. A pass whose digits are all equal is left out.
//!
//! Absent: sorting in place; there are two arrays.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;

use warpwise_runtime::pool::available_cores;

/// The bits of a digit.
const BITS: u32 = 11;
/// How many digits there are.
const DIGITS: usize = 1 << BITS;
/// What a thread is worth.
const LEAST_FOR_A_THREAD: usize = 1 << 17;

/// How often digits occur, or where numbers with them go.
type Counts = Vec<usize>;

/// A place for what is sorted.
trait Cell: Sized + Send + Sync {
    type Item: Copy + Send;

    fn new(item: Self::Item) -> Self;
    fn get(&self) -> Self::Item;
    fn set(&self, item: Self::Item);
    /// The digit whose lowest bit this is.
    fn digit(item: Self::Item, bit: u32) -> usize;
}

/// A number of 32 bits above its place.
struct Narrow(AtomicU64);

/// A number of 64 bits, and its place.
struct Wide(AtomicU64, AtomicU32);

impl Cell for Narrow {
    type Item = u64;

    fn new(item: u64) -> Narrow {
        Narrow(AtomicU64::new(item))
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, item: u64) {
        self.0.store(item, Ordering::Relaxed);
    }

    fn digit(item: u64, bit: u32) -> usize {
        (item >> (32 + bit)) as usize % DIGITS
    }
}

impl Cell for Wide {
    type Item = (u64, u32);

    fn new((number, place): (u64, u32)) -> Wide {
        Wide(AtomicU64::new(number), AtomicU32::new(place))
    }

    fn get(&self) -> (u64, u32) {
        (self.0.load(Ordering::Relaxed), self.1.load(Ordering::Relaxed))
    }

    fn set(&self, (number, place): (u64, u32)) {
        self.0.store(number, Ordering::Relaxed);
        self.1.store(place, Ordering::Relaxed);
    }

    fn digit((number, _): (u64, u32), bit: u32) -> usize {
        (number >> bit) as usize % DIGITS
    }
}

/// The places of numbers in ascending order; those of equal numbers stay in order.
pub(super) fn places_of_narrow(numbers: &[u32]) -> Vec<i64> {
    if u32::try_from(numbers.len()).is_err() {
        return places_compared(numbers);
    }
    let item = |(place, &number): (usize, &u32)| u64::from(number) << 32 | place as u64;
    let cells = numbers.iter().enumerate().map(item).map(Narrow::new).collect();
    let sorted = sorted(cells, u32::BITS, threads_for(numbers.len()));
    sorted.into_iter().map(|cell| cell.get() as u32 as i64).collect()
}

/// The places of numbers in ascending order; those of equal numbers stay in order.
pub(super) fn places_of_wide(numbers: &[u64]) -> Vec<i64> {
    if u32::try_from(numbers.len()).is_err() {
        return places_compared(numbers);
    }
    let item = |(place, &number): (usize, &u64)| (number, place as u32);
    let cells = numbers.iter().enumerate().map(item).map(Wide::new).collect();
    let sorted = sorted(cells, u64::BITS, threads_for(numbers.len()));
    sorted.into_iter().map(|cell| i64::from(cell.get().1)).collect()
}

/// Of more numbers than places of 32 bits can tell apart.
fn places_compared<T: Ord>(numbers: &[T]) -> Vec<i64> {
    let mut places: Vec<i64> = (0..numbers.len() as i64).collect();
    places.sort_by_key(|&place| &numbers[place as usize]);
    places
}

fn threads_for(count: usize) -> usize {
    (count / LEAST_FOR_A_THREAD).clamp(1, available_cores())
}

/// Sorts cells by the lowest `bits` bits of their keys, on this number of threads.
fn sorted<C: Cell>(mut from: Vec<C>, bits: u32, threads: usize) -> Vec<C> {
    let Some(first) = from.first().map(C::get) else { return from };
    let mut to: Vec<C> = (0..from.len()).map(|_| C::new(first)).collect();
    let part = from.len().div_ceil(threads);
    for bit in (0..bits).step_by(BITS as usize) {
        let mut counts = in_parts(from.chunks(part).map(|part| move || counted(part, bit)));
        let all = from.len();
        let is_one = |digit: usize| counts.iter().map(|counts| counts[digit]).sum::<usize>() == all;
        if is_one(C::digit(first, bit)) {
            continue;
        }
        make_starts(&mut counts);
        let to_all = &to;
        in_parts(
            from.chunks(part).zip(counts).map(|(part, starts)| move || moved(part, starts, to_all, bit)),
        );
        std::mem::swap(&mut from, &mut to);
    }
    from
}

/// Does all of these at once; what they give, in order.
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

/// How often every digit occurs.
fn counted<C: Cell>(cells: &[C], bit: u32) -> Counts {
    let mut counts = vec![0; DIGITS];
    for cell in cells {
        counts[C::digit(cell.get(), bit)] += 1;
    }
    counts
}

/// Makes of how often digits occur in every part the places where the part's first number with that digit goes.
fn make_starts(counts: &mut [Counts]) {
    let mut start = 0;
    for digit in 0..DIGITS {
        for part in counts.iter_mut() {
            start += std::mem::replace(&mut part[digit], start);
        }
    }
}

/// Moves numbers to their places.
fn moved<C: Cell>(cells: &[C], mut starts: Counts, to: &[C], bit: u32) {
    for cell in cells {
        let item = cell.get();
        let start = &mut starts[C::digit(item, bit)];
        to[*start].set(item);
        *start += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, bits: u32) -> Vec<u64> {
        let scrambled = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29).wrapping_mul(i | 1);
        (0..count as u64).map(|i| scrambled(i) >> (64 - bits)).collect()
    }

    #[test]
    fn places_are_those_of_a_stable_sort() {
        for count in [0, 1, 2, 3, 1000, 5000] {
            for bits in [1, 5, 12, 31, 32] {
                let numbers: Vec<u32> = numbers(count, bits).into_iter().map(|x| x as u32).collect();
                assert_eq!(places_of_narrow(&numbers), places_compared(&numbers), "{count} of {bits} bits");
            }
            for bits in [1, 33, 64] {
                let numbers = numbers(count, bits);
                assert_eq!(places_of_wide(&numbers), places_compared(&numbers), "{count} of {bits} bits");
            }
        }
    }

    #[test]
    fn parts_that_threads_sort_make_one_order() {
        let numbers = numbers(10_001, 64);
        for threads in [1, 2, 3, 7] {
            let cells = numbers.iter().enumerate().map(|(i, &x)| Wide::new((x, i as u32))).collect();
            let places: Vec<i64> =
                sorted(cells, 64, threads).iter().map(|cell| i64::from(cell.get().1)).collect();
            assert_eq!(places, places_compared(&numbers), "{threads}");
        }
    }
}
