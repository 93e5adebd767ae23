//! The memory of a device: a budget, buffers that are kept for reuse, and eviction of blocks.
//!
//! A block is a buffer with an owner count. The buffers of dropped blocks are kept by size and handed out again; they are given
//! back to the driver when the budget or the device's memory runs out. Sizes are rounded up by at most an eighth.
//!
//! If that does not suffice, the least recently used block is evicted: it is copied to the host, unless the host already has a
//! copy of its contents, and is brought back into another buffer at its next use. A block in use has a [`Pin`] and stays; so does
//! a block in memory that somebody else provides ([`DeviceMemory::lent`]).
//!
//! ```text
//! allocate      pin to write      leaves             pin to read       leaves
//! Unset   --->  Newer      --->   on the host  --->  Same       --->   on the host (nothing is copied)
//! ```
//!
//! Absent on purpose: a budget for evicted contents on the host; copies while kernels run.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Buffer, Device, DeviceError};
use crate::memory::{OutOfMemory, PoolStatistics, Provider};

/// Minimum size of a buffer, in bytes.
const LEAST: u64 = 256;

/// The memory of a device. Clones share it.
#[derive(Clone)]
pub struct DeviceMemory {
    shared: Arc<Shared>,
}

/// A block of device memory. When the last owner drops it, its buffer goes back to the reserve, unless somebody else provides the
/// buffer.
pub struct DeviceBlock {
    key: u64,
    bytes: u64,
    home: Arc<Shared>,
    lender: Option<Lender>,
}

/// The provider of a block's memory, kept as long as the block lives.
struct Lender {
    may_write: bool,
    _provider: Provider,
}

/// A block in use, which must not be evicted.
pub struct Pin {
    block: Arc<DeviceBlock>,
    buffer: Buffer,
}

/// Reason why there is no block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoBlock {
    /// The budget or the device's memory does not suffice.
    OutOfMemory(OutOfMemory),
    /// The driver failed.
    Driver(String),
}

/// The traffic between the host and a device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Traffic {
    /// Copies to the device: arguments, and elements that host code stores.
    pub to_device: Copies,
    /// Copies to the host: results, and elements that host code loads.
    pub to_host: Copies,
    /// Evicted blocks.
    pub evicted: Copies,
    /// Evicted blocks that were copied to the host because they had changed.
    pub written_back: Copies,
    /// Evicted blocks that were brought back.
    pub brought_back: Copies,
}

/// Number and total size of copies.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Copies {
    /// Number of copies.
    pub times: u64,
    /// Total size in bytes.
    pub bytes: u64,
}

/// Kind of use of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// The contents stay unchanged.
    Read,
    /// The contents may change.
    Write,
}

struct Shared {
    device: Arc<dyn Device>,
    limit: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    statistics: PoolStatistics,
    traffic: Traffic,
    /// Unused buffers, by size.
    reserve: BTreeMap<u64, Vec<Buffer>>,
    /// All blocks, by key.
    blocks: BTreeMap<u64, Entry>,
    next_key: u64,
    /// Number of uses so far.
    clock: u64,
}

/// The state of a block.
struct Entry {
    bytes: u64,
    contents: Contents,
    pins: u32,
    /// Value of the clock at the last use.
    used: u64,
}

/// Location of a block's contents.
enum Contents {
    /// Contents that nobody has written; there is a buffer.
    Unset(Buffer),
    /// Contents on the device only.
    Newer(Buffer),
    /// Contents on the device, with an equal copy on the host.
    Same(Buffer, Vec<u8>),
    /// Contents on the host only.
    Away(Vec<u8>),
    /// Contents that nobody has written; there is no buffer.
    AwayUnset,
}

impl DeviceMemory {
    /// Manages at most `limit` bytes of a device's memory.
    pub fn new(device: Arc<dyn Device>, limit: u64) -> DeviceMemory {
        DeviceMemory { shared: Arc::new(Shared { device, limit, state: Mutex::default() }) }
    }

    /// Returns the device.
    pub fn device(&self) -> &dyn Device {
        &*self.shared.device
    }

    /// Returns the budget in bytes.
    pub fn limit(&self) -> u64 {
        self.shared.limit
    }

