//! Shapes of patterns, and the bindings of their names.

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::infer::ty::{Constraint, Node, Ty};
use crate::syntax::ast::{Ident, Pat, PatKind};
use crate::syntax::session::{PatId, Symbol};

impl<'a> Checker<'a> {
    /// Infers a pattern and binds its names. `bound` collects the names bound so far in the same parameter list.
    pub fn infer_pat(&mut self, pat: &'a Pat, bound: &mut Vec<Ident>) -> Ty {
        let ty = match &pat.kind {
            PatKind::Name(name) => {
                if let Some(first) = bound.iter().find(|other| other.symbol == name.symbol) {
                    let (text, first) = (self.text(name.symbol).to_string(), first.span);
                    self.duplicate("name", &text, name.span, first);
                }
                bound.push(*name);
                let ty = self.fresh(pat.span);
                self.bind_local(pat.id, name.symbol, name.span, ty);
                return ty;
            }
            PatKind::Wildcard => self.fresh(pat.span),
            PatKind::Tuple(parts) => {
                let names = self.tuple_names(parts.len());
                let tys = parts.iter().map(|part| self.infer_pat(part, bound)).collect();
                self.infer.types.add(Node::Record(names, tys))
            }
            PatKind::Record(fields) => {
                let mut typed: Vec<(Symbol, Ty)> = Vec::with_capacity(fields.len());
                for (index, field) in fields.iter().enumerate() {
                    let ty = self.infer_pat(&field.pattern, bound);
                    match fields[..index].iter().find(|other| other.name.symbol == field.name.symbol) {
                        Some(first) => {
                            let name = self.text(field.name.symbol).to_string();
                            self.duplicate("field", &name, field.name.span, first.name.span);
                        }
                        None => typed.push((field.name.symbol, ty)),
                    }
                }
                typed.sort_by(|a, b| self.field_key(a.0).cmp(&self.field_key(b.0)));
                let (names, tys): (Vec<Symbol>, Vec<Ty>) = typed.into_iter().unzip();
                self.infer.types.add(Node::Record(names.into(), tys.into()))
            }
            PatKind::Ascribe(inner, annotation) => {
                let annotated = self.infer_annotation(annotation);
                let ty = self.infer_pat(inner, bound);
                let annotated = match annotated {
                    Some(annotated) => annotated,
                    None => self.error_ty(),
                };
                self.same(annotated, ty, inner.span, Why::Annotation(annotation.span));
                ty
            }
            PatKind::Literal { literal, .. } => self.infer_literal(*literal, pat.span),
            PatKind::Constructor(name, parts) => {
                let payload: Rc<[Ty]> = parts.iter().map(|part| self.infer_pat(part, bound)).collect();
                let constraint = Constraint::Constructors(vec![(name.symbol, payload)]);
                self.infer.types.var(constraint, pat.span)
            }
            PatKind::Attr(_, inner) => self.infer_pat(inner, bound),
        };
        self.infer.pats.insert(pat.id, (ty, None));
        ty
    }

    /// Binds a name to a new local.
    pub fn bind_local(&mut self, id: PatId, name: Symbol, span: Span, ty: Ty) {
        let local = self.new_local(name, span);
        self.infer.scope.bind(name, local, ty, None);
        self.infer.pats.insert(id, (ty, Some(local)));
    }

    /// Infers the initial value of a loop that is written without one: its pattern, read as an expression.
    pub fn infer_implied_pat(&mut self, pat: &'a Pat) -> Ty {
        match &pat.kind {
            PatKind::Name(name) => self.infer_implied(name),
            PatKind::Tuple(parts) => {
                let names = self.tuple_names(parts.len());
                let tys = parts.iter().map(|part| self.infer_implied_pat(part)).collect();
                self.infer.types.add(Node::Record(names, tys))
            }
            PatKind::Record(fields) => {
                let mut typed: Vec<(Symbol, Ty)> = fields
                    .iter()
                    .map(|field| (field.name.symbol, self.infer_implied_pat(&field.pattern)))
                    .collect();
                typed.sort_by(|a, b| self.field_key(a.0).cmp(&self.field_key(b.0)));
                let (names, tys): (Vec<Symbol>, Vec<Ty>) = typed.into_iter().unzip();
                self.infer.types.add(Node::Record(names.into(), tys.into()))
            }
            PatKind::Ascribe(inner, _) | PatKind::Attr(_, inner) => self.infer_implied_pat(inner),
            PatKind::Wildcard | PatKind::Literal { .. } | PatKind::Constructor(..) => {
                let error = Diagnostic::error("E0219", pat.span, "this loop parameter has no initial value");
                self.report(
                    error.hint("write `loop pattern = initial value`, or use names of variables only"),
                );
                self.error_ty()
            }
        }
    }
}
