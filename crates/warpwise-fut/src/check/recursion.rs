//! Recursive definitions.
//!
//! While a definition with parameters is checked, its name is a local of its own type: recursion is monomorphic in types. Size
//! parameters, declared or not, differ from call to call ([`recursive_calls`](crate::check::size::recursive_calls)). The sizes of
//! a result that is not annotated are existential in each call.
//!
//! ```text
//! def sum [n] (xs: [n]i32) : i32 = if n == 0 then 0 else xs[0] + sum (tail xs)      -- `sum` at the size n - 1
//! ```
//!
//! Functions are known at compile time. Therefore a recursive function returns data, and passes functions that it takes on
//! unchanged.

use std::sync::Arc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::infer::Why;
use crate::check::infer::scope::Entry;
use crate::check::infer::ty::{Node, Ty};
use crate::check::size::unify::Locals;
use crate::check::type_exprs::{Annotation, Subst};
use crate::syntax::ast::{Liftedness, ValueDecl};
use crate::typed::ids::{DefId, LocalId, TypeParamId};
use crate::typed::map::map_type;
use crate::typed::tree::{Expr, ExprKind, Function, Instance, Local, Param, PatKind};
use crate::typed::ty::{ArrowType, ResultType, Size, Type, Uniqueness};

/// The definition being checked, as seen in its own body.
pub struct SelfReference {
    /// Local that denotes the definition in its body.
    local: LocalId,
    /// Type without sizes.
    shape: Ty,
    /// Future id of the definition.
    def: DefId,
    /// Type parameters.
    types: Vec<TypeParamId>,
    /// Declared size parameters, then the sizes that represent the unnamed ones in `ty`.
    sizes: Vec<LocalId>,
    /// Unnamed sizes of the parameters, which the body may determine.
    unnamed: Vec<LocalId>,
    /// Type, once the parameters are known.
    ty: Option<Type>,
    /// A place where the body mentions the name.
    pub mentioned: Option<Span>,
    /// A place where the body uses the definition.
    used: Option<Span>,
}

impl<'a> Checker<'a> {
    /// Brings the name of a definition into the scope of its body.
    pub fn enter_recursion(&mut self, decl: &'a ValueDecl, sizes: &[LocalId]) {
        if decl.params.is_empty() {
            return;
        }
        let name = decl.name.name;
        let local = self.new_local(name.symbol, name.span);
        let shape = self.fresh(name.span);
        self.infer.scope.bind(name.symbol, local, shape, None);
        // No other definition is added while this one is being checked, so it gets the next id.
        let def = DefId(self.program.defs.len() as u32);
        let (types, sizes, unnamed) = (Vec::new(), sizes.to_vec(), Vec::new());
        let (ty, mentioned, used) = (None, None, None);
        self.recursion =
            Some(SelfReference { local, shape, def, types, sizes, unnamed, ty, mentioned, used });
    }

    /// Records a mention of a name that may be the definition's own.
    pub fn mention(&mut self, entry: &Entry, span: Span) {
        if let (Some(this), Entry::Local { local, .. }) = (&mut self.recursion, entry)
            && this.local == *local
        {
            this.mentioned.get_or_insert(span);
        }
    }

    /// Unifies the inferred type of the definition with the type of its uses in its body.
    pub fn close_recursion(&mut self, ty: Ty, span: Span) {
        if let Some(shape) = self.recursion.as_ref().map(|this| this.shape) {
            self.same(ty, shape, span, Why::OwnBody);
        }
    }

    /// Sets the type parameters, which are known once the body has been inferred.
    pub fn generalise_recursion(&mut self, types: &[TypeParamId]) {
        if let Some(this) = &mut self.recursion {
            this.types = types.to_vec();
        }
    }

