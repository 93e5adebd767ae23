//! Expressions.

use warpwise_diag::Span;

use super::{Attr, Binder, Ident, Literal, Pat, QualName, TypeExpr, TypeParam};
use crate::syntax::session::ExprId;

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// For side tables.
    pub id: ExprId,
    /// The place; parentheses around it are not part of it.
    pub span: Span,
    /// Its kind.
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
        /// One per dimension; fewer leave the rest whole.
        slice: Vec<DimIndex>,
    },
    /// `-e`.
    Negate(Box<Expr>),
    /// `!e`: of a truth value or of bits.
    Not(Box<Expr>),
    /// `assert c e`.
    Assert {
        /// The condition.
        condition: Box<Expr>,
        /// The value.
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
        /// The way to the place; at least one step.
        path: Vec<PathStep>,
        /// The new value.
        value: Box<Expr>,
    },
    /// `\p q : t -> e`.
    Lambda {
        /// At least one.
        params: Vec<Pat>,
        /// The annotated result.
        result: Option<Box<TypeExpr>>,
        /// The result.
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
        /// Its type, with sizes to be checked when it runs.
        ty: Box<TypeExpr>,
    },
    /// `f a b`.
    Apply {
        /// The function; never an application itself unless parenthesised.
        function: Box<Expr>,
        /// At least one.
        arguments: Vec<Expr>,
    },
    /// `a + b`, `` a `f` b ``, `a m.+ b`. `&&` and `||` are among them.
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
        /// The second element, which gives the stride.
        second: Option<Box<Expr>>,
        /// The kind of end.
        bound: RangeBound,
        /// The end.
        end: Box<Expr>,
    },
    /// `let ... let ... in e`.
    Let {
        /// In order; at least one. Each sees those before it.
        bindings: Vec<LetBinding>,
        /// The result.
        body: Box<Expr>,
    },
    /// `if c then a else b`.
    If {
        /// The condition.
        condition: Box<Expr>,
        /// When it holds.
        then: Box<Expr>,
        /// When it does not.
        otherwise: Box<Expr>,
    },
    /// `loop p = a for i < n do e`.
    Loop(Box<LoopExpr>),
    /// `match e case p -> a case q -> b`.
    Match {
        /// The scrutinee.
        scrutinee: Box<Expr>,
        /// At least one.
        cases: Vec<MatchCase>,
    },
}

/// One field of a record expression.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldInit {
    /// The field.
    pub name: Ident,
    /// Its value; none when the variable of the same name is meant.
    pub value: Option<Expr>,
}

/// An index or slice of one dimension.
#[derive(Clone, Debug)]
pub struct DimIndex {
    /// The place.
    pub span: Span,
    /// Its kind.
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
        /// One past the last.
        end: Option<Box<Expr>>,
        /// The stride.
        stride: Option<Box<Expr>>,
    },
}

/// One step on the way to a part of a value.
#[derive(Clone, PartialEq, Debug)]
pub enum PathStep {
    /// `[i, j:k]`.
    Index(Vec<DimIndex>),
    /// `x`.
    Field(Ident),
}

/// Where a range ends.
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
        /// Sizes given a name.
        sizes: Vec<Ident>,
        /// The bound pattern.
        pattern: Pat,
        /// To what.
        value: Expr,
    },
    /// `let f 'a (x: t) : r = e`; at least one parameter.
    Function(Box<LocalFunction>),
    /// `let x[i].a = e`: `x` is consumed and bound anew.
    Update {
        /// The new binding; the old one has the same name.
        name: Binder,
        /// The way to the place; at least one step.
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
    /// The annotated result.
    pub result: Option<TypeExpr>,
    /// The right-hand side.
    pub body: Expr,
}

/// `loop pattern = initial form do body`.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopExpr {
    /// The loop parameters.
    pub pattern: Pat,
    /// Their first values; none means the variables of the same names.
    pub initial: Option<Expr>,
    /// How it ends.
    pub form: LoopForm,
    /// The values of the next iteration.
    pub body: Expr,
}

/// How a loop ends.
#[derive(Clone, PartialEq, Debug)]
pub enum LoopForm {
    /// `for i < n`.
    For {
        /// Counts from 0.
        index: Binder,
        /// The number of iterations.
        bound: Expr,
    },
    /// `for p in a`.
    ForIn {
        /// Matched with every element.
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
    /// The place.
    pub span: Span,
    /// When.
    pub pattern: Pat,
    /// Then.
    pub body: Expr,
}
