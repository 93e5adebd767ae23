//! Loops: which parameters are consumed, and what this requires of initial values and results.

use std::rc::Rc;

use warpwise_diag::Span;

use crate::check::consume::Consumption;
use crate::check::consume::aliases::{Aliases, OwnerId, Permission, intersects, is_shared, owner_counts};
use crate::typed::tree::{Expr, ExprKind, Loop, LoopForm, Pat, PatKind};
use crate::typed::ty::{Type, Uniqueness};

impl Consumption<'_> {
    /// Checks a loop and records which parameters it consumes.
    ///
    /// The body is checked once, with parameters that own their memory. A parameter is consumed if the body consumes it, or if
    /// its memory may become that of a consumed parameter in the next iteration. A star in the source permits this, and promises
    /// that the body returns memory of its own for that parameter. If that memory is new in each iteration, the initial value is
    /// only lent.
    pub fn loop_expr(&mut self, expr: &mut Expr) -> Aliases {
        let (ty, span) = (expr.ty.clone(), expr.span);
        let ExprKind::Loop(this) = &mut expr.kind else { return Aliases::none() };
        let initial = self.expr(&mut this.initial);
        if let LoopForm::For { bound: part, .. } | LoopForm::ForIn { array: part, .. } = &mut this.form {
            let aliases = self.expr(part);
            if let LoopForm::ForIn { pattern, .. } = &this.form {
                let element = Aliases::spread(&pattern.ty, &aliases.all());
                self.bind(&pattern.clone(), element);
            }
        }
        let outside = self.owners.len() as u32;
        let params = self.loop_params(&this.pattern, &this.kept, &this.consumes);
        let mark = self.log.len();
        let seen = self.observed.len();
        // Parameters are inside; all earlier owners are outside.
        let result = self.iterations(this, outside, span);
        let consumed: Vec<OwnerId> = self.log[mark..].to_vec();
        self.undo(mark);
        let leaves =
            LoopLeaves { params: params.leaves(), results: Aliases::leaves(&shaped(&result, &params)) };
        let starred = declared_leaves(&this.consumes, &this.pattern.ty);
        self.check_iterations(&leaves, &self.diet(&leaves, &consumed, &starred), outside, this.body.span);
        let handed_on = (0..starred.len()).map(|index| starred[index] && leaves.hands_on(index));
        let diet = self.diet(&leaves, &consumed, &handed_on.collect::<Vec<_>>());
        this.consumes = rebuild(&this.pattern.ty, &mut diet.iter().copied());
        let mut apart = diet.iter().zip(&starred).map(|(&consumed, &starred)| consumed || starred);
        let apart = rebuild(&this.pattern.ty, &mut apart);
        let taken = initial.marked(&this.consumes);
        if self.check_initial(&initial, this, span) {
            self.check_observed(&taken, seen, this.initial.span);
            self.self_sharing(&taken, this.initial.span);
            self.consume(&taken, this.initial.span);
        }
        let lent = leaves.lent(&shaped(&initial, &params).leaves(), &diet, outside);
        let kept = with_leaves(&params, &mut lent.into_iter());
        let unmarked = shaped(&kept, &Aliases::spread(&ty, &Vec::new().into())).unmarked(&this.consumes);
        with_owner_for_shared(self, &ty, unmarked, &apart, span)
    }

    fn iterations(&mut self, this: &mut Loop, outside: u32, span: Span) -> Aliases {
        let barrier = std::mem::replace(&mut self.barrier, outside);
        let inside = std::mem::replace(&mut self.inside, ("loop", span));
        self.loops += 1;
        if let LoopForm::While(condition) = &mut this.form {
            self.expr(condition);
        }
        let result = self.expr(&mut this.body);
        self.loops -= 1;
        self.still_there(&result, this.body.span);
        self.barrier = barrier;
        self.inside = inside;
        result
    }

    /// Makes owners for the loop parameters. Parameters in `kept` may not be consumed, unless they have a star.
    fn loop_params(&mut self, pattern: &Pat, kept: &Uniqueness, starred: &Uniqueness) -> Aliases {
        match &pattern.kind {
            PatKind::Bind(local) => {
                let name = (self.name_of)(*local);
                let aliases = self.param_owners(&pattern.ty, &name, pattern.span, kept, starred);
                self.bindings.insert(*local, aliases.clone());
                aliases
            }
            PatKind::Wildcard | PatKind::Literal(..) => {
                self.param_owners(&pattern.ty, "_", pattern.span, kept, starred)
            }
            // An irrefutable pattern has the only constructor of its type.
            PatKind::Record(parts) | PatKind::Construct { parts, .. } => {
                let parts = parts.iter().enumerate();
                let parts = parts.map(|(i, part)| self.loop_params(part, &kept.field(i), &starred.field(i)));
                Aliases::Record(parts.collect())
            }
        }
    }

    fn param_owners(
        &mut self,
        ty: &Type,
        name: &str,
        span: Span,
        kept: &Uniqueness,
        starred: &Uniqueness,
    ) -> Aliases {
        match ty {
            Type::Prim(_) => Aliases::none(),
            Type::Record(_) | Type::Sum(_) => {
                let parts = ty.parts().unwrap_or_default().into_iter().enumerate();
                let parts = parts.map(|(index, part)| {
                    self.param_owners(part, name, span, &kept.field(index), &starred.field(index))
                });
                Aliases::Record(parts.collect())
            }
            Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Arrow(_) => {
                let permission = match kept.any() && !starred.any() {
                    true => Permission::Borrowed,
                    false => Permission::Owned,
                };
                let owner = self.new_owner(name.to_string(), span, permission);
                Aliases::Leaf([owner].into())
            }
        }
    }

    /// Returns which leaves are consumed, as a fixpoint: a leaf that flows into a consumed one is consumed, too.
    fn diet(&self, leaves: &LoopLeaves, consumed: &[OwnerId], declared: &[bool]) -> Vec<bool> {
        let is_consumed = |(index, leaf): (usize, &Rc<[OwnerId]>)| {
            leaf.iter().any(|owner| consumed.contains(owner)) || declared.get(index).copied().unwrap_or(false)
        };
        let mut diet: Vec<bool> = leaves.params.iter().enumerate().map(is_consumed).collect();
        loop {
            let mut changed = false;
            for index in 0..diet.len() {
                for other in 0..diet.len() {
                    let flows = diet[index]
                        && !diet[other]
                        && intersects(&leaves.results[index], &leaves.params[other]);
                    if flows {
                        diet[other] = true;
                        changed = true;
                    }
                }
            }
            if !changed {
                return diet;
            }
        }
    }

    fn check_iterations(&mut self, leaves: &LoopLeaves, diet: &[bool], outside: u32, span: Span) {
        let counts = owner_counts(&leaves.results);
        for (index, result) in leaves.results.iter().enumerate() {
            if !diet[index] {
                continue;
            }
            let foreign = result.iter().find(|owner| {
                owner.0 < outside || self.owners[owner.index()].permission != Permission::Owned
            });
            if let Some(owner) = foreign {
                let name = self.owners[owner.index()].name.clone();
                let message =
                    format!("a consumed loop parameter gets a value that aliases {name} from outside");
                let error = self.error("E0406", span, message);
                *error = error.clone().hint("give a copy: `copy x`");
                return;
            }
            if is_shared(result, &counts) {
                let message = "a consumed loop parameter gets a value that aliases other consumed loop parameters or their values"
                    .to_string();
                let error = self.error("E0406", span, message);
                *error = error.clone().hint("give a copy: `copy x`");
                return;
            }
        }
    }

    /// Reports an error if the loop uses an initial value that it consumes by another name.
    fn check_observed(&mut self, taken: &Aliases, seen: usize, span: Span) {
        let taken = taken.all();
        let hit = self.observed[seen..].iter().find(|use_of| taken.binary_search(&use_of.0).is_ok()).cloned();
        if self.loops == 0 {
            self.observed.clear();
        }
        if let Some((owner, what, place)) = hit {
            let name = self.owners[owner.index()].name.clone();
            let message = match name == what {
                true => format!("{what} is used in a loop by which it is consumed"),
                false => format!(
                    "{what} is used in a loop by which {name}, with which it shares memory, is consumed"
                ),
            };
            let error = self.error("E0401", place, message);
            *error =
                error.clone().at("used here").label(span, "consumed here").hint("start the loop with a copy");
        }
    }

    /// Reports an error if the consumed parts of the initial value share memory with the others. Returns whether they do not.
    fn check_initial(&mut self, initial: &Aliases, this: &Loop, span: Span) -> bool {
        let (taken, rest) = (initial.marked(&this.consumes).all(), initial.unmarked(&this.consumes).all());
        let is_shared = intersects(&taken, &rest);
        if is_shared {
            let message = "a consumed loop parameter starts with memory that another one shares".to_string();
            let error = self.error("E0403", this.initial.span, message);
            *error = error.clone().label(span, "in this loop").hint("start with a copy: `copy x`");
        }
        !is_shared
    }
}

