//! Trees to text: printed text parses to the same tree.
//!
//! Definitions stand on lines of their own, indented by depth; everything else goes on one line. Parentheses are printed only
//! where the grammar needs them. Source positions and comments are lost.

mod declarations;
mod expressions;
mod patterns;
mod types;

use crate::syntax::ast::{Expr, Ident, Program, TypeExpr};
use crate::syntax::lexer::{TokenKind, tokenize};
use crate::syntax::literals::escape;
use crate::syntax::names::{Names, Symbol};

/// Returns the text of a file.
pub fn print_program(program: &Program, names: &Names) -> String {
    let mut printer = Printer::new(names);
    printer.program(program);
    printer.text
}

/// Returns the text of an expression.
pub fn print_expression(expr: &Expr, names: &Names) -> String {
    let mut printer = Printer::new(names);
    printer.expression(expr);
    printer.text
}

/// Returns the text of a type.
pub fn print_type(ty: &TypeExpr, names: &Names) -> String {
    let mut printer = Printer::new(names);
    printer.ty(ty);
    printer.text
}

struct Printer<'a> {
    names: &'a Names,
    text: String,
    indent: usize,
}

impl<'a> Printer<'a> {
    fn new(names: &'a Names) -> Printer<'a> {
        Printer { names, text: String::new(), indent: 0 }
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', 2 * self.indent));
    }

    fn list<T>(&mut self, items: &[T], separator: &str, mut item: impl FnMut(&mut Self, &T)) {
        for (index, one) in items.iter().enumerate() {
            if index > 0 {
                self.put(separator);
            }
            item(self, one);
        }
    }

    fn parenthesised(&mut self, needed: bool, inner: impl FnOnce(&mut Self)) {
        if needed {
            self.put("(");
        }
        inner(self);
        if needed {
            self.put(")");
        }
    }

    /// Prints a name; quoted with the prefix `quote` if it is not a token of one of these kinds.
    fn name(&mut self, name: Symbol, kinds: &[TokenKind], quote: &str) {
        let text = self.names.text(name);
        let tokens = tokenize(text);
        let plain =
            tokens.len() == 2 && kinds.contains(&tokens[0].kind) && tokens[0].end as usize == text.len();
        if plain && tokens[0].start == 0 {
            return self.put(text);
        }
        self.put(quote);
        self.quoted(text);
    }

    fn variable(&mut self, name: Symbol) {
        self.name(name, &[TokenKind::Lower, TokenKind::Underscore], "#var");
    }

    fn constructor(&mut self, name: Ident) {
        self.name(name.name, &[TokenKind::Upper], "#con");
    }

    fn type_name(&mut self, name: Ident) {
        self.name(name.name, &[TokenKind::Upper], "#type");
    }

    fn label(&mut self, name: Ident) {
        self.name(name.name, &[TokenKind::Lower, TokenKind::Upper], "#label");
    }

    fn any_name(&mut self, name: Ident) {
        let text = self.names.text(name.name);
        self.put(text);
    }

    fn quoted(&mut self, text: &str) {
        self.text.push('"');
        text.chars().for_each(|c| escape(c, &mut self.text));
        self.text.push('"');
    }

    fn character(&mut self, c: char) {
        self.text.push('\'');
        escape(c, &mut self.text);
        self.text.push('\'');
    }
}
