//! Launches: a grid of blocks of work-items.

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::fmt;
use std::ptr::null;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::module::Kernel;

/// Number of blocks that run at a time.
const AT_A_TIME: u64 = 4;

/// Stack size of a work-item in bytes.
const STACK: usize = 256 << 10;

/// Size of a launch: the number of blocks, and the work-items and bytes of shared memory of each block.
#[derive(Clone, Copy)]
pub struct Grid {
    pub blocks: u32,
    pub threads: u32,
    pub shared: u32,
}

/// The arguments of a launch, which its kernel only reads.
#[derive(Clone, Copy)]
pub struct Arguments(pub *mut *mut c_void);

// SAFETY: kernels read them and write nothing.
unsafe impl Send for Arguments {}
// SAFETY: as above.
unsafe impl Sync for Arguments {}

/// Indices and sizes that kernels read, as declared in `emulated.h`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Item {
    thread: [u32; 3],
    block: [u32; 3],
    threads: [u32; 3],
    blocks: [u32; 3],
}

/// Reason why a launch failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Some work-items of a block wait at a barrier that others never reach.
    Missed { block: u64, line: c_int },
    /// Work-items of a block wait at barriers in different lines.
    Divergent { block: u64, lines: [c_int; 2] },
}

/// A work-item; it yields the line of the barrier at which it waits.
type Running = Coroutine<(), c_int, (), DefaultStack>;

thread_local! {
    static ITEM: Cell<Item> = const { Cell::new(Item { thread: [0; 3], block: [0; 3], threads: [0; 3], blocks: [0; 3] }) };
    static SHARED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    static YIELDER: Cell<*const Yielder<(), c_int>> = const { Cell::new(null()) };
}

/// Returns the running work-item, for kernels.
pub extern "C" fn item() -> *const Item {
    ITEM.with(|item| item.as_ptr().cast_const())
}

/// Returns the shared memory that the launch gives the running block, for kernels.
pub extern "C" fn shared() -> *mut c_void {
    SHARED.with_borrow_mut(|words| words.as_mut_ptr().cast())
}

/// Waits at a barrier, for kernels, until all work-items of the block have reached it.
pub extern "C" fn barrier(line: c_int) {
    let yielder = YIELDER.get();
    // SAFETY: kernels run only in coroutines; each sets this to its own yielder, which lives as long as the coroutine runs.
    unsafe { &*yielder }.suspend(line);
    YIELDER.set(yielder);
}

/// Runs a kernel for all work-items of a grid.
pub fn run(kernel: Kernel, grid: Grid, arguments: Arguments) -> Result<(), Fault> {
    let blocks = u64::from(grid.blocks);
    let stride = stride(blocks);
    let (next, failed) = (AtomicU64::new(0), AtomicBool::new(false));
    let fault = Mutex::new(None);
    let work = || {
        let mut stacks = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= blocks || failed.load(Ordering::Relaxed) {
                break;
            }
            if let Err(found) = block(kernel, grid, arguments, number * stride % blocks, &mut stacks) {
                failed.store(true, Ordering::Relaxed);
                *fault.lock().unwrap_or_else(|poison| poison.into_inner()) = Some(found);
            }
        }
    };
    if blocks == 1 {
        work();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..AT_A_TIME.min(blocks) {
                scope.spawn(work);
            }
        });
    }
    let fault = fault.into_inner().unwrap_or_else(|poison| poison.into_inner());
    fault.map_or(Ok(()), Err)
}

/// Returns a stride that reaches every block, with consecutive blocks far apart.
fn stride(blocks: u64) -> u64 {
    const PRIMES: [u64; 2] = [2_147_483_629, 2_147_483_587];
    PRIMES.into_iter().find(|prime| !blocks.is_multiple_of(*prime)).unwrap_or(1)
}

/// Runs a block: all its work-items up to the next barrier, repeatedly, until they have ended.
fn block(
    kernel: Kernel,
    grid: Grid,
    arguments: Arguments,
    number: u64,
    stacks: &mut Vec<DefaultStack>,
) -> Result<(), Fault> {
    // Every block finds contents that no kernel may rely on.
    SHARED.set(vec![u64::MAX / 3; grid.shared.div_ceil(8) as usize]);
    let item = |thread: usize| Item {
        thread: [thread as u32, 0, 0],
        block: [number as u32, 0, 0],
        threads: [grid.threads, 1, 1],
        blocks: [grid.blocks, 1, 1],
    };
    let mut waiting: Vec<(usize, Running)> = Vec::new();
    let mut lines = Lines::default();
    let mut ended = 0;
    for thread in 0..grid.threads as usize {
        ITEM.set(item(thread));
        let mut running = started(kernel, arguments, stacks);
        match running.resume(()) {
            CoroutineResult::Yield(line) => {
                lines.add(line);
                waiting.push((thread, running));
            }
            CoroutineResult::Return(()) => {
                ended += 1;
                stacks.push(running.into_stack());
            }
        }
    }
    while !waiting.is_empty() {
        if let Err(fault) = lines.check(number, ended > 0) {
            abandon(waiting);
            return Err(fault);
        }
        lines = Lines::default();
        waiting.reverse();
        let mut still = Vec::with_capacity(waiting.len());
        for (thread, mut running) in waiting {
            ITEM.set(item(thread));
            match running.resume(()) {
                CoroutineResult::Yield(line) => {
                    lines.add(line);
                    still.push((thread, running));
                }
                CoroutineResult::Return(()) => {
                    ended += 1;
                    stacks.push(running.into_stack());
                }
            }
        }
        waiting = still;
    }
    Ok(())
}

