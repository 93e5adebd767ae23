//! The blocks that names bound by choices and loops may stand for.

use warpwise_ir::Var;
use warpwise_ir::entity::SecondaryMap;

/// The blocks that a name may stand for.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum Names {
    /// A separate block.
    #[default]
    Own,
    /// One of these blocks.
    OneOf(Vec<Var>),
    /// Any block.
    Unknown,
}

impl Names {
    /// Returns the names of a value that is one or the other.
    pub fn either(x: Names, y: Names) -> Names {
        match (x, y) {
            (Names::OneOf(mut x), Names::OneOf(y)) => {
                x.extend(y.into_iter().filter(|block| !x.contains(block)).collect::<Vec<_>>());
                Names::OneOf(x)
            }
            (Names::Own | Names::OneOf(_) | Names::Unknown, _) => Names::Unknown,
        }
    }
}

/// The names of the blocks of a function.
#[derive(Default)]
pub struct BlockNames(SecondaryMap<Var, Names>);

impl BlockNames {
    /// Returns the blocks that a block's name may stand for.
    pub fn of(&self, block: Var) -> Names {
        match &self.0[block] {
            Names::Own => Names::OneOf(vec![block]),
            names @ (Names::OneOf(_) | Names::Unknown) => names.clone(),
        }
    }

    /// Records the blocks that a block's name may stand for.
    pub fn set(&mut self, block: Var, names: Names) {
        self.0[block] = names;
    }

    /// Whether two names may stand for the same block.
    pub fn may_be_same(&self, x: Var, y: Var) -> bool {
        match (self.of(x), self.of(y)) {
            (Names::OneOf(x), Names::OneOf(y)) => x.iter().any(|block| y.contains(block)),
            _ => true,
        }
    }
}
