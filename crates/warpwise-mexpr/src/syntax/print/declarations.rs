//! Printing of files and definitions.

use crate::syntax::ast::{
    Binding, Decl, DeclKind, Ident, Lang, LangDecl, LangDeclKind, Program, TypeDecl, TypeExpr, Utest, With,
};

use super::Printer;

impl Printer<'_> {
    pub(super) fn program(&mut self, program: &Program) {
        for include in &program.includes {
            self.put("include ");
            self.quoted(&include.path);
            self.put("\n");
        }
        for decl in &program.decls {
            self.decl(decl, " end");
            self.put("\n");
        }
        if let Some(main) = &program.main {
            self.put("mexpr ");
            self.expression(main);
            self.put("\n");
        }
    }

    /// Prints a definition with its `in`, or an expression with its semicolon.
    pub(super) fn local_decl(&mut self, decl: &Decl) {
        self.decl(decl, "");
        match &decl.kind {
            DeclKind::Do(_) => self.put(";"),
            DeclKind::Let(_)
            | DeclKind::Recursive(_)
            | DeclKind::Type(_)
            | DeclKind::Con(_)
            | DeclKind::External(_)
            | DeclKind::Utest(_)
            | DeclKind::Lang(_)
            | DeclKind::Use(_)
            | DeclKind::Match(_) => self.put(" in"),
        }
    }

    fn decl(&mut self, decl: &Decl, end_of_recursive: &str) {
        match &decl.kind {
            DeclKind::Let(binding) => self.binding(binding),
            DeclKind::Recursive(bindings) => {
                self.put("recursive ");
                self.list(bindings, " ", Self::binding);
                self.put(end_of_recursive);
            }
            DeclKind::Type(decl) => self.type_decl(decl),
            DeclKind::Con(con) => {
                self.put("con ");
                self.constructor(con.name);
                self.annotation(con.ty.as_ref());
            }
            DeclKind::External(external) => {
                self.put("external ");
                self.any_name(external.name);
                self.put(if external.effect { " !" } else { "" });
                self.annotation(Some(&external.ty));
            }
            DeclKind::Utest(utest) => self.utest(utest),
            DeclKind::Lang(lang) => self.lang(lang),
            DeclKind::Use(name) => {
                self.put("use ");
                self.any_name(*name);
            }
            DeclKind::Do(value) => self.application(value),
            DeclKind::Match(parts) => {
                self.put("match ");
                self.expression(&parts.0);
                self.put(" with ");
                self.pattern(&parts.1);
            }
        }
    }

    fn annotation(&mut self, ty: Option<&TypeExpr>) {
        if let Some(ty) = ty {
            self.put(" : ");
            self.ty(ty);
        }
    }

    fn binding(&mut self, binding: &Binding) {
        self.put("let ");
        self.variable(binding.name.name);
        self.annotation(binding.ty.as_ref());
        self.put(" = ");
        self.expression(&binding.body);
    }

    fn type_decl(&mut self, decl: &TypeDecl) {
        self.put("type ");
        self.type_name(decl.name);
        self.type_parameters(&decl.parameters);
        if let Some(definition) = &decl.definition {
            self.put(" = ");
            self.ty(definition);
        }
    }

    fn type_parameters(&mut self, parameters: &[Ident]) {
        for parameter in parameters {
            self.put(" ");
            self.variable(parameter.name);
        }
    }

    fn utest(&mut self, utest: &Utest) {
        self.put("utest ");
        self.expression(&utest.actual);
        self.put(" with ");
        self.expression(&utest.expected);
        if let Some(using) = &utest.using {
            self.put(" using ");
            self.expression(using);
        }
        if let Some(otherwise) = &utest.otherwise {
            self.put(" else ");
            self.expression(otherwise);
        }
    }

    fn lang(&mut self, lang: &Lang) {
        self.put("lang ");
        self.any_name(lang.name);
        if !lang.parents.is_empty() {
            self.put(" = ");
            self.list(&lang.parents, " + ", |printer, parent| printer.any_name(*parent));
        }
        lang.withs.iter().for_each(|with| self.with(with));
        self.indent += 1;
        for decl in &lang.decls {
            self.line();
            self.lang_decl(decl);
        }
        self.indent -= 1;
        self.line();
        self.put("end");
    }

    fn with(&mut self, with: &With) {
        self.put(" with ");
        self.member(with.name);
        self.put(" = ");
        self.list(&with.parts, " + ", |printer, (fragment, member)| {
            printer.any_name(*fragment);
            printer.put(".");
            printer.member(*member);
        });
    }

    fn member(&mut self, name: Ident) {
        if self.names.text(name.name).starts_with(|c: char| c.is_ascii_uppercase()) {
            self.type_name(name);
        } else {
            self.variable(name.name);
        }
    }

    fn lang_decl(&mut self, decl: &LangDecl) {
        match &decl.kind {
            LangDeclKind::Syn { name, parameters, constructors } => {
                self.put("syn ");
                self.type_name(*name);
                self.type_parameters(parameters);
                self.put(" =");
                for (constructor, held) in constructors {
                    self.put(" | ");
                    self.constructor(*constructor);
                    if let Some(held) = held {
                        self.put(" ");
                        self.ty(held);
                    }
                }
            }
            LangDeclKind::Sem { name, parameters, cases } => {
                self.put("sem ");
                self.variable(name.name);
                for parameter in parameters {
                    self.put(" ");
                    let typed = parameter.ty.is_some();
                    self.parenthesised(typed, |printer| {
                        if let Some(name) = parameter.name {
                            printer.variable(name.name);
                        }
                        printer.annotation(parameter.ty.as_ref());
                    });
                }
                self.put(" =");
                for (pattern, body) in cases {
                    self.put(" | ");
                    self.pattern(pattern);
                    self.put(" -> ");
                    self.expression(body);
                }
            }
            LangDeclKind::SemType { name, ty } => {
                self.put("sem ");
                self.variable(name.name);
                self.annotation(Some(ty));
            }
            LangDeclKind::Type(decl) => self.type_decl(decl),
        }
    }
}
