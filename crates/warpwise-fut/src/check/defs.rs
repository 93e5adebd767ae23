//! Definitions of values, through all phases, and of types.

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Poly, TypeDef, Value};
use crate::check::infer::ty::{Constraint, Node, Ty};
use crate::check::readings::Reading;
use crate::check::size::functions::Built;
use crate::check::type_exprs::{Annotation, Anonymous};
use crate::syntax::ast::{Attr, Liftedness, TypeDecl, TypeExpr, TypeParam, TypeParamKind, ValueDecl};
use crate::syntax::session::Symbol;
use crate::typed::ids::{DefId, TypeParamId};
use crate::typed::tree::{AbstractParam, Def, Function, Scheme};
use crate::typed::ty::{TOO_LARGE, Type, Uniqueness};

impl<'a> Checker<'a> {
    /// Starts a definition with empty state. Returns the index of its first local.
    pub fn start(&mut self) -> usize {
        self.infer.clear();
        self.sizing.clear();
        self.recursion = None;
        self.program.locals.len()
    }

    /// Checks a value declaration in one reading of its own name, and returns the value that the name means afterwards.
    pub fn check_reading(&mut self, decl: &'a ValueDecl, attrs: &[Attr], reading: Reading) -> Value {
        let errors = self.n_errors();
        let first_local = self.start();
        self.checking.push(decl.name.name.symbol);
        let (mut types, mut sizes) = self.bind_params(&decl.type_params);
        if reading == Reading::Itself {
            self.enter_recursion(decl, &sizes);
        }
        let ty = self.infer_function(&decl.type_params, &decl.params, decl.result.as_ref(), &decl.body);
        self.close_recursion(ty, decl.name.name.span);
        self.checking.pop();
        if self.infer.types.are_too_large() {
            self.limit(decl.name.name.span, TOO_LARGE);
        }
        if self.infer.tainted || self.n_errors() > errors {
            return Value::Failed;
        }
        self.generalise_types(ty, &mut types, decl.name.name.span);
        self.generalise_recursion(&types);
        let place = decl.name.name.span;
        let built = self.build_function(&decl.params, decl.result.as_ref(), &decl.body, None, place);
        self.check_size_params(&sizes, &built.ty);
        let n_declared = sizes.len();
        sizes.extend(self.generalise_sizes(&built.ty, 0, 0));
        let Built { params, result, body, ty } = built;
        let mut function = Function { scheme: Scheme { types, sizes }, params, result, body };
        self.settle_recursive_calls(&mut function, n_declared);
        self.check_value_sizes(&function, place);
        if self.n_errors() > errors {
            return Value::Failed;
        }
        let ty = self.finish(&mut function, &ty, first_local);
        self.check_causality(&function);
        self.check_recursion(&function, place);
        self.check_matches(&function);
        self.warn_of(&function.body);
        self.warn_of_unused();
        if self.is_entry(decl) {
            self.expand_entry(&mut function);
        }
        if self.n_errors() > errors {
            return Value::Failed;
        }
        let name = format!("{}{}", self.prefix, self.text(decl.name.name.symbol));
        let mut def = Def { name, span: place, attrs: attrs.to_vec(), function, ty, fresh: Uniqueness::No };
        self.check_consumption(&mut def, decl.result.is_some());
        if self.n_errors() > errors {
            return Value::Failed;
        }
        let Scheme { types, sizes } = def.function.scheme.clone();
        let poly = Poly { types, sizes, ty: def.ty.clone() };
        self.program.defs.push(def);
        Value::Def(DefId(self.program.defs.len() as u32 - 1), Rc::new(poly))
    }

    /// Reports an error if a value that depends on size parameters also has an unknown size.
    fn check_value_sizes(&mut self, function: &Function, place: Span) {
        let is_sized_value = function.params.is_empty() && !function.scheme.sizes.is_empty();
        if is_sized_value && !function.result.exists.is_empty() {
            let ty = self.show_type(&self.solved(&function.result.ty));
            let message = format!(
                "a size-polymorphic value binding has the type `{ty}`, whose sizes are not all known"
            );
            let error = Diagnostic::error("E0302", place, message);
            self.report(error.hint("make it a function, or take the size parameters away"));
        }
    }

