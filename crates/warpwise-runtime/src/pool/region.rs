//! One parallel loop (a *region*) and the slot through which workers see it.
//!
//! A region lives on the stack of the thread that runs it. A slot lives as long as the pool and holds the shares. A worker first
//! registers as a user of the slot and then reads the region's address; the owner first clears the address and then waits until
//! there are no users. All four steps are sequentially consistent, so either the worker sees no region or the owner sees the
//! worker: a region is never used after its end.
//!
//! Only users of a slot change its shares, and every grain leaves a share once, so a share never
//! holds the same pair of bounds twice during one region: compare-and-swap on it is safe.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Body, Schedule};

/// A running parallel loop.
pub(super) struct Region<'a> {
    body: &'a Body<'a>,
    n: i64,
    /// Length of a grain in indices.
    grain: i64,
    grains: u32,
    /// Number of grains that an owner takes from its share at once.
    piece: u32,
    schedule: Schedule,
    cancel: &'a AtomicBool,
    /// Whether a worker saw `cancel` set and stopped claiming. `cancel` may be cleared before the loop ends.
    cut: AtomicBool,
    panicked: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// The place where workers see a region. Aligned so that slots share no cache lines.
#[repr(align(128))]
pub(super) struct Slot {
    /// The region, or null. Erased lifetime: valid for registered users.
    region: AtomicPtr<Region<'static>>,
    users: AtomicU32,
    /// Whether some thread owns the slot.
    taken: AtomicBool,
    shares: Box<[Share]>,
}

/// The grains `lo..hi` that nobody has claimed yet, packed as `hi << 32 | lo`.
#[repr(align(128))]
struct Share(AtomicU64);

/// A range of grains.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Grains {
    lo: u32,
    hi: u32,
}

impl<'a> Region<'a> {
    /// Makes a loop over `0..n`, `n > 0`.
    pub(super) fn new(
        n: i64,
        grain: i64,
        schedule: Schedule,
        threads: usize,
        body: &'a Body<'a>,
        cancel: &'a AtomicBool,
    ) -> Region<'a> {
        let grain = grain.clamp(1, n);
        // Grains are counted in 32 bits; if there are more, several are merged into one.
        let fine = (n as u64).div_ceil(grain as u64);
        let grain = grain * (fine.div_ceil(u64::from(u32::MAX)) as i64);
        let grains = (n as u64).div_ceil(grain as u64) as u32;
        let piece = match schedule {
            // An eighth of a share: long enough for prefetchers, short enough to rebalance when a
            // core is lost to somebody else, and to stop soon when cancelled.
            Schedule::Static => (grains / (8 * threads as u32)).max(1),
            Schedule::Dynamic | Schedule::Ordered => 1,
        };
        Region {
            body,
            n,
            grain,
            grains,
            piece,
            schedule,
            cancel,
            cut: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            panic: Mutex::new(None),
        }
    }

    /// Returns the number of grains of the range.
    pub(super) fn grains(&self) -> u32 {
        self.grains
    }

    /// Runs the whole loop on the calling thread.
    pub(super) fn run_alone(&self, worker: usize) {
        let mut lo = 0;
        while lo < self.grains && !self.stopped() {
            let hi = lo.saturating_add(self.piece).min(self.grains);
            self.execute(Grains { lo, hi }, worker);
            lo = hi;
        }
    }

    /// Raises the first panic of a body again.
    pub(super) fn raise_panic(&self) {
        if self.panicked.load(Ordering::Acquire) {
            let payload = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(payload) = payload {
                resume_unwind(payload);
            }
        }
    }

    /// Returns whether chunks may be missing because the loop was cancelled.
    pub(super) fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    fn stopped(&self) -> bool {
        if self.cancel.load(Ordering::Relaxed) {
            self.cut.store(true, Ordering::Relaxed);
        }
        self.cut.load(Ordering::Relaxed) || self.panicked.load(Ordering::Relaxed)
    }

    fn execute(&self, grains: Grains, worker: usize) {
        let lo = i64::from(grains.lo) * self.grain;
        let hi = if grains.hi == self.grains { self.n } else { i64::from(grains.hi) * self.grain };
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| (self.body)(lo, hi, worker))) {
            let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(payload);
            self.panicked.store(true, Ordering::Release);
        }
    }
}

impl Slot {
    /// Makes an empty slot for a pool of `threads` workers.
    pub(super) fn new(threads: usize) -> Slot {
        Slot {
            region: AtomicPtr::new(ptr::null_mut()),
            users: AtomicU32::new(0),
            taken: AtomicBool::new(false),
            shares: (0..threads).map(|_| Share(AtomicU64::new(0))).collect(),
        }
    }

    /// Makes the calling thread the owner of the slot unless it has one; returns whether it did.
    pub(super) fn try_take(&self) -> bool {
        !self.taken.load(Ordering::Relaxed) && !self.taken.swap(true, Ordering::Acquire)
    }

