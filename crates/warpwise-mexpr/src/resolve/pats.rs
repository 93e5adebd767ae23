//! Patterns.

use warpwise_diag::{Diagnostic, Span};

use crate::check::types::Ty;
use crate::syntax::ast::{Pat, PatKind, SeqPat};
use crate::syntax::names::Symbol;
use crate::tree::{self, VarId};

use super::{Resolver, Value};

/// The names that a pattern binds. A name that occurs twice is one variable in both sides of an `or`, and an error elsewhere.
#[derive(Default)]
pub(super) struct Bound {
    names: Vec<(Symbol, VarId, Span)>,
}

impl Resolver<'_> {
    /// Resolves a pattern; its names are bound from here on.
    pub(super) fn pattern(&mut self, pat: &Pat) -> tree::Pat {
        let mut bound = Bound::default();
        let result = self.pat(pat, &mut bound);
        for (name, var, _) in bound.names {
            self.values.bind(name, Value::Var(var));
        }
        result
    }

    fn pat(&mut self, pat: &Pat, bound: &mut Bound) -> tree::Pat {
        let kind = match &pat.kind {
            PatKind::Wildcard => tree::PatKind::Wildcard,
            PatKind::Name(name) => tree::PatKind::Var(self.bind_in(*name, pat.span, bound)),
            PatKind::Int(value) => tree::PatKind::Int(*value),
            PatKind::Char(value) => tree::PatKind::Char(*value),
            PatKind::Bool(value) => tree::PatKind::Bool(*value),
            PatKind::Tuple(items) => {
                let items = items.iter().enumerate();
                let field = |(index, item)| (self.index_label(index), self.pat(item, bound));
                tree::PatKind::Record(items.map(field).collect())
            }
            PatKind::Record(fields) => {
                self.check_labels(fields.iter().map(|(label, _)| *label));
                let fields = fields.iter().map(|(label, pat)| (label.name, self.pat(pat, bound)));
                tree::PatKind::Record(fields.collect())
            }
            PatKind::Construct(name, held) => {
                let held = self.pat(held, bound);
                match self.cons.get(name.name) {
                    Some(con) => tree::PatKind::Construct(con, Box::new(held)),
                    None => {
                        self.unbound("M0204", "constructor", name.name, name.span, |resolver| &resolver.cons);
                        tree::PatKind::Wildcard
                    }
                }
            }
            PatKind::Seq(row) => tree::PatKind::Seq(self.row(row, pat.span, bound)),
            PatKind::Edge(first, middle, last) => {
                let first = self.row(first, pat.span, bound);
                let middle = match &middle.kind {
                    PatKind::Name(name) => Some(self.bind_in(*name, middle.span, bound)),
                    _ => None,
                };
                tree::PatKind::Edge(first, middle, self.row(last, pat.span, bound))
            }
            PatKind::And(left, right) => {
                let left = self.pat(left, bound);
                tree::PatKind::And(Box::new(left), Box::new(self.pat(right, bound)))
            }
            PatKind::Or(left, right) => self.either(left, right, bound),
            PatKind::Not(inner) => {
                let mut inside = Bound::default();
                let inner = self.pat(inner, &mut inside);
                tree::PatKind::Not(Box::new(inner))
            }
        };
        tree::Pat { kind, span: pat.span, ty: Ty::UNCHECKED }
    }

    fn bind_in(&mut self, name: Symbol, span: Span, bound: &mut Bound) -> VarId {
        if let Some((_, var, first)) = bound.names.iter().find(|(other, _, _)| *other == name) {
            let (var, first) = (*var, *first);
            let message = format!("`{}` is bound twice by this pattern", self.text(name));
            self.error(Diagnostic::error("M0209", span, message).label(first, "the first is here"));
            return var;
        }
        self.check_rebinding(name, span);
        let var = self.fresh_var(name, span);
        bound.names.push((name, var, span));
        var
    }

    /// Resolves `p | q`. A name that both sides bind is one variable; a name that only one side binds is an error where it is
    /// used.
    fn either(&mut self, left: &Pat, right: &Pat, bound: &mut Bound) -> tree::PatKind {
        let outside = bound.names.len();
        let left_pat = self.pat(left, bound);
        let left_names = bound.names.split_off(outside);
        let mut right_pat = self.pat(right, bound);
        let right_names = bound.names.split_off(outside);
        for (name, _, span) in left_names.iter().chain(&right_names) {
            let in_both = [&left_names, &right_names]
                .iter()
                .all(|names| names.iter().any(|(other, _, _)| other == name));
            if !in_both {
                let message = format!("`{}` is bound by one side of `|` only", self.text(*name));
                self.error(Diagnostic::error("M0210", *span, message));
            }
        }
        for (name, var, _) in &right_names {
            if let Some((_, same, _)) = left_names.iter().find(|(other, _, _)| other == name) {
                rename(&mut right_pat, *var, *same);
            }
        }
        bound.names.extend(left_names);
        tree::PatKind::Or(Box::new(left_pat), Box::new(right_pat))
    }

    fn row(&mut self, row: &SeqPat, span: Span, bound: &mut Bound) -> Vec<tree::Pat> {
        match row {
            SeqPat::List(items) => items.iter().map(|item| self.pat(item, bound)).collect(),
            SeqPat::String(text) => {
                let char = |c| tree::Pat { kind: tree::PatKind::Char(c), span, ty: Ty::UNCHECKED };
                text.chars().map(char).collect()
            }
        }
    }
}

/// Makes a pattern bind `to` instead of `from`.
fn rename(pat: &mut tree::Pat, from: VarId, to: VarId) {
    let swap = |var: &mut VarId| {
        if *var == from {
            *var = to;
        }
    };
    match &mut pat.kind {
        tree::PatKind::Var(var) => swap(var),
        tree::PatKind::Wildcard | tree::PatKind::Int(_) | tree::PatKind::Char(_) | tree::PatKind::Bool(_) => {
        }
        tree::PatKind::Record(fields) => fields.iter_mut().for_each(|(_, pat)| rename(pat, from, to)),
        tree::PatKind::Construct(_, held) => rename(held, from, to),
        tree::PatKind::Seq(items) => items.iter_mut().for_each(|pat| rename(pat, from, to)),
        tree::PatKind::Edge(first, middle, last) => {
            middle.iter_mut().for_each(swap);
            first.iter_mut().chain(last).for_each(|pat| rename(pat, from, to));
        }
        tree::PatKind::And(left, right) | tree::PatKind::Or(left, right) => {
            rename(left, from, to);
            rename(right, from, to);
        }
        tree::PatKind::Not(inner) => rename(inner, from, to),
    }
}
