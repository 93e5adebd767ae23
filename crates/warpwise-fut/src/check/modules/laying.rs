//! Laying of a module type over a module, or over nothing: then the module is assumed to exist.
//!
//! Every specification is resolved twice: with the module's own types, to check it, and with abstract types in their place, for
//! the users of the module (see [`Scopes`]). The requirements of a single specification are in
//! [`sealing`](crate::check::sealing).
//!
//! ```text
//! module m : { type t  val x : t } = { type t = i32  def x = 2i32 }
//!     t    as the module knows it: i32      as it is seen: an abstract type that stands for i32
//!     x    of type i32, as demanded         of the abstract type
//! ```
//!
//! Module types are checked for well-formedness before they get here ([`module_types`](super::module_types)).

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Arrow, Members, Module, ModuleType, Parametric, TypeDef};
use crate::check::modules::scopes::{Laid, Scopes};
use crate::syntax::ast::{Ident, Liftedness, ModuleTypeExpr, ModuleTypeExprKind, QualName, Spec, SpecKind};
use crate::syntax::session::Symbol;

/// The way a module type is laid over a module.
#[derive(Clone)]
pub struct Seal<'a> {
    /// Members of the module; `None` if it is assumed.
    pub members: Option<Rc<Members<'a>>>,
    /// Types that `with` defines. The last definition of a type takes effect.
    pub refinements: Vec<Refinement>,
    /// Whether abstract types hide their definitions.
    pub hide: bool,
    /// Whether nested module types still have to be checked themselves.
    pub examine: bool,
    /// Source position of the module.
    pub span: Span,
    /// A noun for the module, for messages.
    pub subject: &'static str,
    /// Name of an assumed module with a trailing dot, for messages about its types.
    pub prefix: String,
}

/// A type that `with` defines.
#[derive(Clone)]
pub struct Refinement {
    /// Names of the enclosing modules, then the type's own.
    pub path: Vec<Symbol>,
    /// Definition as the module knows it.
    pub actual: Rc<TypeDef>,
    /// Definition as users of the module see it.
    pub view: Rc<TypeDef>,
}

impl<'a> Seal<'a> {
    /// Creates a seal without a module and without refinements.
    pub fn new(span: Span, hide: bool) -> Seal<'a> {
        Seal {
            members: None,
            refinements: Vec::new(),
            hide,
            examine: false,
            span,
            subject: "the module",
            prefix: String::new(),
        }
    }

    /// Returns the seal for a nested module, whose name is `text`.
    fn within(&self, name: Symbol, text: &str) -> Seal<'a> {
        let inside = self.refinements.iter().filter(|refinement| refinement.path.first() == Some(&name));
        let refinements = inside.map(|refinement| Refinement {
            path: refinement.path[1..].to_vec(),
            actual: refinement.actual.clone(),
            view: refinement.view.clone(),
        });
        let prefix = format!("{}{text}.", self.prefix);
        Seal { members: None, refinements: refinements.collect(), examine: false, prefix, ..self.clone() }
    }
}

impl<'a> Checker<'a> {
    /// Returns a module known only by its module type, and by its name if it has one.
    pub fn assume(&mut self, name: Option<Ident>, signature: &'a ModuleTypeExpr) -> Module<'a> {
        let scopes = Scopes::single(self.env.clone());
        let prefix = name.map_or(String::new(), |name| format!("{}.", self.text(name.symbol)));
        let seal = Seal { prefix, ..Seal::new(signature.span, false) };
        self.lay(&seal, None, signature, &scopes).into_view()
    }

    /// Lays a module type over a module, or over nothing.
    pub fn lay(
        &mut self,
        seal: &Seal<'a>,
        module: Option<Module<'a>>,
        signature: &'a ModuleTypeExpr,
        scopes: &Scopes<'a>,
    ) -> Laid<'a> {
        match &signature.kind {
            ModuleTypeExprKind::Var(name) => match self.module_type(name, scopes) {
                Some((signature, scopes)) => self.lay(seal, module, signature, &scopes),
                None => Laid::same(Module::Failed),
            },
            ModuleTypeExprKind::Arrow { param, argument, result } => {
                let arrow = Arrow { param: *param, argument, result };
                self.lay_arrow(seal, module, arrow, signature.span, scopes)
            }
            ModuleTypeExprKind::Specs(_) | ModuleTypeExprKind::With { .. } => {
                let members = match module {
                    None => None,
                    Some(Module::Structure(members)) => Some(members),
                    Some(Module::Parametric(_)) => {
                        let message = format!("{} is parametric, but its module type is not", seal.subject);
                        self.mismatch(seal, message, signature.span);
                        return Laid::same(Module::Failed);
                    }
                    Some(Module::Intrinsics | Module::Failed) => return Laid::same(Module::Failed),
                };
                let seal = Seal { members, ..seal.clone() };
                match self.lay_structure(&seal, signature, scopes) {
                    Some(scopes) => scopes.into_module(),
                    None => Laid::same(Module::Failed),
                }
            }
        }
    }

