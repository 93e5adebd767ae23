//! Uses of names, instantiated with arguments for their schemes.

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Poly, Value};
use crate::check::infer::ty::Ty;
use crate::check::infer::{Head, Resolved};
use crate::check::operators::Operator;
use crate::check::size::Sizing;
use crate::check::size::unify::arrow;
use crate::check::type_exprs::Subst;
use crate::syntax::ast::{Liftedness, PrimType};
use crate::syntax::session::Symbol;
use crate::typed::ids::{ACCUMULATOR, LocalId, TypeParamId};
use crate::typed::intrinsic::Intrinsic;
use crate::typed::map::{Map, map_type};
use crate::typed::tree::{Expr, ExprKind, Instance, Lambda, Param, Pat, PatKind};
use crate::typed::ty::{ResultType, Size, Type, TypeArg, Uniqueness};

/// Substitutes arguments for parameters. Each occurrence of a type parameter after the first gets a copy.
struct Occurrences<'s> {
    sizing: &'s mut Sizing,
    subst: Subst,
    seen: Vec<TypeParamId>,
}

impl Map for Occurrences<'_> {
    fn local(&mut self, local: LocalId) -> Option<Size> {
        self.subst.local(local)
    }

    fn param(&mut self, param: TypeParamId) -> Option<Type> {
        let ty = self.subst.param(param)?;
        if !self.seen.contains(&param) {
            self.seen.push(param);
            return Some(ty);
        }
        Some(self.sizing.copied(&ty))
    }
}

impl<'a> Checker<'a> {
    /// Builds a use of a name.
    pub fn build_name(&mut self, resolved: &Resolved, span: Span) -> Expr {
        let head = match &resolved.head {
            Head::Local(local, types) => self.build_local(*local, types, span),
            Head::Value(Value::Def(def, poly), types) => {
                let (instance, ty) = self.instantiate(poly, types, span);
                Expr { span, ty, kind: ExprKind::Def { def: *def, instance } }
            }
            Head::Value(Value::Intrinsic(intrinsic, poly), types) => {
                let (instance, ty) = self.instantiate(poly, types, span);
                Expr { span, ty, kind: ExprKind::Intrinsic { intrinsic: *intrinsic, instance } }
            }
            Head::Value(Value::Operator(_) | Value::Failed, _) => self.build_unit(span),
            Head::Operator(operator, operand) => self.build_operator(*operator, *operand, span),
        };
        resolved.fields.iter().fold(head, |record, &field| self.build_project(record, field, span))
    }

    /// Builds the unit value, as a placeholder where an error was reported.
    pub fn build_unit(&mut self, span: Span) -> Expr {
        Expr { span, ty: Type::unit(), kind: ExprKind::Record(Vec::new()) }
    }

    /// Builds a use of a local that is not a polymorphic function.
    pub fn local(&self, local: LocalId, span: Span) -> Expr {
        let ty = self.program.locals[local.index()].ty.clone();
        Expr { span, ty, kind: ExprKind::Local { local, instance: Instance::default() } }
    }

    fn build_local(&mut self, local: LocalId, types: &[Ty], span: Span) -> Expr {
        if let Some(expr) = self.build_recursive_use(local, span) {
            return expr;
        }
        let Some((params, sizes)) = self.sizing.schemes.get(&local).cloned() else {
            return self.local(local, span);
        };
        let ty = self.program.locals[local.index()].ty.clone();
        let (instance, ty) = self.instantiate(&Poly { types: params, sizes, ty }, types, span);
        Expr { span, ty, kind: ExprKind::Local { local, instance } }
    }

    fn instantiate(&mut self, poly: &Poly, types: &[Ty], span: Span) -> (Instance, Type) {
        let mut subst = Subst::default();
        let mut instance = Instance::default();
        for (&param, &ty) in poly.types.iter().zip(types) {
            let is_lifted = self.program.type_params[param.index()].liftedness != Liftedness::Unlifted;
            let occurrence = is_lifted.then(|| self.sizing.new_occurrence());
            let ty = self.sized(ty, self.sizing.level, occurrence, span);
            self.check_liftedness(param, &ty, span);
            subst.types.insert(param, ty.clone());
            instance.types.push(ty);
        }
        for &size in &poly.sizes {
            // A size that arguments determine need not be known before.
            let occurrence = is_told(&poly.ty, size).then(|| self.sizing.new_told());
            let meta = self.sizing.new_meta(self.sizing.level, span, occurrence);
            subst.sizes.insert(size, meta.clone());
            instance.sizes.push(meta);
        }
        if instance.is_empty() {
            return (instance, poly.ty.clone());
        }
        let ty = self.solved(&poly.ty);
        let mut occurrences = Occurrences { sizing: &mut self.sizing, subst, seen: Vec::new() };
        let ty = map_type(&ty, &mut occurrences);
        (instance, ty)
    }

    fn check_liftedness(&mut self, param: TypeParamId, ty: &Type, span: Span) {
        let param = &self.program.type_params[param.index()];
        let (name, allowed) = (param.name, param.liftedness);
        // An accumulator has no size of its own. Arrays of accumulators are rejected where they are made.
        if self.liftedness(ty) as u8 <= allowed as u8 || matches!(ty, Type::Abstract(ACCUMULATOR, _)) {
            return;
        }
        let is_function = self.liftedness(ty) == Liftedness::Lifted;
        let (name, ty) = (self.text(name).to_string(), self.show_type(ty));
        let what = if is_function { "the functional type " } else { "" };
        let message = format!("the type parameter `{name}` cannot be {what}`{ty}`");
        let hint = match allowed {
            Liftedness::Unlifted => {
                "it stands for types that an array element may have: of a fixed size, no functions"
            }
            Liftedness::SizeLifted | Liftedness::Lifted => "it does not stand for functions",
        };
        self.report(Diagnostic::error("E0216", span, message).hint(hint));
    }

