//! Types as written.

use warpwise_diag::Span;

use super::{Expr, Ident, QualName};

/// The contents that a type may hide.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Liftedness {
    /// `type`, `'t`: values of a fixed size.
    Unlifted,
    /// `type~`, `'~t`: also values with sizes of their own.
    SizeLifted,
    /// `type^`, `'^t`: also functions.
    Lifted,
}

/// A size or type parameter.
#[derive(Clone, Debug)]
pub struct TypeParam {
    /// Source position, including marks.
    pub span: Span,
    /// The name.
    pub name: Ident,
    /// `[n]` or one of `'t`, `'~t`, `'^t`.
    pub kind: TypeParamKind,
}

/// The two kinds of parameters of types and polymorphic functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeParamKind {
    /// `[n]`.
    Size,
    /// `'t`, `'~t` or `'^t`.
    Type(Liftedness),
}

/// A type expression.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// Source position.
    pub span: Span,
    /// Form of the type.
    pub kind: TypeExprKind,
}

/// The forms of a type expression.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeExprKind {
    /// `a.t`, `i32`.
    Var(QualName),
    /// `(a, b)`; unit when empty; never of length one.
    Tuple(Vec<TypeExpr>),
    /// `{x: a, y: b}`.
    Record(Vec<FieldType>),
    /// `[n]t`.
    Array {
        /// The extent of the outer dimension.
        size: SizeExpr,
        /// The type of a row.
        element: Box<TypeExpr>,
    },
    /// `*t`.
    Unique(Box<TypeExpr>),
    /// `t [n] a`: one argument per node, as the arguments may be sizes.
    Apply {
        /// The type constructor.
        function: Box<TypeExpr>,
        /// Its argument.
        argument: Box<TypeArg>,
    },
    /// `a -> b`, `(x: a) -> b`.
    Arrow {
        /// Name of the parameter, if the result refers to it.
        param: Option<Ident>,
        /// The argument.
        argument: Box<TypeExpr>,
        /// The result.
        result: Box<TypeExpr>,
    },
    /// `#a t u | #b`.
    Sum(Vec<ConstructorType>),
    /// `?[n][m].t`.
    Exists {
        /// Unknown sizes; at least one.
        sizes: Vec<Ident>,
        /// Type that mentions the sizes.
        body: Box<TypeExpr>,
    },
}

/// One field of a record type.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldType {
    /// The field.
    pub name: Ident,
    /// Its type.
    pub ty: TypeExpr,
}

/// One constructor of a sum type.
#[derive(Clone, Debug)]
pub struct ConstructorType {
    /// Source position.
    pub span: Span,
    /// The name, without `#`.
    pub name: Ident,
    /// The payload.
    pub payload: Vec<TypeExpr>,
}

/// An argument of a type constructor.
#[derive(Clone, PartialEq, Debug)]
pub enum TypeArg {
    /// `[n]`.
    Size(SizeExpr),
    /// A type.
    Type(TypeExpr),
}

/// A size in a type.
#[derive(Clone, Debug)]
pub struct SizeExpr {
    /// Source position, including brackets.
    pub span: Span,
    /// The expression; `None` for `[]`.
    pub expr: Option<Box<Expr>>,
}
