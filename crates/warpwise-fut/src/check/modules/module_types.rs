//! Well-formedness of module types, whether or not a module has them.

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

/// An abstract type in a module type.
struct AbstractSpec<'a> {
    /// Names of the enclosing modules, then the type's own.
    path: Vec<Symbol>,
    /// The liftedness.
    liftedness: Liftedness,
    /// The parameters.
    params: &'a [TypeParam],
}

impl<'a> Checker<'a> {
    /// Checks a module type. Returns false if it has errors, which are reported now or were before.
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

    /// Checks that `with` refines an abstract type, and that the definition fits it.
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

    /// Whether a definition may contain a function, if its parameters have the liftedness of the abstract type's parameters.
    fn is_function(&mut self, def: &TypeDef, declared: &[TypeParam]) -> bool {
        for (param, declared) in def.params.iter().zip(declared) {
            if let (AbstractParam::Type(param), TypeParamKind::Type(liftedness)) = (param, declared.kind) {
                self.program.type_params[param.index()].liftedness = liftedness;
            }
        }
        self.liftedness(&def.ty) == Liftedness::Lifted
    }

    /// Collects the abstract types of a well-formed module type.
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

    /// Warns that an included module type specifies a type whose name is in scope already; the name means the included type from
    /// there on.
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

/// Whether a definition with parameters `given` can refine an abstract type with parameters `declared`: it must accept all their
/// arguments.
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