    /// Gives the uses of the definition in its body a type with sizes, unless they have one.
    pub fn declare_recursion(&mut self, params: &[&Param], annotation: Option<&Annotation>, span: Span) {
        let Some(shape) = self.recursion.as_ref().filter(|this| this.ty.is_none()).map(|this| this.shape)
        else {
            return;
        };
        // The body binds the names in this type, too, for the call being executed. Therefore the type gets names of its own.
        let mut result = match annotation {
            Some(annotation) => {
                let mut fresh = Subst::default();
                let mut exists = Vec::new();
                for &size in &annotation.exists {
                    let new = self.new_size("n", span);
                    fresh.sizes.insert(size, Size::Local(new));
                    exists.push(new);
                }
                let ty = map_type(&self.solved(&annotation.ty), &mut fresh);
                ResultType { exists, ty, unique: annotation.unique.clone() }
            }
            None => {
                let ty = self.result_shape(shape, params.len());
                let first = self.sizing.metas.len();
                let ty = self.sized(ty, self.sizing.level, None, span);
                for meta in first..self.sizing.metas.len() {
                    let size = self.new_size("n", span);
                    self.sizing.metas[meta].solution = Some(Size::Local(size));
                }
                ResultType { exists: Vec::new(), ty: self.solved(&ty), unique: Uniqueness::No }
            }
        };
        self.open_unknown(&mut result, annotation.is_none(), span);
        let ty = self.curry(params, &result);
        let ty = self.rename_params(&ty);
        let unnamed = self.unnamed_sizes(params);
        let mut stand_ins = Subst::default();
        let mut sizes = Vec::new();
        for &unknown in &unnamed {
            let size = self.new_size("n", span);
            stand_ins.sizes.insert(unknown, Size::Local(size));
            sizes.push(size);
        }
        if let Some(this) = &mut self.recursion {
            this.ty = Some(map_type(&ty, &mut stand_ins));
            this.sizes.extend(sizes);
            this.unnamed = unnamed;
        }
    }

    /// Returns the sizes of the parameters that are unknown before the body is built.
    fn unnamed_sizes(&self, params: &[&Param]) -> Vec<LocalId> {
        let mut found = Locals::default();
        params.iter().for_each(|param| drop(map_type(&self.solved(&param.pattern.ty), &mut found)));
        let mut unnamed = found.0;
        unnamed.retain(|&local| self.sizing.meta(local).is_some());
        unnamed.sort_unstable();
        unnamed.dedup();
        unnamed
    }

    /// Returns the definition, if its body uses it, and the unnamed sizes of its parameters.
    pub fn used_recursively(&self) -> Option<(DefId, &[LocalId])> {
        let this = self.recursion.as_ref().filter(|this| this.used.is_some())?;
        Some((this.def, &this.unnamed))
    }

    /// Renames the parameters in a function type, so that results refer to arguments by fresh names.
    fn rename_params(&mut self, ty: &Type) -> Type {
        let Type::Arrow(arrow) = ty else { return ty.clone() };
        let mut arrow = ArrowType::clone(arrow);
        if let Some(param) = arrow.param {
            let Local { name, span, .. } = self.program.locals[param.index()];
            let new = self.new_local(name, span);
            let mut renamed = Subst::default();
            renamed.sizes.insert(param, Size::Local(new));
            arrow.param = Some(new);
            arrow.result.ty = map_type(&arrow.result.ty, &mut renamed);
        }
        arrow.result.ty = self.rename_params(&arrow.result.ty);
        Type::Arrow(Arc::new(arrow))
    }

    /// Returns the shape that remains of a function type after `params` arguments.
    fn result_shape(&mut self, mut ty: Ty, params: usize) -> Ty {
        for _ in 0..params {
            if let Node::Arrow(_, result) = self.infer.types.node(ty) {
                ty = result;
            }
        }
        ty
    }

