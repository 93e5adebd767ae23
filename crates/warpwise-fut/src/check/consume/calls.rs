//! Calls: which arguments are consumed, and which memory the result shares.

use std::rc::Rc;

use warpwise_diag::Span;

use crate::check::consume::Consumption;
use crate::check::consume::aliases::{Aliases, OwnerId, Permission, intersects, is_shared, owner_counts};
use crate::typed::tree::{Expr, ExprKind};
use crate::typed::ty::{Type, Uniqueness};

/// An evaluated argument.
struct Argument {
    span: Span,
    aliases: Aliases,
    consumes: Uniqueness,
}

impl Consumption<'_> {
    /// Checks `f a b`. Nested applications are checked as one.
    pub fn apply(&mut self, expr: &mut Expr) -> Aliases {
        let (ty, span, is_infix) = (expr.ty.clone(), expr.span, expr.is_infix());
        let mut arguments = Vec::new();
        let function = self.flatten(expr, &mut arguments);
        let mut evaluated: Vec<(Span, Aliases)> = Vec::with_capacity(arguments.len());
        // `flatten` puts the last argument first.
        if is_infix {
            arguments.reverse();
        }
        for argument in arguments {
            let aliases = self.expr(argument);
            evaluated.push((argument.span, aliases));
        }
        if !is_infix {
            evaluated.reverse();
        }
        let closure = self.expr(function);
        evaluated.iter().for_each(|(span, aliases)| self.still_there(aliases, *span));
        let inferred = match &function.kind {
            ExprKind::Local { local, .. } => self.results.get(local).cloned(),
            _ => None,
        };
        let (arguments, unique) = match_parameters(&function.ty, evaluated);
        let unique = if unique.any() { unique } else { inferred.unwrap_or(Uniqueness::No) };
        let is_partial = matches!(ty, Type::Arrow(_));
        self.consume_arguments(&arguments, is_partial);
        if is_partial {
            let captured = arguments.iter().map(|argument| argument.aliases.all());
            return Aliases::Leaf(merge(captured.chain([closure.all()])));
        }
        let observed = arguments.iter().map(|argument| argument.aliases.unmarked(&argument.consumes).all());
        let shared = merge(observed.chain([closure.all()]));
        self.result(&ty, &unique, shared, function, span)
    }

    fn result(
        &mut self,
        ty: &Type,
        unique: &Uniqueness,
        shared: Rc<[OwnerId]>,
        function: &Expr,
        span: Span,
    ) -> Aliases {
        let is_several = ty.parts().is_some();
        let shared: Rc<[OwnerId]> = match shared.is_empty() && is_several && *unique != Uniqueness::Yes {
            // Parts of one result may share memory with each other.
            true => {
                let function = match &function.kind {
                    ExprKind::Local { local, .. } => (self.name_of)(*local),
                    ExprKind::Def { def, .. } => (self.name_of_def)(*def),
                    _ => "this function".to_string(),
                };
                let name = format!("the result of applying {function}");
                [self.new_owner(name, span, Permission::Owned)].into()
            }
            false => shared,
        };
        Aliases::spread(ty, &shared).unmarked(unique)
    }

    /// Returns the function under nested applications, and collects all their arguments, last first.
    fn flatten<'e>(&mut self, expr: &'e mut Expr, arguments: &mut Vec<&'e mut Expr>) -> &'e mut Expr {
        let mut expr = expr;
        loop {
            match expr {
                Expr { kind: ExprKind::Apply { function, arguments: given }, .. } => {
                    arguments.extend(given.iter_mut().rev());
                    expr = function;
                }
                other => return other,
            }
        }
    }

    fn consume_arguments(&mut self, arguments: &[Argument], is_partial: bool) {
        for (index, argument) in arguments.iter().enumerate().rev() {
            if !argument.consumes.any() {
                continue;
            }
            let taken = argument.aliases.marked(&argument.consumes);
            if is_partial && !taken.is_empty() {
                let message = "this partial application contains the consumption of its argument".to_string();
                let error = self.error("E0405", argument.span, message);
                *error = error
                    .clone()
                    .hint("the function that is left could be called twice: give it all its arguments, or write a lambda with a copy");
                continue;
            }
            let owners = taken.all();
            let other = arguments.iter().enumerate().find(|(other, second)| match *other == index {
                true => intersects(&owners, &second.aliases.unmarked(&second.consumes).all()),
                false => intersects(&owners, &second.aliases.all()),
            });
            if let Some((_, other)) = other {
                let message = "this argument is consumed, but is aliased to another argument".to_string();
                let error = self.error("E0403", argument.span, message);
                *error =
                    error.clone().label(other.span, "the other argument").hint("pass a copy of one of them");
                self.mark(&taken, argument.span);
                continue;
            }
            self.self_sharing(&taken, argument.span);
            self.consume(&taken, argument.span);
        }
    }

    /// Reports an error if parts of a consumed value share memory with each other.
    pub fn self_sharing(&mut self, taken: &Aliases, span: Span) {
        let leaves = taken.leaves();
        let counts = owner_counts(&leaves);
        if leaves.iter().any(|leaf| is_shared(leaf, &counts)) {
            let message =
                "this value is consumed, but self-aliased: two of its parts share memory".to_string();
            let error = self.error("E0403", span, message);
            *error = error.clone().hint("copy one of them: `copy x`");
        }
    }
}

/// Pairs each argument with the uniqueness that its parameter consumes. Also returns the uniqueness of the result.
fn match_parameters(function: &Type, arguments: Vec<(Span, Aliases)>) -> (Vec<Argument>, Uniqueness) {
    let mut ty = function;
    let mut unique = Uniqueness::No;
    let mut matched = Vec::with_capacity(arguments.len());
    for (span, aliases) in arguments {
        let consumes = match ty {
            Type::Arrow(arrow) => {
                ty = &arrow.result.ty;
                unique = arrow.result.unique.clone();
                arrow.consumes.clone()
            }
            Type::Prim(_)
            | Type::Param(_)
            | Type::Abstract(..)
            | Type::Array(_)
            | Type::Record(_)
            | Type::Sum(_) => Uniqueness::No,
        };
        matched.push(Argument { span, aliases, consumes });
    }
    (matched, unique)
}

/// Merges lists of owners into one, sorted and without duplicates.
fn merge(lists: impl Iterator<Item = Rc<[OwnerId]>>) -> Rc<[OwnerId]> {
    let mut owners: Vec<OwnerId> = lists.flat_map(|list| list.to_vec()).collect();
    owners.sort_unstable();
    owners.dedup();
    owners.into()
}
