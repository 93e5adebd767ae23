//! Resolution of type expressions.
//!
//! Abbreviations are expanded on the way. The types of the size expressions inside have to be inferred together with the rest of
//! the definition. A type therefore holds *pending* sizes in their place (locals numbered from [`PENDING`] on), which the
//! inference of sizes replaces.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::TypeDef;
use crate::check::infer::ty::{Node, Ty};
use crate::syntax::ast::{
    ConstructorType, Expr, FieldType, Liftedness, PrimType, SizeExpr, TypeArg as AstArg, TypeExpr,
    TypeExprKind,
};
use crate::syntax::session::Symbol;
use crate::typed::ids::{LocalId, TypeParamId};
use crate::typed::map::{Map, map_type};
use crate::typed::tree::AbstractParam;
use crate::typed::ty::{
    ArrowType, Constructor, Field, MOST_LEVELS, MOST_PARTS, ResultType, Size, TOO_LARGE, Type, TypeArg,
    Uniqueness,
};

/// First number of the locals that are pending sizes.
pub const PENDING: u32 = 1 << 31;

/// Maximum number of constructors: a byte distinguishes them.
const MAX_CONSTRUCTORS: usize = 256;

/// A pending size.
#[derive(Clone, Copy)]
pub enum Pending<'a> {
    /// `[]`.
    Anonymous(Span),
    /// A size that an abbreviation hides.
    Hidden(Span),
    /// `[e]`.
    Written(&'a Expr),
}

impl Pending<'_> {
    /// Returns the source position of the size, if it is `[]`.
    pub fn anonymous(&self) -> Option<Span> {
        match self {
            Pending::Anonymous(span) => Some(*span),
            Pending::Hidden(_) | Pending::Written(_) => None,
        }
    }
}

/// A resolved type expression.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Sizes bound in the type: by `?[n].`, and by `[]` if it means an unknown size.
    pub exists: Vec<LocalId>,
    /// The type.
    pub ty: Type,
    /// The parts that have a star.
    pub unique: Uniqueness,
}

/// The meaning of `[]`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anonymous {
    /// A size to be inferred.
    Inferred,
    /// A size that is existential in the value.
    Unknown,
}

/// A substitution given by tables.
#[derive(Default)]
pub struct Subst {
    /// Substitutes for locals.
    pub sizes: FxHashMap<LocalId, Size>,
    /// Substitutes for type parameters.
    pub types: FxHashMap<TypeParamId, Type>,
}

impl Map for Subst {
    fn local(&mut self, local: LocalId) -> Option<Size> {
        self.sizes.get(&local).cloned()
    }

    fn param(&mut self, param: TypeParamId) -> Option<Type> {
        self.types.get(&param).cloned()
    }
}

impl<'a> Checker<'a> {
    /// Resolves a type expression. `None` if it has errors, which are reported.
    pub fn type_expr(&mut self, expr: &'a TypeExpr, anonymous: Anonymous) -> Option<Annotation> {
        self.check_type_names(expr, &mut Vec::new());
        let mut exists = Vec::new();
        let (ty, unique) = self.resolve_type(expr, anonymous, &mut exists)?;
        self.check_room(&ty, expr.span)?;
        Some(Annotation { exists, ty, unique })
    }

    fn resolve_type(
        &mut self,
        expr: &'a TypeExpr,
        anonymous: Anonymous,
        exists: &mut Vec<LocalId>,
    ) -> Option<(Type, Uniqueness)> {
        match &expr.kind {
            TypeExprKind::Var(_) | TypeExprKind::Apply { .. } => {
                self.resolve_constructor(expr, anonymous, exists)
            }
            TypeExprKind::Tuple(parts) => {
                let names = self.tuple_names(parts.len());
                let parts: Vec<_> = names.iter().copied().zip(parts).collect();
                self.resolve_fields(&parts, anonymous, exists)
            }
            TypeExprKind::Record(fields) => self.resolve_record(fields, anonymous, exists),
            TypeExprKind::Array { size, element } => {
                let size = self.pending_size(size, anonymous, exists);
                let (ty, _) = self.resolve_type(element, anonymous, exists)?;
                self.check_element(element, &ty);
                Some((Type::array(size, ty), Uniqueness::No))
            }
            TypeExprKind::Unique(inner) => {
                let (ty, _) = self.resolve_type(inner, anonymous, exists)?;
                self.warn_of_star(&ty, expr.span);
                Some((ty, Uniqueness::Yes))
            }
            TypeExprKind::Arrow { param, argument, result } => {
                let ty = self.resolve_arrow(
                    param.map(|p| (p.symbol, p.span)),
                    argument,
                    result,
                    anonymous,
                    exists,
                )?;
                Some((ty, Uniqueness::No))
            }
            TypeExprKind::Sum(constructors) => self.resolve_sum(constructors, anonymous, exists),
            TypeExprKind::Exists { sizes, body } => {
                let mark = self.infer.scope.mark();
                for size in sizes {
                    let local = self.bind_size(size.symbol, size.span);
                    exists.push(local);
                }
                let resolved = self.resolve_type(body, anonymous, exists);
                self.infer.scope.reset(mark);
                resolved
            }
        }
    }

