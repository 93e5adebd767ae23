//! Expressions.

use warpwise_diag::Span;

use super::{Attr, Binder, Ident, Literal, Pat, QualName, TypeExpr, TypeParam};
use crate::syntax::session::ExprId;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Identity of the expression in side tables.
    pub id: ExprId,
    /// Source position, without enclosing parentheses.
    pub span: Span,
    /// Form of the expression.
    pub kind: ExprKind,
}

/// The forms of an expression.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `3`, `0x1fu8`, `'a'`, `true`.
    Literal(Literal),
    /// `"text"`, as its UTF-8 bytes: an array of `u8`.
    String(Vec<u8>),
    /// `???`.
    Hole,
    /// `x`, `a.b.x`; the qualifiers may turn out to be a record and its fields.
    Var(QualName),
    /// `(a, b)`; unit when empty; never of length one.
    Tuple(Vec<Expr>),
    /// `{x = a, y}`.
    Record(Vec<FieldInit>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `m.(e)`: `e` with the names of `m` in scope.
    LocalOpen {
        /// The module.
        module: QualName,
        /// The expression.
        body: Box<Expr>,
    },
    /// `#[attr] e`.
    Attr {
        /// The attribute.
        attr: Box<Attr>,
        /// The body.
        body: Box<Expr>,
    },
    /// `e.x`, where `e` is not a name; `e.0`.
    Project {
        /// The record.
        record: Box<Expr>,
        /// The field.
        field: Ident,
    },
    /// `a[i, j:k]`.
    Index {
        /// The array.
        array: Box<Expr>,
        /// One index per dimension; dimensions without one stay whole.
        slice: Vec<DimIndex>,
    },
    /// `-e`.
    Negate(Box<Expr>),
    /// `!e`: negation of a truth value or of bits.
    Not(Box<Expr>),
    /// `assert c e`.
    Assert {
        /// The condition.
        condition: Box<Expr>,
        /// Value of the expression if the condition holds.
        body: Box<Expr>,
    },
    /// `#c a b`.
    Constructor {
        /// The name, without `#`.
        name: Ident,
        /// The payload.
        arguments: Vec<Expr>,
    },
    /// `e with [i].x = v`.
    Update {
        /// The array or record; consumed if an array is updated.
        target: Box<Expr>,
        /// Path to the updated place; at least one step.
        path: Vec<PathStep>,
        /// The new value.
        value: Box<Expr>,
    },
    /// `\p q : t -> e`.
    Lambda {
        /// Parameters; at least one.
        params: Vec<Pat>,
        /// Annotated type of the result.
        result: Option<Box<TypeExpr>>,
        /// Body of the lambda.
        body: Box<Expr>,
    },
    /// `(+)`, `` (`f`) ``.
    OperatorSection(QualName),
    /// `(e +)`.
    LeftSection {
        /// The given left operand.
        left: Box<Expr>,
        /// The operator.
        operator: QualName,
    },
    /// `(+ e)`.
    RightSection {
        /// The operator.
        operator: QualName,
        /// The given right operand.
        right: Box<Expr>,
    },
    /// `(.x)`, `(.[i])`, `(.[i].x.0)`: the function that follows the path.
    PathSection(Vec<PathStep>),
    /// `e : t`.
    Ascribe {
        /// The expression.
        body: Box<Expr>,
        /// Its type.
        ty: Box<TypeExpr>,
    },
    /// `e :> t`.
    Coerce {
        /// The expression.
        body: Box<Expr>,
        /// Type, with sizes to be checked at run time.
        ty: Box<TypeExpr>,
    },
    /// `f a b`.
    Apply {
        /// The function; never an application itself unless parenthesised.
        function: Box<Expr>,
        /// Arguments; at least one.
        arguments: Vec<Expr>,
    },
    /// `a + b`, `` a `f` b ``, `a m.+ b`, including `&&` and `||`.
    Binary {
        /// The operator or the name between backticks.
        operator: QualName,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `a..b..<c`.
    Range {
        /// The first element.
        start: Box<Expr>,
        /// Second element, which determines the stride.
        second: Option<Box<Expr>>,
        /// The kind of end.
        bound: RangeBound,
        /// The end.
        end: Box<Expr>,
    },
    /// `let ... let ... in e`.
    Let {
        /// Bindings in order; at least one. Each sees the previous ones.
        bindings: Vec<LetBinding>,
        /// The result.
        body: Box<Expr>,
    },
    /// `if c then a else b`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// Value if the condition holds.
        then: Box<Expr>,
        /// Value if it does not hold.
        otherwise: Box<Expr>,
    },
    /// `loop p = a for i < n do e`.
    Loop(Box<LoopExpr>),
    /// `match e case p -> a case q -> b`.
    Match {
        /// The scrutinee.
        scrutinee: Box<Expr>,
        /// Cases; at least one.
        cases: Vec<MatchCase>,
    },
}

