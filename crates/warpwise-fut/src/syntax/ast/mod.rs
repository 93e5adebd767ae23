//! The syntax tree of the whole language: plain structs and enums, with a source position in each node.
//!
//! The tree keeps the program as written, with four exceptions that simplify later phases:
//! - parentheses leave no node (they only guide the parser);
//! - consecutive `let`s are one [`Let`](ExprKind::Let) with many bindings, so that a long function is a list and not a deep tree;
//!   `let a = 1 in let b = 2 in c` is the same tree as without the first `in`;
//! - all arguments of one application are in one node, and so are the arguments of a constructor;
//! - the record pattern `{x}` is `{x = x}` and `{x: t}` is `{x = (x: t)}`; the record *expression* `{x}` keeps its short form.
//!
//! Names are not resolved here: `a.b.c` is always a [`QualName`], although `a` may turn out to be a record and `b` a field;
//! `(a).b` and `a.0` are projections. A name in a pattern always binds; it cannot be a constant.
//!
//! Equality of nodes is structural and ignores source positions and ids. It compares symbols, so only trees of one session can be
//! compared.

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

/// A source file.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Documentation of the file itself: the first of two consecutive documentation comments at its top.
    pub doc: Option<Doc>,
    /// The declarations in order.
    pub decls: Vec<Decl>,
}

/// Drops a tree with enough stack, since trees may be deep.
impl Drop for Program {
    fn drop(&mut self) {
        let decls = std::mem::take(&mut self.decls);
        deep(|| drop(decls));
    }
}
