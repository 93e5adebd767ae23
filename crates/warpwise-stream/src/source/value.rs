//! The rows of an array in memory.

use warpwise_prim::ValueType;
use warpwise_runtime::array::Array;

use super::{End, Read, Source};
use crate::element::ElementType;

/// A source of the rows of an array.
pub struct ValueSource {
    name: String,
    element: ElementType,
    array: Array,
    /// Number of rows read.
    at: u64,
    rows: u64,
}

impl ValueSource {
    /// Makes a source of the rows of an array, which must have dimensions.
    pub fn new(name: &str, scalar: ValueType, array: Array) -> Result<ValueSource, String> {
        let Some((&rows, shape)) = array.shape().split_first() else {
            return Err(format!("{name}: a scalar is no stream"));
        };
        let element = ElementType { scalar, shape: shape.into() };
        element.counted(rows as u64).map_err(|message| format!("{name}: {message}"))?;
        Ok(ValueSource { name: name.to_string(), element, array, at: 0, rows: rows as u64 })
    }
}

impl Source for ValueSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn element(&self) -> &ElementType {
        &self.element
    }

    fn left(&self) -> Option<u64> {
        Some(self.rows - self.at)
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        let taken = count.min(self.rows - self.at);
        let size = target.len().checked_div(count as usize).unwrap_or(0);
        let from = self.at as usize * size;
        let bytes = taken as usize * size;
        target[..bytes].copy_from_slice(&self.array.bytes()[from..from + bytes]);
        self.at += taken;
        Read { count: taken, end: (self.at == self.rows).then_some(End::Finished) }
    }
}
