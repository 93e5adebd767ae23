//! Substitution of sizes and types for locals and type parameters.
//!
//! Binders are not renamed. Replacements cannot be captured, since locals are unique in the program.

use std::sync::Arc;

use crate::syntax::ast::{Literal, PrimType};
use crate::typed::ids::{DefId, LocalId, TypeParamId};
use crate::typed::tree::{
    Binding, BindingKind, DimIndex, DimIndexKind, Expr, ExprKind, Function, Instance, LoopForm, Pat, PatKind,
};
use crate::typed::ty::{ArrowType, Constructor, Field, ResultType, Size, Type, TypeArg};

/// A substitution of sizes and types.
pub trait Map {
    /// Returns the size for a local; `None` keeps the local.
    fn local(&mut self, local: LocalId) -> Option<Size>;

    /// Returns the type for a type parameter; `None` keeps the parameter.
    fn param(&mut self, param: TypeParamId) -> Option<Type>;

    /// Whether an existential size is still bound where it was.
    fn stays_bound(&self, _: LocalId) -> bool {
        true
    }

    /// Changes the instance with which a definition is used.
    fn instance(&mut self, _: DefId, _: &mut Instance) {}
}

/// Maps a type. Unchanged parts remain shared.
pub fn map_type(ty: &Type, map: &mut impl Map) -> Type {
    changed_type(ty, map).unwrap_or_else(|| ty.clone())
}

/// Maps a size.
pub fn map_size(size: &Size, map: &mut impl Map) -> Size {
    changed_size(size, map).unwrap_or_else(|| size.clone())
}

fn map_result_in_place(result: &mut ResultType, map: &mut impl Map) {
    update_type(&mut result.ty, map);
    result.exists.retain(|&size| map.stays_bound(size));
}

fn changed_type(ty: &Type, map: &mut impl Map) -> Option<Type> {
    match ty {
        Type::Prim(_) => None,
        Type::Param(param) => map.param(*param),
        Type::Abstract(id, args) => {
            let args = changed_slice(args, |arg| match arg {
                TypeArg::Size(size) => changed_size(size, map).map(TypeArg::Size),
                TypeArg::Type(ty) => changed_type(ty, map).map(TypeArg::Type),
            })?;
            Some(Type::Abstract(*id, args))
        }
        Type::Array(array) => {
            let size = changed_size(&array.size, map);
            let element = changed_type(&array.element, map);
            if size.is_none() && element.is_none() {
                return None;
            }
            let size = size.unwrap_or_else(|| array.size.clone());
            Some(Type::array(size, element.unwrap_or_else(|| array.element.clone())))
        }
        Type::Record(fields) => {
            let fields = changed_slice(fields, |field| {
                changed_type(&field.ty, map).map(|ty| Field { name: field.name, ty })
            })?;
            Some(Type::Record(fields))
        }
        Type::Sum(constructors) => {
            let constructors = changed_slice(constructors, |constructor| {
                let payload = changed_slice(&constructor.payload, |ty| changed_type(ty, map))?;
                Some(Constructor { name: constructor.name, payload })
            })?;
            Some(Type::Sum(constructors))
        }
        Type::Arrow(arrow) => {
            let argument = changed_type(&arrow.argument, map);
            let result = changed_type(&arrow.result.ty, map);
            let stay = arrow.result.exists.iter().all(|&size| map.stays_bound(size));
            if argument.is_none() && result.is_none() && stay {
                return None;
            }
            let mut changed = ArrowType::clone(arrow);
            changed.argument = argument.unwrap_or(changed.argument);
            changed.result.ty = result.unwrap_or(changed.result.ty);
            changed.result.exists.retain(|&size| map.stays_bound(size));
            Some(Type::Arrow(Arc::new(changed)))
        }
    }
}