    fn build_operator(&mut self, operator: Operator, operand: Ty, span: Span) -> Expr {
        let operand = self.sized(operand, self.sizing.level, None, span);
        let ty_of = |result| arrow(operand.clone(), arrow(operand.clone(), result));
        let bool = Type::Prim(PrimType::Bool);
        let result = if operator.compares() { bool.clone() } else { operand.clone() };
        match self.operator_at(operator, &operand) {
            Some((intrinsic, instance)) => {
                Expr { span, ty: ty_of(result), kind: ExprKind::Intrinsic { intrinsic, instance } }
            }
            None => {
                let (x, left) = self.lambda_param("x", bool.clone(), span);
                let (y, right) = self.lambda_param("y", bool.clone(), span);
                let body = self.build_logical(operator, self.local(x, span), self.local(y, span), span);
                let result = ResultType { exists: Vec::new(), ty: bool.clone(), unique: Uniqueness::No };
                let lambda = Lambda { params: vec![left, right], result, body };
                Expr { span, ty: ty_of(bool), kind: ExprKind::Lambda(Box::new(lambda)) }
            }
        }
    }

    /// Returns the intrinsic of an operator at a type; `None` for `&&` and `||`.
    fn operator_at(&self, operator: Operator, operand: &Type) -> Option<(Intrinsic, Instance)> {
        match operand {
            Type::Prim(prim) => Some((operator.at(*prim)?, Instance::default())),
            Type::Param(_)
            | Type::Abstract(..)
            | Type::Array(_)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Arrow(_) => {
                let instance = Instance { types: vec![operand.clone()], sizes: Vec::new() };
                Some((Intrinsic::Equal { negated: operator == Operator::NotEqual }, instance))
            }
        }
    }

    /// Creates a parameter of a lambda that the compiler makes.
    pub fn lambda_param(&mut self, name: &str, ty: Type, span: Span) -> (LocalId, Param) {
        let name = self.session.names.intern(name);
        let local = self.new_local(name, span);
        self.program.locals[local.index()].ty = ty.clone();
        self.sizing.levels.insert(local, self.sizing.level + 1);
        let pattern = Pat { span, ty, kind: PatKind::Bind(local) };
        (local, Param { pattern, consumes: Uniqueness::No })
    }

    /// Builds `a && b` or `a || b`.
    pub fn build_logical(&mut self, operator: Operator, left: Expr, right: Expr, span: Span) -> Expr {
        let ty = Type::Prim(PrimType::Bool);
        let is_and = operator == Operator::LogicalAnd;
        let literal = ExprKind::Literal(PrimType::Bool, crate::syntax::ast::Literal::Bool(!is_and));
        let known = Expr { span, ty: ty.clone(), kind: literal };
        let (then, otherwise) = if is_and { (right, known) } else { (known, right) };
        let (condition, then, otherwise) = (Box::new(left), Box::new(then), Box::new(otherwise));
        Expr { span, ty, kind: ExprKind::If { condition, then, otherwise } }
    }

    /// Builds a projection to a field.
    pub fn build_project(&mut self, record: Expr, field: Symbol, span: Span) -> Expr {
        let found = match &record.ty {
            Type::Record(fields) => {
                fields.iter().position(|f| f.name == field).map(|i| (i, fields[i].ty.clone()))
            }
            Type::Prim(_)
            | Type::Param(_)
            | Type::Abstract(..)
            | Type::Array(_)
            | Type::Sum(_)
            | Type::Arrow(_) => None,
        };
        match found {
            Some((field, ty)) => {
                Expr { span, ty, kind: ExprKind::Project { record: Box::new(record), field } }
            }
            None => self.build_unit(span),
        }
    }
}

/// Whether a size is an extent of an argument of a function.
fn is_told(ty: &Type, size: LocalId) -> bool {
    match ty {
        Type::Arrow(arrow) => is_extent(&arrow.argument, size) || is_told(&arrow.result.ty, size),
        Type::Prim(_)
        | Type::Param(_)
        | Type::Abstract(..)
        | Type::Array(_)
        | Type::Record(_)
        | Type::Sum(_) => false,
    }
}

/// Whether a size is an extent in the values of a type. An abstract type need not contain values of its type arguments.
pub fn is_extent(ty: &Type, size: LocalId) -> bool {
    match ty {
        Type::Array(array) => {
            matches!(array.size, Size::Local(local) if local == size) || is_extent(&array.element, size)
        }
        Type::Record(fields) => fields.iter().any(|field| is_extent(&field.ty, size)),
        Type::Sum(_) => ty.parts().unwrap_or_default().into_iter().any(|part| is_extent(part, size)),
        Type::Abstract(id, args) => args.iter().any(|arg| match arg {
            TypeArg::Size(arg) => matches!(arg, Size::Local(local) if *local == size),
            TypeArg::Type(ty) => *id == ACCUMULATOR && is_extent(ty, size),
        }),
        Type::Prim(_) | Type::Param(_) | Type::Arrow(_) => false,
    }
}
