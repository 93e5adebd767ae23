//! The requirements of a single specification of a module type on a module, and the member that users of the module see.
//!
//! The walk over a module type is in [`laying`](crate::check::modules::laying). If no module is given, members are assumed that
//! are exactly as specified. A value whose scheme differs from the specified one is wrapped in a definition that has the
//! specified scheme.

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Poly, TypeDef, Value};
use crate::check::infer::{Head, Resolved, Why};
use crate::check::modules::laying::Seal;
use crate::check::modules::scopes::Scopes;
use crate::check::size::names::is_extent;
use crate::check::size::unify::covers;
use crate::check::type_exprs::Subst;
use crate::syntax::ast::{Ident, Liftedness, TypeDecl, TypeExpr, TypeParam as AstParam};
use crate::typed::ids::{AbstractId, DefId};
use crate::typed::tree::{
    Abstract, AbstractParam, Def, Expr, ExprKind, Function, Instance, Scheme, with_unique_result,
};
use crate::typed::ty::{ResultType, Size, Type, TypeArg, Uniqueness};

impl<'a> Checker<'a> {
    /// Seals a type that is specified with a definition.
    pub fn seal_abbreviation(&mut self, seal: &Seal<'a>, decl: &'a TypeDecl, scopes: &mut Scopes<'a>) {
        let name = decl.name.symbol;
        let (actual, view) = self.in_both(scopes, |checker| checker.check_type_decl(decl));
        let fits = seal.members.is_none()
            || self
                .member_type(seal, &decl.name, &actual.params)
                .is_some_and(|def| self.demand_same_type(seal, &decl.name, &def, &actual));
        match fits {
            true => scopes.insert_type(name, actual, view),
            false => scopes.insert_failed_type(name),
        }
    }

    /// Seals a type that is specified without a definition.
    pub fn seal_abstract_type(
        &mut self,
        seal: &Seal<'a>,
        liftedness: Liftedness,
        name: &Ident,
        params: &'a [AstParam],
        scopes: &mut Scopes<'a>,
    ) {
        self.start();
        let params = self.type_params(params);
        let def = match &seal.members {
            Some(_) => match self.member_type(seal, name, &params) {
                Some(def) => Some(def),
                None => return scopes.insert_failed_type(name.symbol),
            },
            None => None,
        };
        let refined = seal.refinements.iter().rev().find(|refinement| refinement.path == [name.symbol]);
        if let Some(refinement) = refined.cloned() {
            if def.is_some_and(|def| !self.demand_same_type(seal, name, &def, &refinement.actual)) {
                return scopes.insert_failed_type(name.symbol);
            }
            let declared = |def: &TypeDef| Rc::new(TypeDef { liftedness, ..def.clone() });
            let actual = declared(&refinement.actual);
            let is_same = Rc::ptr_eq(&refinement.actual, &refinement.view);
            let view = if is_same { actual.clone() } else { declared(&refinement.view) };
            return scopes.insert_type(name.symbol, actual, view);
        }
        match def {
            Some(def) => self.seal_type(seal, liftedness, name, def, scopes),
            None => {
                // The definition does not matter, since only the results of applications become part of the program.
                let assumed = TypeDef {
                    liftedness,
                    params,
                    exists: Vec::new(),
                    ty: Type::unit(),
                    uniqueness: Uniqueness::No,
                    failed: false,
                };
                let qualified = format!("{}{}", seal.prefix, self.text(name.symbol));
                let symbol = self.session.names.intern(&qualified);
                let assumed = self.make_abstract(liftedness, Ident { symbol, ..*name }, &assumed);
                scopes.insert_type(name.symbol, assumed.clone(), assumed);
            }
        }
    }

    fn member_type(
        &mut self,
        seal: &Seal<'a>,
        name: &Ident,
        params: &[AbstractParam],
    ) -> Option<Rc<TypeDef>> {
        let Some(def) = seal.members.as_ref().and_then(|members| members.types.get(&name.symbol)).cloned()
        else {
            self.missing(seal, "type", name);
            return None;
        };
        let same_kind = |(ours, theirs): (&AbstractParam, &AbstractParam)| {
            matches!(ours, AbstractParam::Size(_)) == matches!(theirs, AbstractParam::Size(_))
        };
        if def.params.len() != params.len() || !def.params.iter().zip(params).all(same_kind) {
            let text = self.text(name.symbol).to_string();
            let message = format!(
                "the type `{text}` of {} has other parameters than its module type asks for",
                seal.subject
            );
            self.mismatch(seal, message, name.span);
            return None;
        }
        Some(def)
    }

