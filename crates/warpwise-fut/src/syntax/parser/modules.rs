//! Modules, module types and specifications.

use super::{Parse, Parser};
use crate::syntax::ast::{
    ModuleExpr, ModuleExprKind, ModuleParam, ModuleTypeExpr, ModuleTypeExprKind, Spec, SpecKind, TypeDecl,
};
use crate::syntax::lexer::TokenKind;

impl Parser<'_> {
    /// Parses a module, including signatures that seal it.
    pub(super) fn module_expr(&mut self) -> Parse<ModuleExpr> {
        self.nested(|parser| {
            let start = parser.start();
            let mut module = parser.unsealed_module()?;
            while parser.eat(TokenKind::Colon) {
                let signature = Box::new(parser.module_type()?);
                parser.grow(1)?;
                let kind = ModuleExprKind::Ascribe { module: Box::new(module), signature };
                module = ModuleExpr { span: parser.span_from(start), kind };
            }
            Ok(module)
        })
    }

    fn unsealed_module(&mut self) -> Parse<ModuleExpr> {
        let start = self.start();
        match self.kind() {
            TokenKind::Backslash => self.nested(Parser::module_lambda),
            TokenKind::Import => {
                self.bump();
                let kind = ModuleExprKind::Import(self.import_path()?);
                Ok(ModuleExpr { span: self.span_from(start), kind })
            }
            _ => {
                let mut function = self.module_atom()?;
                while self.at_any(&[TokenKind::LParen, TokenKind::LBrace, TokenKind::Ident]) {
                    let argument = Box::new(self.module_atom()?);
                    self.grow(1)?;
                    let kind = ModuleExprKind::Apply { function: Box::new(function), argument };
                    function = ModuleExpr { span: self.span_from(start), kind };
                }
                Ok(function)
            }
        }
    }

    /// Parses `\(p: s) : t -> m`. A signature after `m` seals the function, not its result.
    fn module_lambda(&mut self) -> Parse<ModuleExpr> {
        let start = self.bump().start;
        let param = Box::new(self.module_param()?);
        let signature =
            if self.eat(TokenKind::Colon) { Some(Box::new(self.module_type_atom()?)) } else { None };
        self.expect(TokenKind::Arrow, "`->`")?;
        let body = Box::new(self.unsealed_module()?);
        let kind = ModuleExprKind::Lambda { param, signature, body };
        Ok(ModuleExpr { span: self.span_from(start), kind })
    }

    fn module_atom(&mut self) -> Parse<ModuleExpr> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::LParen => {
                self.bump();
                let inner = self.module_expr()?;
                self.expect(TokenKind::RParen, "`)`")?;
                return Ok(inner);
            }
            TokenKind::LBrace => self.nested(Parser::module_body)?,
            _ => ModuleExprKind::Var(self.qual_name("a module")?),
        };
        Ok(ModuleExpr { span: self.span_from(start), kind })
    }

    fn module_body(&mut self) -> Parse<ModuleExprKind> {
        self.bump();
        let decls = self.decls(TokenKind::RBrace);
        self.expect(TokenKind::RBrace, "`}` or a declaration")?;
        Ok(ModuleExprKind::Body(decls))
    }

    /// Parses `(p: s)`.
    pub(super) fn module_param(&mut self) -> Parse<ModuleParam> {
        let start = self.start();
        self.expect(TokenKind::LParen, "a module parameter `(name: module type)`")?;
        let name = self.ident("the name of a module")?;
        self.expect(TokenKind::Colon, "`:`")?;
        let signature = self.module_type()?;
        self.expect(TokenKind::RParen, "`)`")?;
        Ok(ModuleParam { span: self.span_from(start), name, signature })
    }

    /// Parses a module type.
    pub(super) fn module_type(&mut self) -> Parse<ModuleTypeExpr> {
        self.nested(Parser::module_type_inside)
    }

    fn module_type_inside(&mut self) -> Parse<ModuleTypeExpr> {
        let start = self.start();
        let named = [TokenKind::LParen, TokenKind::Ident, TokenKind::Colon];
        let (param, argument) = if (0..3).all(|n| self.kind_at(n) == named[n]) {
            let param = self.module_param()?;
            if !self.at(TokenKind::Arrow) {
                return Err(self.unexpected("`->`, as a named parameter belongs to a parametric module type"));
            }
            (Some(param.name), param.signature)
        } else {
            (None, self.refined_module_type()?)
        };
        if !self.eat(TokenKind::Arrow) {
            return Ok(argument);
        }
        let (argument, result) = (Box::new(argument), Box::new(self.module_type()?));
        let kind = ModuleTypeExprKind::Arrow { param, argument, result };
        Ok(ModuleTypeExpr { span: self.span_from(start), kind })
    }

    /// Parses `s with t 'a = u`.
    fn refined_module_type(&mut self) -> Parse<ModuleTypeExpr> {
        let start = self.start();
        let mut base = self.module_type_atom()?;
        while self.eat(TokenKind::With) {
            let name = self.qual_name("the name of a type")?;
            let params = self.type_params()?;
            self.expect(TokenKind::Equals, "`=`")?;
            let definition = Box::new(self.type_expr()?);
            self.grow(1)?;
            let kind = ModuleTypeExprKind::With { base: Box::new(base), name, params, definition };
            base = ModuleTypeExpr { span: self.span_from(start), kind };
        }
        Ok(base)
    }

    fn module_type_atom(&mut self) -> Parse<ModuleTypeExpr> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::LParen => {
                self.bump();
                let inner = self.module_type()?;
                self.expect(TokenKind::RParen, "`)`")?;
                return Ok(inner);
            }
            TokenKind::LBrace => {
                self.bump();
                let mut specs = Vec::new();
                while !self.eat(TokenKind::RBrace) {
                    specs.push(self.spec()?);
                }
                ModuleTypeExprKind::Specs(specs)
            }
            _ => ModuleTypeExprKind::Var(self.qual_name("a module type")?),
        };
        Ok(ModuleTypeExpr { span: self.span_from(start), kind })
    }

    fn spec(&mut self) -> Parse<Spec> {
        let mut doc = None;
        while self.at(TokenKind::Doc) {
            doc = Some(self.doc());
        }
        let start = self.start();
        let attrs = self.attrs()?;
        let kind = match self.kind() {
            TokenKind::Val => self.value_spec()?,
            TokenKind::Type => self.type_spec()?,
            TokenKind::Module => {
                self.bump();
                let name = self.ident("the name of a module")?;
                self.expect(TokenKind::Colon, "`:`")?;
                SpecKind::Module { name, signature: self.module_type()? }
            }
            TokenKind::Include => {
                self.bump();
                SpecKind::Include(self.module_type()?)
            }
            _ => return Err(self.unexpected("`val`, `type`, `module`, `include` or `}`")),
        };
        Ok(Spec { span: self.span_from(start), doc, attrs, kind })
    }

    fn value_spec(&mut self) -> Parse<SpecKind> {
        self.bump();
        let name = if self.at_operator() { self.binding_operator()? } else { self.binding_name()? };
        let type_params = self.type_params()?;
        self.expect(TokenKind::Colon, "`:`")?;
        Ok(SpecKind::Value { name, type_params, ty: self.type_expr()? })
    }

    fn type_spec(&mut self) -> Parse<SpecKind> {
        self.bump();
        let liftedness = self.liftedness();
        let name = self.ident("the name of a type")?;
        let params = self.type_params()?;
        if !self.eat(TokenKind::Equals) {
            return Ok(SpecKind::AbstractType { liftedness, name, params });
        }
        let definition = self.type_expr()?;
        Ok(SpecKind::TypeAbbreviation(TypeDecl { liftedness, name, params, definition }))
    }
}
