//! Sizes whose scope ends: they become unknown outside.

use std::sync::Arc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::size::DEEPEST;
use crate::check::size::unify::Locals;
use crate::typed::ids::LocalId;
use crate::typed::map::map_type;
use crate::typed::tree::{Expr, ExprKind};
use crate::typed::ty::{ArrowType, Constructor, Field, ResultType, Size, Type, TypeArg};

/// Maximum number of mentions of locals in a size. Names that are spelled out, and sums of sums such as those of `++`, double a size at
/// every definition; beyond this a size becomes unknown.
pub const MOST_LOCALS: usize = 256;

/// Sizes that became unknown, with their names outside.
#[derive(Clone, Default)]
pub struct Opened {
    /// Each size inside, with its name outside.
    pairs: Vec<(Size, LocalId)>,
}

impl Opened {
    /// Returns the names outside.
    pub fn sizes(&self) -> Vec<LocalId> {
        self.pairs.iter().map(|pair| pair.1).collect()
    }
}

/// Returns the number of mentions of locals in the sizes of a type.
pub fn n_mentions(ty: &Type) -> usize {
    let mut locals = Locals::default();
    map_type(ty, &mut locals);
    locals.0.len()
}

impl Checker<'_> {
    /// Runs `inside` one scope deeper.
    pub fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.sizing.level += 1;
        let result = inside(self);
        self.sizing.level -= 1;
        result
    }

    /// Returns a type as seen outside a scope. Sizes that mention locals deeper than `level`, other than those in `keep`, get new
    /// names.
    pub fn close(
        &mut self,
        ty: &Type,
        level: u32,
        keep: &[LocalId],
        opened: &mut Opened,
        span: Span,
    ) -> Type {
        let ty = self.solved(ty);
        self.close_value(&ty, level, keep, opened, span)
    }

    fn close_value(
        &mut self,
        ty: &Type,
        level: u32,
        keep: &[LocalId],
        opened: &mut Opened,
        span: Span,
    ) -> Type {
        // Close small sizes first: if `[k]` gets a new name, `[n - k]` uses it.
        let mut escaping = Vec::new();
        self.escaping_sizes(ty, level, keep, &mut escaping);
        escaping.sort_by_key(|size| self.locals_of(size).len());
        for size in escaping {
            self.close_size(&size, level, keep, opened, span);
        }
        self.close_type(ty, level, keep, opened, span)
    }

    /// Collects the sizes of a value that are not known outside, except for those in function types.
    fn escaping_sizes(&self, ty: &Type, level: u32, keep: &[LocalId], found: &mut Vec<Size>) {
        match ty {
            Type::Prim(_) | Type::Param(_) | Type::Arrow(_) => {}
            Type::Abstract(_, args) => args.iter().for_each(|arg| match arg {
                TypeArg::Size(size) if self.escapes(size, level, keep) => found.push(size.clone()),
                TypeArg::Size(_) => {}
                TypeArg::Type(ty) => self.escaping_sizes(ty, level, keep, found),
            }),
            Type::Array(array) => {
                if self.escapes(&array.size, level, keep) {
                    found.push(array.size.clone());
                }
                self.escaping_sizes(&array.element, level, keep, found);
            }
            Type::Record(_) | Type::Sum(_) => {
                let parts = ty.parts().unwrap_or_default();
                parts.into_iter().for_each(|part| self.escaping_sizes(part, level, keep, found));
            }
        }
    }

    /// Returns whether a size cannot be expressed outside, or is too large to be.
    fn escapes(&self, size: &Size, level: u32, keep: &[LocalId]) -> bool {
        let locals = self.locals_of(size);
        locals.len() > MOST_LOCALS
            || locals.iter().any(|local| {
                self.sizing.meta(*local).is_none()
                    && self.sizing.level_of(*local) > level
                    && !keep.contains(local)
            })
    }

    fn close_type(
        &mut self,
        ty: &Type,
        level: u32,
        keep: &[LocalId],
        opened: &mut Opened,
        span: Span,
    ) -> Type {
        match ty {
            Type::Prim(_) | Type::Param(_) => ty.clone(),
            Type::Abstract(id, args) => {
                let args = args.iter().map(|arg| match arg {
                    TypeArg::Size(size) => TypeArg::Size(self.close_size(size, level, keep, opened, span)),
                    TypeArg::Type(ty) => TypeArg::Type(self.close_type(ty, level, keep, opened, span)),
                });
                let args = args.collect();
                Type::Abstract(*id, args)
            }
            Type::Array(array) => {
                let size = self.close_size(&array.size, level, keep, opened, span);
                Type::array(size, self.close_type(&array.element, level, keep, opened, span))
            }
            Type::Record(fields) => {
                let fields = fields.iter().map(|field| Field {
                    name: field.name,
                    ty: self.close_type(&field.ty, level, keep, opened, span),
                });
                Type::Record(fields.collect())
            }
            Type::Sum(constructors) => {
                let constructors = constructors.iter().map(|constructor| {
                    let payload = constructor.payload.iter();
                    let payload = payload.map(|ty| self.close_type(ty, level, keep, opened, span));
                    Constructor { name: constructor.name, payload: payload.collect() }
                });
                Type::Sum(constructors.collect())
            }
            Type::Arrow(arrow) => self.close_arrow(arrow, level, keep, opened, span),
        }
    }

    /// Reports that a size leaves its scope, once per definition.
    pub fn report_escape(&mut self, error: Diagnostic) {
        if !std::mem::replace(&mut self.sizing.escaped, true) {
            self.report(error);
        }
    }

    /// Returns a function type as seen outside a scope. Sizes of its result that the enclosing value does not determine become
    /// existential in the result.
    fn close_arrow(
        &mut self,
        arrow: &ArrowType,
        level: u32,
        keep: &[LocalId],
        opened: &Opened,
        span: Span,
    ) -> Type {
        let mut in_argument = opened.clone();
        let argument = self.close_type(&arrow.argument, level, keep, &mut in_argument, span);
        if let Some((size, _)) = in_argument.pairs.get(opened.pairs.len()) {
            let (size, ty) = (self.show_size(size), self.show_type(&arrow.argument));
            let message = format!(
                "unknown size `{size}` in parameter: a function that takes `{ty}` leaves the scope of that size"
            );
            self.report_escape(Diagnostic::error("E0302", span, message));
        }
        let keep: Vec<LocalId> =
            keep.iter().copied().chain(arrow.param).chain(arrow.result.exists.iter().copied()).collect();
        let mut in_result = opened.clone();
        let ty = self.close_value(&arrow.result.ty, level, &keep, &mut in_result, span);
        let new = in_result.sizes().split_off(opened.pairs.len());
        let exists = arrow.result.exists.iter().copied().chain(new).collect();
        Type::Arrow(Arc::new(ArrowType {
            param: arrow.param,
            argument,
            consumes: arrow.consumes.clone(),
            result: ResultType { exists, ty, unique: arrow.result.unique.clone() },
        }))
    }

    fn close_size(
        &mut self,
        size: &Size,
        level: u32,
        keep: &[LocalId],
        opened: &mut Opened,
        span: Span,
    ) -> Size {
        let mut size = self.resolve_size(size);
        if self.escapes(&size, level, keep) {
            size = self.renamed(size, opened);
        }
        if self.escapes(&size, level, keep) {
            return Size::Local(self.open_as(size, level, opened, span));
        }
        for local in self.locals_of(&size) {
            self.lower(local, level, keep);
        }
        size
    }

    /// Replaces sizes that have new names by these names.
    fn renamed(&mut self, size: Size, opened: &Opened) -> Size {
        for (inside, outside) in &opened.pairs {
            if self.same_size(inside, &size) {
                return Size::Local(*outside);
            }
        }
        let Size::Expr(expr) = size else { return size };
        let mut expr = Expr::clone(&expr);
        if let ExprKind::Apply { arguments, .. } = &mut expr.kind {
            for argument in arguments.iter_mut() {
                let renamed = self.renamed(argument.clone().into_size(), opened);
                *argument = Expr { ty: argument.ty.clone(), ..renamed.into_expr(argument.span) };
            }
        }
        expr.into_size()
    }

    /// Gives a size a new name at a level.
    pub fn open_as(&mut self, size: Size, level: u32, opened: &mut Opened, span: Span) -> LocalId {
        let name = match &size {
            Size::Local(local) => self.show_local(*local).to_string(),
            Size::Const(_) | Size::Def(_) | Size::Expr(_) => "k".to_string(),
        };
        let name = if name.is_empty() { "k".to_string() } else { name };
        let unknown = self.new_size(&name, span);
        self.sizing.levels.insert(unknown, level);
        if self.sizing.sides(&size).is_some() {
            self.sizing.choose(unknown, [size.clone(), size.clone()]);
        }
        opened.pairs.push((size, unknown));
        unknown
    }

    /// Whether two sizes are equal, without solving any unknown.
    pub fn same_size(&mut self, a: &Size, b: &Size) -> bool {
        let (a, b) = (self.resolve_size(a), self.resolve_size(b));
        let frozen = std::mem::replace(&mut self.sizing.frozen, true);
        let same = self.unify_known_sizes(&a, &b).is_ok();
        self.sizing.frozen = frozen;
        same
    }

    /// Wraps an expression whose value determines existential sizes.
    pub fn open(&mut self, sizes: Vec<LocalId>, body: Expr) -> Expr {
        if sizes.is_empty() {
            return body;
        }
        Expr { span: body.span, ty: body.ty.clone(), kind: ExprKind::Open { sizes, body: Box::new(body) } }
    }

    /// Returns the common type of two branches. Sizes that differ, or that are known only in a branch, become unknown.
    pub fn join(&mut self, a: &Type, b: &Type, level: u32, joined: &mut JoinedSizes, span: Span) -> Type {
        match (a, b) {
            (Type::Array(x), Type::Array(y)) => {
                let size = self.join_sizes(&x.size, &y.size, level, joined, span);
                Type::array(size, self.join(&x.element, &y.element, level, joined, span))
            }
            (Type::Record(xs), Type::Record(ys)) => {
                let fields = xs.iter().zip(ys.iter());
                let fields = fields
                    .map(|(x, y)| Field { name: x.name, ty: self.join(&x.ty, &y.ty, level, joined, span) });
                Type::Record(fields.collect())
            }
            (Type::Sum(xs), Type::Sum(ys)) => {
                let constructors = xs.iter().zip(ys.iter()).map(|(x, y)| {
                    let payload = x.payload.iter().zip(y.payload.iter());
                    let payload = payload.map(|(x, y)| self.join(x, y, level, joined, span));
                    Constructor { name: x.name, payload: payload.collect() }
                });
                Type::Sum(constructors.collect())
            }
            (Type::Abstract(id, xs), Type::Abstract(_, ys)) => {
                let args = xs.iter().zip(ys.iter()).map(|(x, y)| match (x, y) {
                    (TypeArg::Size(x), TypeArg::Size(y)) => {
                        TypeArg::Size(self.join_sizes(x, y, level, joined, span))
                    }
                    (TypeArg::Type(x), TypeArg::Type(y)) => {
                        TypeArg::Type(self.join(x, y, level, joined, span))
                    }
                    (TypeArg::Size(_) | TypeArg::Type(_), _) => x.clone(),
                });
                let args = args.collect();
                Type::Abstract(*id, args)
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
            ) => a.clone(),
        }
    }

    fn join_sizes(&mut self, a: &Size, b: &Size, level: u32, joined: &mut JoinedSizes, span: Span) -> Size {
        let (a, b) = (self.resolve_size(a), self.resolve_size(b));
        if self.sizing.is_free(&b) && joined.sides(&a).is_some() {
            // The name that earlier branches were joined to is not known in this branch, but their sizes are.
            return self.join_free(&b, &a, joined);
        }
        let is_free = self.sizing.is_free(&a) || self.sizing.is_free(&b);
        let same = self.same_size(&a, &b) || is_free && self.unify_sizes(&a, &b).is_ok();
        let in_scope = |checker: &Self, size: &Size| {
            let locals = checker.locals_of(size);
            locals.iter().all(|&l| checker.sizing.meta(l).is_some() || checker.sizing.level_of(l) <= level)
        };
        if same && in_scope(self, &a) {
            for local in self.locals_of(&a) {
                self.lower(local, level, &[]);
            }
            return a;
        }
        for index in 0..joined.0.len() {
            let (x, y, outside) = joined.0[index].clone();
            if self.same_size(&x, &a) && self.same_size(&y, &b) {
                return Size::Local(outside);
            }
        }
        let unknown = self.new_size("k", span);
        self.sizing.levels.insert(unknown, level);
        self.sizing.choose(unknown, [a.clone(), b.clone()]);
        joined.0.push((a, b, unknown));
        Size::Local(unknown)
    }

    /// Solves a free size with one of the sizes that were joined.
    fn join_free(&mut self, free: &Size, size: &Size, joined: &JoinedSizes) -> Size {
        let mut candidates = vec![size.clone()];
        while let Some(candidate) = candidates.pop() {
            match joined.sides(&candidate) {
                Some(sides) => candidates.extend(sides),
                None if self.unify_sizes(free, &candidate).is_ok() => break,
                None => {}
            }
        }
        size.clone()
    }
}

/// Sizes that differ between branches, with their common name.
#[derive(Default)]
pub struct JoinedSizes(pub Vec<(Size, Size, LocalId)>);

impl JoinedSizes {
    /// Returns the two sizes that a size was joined from.
    fn sides(&self, size: &Size) -> Option<[Size; 2]> {
        let Size::Local(local) = size else { return None };
        self.0.iter().find(|joined| joined.2 == *local).map(|(a, b, _)| [a.clone(), b.clone()])
    }
}

impl Checker<'_> {
    /// Marks locals as bound only inside types.
    pub fn bind_in_types(&mut self, locals: &[LocalId]) {
        for &local in locals {
            self.sizing.levels.insert(local, DEEPEST);
        }
    }
}
