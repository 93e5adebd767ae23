//! The memory of a device: a budget, and buffers that are kept for reuse.
//!
//! A block is a buffer with an owner count; what is dropped is kept by size and handed out again, and given back to
//! the driver when the budget or the device runs out. Sizes are rounded up to at most an eighth more.
//!
//! Absent on purpose: writing blocks back to the host when the device is full.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Buffer, Device, DeviceError};
use crate::memory::{OutOfMemory, PoolStatistics};

/// Least size of a buffer.
const LEAST: u64 = 256;

/// A device's memory. Clones share it.
#[derive(Clone)]
pub struct DeviceMemory {
    shared: Arc<Shared>,
}

/// A block of device memory, back in reserve when its last owner drops it.
pub struct DeviceBlock {
    buffer: Buffer,
    bytes: u64,
    home: Arc<Shared>,
}

/// Why there is no block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoBlock {
    /// The budget or the device does not suffice.
    OutOfMemory(OutOfMemory),
    /// The driver failed.
    Driver(String),
}

struct Shared {
    device: Arc<dyn Device>,
    limit: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    statistics: PoolStatistics,
    /// Buffers in reserve, by size.
    reserve: BTreeMap<u64, Vec<Buffer>>,
}

impl DeviceMemory {
    /// At most so many bytes of a device's memory.
    pub fn new(device: Arc<dyn Device>, limit: u64) -> DeviceMemory {
        DeviceMemory { shared: Arc::new(Shared { device, limit, state: Mutex::default() }) }
    }

    /// The device.
    pub fn device(&self) -> &dyn Device {
        &*self.shared.device
    }

    /// The budget.
    pub fn limit(&self) -> u64 {
        self.shared.limit
    }

    /// What was allocated so far.
    pub fn statistics(&self) -> PoolStatistics {
        self.shared.state().statistics
    }

    /// A block of unspecified contents.
    pub fn allocate(&self, bytes: u64) -> Result<DeviceBlock, NoBlock> {
        let shared = &self.shared;
        let mut state = shared.state();
        let size = rounded(bytes);
        let refused = |state: &State| {
            let PoolStatistics { live, held, .. } = state.statistics;
            NoBlock::OutOfMemory(OutOfMemory { asked: bytes, live, held, limit: shared.limit })
        };
        let Some(live) = size.checked_add(state.statistics.live).filter(|&live| live <= shared.limit) else {
            return Err(refused(&state));
        };
        let kept = state.reserve.get_mut(&size).and_then(Vec::pop);
        let buffer = match kept {
            Some(buffer) => {
                state.statistics.hits += 1;
                buffer
            }
            None => {
                if state.statistics.held.saturating_add(size) > shared.limit {
                    shared.empty_reserve(&mut state);
                }
                let buffer = shared.device.allocate(size).or_else(|_| {
                    shared.empty_reserve(&mut state);
                    shared.device.allocate(size)
                });
                let buffer = buffer.map_err(|error| match error {
                    DeviceError::OutOfMemory => refused(&state),
                    DeviceError::Driver(message) => NoBlock::Driver(message),
                })?;
                state.statistics.held += size;
                state.statistics.misses += 1;
                buffer
            }
        };
        state.statistics.live = live;
        state.statistics.peak_live = state.statistics.peak_live.max(live);
        Ok(DeviceBlock { buffer, bytes, home: Arc::clone(shared) })
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn empty_reserve(&self, state: &mut State) {
        for (size, buffers) in std::mem::take(&mut state.reserve) {
            for buffer in buffers {
                self.device.free(buffer);
                state.statistics.held -= size;
            }
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let reserve =
            std::mem::take(&mut self.state.get_mut().unwrap_or_else(PoisonError::into_inner).reserve);
        reserve.into_values().flatten().for_each(|buffer| self.device.free(buffer));
    }
}

impl DeviceBlock {
    /// The buffer.
    pub fn buffer(&self) -> Buffer {
        self.buffer
    }

    /// The size asked for.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Drop for DeviceBlock {
    fn drop(&mut self) {
        let size = rounded(self.bytes);
        let mut state = self.home.state();
        state.statistics.live -= size;
        state.reserve.entry(size).or_default().push(self.buffer);
    }
}

impl fmt::Debug for DeviceBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBlock").field("buffer", &self.buffer).field("bytes", &self.bytes).finish()
    }
}

/// The size of the buffer for a block: multiples of an eighth of the power of two below it.
fn rounded(bytes: u64) -> u64 {
    let bytes = bytes.max(LEAST);
    let step = (1u64 << bytes.ilog2()) / 8;
    bytes.checked_next_multiple_of(step).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// A device that only counts its buffers.
    #[derive(Default)]
    struct Counting {
        made: AtomicU64,
        there: AtomicU64,
    }

    impl Device for Counting {
        fn name(&self) -> String {
            "counting".to_string()
        }
        fn memory(&self) -> u64 {
            u64::MAX
        }
        fn concurrency(&self) -> u64 {
            1
        }
        fn allocate(&self, _bytes: u64) -> Result<Buffer, DeviceError> {
            self.there.fetch_add(1, Ordering::Relaxed);
            Ok(Buffer(self.made.fetch_add(1, Ordering::Relaxed)))
        }
        fn free(&self, _buffer: Buffer) {
            self.there.fetch_sub(1, Ordering::Relaxed);
        }
        fn write(&self, _buffer: Buffer, _at: u64, _bytes: &[u8]) -> Result<(), DeviceError> {
            Ok(())
        }
        fn read(&self, _buffer: Buffer, _at: u64, _bytes: &mut [u8]) -> Result<(), DeviceError> {
            Ok(())
        }
        fn fill(&self, _: Buffer, _at: u64, _pattern: &[u8], _bytes: u64) -> Result<(), DeviceError> {
            Ok(())
        }
        fn finish(&self) -> Result<(), DeviceError> {
            Ok(())
        }
    }

    #[test]
    fn blocks_are_reused_and_the_budget_holds() {
        let device = Arc::new(Counting::default());
        let memory = DeviceMemory::new(Arc::clone(&device) as Arc<dyn Device>, 4096);
        let first = memory.allocate(1000).expect("room");
        let buffer = first.buffer();
        drop(first);
        let again = memory.allocate(1001).expect("room");
        assert_eq!(again.buffer(), buffer);
        assert!(matches!(memory.allocate(4000), Err(NoBlock::OutOfMemory(_))));
        drop(again);
        // The reserve makes room.
        let large = memory.allocate(4000).expect("room");
        assert_eq!(device.there.load(Ordering::Relaxed), 1);
        assert!(matches!(memory.allocate(u64::MAX), Err(NoBlock::OutOfMemory(_))));
        drop(large);
        drop(memory);
        assert_eq!(device.there.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn sizes_grow_by_an_eighth_at_most() {
        for bytes in [0, 1, 256, 257, 1000, 4097, 1 << 40, (1 << 40) + 1] {
            let size = rounded(bytes);
            assert!(size >= bytes && size <= (bytes + bytes / 8).max(LEAST), "{bytes} {size}");
        }
        assert_eq!(rounded(u64::MAX), u64::MAX);
    }
}