fn changed_slice<T: Clone>(items: &[T], mut change: impl FnMut(&T) -> Option<T>) -> Option<Arc<[T]>> {
    let changed: Vec<Option<T>> = items.iter().map(&mut change).collect();
    if changed.iter().all(Option::is_none) {
        return None;
    }
    Some(changed.into_iter().zip(items).map(|(new, old)| new.unwrap_or_else(|| old.clone())).collect())
}

fn changed_size(size: &Size, map: &mut impl Map) -> Option<Size> {
    match size {
        Size::Const(_) | Size::Def(_) => None,
        Size::Local(local) => map.local(*local),
        Size::Expr(expr) => {
            let mut expr = Expr::clone(expr);
            map_expr(&mut expr, map);
            Some(expr.into_size())
        }
    }
}

/// Maps an expression in place.
pub fn map_expr(expr: &mut Expr, map: &mut impl Map) {
    update_type(&mut expr.ty, map);
    match &mut expr.kind {
        ExprKind::Literal(..) | ExprKind::Bytes(_) | ExprKind::Hole => {}
        ExprKind::Local { local, instance } => {
            map_instance(instance, map);
            if let Some(size) = map.local(*local) {
                let replacement = size.into_expr(expr.span);
                expr.kind = replacement.kind;
            }
        }
        ExprKind::Def { def, instance } => {
            map_instance(instance, map);
            map.instance(*def, instance);
        }
        ExprKind::Intrinsic { instance, .. } => map_instance(instance, map),
        ExprKind::Record(parts) | ExprKind::Array(parts) => {
            parts.iter_mut().for_each(|part| map_expr(part, map))
        }
        ExprKind::Construct { arguments, .. } => {
            arguments.iter_mut().for_each(|argument| map_expr(argument, map));
        }
        ExprKind::Match { scrutinee, cases } => {
            map_expr(scrutinee, map);
            for case in cases {
                map_pat(&mut case.pattern, map);
                map_expr(&mut case.body, map);
            }
        }
        ExprKind::Project { record, .. } => map_expr(record, map),
        ExprKind::Index { array, slice } => {
            map_expr(array, map);
            map_slice(slice, map);
        }
        ExprKind::Update { array, slice, value } => {
            map_expr(array, map);
            map_slice(slice, map);
            map_expr(value, map);
        }
        ExprKind::Assert { condition, body, .. } => {
            map_expr(condition, map);
            map_expr(body, map);
        }
        ExprKind::Lambda(lambda) => {
            lambda.params.iter_mut().for_each(|param| map_pat(&mut param.pattern, map));
            map_result_in_place(&mut lambda.result, map);
            map_expr(&mut lambda.body, map);
        }
        ExprKind::Apply { function, arguments } => {
            map_expr(function, map);
            arguments.iter_mut().for_each(|argument| map_expr(argument, map));
        }
        ExprKind::Range { start, second, end, .. } => {
            map_expr(start, map);
            second.iter_mut().for_each(|second| map_expr(second, map));
            map_expr(end, map);
        }
        ExprKind::Let { bindings, body } => {
            bindings.iter_mut().for_each(|binding| map_binding(binding, map));
            map_expr(body, map);
        }
        ExprKind::If { condition, then, otherwise } => {
            map_expr(condition, map);
            map_expr(then, map);
            map_expr(otherwise, map);
        }
        ExprKind::Loop(this) => {
            this.sizes.retain(|&size| map.stays_bound(size));
            map_pat(&mut this.pattern, map);
            map_expr(&mut this.initial, map);
            match &mut this.form {
                LoopForm::For { bound, .. } => map_expr(bound, map),
                LoopForm::ForIn { pattern, array } => {
                    map_pat(pattern, map);
                    map_expr(array, map);
                }
                LoopForm::While(condition) => map_expr(condition, map),
            }
            map_expr(&mut this.body, map);
        }
        ExprKind::Open { sizes, body } => {
            map_expr(body, map);
            sizes.retain(|&size| map.stays_bound(size));
        }
        ExprKind::Coerce(body) | ExprKind::Attr { body, .. } | ExprKind::Tuned { default: body, .. } => {
            map_expr(body, map)
        }
    }
}