    fn lay_arrow(
        &mut self,
        seal: &Seal<'a>,
        module: Option<Module<'a>>,
        arrow: Arrow<'a>,
        span: Span,
        scopes: &Scopes<'a>,
    ) -> Laid<'a> {
        Laid::same(match module {
            None => Module::Parametric(Rc::new(Parametric::Assumed { arrow, env: scopes.actual().clone() })),
            Some(Module::Parametric(function)) => self.seal_parametric(seal, function, arrow, scopes),
            Some(Module::Structure(_)) => {
                let message =
                    format!("the module type is that of a parametric module, but {} is none", seal.subject);
                self.mismatch(seal, message, span);
                Module::Failed
            }
            Some(Module::Intrinsics | Module::Failed) => Module::Failed,
        })
    }

    /// Returns the module type with a name, and the scopes of its definition.
    fn module_type(
        &mut self,
        name: &QualName,
        scopes: &Scopes<'a>,
    ) -> Option<(&'a ModuleTypeExpr, Scopes<'a>)> {
        let outer = std::mem::replace(&mut self.env, scopes.actual().clone());
        let found = self.lookup_module_type(name);
        self.env = outer;
        let ModuleType { expr, env, failed } = found?;
        (!failed).then(|| (expr, Scopes::single(env)))
    }

    /// Lays the specifications of a module type, and returns the scopes that hold them in frames of their own. `None` if the
    /// module type has errors, which are reported.
    fn lay_structure(
        &mut self,
        seal: &Seal<'a>,
        signature: &'a ModuleTypeExpr,
        scopes: &Scopes<'a>,
    ) -> Option<Scopes<'a>> {
        match &signature.kind {
            ModuleTypeExprKind::Var(name) => {
                let (signature, scopes) = self.module_type(name, scopes)?;
                self.lay_structure(seal, signature, &scopes)
            }
            ModuleTypeExprKind::Specs(specs) => {
                let mut inside = scopes.inside();
                specs.iter().for_each(|spec| self.lay_spec(seal, spec, &mut inside));
                Some(inside)
            }
            ModuleTypeExprKind::With { base, name, params, definition } => {
                let (actual, view) = self.in_both(scopes, |checker| {
                    Rc::new(checker.type_definition(Liftedness::Lifted, params, definition, name.name.symbol))
                });
                let mut refined = seal.clone();
                refined.refinements.push(Refinement { path: path(name), actual, view });
                self.lay_structure(&refined, base, scopes)
            }
            ModuleTypeExprKind::Arrow { .. } => {
                let message = "this is the type of a parametric module, which cannot be included";
                self.report(
                    Diagnostic::error("E0221", seal.span, message).label(signature.span, "said here"),
                );
                None
            }
        }
    }

    fn lay_spec(&mut self, seal: &Seal<'a>, spec: &'a Spec, scopes: &mut Scopes<'a>) {
        if !self.afford(1, spec.span) {
            return;
        }
        match &spec.kind {
            SpecKind::Value { name, type_params, ty } => self.seal_value(seal, name, type_params, ty, scopes),
            SpecKind::TypeAbbreviation(decl) => self.seal_abbreviation(seal, decl, scopes),
            SpecKind::AbstractType { liftedness, name, params } => {
                self.seal_abstract_type(seal, *liftedness, name, params, scopes);
            }
            SpecKind::Module { name, signature } => {
                if self.examine_inside(seal, signature, scopes) {
                    let module = match &seal.members {
                        None => None,
                        Some(members) => match members.modules.get(&name.symbol) {
                            Some(module) => Some(module.clone()),
                            None => {
                                self.missing(seal, "module", name);
                                Some(Module::Failed)
                            }
                        },
                    };
                    let inside = seal.within(name.symbol, self.text(name.symbol));
                    let laid = self.lay(&inside, module, signature, scopes);
                    scopes.insert_module(name.symbol, laid);
                } else {
                    scopes.insert_module(name.symbol, Laid::same(Module::Failed));
                }
            }
            SpecKind::Include(signature) => {
                if self.examine_inside(seal, signature, scopes) {
                    if seal.examine {
                        self.warn_of_inclusion(signature, spec.span, scopes.actual());
                    }
                    let span = if seal.examine { signature.span } else { seal.span };
                    let inside = Seal { examine: false, span, ..seal.clone() };
                    if let Some(included) = self.lay_structure(&inside, signature, scopes) {
                        scopes.include(&included);
                    }
                }
            }
        }
    }

    /// Checks a nested module type, unless that was done before. Returns false if it has errors.
    fn examine_inside(
        &mut self,
        seal: &Seal<'a>,
        signature: &'a ModuleTypeExpr,
        scopes: &Scopes<'a>,
    ) -> bool {
        if !seal.examine {
            return true;
        }
        let outer = std::mem::replace(&mut self.env, scopes.actual().clone());
        let passed = self.check_module_type(signature);
        self.env = outer;
        passed
    }

    /// Resolves something with the module's own types and, where the scopes differ, with the abstract types.
    pub fn in_both<T: Clone>(&mut self, scopes: &Scopes<'a>, resolve: impl Fn(&mut Self) -> T) -> (T, T) {
        let outer = std::mem::replace(&mut self.env, scopes.actual().clone());
        let actual = resolve(self);
        let view = match scopes.view() {
            Some(view) => {
                self.env = view.clone();
                resolve(self)
            }
            None => actual.clone(),
        };
        self.env = outer;
        (actual, view)
    }

    /// Reports a member that a module lacks.
    pub fn missing(&mut self, seal: &Seal<'a>, kind: &str, name: &Ident) {
        let text = self.text(name.symbol).to_string();
        let message = format!("{} lacks the {kind} `{text}` that its module type asks for", seal.subject);
        self.mismatch(seal, message, name.span);
    }

    /// Reports that a module does not fulfil its module type, and which place of the module type requires it.
    pub fn mismatch(&mut self, seal: &Seal<'a>, message: impl Into<String>, asked: Span) {
        let error = Diagnostic::error("E0217", seal.span, message.into());
        self.report(error.label(asked, "asked for here"));
    }
}

/// Returns the names of a path to a type.
pub fn path(name: &QualName) -> Vec<Symbol> {
    name.qualifiers.iter().chain([&name.name]).map(|ident| ident.symbol).collect()
}