    /// Binds a size name in the scope of expressions.
    pub fn bind_size(&mut self, name: Symbol, span: Span) -> LocalId {
        let local = self.new_local(name, span);
        let ty = self.infer.types.prim(PrimType::I64);
        self.infer.scope.bind(name, local, ty, None);
        local
    }

    fn resolve_arrow(
        &mut self,
        param: Option<(Symbol, Span)>,
        argument: &'a TypeExpr,
        result: &'a TypeExpr,
        anonymous: Anonymous,
        exists: &mut Vec<LocalId>,
    ) -> Option<Type> {
        let (argument, consumes) = self.resolve_type(argument, anonymous, exists)?;
        let mark = self.infer.scope.mark();
        let param = param.map(|(name, span)| {
            let local = self.new_local(name, span);
            let ty = self.erase(&argument);
            self.infer.scope.bind(name, local, ty, None);
            local
        });
        let mut sizes = Vec::new();
        let resolved = if let TypeExprKind::Arrow { .. } = result.kind {
            // Unknown sizes in a further parameter come from outside, too.
            self.resolve_type(result, anonymous, exists)
        } else {
            self.resolve_type(result, Anonymous::Unknown, &mut sizes)
        };
        self.infer.scope.reset(mark);
        let (ty, unique) = resolved?;
        // Sizes can mention a parameter by its own name only if its type is i64.
        let result = ResultType { exists: sizes, ty, unique };
        Some(Type::Arrow(Arc::new(ArrowType { param, argument, consumes, result })))
    }

    fn resolve_record(
        &mut self,
        fields: &'a [FieldType],
        anonymous: Anonymous,
        exists: &mut Vec<LocalId>,
    ) -> Option<(Type, Uniqueness)> {
        for (index, field) in fields.iter().enumerate() {
            if let Some(first) = fields[..index].iter().find(|f| f.name.symbol == field.name.symbol) {
                let name = self.text(field.name.symbol).to_string();
                self.duplicate("field", &name, field.name.span, first.name.span);
                return None;
            }
        }
        let mut sorted: Vec<_> = fields.iter().map(|field| (field.name.symbol, &field.ty)).collect();
        sorted.sort_by(|a, b| self.field_key(a.0).cmp(&self.field_key(b.0)));
        self.resolve_fields(&sorted, anonymous, exists)
    }

    fn resolve_sum(
        &mut self,
        constructors: &'a [ConstructorType],
        anonymous: Anonymous,
        exists: &mut Vec<LocalId>,
    ) -> Option<(Type, Uniqueness)> {
        for (index, constructor) in constructors.iter().enumerate() {
            let same = |other: &&ConstructorType| other.name.symbol == constructor.name.symbol;
            if let Some(first) = constructors[..index].iter().find(same) {
                let name = format!("#{}", self.text(constructor.name.symbol));
                self.duplicate("constructor", &name, constructor.name.span, first.name.span);
                return None;
            }
        }
        if let Some(constructor) = constructors.get(MAX_CONSTRUCTORS) {
            let message = format!("a sum type has at most {MAX_CONSTRUCTORS} constructors");
            self.report(Diagnostic::error("E0218", constructor.span, message));
            return None;
        }
        let mut sorted: Vec<&ConstructorType> = constructors.iter().collect();
        sorted.sort_by(|a, b| self.text(a.name.symbol).cmp(self.text(b.name.symbol)));
        let mut sum = Vec::with_capacity(sorted.len());
        let mut unique = Vec::new();
        for constructor in sorted {
            let payload = constructor.payload.iter().map(|ty| self.resolve_type(ty, anonymous, exists));
            let payload: Vec<_> = payload.collect::<Vec<_>>().into_iter().collect::<Option<_>>()?;
            let (types, stars): (Vec<Type>, Vec<Uniqueness>) = payload.into_iter().unzip();
            unique.extend(stars);
            sum.push(Constructor { name: constructor.name.symbol, payload: types.into() });
        }
        let unique = match unique.iter().any(Uniqueness::any) {
            true => Uniqueness::Fields(unique.into()),
            false => Uniqueness::No,
        };
        Some((Type::Sum(sum.into()), unique))
    }

