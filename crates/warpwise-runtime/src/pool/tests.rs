//! Every index runs exactly once under all circumstances; order, nesting, panics, cancellation.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicUsize, Ordering};

use super::*;

const SCHEDULES: [Schedule; 3] = [Schedule::Static, Schedule::Dynamic, Schedule::Ordered];

/// Counts the visits of each index.
fn counters(n: i64) -> Vec<AtomicU32> {
    (0..n.max(0)).map(|_| AtomicU32::new(0)).collect()
}

fn visit(counters: &[AtomicU32], lo: i64, hi: i64) {
    for counter in &counters[lo as usize..hi as usize] {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

fn assert_each_once(counters: &[AtomicU32], what: &str) {
    for (index, counter) in counters.iter().enumerate() {
        assert_eq!(counter.load(Ordering::Relaxed), 1, "{what}: index {index}");
    }
}

#[test]
fn every_index_runs_exactly_once() {
    for threads in [1, 2, 3, 7] {
        let pool = ThreadPool::new(threads);
        assert_eq!(pool.threads(), threads);
        for n in [-5, 0, 1, 2, 3, 7, 64, 1000, 4097] {
            for grain in [-1, 0, 1, 2, 3, 64, 1000, i64::MAX] {
                for schedule in SCHEDULES {
                    let seen = counters(n);
                    let result = pool.run(n, grain, schedule, &|lo, hi, worker| {
                        assert!(lo < hi && worker < threads);
                        assert_eq!(lo % grain.max(1), 0, "chunks start at multiples of the grain");
                        if schedule != Schedule::Static {
                            assert!(hi - lo <= grain.max(1));
                        }
                        visit(&seen, lo, hi);
                    });
                    assert_eq!(result, Ok(()));
                    assert_each_once(&seen, &format!("{threads} {n} {grain} {schedule:?}"));
                }
            }
        }
    }
}

#[test]
fn zero_threads_means_one() {
    let pool = ThreadPool::new(0);
    assert_eq!(pool.threads(), 1);
    let seen = counters(10);
    pool.run(10, 3, Schedule::Dynamic, &|lo, hi, _| visit(&seen, lo, hi)).unwrap();
    assert_each_once(&seen, "one thread");
}

#[test]
fn huge_ranges_are_cut_into_a_countable_number_of_grains() {
    for threads in [1, 2] {
        let pool = ThreadPool::new(threads);
        let covered = AtomicI64::new(0);
        let result = pool.run(i64::MAX, i64::MAX / 5, Schedule::Dynamic, &|lo, hi, _| {
            covered.fetch_add(hi - lo, Ordering::Relaxed);
        });
        assert_eq!((result, covered.into_inner()), (Ok(()), i64::MAX));
        let chunks = AtomicUsize::new(0);
        pool.run(i64::MAX, 1, Schedule::Dynamic, &|_, _, _| {
            if chunks.fetch_add(1, Ordering::Relaxed) == 100 {
                pool.cancel_flag().set();
            }
        })
        .unwrap_err();
        pool.cancel_flag().clear();
    }
}

#[test]
fn ordered_chunks_may_wait_for_earlier_ones() {
    for threads in [1, 2, 5] {
        let pool = ThreadPool::new(threads);
        let n = 2000;
        let prefixes = (0..n).map(|_| AtomicI64::new(-1)).collect::<Vec<_>>();
        pool.run(n, 1, Schedule::Ordered, &|lo, _, _| {
            let before = if lo == 0 {
                0
            } else {
                loop {
                    let prefix = prefixes[lo as usize - 1].load(Ordering::Acquire);
                    if prefix >= 0 {
                        break prefix;
                    }
                    std::thread::yield_now();
                }
            };
            prefixes[lo as usize].store(before + lo, Ordering::Release);
        })
        .unwrap();
        assert_eq!(prefixes[n as usize - 1].load(Ordering::Relaxed), n * (n - 1) / 2);
    }
}

#[test]
fn nested_loops_run_and_keep_worker_indices_exclusive() {
    let pool = ThreadPool::new(4);
    let (outer, inner, innermost) = (40, 50, 7);
    let seen = counters(outer * inner * innermost);
    let busy: Vec<_> = (0..4).map(|_| Mutex::new(())).collect();
    for schedule in SCHEDULES {
        pool.run(outer, 1, schedule, &|outer_lo, outer_hi, _| {
            for i in outer_lo..outer_hi {
                let body = |lo: i64, hi: i64, _: usize| {
                    for j in lo..hi {
                        let base = (i * inner + j) * innermost;
                        pool.run(innermost, 2, Schedule::Static, &|lo, hi, worker| {
                            let _alone = busy[worker].try_lock().expect("one body per worker");
                            visit(&seen, base + lo, base + hi);
                        })
                        .unwrap();
                    }
                };
                pool.run(inner, 3, schedule, &body).unwrap();
            }
        })
        .unwrap();
        assert_each_once(&seen, "nested");
        seen.iter().for_each(|counter| counter.store(0, Ordering::Relaxed));
    }
}

#[test]
fn nesting_deeper_than_the_slots_runs_on_one_thread() {
    fn descend(pool: &ThreadPool, depth: u32, leaves: &AtomicUsize) {
        if depth == 0 {
            leaves.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let fan = if depth.is_multiple_of(8) { 2 } else { 1 };
        let body = |lo: i64, hi: i64, _: usize| (lo..hi).for_each(|_| descend(pool, depth - 1, leaves));
        pool.run(fan, 1, Schedule::Dynamic, &body).unwrap();
    }
    let pool = ThreadPool::new(2);
    let leaves = AtomicUsize::new(0);
    descend(&pool, 40, &leaves);
    assert_eq!(leaves.into_inner(), 32);
}

#[test]
fn threads_outside_the_pool_take_turns() {
    let pool = ThreadPool::new(3);
    let seen: Vec<_> = (0..4).map(|_| counters(5000)).collect();
    let inside = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for seen in &seen {
            scope.spawn(|| {
                pool.run(5000, 10, Schedule::Dynamic, &|lo, hi, worker| {
                    if worker == 0 {
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "worker 0 is one thread");
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                    visit(seen, lo, hi);
                })
                .unwrap();
            });
        }
    });
    seen.iter().for_each(|seen| assert_each_once(seen, "from outside"));
}

#[test]
fn pools_nest_in_each_other() {
    let (outer, inner) = (ThreadPool::new(2), ThreadPool::new(2));
    let seen = counters(1000);
    let body = |lo: i64, _: i64, _: usize| {
        inner.run(10, 1, Schedule::Static, &|l, h, _| visit(&seen, 10 * lo + l, 10 * lo + h)).unwrap();
    };
    outer.run(100, 1, Schedule::Dynamic, &body).unwrap();
    assert_each_once(&seen, "two pools");
}

#[test]
fn a_panic_is_raised_at_the_caller_and_the_pool_lives_on() {
    for threads in [1, 3] {
        let pool = ThreadPool::new(threads);
        for schedule in SCHEDULES {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                pool.run(1000, 1, schedule, &|lo, hi, _| {
                    if (lo..hi).contains(&137) {
                        std::panic::panic_any("the body's own words");
                    }
                })
            }));
            assert_eq!(outcome.unwrap_err().downcast_ref(), Some(&"the body's own words"));
            let seen = counters(1000);
            pool.run(1000, 1, schedule, &|lo, hi, _| visit(&seen, lo, hi)).unwrap();
            assert_each_once(&seen, "after a panic");
        }
    }
}

