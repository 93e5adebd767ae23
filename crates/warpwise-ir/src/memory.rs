//! Memory as annotation (papers/002): the placement of an array has no influence on its value.

use crate::program::Var;
use crate::types::Operand;

/// The placement of an array, `@ block -> offset + {(extent : stride) ...}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The block, a variable of type `mem`.
    pub block: Var,
    /// Index function, which selects elements of the block.
    pub index_fn: Lmad,
}

/// A linear memory access descriptor: element `[i, j, ...]` lies at `offset + i*s0 + j*s1 + ...`,
/// counted in elements. Every number is an `i64` operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lmad {
    /// Offset of the first element.
    pub offset: Operand,
    /// Extents and strides, one per dimension of the array, outermost first.
    pub dims: Vec<LmadDim>,
}

/// One dimension of an index function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LmadDim {
    /// The size of the dimension.
    pub extent: Operand,
    /// Distance between neighbouring elements, in elements.
    pub stride: Operand,
}
