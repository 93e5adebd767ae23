//! Types as a reader expects them, without sizes: these come from the file.

use std::fmt;

use warpwise_prim::ValueType;

/// An element type and a number of dimensions; 0 for a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ExpectedType {
    /// Type of the scalar or the elements.
    pub elem: ValueType,
    /// Number of dimensions.
    pub rank: usize,
}

impl ExpectedType {
    /// Returns a message if the found type differs.
    pub(super) fn check(self, found: ExpectedType) -> Result<(), String> {
        if self == found { Ok(()) } else { Err(format!("found one of type {found}")) }
    }
}

impl fmt::Display for ExpectedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for _ in 0..self.rank {
            f.write_str("[]")?;
        }
        f.write_str(self.elem.name())
    }
}
