//! A module seen through a module type.
//!
//! Every specification is resolved twice: with the types that the module has, to check it, and with the abstract
//! types in their place, for those who use the module. A value whose scheme is not the one specified is
//! wrapped in a definition that has it.

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Env, Frame, Members, ModuleType, Poly, TypeDef, Value};
use crate::check::infer::{Head, Resolved, Why};
use crate::syntax::ast::{
    Ident, Liftedness, ModuleTypeExpr, ModuleTypeExprKind, Spec, SpecKind, TypeExpr, TypeParam as AstParam,
};
use crate::syntax::session::Symbol;
use crate::typed::ids::{AbstractId, DefId};
use crate::typed::tree::{Abstract, AbstractParam, Def, Expr, ExprKind, Function, Instance, Scheme};
use crate::typed::ty::{ResultType, Size, Type, TypeArg, Uniqueness};

/// A module type being laid over a module.
struct Seal<'a> {
    /// The module.
    members: Rc<Members<'a>>,
    /// What the sealed module offers.
    view: Members<'a>,
    /// The types of the module by the names of the module type.
    actual: Members<'a>,
    /// Types with definitions by `with`: as the module has them, and as its users see them.
    refinements: Vec<(Symbol, Rc<TypeDef>, Rc<TypeDef>)>,
    /// Whether any type is abstract.
    is_abstract: bool,
    /// Whether types are hidden.
    hide: bool,
    /// Where the module stands.
    span: Span,
}

