//! Names, and what is written beside them: attributes and documentation.

use warpwise_diag::Span;

use crate::syntax::session::{PatId, Symbol};

/// A name where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Ident {
    /// The name. Operators (`+`, `>>=`) and numeric fields (`0`) are names too.
    pub symbol: Symbol,
    /// The place.
    pub span: Span,
}

/// A name with the modules it is looked up in: `a.b.c`, ``a.b.`f` ``, `a.+`.
#[derive(Clone, Debug)]
pub struct QualName {
    /// The place of the whole.
    pub span: Span,
    /// Outermost first.
    pub qualifiers: Vec<Ident>,
    /// The last name.
    pub name: Ident,
}

/// A place that binds a value to a name without being a pattern. Shares its ids with patterns.
#[derive(Clone, Copy, Debug)]
pub struct Binder {
    /// For side tables.
    pub id: PatId,
    /// The bound name.
    pub name: Ident,
}

impl QualName {
    /// A name without qualifiers.
    pub fn plain(name: Ident) -> QualName {
        QualName { span: name.span, qualifiers: Vec::new(), name }
    }
}

/// The inside of `#[...]`.
#[derive(Clone, Debug)]
pub struct Attr {
    /// The place, brackets not included.
    pub span: Span,
    /// Its content.
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
    /// The place of the whole comment.
    pub span: Span,
    /// The text; lines are separated by `\n`.
    pub text: String,
}
