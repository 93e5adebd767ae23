//! Fields, indices and slices.

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::infer::ty::{Constraint, Node, Ty};
use crate::check::operators::PrimSet;
use crate::syntax::ast::{DimIndex, DimIndexKind, PathStep};
use crate::syntax::session::Symbol;

impl<'a> Checker<'a> {
    /// Returns the type of a field.
    pub fn infer_field(&mut self, record: Ty, field: Symbol, span: Span) -> Ty {
        match self.infer.types.node(record) {
            Node::Record(names, tys) => match names.iter().position(|&name| name == field) {
                Some(position) => tys[position],
                None => {
                    let (text, record) = (self.text(field).to_string(), self.show_ty(record));
                    let mut error =
                        Diagnostic::error("E0205", span, format!("`{record}` has no field `{text}`"));
                    if !names.is_empty() {
                        let names: Vec<&str> = names.iter().map(|&name| self.text(name)).collect();
                        error = error.hint(format!("it has {}", names.join(", ")));
                    }
                    self.report(error);
                    self.error_ty()
                }
            },
            Node::Var(_) => {
                let ty = self.fresh(span);
                let wanted = self.infer.types.var(Constraint::Fields(vec![(field, ty)]), span);
                self.same(wanted, record, span, Why::Operator);
                ty
            }
            Node::Error => self.error_ty(),
            Node::Prim(_)
            | Node::Param(_)
            | Node::Abstract(..)
            | Node::Array(_)
            | Node::Sum(_)
            | Node::Arrow(..)
            | Node::Link(_) => {
                let (text, record) = (self.text(field).to_string(), self.show_ty(record));
                self.report(Diagnostic::error(
                    "E0205",
                    span,
                    format!("`{record}` is not a record, so it has no field `{text}`"),
                ));
                self.error_ty()
            }
        }
    }

    /// Infers an index or slice, and returns the type of its result.
    pub fn infer_slice(&mut self, slice: &'a [DimIndex], array: Ty, span: Span) -> Ty {
        let mut innermost = self.fresh(span);
        let element = innermost;
        for _ in slice {
            innermost = self.infer.types.add(Node::Array(innermost));
        }
        self.same(innermost, array, span, Why::IsArray);
        let mut kept = 0;
        for index in slice {
            match &index.kind {
                DimIndexKind::Fix(index) => {
                    let ty = self.infer.types.var(Constraint::OneOf(PrimSet::SIGNED), index.span);
                    self.expect(index, ty, Why::Index);
                }
                DimIndexKind::Slice { start, end, stride } => {
                    kept += 1;
                    [start, end, stride].into_iter().flatten().for_each(|part| self.infer_size(part));
                }
            }
        }
        (0..kept).fold(element, |ty, _| self.infer.types.add(Node::Array(ty)))
    }

    /// Returns the type at the end of a path.
    pub fn infer_path(&mut self, path: &'a [PathStep], mut ty: Ty, span: Span) -> Ty {
        for step in path {
            ty = match step {
                PathStep::Index(slice) => self.infer_slice(slice, ty, span),
                PathStep::Field(field) => self.infer_field(ty, field.symbol, field.span),
            };
        }
        ty
    }
}
