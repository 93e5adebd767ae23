//! Threads and memory, shared by programs, and their fate when the process forks.
//!
//! A child process has none of its parent's threads, and one of those threads may hold a lock on the parent's memory. So everything
//! here belongs to a generation, which ends with a fork. Objects of an older generation are never touched again, and are made anew
//! where they are needed.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::pyfunction;
use warpwise_driver::Context;
use warpwise_runtime::memory::{MemoryPool, default_limit};
use warpwise_runtime::pool::{ThreadPool, available_cores};

static GENERATION: AtomicU64 = AtomicU64::new(0);
static SHARED: Mutex<Option<Own<Context>>> = Mutex::new(None);

/// A value that belongs to one generation.
pub struct Own<T> {
    generation: u64,
    value: Option<T>,
}

/// The threads and the memory that programs use.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Resources {
    /// Number of threads; by default one for each core that the process may use.
    pub threads: Option<usize>,
    /// Bound on memory, in bytes; by default most of what the machine or the container has.
    pub memory: Option<u64>,
}

impl<T> Own<T> {
    /// Wraps a value that belongs to this process.
    pub fn new(value: T) -> Own<T> {
        Own { generation: generation(), value: Some(value) }
    }

    /// Returns the value, unless it belongs to a parent process.
    pub fn get(&self) -> Option<&T> {
        let is_own = self.generation == generation();
        self.value.as_ref().filter(|_| is_own)
    }

    /// Returns the value even if it belongs to a parent process. For uses that need no thread.
    pub fn any(&self) -> Option<&T> {
        self.value.as_ref()
    }
}

impl<T> Drop for Own<T> {
    fn drop(&mut self) {
        // Dropping threads waits for them, and a parent's threads never end in this process.
        if self.get().is_none() {
            std::mem::forget(self.value.take());
        }
    }
}

impl Resources {
    /// Returns threads and memory. Programs with default resources share theirs.
    pub fn context(self) -> Context {
        if self != Resources::default() {
            return self.made();
        }
        // The mutex is only held together with the interpreter's lock, and a fork takes place under that lock.
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

/// Returns the generation of this process: the number of forks that led to it.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// Notes that this process is the child of a fork. The module's `__init__` registers this function with Python.
#[pyfunction(name = "_after_fork")]
pub fn after_fork() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    crate::calls::after_fork();
    crate::interrupt::after_fork();
    crate::stream::after_fork();
}