impl<'a> Checker<'a> {
    /// What a structure offers when sealed.
    pub fn seal_structure(
        &mut self,
        members: &Rc<Members<'a>>,
        signature: &'a ModuleTypeExpr,
        span: Span,
        hide: bool,
    ) -> Members<'a> {
        let mut seal = Seal {
            members: members.clone(),
            view: Members::default(),
            actual: Members::default(),
            refinements: Vec::new(),
            is_abstract: false,
            hide,
            span,
        };
        self.seal_with(&mut seal, signature);
        seal.view
    }

    fn seal_with(&mut self, seal: &mut Seal<'a>, signature: &'a ModuleTypeExpr) {
        match &signature.kind {
            ModuleTypeExprKind::Var(name) => {
                let Some(ModuleType { expr, env }) = self.lookup_module_type(name) else { return };
                let outer = std::mem::replace(&mut self.env, env);
                self.seal_with(seal, expr);
                self.env = outer;
            }
            ModuleTypeExprKind::Specs(specs) => specs.iter().for_each(|spec| self.seal_spec(seal, spec)),
            ModuleTypeExprKind::With { base, name, params, definition } => {
                if !name.qualifiers.is_empty() {
                    return self.limit(name.span, "`with` for a type inside a module");
                }
                let (actual, view) = self.in_both(seal, |checker| {
                    Rc::new(checker.type_definition(Liftedness::Lifted, params, definition, name.name.symbol))
                });
                seal.refinements.push((name.name.symbol, actual, view));
                self.seal_with(seal, base);
            }
            ModuleTypeExprKind::Arrow { .. } => {
                let message = "this is the type of a parametric module, but the module is not parametric";
                self.report(
                    Diagnostic::error("E0217", signature.span, message).label(seal.span, "this module"),
                );
            }
        }
    }

    fn seal_spec(&mut self, seal: &mut Seal<'a>, spec: &'a Spec) {
        match &spec.kind {
            SpecKind::Value { name, type_params, ty } => self.seal_value(seal, name, type_params, ty),
            SpecKind::TypeAbbreviation(decl) => {
                let (actual, view) = self.in_both(seal, |checker| {
                    Rc::new(checker.type_definition(
                        decl.liftedness,
                        &decl.params,
                        &decl.definition,
                        decl.name.symbol,
                    ))
                });
                if let Some(def) = self.member_type(seal, &decl.name, decl.params.len()) {
                    self.demand_same_type(seal, &decl.name, &def, &actual);
                }
                seal.actual.types.insert(decl.name.symbol, actual);
                seal.view.types.insert(decl.name.symbol, view);
            }
            SpecKind::AbstractType { liftedness, name, params } => {
                let Some(def) = self.member_type(seal, name, params.len()) else { return };
                self.seal_type(seal, *liftedness, name, def);
            }
            SpecKind::Module { name, signature } => {
                let Some(module) = seal.members.modules.get(&name.symbol).cloned() else {
                    return self.missing(seal, "module", name);
                };
                let outer = self.env.clone();
                self.env = frame(&seal.view, &outer);
                let sealed = self.seal(&module, signature, seal.span, seal.hide);
                self.env = outer;
                seal.view.modules.insert(name.symbol, sealed);
                seal.actual.modules.insert(name.symbol, module);
            }
            SpecKind::Include(signature) => self.seal_with(seal, signature),
        }
    }

    /// Resolves something with the module's types and, where that makes a difference, with the abstract types.
    fn in_both<T: Clone>(&mut self, seal: &Seal<'a>, resolve: impl Fn(&mut Self) -> T) -> (T, T) {
        let outer = self.env.clone();
        self.env = frame(&seal.actual, &outer);
        let actual = resolve(self);
        let view = match seal.is_abstract {
            true => {
                self.env = frame(&seal.view, &outer);
                resolve(self)
            }
            false => actual.clone(),
        };
        self.env = outer;
        (actual, view)
    }

    fn missing(&mut self, seal: &Seal<'a>, kind: &str, name: &Ident) {
        let text = self.text(name.symbol).to_string();
        let message = format!("the module lacks the {kind} `{text}` that its module type asks for");
        self.report(Diagnostic::error("E0217", seal.span, message).label(name.span, "asked for here"));
    }

    fn member_type(&mut self, seal: &Seal<'a>, name: &Ident, params: usize) -> Option<Rc<TypeDef>> {
        let Some(def) = seal.members.types.get(&name.symbol).cloned() else {
            self.missing(seal, "type", name);
            return None;
        };
        if def.params.len() != params {
            let text = self.text(name.symbol).to_string();
            let message =
                format!("the type `{text}` of the module has other parameters than its module type asks for");
            self.report(Diagnostic::error("E0217", seal.span, message).label(name.span, "asked for here"));
            return None;
        }
        Some(def)
    }

    fn seal_type(&mut self, seal: &mut Seal<'a>, liftedness: Liftedness, name: &Ident, def: Rc<TypeDef>) {
        let refined = seal.refinements.iter().find(|refinement| refinement.0 == name.symbol);
        if let Some((_, actual, view)) = refined.cloned() {
            self.demand_same_type(seal, name, &def, &actual);
            let declared = |def: Rc<TypeDef>| Rc::new(TypeDef { liftedness, ..TypeDef::clone(&def) });
            seal.actual.types.insert(name.symbol, declared(actual));
            seal.view.types.insert(name.symbol, declared(view));
            return;
        }
        if self.hides(&def) as u8 > liftedness as u8 {
            let text = self.text(name.symbol).to_string();
            let allowed = match liftedness {
                Liftedness::Unlifted => "a non-lifted type",
                Liftedness::SizeLifted | Liftedness::Lifted => "a type that hides sizes at most",
            };
            let message = format!("the type `{text}` of the module hides more than {allowed} may");
            self.report(Diagnostic::error("E0216", seal.span, message).label(name.span, "asked for here"));
        }
        seal.actual.types.insert(name.symbol, def.clone());
        if !seal.hide {
            seal.view.types.insert(name.symbol, def);
            return;
        }
        if !def.exists.is_empty() {
            return self.limit(name.span, "abstract types that hide sizes");
        }
        seal.is_abstract = true;
        let args = def.params.iter().map(|param| match param {
            AbstractParam::Size(local) => TypeArg::Size(Size::Local(*local)),
            AbstractParam::Type(param) => TypeArg::Type(Type::Param(*param)),
        });
        let id = AbstractId(self.program.abstracts.len() as u32);
        self.program.abstracts.push(Abstract {
            name: name.symbol,
            span: name.span,
            liftedness,
            params: def.params.clone(),
            definition: def.ty.clone(),
        });
        let view = TypeDef { liftedness, ty: Type::Abstract(id, args.collect()), ..TypeDef::clone(&def) };
        seal.view.types.insert(name.symbol, Rc::new(view));
    }

    /// What a type hides, whatever it was declared to.
    fn hides(&self, def: &TypeDef) -> Liftedness {
        match self.liftedness(&def.ty) {
            Liftedness::Unlifted if !def.exists.is_empty() => Liftedness::SizeLifted,
            found => found,
        }
    }

    fn demand_same_type(&mut self, seal: &Seal<'a>, name: &Ident, found: &TypeDef, expected: &TypeDef) {
        if found.failed || expected.failed || !found.params.is_empty() {
            return;
        }
        self.start();
        if self.erases_alike(&found.ty, &expected.ty) && self.unify_types(&expected.ty, &found.ty).is_ok() {
            return;
        }
        let (expected, found) = (self.show_type(&expected.ty), self.show_type(&found.ty));
        let text = self.text(name.symbol).to_string();
        let message =
            format!("the type `{text}` of the module is `{found}`, but its module type says `{expected}`");
        self.report(Diagnostic::error("E0217", seal.span, message).label(name.span, "asked for here"));
    }

    fn erases_alike(&mut self, a: &Type, b: &Type) -> bool {
        let (a, b) = (self.erase(a), self.erase(b));
        self.infer.types.unify(a, b).is_ok()
    }

    fn seal_value(&mut self, seal: &mut Seal<'a>, name: &Ident, params: &'a [AstParam], ty: &'a TypeExpr) {
        let Some(value) = seal.members.values.get(&name.symbol).cloned() else {
            return self.missing(seal, "value", name);
        };
        if let Value::Failed = value {
            seal.view.values.insert(name.symbol, Value::Failed);
            return;
        }
        let resolve = |checker: &mut Self| checker.value_spec(params, ty, name.span).map(Rc::new);
        let (Some(actual), Some(view)) = self.in_both(seal, resolve) else { return };
        if let Some(def) = self.conform(seal, name, &value, &actual) {
            seal.view.values.insert(name.symbol, Value::Def(def, view));
            seal.actual.values.insert(name.symbol, Value::Def(def, actual));
        }
    }

    /// The definition that a value has under a specified type.
    fn conform(&mut self, seal: &Seal<'a>, name: &Ident, value: &Value, spec: &Poly) -> Option<DefId> {
        let errors = self.n_errors();
        let first_local = self.start();
        let (head, found) = self.instantiate_value(value.clone(), seal.span)?;
        let expected = self.erase(&spec.ty);
        if self.infer.types.unify(expected, found).is_err() {
            let (expected, found) = (self.show_ty(expected), self.show_ty(found));
            let text = self.text(name.symbol).to_string();
            let message = format!("`{text}` has type `{found}`, but the module type says `{expected}`");
            self.report(Diagnostic::error("E0217", seal.span, message).label(name.span, "said here"));
            return None;
        }
        let used = self.build_name(&Resolved { head: Head::clone(&head), fields: Vec::new() }, seal.span);
        self.require(&spec.ty, &used.ty, seal.span, Why::Annotation(name.span));
        let scheme = Scheme { types: spec.types.clone(), sizes: spec.sizes.clone() };
        let result = ResultType { exists: Vec::new(), ty: spec.ty.clone(), unique: Uniqueness::No };
        let mut function = Function { scheme, params: Vec::new(), result, body: used };
        let ty = self.finish(&mut function, &spec.ty, first_local);
        if self.n_errors() > errors {
            return None;
        }
        if let ExprKind::Def { def, instance } = &function.body.kind
            && is_identity(instance, spec)
        {
            return Some(*def);
        }
        let name = format!("{}{}", self.prefix, self.text(name.symbol));
        let body = Expr { ty: ty.clone(), ..function.body };
        let function = Function { body, ..function };
        self.program.defs.push(Def { name, span: seal.span, attrs: Vec::new(), function, ty });
        Some(DefId(self.program.defs.len() as u32 - 1))
    }
}

/// The names of a module around which lies the place of a module type.
fn frame<'a>(members: &Members<'a>, env: &Env<'a>) -> Env<'a> {
    let mut frame = Frame { members: Members::default(), parent: Some(env.clone()) };
    frame.members.types = members.types.clone();
    frame.members.values = members.values.clone();
    frame.members.modules = members.modules.clone();
    Rc::new(frame)
}

/// Whether a value is used at exactly the parameters of a specification, in order.
fn is_identity(instance: &Instance, spec: &Poly) -> bool {
    let types =
        instance.types.iter().zip(&spec.types).all(|(ty, param)| matches!(ty, Type::Param(p) if p == param));
    let sizes =
        instance.sizes.iter().zip(&spec.sizes).all(|(size, s)| matches!(size, Size::Local(l) if l == s));
    instance.types.len() == spec.types.len() && instance.sizes.len() == spec.sizes.len() && types && sizes
}
