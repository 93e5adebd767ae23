//! Definitions, local functions and lambdas.

use rustc_hash::FxHashMap;
use warpwise_diag::Span;

use crate::check::consume::Consumption;
use crate::check::consume::aliases::{
    Aliases, Owner, OwnerId, Permission, intersects, is_shared, owner_counts,
};
use crate::typed::ids::LocalId;
use crate::typed::tree::{Def, Expr, ExprKind, Function, Param, Pat, PatKind};
use crate::typed::ty::{Type, Uniqueness};

impl Consumption<'_> {
    /// Checks a definition and records the fresh parts of its result. They are unique if the result was not annotated.
    pub fn definition(&mut self, def: &mut Def, annotated: bool) {
        let function = &mut def.function;
        function.params.iter().for_each(|param| self.bind_param(param));
        let aliases = self.expr(&mut function.body);
        self.still_there(&aliases, function.body.span);
        if function.params.is_empty() {
            return;
        }
        self.check_constants(&aliases, function.body.span);
        if annotated {
            self.check_result(&aliases, &function.result.unique, 0, function.body.span);
        }
        if !matches!(function.result.ty, Type::Arrow(_)) {
            def.fresh = self.unique_parts(&function.result.ty, &aliases, 0);
            if !annotated {
                def.grant_fresh();
            }
        }
    }

    /// Reports an error if a function returns a constant, whose memory its caller might consume.
    fn check_constants(&mut self, aliases: &Aliases, span: Span) {
        let all = aliases.all();
        let constant = all
            .iter()
            .map(|owner| &self.owners[owner.index()])
            .find(|o| o.permission == Permission::Constant);
        if let Some(Owner { name, .. }) = constant {
            let message = format!("the result of this function aliases the free variable {name}, a constant");
            let error = self.error("E0406", span, message);
            *error = error.clone().hint("give a copy: `copy x`");
        }
    }

    fn bind_param(&mut self, param: &Param) {
        self.bind_param_pat(&param.pattern, &param.consumes);
    }

    fn bind_param_pat(&mut self, pattern: &Pat, consumes: &Uniqueness) {
        match &pattern.kind {
            PatKind::Bind(local) => {
                let aliases = self.param_aliases(*local, &pattern.ty, consumes, pattern.span);
                self.bindings.insert(*local, aliases);
            }
            PatKind::Wildcard | PatKind::Literal(..) => {}
            PatKind::Record(parts) => {
                let parts = parts.iter().enumerate();
                parts.for_each(|(index, part)| self.bind_param_pat(part, &consumes.field(index)));
            }
            PatKind::Construct { constructor, parts } => {
                let first = pattern.ty.first_part(*constructor);
                let parts = parts.iter().enumerate();
                parts.for_each(|(index, part)| self.bind_param_pat(part, &consumes.field(first + index)));
            }
        }
    }

    fn param_aliases(&mut self, local: LocalId, ty: &Type, consumes: &Uniqueness, span: Span) -> Aliases {
        match ty {
            Type::Prim(_) => Aliases::none(),
            Type::Record(_) | Type::Sum(_) => {
                let parts = ty.parts().unwrap_or_default().into_iter().enumerate();
                let parts =
                    parts.map(|(index, part)| self.param_aliases(local, part, &consumes.field(index), span));
                Aliases::Record(parts.collect())
            }
            Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Arrow(_) => {
                let permission = match consumes.any() {
                    true => Permission::Owned,
                    false => Permission::Borrowed,
                };
                let owner = self.new_owner((self.name_of)(local), span, permission);
                Aliases::Leaf([owner].into())
            }
        }
    }

    /// Runs a check during which no owner from outside may be consumed.
    pub fn guarded<T>(&mut self, what: &'static str, span: Span, run: impl FnOnce(&mut Self) -> T) -> T {
        let barrier = std::mem::replace(&mut self.barrier, self.owners.len() as u32);
        let inside = std::mem::replace(&mut self.inside, (what, span));
        let result = run(self);
        self.barrier = barrier;
        self.inside = inside;
        result
    }

    /// Checks a lambda. Its value shares memory with the values that it captures.
    pub fn lambda(&mut self, expr: &mut Expr) -> Aliases {
        let span = expr.span;
        let ExprKind::Lambda(lambda) = &mut expr.kind else { return Aliases::none() };
        let outside = self.owners.len() as u32;
        self.guarded("lambda", span, |this| {
            lambda.params.iter().for_each(|param| this.bind_param(param));
            let aliases = this.expr(&mut lambda.body);
            this.still_there(&aliases, lambda.body.span);
            this.check_constants(&aliases, lambda.body.span);
            this.check_result(&aliases, &lambda.result.unique, outside, lambda.body.span);
        });
        self.captured(&lambda.body, outside)
    }

    /// Checks and binds a local function.
    pub fn local_function(&mut self, name: LocalId, function: &mut Function) {
        let outside = self.owners.len() as u32;
        let unique = self.guarded("function", function.body.span, |this| {
            function.params.iter().for_each(|param| this.bind_param(param));
            let aliases = this.expr(&mut function.body);
            this.still_there(&aliases, function.body.span);
            this.check_constants(&aliases, function.body.span);
            this.check_result(&aliases, &function.result.unique, outside, function.body.span);
            this.unique_parts(&function.result.ty, &aliases, outside)
        });
        if !function.result.unique.any() && !matches!(function.result.ty, Type::Arrow(_)) {
            self.results.insert(name, unique);
        }
        let captured = self.captured(&function.body, outside);
        self.bindings.insert(name, captured);
    }

    /// Returns the owners from outside that a body uses.
    fn captured(&self, body: &Expr, outside: u32) -> Aliases {
        let mut owners: Vec<OwnerId> = Vec::new();
        let mut found = Uses { consumption: self, owners: &mut owners };
        found.expr(body);
        owners.retain(|owner| owner.0 < outside);
        owners.sort_unstable();
        owners.dedup();
        Aliases::Leaf(owners.into())
    }

    /// Reports an error if the unique parts of a result share memory. Owners below `outside` do not belong to the function.
    fn check_result(&mut self, aliases: &Aliases, unique: &Uniqueness, outside: u32, span: Span) {
        if !unique.any() {
            return;
        }
        let taken = aliases.marked(unique);
        let mut owners = Vec::new();
        taken.collect(&mut owners);
        let foreign = owners
            .iter()
            .find(|owner| owner.0 < outside || self.owners[owner.index()].permission != Permission::Owned);
        if let Some(owner) = foreign {
            let name = self.owners[owner.index()].name.clone();
            let message = format!("unique-typed return value is aliased to {name}, which is not consumable");
            let bound = self.owners[owner.index()].span;
            let error = self.error("E0406", span, message);
            let mut labelled = error.clone();
            if !bound.is_none() {
                labelled = labelled.label(bound, "bound here");
            }
            *error = labelled.hint("give a copy, or declare the parameter with a star");
            return;
        }
        let rest = aliases.unmarked(unique).all();
        let leaves = taken.leaves();
        let counts = owner_counts(&leaves);
        if leaves.iter().any(|leaf| intersects(leaf, &rest) || is_shared(leaf, &counts)) {
            let message = "a unique part of the result is aliased to some other component of it".to_string();
            let error = self.error("E0406", span, message);
            *error = error.clone().hint("copy one of them: `copy x`");
        }
    }

    /// Returns the parts of a result that share nothing, neither with owners outside nor with each other.
    fn unique_parts(&self, ty: &Type, aliases: &Aliases, outside: u32) -> Uniqueness {
        self.unique_part(ty, aliases, &owner_counts(&aliases.leaves()), outside)
    }

    fn unique_part(
        &self,
        ty: &Type,
        aliases: &Aliases,
        counts: &FxHashMap<OwnerId, u32>,
        outside: u32,
    ) -> Uniqueness {
        match ty {
            Type::Prim(_) | Type::Arrow(_) => Uniqueness::No,
            Type::Record(_) | Type::Sum(_) => {
                let parts = ty.parts().unwrap_or_default().into_iter().enumerate();
                let parts: Vec<Uniqueness> = parts
                    .map(|(index, part)| self.unique_part(part, &aliases.field(index), counts, outside))
                    .collect();
                if parts.iter().any(Uniqueness::any) {
                    Uniqueness::Fields(parts.into())
                } else {
                    Uniqueness::No
                }
            }
            Type::Param(_) | Type::Abstract(..) | Type::Array(_) => {
                let owners = aliases.all();
                let own = owners.iter().all(|owner| {
                    owner.0 >= outside && self.owners[owner.index()].permission == Permission::Owned
                });
                if own && !is_shared(&owners, counts) { Uniqueness::Yes } else { Uniqueness::No }
            }
        }
    }
}

/// Collects the owners of all locals that an expression uses.
struct Uses<'u, 'c> {
    consumption: &'u Consumption<'c>,
    owners: &'u mut Vec<OwnerId>,
}

impl Uses<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        expr.for_each_local(&mut |local| {
            if let Some(aliases) = self.consumption.bindings.get(&local) {
                aliases.collect(self.owners);
            }
        });
    }
}