    /// Returns statistics of allocations. Evicted blocks do not count as live.
    pub fn statistics(&self) -> PoolStatistics {
        self.shared.state().statistics
    }

    /// Returns the traffic so far.
    pub fn traffic(&self) -> Traffic {
        self.shared.state().traffic
    }

    /// Allocates a block with unspecified contents.
    pub fn allocate(&self, bytes: u64) -> Result<Arc<DeviceBlock>, NoBlock> {
        let shared = &self.shared;
        let mut state = shared.state();
        let buffer = shared.room(&mut state, bytes)?;
        let key = state.enter(bytes, Contents::Unset(buffer), 0);
        Ok(Arc::new(DeviceBlock { key, bytes, home: Arc::clone(shared), lender: None }))
    }

    /// Makes a block of device memory that `provider` keeps. The block is never evicted, and no budget counts it.
    ///
    /// # Safety
    /// Until `provider` is dropped, commands of the device find `bytes` initialised bytes at the start of `buffer`, and nobody
    /// else writes them; with `may_write`, nobody else reads them either.
    pub unsafe fn lent(
        &self,
        buffer: Buffer,
        bytes: u64,
        may_write: bool,
        provider: Provider,
    ) -> Arc<DeviceBlock> {
        let shared = &self.shared;
        // The pin, which nobody drops, prevents eviction.
        let key = shared.state().enter(bytes, Contents::Newer(buffer), 1);
        let lender = Some(Lender { may_write, _provider: provider });
        Arc::new(DeviceBlock { key, bytes, home: Arc::clone(shared), lender })
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a buffer for `bytes` bytes, counted as live. Other blocks are evicted until there is room.
    fn room(&self, state: &mut State, bytes: u64) -> Result<Buffer, NoBlock> {
        let size = rounded(bytes);
        loop {
            let live = state.statistics.live.checked_add(size).filter(|&live| live <= self.limit);
            if let Some(live) = live
                && let Some(buffer) = self.obtain(state, size)?
            {
                state.statistics.live = live;
                state.statistics.peak_live = state.statistics.peak_live.max(live);
                return Ok(buffer);
            }
            if size > self.limit || !self.evict(state)? {
                let PoolStatistics { live, held, .. } = state.statistics;
                return Err(NoBlock::OutOfMemory(OutOfMemory {
                    asked: bytes,
                    live,
                    held,
                    limit: self.limit,
                }));
            }
        }
    }

    /// Returns a buffer of this size from the reserve or the driver, or `None` if the device is full.
    fn obtain(&self, state: &mut State, size: u64) -> Result<Option<Buffer>, NoBlock> {
        if let Some(buffer) = state.reserve.get_mut(&size).and_then(Vec::pop) {
            state.statistics.hits += 1;
            return Ok(Some(buffer));
        }
        if state.statistics.held.saturating_add(size) > self.limit {
            self.empty_reserve(state);
        }
        let made = self.device.allocate(size).or_else(|_| {
            self.empty_reserve(state);
            self.device.allocate(size)
        });
        match made {
            Ok(buffer) => {
                state.statistics.held += size;
                state.statistics.misses += 1;
                Ok(Some(buffer))
            }
            Err(DeviceError::OutOfMemory) => Ok(None),
            Err(DeviceError::Driver(message)) => Err(NoBlock::Driver(message)),
        }
    }

    /// Evicts the least recently used block and returns whether there was one that may be evicted.
    fn evict(&self, state: &mut State) -> Result<bool, NoBlock> {
        let may_leave =
            state.blocks.iter().filter(|(_, entry)| entry.pins == 0 && entry.contents.buffer().is_some());
        let Some(key) = may_leave.min_by_key(|(_, entry)| entry.used).map(|(&key, _)| key) else {
            return Ok(false);
        };
        let Some(entry) = state.blocks.get_mut(&key) else { return Ok(false) };
        let bytes = entry.bytes;
        let copy = match &entry.contents {
            Contents::Newer(buffer) => {
                let mut copy = vec![0; bytes as usize];
                if bytes > 0 {
                    self.device.read(*buffer, 0, &mut copy).map_err(NoBlock::from)?;
                }
                Some(copy)
            }
            Contents::Unset(_) | Contents::Same(..) | Contents::Away(_) | Contents::AwayUnset => None,
        };
        if copy.is_some() {
            state.traffic.written_back.add(bytes);
        }
        let (buffer, contents) = match (std::mem::replace(&mut entry.contents, Contents::AwayUnset), copy) {
            (Contents::Newer(buffer), Some(copy)) | (Contents::Same(buffer, copy), _) => {
                (Some(buffer), Contents::Away(copy))
            }
            (Contents::Unset(buffer) | Contents::Newer(buffer), _) => (Some(buffer), Contents::AwayUnset),
            (away @ (Contents::Away(_) | Contents::AwayUnset), _) => (None, away),
        };
        entry.contents = contents;
        state.traffic.evicted.add(bytes);
        if let Some(buffer) = buffer {
            state.put_in_reserve(buffer, bytes);
        }
        Ok(true)
    }

    /// Brings a block to the device and prevents its eviction.
    fn pin(&self, key: u64, access: Access) -> Result<Buffer, NoBlock> {
        let mut state = self.state();
        let used = state.tick();
        let gone = || NoBlock::Driver("a block of the device is used after its end".to_string());
        let bytes = state.blocks.get(&key).ok_or_else(gone)?.bytes;
        let here = state.blocks.get(&key).and_then(|entry| entry.contents.buffer());
        let buffer = match here {
            Some(buffer) => buffer,
            None => {
                let buffer = self.room(&mut state, bytes)?;
                self.bring_back(&mut state, key, buffer)?;
                buffer
            }
        };
        let entry = state.blocks.get_mut(&key).ok_or_else(gone)?;
        if access == Access::Write {
            entry.contents = Contents::Newer(buffer);
        }
        entry.pins += 1;
        entry.used = used;
        Ok(buffer)
    }

    fn bring_back(&self, state: &mut State, key: u64, buffer: Buffer) -> Result<(), NoBlock> {
        let Some(entry) = state.blocks.get_mut(&key) else { return Ok(()) };
        let (bytes, away) = (entry.bytes, std::mem::replace(&mut entry.contents, Contents::Unset(buffer)));
        if let Contents::Away(copy) = away {
            let written = if copy.is_empty() { Ok(()) } else { self.device.write(buffer, 0, &copy) };
            entry.contents = Contents::Same(buffer, copy);
            written.map_err(NoBlock::from)?;
            state.traffic.brought_back.add(bytes);
        }
        Ok(())
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

impl State {
    /// Adds a block and returns its key.
    fn enter(&mut self, bytes: u64, contents: Contents, pins: u32) -> u64 {
        let (key, used) = (self.next_key, self.tick());
        self.next_key += 1;
        self.blocks.insert(key, Entry { bytes, contents, pins, used });
        key
    }

    fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Puts the buffer of a block of `bytes` bytes into the reserve.
    fn put_in_reserve(&mut self, buffer: Buffer, bytes: u64) {
        let size = rounded(bytes);
        self.statistics.live -= size;
        self.reserve.entry(size).or_default().push(buffer);
    }
}

impl Contents {
    fn buffer(&self) -> Option<Buffer> {
        match self {
            Contents::Unset(buffer) | Contents::Newer(buffer) | Contents::Same(buffer, _) => Some(*buffer),
            Contents::Away(_) | Contents::AwayUnset => None,
        }
    }
}

impl Copies {
    fn add(&mut self, bytes: u64) {
        self.times += 1;
        self.bytes += bytes;
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
    /// Returns a number that is unique among the blocks of this memory.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Returns the requested size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns whether the block belongs to this memory.
    pub fn is_of(&self, memory: &DeviceMemory) -> bool {
        Arc::ptr_eq(&self.home, &memory.shared)
    }

    /// Returns whether the owner of this handle may overwrite the block: there is no other handle, and no provider that needs its
    /// contents unchanged.
    pub fn is_own(self: &Arc<Self>) -> bool {
        Arc::strong_count(self) == 1 && self.lender.as_ref().is_none_or(|lender| lender.may_write)
    }

    /// Brings the block to the device and keeps it there as long as the pin lives.
    pub fn pin(self: &Arc<Self>, access: Access) -> Result<Pin, NoBlock> {
        let buffer = self.home.pin(self.key, access)?;
        Ok(Pin { block: Arc::clone(self), buffer })
    }

    /// Writes bytes to the block, starting at offset `at`.
    pub fn write(self: &Arc<Self>, at: u64, bytes: &[u8]) -> Result<(), NoBlock> {
        if bytes.is_empty() {
            return Ok(());
        }
        let pin = self.pin(Access::Write)?;
        self.home.device.write(pin.buffer, at, bytes)?;
        self.home.state().traffic.to_device.add(bytes.len() as u64);
        Ok(())
    }

    /// Reads bytes of the block, starting at offset `at`, when all earlier commands are done.
    pub fn read(self: &Arc<Self>, at: u64, bytes: &mut [u8]) -> Result<(), NoBlock> {
        if bytes.is_empty() {
            return Ok(());
        }
        let pin = self.pin(Access::Read)?;
        self.home.device.read(pin.buffer, at, bytes)?;
        self.home.state().traffic.to_host.add(bytes.len() as u64);
        Ok(())
    }

    /// Waits until all earlier commands of the device are done.
    pub fn finish(&self) -> Result<(), NoBlock> {
        Ok(self.home.device.finish()?)
    }

    /// Copies the block within the same memory.
    pub fn copied(self: &Arc<Self>) -> Result<Arc<DeviceBlock>, NoBlock> {
        let copy = DeviceMemory { shared: Arc::clone(&self.home) }.allocate(self.bytes)?;
        if self.bytes > 0 {
            let (from, to) = (self.pin(Access::Read)?, copy.pin(Access::Write)?);
            self.home.device.copy(to.buffer, from.buffer, self.bytes)?;
        }
        Ok(copy)
    }

    /// Repeats a pattern of 1, 2, 4 or 8 bytes over `bytes` bytes from `at` on; `at` and `bytes` are multiples of its length.
    pub fn fill(self: &Arc<Self>, at: u64, pattern: &[u8], bytes: u64) -> Result<(), NoBlock> {
        if bytes == 0 {
            return Ok(());
        }
        let pin = self.pin(Access::Write)?;
        Ok(self.home.device.fill(pin.buffer, at, pattern, bytes)?)
    }
}

impl Drop for DeviceBlock {
    fn drop(&mut self) {
        if self.lender.is_some() {
            // The provider may hand the memory to a user outside of this queue. A driver's failure is reported by the next
            // command.
            drop(self.home.device.finish());
        }
        let mut state = self.home.state();
        let buffer = state.blocks.remove(&self.key).and_then(|entry| entry.contents.buffer());
        if let (Some(buffer), None) = (buffer, &self.lender) {
            state.put_in_reserve(buffer, self.bytes);
        }
    }
}

impl Pin {
    /// Returns the buffer.
    pub fn buffer(&self) -> Buffer {
        self.buffer
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        if let Some(entry) = self.block.home.state().blocks.get_mut(&self.block.key) {
            entry.pins -= 1;
        }
    }
}

impl From<DeviceError> for NoBlock {
    fn from(error: DeviceError) -> NoBlock {
        NoBlock::Driver(error.to_string())
    }
}

impl fmt::Display for NoBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoBlock::OutOfMemory(error) => error.fmt(f),
            NoBlock::Driver(message) => f.write_str(message),
        }
    }
}

impl fmt::Debug for DeviceMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceMemory")
            .field("limit", &self.limit())
            .field("traffic", &self.traffic())
            .finish()
    }
}

impl fmt::Debug for DeviceBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBlock").field("key", &self.key).field("bytes", &self.bytes).finish()
    }
}

/// Returns the size of a block's buffer: `bytes` rounded up to a multiple of an eighth of the power of two below it.
fn rounded(bytes: u64) -> u64 {
    let bytes = bytes.max(LEAST);
    let step = (1u64 << bytes.ilog2()) / 8;
    bytes.checked_next_multiple_of(step).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
