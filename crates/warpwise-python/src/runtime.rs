//! Threads and memory, which programs share, and what becomes of them when the process forks.
//!
//! A child has none of its parent's threads, and the memory of the parent may be locked by one of them. So everything here belongs to
//! a generation, which a fork ends: what was made before is left alone for ever, and made anew where it is needed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::pyfunction;
use warpwise_driver::Context;
use warpwise_runtime::memory::{MemoryPool, default_limit};
use warpwise_runtime::pool::{ThreadPool, available_cores};

static GENERATION: AtomicU64 = AtomicU64::new(0);
static SHARED: Mutex<Option<Own<Context>>> = Mutex::new(None);

/// What a generation's threads use.
pub struct Own<T> {
    generation: u64,
    value: Option<T>,
}

/// What programs run on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Resources {
    /// Threads; one for each core that the process may use unless set.
    pub threads: Option<usize>,
    /// Bytes of memory; most of what the machine or a container has unless set.
    pub memory: Option<u64>,
}

impl<T> Own<T> {
    /// Something that belongs to this process.
    pub fn new(value: T) -> Own<T> {
        Own { generation: generation(), value: Some(value) }
    }

    /// It, unless it belongs to a parent.
    pub fn get(&self) -> Option<&T> {
        let is_own = self.generation == generation();
        self.value.as_ref().filter(|_| is_own)
    }

    /// It, whoever it belongs to: for what needs no thread.
    pub fn any(&self) -> Option<&T> {
        self.value.as_ref()
    }
}

impl<T> Drop for Own<T> {
    fn drop(&mut self) {
        // Whoever drops threads waits for them, and a parent's never end here.
        if self.get().is_none() {
            std::mem::forget(self.value.take());
        }
    }
}

impl Resources {
    /// Threads and memory. Programs that ask for nothing special share theirs.
    pub fn context(self) -> Context {
        if self != Resources::default() {
            return self.made();
        }
        // Only held with the interpreter's lock, which whoever forks has.
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = shared.as_ref().and_then(Own::get) {
            return context.clone();
        }
        let context = self.made();
        *shared = Some(Own::new(context.clone()));
        context
    }

    fn made(self) -> Context {
        let threads = ThreadPool::new(self.threads.unwrap_or_else(available_cores));
        let mut context = Context::with(threads, MemoryPool::new(self.memory.unwrap_or_else(default_limit)));
        if let Some(limit) = self.memory {
            context.limit_device(limit);
        }
        context
    }
}

/// Which generation this process is.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// Tells that this process is the child of a fork. The module's `__init__` sees to it that Python calls this.
#[pyfunction(name = "_after_fork")]
pub fn after_fork() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    crate::stream::after_fork();
}