    /// Makes the unknown sizes of a result existential, so that each call introduces them; with `all`, every local in its sizes.
    fn open_unknown(&mut self, result: &mut ResultType, all: bool, span: Span) {
        let mut found = Locals::default();
        map_type(&result.ty, &mut found);
        let mut subst = Subst::default();
        for local in found.0 {
            let unknown = all || self.sizing.meta(local).is_some();
            if unknown && !subst.sizes.contains_key(&local) {
                let size = self.new_size("n", span);
                subst.sizes.insert(local, Size::Local(size));
                result.exists.push(size);
            }
        }
        result.ty = map_type(&result.ty, &mut subst);
        if matches!(result.ty, Type::Arrow(_)) {
            result.exists.clear();
        }
    }

    /// Builds a use of the definition in its own body; `None` if the local means something else.
    pub fn build_recursive_use(&mut self, local: LocalId, span: Span) -> Option<Expr> {
        let this = self.recursion.as_mut().filter(|this| this.local == local)?;
        let ty = this.ty.clone()?;
        this.used = Some(span);
        let (def, types, sizes) = (this.def, this.types.clone(), this.sizes.clone());
        let mut instance =
            Instance { types: types.into_iter().map(Type::Param).collect(), sizes: Vec::new() };
        let mut subst = Subst::default();
        for size in sizes {
            let meta = self.sizing.new_meta(self.sizing.level, span, None);
            subst.sizes.insert(size, meta.clone());
            instance.sizes.push(meta);
        }
        let ty = self.substitute(&ty, &subst);
        Some(Expr { span, ty, kind: ExprKind::Def { def, instance } })
    }

    /// Checks the restrictions on recursive functions.
    pub fn check_recursion(&mut self, function: &Function, name: Span) {
        let Some((def, Some(_))) = self.recursion.as_ref().map(|this| (this.def, this.used)) else { return };
        if self.has_function(&function.result.ty) {
            let ty = self.show_type(&function.result.ty);
            let message = format!("this recursive function gives `{ty}`, which is not first-order");
            let error = Diagnostic::error("E0224", name, message);
            return self.report(error.hint("take the arguments of that function as further parameters"));
        }
        let functional: Vec<bool> =
            function.params.iter().map(|param| self.has_function(&param.pattern.ty)).collect();
        if functional.contains(&true) {
            self.check_uses(&function.body, def, function, &functional);
        }
    }

    fn has_function(&self, ty: &Type) -> bool {
        self.liftedness(ty) == Liftedness::Lifted
    }

    fn check_uses(&mut self, expr: &Expr, def: DefId, function: &Function, functional: &[bool]) {
        let mut arguments: Vec<&Expr> = Vec::new();
        let mut head = expr;
        while let ExprKind::Apply { function, arguments: given } = &head.kind {
            arguments.extend(given.iter().rev());
            head = function;
        }
        arguments.reverse();
        let is_self = |expr: &Expr| matches!(&expr.kind, ExprKind::Def { def: used, .. } if *used == def);
        if !is_self(head) {
            expr.for_each_child(&mut |child| self.check_uses(child, def, function, functional));
            return;
        }
        if arguments.is_empty() {
            let message = "a function with a higher-order parameter is used in its own body only with all its arguments";
            self.report(Diagnostic::error("E0224", head.span, message));
        } else if arguments.len() < functional.len() {
            let message = format!(
                "this recursive application is not fully saturated: it gives {} of {} arguments",
                arguments.len(),
                functional.len()
            );
            self.report(Diagnostic::error("E0224", expr.span, message));
        }
        for (index, argument) in arguments.iter().enumerate() {
            if functional.get(index) == Some(&true) && !is_parameter(argument, &function.params[index]) {
                let message = "a function handed to a recursive application must be passed unchanged";
                let error = Diagnostic::error("E0224", argument.span, message);
                let place = function.params[index].pattern.span;
                self.report(error.label(place, "this parameter itself is expected"));
            }
            self.check_uses(argument, def, function, functional);
        }
    }
}

/// Whether an argument is exactly the parameter at its position.
fn is_parameter(argument: &Expr, param: &Param) -> bool {
    match (&argument.kind, &param.pattern.kind) {
        (ExprKind::Local { local, .. }, PatKind::Bind(bound)) => local == bound,
        _ => false,
    }
}