/// One field of a record expression.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldInit {
    /// The field.
    pub name: Ident,
    /// Value of the field; `None` for the variable of the same name.
    pub value: Option<Expr>,
}

/// An index or slice of one dimension.
#[derive(Clone, Debug)]
pub struct DimIndex {
    /// Source position.
    pub span: Span,
    /// Form of the index or slice.
    pub kind: DimIndexKind,
}

/// The forms of an index.
#[derive(Clone, PartialEq, Debug)]
pub enum DimIndexKind {
    /// `i`.
    Fix(Box<Expr>),
    /// `start:end:stride`. Each of the three is optional.
    Slice {
        /// The first index.
        start: Option<Box<Expr>>,
        /// One past the last index.
        end: Option<Box<Expr>>,
        /// The stride.
        stride: Option<Box<Expr>>,
    },
}

/// One step of a path to a part of a value.
#[derive(Clone, PartialEq, Debug)]
pub enum PathStep {
    /// `[i, j:k]`.
    Index(Vec<DimIndex>),
    /// `x`.
    Field(Ident),
}

/// Kind of a range's end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RangeBound {
    /// `...`: at the bound.
    Inclusive,
    /// `..<`: below the bound.
    Below,
    /// `..>`: above the bound.
    Above,
}

/// One binding of a `let`.
#[derive(Clone, Debug)]
pub struct LetBinding {
    /// From `let` to the end of the right-hand side.
    pub span: Span,
    /// The kind of binding.
    pub kind: LetKind,
}

/// The forms of a binding.
#[derive(Clone, PartialEq, Debug)]
pub enum LetKind {
    /// `let [n] p = e`.
    Pattern {
        /// Sizes to be named.
        sizes: Vec<Ident>,
        /// The bound pattern.
        pattern: Pat,
        /// Value that the pattern is bound to.
        value: Expr,
    },
    /// `let f 'a (x: t) : r = e`; at least one parameter.
    Function(Box<LocalFunction>),
    /// `let x[i].a = e`: `x` is consumed and rebound.
    Update {
        /// The new binding; the old one has the same name.
        name: Binder,
        /// Path to the updated place; at least one step.
        path: Vec<PathStep>,
        /// The new value.
        value: Expr,
    },
}

/// A function bound by `let`.
#[derive(Clone, PartialEq, Debug)]
pub struct LocalFunction {
    /// The name.
    pub name: Binder,
    /// Size and type parameters.
    pub type_params: Vec<TypeParam>,
    /// Parameters; at least one.
    pub params: Vec<Pat>,
    /// Annotated type of the result.
    pub result: Option<TypeExpr>,
    /// The right-hand side.
    pub body: Expr,
}

/// `loop pattern = initial form do body`.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopExpr {
    /// The loop parameters.
    pub pattern: Pat,
    /// Initial values; `None` for the variables of the same names.
    pub initial: Option<Expr>,
    /// The loop's form, which determines when it ends.
    pub form: LoopForm,
    /// Values for the next iteration.
    pub body: Expr,
}

/// The forms of a loop.
#[derive(Clone, PartialEq, Debug)]
pub enum LoopForm {
    /// `for i < n`.
    For {
        /// Index, which counts from 0.
        index: Binder,
        /// Number of iterations.
        bound: Expr,
    },
    /// `for p in a`.
    ForIn {
        /// Pattern that is matched with every element.
        pattern: Pat,
        /// The array.
        array: Expr,
    },
    /// `while c`.
    While(Expr),
}

/// `case p -> e`.
#[derive(Clone, Debug)]
pub struct MatchCase {
    /// Source position.
    pub span: Span,
    /// Pattern of the case.
    pub pattern: Pat,
    /// Value of the case.
    pub body: Expr,
}
