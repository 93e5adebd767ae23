//! Printing of patterns.

use crate::syntax::ast::{Pat, PatKind, SeqPat};

use super::Printer;

impl Printer<'_> {
    pub(super) fn pattern(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Wildcard => self.put("_"),
            PatKind::Name(name) => self.variable(*name),
            PatKind::Int(value) => self.put(&value.to_string()),
            PatKind::Char(value) => self.character(*value),
            PatKind::Bool(value) => self.put(if *value { "true" } else { "false" }),
            PatKind::Tuple(items) => {
                self.put("(");
                self.list(items, ", ", Self::pattern);
                self.put(if items.len() == 1 { ",)" } else { ")" });
            }
            PatKind::Record(fields) => {
                self.put("{");
                self.list(fields, ", ", |printer, (label, pat)| {
                    printer.label(*label);
                    printer.put(" = ");
                    printer.pattern(pat);
                });
                self.put("}");
            }
            PatKind::Construct(constructor, held) => {
                self.constructor(*constructor);
                self.put(" ");
                self.pattern_atom(held);
            }
            PatKind::Seq(items) => self.row(items),
            PatKind::Edge(first, middle, last) => self.edge(first, middle, last),
            PatKind::And(left, right) => {
                self.pattern_atom(left);
                self.put(" & ");
                let open = matches!(right.kind, PatKind::Or(..));
                self.parenthesised(open, |printer| printer.pattern(right));
            }
            PatKind::Or(left, right) => {
                let open = matches!(left.kind, PatKind::Or(..));
                self.parenthesised(open, |printer| printer.pattern(left));
                self.put(" | ");
                self.pattern(right);
            }
            PatKind::Not(inner) => {
                self.put("!");
                self.pattern_atom(inner);
            }
        }
    }

    fn pattern_atom(&mut self, pat: &Pat) {
        let open = matches!(pat.kind, PatKind::And(..) | PatKind::Or(..));
        self.parenthesised(open, |printer| printer.pattern(pat));
    }

    fn edge(&mut self, first: &SeqPat, middle: &Pat, last: &SeqPat) {
        let nothing = SeqPat::List(Vec::new());
        if *first == nothing && *last != nothing {
            self.pattern(middle);
        } else {
            self.row(first);
            self.put(" ++ ");
            self.pattern(middle);
        }
        if *last != nothing {
            self.put(" ++ ");
            self.row(last);
        }
    }

    fn row(&mut self, row: &SeqPat) {
        match row {
            SeqPat::String(text) => self.quoted(text),
            SeqPat::List(items) => {
                self.put("[");
                self.list(items, ", ", Self::pattern);
                self.put("]");
            }
        }
    }
}
