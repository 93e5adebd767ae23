//! Holes: placeholders that have whatever type their context requires.

use warpwise_diag::Span;

use crate::check::Checker;
use crate::check::infer::ty::{Node, Ty};
use crate::typed::tree::{Expr, ExprKind, Lambda, Param, Pat, PatKind};
use crate::typed::ty::{Type, Uniqueness};

impl Checker<'_> {
    /// Builds a hole of a type. A hole of a function type becomes a function whose result is a hole.
    pub fn build_hole(&mut self, ty: Ty, span: Span) -> Expr {
        let occurrence = self.sizing.new_occurrence();
        // The result of a function may have any size.
        let is_function = matches!(self.infer.types.node(ty), Node::Arrow(..));
        let place = if is_function { Span::NONE } else { span };
        let ty = self.sized(ty, self.sizing.level, Some(occurrence), place);
        hole(&ty, span)
    }
}

fn hole(ty: &Type, span: Span) -> Expr {
    let kind = match ty {
        Type::Arrow(arrow) => {
            let pattern = Pat { span, ty: arrow.argument.clone(), kind: PatKind::Wildcard };
            let params = vec![Param { pattern, consumes: Uniqueness::No }];
            let body = hole(&arrow.result.ty, span);
            ExprKind::Lambda(Box::new(Lambda { params, result: arrow.result.clone(), body }))
        }
        Type::Record(fields) => ExprKind::Record(fields.iter().map(|field| hole(&field.ty, span)).collect()),
        Type::Prim(_) | Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Sum(_) => ExprKind::Hole,
    };
    Expr { span, ty: ty.clone(), kind }
}
