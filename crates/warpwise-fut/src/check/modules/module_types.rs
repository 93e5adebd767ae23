//! Whether module types are well-formed, wherever they are written; nothing need have them.

use rustc_hash::FxHashMap;
use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Env, Frame, ModuleType, TypeDef};
use crate::check::modules::NameSpace;
use crate::check::modules::laying::{Seal, path};
use crate::check::modules::scopes::Scopes;
use crate::syntax::ast::{
    Liftedness, ModuleTypeExpr, ModuleTypeExprKind, QualName, Spec, SpecKind, TypeExpr, TypeParam,
    TypeParamKind,
};
use crate::syntax::session::Symbol;
use crate::typed::tree::AbstractParam;

/// An abstract type of a module type.
struct AbstractSpec<'a> {
    /// The modules it lies in, and its name.
    path: Vec<Symbol>,
    /// Its liftedness.
    liftedness: Liftedness,
    /// Its parameters.
    params: &'a [TypeParam],
}

impl<'a> Checker<'a> {
    /// Checks a module type. False if it has errors, which are reported here or were before.
    pub fn check_module_type(&mut self, signature: &'a ModuleTypeExpr) -> bool {
        if self.is_in_application() {
            return true;
        }
        let errors = self.n_errors();
        match &signature.kind {
            ModuleTypeExprKind::Var(name) => {
                self.lookup_module_type(name).is_some_and(|module_type| !module_type.failed)
            }
            ModuleTypeExprKind::Specs(specs) => {
                self.check_spec_names(specs);
                self.trial(|checker| {
                    let seal = Seal { examine: true, ..Seal::new(signature.span, false) };
                    let scopes = Scopes::single(checker.env.clone());
                    checker.lay(&seal, None, signature, &scopes);
                });
                self.n_errors() == errors
            }
            ModuleTypeExprKind::With { base, name, params, definition } => {
                self.check_module_type(base) && self.check_refinement(base, name, params, definition)
            }
            ModuleTypeExprKind::Arrow { param, argument, result } => {
                self.check_module_type(argument)
                    && self.trial(|checker| {
                        let assumed = checker.assume(*param, argument);
                        let mut inside = Frame { parent: Some(checker.env.clone()), ..Frame::default() };
                        if let Some(param) = param {
                            inside.members.insert_module(param.symbol, assumed);
                        }
                        checker.env = inside.into();
                        checker.check_module_type(result)
                    })
            }
        }
    }

    /// Reports names that are specified twice.
    fn check_spec_names(&mut self, specs: &[Spec]) {
        let mut names: FxHashMap<(NameSpace, Symbol), Span> = FxHashMap::default();
        for spec in specs {
            let (space, name) = match &spec.kind {
                SpecKind::Value { name, .. } | SpecKind::Module { name, .. } => (NameSpace::Term, name),
                SpecKind::AbstractType { name, .. } => (NameSpace::Type, name),
                SpecKind::TypeAbbreviation(decl) => (NameSpace::Type, &decl.name),
                SpecKind::Include(_) => continue,
            };
            if let Some(first) = names.insert((space, name.symbol), name.span) {
                let text = self.text(name.symbol).to_string();
                self.duplicate(space.describe(), &text, name.span, first);
            }
        }
    }

    /// Checks that `with` gives a definition to an abstract type, and one that fits it.
    fn check_refinement(
        &mut self,
        base: &'a ModuleTypeExpr,
        name: &QualName,
        params: &'a [TypeParam],
        definition: &'a TypeExpr,
    ) -> bool {
        let wanted = path(name);
        let mut types = Vec::new();
        self.abstract_types(base, &mut types);
        let text = self.text(name.name.symbol).to_string();
        let Some(spec) = types.into_iter().find(|spec| spec.path == wanted) else {
            let message = format!("`{text}` is not an abstract type of this module type");
            self.report(Diagnostic::error("E0225", name.name.span, message));
            return false;
        };
        if !takes_as_much(spec.params, params) {
            let message = format!("the parameters given to `{text}` are not those of the abstract type");
            self.report(Diagnostic::error("E0225", name.name.span, message));
            return false;
        }
        let def = self.type_definition(Liftedness::Lifted, params, definition, name.name.symbol);
        if !def.failed && spec.liftedness != Liftedness::Lifted && self.is_function(&def, spec.params) {
            let message = format!("`{text}` was not declared to hold functions");
            let error = Diagnostic::error("E0216", definition.span, message);
            self.report(error.hint("declare it with `type^`"));
            return false;
        }
        !def.failed
    }

