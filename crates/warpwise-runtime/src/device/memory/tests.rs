//! Tests of device memory, on a device whose buffers lie on the host.

use std::collections::HashMap;

use super::super::Handles;
use super::*;

/// A device whose buffers lie on the host.
#[derive(Default)]
struct Pretended {
    made: Mutex<u64>,
    there: Mutex<HashMap<u64, Vec<u8>>>,
    /// Maximum total size of the buffers in bytes; 0 means unlimited.
    room: u64,
}

impl Device for Pretended {
    fn name(&self) -> String {
        "pretended".to_string()
    }
    fn memory(&self) -> u64 {
        u64::MAX
    }
    fn concurrency(&self) -> u64 {
        1
    }
    fn allocate(&self, bytes: u64) -> Result<Buffer, DeviceError> {
        let mut there = self.there.lock().expect("no panic");
        let taken: u64 = there.values().map(|bytes| bytes.len() as u64).sum();
        if self.room > 0 && taken + bytes > self.room {
            return Err(DeviceError::OutOfMemory);
        }
        let mut made = self.made.lock().expect("no panic");
        *made += 1;
        there.insert(*made, vec![0xEE; bytes as usize]);
        Ok(Buffer(*made))
    }
    fn free(&self, buffer: Buffer) {
        assert!(self.there.lock().expect("no panic").remove(&buffer.0).is_some());
    }
    fn write(&self, buffer: Buffer, at: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let mut there = self.there.lock().expect("no panic");
        let to = there.get_mut(&buffer.0).expect("a buffer");
        to[at as usize..at as usize + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }
    fn read(&self, buffer: Buffer, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let there = self.there.lock().expect("no panic");
        bytes.copy_from_slice(&there[&buffer.0][at as usize..at as usize + bytes.len()]);
        Ok(())
    }
    fn fill(&self, buffer: Buffer, at: u64, pattern: &[u8], bytes: u64) -> Result<(), DeviceError> {
        let repeated: Vec<u8> = pattern.iter().copied().cycle().take(bytes as usize).collect();
        self.write(buffer, at, &repeated)
    }
    fn copy(&self, to: Buffer, from: Buffer, bytes: u64) -> Result<(), DeviceError> {
        let mut copied = vec![0; bytes as usize];
        self.read(from, 0, &mut copied)?;
        self.write(to, 0, &copied)
    }
    fn finish(&self) -> Result<(), DeviceError> {
        Ok(())
    }
    fn handles(&self) -> Handles {
        Handles { device: 0, context: 0, queue: 0 }
    }
    fn make_current(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}

fn memory(limit: u64, room: u64) -> (Arc<Pretended>, DeviceMemory) {
    let device = Arc::new(Pretended { room, ..Pretended::default() });
    (Arc::clone(&device), DeviceMemory::new(device, limit))
}

fn contents(block: &Arc<DeviceBlock>) -> Vec<u8> {
    let mut bytes = vec![0; block.bytes() as usize];
    block.read(0, &mut bytes).expect("a read");
    bytes
}

#[test]
fn blocks_are_reused_and_the_budget_holds() {
    let (device, memory) = memory(4096, 0);
    let first = memory.allocate(1000).expect("room");
    drop(first);
    let again = memory.allocate(1001).expect("room");
    assert_eq!(memory.statistics().hits, 1);
    assert!(matches!(memory.allocate(5000), Err(NoBlock::OutOfMemory(_))));
    drop(again);
    // The reserve makes room.
    let large = memory.allocate(4000).expect("room");
    assert_eq!(device.there.lock().expect("no panic").len(), 1);
    assert!(matches!(memory.allocate(u64::MAX), Err(NoBlock::OutOfMemory(_))));
    drop(large);
    drop(memory);
    assert!(device.there.lock().expect("no panic").is_empty());
}

#[test]
fn more_blocks_than_fit_keep_their_contents() {
    // Either the budget or the device is the bound.
    for (limit, room) in [(3000, 0), (u64::MAX, 3000)] {
        let (_, memory) = memory(limit, room);
        let blocks: Vec<Arc<DeviceBlock>> = (0..9).map(|_| memory.allocate(1000).expect("room")).collect();
        for (number, block) in blocks.iter().enumerate() {
            block.write(0, &[number as u8; 1000]).expect("a write");
        }
        for _ in 0..2 {
            for (number, block) in blocks.iter().enumerate() {
                assert_eq!(contents(block), [number as u8; 1000]);
            }
        }
        assert!(memory.statistics().peak_live <= 3000);
    }
}

#[test]
fn copies_are_blocks_of_their_own() {
    let (_device, memory) = memory(1 << 20, 0);
    let block = memory.allocate(3).expect("room");
    block.write(0, &[1, 2, 3]).expect("a write");
    let copy = block.copied().expect("room");
    block.write(0, &[4]).expect("a write");
    assert_eq!((contents(&copy), contents(&block)), (vec![1, 2, 3], vec![4, 2, 3]));
    let empty = memory.allocate(0).expect("room").copied().expect("room");
    assert_eq!(empty.bytes(), 0);
}

#[test]
fn what_did_not_change_is_copied_once() {
    let (_, memory) = memory(2048, 0);
    let first = memory.allocate(2000).expect("room");
    first.write(0, &[1; 2000]).expect("a write");
    for round in 0..3 {
        // The block is unset, so nothing is copied when it is evicted.
        let other = memory.allocate(2000).expect("the first one leaves");
        drop(other.pin(Access::Read).expect("it is there"));
        assert_eq!(contents(&first), [1; 2000]);
        let Traffic { evicted, written_back, brought_back, .. } = memory.traffic();
        assert_eq!([written_back.times, brought_back.times], [1, round + 1]);
        assert_eq!(evicted.times, 2 * round + 2);
    }
    let wanted = Copies { times: 1, bytes: 2000 };
    assert_eq!([memory.traffic().to_device, memory.traffic().written_back], [wanted; 2]);
}

#[test]
fn the_least_recently_used_leaves_and_what_is_in_use_stays() {
    let (_, memory) = memory(3072, 0);
    let blocks: Vec<Arc<DeviceBlock>> = (0..3).map(|_| memory.allocate(1024).expect("room")).collect();
    let pinned = blocks[0].pin(Access::Write).expect("it is there");
    blocks[1].write(0, &[7]).expect("a write");
    let new = memory.allocate(1024).expect("the third one leaves");
    assert_eq!(memory.traffic().written_back.times, 0);
    let others = [&blocks[1], &new].map(|block| block.pin(Access::Read).expect("it is there"));
    assert!(matches!(blocks[2].pin(Access::Read), Err(NoBlock::OutOfMemory(_))));
    assert!(matches!(memory.allocate(1), Err(NoBlock::OutOfMemory(_))));
    drop((pinned, others));
    assert!(blocks[2].pin(Access::Read).is_ok());
}

#[test]
fn lent_blocks_stay_where_they_are_and_go_back() {
    let (device, memory) = memory(1024, 0);
    let theirs = device.allocate(5000).expect("room");
    device.write(theirs, 0, &[3; 5000]).expect("a write");
    let provider = Arc::new(());
    let lent = |may_write| {
        // SAFETY: the buffer holds 5000 bytes, and is freed after the last block.
        unsafe { memory.lent(theirs, 5000, may_write, Arc::clone(&provider) as Provider) }
    };
    let (block, given) = (lent(false), lent(true));
    assert!(!block.is_own() && given.is_own());
    assert_eq!(memory.statistics().live, 0);
    // The block stays even when others need room.
    let blocks: Vec<_> = (0..3).map(|_| memory.allocate(1024).expect("others leave")).collect();
    assert_eq!(block.pin(Access::Read).expect("it is there").buffer(), theirs);
    assert_eq!(contents(&block), [3; 5000]);
    assert!(blocks[2].is_own() && !Arc::clone(&blocks[2]).is_own());
    assert_eq!(Arc::strong_count(&provider), 3);
    drop((block, given, blocks));
    assert_eq!((Arc::strong_count(&provider), memory.statistics().live), (1, 0));
    drop(memory);
    device.free(theirs);
    assert!(device.there.lock().expect("no panic").is_empty());
}

#[test]
fn empty_blocks_come_and_go() {
    let (_, memory) = memory(256, 0);
    let blocks = [0, 0, 1].map(|bytes| memory.allocate(bytes).expect("room"));
    for block in &blocks {
        assert_eq!(contents(block).len() as u64, block.bytes());
        drop(block.pin(Access::Write).expect("room"));
    }
    assert_eq!(memory.statistics().live, 256);
}

#[test]
fn sizes_grow_by_an_eighth_at_most() {
    for bytes in [0, 1, 256, 257, 1000, 4097, 1 << 40, (1 << 40) + 1] {
        let size = rounded(bytes);
        assert!(size >= bytes && size <= (bytes + bytes / 8).max(LEAST), "{bytes} {size}");
    }
    assert_eq!(rounded(u64::MAX), u64::MAX);
}
