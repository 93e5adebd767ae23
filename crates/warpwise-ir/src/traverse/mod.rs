//! Walking, renaming and copying code.
//!
//! [`Visitor`] and [`VisitorMut`] reach everything. They are the basis of the shallow walks of one expression
//! ([`for_each_operand`](crate::Expr::for_each_operand), [`for_each_body`](crate::Expr::for_each_body), ...), of the queries
//! about its use of storage ([`for_each_consumed`](crate::Expr::for_each_consumed), [`parts`](crate::Expr::parts),
//! [`viewed`](crate::Expr::viewed)), of free variables, substitution and copies with fresh variables. No walk has to consider
//! shadowing, because every variable of a function is bound once.

mod copy;
mod free;
mod shallow;
mod storage;
mod visit;

pub use copy::{Copier, Substitution};
pub use free::{FreeVars, free_in_body, free_in_expr, free_in_lambda, free_in_stm, free_in_type};
pub use visit::{Visitor, VisitorMut};