/// The leaves of the loop parameters, and of their values in the next iteration.
struct LoopLeaves {
    params: Vec<Rc<[OwnerId]>>,
    results: Vec<Rc<[OwnerId]>>,
}

impl LoopLeaves {
    /// Whether the body gives a parameter memory that the parameters had before.
    fn hands_on(&self, index: usize) -> bool {
        self.params.iter().any(|param| intersects(&self.results[index], param))
    }

    /// Returns, for each leaf of the result, the owners outside of the loop that it shares: those of initial values that may
    /// reach it in some iteration and are not consumed, and those that the body returns.
    fn lent(&self, initial: &[Rc<[OwnerId]>], diet: &[bool], outside: u32) -> Vec<Rc<[OwnerId]>> {
        let lent = |index| {
            let mut owners = Vec::new();
            for from in self.sources(index) {
                owners.extend(initial[from].iter().copied().filter(|_| !diet[from]));
                owners.extend(self.results[from].iter().copied().filter(|owner| owner.0 < outside));
            }
            owners.sort_unstable();
            owners.dedup();
            owners.into()
        };
        (0..self.params.len()).map(lent).collect()
    }

    /// Returns the parameters whose values may reach a parameter in some iteration, including itself.
    fn sources(&self, index: usize) -> Vec<usize> {
        let mut sources = vec![index];
        let mut next = 0;
        while let Some(&at) = sources.get(next) {
            for (other, param) in self.params.iter().enumerate() {
                if !sources.contains(&other) && intersects(&self.results[at], param) {
                    sources.push(other);
                }
            }
            next += 1;
        }
        sources
    }
}