    /// Distributes the grains over the shares and shows the region to workers. Only for the owner.
    pub(super) fn publish(&self, region: &Region<'_>) {
        let count = self.shares.len() as u64;
        let bound = |worker: u64| match region.schedule {
            Schedule::Static | Schedule::Dynamic => (u64::from(region.grains) * worker / count) as u32,
            Schedule::Ordered if worker == 0 => 0,
            Schedule::Ordered => region.grains,
        };
        for (worker, share) in (0..).zip(&self.shares) {
            share.set(Grains { lo: bound(worker), hi: bound(worker + 1) });
        }
        let address: *const Region<'_> = region;
        self.region.store(address.cast_mut().cast(), Ordering::SeqCst);
    }

    /// Hides the region, helps until all its users are done, and gives the slot up. Only for the owner.
    pub(super) fn retire(&self, region: &Region<'_>, worker: usize) {
        self.region.store(ptr::null_mut(), Ordering::SeqCst);
        let mut waited = 0;
        while self.users.load(Ordering::SeqCst) != 0 {
            // A thief that stole several grains puts all but the first piece into its own share.
            if self.has_work() {
                self.work(region, worker);
            }
            waited = pause(waited);
        }
        self.taken.store(false, Ordering::Release);
    }

    /// Takes part in the region of this slot, if there is one, and returns whether there was one.
    pub(super) fn join(&self, worker: usize) -> bool {
        if self.region.load(Ordering::Relaxed).is_null() || !self.has_work() {
            return false;
        }
        self.users.fetch_add(1, Ordering::SeqCst);
        let region = self.region.load(Ordering::SeqCst);
        if !region.is_null() {
            // SAFETY: the worker registered before it read the address, so the owner waits for it (see the module's header) and
            // the region stays valid until `users` is decremented.
            self.work(unsafe { &*region }, worker);
        }
        self.users.fetch_sub(1, Ordering::SeqCst);
        !region.is_null()
    }

    /// Executes grains until none can be claimed. Only for the owner and for registered users.
    pub(super) fn work(&self, region: &Region<'_>, worker: usize) {
        while !region.stopped()
            && let Some(grains) = self.claim(region, worker)
        {
            region.execute(grains, worker);
        }
        if region.stopped() {
            self.drop_unclaimed();
        }
    }

    /// Returns whether some share has grains left. Only a hint, unless the caller is the owner or a user.
    pub(super) fn has_work(&self) -> bool {
        self.shares.iter().any(|share| !share.get().is_empty())
    }

    fn claim(&self, region: &Region<'_>, worker: usize) -> Option<Grains> {
        match region.schedule {
            Schedule::Ordered => self.shares[0].take_front(1),
            Schedule::Static | Schedule::Dynamic => {
                self.shares[worker].take_front(region.piece).or_else(|| self.steal(region.piece, worker))
            }
        }
    }

    /// Steals the back half of another share: returns one piece to execute and puts the rest into the worker's own (empty) share.
    fn steal(&self, piece: u32, worker: usize) -> Option<Grains> {
        let (before, after) = self.shares.split_at(worker);
        let stolen = after.iter().chain(before).find_map(Share::take_back_half)?;
        let middle = stolen.hi.min(stolen.lo.saturating_add(piece));
        self.shares[worker].set(Grains { lo: middle, hi: stolen.hi });
        Some(Grains { lo: stolen.lo, hi: middle })
    }

    /// Empties the shares, so that nobody claims the rest of a stopped region. A thief may still put its loot back after this,
    /// but then it checks for the stop itself.
    fn drop_unclaimed(&self) {
        for share in &self.shares {
            share.set(Grains { lo: 0, hi: 0 });
        }
    }
}

impl Share {
    fn get(&self) -> Grains {
        Grains::unpack(self.0.load(Ordering::Relaxed))
    }

    fn set(&self, grains: Grains) {
        self.0.store(grains.pack(), Ordering::Release);
    }

    fn take_front(&self, count: u32) -> Option<Grains> {
        self.take(
            |Grains { lo, hi }| hi.min(lo.saturating_add(count)),
            |middle, all| (Grains { lo: all.lo, hi: middle }, Grains { lo: middle, hi: all.hi }),
        )
    }

    fn take_back_half(&self) -> Option<Grains> {
        self.take(
            |Grains { lo, hi }| lo + (hi - lo) / 2,
            |middle, all| (Grains { lo: middle, hi: all.hi }, Grains { lo: all.lo, hi: middle }),
        )
    }

    /// Splits the share at `middle`, keeps the second part of `split` and returns the first.
    fn take(
        &self,
        middle: impl Fn(Grains) -> u32,
        split: impl Fn(u32, Grains) -> (Grains, Grains),
    ) -> Option<Grains> {
        let mut packed = self.0.load(Ordering::Acquire);
        loop {
            let all = Grains::unpack(packed);
            if all.is_empty() {
                return None;
            }
            let (taken, kept) = split(middle(all), all);
            match self.0.compare_exchange_weak(packed, kept.pack(), Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(taken),
                Err(now) => packed = now,
            }
        }
    }
}

impl Grains {
    fn is_empty(self) -> bool {
        self.lo >= self.hi
    }

    fn pack(self) -> u64 {
        u64::from(self.hi) << 32 | u64::from(self.lo)
    }

    fn unpack(packed: u64) -> Grains {
        Grains { lo: packed as u32, hi: (packed >> 32) as u32 }
    }
}

/// Waits one step for another running thread: spins first, then yields the core.
pub(super) fn pause(waited: u32) -> u32 {
    if waited < 256 {
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
    waited.saturating_add(1)
}
