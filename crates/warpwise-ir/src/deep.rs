//! A stack for deeply nested programs.
//!
//! Programs are trees, and most work on them is recursive: parsers, passes and interpreters recur once per level. Code that
//! accepts a program, or drops it, runs within [`deep`], on a stack that suffices for [`LEVELS`] levels in every walk. Only the
//! used part of the stack takes memory. Parsers refuse deeper programs.

use std::cell::Cell;

use corosensei::on_stack;
use corosensei::stack::{DefaultStack, Stack};

/// Maximum nesting depth of bodies, expressions and types.
pub const LEVELS: usize = 12_000;

/// Size of the stack in bytes, and the smallest size to try when memory is short.
const SIZES: (usize, usize) = (1 << 30, 1 << 24);

thread_local! {
    /// The lowest and the highest address of the current stack for deep programs.
    static IN_USE: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Runs `work` on a stack for deep programs: the current one if half of it is free, or a new one.
pub fn deep<T>(work: impl FnOnce() -> T) -> T {
    if is_deep() {
        return work();
    }
    let Some(stack) = new_stack() else { return work() };
    let addresses = (stack.limit().get(), stack.base().get());
    let _outer = Restore(IN_USE.replace(addresses));
    on_stack(stack, work)
}

/// A value whose drop needs a stack for deep programs.
#[derive(Clone, Debug)]
pub struct DroppedDeep<T>(Option<T>);

impl<T> DroppedDeep<T> {
    /// Wraps a value.
    pub fn new(value: T) -> DroppedDeep<T> {
        DroppedDeep(Some(value))
    }
}

impl<T> std::ops::Deref for DroppedDeep<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("the value is there until it is dropped")
    }
}

impl<T> Drop for DroppedDeep<T> {
    fn drop(&mut self) {
        let value = self.0.take();
        deep(|| drop(value));
    }
}

/// A guard that restores the previous stack's addresses.
struct Restore((usize, usize));

impl Drop for Restore {
    fn drop(&mut self) {
        IN_USE.set(self.0);
    }
}

fn is_deep() -> bool {
    let (lowest, highest) = IN_USE.get();
    let here = here();
    here < highest && here.saturating_sub(lowest) > (highest - lowest) / 2
}

/// Returns the approximate address of the top of the stack.
#[inline(never)]
fn here() -> usize {
    let local = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&local)).addr()
}

/// Allocates the largest stack for which there is memory.
fn new_stack() -> Option<DefaultStack> {
    let (mut size, least) = SIZES;
    loop {
        match DefaultStack::new(size) {
            Ok(stack) => return Some(stack),
            Err(_) if size > least => size /= 2,
            Err(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    /// Takes about a kilobyte of stack per level.
    fn recur(levels: usize) -> usize {
        let block = std::hint::black_box([levels; 128]);
        if levels == 0 { 0 } else { 1 + recur(levels - 1) + block[0] - levels }
    }

    #[test]
    fn small_threads_recur_deeply() {
        let small = std::thread::Builder::new().stack_size(64 << 10);
        let worker = small.spawn(|| deep(|| recur(100_000))).unwrap();
        assert_eq!(worker.join().unwrap(), 100_000);
    }

    #[test]
    fn one_stack_serves_until_half_of_it_is_used() {
        deep(|| {
            let outer = IN_USE.get();
            deep(|| assert_eq!(IN_USE.get(), outer));
            let nearly_full = (here() - (1 << 10), here() + (1 << 20));
            IN_USE.set(nearly_full);
            deep(|| assert_ne!(IN_USE.get(), nearly_full));
            assert_eq!(IN_USE.replace(outer), nearly_full);
        });
        assert_eq!(IN_USE.get(), (0, 0));
    }

    #[test]
    fn panics_pass() {
        let panic = catch_unwind(|| deep(|| panic!("deep down"))).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"deep down"));
        assert_eq!(IN_USE.get(), (0, 0));
    }
}
