//! Memory of a pool for what a reader holds besides the elements that it was asked for.

use std::io::{self, ErrorKind};
use std::panic::RefUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use arrow_buffer::Buffer;
use warpwise_runtime::memory::{Block, MemoryPool};

/// How long others may take to give memory back.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of a pool, until it is dropped.
pub(super) struct Counted(Block);

// A panic leaves no half-written block behind: nobody looks into it.
impl RefUnwindSafe for Counted {}

impl Counted {
    /// Takes `bytes` bytes, as soon as others have given back enough of theirs.
    pub fn new(memory: &MemoryPool, bytes: u64) -> Result<Counted, String> {
        let start = Instant::now();
        loop {
            match memory.allocate_unique(bytes) {
                Ok(block) => return Ok(Counted(block)),
                Err(error) => {
                    let hopeless = bytes > memory.limit() || memory.statistics().live == 0;
                    if hopeless || start.elapsed() > PATIENCE {
                        return Err(error.to_string());
                    }
                    sleep(Duration::from_millis(1));
                }
            }
        }
    }

    /// Fills them from a reader: with how many bytes.
    pub fn fill(&mut self, reader: &mut dyn io::Read) -> io::Result<usize> {
        let target = self.0.as_mut_slice();
        let mut filled = 0;
        while filled < target.len() {
            match reader.read(&mut target[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// The bytes, which count as long as somebody has a part of them.
    pub fn into_buffer(self) -> Buffer {
        let (start, length) = (self.0.as_ptr().cast_mut(), self.0.as_slice().len());
        let Some(start) = NonNull::new(start) else { return Buffer::from_vec(Vec::<u8>::new()) };
        // SAFETY: the block is so long, is kept by the buffer, and nobody else knows it.
        unsafe { Buffer::from_custom_allocation(start, length, Arc::new(self)) }
    }
}
