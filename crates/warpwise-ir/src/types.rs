//! Operands and types.

use smallvec::SmallVec;
use warpwise_prim::{Scalar, ScalarType};

use crate::program::Var;

/// An operand of an expression: a constant or a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A scalar constant.
    Const(Scalar),
    /// A variable in scope, of any type.
    Var(Var),
}

/// The sizes of an array: one `i64` operand per dimension, outermost first.
pub type Shape = SmallVec<[Operand; 2]>;

/// The type of a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A scalar.
    Scalar(ScalarType),
    /// A regular array of rank 1 or more.
    Array(ArrayType),
    /// A write-only accumulator over arrays, inside `with_acc`.
    Acc(AccType),
    /// Proof that an assertion held; statements that rely on it name it in `certs`.
    Cert,
    /// A block of memory (level `mem` only).
    Mem,
}

/// The type of a regular array. Its sizes are operands in scope wherever the type is used.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ArrayType {
    /// Element type.
    pub elem: ScalarType,
    /// Sizes; never empty.
    pub shape: Shape,
}

/// The type of an accumulator, which names the `with_acc` input it stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AccType {
    /// The certificate variable that names the `with_acc` input (bound by its lambda).
    pub token: Var,
    /// Extents of the index space that it can be written at.
    pub shape: Shape,
    /// Types of the values combined at one point.
    pub elems: Vec<Type>,
}

impl Operand {
    /// Returns an `i64` constant.
    pub fn i64(value: i64) -> Operand {
        Operand::Const(Scalar::I64(value))
    }

    /// Returns a truth value.
    pub fn bool(value: bool) -> Operand {
        Operand::Const(Scalar::Bool(value))
    }

    /// Returns the variable, if this is one.
    pub fn as_var(self) -> Option<Var> {
        match self {
            Operand::Var(var) => Some(var),
            Operand::Const(_) => None,
        }
    }

    /// Returns the constant, if this is one.
    pub fn as_const(self) -> Option<Scalar> {
        match self {
            Operand::Const(value) => Some(value),
            Operand::Var(_) => None,
        }
    }
}

impl From<i64> for Operand {
    fn from(value: i64) -> Operand {
        Operand::i64(value)
    }
}

impl From<Var> for Operand {
    fn from(var: Var) -> Operand {
        Operand::Var(var)
    }
}

impl From<Scalar> for Operand {
    fn from(value: Scalar) -> Operand {
        Operand::Const(value)
    }
}

impl Type {
    /// The `i64` type of sizes and indices.
    pub const I64: Type = Type::Scalar(ScalarType::I64);
    /// The `bool` type.
    pub const BOOL: Type = Type::Scalar(ScalarType::Bool);

    /// Returns the type of an array of `elem` with these sizes, or the scalar type if there are none.
    pub fn array(elem: ScalarType, shape: impl IntoIterator<Item = Operand>) -> Type {
        let shape: Shape = shape.into_iter().collect();
        if shape.is_empty() { Type::Scalar(elem) } else { Type::Array(ArrayType { elem, shape }) }
    }

    /// Returns the scalar type, if this is a scalar.
    pub fn as_scalar(&self) -> Option<ScalarType> {
        match self {
            Type::Scalar(ty) => Some(*ty),
            Type::Array(_) | Type::Acc(_) | Type::Cert | Type::Mem => None,
        }
    }

    /// Returns the array type, if this is an array.
    pub fn as_array(&self) -> Option<&ArrayType> {
        match self {
            Type::Array(ty) => Some(ty),
            Type::Scalar(_) | Type::Acc(_) | Type::Cert | Type::Mem => None,
        }
    }

    /// Returns the sizes of an array, outermost first; empty for all other types.
    pub fn shape(&self) -> &[Operand] {
        self.as_array().map_or(&[], |ty| &ty.shape)
    }

    /// Returns the number of dimensions; 0 for types other than arrays.
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// Returns the element type of an array, or the scalar type itself.
    pub fn elem(&self) -> Option<ScalarType> {
        match self {
            Type::Scalar(ty) => Some(*ty),
            Type::Array(ty) => Some(ty.elem),
            Type::Acc(_) | Type::Cert | Type::Mem => None,
        }
    }

    /// Returns the type of an array of such values, with `outer` as additional outer dimensions. Scalars and arrays only.
    pub fn array_of(&self, outer: &[Operand]) -> Type {
        let elem = self.elem().expect("only scalars and arrays can be array elements");
        Type::array(elem, outer.iter().chain(self.shape()).copied())
    }

    /// Returns the type that remains after indexing `count` outer dimensions away.
    pub fn row(&self, count: usize) -> Type {
        let ty = self.as_array().expect("only arrays have rows");
        Type::array(ty.elem, ty.shape[count..].iter().copied())
    }
}
