//! Memory of a pool for data that a reader holds in addition to the requested elements.

use std::io::{self, ErrorKind};
use std::panic::RefUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use arrow_buffer::Buffer;
use warpwise_runtime::memory::{Block, MemoryPool};

/// Maximum time to wait for others to give memory back.
const PATIENCE: Duration = Duration::from_secs(5);

/// A number of bytes of a pool, taken until it is dropped.
pub(super) struct Counted(Block);

// A panic leaves no half-written block behind: nobody reads it.
impl RefUnwindSafe for Counted {}

impl Counted {
    /// Takes `bytes` bytes, waiting until others have given back enough memory.
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

    /// Fills the memory from a reader and returns the number of bytes read.
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

    /// Converts the memory to a buffer; it counts as long as any part of the buffer is used.
    pub fn into_buffer(self) -> Buffer {
        let (start, length) = (self.0.as_ptr().cast_mut(), self.0.as_slice().len());
        let Some(start) = NonNull::new(start) else { return Buffer::from_vec(Vec::<u8>::new()) };
        // SAFETY: the block has this length, is kept by the buffer, and nobody else knows it.
        unsafe { Buffer::from_custom_allocation(start, length, Arc::new(self)) }
    }
}
