//! Kinds: the representation of values as words of native code.

use std::rc::Rc;

use crate::builtins::Builtin;

use super::super::code::{Code, FunctionId, ShapeId, Sort};

/// Maximum number of words of a record that is taken apart; larger records are blocks.
const MOST_WORDS_APART: usize = 8;

/// The kind of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The record without fields.
    Unit,
    /// One scalar.
    Scalar(Leaf),
    /// A record that is taken apart; fields in the order of labels.
    Record(ShapeId, Rc<[Kind]>),
    /// This function, with captured values, and possibly its first arguments.
    Function(FunctionId, Rc<[Kind]>),
    /// This built-in, possibly with its first arguments.
    Builtin(Builtin, Rc<[Kind]>),
    /// A shared value of a known kind.
    Shared(Shared),
    /// Any value, in the machine's representation.
    Any,
}

/// The kind of a shared value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Shared {
    /// A sequence.
    Seq,
    /// A record.
    Record,
    /// A constructor.
    Con,
    /// A tensor.
    Tensor,
}

/// The type of a word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Leaf {
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A character.
    Char,
    /// A truth value.
    Bool,
    /// The address in a shared value of a known kind.
    Shared(Shared),
    /// The tag of any value, as a number ([`tags`](super::super::value::tags)); [`Leaf::Bits`] follow.
    Tag,
    /// The number or address in any value.
    Bits,
}

impl Kind {
    pub(super) const INT: Kind = Kind::Scalar(Leaf::Int);
    pub(super) const FLOAT: Kind = Kind::Scalar(Leaf::Float);
    pub(super) const CHAR: Kind = Kind::Scalar(Leaf::Char);
    pub(super) const BOOL: Kind = Kind::Scalar(Leaf::Bool);
    pub(super) const SEQ: Kind = Kind::Shared(Shared::Seq);

    /// Returns the kind of a value that the machine passes; small records are taken apart.
    pub(super) fn handed(sort: &Sort) -> Kind {
        if let Sort::Record(shape, sorts) = sort {
            let kind = Kind::Record(*shape, sorts.iter().map(Kind::handed).collect());
            if kind.leaves().len() <= MOST_WORDS_APART {
                return kind;
            }
        }
        Kind::read(sort)
    }

    /// Returns the kind of a value that is read from a block or a sequence.
    pub(super) fn read(sort: &Sort) -> Kind {
        match sort {
            Sort::Any => Kind::Any,
            Sort::Unit => Kind::Unit,
            Sort::Int => Kind::INT,
            Sort::Float => Kind::FLOAT,
            Sort::Char => Kind::CHAR,
            Sort::Bool => Kind::BOOL,
            Sort::Record(..) => Kind::Shared(Shared::Record),
            Sort::Con => Kind::Shared(Shared::Con),
            Sort::Seq => Kind::SEQ,
            Sort::Tensor => Kind::Shared(Shared::Tensor),
        }
    }

    /// Returns whether the machine can represent values of this kind.
    pub(super) fn is_plain(&self) -> bool {
        match self {
            Kind::Unit | Kind::Scalar(_) | Kind::Shared(_) | Kind::Any => true,
            Kind::Record(_, fields) => fields.iter().all(Kind::is_plain),
            Kind::Function(..) | Kind::Builtin(..) => false,
        }
    }

    /// Returns the least kind that includes both; `None` if that would include functions.
    pub(super) fn join(&self, other: &Kind) -> Option<Kind> {
        if self == other {
            return Some(self.clone());
        }
        if !self.is_plain() || !other.is_plain() {
            return None;
        }
        let record = Kind::Shared(Shared::Record);
        Some(match (self, other) {
            (Kind::Record(shape, left), Kind::Record(other, right))
                if shape == other && left.len() == right.len() =>
            {
                let parts = left.iter().zip(right.iter()).map(|(left, right)| left.join(right));
                Kind::Record(*shape, parts.collect::<Option<_>>()?)
            }
            (Kind::Record(..), Kind::Record(..)) => record,
            (Kind::Record(..), shared) | (shared, Kind::Record(..)) if *shared == record => record,
            _ => Kind::Any,
        })
    }

    /// Returns the words of the kind.
    pub(super) fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.add_leaves(&mut leaves);
        leaves
    }

    fn add_leaves(&self, leaves: &mut Vec<Leaf>) {
        match self {
            Kind::Unit => {}
            Kind::Scalar(leaf) => leaves.push(*leaf),
            Kind::Shared(shared) => leaves.push(Leaf::Shared(*shared)),
            Kind::Any => leaves.extend([Leaf::Tag, Leaf::Bits]),
            Kind::Record(_, parts) | Kind::Function(_, parts) | Kind::Builtin(_, parts) => {
                parts.iter().for_each(|part| part.add_leaves(leaves));
            }
        }
    }

    /// Returns a field of a record that is taken apart, and the number of words before it.
    pub(super) fn field(&self, field: u32) -> Option<(&Kind, usize)> {
        let Kind::Record(_, fields) = self else { return None };
        let before = fields.iter().take(field as usize).map(|kind| kind.leaves().len()).sum();
        Some((fields.get(field as usize)?, before))
    }

    /// Returns the nesting depth.
    pub(super) fn depth(&self) -> usize {
        match self {
            Kind::Unit | Kind::Scalar(_) | Kind::Shared(_) | Kind::Any => 0,
            Kind::Record(_, parts) | Kind::Function(_, parts) | Kind::Builtin(_, parts) => {
                1 + parts.iter().map(Kind::depth).max().unwrap_or(0)
            }
        }
    }
}

impl Leaf {
    /// Returns whether the word is reference-counted, alone or with the word after it.
    pub(super) fn is_counted(self) -> bool {
        matches!(self, Leaf::Shared(_) | Leaf::Tag)
    }
}

/// Returns the kind of each global with the index of its first word, and the number of words in all.
pub(super) fn place_globals(code: &Code) -> (Vec<(Kind, usize)>, usize) {
    let mut next = 0;
    let place = |sort| {
        let kind = Kind::handed(sort);
        let first = next;
        next += kind.leaves().len();
        (kind, first)
    };
    let globals = code.globals.iter().map(place).collect();
    (globals, next)
}