    fn resolve_fields(
        &mut self,
        fields: &[(Symbol, &'a TypeExpr)],
        anonymous: Anonymous,
        exists: &mut Vec<LocalId>,
    ) -> Option<(Type, Uniqueness)> {
        let resolved: Vec<_> =
            fields.iter().map(|field| self.resolve_type(field.1, anonymous, exists)).collect();
        let resolved: Vec<(Type, Uniqueness)> = resolved.into_iter().collect::<Option<_>>()?;
        let unique = match resolved.iter().any(|part| part.1.any()) {
            true => Uniqueness::Fields(resolved.iter().map(|part| part.1.clone()).collect()),
            false => Uniqueness::No,
        };
        let fields = fields.iter().zip(resolved).map(|(&(name, _), (ty, _))| Field { name, ty });
        Some((Type::Record(fields.collect()), unique))
    }

    fn pending_size(&mut self, size: &'a SizeExpr, anonymous: Anonymous, exists: &mut Vec<LocalId>) -> Size {
        match &size.expr {
            Some(expr) => {
                self.infer_size(expr);
                self.infer.pending.push(Pending::Written(expr));
            }
            None if anonymous == Anonymous::Unknown => {
                let local = self.new_size("n", size.span);
                exists.push(local);
                return Size::Local(local);
            }
            None => self.infer.pending.push(Pending::Anonymous(size.span)),
        }
        Size::Local(LocalId(PENDING + self.infer.pending.len() as u32 - 1))
    }

    fn resolve_constructor(
        &mut self,
        expr: &'a TypeExpr,
        anonymous: Anonymous,
        exists: &mut Vec<LocalId>,
    ) -> Option<(Type, Uniqueness)> {
        let mut arguments = Vec::new();
        let mut head = expr;
        while let TypeExprKind::Apply { function, argument } = &head.kind {
            arguments.push(&**argument);
            head = function;
        }
        arguments.reverse();
        let TypeExprKind::Var(name) = &head.kind else {
            self.report(Diagnostic::error("E0212", head.span, "this type takes no arguments"));
            return None;
        };
        if name.qualifiers.is_empty()
            && let Some(param) = self.infer.scope.type_param(name.name.symbol)
        {
            if !arguments.is_empty() {
                self.report(Diagnostic::error("E0212", expr.span, "a type parameter takes no arguments"));
                return None;
            }
            return Some((Type::Param(param), Uniqueness::No));
        }
        let def = self.lookup_type(name)?;
        if def.failed {
            return None;
        }
        if def.params.len() != arguments.len() {
            let message = format!(
                "the type `{}` takes {}, but {} given",
                self.text(name.name.symbol),
                count(def.params.len(), "argument"),
                if arguments.len() == 1 { "1 is".to_string() } else { format!("{} are", arguments.len()) },
            );
            let error = Diagnostic::error("E0212", expr.span, message);
            self.report(match arguments[..] {
                [AstArg::Size(_)] if def.params.is_empty() => {
                    let name = self.text(name.name.symbol);
                    error.hint(format!("brackets stand before the type of the elements: `[]{name}`"))
                }
                _ => error,
            });
            return None;
        }
        self.apply_constructor(&def, &arguments, expr.span, anonymous, exists)
    }

    fn apply_constructor(
        &mut self,
        def: &TypeDef,
        arguments: &[&'a AstArg],
        span: Span,
        anonymous: Anonymous,
        exists: &mut Vec<LocalId>,
    ) -> Option<(Type, Uniqueness)> {
        let mut subst = Subst::default();
        for (param, argument) in def.params.iter().zip(arguments) {
            match (param, argument) {
                (AbstractParam::Size(param), AstArg::Size(size)) => {
                    let size = self.pending_size(size, anonymous, exists);
                    subst.sizes.insert(*param, size);
                }
                (AbstractParam::Type(param), AstArg::Type(ty)) => {
                    let ty = self.resolve_type(ty, anonymous, exists)?.0;
                    subst.types.insert(*param, ty);
                }
                (AbstractParam::Size(_), AstArg::Type(ty)) => {
                    let error = Diagnostic::error("E0212", ty.span, "expected a size, found a type");
                    self.report(error.hint("a size argument is written in brackets, as in `t [n]`"));
                    return None;
                }
                (AbstractParam::Type(_), AstArg::Size(size)) => {
                    self.report(Diagnostic::error("E0212", size.span, "expected a type, found a size"));
                    return None;
                }
            }
        }
        for &hidden in &def.exists {
            let size = match anonymous {
                Anonymous::Unknown => {
                    let local = self.new_size("n", span);
                    exists.push(local);
                    local
                }
                Anonymous::Inferred => {
                    self.infer.pending.push(Pending::Hidden(span));
                    LocalId(PENDING + self.infer.pending.len() as u32 - 1)
                }
            };
            subst.sizes.insert(hidden, Size::Local(size));
        }
        let ty = map_type(&def.ty, &mut subst);
        self.check_room(&ty, span)?;
        Some((ty, def.uniqueness.clone()))
    }

    /// Reports a type with too many parts, which few abbreviations that use each other twice can make.
    fn check_room(&mut self, ty: &Type, span: Span) -> Option<()> {
        let fits = fits(ty, &mut MOST_PARTS.clone(), MOST_LEVELS);
        if !fits {
            self.limit(span, TOO_LARGE);
        }
        fits.then_some(())
    }

    /// Erases the sizes of a type, for inference.
    pub fn erase(&mut self, ty: &Type) -> Ty {
        self.erase_with(ty, &FxHashMap::default())
    }

    /// Erases the sizes of a type and substitutes its type parameters.
    pub fn erase_with(&mut self, ty: &Type, types: &FxHashMap<TypeParamId, Ty>) -> Ty {
        match ty {
            Type::Prim(prim) => self.infer.types.prim(*prim),
            Type::Param(param) => match types.get(param) {
                Some(&ty) => ty,
                None => self.infer.types.add(Node::Param(*param)),
            },
            Type::Abstract(id, args) => {
                let args = args.iter().filter_map(|arg| match arg {
                    TypeArg::Size(_) => None,
                    TypeArg::Type(ty) => Some(self.erase_with(ty, types)),
                });
                let args = args.collect();
                self.infer.types.add(Node::Abstract(*id, args))
            }
            Type::Array(array) => {
                let element = self.erase_with(&array.element, types);
                self.infer.types.add(Node::Array(element))
            }
            Type::Record(fields) => {
                let names = fields.iter().map(|field| field.name).collect();
                let tys = fields.iter().map(|field| self.erase_with(&field.ty, types)).collect();
                self.infer.types.add(Node::Record(names, tys))
            }
            Type::Sum(constructors) => {
                let constructors = constructors.iter().map(|constructor| {
                    let payload = constructor.payload.iter().map(|ty| self.erase_with(ty, types));
                    (constructor.name, payload.collect())
                });
                let sum = constructors.collect();
                self.infer.types.add(Node::Sum(sum))
            }
            Type::Arrow(arrow) => {
                let argument = self.erase_with(&arrow.argument, types);
                let result = self.erase_with(&arrow.result.ty, types);
                self.infer.types.add(Node::Arrow(argument, result))
            }
        }
    }

    /// Returns the liftedness of a type.
    pub fn liftedness(&self, ty: &Type) -> Liftedness {
        match ty {
            Type::Prim(_) | Type::Array(_) => Liftedness::Unlifted,
            Type::Param(param) => self.program.type_params[param.index()].liftedness,
            Type::Abstract(id, _) => self.program.abstracts[id.index()].liftedness,
            Type::Record(fields) => {
                let all = fields.iter().map(|field| self.liftedness(&field.ty));
                all.max_by_key(|&liftedness| liftedness as u8).unwrap_or(Liftedness::Unlifted)
            }
            Type::Sum(_) => {
                let parts = ty.parts().unwrap_or_default();
                let all = parts.into_iter().map(|part| self.liftedness(part));
                all.max_by_key(|&liftedness| liftedness as u8).unwrap_or(Liftedness::Unlifted)
            }
            Type::Arrow(_) => Liftedness::Lifted,
        }
    }
}

/// Whether a type has at most this number of parts and levels.
fn fits(ty: &Type, parts: &mut u32, levels: u32) -> bool {
    if *parts == 0 || levels == 0 {
        return false;
    }
    *parts -= 1;
    let mut all =
        |mut tys: &mut dyn Iterator<Item = &Type>| Iterator::all(&mut tys, |ty| fits(ty, parts, levels - 1));
    match ty {
        Type::Prim(_) | Type::Param(_) => true,
        Type::Abstract(_, args) => all(&mut args.iter().filter_map(|arg| match arg {
            TypeArg::Size(_) => None,
            TypeArg::Type(ty) => Some(ty),
        })),
        Type::Array(array) => all(&mut [&array.element].into_iter()),
        Type::Record(fields) => all(&mut fields.iter().map(|field| &field.ty)),
        Type::Sum(constructors) => all(&mut constructors.iter().flat_map(|c| c.payload.iter())),
        Type::Arrow(arrow) => all(&mut [&arrow.argument, &arrow.result.ty].into_iter()),
    }
}

/// Returns a counted noun: `1 argument`, `2 arguments`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
