//! Gathering bytes in a pooled block that doubles: errors instead of aborts when memory is short.

use super::{Block, MemoryPool, OutOfMemory};

/// Bytes of a number not known beforehand.
pub struct BlockBuilder<'a> {
    pool: &'a MemoryPool,
    block: Option<Block>,
    used: usize,
}

impl<'a> BlockBuilder<'a> {
    /// No bytes yet.
    pub fn new(pool: &'a MemoryPool) -> BlockBuilder<'a> {
        BlockBuilder { pool, block: None, used: 0 }
    }

    /// The number of bytes so far.
    pub fn bytes(&self) -> usize {
        self.used
    }

    /// Makes room for so many bytes in all, unless memory does not suffice for them.
    pub fn expect(&mut self, bytes: usize) {
        if bytes > self.block.as_ref().map_or(0, |block| block.as_slice().len()) {
            // Whether what comes fits is seen when it comes.
            let _ = self.grow(bytes);
        }
    }

    /// Appends `bytes`.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), OutOfMemory> {
        let end = self.used + bytes.len();
        if let Some(block) = &mut self.block
            && let Some(target) = block.as_mut_slice().get_mut(self.used..end)
        {
            target.copy_from_slice(bytes);
            self.used = end;
            return Ok(());
        }
        self.grow((2 * end).max(4096))?;
        self.push(bytes)
    }

    /// The bytes at the start of a block that may be twice as large; nothing is copied.
    pub fn into_block(self) -> Result<Block, OutOfMemory> {
        match self.block {
            Some(block) => Ok(block),
            None => self.pool.allocate_unique(0),
        }
    }

    /// The bytes in a block of exactly their size.
    pub fn finish(self) -> Result<Block, OutOfMemory> {
        let mut exact = self.pool.allocate_unique(self.used as u64)?;
        if let Some(block) = &self.block {
            exact.as_mut_slice().copy_from_slice(&block.as_slice()[..self.used]);
        }
        Ok(exact)
    }

    #[cold]
    fn grow(&mut self, bytes: usize) -> Result<(), OutOfMemory> {
        let mut larger = self.pool.allocate_unique(bytes as u64)?;
        if let Some(block) = &self.block {
            larger.as_mut_slice()[..self.used].copy_from_slice(&block.as_slice()[..self.used]);
        }
        self.block = Some(larger);
        Ok(())
    }
}
