//! Expressions: which memory their values share.

use crate::check::consume::Consumption;
use warpwise_diag::Span;

use crate::check::consume::aliases::{Aliases, OwnerId, Permission, intersects};
use crate::typed::ids::LocalId;
use crate::typed::tree::{Binding, BindingKind, Case, DimIndex, DimIndexKind, Expr, ExprKind, Pat, PatKind};
use crate::typed::ty::Type;

impl Consumption<'_> {
    /// Checks an expression in the order of evaluation, and returns the aliases of its value.
    pub fn expr(&mut self, expr: &mut Expr) -> Aliases {
        match &mut expr.kind {
            ExprKind::Literal(..) | ExprKind::Bytes(_) | ExprKind::Hole | ExprKind::Intrinsic { .. } => {
                Aliases::none()
            }
            ExprKind::Local { .. } | ExprKind::Project { .. } => {
                let (aliases, name) = self.place(expr);
                if let Some(name) = name {
                    self.observe(&aliases, &name, expr.span);
                }
                aliases
            }
            ExprKind::Def { def, instance } => {
                // A value with size parameters is computed anew at each use.
                if matches!(expr.ty, Type::Arrow(_)) || !instance.sizes.is_empty() {
                    return Aliases::none();
                }
                let owner = self.constant_owner(*def);
                self.constant(&expr.ty, owner)
            }
            ExprKind::Record(parts) => {
                Aliases::Record(parts.iter_mut().map(|part| self.expr(part)).collect())
            }
            ExprKind::Construct { constructor, arguments } => {
                let first = expr.ty.first_part(*constructor);
                let mut parts = vec![Aliases::none(); expr.ty.parts().map_or(0, |parts| parts.len())];
                for (index, argument) in arguments.iter_mut().enumerate() {
                    parts[first + index] = self.expr(argument);
                }
                Aliases::Record(parts.into())
            }
            ExprKind::Match { scrutinee, cases } => {
                let matched = self.expr(scrutinee);
                self.cases(&matched, cases, expr.span)
            }
            ExprKind::Array(elements) => {
                let evaluated: Vec<_> = elements.iter_mut().map(|e| (e.span, self.expr(e))).collect();
                evaluated.iter().for_each(|(span, aliases)| self.still_there(aliases, *span));
                Aliases::none()
            }
            ExprKind::Index { array, slice } => {
                let aliases = self.expr(array);
                self.slice(slice);
                Aliases::spread(&expr.ty, &aliases.all())
            }
            ExprKind::Update { array, slice, value } => {
                let place = value.span;
                self.slice(slice);
                let value = self.expr(value);
                let array_span = array.span;
                let array = self.expr(array);
                if intersects(&array.all(), &value.all()) {
                    let message =
                        "in-place update with a value that shares memory with the array".to_string();
                    let error = self.error("E0404", place, message);
                    *error = error.clone().label(array_span, "this array").hint("put in a copy: `copy x`");
                }
                self.consume(&array, array_span);
                Aliases::none()
            }
            ExprKind::Assert { condition, body, .. } => {
                self.expr(condition);
                self.expr(body)
            }
            ExprKind::Lambda(_) => self.lambda(expr),
            ExprKind::Apply { .. } => self.apply(expr),
            ExprKind::Range { start, second, end, .. } => {
                self.expr(start);
                second.iter_mut().for_each(|second| drop(self.expr(second)));
                self.expr(end);
                Aliases::none()
            }
            ExprKind::Let { bindings, body } => {
                bindings.iter_mut().for_each(|binding| self.binding(binding));
                self.expr(body)
            }
            ExprKind::If { condition, then, otherwise } => {
                self.expr(condition);
                let mark = self.log.len();
                let first = self.expr(then);
                let consumed = self.undo(mark);
                let second = self.expr(otherwise);
                self.redo(consumed);
                self.rename_consumed(&first.union(&second), mark, expr.span)
            }
            ExprKind::Loop(_) => self.loop_expr(expr),
            ExprKind::Coerce(body)
            | ExprKind::Open { body, .. }
            | ExprKind::Attr { body, .. }
            | ExprKind::Tuned { default: body, .. } => self.expr(body),
        }
    }

    /// Checks alternative cases: only one of them is evaluated.
    fn cases(&mut self, matched: &Aliases, cases: &mut [Case], span: Span) -> Aliases {
        let mark = self.log.len();
        let mut consumed = Vec::new();
        let mut given: Option<Aliases> = None;
        for case in cases {
            self.bind(&case.pattern, matched.clone());
            let aliases = self.expr(&mut case.body);
            given = Some(given.map_or_else(|| aliases.clone(), |before| before.union(&aliases)));
            consumed.extend(self.undo(mark));
        }
        self.redo(consumed);
        self.rename_consumed(&given.unwrap_or_else(Aliases::none), mark, span)
    }

    /// Gives new owners to values that one branch consumes and another yields, since no other name may use them any more.
    fn rename_consumed(&mut self, aliases: &Aliases, mark: usize, span: Span) -> Aliases {
        let all = aliases.all();
        let mut renamed: Vec<(OwnerId, OwnerId)> = Vec::new();
        for index in mark..self.log.len() {
            let owner = self.log[index];
            if all.binary_search(&owner).is_ok() {
                let name = self.owners[owner.index()].name.clone();
                renamed.push((owner, self.new_owner(name, span, Permission::Owned)));
            }
        }
        if renamed.is_empty() { aliases.clone() } else { aliases.renamed(&renamed) }
    }

    /// Returns the aliases of a constant. Its arrays have an owner, so that no function consumes them or gives them away. An
    /// abstract type hides what it contains; lowering copies what would be overwritten.
    fn constant(&self, ty: &Type, owner: OwnerId) -> Aliases {
        match ty {
            Type::Prim(_) | Type::Arrow(_) | Type::Abstract(..) => Aliases::none(),
            Type::Param(_) | Type::Array(_) => Aliases::Leaf([owner].into()),
            Type::Record(_) | Type::Sum(_) => {
                let parts = ty.parts().unwrap_or_default();
                Aliases::Record(parts.into_iter().map(|part| self.constant(part, owner)).collect())
            }
        }
    }

    fn slice(&mut self, slice: &mut [DimIndex]) {
        for index in slice {
            match &mut index.kind {
                DimIndexKind::Fix(index) => drop(self.expr(index)),
                DimIndexKind::Slice { start, end, stride } => {
                    [start, end, stride].into_iter().flatten().for_each(|part| drop(self.expr(part)));
                }
            }
        }
    }

    /// Returns the aliases and the name of a local or of a field of one, without observing its other fields. The name is missing
    /// for any other expression.
    fn place(&mut self, expr: &mut Expr) -> (Aliases, Option<String>) {
        match &mut expr.kind {
            ExprKind::Local { local, .. } => {
                let aliases = self.bindings.get(local).cloned().unwrap_or_else(Aliases::none);
                (aliases, Some((self.name_of)(*local)))
            }
            ExprKind::Project { record, field } => {
                let (aliases, name) = self.place(record);
                (aliases.field(*field), name)
            }
            _ => (self.expr(expr), None),
        }
    }

    fn binding(&mut self, binding: &mut Binding) {
        match &mut binding.kind {
            BindingKind::Pattern { pattern, value, .. } => {
                let aliases = self.expr(value);
                self.bind(pattern, aliases);
            }
            BindingKind::Function { name, function, .. } => self.local_function(*name, function),
        }
    }

    /// Binds a pattern to a value.
    pub fn bind(&mut self, pattern: &Pat, aliases: Aliases) {
        match &pattern.kind {
            PatKind::Bind(local) => self.bind_local(*local, &pattern.ty, aliases, pattern),
            PatKind::Wildcard | PatKind::Literal(..) => {}
            PatKind::Record(parts) => {
                parts.iter().enumerate().for_each(|(index, part)| self.bind(part, aliases.field(index)));
            }
            PatKind::Construct { constructor, parts } => {
                let first = pattern.ty.first_part(*constructor);
                let parts = parts.iter().enumerate();
                parts.for_each(|(index, part)| self.bind(part, aliases.field(first + index)));
            }
        }
    }

    fn bind_local(&mut self, local: LocalId, ty: &Type, aliases: Aliases, pattern: &Pat) {
        let aliases = self.owned(local, ty, aliases, pattern);
        self.bindings.insert(local, aliases);
    }

    /// Makes owners for the parts of a value that share nothing.
    fn owned(&mut self, local: LocalId, ty: &Type, aliases: Aliases, pattern: &Pat) -> Aliases {
        match ty {
            Type::Prim(_) => Aliases::none(),
            // A function that captured nothing owns nothing.
            Type::Arrow(_) => aliases,
            Type::Param(_) | Type::Abstract(..) | Type::Array(_) => {
                if !aliases.is_empty() {
                    return Aliases::Leaf(aliases.all());
                }
                let owner = self.new_owner((self.name_of)(local), pattern.span, Permission::Owned);
                Aliases::Leaf([owner].into())
            }
            Type::Record(_) | Type::Sum(_) => {
                let parts = ty.parts().unwrap_or_default().into_iter().enumerate();
                let parts = parts.map(|(index, part)| self.owned(local, part, aliases.field(index), pattern));
                Aliases::Record(parts.collect())
            }
        }
    }
}
