//! Declarations, modules and specifications.

use super::Printer;
use crate::syntax::ast::{
    Decl, DeclKind, Expr, Ident, Liftedness, ModuleExpr, ModuleExprKind, ModuleParam, ModuleTypeExpr,
    ModuleTypeExprKind, Pat, Spec, SpecKind, TypeDecl, TypeExpr, TypeParam, TypeParamKind, ValueDecl,
};

impl Printer<'_> {
    pub(super) fn decls(&mut self, decls: &[Decl]) {
        for decl in decls {
            self.decl(decl);
            self.put("\n");
        }
    }

    pub(super) fn decl(&mut self, decl: &Decl) {
        if let Some(doc) = &decl.doc {
            self.doc(doc);
        }
        self.attrs(&decl.attrs);
        match &decl.kind {
            DeclKind::Value(value) => self.value_decl(value),
            DeclKind::Type(decl) => self.type_decl(decl),
            DeclKind::ModuleType(decl) => {
                self.put("module type ");
                self.name(decl.name);
                self.put(" = ");
                self.module_type(&decl.definition);
            }
            DeclKind::Module(decl) => {
                self.put("module ");
                self.name(decl.name);
                for param in &decl.params {
                    self.put(" ");
                    self.module_param(param);
                }
                if let Some(signature) = &decl.signature {
                    self.put(" : ");
                    self.module_type(signature);
                }
                self.put(" = ");
                self.module(&decl.body);
            }
            DeclKind::Open(module) => {
                self.put("open ");
                self.module(module);
            }
            DeclKind::Import(import) => {
                self.put("import ");
                self.string(&import.path);
            }
            DeclKind::Local(inner) => {
                self.put("local\n");
                self.decl(inner);
            }
        }
    }

    pub(super) fn value_decl(&mut self, decl: &ValueDecl) {
        self.put(if decl.entry { "entry " } else { "def " });
        self.bound_name(decl.name.name);
        self.function_rest(&decl.type_params, &decl.params, decl.result.as_ref(), &decl.body);
    }

    /// Prints the parameters, result and right-hand side of a function.
    pub(super) fn function_rest(
        &mut self,
        type_params: &[TypeParam],
        params: &[Pat],
        result: Option<&TypeExpr>,
        body: &Expr,
    ) {
        self.type_params(type_params);
        for param in params {
            self.put(" ");
            self.pat_atom(param);
        }
        if let Some(result) = result {
            self.put(" : ");
            self.ty(result);
        }
        self.put(" = ");
        self.expr(body);
    }

    pub(super) fn type_decl(&mut self, decl: &TypeDecl) {
        self.type_head(decl.liftedness, decl.name, &decl.params);
        self.put(" = ");
        self.ty(&decl.definition);
    }

    pub(super) fn type_head(&mut self, liftedness: Liftedness, name: Ident, params: &[TypeParam]) {
        self.put("type");
        self.liftedness(liftedness);
        self.put(" ");
        self.name(name);
        self.type_params(params);
    }

    pub(super) fn liftedness(&mut self, liftedness: Liftedness) {
        self.put(match liftedness {
            Liftedness::Unlifted => "",
            Liftedness::SizeLifted => "~",
            Liftedness::Lifted => "^",
        });
    }

    pub(super) fn type_params(&mut self, params: &[TypeParam]) {
        for param in params {
            match param.kind {
                TypeParamKind::Size => self.put(" ["),
                TypeParamKind::Type(liftedness) => {
                    self.put(" '");
                    self.liftedness(liftedness);
                }
            }
            self.name(param.name);
            if param.kind == TypeParamKind::Size {
                self.put("]");
            }
        }
    }

    pub(super) fn module(&mut self, module: &ModuleExpr) {
        match &module.kind {
            ModuleExprKind::Var(name) => self.qual_name(name),
            ModuleExprKind::Body(decls) => {
                self.put("{\n");
                self.decls(decls);
                self.put("}");
            }
            ModuleExprKind::Import(import) => self.in_parentheses(|p| {
                p.put("import ");
                p.string(&import.path);
            }),
            ModuleExprKind::Apply { function, argument } => self.in_parentheses(|p| {
                p.module(function);
                p.put(" ");
                p.module(argument);
            }),
            ModuleExprKind::Ascribe { module, signature } => self.in_parentheses(|p| {
                p.module(module);
                p.put(" : ");
                p.module_type(signature);
            }),
            ModuleExprKind::Lambda { param, signature, body } => self.in_parentheses(|p| {
                p.put("\\");
                p.module_param(param);
                if let Some(signature) = signature {
                    p.put(" : (");
                    p.module_type(signature);
                    p.put(")");
                }
                p.put(" -> ");
                p.module(body);
            }),
        }
    }

    pub(super) fn module_param(&mut self, param: &ModuleParam) {
        self.in_parentheses(|p| {
            p.name(param.name);
            p.put(": ");
            p.module_type(&param.signature);
        });
    }

    pub(super) fn module_type(&mut self, signature: &ModuleTypeExpr) {
        match &signature.kind {
            ModuleTypeExprKind::Var(name) => self.qual_name(name),
            ModuleTypeExprKind::Specs(specs) => {
                self.put("{\n");
                for spec in specs {
                    self.spec(spec);
                    self.put("\n");
                }
                self.put("}");
            }
            ModuleTypeExprKind::With { base, name, params, definition } => self.in_parentheses(|p| {
                p.module_type(base);
                p.put(" with ");
                p.qual_name(name);
                p.type_params(params);
                p.put(" = ");
                p.ty(definition);
            }),
            ModuleTypeExprKind::Arrow { param, argument, result } => self.in_parentheses(|p| {
                match param {
                    Some(param) => p.in_parentheses(|p| {
                        p.name(*param);
                        p.put(": ");
                        p.module_type(argument);
                    }),
                    None => p.module_type(argument),
                }
                p.put(" -> ");
                p.module_type(result);
            }),
        }
    }

    pub(super) fn spec(&mut self, spec: &Spec) {
        if let Some(doc) = &spec.doc {
            self.doc(doc);
        }
        self.attrs(&spec.attrs);
        match &spec.kind {
            SpecKind::Value { name, type_params, ty } => {
                self.put("val ");
                self.bound_name(*name);
                self.type_params(type_params);
                self.put(" : ");
                self.ty(ty);
            }
            SpecKind::TypeAbbreviation(decl) => self.type_decl(decl),
            SpecKind::AbstractType { liftedness, name, params } => self.type_head(*liftedness, *name, params),
            SpecKind::Module { name, signature } => {
                self.put("module ");
                self.name(*name);
                self.put(" : ");
                self.module_type(signature);
            }
            SpecKind::Include(signature) => {
                self.put("include ");
                self.module_type(signature);
            }
        }
    }
}
