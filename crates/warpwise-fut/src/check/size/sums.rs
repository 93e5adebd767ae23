//! Constructors, their patterns, and `match`, with sizes.
//!
//! The type of a sum has sizes for the payloads of all constructors. A value determines only those of its own constructor; the
//! others come from the context in which the value is used. In `if c then #some (iota n) else #none` both branches have the size
//! `n`.

use warpwise_diag::Span;

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::size::META;
use crate::check::size::scopes::{JoinedSizes, Opened};
use crate::syntax::ast::{Expr as Ast, Ident, Liftedness, MatchCase, Pat as AstPat};
use crate::syntax::session::Symbol;
use crate::typed::ids::LocalId;
use crate::typed::tree::{Case, Expr, ExprKind, Param, Pat, PatKind};
use crate::typed::ty::{Size, Type, Uniqueness};

impl<'a> Checker<'a> {
    /// Builds `#c a b`.
    pub fn build_constructor(&mut self, expr: &'a Ast, name: &Ident, arguments: &'a [Ast]) -> Expr {
        let arguments: Vec<Expr> = arguments.iter().map(|argument| self.build(argument)).collect();
        let ty = match self.infer.exprs.get(&expr.id).copied() {
            Some(ty) => {
                // The context determines the payloads of the other constructors.
                let occurrence = self.sizing.new_occurrence();
                self.sized(ty, self.sizing.level, Some(occurrence), expr.span)
            }
            None => Type::unit(),
        };
        let Some(constructor) = position(&ty, name.symbol) else { return self.build_unit(expr.span) };
        let payload = ty.constructors()[constructor].payload.clone();
        for (argument, expected) in arguments.iter().zip(payload.iter()) {
            self.require(expected, &argument.ty, argument.span, Why::Payload(name.span));
        }
        Expr { span: expr.span, ty, kind: ExprKind::Construct { constructor, arguments } }
    }

    /// Builds the pattern `#c p q`.
    pub fn build_constructor_pat(
        &mut self,
        pat: &'a AstPat,
        name: &Ident,
        parts: &'a [AstPat],
        known: Option<&Type>,
        level: u32,
    ) -> (Pat, Uniqueness) {
        let span = pat.span;
        let ty = match (known, self.infer.pats.get(&pat.id).copied()) {
            (Some(known @ Type::Sum(_)), _) => known.clone(),
            (_, Some((ty, _))) => self.sized(ty, self.sizing.level, None, span),
            (_, None) => Type::unit(),
        };
        let Some(constructor) = position(&ty, name.symbol) else {
            return (Pat { span, ty, kind: PatKind::Wildcard }, Uniqueness::No);
        };
        let mut unique = vec![Uniqueness::No; ty.parts().map_or(0, |parts| parts.len())];
        let payload = ty.constructors()[constructor].payload.clone();
        let first = ty.first_part(constructor);
        let mut built = Vec::with_capacity(parts.len());
        for (index, (part, expected)) in parts.iter().zip(payload.iter()).enumerate() {
            let (part, stars) = self.build_pat(part, Some(expected), level);
            built.push(part);
            unique[first + index] = stars;
        }
        let unique = match unique.iter().any(Uniqueness::any) {
            true => Uniqueness::Fields(unique.into()),
            false => Uniqueness::No,
        };
        (Pat { span, ty, kind: PatKind::Construct { constructor, parts: built } }, unique)
    }

    /// Builds `match e case p -> a case q -> b`. As in an `if`, sizes that differ between cases become unknown.
    pub fn build_match(&mut self, scrutinee: &'a Ast, cases: &'a [MatchCase], span: Span) -> Expr {
        let scrutinee = self.build(scrutinee);
        let level = self.sizing.level;
        let mut built: Vec<Case> = Vec::with_capacity(cases.len());
        let mut common: Option<Type> = None;
        let mut joined = JoinedSizes::default();
        for case in cases {
            let known = self.solved(&scrutinee.ty);
            let pattern = self.build_pat(&case.pattern, Some(&known), level + 1).0;
            let body = self.nested(|checker| checker.build(&case.body));
            common = Some(match common {
                None => body.ty.clone(),
                Some(before) => self.join(&before, &body.ty, level, &mut joined, span),
            });
            built.push(Case { span: case.span, pattern, body });
        }
        let Some(common) = common else { return self.build_unit(span) };
        self.demand_liftedness(&common, Liftedness::SizeLifted, span, "`match` cannot give");
        // A single case is not joined with another one; its sizes leave their scope all the same.
        let mut opened = Opened::default();
        let ty = self.close(&common, level, &[], &mut opened, span);
        let joined = joined.0.into_iter().map(|joined| joined.2).chain(opened.sizes());
        let sizes: Vec<LocalId> = joined.filter(|&size| self.mentions(&ty, size)).collect();
        let kind = ExprKind::Match { scrutinee: Box::new(scrutinee), cases: built };
        self.open(sizes, Expr { span, ty, kind })
    }
}

impl Checker<'_> {
    /// Sets unknown sizes of payloads in an annotated result to 0, if neither the parameters nor the body determine them: they
    /// belong to absent payloads. In `def f (n: i64) : list = #some (iota n)`, `list` also hides the size of another constructor.
    /// Only sizes that are unknown since `first` belong to the function.
    pub fn settle_payloads(&mut self, results: &[&Type], first: u32, params: &[&Param]) {
        let mut sizes = Vec::new();
        results.iter().for_each(|ty| payload_sizes(&self.solved(ty), false, &mut sizes));
        for size in sizes {
            if let Size::Local(local) = self.resolve_size(&size)
                && self.sizing.meta(local).is_some()
                && local.0 - META >= first
                && !params.iter().any(|param| self.mentions(&param.pattern.ty, local))
            {
                self.sizing.metas[(local.0 - META) as usize].solution = Some(Size::Const(0));
            }
        }
    }
}

/// Collects the sizes of arrays in the payloads of constructors.
fn payload_sizes(ty: &Type, inside: bool, found: &mut Vec<Size>) {
    match ty {
        Type::Prim(_) | Type::Param(_) | Type::Abstract(..) | Type::Arrow(_) => {}
        Type::Array(array) => {
            if inside {
                found.push(array.size.clone());
            }
            payload_sizes(&array.element, inside, found);
        }
        Type::Record(fields) => fields.iter().for_each(|field| payload_sizes(&field.ty, inside, found)),
        Type::Sum(_) => {
            let parts = ty.parts().unwrap_or_default();
            parts.into_iter().for_each(|part| payload_sizes(part, true, found));
        }
    }
}

/// Returns the index of the constructor with a name.
fn position(ty: &Type, name: Symbol) -> Option<usize> {
    ty.constructors().iter().position(|constructor| constructor.name == name)
}
