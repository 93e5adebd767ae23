//! Patterns.

use warpwise_diag::Span;

use super::{Attr, Ident, Literal, TypeExpr};
use crate::syntax::session::PatId;

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pat {
    /// For side tables.
    pub id: PatId,
    /// The place.
    pub span: Span,
    /// Its kind.
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
        /// Whether a minus stands before it.
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
