//! Loops: which sizes stay and which change from round to round.

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::size::scopes::Opened;
use crate::check::type_exprs::Subst;
use crate::syntax::ast::{Liftedness, LoopExpr, LoopForm as AstForm, Pat, PatKind};
use crate::typed::ids::LocalId;
use crate::typed::tree::{Expr, ExprKind, Loop, LoopForm};
use crate::typed::ty::{Field, Size, Type, Uniqueness};

impl<'a> Checker<'a> {
    /// `loop p = e form do e`.
    ///
    /// The sizes of the parameters are unknowns while the body is built. One that the body settles must be
    /// that of the initial value too. One that the body gives back as it was is that of the initial value. Any other changes.
    pub fn build_loop(&mut self, this: &'a LoopExpr, span: Span) -> Expr {
        let initial = match &this.initial {
            Some(initial) => self.build(initial),
            None => self.build_implied_pat(&this.pattern),
        };
        self.demand_liftedness(&initial.ty, Liftedness::SizeLifted, initial.span, "a loop parameter");
        let (pattern, consumes) = self.build_pat(&this.pattern, None, self.sizing.level + 1);
        let (form, body) = self.build_rounds(this);
        let mut sizes = Vec::new();
        let places = Places { initial: initial.span, body: body.span, pattern: pattern.span };
        self.settle(&pattern.ty, &initial.ty, &body.ty, &places, &mut sizes);
        // Those that change have other names outside.
        let mut opened = Opened::default();
        let mut rename = Subst::default();
        for &size in &sizes {
            let outside = self.open_as(Size::Local(size), self.sizing.level, &mut opened, span);
            rename.sizes.insert(size, Size::Local(outside));
        }
        let ty = self.substitute(&pattern.ty, &rename);
        let this = Loop { sizes, pattern, consumes, kept: kept_parts(&this.pattern), initial, form, body };
        let expr = Expr { span, ty, kind: ExprKind::Loop(Box::new(this)) };
        self.open(opened.sizes(), expr)
    }

    fn build_rounds(&mut self, this: &'a LoopExpr) -> (LoopForm, Expr) {
        match &this.form {
            AstForm::For { index, bound } => {
                let bound = self.build(bound);
                let local = match self.infer.pats.get(&index.id) {
                    Some(&(_, Some(local))) => local,
                    Some((_, None)) | None => self.new_local(index.name.symbol, index.name.span),
                };
                self.program.locals[local.index()].ty = bound.ty.clone();
                self.sizing.levels.insert(local, self.sizing.level + 1);
                let body = self.nested(|checker| checker.build(&this.body));
                (LoopForm::For { index: local, bound }, body)
            }
            AstForm::ForIn { pattern, array } => {
                let array = self.build(array);
                let element = match self.solved(&array.ty) {
                    Type::Array(dim) => Some(dim.element.clone()),
                    Type::Prim(_)
                    | Type::Param(_)
                    | Type::Abstract(..)
                    | Type::Record(_)
                    | Type::Sum(_)
                    | Type::Arrow(_) => None,
                };
                let built = self.build_pat(pattern, element.as_ref(), self.sizing.level + 1).0;
                let body = self.nested(|checker| checker.build(&this.body));
                (LoopForm::ForIn { pattern: built, array }, body)
            }
            AstForm::While(condition) => {
                let condition = self.nested(|checker| checker.build(condition));
                let body = self.nested(|checker| checker.build(&this.body));
                (LoopForm::While(condition), body)
            }
        }
    }

    fn settle(
        &mut self,
        pattern: &Type,
        initial: &Type,
        body: &Type,
        places: &Places,
        sizes: &mut Vec<LocalId>,
    ) {
        let mut unsettled = Vec::new();
        self.settle_known(pattern, initial, body, places, &mut unsettled);
        // First all decisions, then their consequences: what changes must not settle anything else.
        let mut changing: Vec<Changing> = Vec::new();
        let mut following: Vec<(Changing, LocalId)> = Vec::new();
        let starts: Vec<_> =
            unsettled.iter().map(|(unknown, start, _)| (unknown.clone(), start.clone())).collect();
        for (unknown, initial, body) in unsettled {
            let Some(local) = self.unsettled(&unknown) else {
                self.demand_both(&unknown, &initial, &body, places);
                continue;
            };
            let mut undecided = changing.iter().chain(following.iter().map(|(follower, _)| follower));
            if let Some(first) = undecided.find(|other| other.unknown == local).cloned() {
                self.demand_one(&first, &initial, &body, places);
                continue;
            }
            if let Some(other) = self.followed(local, &initial, &body, &starts) {
                following.push((Changing { unknown: local, initial, body }, other));
                continue;
            }
            let result = self.resolve_size(&body);
            let stays = self.same_size(&initial, &result)
                || self.unsettled(&result) == Some(local)
                || self.is_settled_by(&initial, &result, pattern)
                || self.is_free(&result, &changing, pattern) && self.unify_sizes(&unknown, &result).is_ok();
            if !(stays && self.unify_sizes(&unknown, &initial).is_ok()) {
                changing.push(Changing { unknown: local, initial, body });
            }
        }
        self.settle_turns(following, &mut changing);
        for Changing { unknown, .. } in changing {
            let size = self.new_size("n", places.pattern);
            self.sizing.levels.insert(size, self.sizing.level + 1);
            self.sizing.set(unknown, Size::Local(size));
            sizes.push(size);
        }
    }

