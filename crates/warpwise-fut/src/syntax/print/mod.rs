//! Printing of a tree as source text, with parentheses wherever they could matter.
//!
//! The text parses back to an equal tree. This serves to test the parser, and to show the trees of later phases. The printer is
//! no formatter: it drops comments and does not break long lines.

mod declarations;
mod expressions;
mod types;

use crate::syntax::ast::{Attr, AttrKind, Doc, Expr, Ident, Literal, Program, QualName, TypeExpr};
use crate::syntax::session::Interner;

/// Returns the text of a file.
pub fn print_program(program: &Program, names: &Interner) -> String {
    let mut printer = Printer { names, out: String::new() };
    if let Some(doc) = &program.doc {
        printer.doc(doc);
        printer.out.push('\n');
    }
    printer.decls(&program.decls);
    printer.out
}

/// Returns the text of an expression.
pub fn print_expression(expr: &Expr, names: &Interner) -> String {
    let mut printer = Printer { names, out: String::new() };
    printer.expr(expr);
    printer.out
}

/// Returns the text of a type.
pub fn print_type(ty: &TypeExpr, names: &Interner) -> String {
    let mut printer = Printer { names, out: String::new() };
    printer.ty(ty);
    printer.out
}

struct Printer<'a> {
    names: &'a Interner,
    out: String,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn list<T>(&mut self, open: &str, items: &[T], close: &str, mut item: impl FnMut(&mut Self, &T)) {
        self.put(open);
        for (position, element) in items.iter().enumerate() {
            if position > 0 {
                self.put(", ");
            }
            item(self, element);
        }
        self.put(close);
    }

    fn in_parentheses(&mut self, inside: impl FnOnce(&mut Self)) {
        self.put("(");
        inside(self);
        self.put(")");
    }

    fn name(&mut self, ident: Ident) {
        let text = self.names.text(ident.symbol);
        self.out.push_str(text);
    }

    fn is_symbolic(&self, ident: Ident) -> bool {
        !self.names.text(ident.symbol).starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    }

    /// Prints a name where it is bound, with operators in parentheses.
    fn bound_name(&mut self, ident: Ident) {
        if self.is_symbolic(ident) {
            self.in_parentheses(|p| p.name(ident));
        } else {
            self.name(ident);
        }
    }

    fn qual_name(&mut self, name: &QualName) {
        for &qualifier in &name.qualifiers {
            self.name(qualifier);
            self.put(".");
        }
        self.name(name.name);
    }

    fn operator(&mut self, name: &QualName) {
        let mark = if self.is_symbolic(name.name) { "" } else { "`" };
        self.put(mark);
        self.qual_name(name);
        self.put(mark);
    }

    fn attr(&mut self, attr: &Attr) {
        match &attr.kind {
            AttrKind::Name(name) => self.name(*name),
            AttrKind::Int(value) => self.put(&value.to_string()),
            AttrKind::Compound(name, inside) => {
                self.name(*name);
                self.list("(", inside, ")", Self::attr);
            }
        }
    }

    fn attrs(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            self.attr_mark(attr);
        }
    }

    fn attr_mark(&mut self, attr: &Attr) {
        self.put("#[");
        self.attr(attr);
        self.put("] ");
    }

    fn doc(&mut self, doc: &Doc) {
        for (number, line) in doc.text.split('\n').enumerate() {
            self.put(if number == 0 { "-- | " } else { "-- " });
            self.put(line);
            self.put("\n");
        }
    }

    // Literals

    fn literal(&mut self, literal: Literal) {
        let text = match literal {
            Literal::Bool(value) => value.to_string(),
            Literal::Int(value) => value.to_string(),
            Literal::Float(value) => float_text(format!("{value:?}"), ""),
            Literal::Char(value) => format!("'{}'", escape(value, '\'', "")),
            Literal::I8(value) => format!("{}i8", value as u8),
            Literal::I16(value) => format!("{}i16", value as u16),
            Literal::I32(value) => format!("{}i32", value as u32),
            Literal::I64(value) => format!("{}i64", value as u64),
            Literal::U8(value) => format!("{value}u8"),
            Literal::U16(value) => format!("{value}u16"),
            Literal::U32(value) => format!("{value}u32"),
            Literal::U64(value) => format!("{value}u64"),
            Literal::F16(value) => float_text(format!("{:?}", value.to_f32()), "f16"),
            Literal::F32(value) => float_text(format!("{value:?}"), "f32"),
            Literal::F64(value) => float_text(format!("{value:?}"), "f64"),
        };
        self.put(&text);
    }

    fn string(&mut self, text: &str) {
        self.put("\"");
        for c in text.chars() {
            self.put(&escape(c, '"', "\\&"));
        }
        self.put("\"");
    }
}

/// Returns the text of a float. Infinity is printed as a number that is too large.
fn float_text(text: String, suffix: &str) -> String {
    if text == "inf" { format!("1e999{suffix}") } else { text + suffix }
}

/// Escapes a character between quotes. `after_code` ends a numeric escape.
fn escape(c: char, quote: char, after_code: &str) -> String {
    match c {
        '\n' => "\\n".to_string(),
        '\\' => "\\\\".to_string(),
        c if c == quote => format!("\\{c}"),
        c if c.is_control() => format!("\\{}{after_code}", c as u32),
        c => c.to_string(),
    }
}