    /// Turns the unrestricted variables of a type into type parameters.
    fn generalise_types(&mut self, ty: Ty, types: &mut Vec<TypeParamId>, span: Span) {
        match self.infer.types.node(ty) {
            Node::Var(var) => {
                if let Constraint::Free = var.constraint {
                    let name = self.session.names.intern(&type_name(types.len()));
                    let param = self.new_type_param(name, span, var.lifted);
                    let node = self.infer.types.add(Node::Param(param));
                    self.infer.types.bind(ty, node);
                    types.push(param);
                } else if let Constraint::OneOf(set) = var.constraint {
                    self.warn_of_default(set, span);
                }
            }
            Node::Array(element) => self.generalise_types(element, types, span),
            Node::Record(_, parts) | Node::Abstract(_, parts) => {
                parts.iter().for_each(|&part| self.generalise_types(part, types, span));
            }
            Node::Sum(sum) => {
                let parts = sum.iter().flat_map(|constructor| constructor.1.iter());
                parts.for_each(|&part| self.generalise_types(part, types, span));
            }
            Node::Arrow(argument, result) => {
                self.generalise_types(argument, types, span);
                self.generalise_types(result, types, span);
            }
            Node::Prim(_) | Node::Param(_) | Node::Link(_) | Node::Error => {}
        }
    }

    /// Checks a type declaration.
    pub fn check_type_decl(&mut self, decl: &'a TypeDecl) -> Rc<TypeDef> {
        Rc::new(self.type_definition(decl.liftedness, &decl.params, &decl.definition, decl.name.symbol))
    }

    /// Returns the type constructor with these parameters and this definition.
    pub fn type_definition(
        &mut self,
        liftedness: Liftedness,
        params: &'a [TypeParam],
        definition: &'a TypeExpr,
        name: Symbol,
    ) -> TypeDef {
        let errors = self.n_errors();
        self.start();
        let params = self.type_params(params);
        let resolved = self.type_expr(definition, Anonymous::Unknown);
        let Some(annotation) = resolved.filter(|_| self.n_errors() == errors) else {
            return TypeDef {
                liftedness,
                params,
                exists: Vec::new(),
                ty: Type::unit(),
                uniqueness: Uniqueness::No,
                failed: true,
            };
        };
        let ty = self.fill_pending(&annotation.ty);
        let ty = self.solved(&ty);
        let annotation = Annotation { ty: ty.clone(), ..annotation };
        self.check_type_definition(liftedness, &params, &annotation, definition, name);
        TypeDef {
            liftedness,
            params,
            exists: annotation.exists,
            ty,
            uniqueness: annotation.unique,
            failed: self.n_errors() > errors,
        }
    }

    /// Binds the parameters of a type constructor.
    pub fn type_params(&mut self, params: &'a [TypeParam]) -> Vec<AbstractParam> {
        let mut bound = Vec::with_capacity(params.len());
        for (index, param) in params.iter().enumerate() {
            if let Some(first) = params[..index].iter().find(|p| p.name.symbol == param.name.symbol) {
                let name = self.text(param.name.symbol).to_string();
                self.duplicate("parameter", &name, param.name.span, first.name.span);
            }
            bound.push(match param.kind {
                TypeParamKind::Size => {
                    AbstractParam::Size(self.bind_size(param.name.symbol, param.name.span))
                }
                TypeParamKind::Type(liftedness) => {
                    let id = self.new_type_param(param.name.symbol, param.name.span, liftedness);
                    self.infer.scope.bind_type(param.name.symbol, id);
                    AbstractParam::Type(id)
                }
            });
        }
        bound
    }
}

/// Returns a name for an inferred type parameter: `t`, `t1`, ...
fn type_name(index: usize) -> String {
    if index == 0 { "t".to_string() } else { format!("t{index}") }
}
