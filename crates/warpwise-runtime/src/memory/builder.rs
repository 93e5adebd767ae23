//! A growable buffer of bytes in a pooled block: errors instead of aborts when memory is short.

use super::{Block, MemoryPool, OutOfMemory};

/// A buffer for a number of bytes that is not known beforehand.
pub struct BlockBuilder<'a> {
    pool: &'a MemoryPool,
    block: Option<Block>,
    used: usize,
}

impl<'a> BlockBuilder<'a> {
    /// Makes an empty buffer.
    pub fn new(pool: &'a MemoryPool) -> BlockBuilder<'a> {
        BlockBuilder { pool, block: None, used: 0 }
    }

    /// Returns the number of bytes so far.
    pub fn bytes(&self) -> usize {
        self.used
    }

    /// Reserves room for `bytes` bytes in all, if memory suffices.
    pub fn expect(&mut self, bytes: usize) {
        if bytes > self.block.as_ref().map_or(0, |block| block.as_slice().len()) {
            // A failure is ignored here: `push` reports it once the bytes do not fit.
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

    /// Returns the bytes at the start of a block that may be twice as large; nothing is copied.
    pub fn into_block(self) -> Result<Block, OutOfMemory> {
        match self.block {
            Some(block) => Ok(block),
            None => self.pool.allocate_unique(0),
        }
    }

    /// Returns the bytes in a block of exactly their size.
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