/// Returns aliases in the shape of `like`.
fn shaped(aliases: &Aliases, like: &Aliases) -> Aliases {
    match like {
        Aliases::Leaf(_) => Aliases::Leaf(aliases.all()),
        Aliases::Record(fields) => {
            let parts = fields.iter().enumerate().map(|(index, field)| shaped(&aliases.field(index), field));
            Aliases::Record(parts.collect())
        }
    }
}

/// Returns the declared uniqueness, leaf by leaf.
fn declared_leaves(declared: &Uniqueness, ty: &Type) -> Vec<bool> {
    match ty {
        Type::Record(_) | Type::Sum(_) => {
            let parts = ty.parts().unwrap_or_default().into_iter().enumerate();
            parts.flat_map(|(index, part)| declared_leaves(&declared.field(index), part)).collect()
        }
        Type::Prim(_) => vec![false],
        Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Arrow(_) => vec![declared.any()],
    }
}

/// Builds a uniqueness from its leaves.
fn rebuild(ty: &Type, leaves: &mut impl Iterator<Item = bool>) -> Uniqueness {
    match ty {
        Type::Record(_) | Type::Sum(_) => {
            let parts = ty.parts().unwrap_or_default();
            let parts: Vec<Uniqueness> = parts.into_iter().map(|part| rebuild(part, leaves)).collect();
            if parts.iter().any(Uniqueness::any) { Uniqueness::Fields(parts.into()) } else { Uniqueness::No }
        }
        Type::Prim(_) | Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Arrow(_) => {
            if leaves.next().unwrap_or(false) { Uniqueness::Yes } else { Uniqueness::No }
        }
    }
}

/// Returns aliases in the shape of `like` with these leaves.
fn with_leaves(like: &Aliases, leaves: &mut impl Iterator<Item = Rc<[OwnerId]>>) -> Aliases {
    match like {
        Aliases::Leaf(_) => Aliases::Leaf(leaves.next().unwrap_or_default()),
        Aliases::Record(fields) => {
            Aliases::Record(fields.iter().map(|field| with_leaves(field, leaves)).collect())
        }
    }
}

/// Adds a common owner to the parts of the result: they may share memory with each other, even if they share nothing from
/// outside. Parts in `apart` share none.
fn with_owner_for_shared(
    consumption: &mut Consumption<'_>,
    ty: &Type,
    aliases: Aliases,
    apart: &Uniqueness,
    span: Span,
) -> Aliases {
    if ty.parts().is_none() || *apart == Uniqueness::Yes {
        return aliases;
    }
    let owner = consumption.new_owner("the result of this loop".to_string(), span, Permission::Owned);
    let common = Aliases::spread(ty, &[owner].into()).unmarked(apart);
    aliases.union(&common)
}
