//! Unification of sizes, and of types of one shape.

use std::sync::Arc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::infer::ty::{Constraint, Node, Ty};
use crate::check::operators::PrimSet;
use crate::check::size::metas::Occurrence;
use crate::check::size::{DEEPEST, Sizing};
use crate::check::type_exprs::Subst;
use crate::syntax::ast::PrimType;
use crate::typed::ids::{LocalId, TypeParamId};
use crate::typed::map::{Map, map_size, map_type};
use crate::typed::tree::{DimIndexKind, Expr, ExprKind};
use crate::typed::ty::{ArrowType, Constructor, Field, ResultType, Size, Type, TypeArg, Uniqueness};

/// The reason why two types of one shape do not unify.
#[derive(Clone, Debug)]
pub enum Clash {
    /// Two sizes that differ.
    Differ(Size, Size),
    /// A size that is not in scope where the other type was decided.
    Escapes(Size),
    /// A function consumes an argument that it is expected not to consume.
    Consumes,
    /// A function's result may alias where a unique one is expected.
    NotUnique,
    /// The shapes differ.
    Shape,
}

/// Returns the known value of a local, or its substitute.
pub fn known_or_substituted(
    map: &mut impl Map,
    sizing: &Sizing,
    subst: &Subst,
    local: LocalId,
) -> Option<Size> {
    match subst.sizes.get(&local).filter(|_| sizing.meta(local).is_none()) {
        Some(size) => Some(size.clone()),
        None => sizing.known(local).map(|size| map_size(size, map)),
    }
}

/// Replaces unknowns by their solutions, and other locals by their substitutes.
pub struct Solved<'s> {
    /// State of the unknowns.
    pub sizing: &'s Sizing,
    /// Substitution to be applied as well.
    pub subst: &'s Subst,
}

impl Map for Solved<'_> {
    fn local(&mut self, local: LocalId) -> Option<Size> {
        let (sizing, subst) = (self.sizing, self.subst);
        known_or_substituted(self, sizing, subst, local)
    }

    fn stays_bound(&self, local: LocalId) -> bool {
        self.sizing.known(local).is_none()
    }

    fn param(&mut self, param: TypeParamId) -> Option<Type> {
        self.subst.types.get(&param).cloned()
    }
}

/// Collects the locals of a type or size.
#[derive(Default)]
pub struct Locals(pub Vec<LocalId>);

impl Map for Locals {
    fn local(&mut self, local: LocalId) -> Option<Size> {
        self.0.push(local);
        None
    }

    fn param(&mut self, _: TypeParamId) -> Option<Type> {
        None
    }
}

