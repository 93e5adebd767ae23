//! Patterns: each has the type of the value it is matched with.

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Span};

use crate::syntax::names::Symbol;
use crate::tree::{Pat, PatKind, VarId};

use super::Checker;
use super::types::{Node, Ty, Types};

impl Checker<'_> {
    /// Checks a pattern that is matched with a value of type `expected`.
    pub(super) fn pat(&mut self, pat: &mut Pat, expected: Ty) {
        pat.ty = expected;
        let span = pat.span;
        match &mut pat.kind {
            PatKind::Wildcard => {}
            PatKind::Var(var) => self.bind_pattern(*var, expected, span),
            PatKind::Int(_) => {
                self.demand(expected, Types::INT, span, "this pattern");
            }
            PatKind::Char(_) => {
                self.demand(expected, Types::CHAR, span, "this pattern");
            }
            PatKind::Bool(_) => {
                self.demand(expected, Types::BOOL, span, "this pattern");
            }
            PatKind::Record(fields) => self.record_pattern(fields, expected, span),
            PatKind::Construct(con, held) => {
                let ty = self.cons[con.0 as usize];
                let ty = self.instance(ty);
                match *self.typing.types.node(ty) {
                    Node::Arrow(from, to) => {
                        self.demand(expected, to, span, "this pattern");
                        self.pat(held, from);
                    }
                    _ => self.pat(held, ty),
                }
            }
            PatKind::Seq(items) => {
                let element = self.element(expected, span);
                items.iter_mut().for_each(|item| self.pat(item, element));
            }
            PatKind::Edge(first, middle, last) => {
                let element = self.element(expected, span);
                first.iter_mut().chain(last).for_each(|item| self.pat(item, element));
                if let Some(var) = middle {
                    self.bind_pattern(*var, expected, span);
                }
            }
            PatKind::And(left, right) | PatKind::Or(left, right) => {
                self.pat(left, expected);
                self.pat(right, expected);
            }
            PatKind::Not(inner) => self.pat(inner, expected),
        }
    }

    /// Gives a name its type; on the right side of `|` it already has one.
    fn bind_pattern(&mut self, var: VarId, ty: Ty, span: Span) {
        let index = var.0 as usize;
        if self.typing.vars[index] == Ty::UNCHECKED {
            self.typing.vars[index] = ty;
        } else {
            let before = self.typing.vars[index];
            self.demand(before, ty, span, "this name");
        }
    }

    fn element(&mut self, sequence: Ty, span: Span) -> Ty {
        let element = self.fresh();
        let wanted = self.types().seq(element);
        self.demand(sequence, wanted, span, "this pattern");
        element
    }

    fn record_pattern(&mut self, fields: &mut [(Symbol, Pat)], expected: Ty, span: Span) {
        let level = self.level;
        if fields.is_empty() {
            let some = self.types().fresh_record(level, Some(Rc::new([])));
            self.demand(expected, some, span, "this pattern");
        }
        for (label, pat) in fields {
            match self.types().field(expected, *label, level) {
                Ok(ty) => self.pat(pat, ty),
                Err(clash) => {
                    let message = self.describe(clash);
                    let error = Diagnostic::error("M0302", pat.span, message);
                    self.error(error);
                    let any = self.fresh();
                    self.pat(pat, any);
                }
            }
        }
    }
}
