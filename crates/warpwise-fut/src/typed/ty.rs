//! Types and sizes.
//!
//! Types do not carry uniqueness. Where it matters (parameters and results of functions), a [`Uniqueness`] of the same shape
//! accompanies the type.

use std::sync::Arc;

use crate::syntax::ast::PrimType;
use crate::syntax::session::Symbol;
use crate::typed::ids::{AbstractId, DefId, LocalId, TypeParamId};
use crate::typed::tree::Expr;

/// Maximum number of parts of a type, counted as often as they occur: types are shared, but much work on them is not.
pub const MOST_PARTS: u32 = 50_000;

/// Maximum depth of a type.
pub const MOST_LEVELS: u32 = 1000;

/// Message for larger types.
pub const TOO_LARGE: &str = "types of more than 50,000 parts or 1,000 levels";

/// A type. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Type {
    /// A scalar type.
    Prim(PrimType),
    /// A type parameter of an enclosing definition or local function.
    Param(TypeParamId),
    /// A type whose definition is hidden by a module type, with its arguments.
    Abstract(AbstractId, Arc<[TypeArg]>),
    /// An array, which has one dimension more than its element.
    Array(Arc<ArrayType>),
    /// A record. A tuple has the fields `0`, `1`, ...; the unit type has none.
    Record(Arc<[Field]>),
    /// A choice of constructors, sorted by the text of their names.
    Sum(Arc<[Constructor]>),
    /// A function.
    Arrow(Arc<ArrowType>),
}

/// `[size]element`.
#[derive(Clone, Debug)]
pub struct ArrayType {
    /// Extent of the outer dimension.
    pub size: Size,
    /// Type of a row; never a function.
    pub element: Type,
}

/// One field of a record. Fields are sorted: numeric names by value, then the others by their text.
#[derive(Clone, Debug)]
pub struct Field {
    /// Name of the field.
    pub name: Symbol,
    /// Type of the field.
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
    /// Local that denotes the argument in `result`, where it is bound. Exists only if the argument is an `i64` whose value the
    /// result's sizes may mention.
    pub param: Option<LocalId>,
    /// The argument.
    pub argument: Type,
    /// Parts of the argument that are consumed.
    pub consumes: Uniqueness,
    /// The result.
    pub result: ResultType,
}

/// The result of a function: a type and its existential sizes.
#[derive(Clone, Debug)]
pub struct ResultType {
    /// Existential sizes, bound in `ty`. Empty if `ty` is a function.
    pub exists: Vec<LocalId>,
    /// The type.
    pub ty: Type,
    /// Parts of the result that alias nothing.
    pub unique: Uniqueness,
}

/// A mark for a value as a whole or for each of its parts (see [`Type::parts`]). Marks matter only for arrays, abstract types and
/// type parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Uniqueness {
    /// No part is marked.
    No,
    /// The whole value is marked.
    Yes,
    /// Marks of the parts: of the fields of a record, or of the payloads of all constructors of a sum, in the order of the type.
    Fields(Arc<[Uniqueness]>),
}

/// An argument of a type constructor.
#[derive(Clone, Debug)]
pub enum TypeArg {
    /// `[n]`.
    Size(Size),
    /// A type.
    Type(Type),
}

/// The extent of a dimension: an `i64`.
#[derive(Clone, Debug)]
pub enum Size {
    /// A constant.
    Const(i64),
    /// A local: a size parameter, a value parameter, or a local bound by `let` or by an `Open`.
    Local(LocalId),
    /// A top-level constant.
    Def(DefId),
    /// Any other expression of type `i64`. It binds and consumes nothing, so it can be evaluated wherever its locals are in
    /// scope. Two such sizes are equal if their trees are equal, except for spans and types.
    Expr(Arc<Expr>),
}

impl Type {
    /// Returns the unit type.
    pub fn unit() -> Type {
        Type::Record(Arc::new([]))
    }

    /// Returns the type `[size]element`.
    pub fn array(size: Size, element: Type) -> Type {
        Type::Array(Arc::new(ArrayType { size, element }))
    }

    /// Returns the types of a value's parts: the fields of a record, or the payloads of all constructors of a sum in order.
    /// `None` for any other type.
    pub fn parts(&self) -> Option<Vec<&Type>> {
        match self {
            Type::Record(fields) => Some(fields.iter().map(|field| &field.ty).collect()),
            Type::Sum(constructors) => Some(constructors.iter().flat_map(|c| c.payload.iter()).collect()),
            Type::Prim(_) | Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Arrow(_) => None,
        }
    }

    /// Returns the constructors of a sum; empty for any other type.
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

    /// Returns the index of a constructor's first part among the parts of a sum.
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

    /// Returns the mark of one field.
    pub fn field(&self, index: usize) -> Uniqueness {
        match self {
            Uniqueness::No => Uniqueness::No,
            Uniqueness::Yes => Uniqueness::Yes,
            Uniqueness::Fields(fields) => fields.get(index).cloned().unwrap_or(Uniqueness::No),
        }
    }
}
