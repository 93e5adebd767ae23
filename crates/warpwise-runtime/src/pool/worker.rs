//! Worker threads: finding regions, spinning, parking and waking; the identity of the current thread.
//!
//! A worker announces that it is about to park and then looks for work once more. A thread that publishes a region first counts
//! it as active and then looks for parked workers. The four steps are sequentially consistent, so one of the two sees the other
//! and no region goes unnoticed. (A missed one would only cost speed: the publishing thread can finish every region alone.)

use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle, Thread};

use super::available_cores;
use super::region::{Region, Slot};

/// Maximum number of open regions; loops nested deeper run on one thread.
const SLOTS: usize = 16;

/// Number of times that a worker looks for work before it parks: about 50 microseconds.
const PATIENCE: u32 = 1000;

/// The same number when there are more workers than cores and spinning hinders others.
const PATIENCE_OVERSUBSCRIBED: u32 = 20;

/// State that the threads of a pool share.
pub(super) struct Shared {
    slots: Vec<Slot>,
    /// Number of regions published and not retired.
    active: AtomicU32,
    /// Number of workers parked or about to park.
    sleepers: AtomicU32,
    workers: Vec<Sleeper>,
    patience: u32,
    shut_down: AtomicBool,
}

/// The parking place of one worker.
struct Sleeper {
    parked: AtomicBool,
    thread: OnceLock<Thread>,
}

/// A thread's identity as a worker; dropping it restores the former identity.
pub(super) struct Identity {
    former: (usize, usize),
}

thread_local! {
    /// Address of the pool this thread works for (0: none), and its worker index there.
    static CURRENT: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Returns the index of the current thread in the pool of `shared`, if it works there.
pub(super) fn current_worker(shared: &Arc<Shared>) -> Option<usize> {
    let (pool, worker) = CURRENT.get();
    (pool == Arc::as_ptr(shared) as usize).then_some(worker)
}

/// Makes the current thread worker `worker` of this pool until the result is dropped.
pub(super) fn enter(shared: &Arc<Shared>, worker: usize) -> Identity {
    Identity { former: CURRENT.replace((Arc::as_ptr(shared) as usize, worker)) }
}

impl Drop for Identity {
    fn drop(&mut self) {
        CURRENT.set(self.former);
    }
}

/// Starts worker `index`, at least 1.
pub(super) fn start(shared: &Arc<Shared>, index: usize) -> io::Result<JoinHandle<()>> {
    let shared = Arc::clone(shared);
    thread::Builder::new().name(format!("warpwise-{index}")).spawn(move || {
        let _identity = enter(&shared, index);
        shared.workers[index].thread.get_or_init(thread::current);
        shared.serve(index);
    })
}

impl Shared {
    /// Makes the state of a pool of `threads` workers.
    pub(super) fn new(threads: usize) -> Shared {
        let sleeper = || Sleeper { parked: AtomicBool::new(false), thread: OnceLock::new() };
        Shared {
            slots: (0..SLOTS).map(|_| Slot::new(threads)).collect(),
            active: AtomicU32::new(0),
            sleepers: AtomicU32::new(0),
            workers: (0..threads).map(|_| sleeper()).collect(),
            patience: if threads > available_cores() { PATIENCE_OVERSUBSCRIBED } else { PATIENCE },
            shut_down: AtomicBool::new(false),
        }
    }

    /// Returns a slot for a new region, owned by the caller, or `None` when all are in use.
    pub(super) fn free_slot(&self) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.try_take())
    }

    /// Shows `region` to the workers through `slot`, which the caller owns.
    pub(super) fn publish(&self, slot: &Slot, region: &Region<'_>) {
        slot.publish(region);
        self.active.fetch_add(1, Ordering::SeqCst);
        self.wake(1);
    }

    /// Ends the region of `slot` when all its chunks are done.
    pub(super) fn retire(&self, slot: &Slot, region: &Region<'_>, worker: usize) {
        self.active.fetch_sub(1, Ordering::SeqCst);
        slot.retire(region, worker);
    }

    /// Ends all workers, once they are idle.
    pub(super) fn shut_down(&self) {
        self.shut_down.store(true, Ordering::SeqCst);
        self.wake(usize::MAX);
    }

    fn serve(&self, index: usize) {
        let mut idle = 0;
        while !self.shut_down.load(Ordering::Relaxed) {
            if self.active.load(Ordering::Relaxed) > 0 && self.slots.iter().any(|slot| slot.join(index)) {
                idle = 0;
            } else if idle < self.patience {
                idle += 1;
                std::hint::spin_loop();
            } else {
                self.park(index);
                idle = 0;
                // A publishing thread wakes one worker, and each worker that wakes up wakes two more, so a large pool is awake
                // after a logarithmic number of steps.
                if self.has_work() {
                    self.wake(2);
                }
            }
        }
    }

    fn park(&self, index: usize) {
        let me = &self.workers[index];
        me.parked.store(true, Ordering::SeqCst);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        if self.has_work() || self.shut_down.load(Ordering::SeqCst) {
            self.unpark(me);
        }
        while me.parked.load(Ordering::SeqCst) {
            thread::park();
        }
    }

    /// Returns whether a region has grains to claim. A running region without any is no reason to stay awake: claimed grains come
    /// back only for the moment of a theft.
    fn has_work(&self) -> bool {
        self.active.load(Ordering::SeqCst) > 0 && self.slots.iter().any(Slot::has_work)
    }

    /// Wakes up to `count` parked workers.
    fn wake(&self, count: usize) {
        if self.sleepers.load(Ordering::SeqCst) == 0 {
            return;
        }
        let mut left = count;
        for worker in &self.workers {
            if left == 0 {
                return;
            }
            left -= usize::from(self.unpark(worker));
        }
    }

    /// Ends the parking of `worker` and returns whether it was parked.
    fn unpark(&self, worker: &Sleeper) -> bool {
        let parked = worker.parked.load(Ordering::Relaxed) && worker.parked.swap(false, Ordering::SeqCst);
        if parked {
            self.sleepers.fetch_sub(1, Ordering::SeqCst);
            if let Some(thread) = worker.thread.get() {
                thread.unpark();
            }
        }
        parked
    }
}
