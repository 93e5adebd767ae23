//! The blocks of memory registers, on the host or on a device.

use std::sync::Arc;

use smallvec::SmallVec;
use warpwise_prim::ScalarType;

use super::profile::Other;
use super::watch::Watch;
use super::{Machine, RunError};
use crate::array::Array;
use crate::device::array::DeviceArray;
use crate::device::memory::{DeviceBlock, NoBlock};
use crate::memory::{Block, OutOfMemory};

/// A block of a memory register.
#[derive(Clone)]
pub(super) enum Held {
    /// In the host's memory.
    Host(Arc<Block>),
    /// In a device's memory, or evicted from it.
    Device(Arc<DeviceBlock>),
}

/// Small released blocks without another owner. Reusing one costs less than taking the pool's lock. Larger blocks are not kept:
/// work on them takes much longer than an allocation.
#[derive(Default)]
pub(super) struct Spares {
    blocks: SmallVec<[Arc<Block>; Spares::MOST]>,
}

/// Reason why there is no block.
pub(super) enum Refused {
    /// A budget does not suffice.
    OutOfMemory(OutOfMemory),
    /// Anything else.
    Other(RunError),
}

impl Spares {
    /// Maximum number of spares.
    const MOST: usize = 8;
    /// Maximum size of a spare in bytes.
    const LARGEST: usize = 16 << 10;

    /// Keeps a released block if it is small and has no other owner; the oldest spare is dropped if there are too many.
    pub fn keep(&mut self, released: Option<Held>) {
        if let Some(Held::Host(mut block)) = released
            && block.bytes() <= Spares::LARGEST
            && block.is_pooled()
            && Arc::get_mut(&mut block).is_some()
        {
            if self.blocks.len() == Spares::MOST {
                self.blocks.remove(0);
            }
            self.blocks.push(block);
        }
    }

    /// Takes out a block of the size class that the pool would use for `bytes` bytes, if there is one.
    pub fn take(&mut self, bytes: u64) -> Option<Held> {
        if bytes > Spares::LARGEST as u64 {
            return None;
        }
        let found = self.blocks.iter().rposition(|block| block.fits(bytes))?;
        let mut block = self.blocks.swap_remove(found);
        // Spares have no other owner, so this holds for every block that fits.
        Arc::get_mut(&mut block)?.refit(bytes).then_some(Held::Host(block))
    }

    /// Drops all spares.
    pub fn clear(&mut self) {
        self.blocks.clear();
    }
}

impl Held {
    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Held::Host(block) => block.bytes() as u64,
            Held::Device(block) => block.bytes(),
        }
    }

    /// Returns a number that is equal for all handles of the same block.
    pub fn identity(&self) -> u64 {
        match self {
            Held::Host(block) => block.as_ptr() as u64,
            Held::Device(block) => block.key(),
        }
    }

    /// Returns the host's block, in programs for the CPU.
    pub fn on_host(&self) -> Result<&Arc<Block>, RunError> {
        match self {
            Held::Host(block) => Ok(block),
            Held::Device(..) => Err(RunError::Internal("a device's memory in code for the CPU".to_string())),
        }
    }

    /// Returns the device's block, in programs for a device.
    pub fn on_device(&self) -> Result<&Arc<DeviceBlock>, RunError> {
        match self {
            Held::Device(block) => Ok(block),
            Held::Host(_) => Err(RunError::Internal("the host's memory in code for a device".to_string())),
        }
    }

    /// Reads the element at byte offset `at`, as the bits of a scalar.
    pub fn load(&self, at: u64, ty: ScalarType) -> Result<u64, RunError> {
        let mut bits = [0; 8];
        let bytes = &mut bits[..ty.bytes()];
        match self {
            // SAFETY: the element lies in the block, by the frame's check; runs do not share blocks that they write.
            Held::Host(block) => unsafe {
                std::ptr::copy_nonoverlapping(
                    block.as_ptr().add(at as usize),
                    bytes.as_mut_ptr(),
                    bytes.len(),
                );
            },
            Held::Device(block) => block.read(at, bytes).map_err(RunError::device)?,
        }
        Ok(u64::from_le_bytes(bits))
    }
}

impl Machine {
    /// Loads an element as [`Held::load`] does; for a device's block, waits for the device and raises its failures first.
    pub(super) fn load(&self, held: &Held, at: u64, ty: ScalarType, watch: &Watch) -> Result<u64, RunError> {
        let load = || held.load(at, ty);
        match held {
            Held::Host(_) => load(),
            Held::Device(_) => {
                self.settle(watch)?;
                self.profile.other(Other::ToHost, || ty.bytes() as u64, load)
            }
        }
    }