    /// What takes turns changes if one of them does; the others keep the size they start at.
    fn settle_turns(&mut self, mut following: Vec<(Changing, LocalId)>, changing: &mut Vec<Changing>) {
        let changes = |(_, other): &(Changing, LocalId), changing: &[Changing]| {
            changing.iter().any(|changing| changing.unknown == *other)
        };
        while let Some(at) = following.iter().position(|follower| changes(follower, changing)) {
            changing.push(following.swap_remove(at).0);
        }
        for (follower, _) in following {
            if self.unify_sizes(&Size::Local(follower.unknown), &follower.initial).is_err() {
                changing.push(follower);
            }
        }
    }

    /// The unknown that a size still is.
    fn unsettled(&self, size: &Size) -> Option<LocalId> {
        match self.resolve_size(size) {
            Size::Local(local) => self.sizing.meta(local).map(|_| local),
            Size::Const(_) | Size::Def(_) | Size::Expr(_) => None,
        }
    }

    /// Another parameter's size that the body gives here, if both start as one.
    fn followed(
        &mut self,
        local: LocalId,
        initial: &Size,
        body: &Size,
        starts: &[(Size, Size)],
    ) -> Option<LocalId> {
        let other = self.unsettled(body).filter(|&other| other != local)?;
        let (_, start) = starts.iter().find(|(unknown, _)| self.unsettled(unknown) == Some(other))?;
        let is_one_unknown =
            self.unsettled(start).is_some() && self.unsettled(start) == self.unsettled(initial);
        (is_one_unknown || self.same_size(start, initial)).then_some(other)
    }

    /// Whether the initial value's size is unknown yet, no pattern says that it be any, and it can be what the body gives.
    fn is_settled_by(&mut self, initial: &Size, result: &Size, pattern: &Type) -> bool {
        let unknown = self.unsettled(initial).and_then(|local| self.sizing.meta(local));
        unknown.is_some_and(|unknown| !unknown.is_any)
            && !self.is_parameter_size(result, pattern)
            && self.unify_sizes(initial, result).is_ok()
    }

    /// Whether a size is unknown and no parameter's.
    fn is_free(&self, size: &Size, changing: &[Changing], pattern: &Type) -> bool {
        let is_unknown =
            self.unsettled(size).is_some_and(|local| changing.iter().all(|other| other.unknown != local));
        is_unknown && !self.is_parameter_size(size, pattern)
    }

    /// Whether a size speaks of that of a loop parameter.
    fn is_parameter_size(&self, size: &Size, pattern: &Type) -> bool {
        self.locals_of(size).iter().any(|&local| self.mentions(pattern, local))
    }

    /// Collects the sizes of the parameters with those of the initial value and of the body's result.
    fn settle_known(
        &mut self,
        pattern: &Type,
        initial: &Type,
        body: &Type,
        places: &Places,
        unsettled: &mut Vec<(Size, Size, Size)>,
    ) {
        match (pattern, initial, body) {
            (Type::Array(p), Type::Array(i), Type::Array(b)) => {
                unsettled.push((p.size.clone(), i.size.clone(), b.size.clone()));
                self.settle_known(&p.element, &i.element, &b.element, places, unsettled);
            }
            (Type::Record(ps), Type::Record(is), Type::Record(bs)) => {
                for ((p, i), b) in ps.iter().zip(is.iter()).zip(bs.iter()) {
                    self.settle_known(&p.ty, &i.ty, &b.ty, places, unsettled);
                }
            }
            (Type::Sum(_), Type::Sum(_), Type::Sum(_)) => {
                let parts = |ty: &Type| -> Vec<Type> {
                    ty.parts().unwrap_or_default().into_iter().cloned().collect()
                };
                for ((p, i), b) in parts(pattern).iter().zip(&parts(initial)).zip(&parts(body)) {
                    self.settle_known(p, i, b, places, unsettled);
                }
            }
            (
                Type::Prim(_)
                | Type::Param(_)
                | Type::Abstract(..)
                | Type::Array(_)
                | Type::Record(_)
                | Type::Sum(_)
                | Type::Arrow(_),
                _,
                _,
            ) => {
                self.require(pattern, initial, places.initial, Why::Pattern(places.pattern));
                self.require(pattern, body, places.body, Why::LoopResult(places.pattern));
            }
        }
    }

