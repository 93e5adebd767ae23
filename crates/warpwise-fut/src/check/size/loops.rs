//! Loops: which sizes are invariant, and which change from one iteration to the next.

use rustc_hash::FxHashSet;
use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::size::scopes::Opened;
use crate::check::type_exprs::Subst;
use crate::syntax::ast::{Expr as Ast, Liftedness, LoopExpr, LoopForm as AstForm, Pat, PatKind};
use crate::typed::ids::LocalId;
use crate::typed::tree::{Expr, ExprKind, Loop, LoopForm};
use crate::typed::ty::{Field, Size, Type, Uniqueness};

impl<'a> Checker<'a> {
    /// Builds `loop p = e form do e`.
    ///
    /// The sizes of the parameters are unknowns while the body is built. If the body determines a size, the initial value must
    /// have it, too. If the body returns a size unchanged, it equals that of the initial value. Any other size changes.
    pub fn build_loop(&mut self, this: &'a LoopExpr, span: Span) -> Expr {
        let initial = match &this.initial {
            Some(initial) => self.build(initial),
            None => self.build_implied_pat(&this.pattern),
        };
        self.demand_liftedness(&initial.ty, Liftedness::SizeLifted, initial.span, "a loop parameter");
        // The level of the unknown sizes lies between those outside and those bound in an iteration, so that they cannot become
        // the latter.
        let (pattern, consumes) =
            self.nested(|checker| checker.build_pat(&this.pattern, None, checker.sizing.level + 1));
        self.keep_apart(&pattern.ty);
        let (form, body) = self.build_iterations(this);
        let mut sizes = Vec::new();
        let places = Places { initial: initial.span, body: body.span, pattern: pattern.span };
        self.settle(&pattern.ty, &initial.ty, &body.ty, &places, &mut sizes);
        // Sizes that change have other names outside.
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

    fn build_iterations(&mut self, this: &'a LoopExpr) -> (LoopForm, Expr) {
        match &this.form {
            AstForm::For { index, bound } => {
                let bound = self.build(bound);
                let local = match self.infer.pats.get(&index.id) {
                    Some(&(_, Some(local))) => local,
                    Some((_, None)) | None => self.new_local(index.name.symbol, index.name.span),
                };
                self.program.locals[local.index()].ty = bound.ty.clone();
                self.sizing.levels.insert(local, self.sizing.level + 2);
                let body = self.build_iteration(&this.body);
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
                let built = self.build_pat(pattern, element.as_ref(), self.sizing.level + 2).0;
                let body = self.build_iteration(&this.body);
                (LoopForm::ForIn { pattern: built, array }, body)
            }
            AstForm::While(condition) => {
                let condition = self.build_iteration(condition);
                let body = self.build_iteration(&this.body);
                (LoopForm::While(condition), body)
            }
        }
    }

    fn build_iteration(&mut self, part: &'a Ast) -> Expr {
        self.nested(|checker| checker.nested(|checker| checker.build(part)))
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
        // Make all decisions before applying them: a size that changes must not determine another one.
        let mut changing: Vec<Changing> = Vec::new();
        let mut following: Vec<(Changing, Vec<LocalId>)> = Vec::new();
        let starts: Vec<_> =
            unsettled.iter().map(|(unknown, start, _)| (unknown.clone(), start.clone())).collect();
        for (unknown, initial, body) in unsettled {
            // A size that also occurs outside of the loop is the same in all iterations.
            let changeable = |&local: &LocalId| self.sizing.level_of(local) > self.sizing.level;
            let Some(local) = self.unsettled(&unknown).filter(changeable) else {
                self.demand_both(&unknown, &initial, &body, places);
                continue;
            };
            let mut undecided = changing.iter().chain(following.iter().map(|(follower, _)| follower));
            if let Some(first) = undecided.find(|other| other.unknown == local).cloned() {
                self.demand_one(&first, &initial, &body, places);
                continue;
            }
            let others = self.followed(local, &initial, &body, &starts);
            let parameter = Changing { unknown: local, initial, body };
            match others {
                Some(others) if !others.is_empty() => following.push((parameter, others)),
                Some(_) if self.stays(&parameter) => {}
                None if self.may_be_one(&parameter, pattern) && self.stays(&parameter) => {}
                Some(_) | None => changing.push(parameter),
            }
        }
        self.settle_turns(following, &mut changing);
        for Changing { unknown, initial, body } in changing {
            let size = self.new_size("n", places.pattern);
            self.sizing.levels.insert(size, self.sizing.level + 1);
            self.sizing.set(unknown, Size::Local(size));
            self.sizing.choose(size, [initial, body]);
            sizes.push(size);
        }
    }

    /// Settles parameters that exchange sizes: one changes if another one that it follows changes. The rest keep their initial
    /// sizes if possible.
    fn settle_turns(&mut self, mut following: Vec<(Changing, Vec<LocalId>)>, changing: &mut Vec<Changing>) {
        let changes = |(_, others): &(Changing, Vec<LocalId>), changing: &[Changing]| {
            changing.iter().any(|changing| others.contains(&changing.unknown))
        };
        while let Some(at) = following.iter().position(|follower| changes(follower, changing)) {
            changing.push(following.swap_remove(at).0);
        }
        for (follower, _) in following {
            if !self.stays(&follower) {
                changing.push(follower);
            }
        }
    }

    /// Gives a parameter its initial size for all iterations, if that is possible.
    fn stays(&mut self, parameter: &Changing) -> bool {
        let Changing { unknown, initial, body } = parameter;
        let gives_initial = self.unsettled(body) == Some(*unknown) || self.unify_sizes(initial, body).is_ok();
        gives_initial && self.unify_sizes(&Size::Local(*unknown), initial).is_ok()
    }

    /// Returns the unknown that a size resolves to, if it is not solved.
    fn unsettled(&self, size: &Size) -> Option<LocalId> {
        match self.resolve_size(size) {
            Size::Local(local) => self.sizing.meta(local).map(|_| local),
            Size::Const(_) | Size::Def(_) | Size::Expr(_) => None,
        }
    }

    /// Returns the other parameters whose sizes the body may return for this one. `None` unless all of them start at the same
    /// size, and the body returns nothing else but those, the parameter's own size, or its initial size.
    fn followed(
        &mut self,
        local: LocalId,
        initial: &Size,
        body: &Size,
        starts: &[(Size, Size)],
    ) -> Option<Vec<LocalId>> {
        let mut others = Vec::new();
        let mut given = vec![self.resolve_size(body)];
        // Choices share their sides, and a choice of a loop may have itself as a side.
        let mut seen = FxHashSet::default();
        while let Some(size) = given.pop() {
            if let (Size::Local(choice), Some(sides)) = (&size, self.sizing.sides(&size)) {
                if seen.insert(*choice) {
                    let sides = sides.clone();
                    given.extend(sides.map(|side| self.resolve_size(&side)));
                }
                continue;
            }
            if self.unsettled(&size) == Some(local) || self.same_size(&size, initial) {
                continue;
            }
            let other = self.unsettled(&size)?;
            let (_, start) = starts.iter().find(|(unknown, _)| self.unsettled(unknown) == Some(other))?;
            if !self.same_size(start, initial) {
                return None;
            }
            others.push(other);
        }
        Some(others)
    }

    /// Whether the size of the initial value or of the body's result is free and may become the other one, which must not mention
    /// loop parameters.
    fn may_be_one(&self, parameter: &Changing, pattern: &Type) -> bool {
        let (initial, body) = (self.resolve_size(&parameter.initial), self.resolve_size(&parameter.body));
        let is_of_loop = self.locals_of(&body).iter().any(|&local| self.mentions(pattern, local));
        !is_of_loop && (self.sizing.is_free(&initial) || self.sizing.is_free(&body))
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

    /// Requires that two sizes that the body equates are equal initially and after each iteration.
    fn demand_one(&mut self, first: &Changing, initial: &Size, body: &Size, places: &Places) {
        self.demand_size(
            &first.initial,
            initial,
            places.initial,
            places.pattern,
            "initial value of the loop",
        );
        match self.unsettled(body) == Some(first.unknown) {
            // A size that changes does not equal its previous value.
            true => self.report_sizes(&first.body, body, places.body, places.pattern, "loop body"),
            false => self.demand_size(&first.body, body, places.body, places.pattern, "loop body"),
        }
    }

    /// Requires that the initial value and the body's result have a size that the body determines.
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
        let is_unknown = |shown: &str| shown == "_";
        let (why, hint) = self.telling_apart(&[&types[0], &types[1]], |checker| {
            let (expected, found) = (checker.show_unknown(expected), checker.show_unknown(found));
            match is_unknown(&expected) && is_unknown(&found) {
                true => (
                    "sizes that it takes for one may be different".to_string(),
                    "where they stay the same, give the parameters types that say so: `loop (xs: [n]f64, ys: [n]f64) = ...`",
                ),
                false => (
                    format!("the sizes `{expected}` and `{found}` do not match"),
                    "the body uses the parameter at that size; coerce with `:>` where the two are always equal",
                ),
            }
        });
        let message = format!("{what} does not have expected type: {why}");
        let error = Diagnostic::error("E0301", span, message).label(pattern, "the loop parameters");
        self.report(error.hint(hint));
    }

    /// Builds the initial value of a loop that is written without one: its pattern, read as an expression.
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

/// Returns the parts of loop parameters whose types are written. They are not consumed, unless they have a star.
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

/// A size of a loop's parameters that may change from one iteration to the next.
#[derive(Clone)]
struct Changing {
    unknown: LocalId,
    /// Size of the initial value.
    initial: Size,
    /// Size of the body's result.
    body: Size,
}

/// Source positions of the parts of a loop.
struct Places {
    initial: Span,
    body: Span,
    pattern: Span,
}