#[test]
fn a_cancelled_loop_stops_soon_and_says_so() {
    for threads in [1, 2] {
        let pool = ThreadPool::new(threads);
        for schedule in SCHEDULES {
            let chunks = AtomicI64::new(0);
            let outcome = pool.run(1_000_000_000, 1, schedule, &|_, _, _| {
                if chunks.fetch_add(1, Ordering::Relaxed) == 3 {
                    pool.cancel_flag().set();
                }
            });
            assert_eq!(outcome, Err(Cancelled));
            assert!(chunks.into_inner() < 1_000_000);
            assert_eq!(pool.run(5, 1, schedule, &|_, _, _| panic!("must not start")), Err(Cancelled));
            pool.cancel_flag().clear();
        }
    }
}

#[test]
fn no_chunk_is_missing_unnoticed_when_the_flag_is_cleared_meanwhile() {
    let pool = ThreadPool::new(3);
    let flag = pool.cancel_flag();
    for schedule in SCHEDULES {
        for _ in 0..50 {
            let chunks = AtomicI64::new(0);
            let outcome = pool.run(1000, 1, schedule, &|lo, hi, _| {
                if chunks.fetch_add(hi - lo, Ordering::Relaxed) == 40 {
                    flag.set();
                    std::thread::sleep(std::time::Duration::from_micros(200));
                    flag.clear();
                }
            });
            assert!(outcome.is_err() || chunks.into_inner() == 1000);
        }
    }
}

#[test]
fn work_is_shared_when_it_takes_long() {
    let pool = ThreadPool::new(2);
    for schedule in SCHEDULES {
        let workers: Vec<_> = (0..2).map(|_| AtomicU32::new(0)).collect();
        pool.run(40, 1, schedule, &|_, _, worker| {
            workers[worker].fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(std::time::Duration::from_millis(1));
        })
        .unwrap();
        let counts = workers.iter().map(|count| count.load(Ordering::Relaxed)).collect::<Vec<_>>();
        assert!(counts.iter().all(|&count| count >= 5), "{schedule:?}: {counts:?}");
    }
}