impl Checker<'_> {
    /// Resolves a size as far as its outermost part is known.
    pub fn resolve_size(&self, size: &Size) -> Size {
        let mut size = size;
        while let Size::Local(local) = size {
            match self.sizing.known(*local) {
                Some(solution) => size = solution,
                None => break,
            }
        }
        size.clone()
    }

    /// Replaces all that is known in a type, and applies a substitution.
    pub fn substitute(&self, ty: &Type, subst: &Subst) -> Type {
        map_type(ty, &mut Solved { sizing: &self.sizing, subst })
    }

    /// Replaces all that is known in a type.
    pub fn solved(&self, ty: &Type) -> Type {
        self.substitute(ty, &Subst::default())
    }

    /// Returns the locals that a size mentions, including unknowns.
    pub fn locals_of(&self, size: &Size) -> Vec<LocalId> {
        let size = map_size(size, &mut Solved { sizing: &self.sizing, subst: &Subst::default() });
        let mut locals = Locals::default();
        map_size(&size, &mut locals);
        locals.0
    }

    /// Unifies two sizes.
    pub fn unify_sizes(&mut self, expected: &Size, found: &Size) -> Result<(), Clash> {
        let (expected, found) = (self.resolve_size(expected), self.resolve_size(found));
        match &expected {
            Size::Local(absorbed) if self.meets(*absorbed, &found) => Ok(()),
            Size::Const(_) | Size::Local(_) | Size::Def(_) | Size::Expr(_) => {
                self.unify_known_sizes(&expected, &found)
            }
        }
    }

    /// Unifies two resolved sizes. An absorbed size counts as one size.
    pub fn unify_known_sizes(&mut self, expected: &Size, found: &Size) -> Result<(), Clash> {
        let differ = || Err(Clash::Differ(expected.clone(), found.clone()));
        match (expected, found) {
            (Size::Local(a), Size::Local(b)) if a == b => Ok(()),
            (Size::Local(a), Size::Local(b))
                if self.sizing.meta(*a).is_some() && self.sizing.meta(*b).is_some() =>
            {
                self.join_metas(*a, *b)
            }
            (Size::Local(meta), _) if self.sizing.meta(*meta).is_some() => self.solve_or_decide(*meta, found),
            (_, Size::Local(meta)) if self.sizing.meta(*meta).is_some() => {
                self.solve_or_decide(*meta, expected)
            }
            (Size::Local(choice), _) if self.sizing.is_open(*choice) => self
                .decide(*choice, found)
                .or_else(|clash| match found {
                    Size::Local(other) => self.decide(*other, expected),
                    Size::Const(_) | Size::Def(_) | Size::Expr(_) => Err(clash),
                })
                .or_else(|_| differ()),
            (_, Size::Local(choice)) if self.sizing.is_open(*choice) => {
                self.decide(*choice, expected).or_else(|_| differ())
            }
            (Size::Const(a), Size::Const(b)) if a == b => Ok(()),
            (Size::Def(a), Size::Def(b)) if a == b => Ok(()),
            (Size::Expr(a), Size::Expr(b)) if self.unify_exprs(a, b) => Ok(()),
            (Size::Const(_) | Size::Local(_) | Size::Def(_) | Size::Expr(_), _) => differ(),
        }
    }

    /// Solves an unknown. A size of a parameter is known before any choice is, so the choice becomes that size.
    fn solve_or_decide(&mut self, meta: LocalId, size: &Size) -> Result<(), Clash> {
        let Size::Local(choice) = size else { return self.solve(meta, size) };
        let unknown = Size::Local(meta);
        if self.sizing.is_of_parameter(&unknown) && self.decide(*choice, &unknown).is_ok() {
            return Ok(());
        }
        self.solve(meta, size).or_else(|clash| self.decide(*choice, &unknown).map_err(|_| clash))
    }

    /// Whether two expressions in sizes are equal, after unifying the unknowns in them.
    fn unify_exprs(&mut self, a: &Expr, b: &Expr) -> bool {
        match (&a.kind, &b.kind) {
            (ExprKind::Attr { body, .. }, _) => self.unify_exprs(body, b),
            (_, ExprKind::Attr { body, .. }) => self.unify_exprs(a, body),
            (ExprKind::Local { local, .. }, ExprKind::Local { local: other, .. }) if local == other => true,
            (ExprKind::Local { local, .. }, _) if self.sizing.was_open(*local) => {
                self.unify_sizes(&Size::Local(*local), &b.clone().into_size()).is_ok()
            }
            (_, ExprKind::Local { local, .. }) if self.sizing.was_open(*local) => {
                self.unify_sizes(&a.clone().into_size(), &Size::Local(*local)).is_ok()
            }
            (ExprKind::Tuned { name, default }, ExprKind::Tuned { name: name2, default: default2 }) => {
                name == name2 && self.unify_exprs(default, default2)
            }
            (ExprKind::Literal(p, x), ExprKind::Literal(q, y)) => p == q && x == y,
            (ExprKind::Bytes(x), ExprKind::Bytes(y)) => x == y,
            (ExprKind::Def { def, .. }, ExprKind::Def { def: other, .. }) => def == other,
            (ExprKind::Intrinsic { intrinsic, .. }, ExprKind::Intrinsic { intrinsic: other, .. }) => {
                intrinsic == other
            }
            (ExprKind::Record(xs), ExprKind::Record(ys)) | (ExprKind::Array(xs), ExprKind::Array(ys)) => {
                self.unify_all_exprs(xs, ys)
            }
            (
                ExprKind::Construct { constructor, arguments },
                ExprKind::Construct { constructor: constructor2, arguments: arguments2 },
            ) => constructor == constructor2 && self.unify_all_exprs(arguments, arguments2),
            (ExprKind::Project { record, field }, ExprKind::Project { record: other, field: field2 }) => {
                field == field2 && self.unify_exprs(record, other)
            }
            (
                ExprKind::Apply { function, arguments },
                ExprKind::Apply { function: function2, arguments: arguments2 },
            ) => self.unify_exprs(function, function2) && self.unify_all_exprs(arguments, arguments2),
            (ExprKind::Index { array, slice }, ExprKind::Index { array: array2, slice: slice2 }) => {
                let fixed = slice.iter().zip(slice2).all(|(i, j)| match (&i.kind, &j.kind) {
                    (DimIndexKind::Fix(i), DimIndexKind::Fix(j)) => self.unify_exprs(i, j),
                    (DimIndexKind::Fix(_) | DimIndexKind::Slice { .. }, _) => false,
                });
                slice.len() == slice2.len() && fixed && self.unify_exprs(array, array2)
            }
            (
                ExprKind::If { condition, then, otherwise },
                ExprKind::If { condition: condition2, then: then2, otherwise: otherwise2 },
            ) => {
                self.unify_exprs(condition, condition2)
                    && self.unify_exprs(then, then2)
                    && self.unify_exprs(otherwise, otherwise2)
            }
            _ => false,
        }
    }

    fn unify_all_exprs(&mut self, xs: &[Expr], ys: &[Expr]) -> bool {
        xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| self.unify_exprs(x, y))
    }

    /// Unifies a type with an expected one of the same shape. A function may promise more about its result than expected.
    pub fn unify_types(&mut self, expected: &Type, found: &Type) -> Result<(), Clash> {
        match (expected, found) {
            (Type::Prim(a), Type::Prim(b)) if a == b => Ok(()),
            (Type::Param(a), Type::Param(b)) if a == b => Ok(()),
            (Type::Abstract(a, xs), Type::Abstract(b, ys)) if a == b => {
                xs.iter().zip(ys.iter()).try_for_each(|(x, y)| match (x, y) {
                    (TypeArg::Size(x), TypeArg::Size(y)) => self.unify_sizes(x, y),
                    (TypeArg::Type(x), TypeArg::Type(y)) => self.unify_types(x, y),
                    (TypeArg::Size(_) | TypeArg::Type(_), _) => Err(Clash::Shape),
                })
            }
            (Type::Array(a), Type::Array(b)) => {
                self.unify_sizes(&a.size, &b.size)?;
                self.unify_types(&a.element, &b.element)
            }
            (Type::Record(xs), Type::Record(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys.iter()).try_for_each(|(x, y)| self.unify_types(&x.ty, &y.ty))
            }
            (Type::Sum(xs), Type::Sum(ys)) => {
                let parts = |sum: &[Constructor]| {
                    sum.iter().flat_map(|c| c.payload.iter().cloned()).collect::<Vec<_>>()
                };
                let (xs, ys) = (parts(xs), parts(ys));
                xs.iter().zip(&ys).try_for_each(|(x, y)| self.unify_types(x, y))
            }
            (Type::Arrow(a), Type::Arrow(b)) => self.unify_arrows(a, b),
            (
                Type::Prim(_)
                | Type::Param(_)
                | Type::Abstract(..)
                | Type::Array(_)
                | Type::Record(_)
                | Type::Sum(_)
                | Type::Arrow(_),
                _,
            ) => Err(Clash::Shape),
        }
    }

    fn unify_arrows(&mut self, expected: &ArrowType, found: &ArrowType) -> Result<(), Clash> {
        self.unify_types(&found.argument, &expected.argument)?;
        if !covers(&expected.argument, &expected.consumes, &found.consumes) {
            return Err(Clash::Consumes);
        }
        let bound = expected.param.iter().chain(&found.param).chain(&found.result.exists);
        let before: Vec<_> = bound.map(|&local| (local, self.sizing.levels.insert(local, DEEPEST))).collect();
        let unified = self.unify_results(expected, found);
        // A function being checked may use itself, so names bound here may be in scope, too.
        for (local, level) in before.into_iter().rev() {
            level.map(|level| self.sizing.levels.insert(local, level));
        }
        unified
    }

    fn unify_results(&mut self, expected: &ArrowType, found: &ArrowType) -> Result<(), Clash> {
        let mut rename = Subst::default();
        if let (Some(theirs), Some(ours)) = (found.param, expected.param)
            && theirs != ours
        {
            rename.sizes.insert(theirs, Size::Local(ours));
        }
        let theirs = self.substitute(&found.result.ty, &rename);
        let mut flexible = Subst::default();
        for &exists in &expected.result.exists {
            let meta = self.sizing.new_meta(DEEPEST, Span::NONE, None);
            flexible.sizes.insert(exists, meta);
        }
        let ours = self.substitute(&expected.result.ty, &flexible);
        self.unify_types(&ours, &theirs)?;
        if matches!(ours, Type::Arrow(_)) || covers(&ours, &found.result.unique, &expected.result.unique) {
            Ok(())
        } else {
            Err(Clash::NotUnique)
        }
    }

    /// Reports an error unless the expression at `span` has the expected type, including sizes.
    pub fn require(&mut self, expected: &Type, found: &Type, span: Span, why: Why) {
        let Err(clash) = self.unify_types(expected, found) else { return };
        if matches!(clash, Clash::Escapes(_)) && std::mem::replace(&mut self.sizing.escaped, true) {
            return;
        }
        let (expected, found) = (self.solved(expected), self.solved(found));
        let error = self.telling_apart(&[&expected, &found], |checker| {
            checker.describe_clash(&expected, &found, clash, span)
        });
        let (reason, place) = self.explain(why, span);
        let error = match place {
            Some(place) if place != span => error.label(place, reason),
            _ => error,
        };
        self.report(error);
    }

    /// Returns the message for a mismatch of types at `span`.
    fn describe_clash(&self, expected: &Type, found: &Type, clash: Clash, span: Span) -> Diagnostic {
        let (expected_text, found_text) = (self.show_type(expected), self.show_type(found));
        let found_message = format!("this is `{found_text}`");
        let error = match clash {
            Clash::Differ(a, b) => {
                let sizes = [a, b];
                let [a, b] = sizes.each_ref().map(|size| self.show_unknown(size));
                let message = format!(
                    "expected `{expected_text}`, found `{found_text}`: the sizes `{a}` and `{b}` do not match"
                );
                let error = Diagnostic::error("E0301", span, message);
                let types = [expected, found];
                let error = sizes.iter().fold(error, |error, size| self.explain_size(error, size, types));
                error.hint("sizes are compared as they are written; if they are always equal, say so with `:>`, which is checked when the program runs")
            }
            Clash::Escapes(size) => {
                let size = self.show_size(&size);
                let message = format!("the size `{size}` of `{found_text}` is not known outside");
                Diagnostic::error("E0302", span, message)
                    .hint(format!("expected `{expected_text}`, whose sizes must be known before; coerce with `:>` to a size that is"))
            }
            Clash::Consumes => {
                let message =
                    format!("this is a consuming function: expected `{expected_text}`, found `{found_text}`");
                Diagnostic::error("E0407", span, message)
            }
            Clash::NotUnique => {
                let message = format!(
                    "the result of this function may alias something: expected `{expected_text}`, found `{found_text}`"
                );
                Diagnostic::error("E0408", span, message)
            }
            Clash::Shape => {
                Diagnostic::error("E0201", span, format!("expected `{expected_text}`, found `{found_text}`"))
            }
        };
        error.at(found_message)
    }

    /// Returns the type of a shape, with an unknown size for every dimension.
    pub fn sized(&mut self, ty: Ty, level: u32, absorbs: Option<Occurrence>, span: Span) -> Type {
        match self.infer.types.node(ty) {
            Node::Prim(prim) => Type::Prim(prim),
            Node::Param(param) => Type::Param(param),
            Node::Abstract(id, tys) => {
                let params = self.program.abstracts[id.index()].params.clone();
                let mut tys = tys.iter();
                let args = params.iter().filter_map(|param| match param {
                    crate::typed::tree::AbstractParam::Size(_) => {
                        Some(TypeArg::Size(self.sizing.new_meta(level, span, absorbs)))
                    }
                    crate::typed::tree::AbstractParam::Type(_) => {
                        let ty = *tys.next()?;
                        Some(TypeArg::Type(self.sized(ty, level, absorbs, span)))
                    }
                });
                let args = args.collect();
                Type::Abstract(id, args)
            }
            Node::Array(element) => {
                let size = self.sizing.new_meta(level, span, absorbs);
                Type::array(size, self.sized(element, level, absorbs, span))
            }
            Node::Record(names, tys) => {
                let fields = names.iter().zip(tys.iter());
                let fields =
                    fields.map(|(&name, &ty)| Field { name, ty: self.sized(ty, level, absorbs, span) });
                Type::Record(fields.collect())
            }
            Node::Sum(sum) => {
                let constructors = sum.iter().map(|(name, payload)| {
                    let payload = payload.iter().map(|&ty| self.sized(ty, level, absorbs, span));
                    Constructor { name: *name, payload: payload.collect() }
                });
                Type::Sum(constructors.collect())
            }
            Node::Arrow(argument, result) => {
                let argument = self.sized(argument, level, absorbs, span);
                self.sized_arrow(argument, result, level, absorbs, span)
            }
            Node::Var(var) => {
                let default = self.default_of(&var.constraint, var.span);
                self.infer.types.bind(ty, default);
                self.sized(ty, level, absorbs, span)
            }
            Node::Link(_) | Node::Error => Type::unit(),
        }
    }

    /// Returns a function type whose sizes may turn out to mention the argument.
    fn sized_arrow(
        &mut self,
        argument: Type,
        result: Ty,
        level: u32,
        absorbs: Option<Occurrence>,
        span: Span,
    ) -> Type {
        if !matches!(argument, Type::Prim(PrimType::I64)) {
            let result = self.sized(result, level, absorbs, span);
            return arrow(argument, result);
        }
        let param = self.new_size("n", span);
        self.sizing.levels.insert(param, DEEPEST);
        let unknowns = self.sizing.metas.len();
        self.sizing.binders.push(param);
        let ty = self.sized(result, level, absorbs, span);
        self.sizing.binders.pop();
        let param = Some(param).filter(|_| self.sizing.metas.len() > unknowns);
        let result = ResultType { exists: Vec::new(), ty, unique: Uniqueness::No };
        Type::Arrow(Arc::new(ArrowType { param, argument, consumes: Uniqueness::No, result }))
    }

    /// Returns the default for a type that nothing determines.
    fn default_of(&mut self, constraint: &Constraint, span: Span) -> Ty {
        match constraint {
            Constraint::Free => self.infer.types.add(Node::Record([].into(), [].into())),
            Constraint::OneOf(set) => {
                let prim = [PrimType::I32, PrimType::F64].into_iter().find(|&prim| set.contains(prim));
                let prim = prim.or(set.single()).unwrap_or(PrimType::I64);
                self.infer.types.prim(prim)
            }
            Constraint::Constructors(sum) => {
                let names: Vec<String> = sum.iter().map(|c| format!("#{}", self.text(c.0))).collect();
                let message = format!("Type is ambiguous: a sum with the constructors {}", names.join(", "));
                let error = Diagnostic::error("E0207", span, message);
                self.report(error.hint("write the type: `(e : #a | #b)`"));
                self.error_ty()
            }
            Constraint::Comparable | Constraint::Fields(_) => {
                let error = Diagnostic::error("E0207", span, "the type of this is ambiguous");
                self.report(error.hint("write a type: `(x: t)`"));
                self.error_ty()
            }
        }
    }

    /// Returns the scalar type of a literal, after defaults.
    pub fn default_prim(&mut self, ty: Ty) -> Option<PrimType> {
        if let Node::Var(var) = self.infer.types.node(ty) {
            let default = self.default_of(&var.constraint, var.span);
            self.infer.types.bind(ty, default);
        }
        match self.infer.types.node(ty) {
            Node::Prim(prim) if PrimSet::ALL.contains(prim) => Some(prim),
            _ => None,
        }
    }
}

/// Returns a function type that consumes nothing and has no unique result.
pub fn arrow(argument: Type, result: Type) -> Type {
    Type::Arrow(Arc::new(ArrowType {
        param: None,
        argument,
        consumes: Uniqueness::No,
        result: ResultType { exists: Vec::new(), ty: result, unique: Uniqueness::No },
    }))
}

/// Whether `more` marks all parts of a type that `less` marks. Scalars need no marks, since they share no memory.
pub fn covers(ty: &Type, more: &Uniqueness, less: &Uniqueness) -> bool {
    match ty {
        Type::Prim(_) => true,
        Type::Record(_) | Type::Sum(_) => {
            let mut parts = ty.parts().unwrap_or_default().into_iter().enumerate();
            parts.all(|(index, part)| covers(part, &more.field(index), &less.field(index)))
        }
        Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Arrow(_) => more.any() || !less.any(),
    }
}
