//! Names, attributes and documentation.

use warpwise_diag::Span;

use crate::syntax::session::{PatId, Symbol};

/// An occurrence of a name.
#[derive(Clone, Copy, Debug)]
pub struct Ident {
    /// The name. Operators (`+`, `>>=`) and numeric fields (`0`) are names too.
    pub symbol: Symbol,
    /// Source position.
    pub span: Span,
}

/// A name, qualified by the modules in which it is looked up: `a.b.c`, ``a.b.`f` ``, `a.+`.
#[derive(Clone, Debug)]
pub struct QualName {
    /// Source position of the whole.
    pub span: Span,
    /// Qualifiers, outermost first.
    pub qualifiers: Vec<Ident>,
    /// The last name.
    pub name: Ident,
}

/// A binding of a value to a name that is not a pattern. Shares its ids with patterns.
#[derive(Clone, Copy, Debug)]
pub struct Binder {
    /// Identity in side tables.
    pub id: PatId,
    /// The bound name.
    pub name: Ident,
}

impl QualName {
    /// Creates a name without qualifiers.
    pub fn plain(name: Ident) -> QualName {
        QualName { span: name.span, qualifiers: Vec::new(), name }
    }
}

/// The content of `#[...]`.
#[derive(Clone, Debug)]
pub struct Attr {
    /// Source position, without brackets.
    pub span: Span,
    /// Form of the attribute.
    pub kind: AttrKind,
}

/// The forms of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub enum AttrKind {
    /// `noinline`.
    Name(Ident),
    /// `3`.
    Int(u128),
    /// `unroll(3)`, `sequential_outer()`.
    Compound(Ident, Vec<Attr>),
}

/// A documentation comment (`-- | ...`), without the comment marks.
#[derive(Clone, Debug)]
pub struct Doc {
    /// Source position of the whole comment.
    pub span: Span,
    /// The text; lines are separated by `\n`.
    pub text: String,
}