/// Runs many short regions one after the other, oversubscribed, with workers that park in between.
#[test]
fn stress() {
    let pool = ThreadPool::new(9);
    let mut state = 12345_u64;
    for round in 0..20_000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let (n, grain) = ((state >> 40) as i64 % 300, 1 + (state >> 50) as i64 % 20);
        let sum = AtomicI64::new(0);
        pool.run(n, grain, SCHEDULES[round % 3], &|lo, hi, _| {
            sum.fetch_add((lo..hi).sum::<i64>(), Ordering::Relaxed);
        })
        .unwrap();
        assert_eq!(sum.into_inner(), n * (n - 1) / 2, "round {round}");
        if round % 1000 == 0 {
            std::thread::sleep(std::time::Duration::from_micros(300));
        }
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
mod kernels {
    use std::arch::asm;
    use std::time::{Duration, Instant};

    use super::super::escape::{Call, held};
    use super::*;
    use crate::kernel::TaskContext;

    /// Increments its first argument forever, with a rounding mode different from the rest of the program's.
    unsafe extern "C" fn endless(_: *mut TaskContext, args: *const u64, _: i64, _: i64) {
        let down = 0x3f80_u32;
        // SAFETY: sets a register of this thread from a word on the stack.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const down) };
        loop {
            // SAFETY: the argument is the address of a counter that outlives the call.
            unsafe { (*(*args as *const AtomicI64)).fetch_add(1, Ordering::Relaxed) };
        }
    }

    /// Increments its argument in a callback that must not be left.
    unsafe extern "C" fn calls_back(_: *mut TaskContext, args: *const u64, _: i64, _: i64) {
        // SAFETY: the argument is the address of a pair of counters that outlive the call.
        let [begun, done] = unsafe { &*(*args as *const [AtomicI64; 2]) };
        loop {
            held(|| {
                begun.fetch_add(1, Ordering::Relaxed);
                let start = Instant::now();
                while start.elapsed() < Duration::from_micros(300) {}
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
    }

    unsafe extern "C" fn ends(_: *mut TaskContext, args: *const u64, lo: i64, hi: i64) {
        // SAFETY: as above.
        unsafe { (*(*args as *const AtomicI64)).fetch_add(hi - lo, Ordering::Relaxed) };
    }

    fn rounding() -> u32 {
        let mut register = 0_u32;
        // SAFETY: stores a register of this thread to a word on the stack.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut register) };
        register & 0x6000
    }

    /// Runs a kernel on all workers of a pool that is cancelled meanwhile and returns the number of parts that were left.
    fn left(pool: &ThreadPool, kernel: crate::kernel::KernelFn, argument: u64) -> i64 {
        let left = AtomicI64::new(0);
        let args = [argument];
        let asked = Mutex::new(None);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                *asked.lock().unwrap() = Some(Instant::now());
                pool.cancel_flag().set();
            });
            let outcome = pool.run(pool.threads() as i64, 1, Schedule::Dynamic, &|lo, hi, worker| {
                let before = rounding();
                let call = Call { kernel, context: std::ptr::null_mut(), args: &args, part: (lo, hi) };
                // SAFETY: the kernels of these tests use no context, and the argument is the one they expect.
                if !unsafe { pool.call(worker, call) } {
                    left.fetch_add(1, Ordering::Relaxed);
                }
                assert_eq!(rounding(), before);
            });
            assert_eq!(outcome, Err(Cancelled));
        });
        assert!(asked.into_inner().unwrap().unwrap().elapsed() < Duration::from_secs(5));
        pool.cancel_flag().clear();
        left.into_inner()
    }

    #[test]
    fn kernels_without_an_end_are_left() {
        for threads in [1, 2, 5] {
            let pool = ThreadPool::new(threads);
            for _ in 0..10 {
                let count = AtomicI64::new(0);
                assert!((1..=threads as i64).contains(&left(&pool, endless, (&raw const count) as u64)));
                let before = count.load(Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(2));
                assert!(before > 0 && before == count.load(Ordering::Relaxed), "nobody is in it any more");
                // The pool still works.
                let sum = AtomicI64::new(0);
                let args = [(&raw const sum) as u64];
                pool.run(1000, 7, Schedule::Static, &|lo, hi, worker| {
                    let call =
                        Call { kernel: ends, context: std::ptr::null_mut(), args: &args, part: (lo, hi) };
                    // SAFETY: as above.
                    assert!(unsafe { pool.call(worker, call) });
                })
                .unwrap();
                assert_eq!(sum.into_inner(), 1000);
            }
        }
    }

    #[test]
    fn what_kernels_call_back_is_not_left() {
        let pool = ThreadPool::new(2);
        for _ in 0..20 {
            let counters = [AtomicI64::new(0), AtomicI64::new(0)];
            assert!(left(&pool, calls_back, (&raw const counters) as u64) > 0);
            let [begun, done] = counters.map(AtomicI64::into_inner);
            assert_eq!(begun, done);
        }
    }
}