    /// Demands of two sizes that the body takes for one that they start as one, and are one after each round.
    fn demand_one(&mut self, first: &Changing, initial: &Size, body: &Size, places: &Places) {
        self.demand_size(
            &first.initial,
            initial,
            places.initial,
            places.pattern,
            "initial value of the loop",
        );
        match self.unsettled(body) == Some(first.unknown) {
            // What changes is not what it was.
            true => self.report_sizes(&first.body, body, places.body, places.pattern, "loop body"),
            false => self.demand_size(&first.body, body, places.body, places.pattern, "loop body"),
        }
    }

    /// Demands that a size that the body settles is the initial value's and the result's.
    fn demand_both(&mut self, size: &Size, initial: &Size, body: &Size, places: &Places) {
        self.demand_size(size, initial, places.initial, places.pattern, "initial value of the loop");
        self.demand_size(size, body, places.body, places.pattern, "loop body");
    }

    fn demand_size(&mut self, expected: &Size, found: &Size, span: Span, pattern: Span, what: &str) {
        if self.unify_sizes(expected, found).is_err() {
            self.report_sizes(expected, found, span, pattern, what);
        }
    }

    fn report_sizes(&mut self, expected: &Size, found: &Size, span: Span, pattern: Span, what: &str) {
        let unit = Type::unit();
        let types = [expected, found].map(|size| self.solved(&Type::array(size.clone(), unit.clone())));
        let message = self.telling_apart(&[&types[0], &types[1]], |checker| {
            let (expected, found) = (checker.show_unknown(expected), checker.show_unknown(found));
            format!("{what} does not have expected type: the sizes `{expected}` and `{found}` do not match")
        });
        let error = Diagnostic::error("E0301", span, message).label(pattern, "the loop parameters");
        self.report(error.hint(
            "the body uses the parameter at that size; coerce with `:>` where the two are always equal",
        ));
    }

    /// The value that a loop pattern without initial value stands for.
    fn build_implied_pat(&mut self, pat: &'a Pat) -> Expr {
        let parts: Vec<_> = match &pat.kind {
            PatKind::Name(name) => return self.build_implied(name.span),
            PatKind::Ascribe(inner, _) | PatKind::Attr(_, inner) => return self.build_implied_pat(inner),
            PatKind::Tuple(parts) => {
                let names = self.tuple_names(parts.len());
                names
                    .iter()
                    .copied()
                    .zip(parts)
                    .map(|(name, part)| (name, self.build_implied_pat(part)))
                    .collect()
            }
            PatKind::Record(fields) => {
                let mut parts: Vec<_> = fields
                    .iter()
                    .map(|field| (field.name.symbol, self.build_implied_pat(&field.pattern)))
                    .collect();
                parts.sort_by(|a, b| self.field_key(a.0).cmp(&self.field_key(b.0)));
                parts
            }
            PatKind::Wildcard | PatKind::Literal { .. } | PatKind::Constructor(..) => {
                return self.build_unit(pat.span);
            }
        };
        let types = parts.iter().map(|(name, part)| Field { name: *name, ty: part.ty.clone() }).collect();
        let parts = parts.into_iter().map(|part| part.1).collect();
        Expr { span: pat.span, ty: Type::Record(types), kind: ExprKind::Record(parts) }
    }
}

/// The parts of loop parameters whose type is written without a star: those stay as they are.
fn kept_parts(pattern: &Pat) -> Uniqueness {
    let parts = |parts: Vec<Uniqueness>| match parts.iter().any(Uniqueness::any) {
        true => Uniqueness::Fields(parts.into()),
        false => Uniqueness::No,
    };
    match &pattern.kind {
        PatKind::Ascribe(..) => Uniqueness::Yes,
        PatKind::Attr(_, inner) => kept_parts(inner),
        PatKind::Tuple(fields) => parts(fields.iter().map(kept_parts).collect()),
        PatKind::Record(fields) => parts(fields.iter().map(|field| kept_parts(&field.pattern)).collect()),
        PatKind::Name(_) | PatKind::Wildcard | PatKind::Literal { .. } | PatKind::Constructor(..) => {
            Uniqueness::No
        }
    }
}

/// A size of a loop's parameters that changes from round to round.
#[derive(Clone)]
struct Changing {
    unknown: LocalId,
    /// That of the initial value.
    initial: Size,
    /// That of the body's result.
    body: Size,
}

/// Where the parts of a loop stand.
struct Places {
    initial: Span,
    body: Span,
    pattern: Span,
}
