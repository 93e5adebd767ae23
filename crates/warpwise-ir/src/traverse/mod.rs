//! Walking, renaming and copying code.
//!
//! [`Visitor`] and [`VisitorMut`] reach everything; on top of them stand the shallow walks of one
//! expression ([`for_each_operand`](crate::Expr::for_each_operand), [`for_each_body`](crate::Expr::for_each_body), ...), what it does with storage
//! ([`for_each_consumed`](crate::Expr::for_each_consumed), [`parts`](crate::Expr::parts), [`viewed`](crate::Expr::viewed)), free variables,
//! substitution and copies with fresh variables. Because every variable of a function is bound
//! once, no walk has to think about shadowing.

mod copy;
mod free;
mod shallow;
mod storage;
mod visit;

pub use copy::{Copier, Substitution};
pub use free::{FreeVars, free_in_body, free_in_expr, free_in_lambda, free_in_stm, free_in_type};
pub use visit::{Visitor, VisitorMut};
