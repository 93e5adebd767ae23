//! Text to tree: tokens, the tree, the parser and the printer.
//!
//! Each file is treated alone. Names are interned in a [`names::Names`] that all files of a program share.

pub mod ast;
pub mod names;

pub mod lexer;
pub mod literals;
pub mod parser;

pub mod print;
