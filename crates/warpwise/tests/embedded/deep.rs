//! Deeply nested expressions.

use std::time::Duration;

use warpwise::{Array, Context, Exp, cond, enum_from, use_};

use crate::contexts;

/// Number of levels that every device must support.
const LEVELS: usize = 10_000;

/// Number of levels of choices; lower, because the generated code is traversed more often.
const CHOICES: usize = 1_000;

/// Runs a function on a thread with the stack size of test threads.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

/// Nests choices: counts how many of the numbers below `levels`, from the greatest on, are passed until the argument is found.
fn nested(levels: usize, x: Exp<i64>) -> Exp<i64> {
    (0..levels).fold(Exp::constant(0), |inner, level| {
        cond(x.ne(level as i64), inner / 1.max(level as i64 % 3) + 1, 0)
    })
}

/// Computes the same in Rust.
fn expected(levels: usize, x: i64) -> i64 {
    let first = if (0..levels as i64).contains(&x) { x as usize } else { 0 };
    (first..levels)
        .fold(0, |inner, level| if x == level as i64 { 0 } else { inner / 1.max(level as i64 % 3) + 1 })
}

#[test]
fn scalars_nest_deeply() {
    on_small_stack(|| {
        for context in contexts() {
            let x = enum_from(1, 990_i64).at(0);
            assert_eq!(context.run(&nested(CHOICES, x)).unwrap(), expected(CHOICES, 990));
        }
    });
}

#[test]
fn choices_in_lanes_nest_deeply() {
    on_small_stack(|| {
        let xs: Vec<i64> = vec![-1, 0, 1, 17, 500, 998, 999, 1_000, 123_456, 900];
        let array = use_(&Array::from_vec([xs.len()], xs.clone()).unwrap());
        let computation = array.map(|x| nested(CHOICES, x));
        for context in contexts() {
            let found = context.run(&computation).unwrap().to_vec();
            let expected: Vec<i64> = xs.iter().map(|&x| expected(CHOICES, x)).collect();
            assert_eq!(found, expected);
        }
    });
}

#[test]
fn chains_are_long() {
    on_small_stack(|| {
        for context in contexts() {
            let sum = (0..LEVELS as i64).fold(enum_from(1, 5_i64).at(0), |sum, term| sum + term);
            assert_eq!(context.run(&sum).unwrap(), 5 + 9_999 * 5_000);
            let xs = (0..LEVELS / 10).fold(enum_from(3, 1_i64), |xs, _| xs.map(|x| x + 1));
            assert_eq!(context.run(&xs).unwrap().to_vec(), [1001, 1002, 1003]);
        }
    });
}

#[test]
fn beyond_the_bound_is_an_error() {
    on_small_stack(|| {
        for context in contexts() {
            let error = context.run(&nested(13_000, enum_from(1, 0_i64).at(0))).unwrap_err().to_string();
            assert!(error.contains("deep.rs:"), "{error}");
            assert!(
                error.ends_with("choices, loops and functions nest more than 12000 levels deep"),
                "{error}"
            );
        }
    });
}

/// Returns the CPU time used by this thread.
fn time_used() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists, and the pointer is valid for the result.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) }, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[test]
fn time_to_compile_is_linear_in_the_depth() {
    let time_of = |levels: usize| {
        let context = Context::cpu().unwrap().with_cache(None);
        let before = time_used();
        context.run(&enum_from(20, 0_i64).map(|x| nested(levels, x))).unwrap();
        time_used() - before
    };
    time_of(10);
    let (few, many) = (time_of(250), time_of(1000));
    assert!(many < few * 9, "{few:?} for 250 levels, {many:?} for 1000");
}