    /// Whether a definition may hold a function where its parameters stand for what those of an abstract type may.
    fn is_function(&mut self, def: &TypeDef, declared: &[TypeParam]) -> bool {
        for (param, declared) in def.params.iter().zip(declared) {
            if let (AbstractParam::Type(param), TypeParamKind::Type(liftedness)) = (param, declared.kind) {
                self.program.type_params[param.index()].liftedness = liftedness;
            }
        }
        self.liftedness(&def.ty) == Liftedness::Lifted
    }

    /// Collects the abstract types of a module type that is well-formed.
    fn abstract_types(&mut self, signature: &'a ModuleTypeExpr, found: &mut Vec<AbstractSpec<'a>>) {
        match &signature.kind {
            ModuleTypeExprKind::Var(name) => {
                let Some(ModuleType { expr, env, .. }) = self.lookup_module_type(name) else { return };
                let outer = std::mem::replace(&mut self.env, env);
                self.abstract_types(expr, found);
                self.env = outer;
            }
            ModuleTypeExprKind::Specs(specs) => {
                specs.iter().for_each(|spec| self.abstract_types_of_spec(spec, found));
            }
            ModuleTypeExprKind::With { base, name, .. } => {
                let mut inside = Vec::new();
                self.abstract_types(base, &mut inside);
                let refined = path(name);
                found.extend(inside.into_iter().filter(|spec| spec.path != refined));
            }
            ModuleTypeExprKind::Arrow { .. } => {}
        }
    }

    fn abstract_types_of_spec(&mut self, spec: &'a Spec, found: &mut Vec<AbstractSpec<'a>>) {
        match &spec.kind {
            SpecKind::Value { .. } => {}
            SpecKind::TypeAbbreviation(decl) => found.retain(|spec| spec.path != [decl.name.symbol]),
            SpecKind::AbstractType { liftedness, name, params } => {
                found.retain(|spec| spec.path != [name.symbol]);
                found.push(AbstractSpec { path: vec![name.symbol], liftedness: *liftedness, params });
            }
            SpecKind::Module { name, signature } => {
                found.retain(|spec| spec.path[0] != name.symbol || spec.path.len() == 1);
                let mut inside = Vec::new();
                self.abstract_types(signature, &mut inside);
                found.extend(inside.into_iter().map(|mut spec| {
                    spec.path.insert(0, name.symbol);
                    spec
                }));
            }
            SpecKind::Include(signature) => {
                let mut inside = Vec::new();
                self.abstract_types(signature, &mut inside);
                found.retain(|spec| inside.iter().all(|other| other.path != spec.path));
                found.extend(inside);
            }
        }
    }

    /// Reports that a module type brings a type of a name that is known already: from there on the name means another one.
    pub fn warn_of_inclusion(&mut self, included: &'a ModuleTypeExpr, span: Span, env: &Env<'a>) {
        let outer = std::mem::replace(&mut self.env, env.clone());
        let mut types = Vec::new();
        self.abstract_types(included, &mut types);
        for spec in types {
            let [name] = spec.path[..] else { continue };
            if !self.in_prelude && self.env.find(|members| members.types.get(&name)).is_some() {
                let message = format!("Inclusion shadows type `{}`", self.text(name));
                self.warn_once(
                    Diagnostic::warning("W0005", span, message)
                        .hint("two types of one name cannot be told apart; refine one of them by `with`"),
                );
            }
        }
        self.env = outer;
    }
}

/// Whether a definition with parameters can stand for an abstract type with parameters: it must take all that that takes.
fn takes_as_much(declared: &[TypeParam], given: &[TypeParam]) -> bool {
    let takes = |(declared, given): (&TypeParam, &TypeParam)| match (declared.kind, given.kind) {
        (TypeParamKind::Size, TypeParamKind::Size) => true,
        (TypeParamKind::Type(declared), TypeParamKind::Type(given)) => declared as u8 <= given as u8,
        (TypeParamKind::Size, TypeParamKind::Type(_)) | (TypeParamKind::Type(_), TypeParamKind::Size) => {
            false
        }
    };
    declared.len() == given.len() && declared.iter().zip(given).all(takes)
}
