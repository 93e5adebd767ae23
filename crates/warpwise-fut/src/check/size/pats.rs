//! Patterns with sizes, and sizes written in types.

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::size::apply::is_expressible;
use crate::check::type_exprs::{PENDING, Pending, Subst};
use crate::syntax::ast::{Pat as Ast, PatKind as AstKind};
use crate::syntax::session::Symbol;
use crate::typed::map::map_type;
use crate::typed::tree::{Pat, PatKind};
use crate::typed::ty::{Field, Size, Type, Uniqueness};
use warpwise_diag::{Diagnostic, Span};

impl<'a> Checker<'a> {
    /// Builds a pattern, and returns the stars written in it, too. Its locals get the given level. `known` is the type of the
    /// matched value, if known.
    pub fn build_pat(&mut self, pat: &'a Ast, known: Option<&Type>, level: u32) -> (Pat, Uniqueness) {
        let span = pat.span;
        match &pat.kind {
            AstKind::Name(_) | AstKind::Wildcard => (self.build_leaf(pat, known, level), Uniqueness::No),
            AstKind::Literal { negated, literal } => {
                let ty = self.infer.pats.get(&pat.id).map(|found| found.0);
                let (prim, literal) = self.literal_at(ty, *literal, *negated, span);
                let kind = PatKind::Literal(prim, literal);
                (Pat { span, ty: Type::Prim(prim), kind }, Uniqueness::No)
            }
            AstKind::Constructor(name, parts) => self.build_constructor_pat(pat, name, parts, known, level),
            AstKind::Tuple(parts) => {
                let names = self.tuple_names(parts.len());
                let parts = names.iter().copied().zip(parts).collect();
                self.build_record_pat(parts, known, level, span)
            }
            AstKind::Record(fields) => {
                let mut parts: Vec<_> =
                    fields.iter().map(|field| (field.name.symbol, &field.pattern)).collect();
                parts.sort_by(|a, b| self.field_key(a.0).cmp(&self.field_key(b.0)));
                self.build_record_pat(parts, known, level, span)
            }
            AstKind::Ascribe(inner, annotation) => {
                let Some(annotated) = self.value_annotation(annotation) else {
                    return self.build_pat(inner, known, level);
                };
                if let Some(known) = known {
                    let named = Subst { sizes: self.sizing.binding.clone(), ..Subst::default() };
                    let expected = self.substitute(&annotated.ty, &named);
                    self.require(&expected, known, span, Why::Annotation(annotation.span));
                }
                let (built, unique) = self.build_pat(inner, Some(&annotated.ty), level);
                (built, if annotated.unique.any() { annotated.unique } else { unique })
            }
            AstKind::Attr(_, inner) => self.build_pat(inner, known, level),
        }
    }

    fn build_leaf(&mut self, pat: &'a Ast, known: Option<&Type>, level: u32) -> Pat {
        let found = self.infer.pats.get(&pat.id).copied();
        let ty = match (known, found) {
            (Some(known), _) => known.clone(),
            (None, Some((ty, _))) => self.sized(ty, self.sizing.level, None, pat.span),
            (None, None) => Type::unit(),
        };
        let kind = match found {
            Some((_, Some(local))) => {
                self.program.locals[local.index()].ty = ty.clone();
                self.sizing.levels.insert(local, level);
                PatKind::Bind(local)
            }
            Some((_, None)) | None => PatKind::Wildcard,
        };
        Pat { span: pat.span, ty, kind }
    }

    fn build_record_pat(
        &mut self,
        parts: Vec<(Symbol, &'a Ast)>,
        known: Option<&Type>,
        level: u32,
        span: Span,
    ) -> (Pat, Uniqueness) {
        let known = match known {
            Some(Type::Record(fields)) if fields.len() == parts.len() => Some(fields.clone()),
            Some(_) | None => None,
        };
        let built: Vec<(Pat, Uniqueness)> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| {
                self.build_pat(part.1, known.as_ref().map(|fields| &fields[index].ty), level)
            })
            .collect();
        let unique = match built.iter().any(|part| part.1.any()) {
            true => Uniqueness::Fields(built.iter().map(|part| part.1.clone()).collect()),
            false => Uniqueness::No,
        };
        let fields =
            parts.iter().zip(&built).map(|(part, (pat, _))| Field { name: part.0, ty: pat.ty.clone() });
        let ty = Type::Record(fields.collect());
        let pats = built.into_iter().map(|part| part.0).collect();
        (Pat { span, ty, kind: PatKind::Record(pats) }, unique)
    }

    /// Replaces pending sizes in a type by the sizes that were written.
    pub fn fill_pending(&mut self, ty: &Type) -> Type {
        let mut locals = crate::check::size::unify::Locals::default();
        map_type(ty, &mut locals);
        let mut subst = Subst::default();
        for local in locals.0 {
            if let Some(index) = local.0.checked_sub(PENDING) {
                let size = self.pending_size_of(index);
                subst.sizes.insert(local, size);
            }
        }
        if subst.sizes.is_empty() { ty.clone() } else { map_type(ty, &mut subst) }
    }

    fn pending_size_of(&mut self, index: u32) -> Size {
        if let Some(size) = self.sizing.pending.get(&index) {
            return size.clone();
        }
        let size = match self.infer.pending.get(index as usize).copied() {
            Some(Pending::Anonymous(span) | Pending::Hidden(span)) => {
                self.sizing.new_meta(self.sizing.level, span, None)
            }
            Some(Pending::Written(expr)) => {
                let built = self.build(expr);
                if is_expressible(&built) {
                    built.into_size()
                } else {
                    let error =
                        Diagnostic::error("E0307", expr.span, "a size cannot bind or consume anything");
                    self.report(error.hint("bind the size with `let` first"));
                    self.sizing.new_meta(self.sizing.level, Span::NONE, None)
                }
            }
            None => Size::Const(0),
        };
        self.sizing.pending.insert(index, size.clone());
        size
    }
}