    fn seal_type(
        &mut self,
        seal: &Seal<'a>,
        liftedness: Liftedness,
        name: &Ident,
        def: Rc<TypeDef>,
        scopes: &mut Scopes<'a>,
    ) {
        if def.liftedness as u8 > liftedness as u8 {
            let text = self.text(name.symbol).to_string();
            let allowed = match liftedness {
                Liftedness::Unlifted => "a non-lifted type",
                Liftedness::SizeLifted | Liftedness::Lifted => "a type that hides sizes at most",
            };
            let message = format!("the type `{text}` of {} hides more than {allowed} may", seal.subject);
            self.report(Diagnostic::error("E0216", seal.span, message).label(name.span, "asked for here"));
        }
        self.check_told_sizes(seal, name, &def);
        if !seal.hide {
            return scopes.insert_type(name.symbol, def.clone(), def);
        }
        let view = self.make_abstract(liftedness, *name, &def);
        scopes.insert_type(name.symbol, def, view);
    }

    /// Makes an abstract type that replaces a definition.
    fn make_abstract(&mut self, liftedness: Liftedness, name: Ident, def: &TypeDef) -> Rc<TypeDef> {
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
            exists: def.exists.clone(),
            definition: def.ty.clone(),
        });
        let ty = Type::Abstract(id, args.collect());
        Rc::new(TypeDef { liftedness, exists: Vec::new(), ty, ..TypeDef::clone(def) })
    }

    /// Reports an error if values of an abstract type do not determine its sizes, which nothing else can.
    fn check_told_sizes(&mut self, seal: &Seal<'a>, name: &Ident, def: &TypeDef) {
        for param in &def.params {
            if let AbstractParam::Size(size) = param
                && !is_extent(&def.ty, *size)
            {
                let (size, text) = (self.show_local(*size).to_string(), self.text(name.symbol).to_string());
                let message = format!(
                    "the size `{size}` of the type `{text}` is not used constructively as an array size in its definition"
                );
                self.mismatch(seal, message, name.span);
            }
        }
    }

    /// Checks that a type of the module equals its specification, up to the names of parameters and of hidden sizes. Returns
    /// false if it differs, which is reported.
    fn demand_same_type(
        &mut self,
        seal: &Seal<'a>,
        name: &Ident,
        found: &TypeDef,
        expected: &TypeDef,
    ) -> bool {
        if found.failed || expected.failed {
            return false;
        }
        self.start();
        let mut ours = Subst::default();
        // Both have parameters of the same kinds.
        for pair in found.params.iter().zip(&expected.params) {
            match pair {
                (AbstractParam::Size(theirs), AbstractParam::Size(size)) => {
                    ours.sizes.insert(*theirs, Size::Local(*size));
                }
                (AbstractParam::Type(theirs), AbstractParam::Type(param)) => {
                    ours.types.insert(*theirs, Type::Param(*param));
                }
                (AbstractParam::Size(_), AbstractParam::Type(_))
                | (AbstractParam::Type(_), AbstractParam::Size(_)) => {}
            }
        }
        for &hidden in &found.exists {
            let unknown = self.sizing.new_meta(self.sizing.level, Span::NONE, None);
            ours.sizes.insert(hidden, unknown);
        }
        let found_type = self.substitute(&found.ty, &ours);
        if self.erases_alike(&found_type, &expected.ty) && self.unify_types(&expected.ty, &found_type).is_ok()
        {
            return true;
        }
        let (expected, found) = (self.show_type(&expected.ty), self.show_type(&found.ty));
        let text = self.text(name.symbol).to_string();
        let message = format!(
            "the type `{text}` of {} is `{found}`, but its module type says `{expected}`",
            seal.subject
        );
        self.report(Diagnostic::error("E0217", seal.span, message).label(name.span, "asked for here"));
        false
    }

    fn erases_alike(&mut self, a: &Type, b: &Type) -> bool {
        let (a, b) = (self.erase(a), self.erase(b));
        self.infer.types.unify(a, b).is_ok()
    }

    /// Seals a value.
    pub fn seal_value(
        &mut self,
        seal: &Seal<'a>,
        name: &Ident,
        params: &'a [AstParam],
        ty: &'a TypeExpr,
        scopes: &mut Scopes<'a>,
    ) {
        let value = match &seal.members {
            None => None,
            Some(members) => match members.values.get(&name.symbol) {
                Some(value) => Some(value.clone()),
                None => {
                    self.missing(seal, "value", name);
                    Some(Value::Failed)
                }
            },
        };
        if let Some(Value::Failed) = value {
            return scopes.insert_value(name.symbol, Value::Failed, Value::Failed);
        }
        let resolve = |checker: &mut Self| checker.value_spec(params, ty, name.span).map(Rc::new);
        let reveals = std::mem::replace(&mut self.reveals, value.is_some());
        let resolved = self.in_both(scopes, resolve);
        self.reveals = reveals;
        let (Some(actual), Some(view)) = resolved else {
            return scopes.insert_value(name.symbol, Value::Failed, Value::Failed);
        };
        let def = match value {
            Some(value) => self.conform(seal, name, &value, &actual),
            None => Some(self.assume_value(name, &actual)),
        };
        if let Some(def) = def {
            scopes.insert_value(name.symbol, Value::Def(def, actual), Value::Def(def, view));
        }
    }

    /// Adds a definition known only by its type.
    fn assume_value(&mut self, name: &Ident, spec: &Poly) -> DefId {
        let scheme = Scheme { types: spec.types.clone(), sizes: spec.sizes.clone() };
        let result = ResultType { exists: Vec::new(), ty: spec.ty.clone(), unique: Uniqueness::No };
        let body = Expr { span: name.span, ty: spec.ty.clone(), kind: ExprKind::Hole };
        let function = Function { scheme, params: Vec::new(), result, body };
        let text = self.text(name.symbol).to_string();
        self.program.defs.push(Def {
            name: text,
            span: name.span,
            attrs: Vec::new(),
            function,
            ty: spec.ty.clone(),
            fresh: Uniqueness::No,
        });
        DefId(self.program.defs.len() as u32 - 1)
    }

    /// Returns the value with the parts of its result marked as unique that the specification asks for, if they are fresh.
    fn with_specified_uniqueness(&mut self, value: Value, spec: &Poly) -> Value {
        let Value::Def(id, poly) = &value else { return value };
        let def = &mut self.program.defs[id.index()];
        let Some(wanted) = result_after(&spec.ty, def.function.params.len()) else { return value };
        let is_granted = covers(&wanted.ty, &def.function.result.unique, &wanted.unique);
        if self.in_prelude || is_granted || !covers(&wanted.ty, &def.fresh, &wanted.unique) {
            return value;
        }
        let ty = with_unique_result(&poly.ty, def.function.params.len(), &wanted.unique);
        def.grant_fresh();
        Value::Def(*id, Rc::new(Poly { ty, ..Poly::clone(poly) }))
    }

    /// Returns the definition that gives a value its specified type.
    fn conform(&mut self, seal: &Seal<'a>, name: &Ident, value: &Value, spec: &Poly) -> Option<DefId> {
        let errors = self.n_errors();
        let first_local = self.start();
        let value = self.with_specified_uniqueness(value.clone(), spec);
        let (head, found) = self.instantiate_value(value, seal.span)?;
        let expected = self.erase(&spec.ty);
        if self.infer.types.unify(expected, found).is_err() {
            let (expected, found) = (self.show_ty(expected), self.show_ty(found));
            let text = self.text(name.symbol).to_string();
            let message = format!(
                "`{text}` of {} has type `{found}`, but its module type says `{expected}`",
                seal.subject
            );
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
        let (span, attrs, fresh) = (seal.span, Vec::new(), Uniqueness::No);
        self.program.defs.push(Def { name, span, attrs, function, ty, fresh });
        Some(DefId(self.program.defs.len() as u32 - 1))
    }
}

/// Returns the result of a function after this number of arguments.
fn result_after(ty: &Type, params: usize) -> Option<&ResultType> {
    let Type::Arrow(arrow) = ty else { return None };
    match params.checked_sub(1)? {
        0 => Some(&arrow.result),
        left => result_after(&arrow.result.ty, left),
    }
}

/// Whether a value is instantiated with exactly the parameters of a specification, in order.
fn is_identity(instance: &Instance, spec: &Poly) -> bool {
    let types =
        instance.types.iter().zip(&spec.types).all(|(ty, param)| matches!(ty, Type::Param(p) if p == param));
    let sizes =
        instance.sizes.iter().zip(&spec.sizes).all(|(size, s)| matches!(size, Size::Local(l) if l == s));
    instance.types.len() == spec.types.len() && instance.sizes.len() == spec.sizes.len() && types && sizes
}
