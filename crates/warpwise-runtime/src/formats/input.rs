//! A byte stream with a position and a bounded look-ahead, which can read directly into blocks.

use std::io::{ErrorKind, Read};

use super::error::Fault;
use crate::memory::{Block, MemoryPool};

/// Number of bytes that [`Input::look_ahead`] reaches.
const LOOK_AHEAD: usize = 1 << 16;

/// The rest of a byte stream; buffered bytes come first.
pub(super) struct Input<'a> {
    reader: Box<dyn Read + 'a>,
    /// Length of the whole stream in bytes, if known.
    length: Option<u64>,
    /// Bytes that are read but not consumed, from `start` on.
    buffer: Vec<u8>,
    start: usize,
    /// Number of bytes consumed so far.
    position: u64,
}

impl<'a> Input<'a> {
    /// Reads from `reader`, which yields `length` bytes if that is given.
    pub(super) fn new(reader: Box<dyn Read + 'a>, length: Option<u64>) -> Input<'a> {
        Input { reader, length, buffer: Vec::new(), start: 0, position: 0 }
    }

    /// Returns the number of bytes consumed so far.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Returns whether no bytes are left.
    pub(super) fn at_end(&mut self) -> Result<bool, Fault> {
        self.fill(1)?;
        Ok(self.buffered().is_empty())
    }

    /// Returns up to 64 KiB of the next bytes without consuming them; fewer only at the end.
    pub(super) fn look_ahead(&mut self) -> Result<&[u8], Fault> {
        self.fill(LOOK_AHEAD)?;
        Ok(self.buffered())
    }

    /// Returns all remaining bytes; more than `limit` bytes are a fault.
    pub(super) fn rest(mut self, limit: u64) -> Result<Vec<u8>, Fault> {
        let fits = |bytes: usize| bytes as u64 <= limit;
        loop {
            if !fits(self.buffered().len()) {
                return Err(Fault::new(self.position, format!("more than {limit} bytes of text")));
            }
            let before = self.buffered().len();
            self.fill((2 * before).max(LOOK_AHEAD))?;
            if self.buffered().len() < (2 * before).max(LOOK_AHEAD) {
                self.buffer.drain(..self.start);
                return Ok(self.buffer);
            }
        }
    }

    /// Consumes `N` bytes; `what` names them in the message when the input ends.
    pub(super) fn take<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        self.read_exact(&mut bytes, what)?;
        Ok(bytes)
    }

    /// Consumes `bytes` bytes into a fresh block. If the input's length is known, it is checked before anything is allocated;
    /// otherwise the pages of the block are touched only as data arrives.
    pub(super) fn take_block(
        &mut self,
        bytes: Option<u64>,
        pool: &MemoryPool,
        what: &str,
    ) -> Result<Block, Fault> {
        let start = self.position;
        if let (Some(length), bytes) = (self.length, bytes.unwrap_or(u64::MAX)) {
            let left = length.saturating_sub(start);
            if left < bytes {
                return Err(truncated(start, what, bytes, left));
            }
        }
        let mut block = pool.allocate_elements(bytes, 1).map_err(|error| Fault::memory(start, error))?;
        self.read_exact(block.as_mut_slice(), what)?;
        Ok(block)
    }

    fn read_exact(&mut self, target: &mut [u8], what: &str) -> Result<(), Fault> {
        let start = self.position;
        let buffered = self.buffered();
        let mut done = buffered.len().min(target.len());
        target[..done].copy_from_slice(&buffered[..done]);
        self.start += done;
        while done < target.len() {
            match self.reader.read(&mut target[done..]) {
                Ok(0) => return Err(truncated(start, what, target.len() as u64, done as u64)),
                Ok(count) => done += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::io(start + done as u64, &error)),
            }
        }
        self.position += done as u64;
        Ok(())
    }

    fn buffered(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Reads until `count` bytes are buffered or the input ends.
    fn fill(&mut self, count: usize) -> Result<(), Fault> {
        let missing = count.saturating_sub(self.buffered().len());
        if missing == 0 {
            return Ok(());
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        let place = self.position + self.buffer.len() as u64;
        if self.buffer.try_reserve_exact(missing).is_err() {
            return Err(Fault::new(place, "out of memory"));
        }
        let mut part = (&mut self.reader).take(missing as u64);
        part.read_to_end(&mut self.buffer).map_err(|error| Fault::io(place, &error))?;
        Ok(())
    }
}

fn truncated(offset: u64, what: &str, needed: u64, left: u64) -> Fault {
    let needed = if needed == u64::MAX { "more than 2^64".into() } else { needed.to_string() };
    Fault::new(offset, format!("the input ends within {what}: {needed} bytes are needed, {left} are left"))
}
