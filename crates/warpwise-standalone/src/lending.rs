//! The fate of consumed arguments: gone after a call, and given back by a failed call that has not used them up.
//!
//! While a call runs, only the call holds the leaves of a consumed argument, so that it may overwrite them and release their memory.
//! Leaves that the call got as a copy, since others share them, and scalars stay with the argument.

use std::sync::{Arc, Weak};

use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::Block;

use crate::value::{Gone, Held};

/// The leaves of consumed arguments during a call, by argument.
pub struct Lent(Vec<Vec<Leaf>>);

/// A leaf of a consumed argument.
enum Leaf {
    /// The call has another one.
    Kept(Value),
    /// The call has it.
    Given { ty: ValueType, shape: Vec<i64>, block: Weak<Block> },
}

impl Lent {
    /// Takes the leaves out of the consumed arguments. `given` are the leaves that the call gets.
    pub fn take(consumed: &mut [&mut Held], given: &[Value]) -> Lent {
        let is_given = |block: &Arc<Block>| {
            given
                .iter()
                .any(|leaf| matches!(leaf, Value::Array { array, .. } if Arc::ptr_eq(array.data(), block)))
        };
        let leaf = |leaf: Value| match leaf {
            Value::Array { ty, array } if is_given(array.data()) => {
                Leaf::Given { ty, shape: array.shape().to_vec(), block: Arc::downgrade(array.data()) }
            }
            kept @ (Value::Array { .. } | Value::Scalar { .. }) => Leaf::Kept(kept),
        };
        Lent(consumed.iter_mut().map(|held| held.leaves.drain(..).map(leaf).collect()).collect())
    }

    /// Ends a successful call.
    pub fn consumed(self, consumed: &mut [&mut Held], entry: &str) {
        consumed.iter_mut().for_each(|held| held.gone = Some(Gone::Consumed(entry.to_string())));
    }

    /// Ends a failed call, which has left these blocks as they were.
    pub fn give_back(self, consumed: &mut [&mut Held], entry: &str, intact: &[Arc<Block>]) {
        for (held, leaves) in consumed.iter_mut().zip(self.0) {
            let leaves: Option<Vec<Value>> = leaves.into_iter().map(|leaf| leaf.back(intact)).collect();
            match leaves {
                Some(leaves) => held.leaves = leaves,
                None => held.gone = Some(Gone::Lost(entry.to_string())),
            }
        }
    }
}

impl Leaf {
    fn back(self, intact: &[Arc<Block>]) -> Option<Value> {
        match self {
            Leaf::Kept(value) => Some(value),
            Leaf::Given { ty, shape, block } => {
                let block = intact.iter().find(|intact| std::ptr::eq(Arc::as_ptr(intact), block.as_ptr()))?;
                Some(Value::array(ty, Array::from_block(ty.scalar(), &shape, Arc::clone(block))?))
            }
        }
    }
}