/// Maps a function in place.
pub fn map_function(function: &mut Function, map: &mut impl Map) {
    function.params.iter_mut().for_each(|param| map_pat(&mut param.pattern, map));
    map_result_in_place(&mut function.result, map);
    map_expr(&mut function.body, map);
}

fn map_binding(binding: &mut Binding, map: &mut impl Map) {
    match &mut binding.kind {
        BindingKind::Pattern { pattern, value, .. } => {
            map_expr(value, map);
            map_pat(pattern, map);
        }
        BindingKind::Function { function, .. } => map_function(function, map),
    }
}

/// Maps a pattern in place.
pub fn map_pat(pat: &mut Pat, map: &mut impl Map) {
    update_type(&mut pat.ty, map);
    match &mut pat.kind {
        PatKind::Bind(_) | PatKind::Wildcard | PatKind::Literal(..) => {}
        PatKind::Record(parts) | PatKind::Construct { parts, .. } => {
            parts.iter_mut().for_each(|part| map_pat(part, map))
        }
    }
}

fn map_instance(instance: &mut Instance, map: &mut impl Map) {
    instance.types.iter_mut().for_each(|ty| update_type(ty, map));
    instance.sizes.iter_mut().for_each(|size| *size = map_size(size, map));
}

fn map_slice(slice: &mut [DimIndex], map: &mut impl Map) {
    for index in slice {
        match &mut index.kind {
            DimIndexKind::Fix(index) => map_expr(index, map),
            DimIndexKind::Slice { start, end, stride } => {
                [start, end, stride].into_iter().flatten().for_each(|part| map_expr(part, map));
            }
        }
    }
}

fn update_type(ty: &mut Type, map: &mut impl Map) {
    if let Some(changed) = changed_type(ty, map) {
        *ty = changed;
    }
}

impl Size {
    /// Returns the size as an expression.
    pub fn into_expr(self, span: warpwise_diag::Span) -> Expr {
        let kind = match self {
            Size::Const(value) => ExprKind::Literal(PrimType::I64, Literal::I64(value)),
            Size::Local(local) => ExprKind::Local { local, instance: Instance::default() },
            Size::Def(def) => ExprKind::Def { def, instance: Instance::default() },
            Size::Expr(expr) => return Arc::unwrap_or_clone(expr),
        };
        Expr { span, ty: Type::Prim(PrimType::I64), kind }
    }
}

impl Expr {
    /// Returns the expression as a size. Constants, locals and definitions have forms of their own; attributes and assertions are
    /// dropped.
    pub fn into_size(self) -> Size {
        if let ExprKind::Attr { body, .. } | ExprKind::Assert { body, .. } = self.kind {
            return body.into_size();
        }
        match &self.kind {
            ExprKind::Literal(_, Literal::I64(value)) => Size::Const(*value),
            ExprKind::Local { local, instance } if instance.is_empty() => Size::Local(*local),
            ExprKind::Def { def, instance } if instance.is_empty() => Size::Def(*def),
            ExprKind::Literal(..)
            | ExprKind::Local { .. }
            | ExprKind::Def { .. }
            | ExprKind::Bytes(_)
            | ExprKind::Hole
            | ExprKind::Intrinsic { .. }
            | ExprKind::Record(_)
            | ExprKind::Array(_)
            | ExprKind::Construct { .. }
            | ExprKind::Match { .. }
            | ExprKind::Project { .. }
            | ExprKind::Index { .. }
            | ExprKind::Update { .. }
            | ExprKind::Assert { .. }
            | ExprKind::Lambda(_)
            | ExprKind::Apply { .. }
            | ExprKind::Range { .. }
            | ExprKind::Let { .. }
            | ExprKind::If { .. }
            | ExprKind::Loop(_)
            | ExprKind::Coerce(_)
            | ExprKind::Open { .. }
            | ExprKind::Attr { .. }
            | ExprKind::Tuned { .. } => Size::Expr(Arc::new(self)),
        }
    }
}
