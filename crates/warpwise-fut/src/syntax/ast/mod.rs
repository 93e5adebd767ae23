//! The syntax tree of the whole language: plain structs and enums, one place per node.
//!
//! The tree keeps what was written, with four exceptions that later phases are glad of:
//! - parentheses leave no node (they did their work in the parser);
//! - consecutive `let`s are one [`Let`](ExprKind::Let) with many bindings, so that a long function is a
//!   list and not a deep tree; `let a = 1 in let b = 2 in c` is the same tree as without the first `in`;
//! - all arguments of one application stand in one node, and so do the arguments of a constructor;
//! - the record pattern `{x}` is `{x = x}` and `{x: t}` is `{x = (x: t)}`; the record *expression* `{x}` keeps its short form.
//!
//! Not resolved here: `a.b.c` is always a [`QualName`], although `a` may turn out to be a record and `b` a field;
//! `(a).b` and `a.0` are projections. A name in a pattern may not be a constant: it always binds.
//!
//! Equality of nodes is equality of structure: places and ids do not take part. Symbols do, so only
//! trees of one session can be compared.

mod decls;
mod equality;
mod exprs;
mod literals;
mod names;
mod patterns;
mod types;

use warpwise_ir::deep::deep;

pub use decls::*;
pub use exprs::*;
pub use literals::*;
pub use names::*;
pub use patterns::*;
pub use types::*;

/// One file.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The comment on the file itself: the first of two documentation comments in a row at its top.
    pub doc: Option<Doc>,
    /// The declarations in order.
    pub decls: Vec<Decl>,
}

/// Trees may be high, and take a stack to be dropped.
impl Drop for Program {
    fn drop(&mut self) {
        let decls = std::mem::take(&mut self.decls);
        deep(|| drop(decls));
    }
}
