//! Memory as annotation (papers/002): where an array lies says nothing about its value.

use crate::program::Var;
use crate::types::Operand;

/// `@ block -> offset + {(extent : stride) ...}`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// The block, a variable of type `mem`.
    pub block: Var,
    /// Which elements of the block.
    pub index_fn: Lmad,
}

/// A linear memory access descriptor: element `[i, j, ...]` lies at `offset + i*s0 + j*s1 + ...`,
/// counted in elements. Every number is an `i64` operand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lmad {
    /// Place of the first element.
    pub offset: Operand,
    /// One per dimension of the array, outermost first.
    pub dims: Vec<LmadDim>,
}

/// One dimension of an index function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LmadDim {
    /// The size of the dimension.
    pub extent: Operand,
    /// Distance between neighbours, in elements.
    pub stride: Operand,
}