/// Makes a work-item that has not run yet.
fn started(kernel: Kernel, arguments: Arguments, stacks: &mut Vec<DefaultStack>) -> Running {
    let stack = stacks.pop().unwrap_or_else(|| DefaultStack::new(STACK).expect("memory for a stack"));
    Coroutine::with_stack(stack, move |yielder, ()| {
        let arguments = arguments;
        YIELDER.set(yielder);
        // SAFETY: the launch's caller passed the kernel's own arguments.
        unsafe { kernel(arguments.0) };
    })
}

/// Drops work-items that will never continue. A kernel has no values that need to be dropped.
fn abandon(waiting: Vec<(usize, Running)>) {
    for (_, mut running) in waiting {
        // SAFETY: the stack holds only registers of a kernel.
        unsafe { running.force_reset() };
    }
}

/// The lines of the barriers at which work-items wait.
#[derive(Default)]
struct Lines {
    first: Option<c_int>,
    other: Option<c_int>,
}

impl Lines {
    fn add(&mut self, line: c_int) {
        let first = *self.first.get_or_insert(line);
        if line != first {
            self.other = Some(line);
        }
    }

    fn check(&self, block: u64, some_ended: bool) -> Result<(), Fault> {
        match (self.first, self.other) {
            (Some(first), Some(other)) => Err(Fault::Divergent { block, lines: [first, other] }),
            (Some(line), None) if some_ended => Err(Fault::Missed { block, line }),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missed { block, line } => {
                write!(
                    f,
                    "in block {block} some work-items wait at the barrier in line {line}, and others have ended"
                )
            }
            Fault::Divergent { block, lines: [one, other] } => {
                write!(
                    f,
                    "in block {block} work-items wait at the barriers in lines {one} and {other} at once"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;
    use std::sync::atomic::AtomicU32;

    use super::*;

    /// Adds the work-item's position in the grid to a sum, twice, with a barrier in between.
    unsafe extern "C" fn counts(arguments: *mut *mut c_void) {
        // SAFETY: the tests pass the address of a number.
        let sum = unsafe { &*(*arguments).cast::<AtomicU32>() };
        // SAFETY: a kernel's item.
        let own = || unsafe { *item() };
        let at = own().block[0] * own().threads[0] + own().thread[0];
        sum.fetch_add(at, Ordering::Relaxed);
        barrier(1);
        assert_eq!(at, own().block[0] * own().threads[0] + own().thread[0]);
        sum.fetch_add(at, Ordering::Relaxed);
    }

    /// Contains a barrier that only even work-items reach.
    unsafe extern "C" fn misses(_: *mut *mut c_void) {
        // SAFETY: a kernel's item.
        if unsafe { *item() }.thread[0] % 2 == 0 {
            barrier(7);
        }
    }

    /// Contains one barrier for even work-items and another for odd ones.
    unsafe extern "C" fn diverges(_: *mut *mut c_void) {
        // SAFETY: a kernel's item.
        barrier(10 + (unsafe { *item() }.thread[0] % 2) as c_int);
    }

    #[test]
    fn every_work_item_runs_once() {
        for (blocks, threads) in [(1, 1), (1, 128), (7, 33), (1000, 4)] {
            let sum = AtomicU32::new(0);
            let mut arguments = [(&raw const sum).cast_mut().cast::<c_void>()];
            run(counts, Grid { blocks, threads, shared: 0 }, Arguments(arguments.as_mut_ptr()))
                .expect("no fault");
            let items = blocks * threads;
            assert_eq!(sum.into_inner(), items * (items - 1));
        }
    }

    #[test]
    fn barriers_that_not_all_reach_are_faults() {
        let run = |kernel| run(kernel, Grid { blocks: 1, threads: 4, shared: 0 }, Arguments(null_mut()));
        assert_eq!(run(misses), Err(Fault::Missed { block: 0, line: 7 }));
        assert_eq!(run(diverges), Err(Fault::Divergent { block: 0, lines: [10, 11] }));
    }
}
