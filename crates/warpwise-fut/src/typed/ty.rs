//! Types and sizes.
//!
//! Types carry no uniqueness of their own: where it matters (parameters and results of functions) a
//! [`Uniqueness`] of the same shape stands beside the type.

use std::sync::Arc;

use crate::syntax::ast::PrimType;
use crate::syntax::session::Symbol;
use crate::typed::ids::{AbstractId, DefId, LocalId, TypeParamId};
use crate::typed::tree::Expr;

/// The most parts that a type may have, counted as often as they stand in it: types are shared, but much that is done with
/// them is not.
pub const MOST_PARTS: u32 = 50_000;

/// How deep a type may be.
pub const MOST_LEVELS: u32 = 1000;

/// The message about types that are larger.
pub const TOO_LARGE: &str = "types of more than 50,000 parts or 1,000 levels";

/// A type. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Type {
    /// `i32` and the like.
    Prim(PrimType),
    /// A type parameter of an enclosing definition or local function.
    Param(TypeParamId),
    /// A type whose definition is hidden by a module type, with its arguments.
    Abstract(AbstractId, Arc<[TypeArg]>),
    /// An array of one dimension more than its element.
    Array(Arc<ArrayType>),
    /// A record; a tuple has the fields `0`, `1`, ..., the unit type none.
    Record(Arc<[Field]>),
    /// A choice of constructors, sorted by the text of their names.
    Sum(Arc<[Constructor]>),
    /// A function.
    Arrow(Arc<ArrowType>),
}

/// `[size]element`.
#[derive(Clone, Debug)]
pub struct ArrayType {
    /// The extent of the outer dimension.
    pub size: Size,
    /// The type of a row; never a function.
    pub element: Type,
}

/// One field of a record. Fields are sorted: numeric names by value, before others by their text.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name.
    pub name: Symbol,
    /// The type.
    pub ty: Type,
}

/// One constructor of a sum type.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// The name, without `#`.
    pub name: Symbol,
    /// The payload.
    pub payload: Arc<[Type]>,
}

/// `(param: argument) -> ?[exists].result`. Functions of several parameters are curried.
#[derive(Clone, Debug)]
pub struct ArrowType {
    /// Bound in `result`, where it stands for the argument; only if the argument is an `i64` whose value the result's sizes may speak of.
    pub param: Option<LocalId>,
    /// The argument.
    pub argument: Type,
    /// Which parts of the argument are consumed.
    pub consumes: Uniqueness,
    /// The result.
    pub result: ResultType,
}

/// The result of a function: a type and the sizes that come into being with it.
#[derive(Clone, Debug)]
pub struct ResultType {
    /// Bound in `ty`. Empty unless `ty` is not a function.
    pub exists: Vec<LocalId>,
    /// The type.
    pub ty: Type,
    /// Which parts of the result alias nothing.
    pub unique: Uniqueness,
}

/// A yes or no for a value or for each part of it (see [`Type::parts`]). What is neither array nor abstract nor a parameter has no part in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Uniqueness {
    /// No part.
    No,
    /// The whole.
    Yes,
    /// Part by part: the fields of a record, or all that the constructors of a sum carry, in the order of the type.
    Fields(Arc<[Uniqueness]>),
}

/// An argument of a type constructor.
#[derive(Clone, Debug)]
pub enum TypeArg {
    /// `[n]`.
    Size(Size),
    /// Any other.
    Type(Type),
}

/// The extent of a dimension: an `i64`.
#[derive(Clone, Debug)]
pub enum Size {
    /// A constant.
    Const(i64),
    /// A local: size parameter, value parameter, bound by `let` or by an `Open`.
    Local(LocalId),
    /// A top-level constant.
    Def(DefId),
    /// Any other expression of type `i64`. Free of binders and of consumption, so it can be evaluated
    /// wherever its locals are in scope. Two are equal if their trees are, up to spans and types.
    Expr(Arc<Expr>),
}

impl Type {
    /// The unit type.
    pub fn unit() -> Type {
        Type::Record(Arc::new([]))
    }

    /// `[size]element`.
    pub fn array(size: Size, element: Type) -> Type {
        Type::Array(Arc::new(ArrayType { size, element }))
    }

    /// The types of the parts that a value is made of: the fields of a record, or what the constructors of a sum carry, one
    /// after the other. None for any other type.
    pub fn parts(&self) -> Option<Vec<&Type>> {
        match self {
            Type::Record(fields) => Some(fields.iter().map(|field| &field.ty).collect()),
            Type::Sum(constructors) => Some(constructors.iter().flat_map(|c| c.payload.iter()).collect()),
            Type::Prim(_) | Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Arrow(_) => None,
        }
    }

    /// The constructors of a sum; none of any other type.
    pub fn constructors(&self) -> &[Constructor] {
        match self {
            Type::Sum(constructors) => constructors,
            Type::Prim(_)
            | Type::Param(_)
            | Type::Abstract(..)
            | Type::Array(_)
            | Type::Record(_)
            | Type::Arrow(_) => &[],
        }
    }

    /// Where among the parts of a sum those of a constructor start.
    pub fn first_part(&self, constructor: usize) -> usize {
        self.constructors().iter().take(constructor).map(|c| c.payload.len()).sum()
    }
}

impl Uniqueness {
    /// Whether any part is marked.
    pub fn any(&self) -> bool {
        match self {
            Uniqueness::No => false,
            Uniqueness::Yes => true,
            Uniqueness::Fields(fields) => fields.iter().any(Uniqueness::any),
        }
    }

    /// The mark of one field.
    pub fn field(&self, index: usize) -> Uniqueness {
        match self {
            Uniqueness::No => Uniqueness::No,
            Uniqueness::Yes => Uniqueness::Yes,
            Uniqueness::Fields(fields) => fields.get(index).cloned().unwrap_or(Uniqueness::No),
        }
    }
}
