//! Blocks of bytes that record which bytes have been written.

use std::cell::RefCell;
use std::rc::Rc;

use warpwise_prim::{Scalar, ScalarType};

/// A block, shared by all its holders.
pub(super) type Block = Rc<RefCell<Bytes>>;

/// Bytes, and whether each has been written.
pub(super) struct Bytes {
    data: Vec<u8>,
    written: Vec<bool>,
}

impl Bytes {
    /// Allocates a block in which nothing has been written.
    pub fn fresh(bytes: i64) -> Result<Block, String> {
        let size = usize::try_from(bytes).map_err(|_| format!("a block of {bytes} bytes"))?;
        if size > 1 << 28 {
            return Err(format!("a block of {bytes} bytes"));
        }
        Ok(Rc::new(RefCell::new(Bytes { data: vec![0xA5; size], written: vec![false; size] })))
    }

    /// Allocates a block with these contents.
    pub fn with(data: Vec<u8>) -> Block {
        let written = vec![true; data.len()];
        Rc::new(RefCell::new(Bytes { data, written }))
    }

    /// Returns the first `bytes` bytes.
    pub fn prefix(&self, bytes: usize) -> Result<Vec<u8>, String> {
        if bytes > self.data.len() || self.written[..bytes].contains(&false) {
            return Err(format!("{bytes} bytes are not all there in a block of {}", self.data.len()));
        }
        Ok(self.data[..bytes].to_vec())
    }

    /// Reads the element at an index.
    pub fn load(&self, elem: ScalarType, index: i64) -> Result<Scalar, String> {
        let (start, end) = self.place(elem, index)?;
        if self.written[start..end].contains(&false) {
            return Err(format!("element {index} ({elem}) is read but was never written"));
        }
        let mut bits = [0; 8];
        bits[..end - start].copy_from_slice(&self.data[start..end]);
        Ok(Scalar::from_bits(elem, u64::from_le_bytes(bits)))
    }

    /// Writes the element at an index.
    pub fn store(&mut self, index: i64, value: Scalar) -> Result<(), String> {
        let (start, end) = self.place(value.ty(), index)?;
        self.data[start..end].copy_from_slice(&value.to_bits().to_le_bytes()[..end - start]);
        self.written[start..end].fill(true);
        Ok(())
    }

    /// Returns whether the element at an index is this value, bit for bit.
    pub fn holds(&self, index: i64, value: Scalar) -> bool {
        self.load(value.ty(), index).is_ok_and(|own| own.to_bits() == value.to_bits())
    }

    fn place(&self, elem: ScalarType, index: i64) -> Result<(usize, usize), String> {
        let size = elem.bytes() as i64;
        let start =
            index.checked_mul(size).filter(|&start| start >= 0 && start + size <= self.data.len() as i64);
        let start = start.ok_or_else(|| {
            format!("element {index} ({elem}) is outside a block of {} bytes", self.data.len())
        })?;
        Ok((start as usize, (start + size) as usize))
    }
}
