//! What native code knows of a value: how it is made up of scalars.

use std::rc::Rc;

use crate::builtins::Builtin;

use super::super::code::{Code, Form, FunctionId, ShapeId};

/// What is known of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// The record without fields.
    Unit,
    /// One scalar.
    Scalar(Leaf),
    /// Fields in the order of labels.
    Record(ShapeId, Rc<[Kind]>),
    /// This function, with values it captured, and perhaps its first arguments.
    Function(FunctionId, Rc<[Kind]>),
    /// This built-in, perhaps with its first arguments.
    Builtin(Builtin, Rc<[Kind]>),
}

/// A scalar.
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
}

impl Kind {
    pub(super) const INT: Kind = Kind::Scalar(Leaf::Int);
    pub(super) const FLOAT: Kind = Kind::Scalar(Leaf::Float);
    pub(super) const CHAR: Kind = Kind::Scalar(Leaf::Char);
    pub(super) const BOOL: Kind = Kind::Scalar(Leaf::Bool);

    /// The kind of a value that the machine has; none if it is not made of scalars.
    pub(super) fn of(form: &Form) -> Option<Kind> {
        Some(match form {
            Form::Unit => Kind::Unit,
            Form::Int => Kind::INT,
            Form::Float => Kind::FLOAT,
            Form::Char => Kind::CHAR,
            Form::Bool => Kind::BOOL,
            Form::Record(shape, fields) => {
                Kind::Record(*shape, fields.iter().map(Kind::of).collect::<Option<_>>()?)
            }
            Form::Seq(_) | Form::Tensor(_) => return None,
        })
    }

    /// Whether the machine can have such a value from native code.
    pub(super) fn is_plain(&self) -> bool {
        match self {
            Kind::Unit | Kind::Scalar(_) => true,
            Kind::Record(_, fields) => fields.iter().all(Kind::is_plain),
            Kind::Function(..) | Kind::Builtin(..) => false,
        }
    }

    /// The scalars that it is made of.
    pub(super) fn leaves(&self) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.add_leaves(&mut leaves);
        leaves
    }

    fn add_leaves(&self, leaves: &mut Vec<Leaf>) {
        match self {
            Kind::Unit => {}
            Kind::Scalar(leaf) => leaves.push(*leaf),
            Kind::Record(_, parts) | Kind::Function(_, parts) | Kind::Builtin(_, parts) => {
                parts.iter().for_each(|part| part.add_leaves(leaves));
            }
        }
    }

    /// A field, and how many scalars come before it.
    pub(super) fn field(&self, field: u32) -> Option<(&Kind, usize)> {
        let Kind::Record(_, fields) = self else { return None };
        let before = fields.iter().take(field as usize).map(|kind| kind.leaves().len()).sum();
        Some((fields.get(field as usize)?, before))
    }

    /// How deep it is.
    pub(super) fn depth(&self) -> usize {
        match self {
            Kind::Unit | Kind::Scalar(_) => 0,
            Kind::Record(_, parts) | Kind::Function(_, parts) | Kind::Builtin(_, parts) => {
                1 + parts.iter().map(Kind::depth).max().unwrap_or(0)
            }
        }
    }
}

/// The kinds of globals made of scalars, each with the first of its words, and how many words there are.
pub(super) fn place_globals(code: &Code) -> (Vec<Option<(Kind, usize)>>, usize) {
    let mut next = 0;
    let mut place = |form: &Option<Form>| {
        let kind = Kind::of(form.as_ref()?)?;
        let first = next;
        next += kind.leaves().len();
        Some((kind, first))
    };
    let globals = code.globals.iter().map(&mut place).collect();
    (globals, next)
}