    /// Allocates a block in the memory of this machine's kernels.
    pub(super) fn allocate(&self, bytes: u64) -> Result<Held, Refused> {
        match self.on_device() {
            None => self.memory.allocate(bytes).map(Held::Host).map_err(Refused::OutOfMemory),
            Some(device) => device.memory.allocate(bytes).map(Held::Device).map_err(Refused::from),
        }
    }

    /// Brings an argument into the memory of this machine's kernels.
    pub(super) fn take_in(&self, block: Arc<Block>) -> Result<Held, Refused> {
        let Some(device) = self.on_device() else { return Ok(Held::Host(block)) };
        let own = device.memory.allocate(block.bytes() as u64).map_err(Refused::from)?;
        let (bytes, write) = (block.bytes() as u64, || own.write(0, block.as_slice()));
        self.profile.other(Other::ToDevice, || bytes, write).map_err(Refused::from)?;
        Ok(Held::Device(own))
    }

    /// Takes an argument that is already on the device.
    pub(super) fn take_resident(&self, block: Arc<DeviceBlock>) -> Result<Held, RunError> {
        match self.on_device() {
            Some(device) if block.is_of(&device.memory) => Ok(Held::Device(block)),
            Some(_) | None => Err(RunError::Internal("an argument lies in another memory".to_string())),
        }
    }

    /// Returns the array at the start of a device's block; it stays on the device.
    pub(super) fn lend(&self, elem: ScalarType, shape: &[i64], held: &Held) -> Result<DeviceArray, Refused> {
        let block = held.on_device().map_err(Refused::Other)?;
        let array = DeviceArray::from_block(elem, shape, Arc::clone(block));
        array.ok_or_else(|| Refused::Other(RunError::Internal("result outside its block".to_string())))
    }

    /// Returns the array at the start of a block, on the host.
    pub(super) fn hand_out(&self, elem: ScalarType, shape: &[i64], held: &Held) -> Result<Array, Refused> {
        let outside = || Refused::Other(RunError::Internal("result outside its block".to_string()));
        match held {
            Held::Host(block) => Array::from_block(elem, shape, Arc::clone(block)).ok_or_else(outside),
            Held::Device(block) => {
                let mut array = Array::allocate(&self.memory, elem, shape).map_err(Refused::OutOfMemory)?;
                let bytes = array.bytes_mut(&self.memory).map_err(Refused::OutOfMemory)?;
                if bytes.len() as u64 > block.bytes() {
                    return Err(outside());
                }
                let size = bytes.len() as u64;
                let read = || block.read(0, bytes);
                self.profile.other(Other::ToHost, || size, read).map_err(Refused::from)?;
                Ok(array)
            }
        }
    }
}

impl From<NoBlock> for Refused {
    fn from(why: NoBlock) -> Refused {
        match why {
            NoBlock::OutOfMemory(error) => Refused::OutOfMemory(error),
            NoBlock::Driver(message) => Refused::Other(RunError::Device(message)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryPool;

    #[test]
    fn spares_are_small_blocks_that_nobody_else_has() {
        let pool = MemoryPool::new(1 << 24);
        let block = |bytes| pool.allocate(bytes).expect("room");
        let mut spares = Spares::default();
        let shared = block(100);
        spares.keep(Some(Held::Host(Arc::clone(&shared))));
        spares.keep(Some(Held::Host(block(Spares::LARGEST as u64 + 1))));
        spares.keep(Some(Held::Host(Arc::new(Block::of_vec(vec![0_u8; 100])))));
        spares.keep(None);
        assert!(spares.take(100).is_none());
        let kept = block(100);
        let start = kept.as_ptr();
        spares.keep(Some(Held::Host(kept)));
        let before = pool.statistics();
        assert!(spares.take(1000).is_none() && spares.take(u64::MAX).is_none());
        // The block is of the same class and gets the requested size.
        let Some(Held::Host(again)) = spares.take(70) else { panic!("the block is there") };
        assert_eq!((again.as_ptr(), again.bytes()), (start, 70));
        assert!(spares.take(70).is_none());
        let after = pool.statistics();
        assert_eq!((after.hits, after.misses, after.live), (before.hits + 1, before.misses, before.live));
    }

    #[test]
    fn few_spares_are_kept_and_none_between_guard_pages() {
        let pools = [(MemoryPool::new(1 << 24), Spares::MOST), (MemoryPool::guarded(1 << 24), 0)];
        for (pool, most) in pools {
            let mut spares = Spares::default();
            for _ in 0..2 * Spares::MOST {
                spares.keep(Some(Held::Host(pool.allocate(64).expect("room"))));
            }
            assert_eq!(spares.blocks.len(), most);
            // The newest is among them, whatever the others are.
            spares.keep(Some(Held::Host(pool.allocate(1000).expect("room"))));
            assert_eq!((spares.blocks.len(), spares.take(1000).is_some()), (most, most > 0));
            spares.clear();
            assert_eq!(pool.statistics().live, 0);
        }
    }
}
