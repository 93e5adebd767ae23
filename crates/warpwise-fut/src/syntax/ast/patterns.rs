//! Patterns.

use warpwise_diag::Span;

use super::{Attr, Ident, Literal, TypeExpr};
use crate::syntax::session::PatId;

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// Identity of the pattern in side tables.
    pub id: PatId,
    /// Source position.
    pub span: Span,
    /// Form of the pattern.
    pub kind: PatKind,
}

/// The forms of a pattern.
#[derive(Clone, PartialEq, Debug)]
pub enum PatKind {
    /// `x`, `(+)`.
    Name(Ident),
    /// `_`.
    Wildcard,
    /// `(p, q)`; unit when empty; never of length one.
    Tuple(Vec<Pat>),
    /// `{x = p}`.
    Record(Vec<FieldPat>),
    /// `p: t`.
    Ascribe(Box<Pat>, Box<TypeExpr>),
    /// `3`, `-3i8`, `'a'`, `true`.
    Literal {
        /// Whether a minus precedes the literal.
        negated: bool,
        /// The number, character or truth value.
        literal: Literal,
    },
    /// `#c p q`.
    Constructor(Ident, Vec<Pat>),
    /// `#[attr] p`.
    Attr(Box<Attr>, Box<Pat>),
}

/// One field of a record pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct FieldPat {
    /// The field.
    pub name: Ident,
    /// The pattern that its value is matched with.
    pub pattern: Pat,
}
