//! Parsing of source text to a syntax tree, and printing.
//!
//! Read in this order: [`ast`] is the tree, and [`session`] is the state shared by the files of one compilation. [`lexer`],
//! [`literals`] and [`parser`] make trees, [`mod@print`] prints them, and [`imports`] collects the trees of all files. Nothing
//! here knows about scopes or types.

pub mod ast;
pub mod imports;
pub mod lexer;
pub mod literals;
pub mod parser;
pub mod print;
pub mod session;
