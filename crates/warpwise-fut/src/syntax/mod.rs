//! Source text to syntax tree, and back.
//!
//! Read in this order: [`ast`] is the tree, [`session`] what the files of one compilation share; [`lexer`],
//! [`literals`] and [`parser`] make trees, [`mod@print`] undoes it, [`imports`] gathers the trees of many files.
//! Nothing here knows about scopes or types.

pub mod ast;
pub mod imports;
pub mod lexer;
pub mod literals;
pub mod parser;
pub mod print;
pub mod session;
