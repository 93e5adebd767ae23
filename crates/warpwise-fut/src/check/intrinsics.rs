//! Names that exist before any file: scalar types, operators, and the module `intrinsics`.

use std::rc::Rc;

use warpwise_diag::Span;

use crate::check::Checker;
use crate::check::env::{Frame, Members, Module, Names, Poly, TypeDef, Value};
use crate::check::operators::Operator;
use crate::check::size::names::is_extent;
use crate::check::type_exprs::{Anonymous, Pending};
use crate::syntax::ast::{
    DeclKind, Liftedness, ModuleTypeExprKind, PrimType, Program, Spec, SpecKind, TypeExpr, TypeParam,
};
use crate::typed::ids::ACCUMULATOR;
use crate::typed::intrinsic::{Intrinsic, Structural};
use crate::typed::tree::{Abstract, AbstractParam};
use crate::typed::ty::{Type, TypeArg, Uniqueness};

impl<'a> Checker<'a> {
    /// Creates the outermost frame.
    pub fn enter_builtins(&mut self, intrinsics: &'a Program) {
        let mut frame = Frame::default();
        for prim in PrimType::ALL {
            let name = self.session.names.intern(prim.name());
            let def = TypeDef {
                liftedness: Liftedness::Unlifted,
                params: Vec::new(),
                exists: Vec::new(),
                ty: Type::Prim(prim),
                uniqueness: Uniqueness::No,
                failed: false,
            };
            frame.members.types.insert(name, Rc::new(def));
        }
        for (name, operator) in Operator::ALL {
            let name = self.session.names.intern(name);
            frame.members.values.insert(name, Value::Operator(operator));
        }
        let name = self.session.names.intern("intrinsics");
        frame.members.modules.insert(name, Module::Intrinsics);
        self.intrinsic_types = Rc::new(self.accumulators());
        self.root = Rc::new(frame);
        self.env = self.root.clone();
        self.intrinsics = Rc::new(self.structural(intrinsics));
    }

    /// Declares the type `intrinsics.acc`, the first of all abstract types.
    fn accumulators(&mut self) -> Members<'a> {
        let (acc, element) = (self.session.names.intern("acc"), self.session.names.intern("t"));
        let param = self.new_type_param(element, Span::NONE, Liftedness::Unlifted);
        let params = vec![AbstractParam::Type(param)];
        self.program.abstracts.push(Abstract {
            name: acc,
            span: Span::NONE,
            liftedness: Liftedness::SizeLifted,
            params: params.clone(),
            exists: Vec::new(),
            definition: Type::Param(param),
        });
        let def = TypeDef {
            liftedness: Liftedness::SizeLifted,
            params,
            exists: Vec::new(),
            ty: Type::Abstract(ACCUMULATOR, [TypeArg::Type(Type::Param(param))].into()),
            uniqueness: Uniqueness::No,
            failed: false,
        };
        let mut members = Members::default();
        members.types.insert(acc, Rc::new(def));
        members
    }

    fn structural(&mut self, intrinsics: &'a Program) -> Names<Value> {
        let mut names = Names::default();
        let specs = intrinsics.decls.iter().filter_map(|decl| match &decl.kind {
            DeclKind::ModuleType(decl) => match &decl.definition.kind {
                ModuleTypeExprKind::Specs(specs) => Some(specs),
                ModuleTypeExprKind::Var(_)
                | ModuleTypeExprKind::With { .. }
                | ModuleTypeExprKind::Arrow { .. } => None,
            },
            DeclKind::Value(_)
            | DeclKind::Type(_)
            | DeclKind::Module(_)
            | DeclKind::Open(_)
            | DeclKind::Import(_)
            | DeclKind::Local(_) => None,
        });
        for Spec { kind, .. } in specs.flatten() {
            let SpecKind::Value { name, type_params, ty } = kind else { continue };
            let Some(intrinsic) = Structural::from_name(self.text(name.symbol)) else { continue };
            if let Some(poly) = self.value_spec(type_params, ty, name.span) {
                names.insert(name.symbol, Value::Intrinsic(Intrinsic::Structural(intrinsic), Rc::new(poly)));
            }
        }
        names
    }

    /// Returns the type of a value specification; `None` if it has errors, which are reported.
    pub fn value_spec(&mut self, params: &'a [TypeParam], ty: &'a TypeExpr, span: Span) -> Option<Poly> {
        let errors = self.n_errors();
        self.start();
        let (types, mut sizes) = self.bind_params(params);
        let annotation = self.type_expr(ty, Anonymous::Inferred)?;
        if self.n_errors() > errors {
            return None;
        }
        if let Some(place) = self.infer.pending.iter().find_map(Pending::anonymous) {
            let message = "all function parameters must have non-anonymous sizes";
            let error = warpwise_diag::Diagnostic::error("E0306", place, message);
            self.report(error.hint("add a size parameter: `val f [n] : [n]t -> u`"));
            return None;
        }
        let filled = self.fill_pending(&annotation.ty);
        let first = sizes.len();
        sizes.extend(self.generalise_sizes(&filled, 0, 0));
        // If a value is no function, its type does not determine hidden sizes.
        let solved = self.solved(&filled);
        if sizes[first..].iter().any(|&size| is_extent(&solved, size)) {
            let message = "the type of this value hides a size, which nobody could tell";
            let error = warpwise_diag::Diagnostic::error("E0306", span, message);
            self.report(error.hint("make it a function: `val f : () -> t`"));
            return None;
        }
        if !annotation.exists.is_empty() {
            let message = "unknown sizes can stand only in the result of a function";
            self.report(warpwise_diag::Diagnostic::error("E0306", span, message));
            return None;
        }
        Some(Poly { types, sizes, ty: solved })
    }
}
