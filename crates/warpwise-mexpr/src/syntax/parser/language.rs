//! Language fragments.

use crate::syntax::ast::{Ident, Lang, LangDecl, LangDeclKind, Parameter, With};
use crate::syntax::lexer::TokenKind;

use super::{Parse, Parser};

impl Parser<'_> {
    /// Parses `lang L = A + B with x = A.x + B.x ... end`.
    pub(super) fn language(&mut self) -> Parse<Lang> {
        self.bump();
        let name = self.any_name("the name of a language fragment")?;
        let mut parents = Vec::new();
        let mut withs = Vec::new();
        if self.eat(TokenKind::Equals) {
            parents.push(self.any_name("the name of a language fragment")?);
            while self.eat(TokenKind::Plus) {
                parents.push(self.any_name("the name of a language fragment")?);
            }
            while self.at(TokenKind::With) {
                withs.push(self.with()?);
            }
        }
        let mut decls = Vec::new();
        if !parents.is_empty() && self.at_other_definition() {
            return Ok(Lang { name, parents, withs, decls });
        }
        while !self.at(TokenKind::End) {
            let start = self.start();
            let kind = self.language_decl()?;
            decls.push(LangDecl { kind, span: self.span_from(start) });
        }
        self.bump();
        Ok(Lang { name, parents, withs, decls })
    }

    /// Returns whether the next definition follows: a fragment that only combines others needs no `end`.
    fn at_other_definition(&self) -> bool {
        self.at_any(&[
            TokenKind::Lang,
            TokenKind::Mexpr,
            TokenKind::Let,
            TokenKind::Recursive,
            TokenKind::Con,
            TokenKind::External,
            TokenKind::Utest,
            TokenKind::Eof,
        ])
    }

    fn with(&mut self) -> Parse<With> {
        self.bump();
        let what = "the name of a type or a function";
        let name = self.member(what)?;
        self.expect(TokenKind::Equals, "`=`")?;
        let mut parts = Vec::new();
        loop {
            let fragment = self.any_name("the name of a language fragment")?;
            self.expect(TokenKind::Dot, "`.`")?;
            parts.push((fragment, self.member(what)?));
            if !self.eat(TokenKind::Plus) {
                return Ok(With { name, parts });
            }
        }
    }

    fn member(&mut self, what: &str) -> Parse<Ident> {
        self.ident(&[TokenKind::Lower, TokenKind::QuotedVar, TokenKind::Upper, TokenKind::QuotedType], what)
    }

    fn language_decl(&mut self) -> Parse<LangDeclKind> {
        match self.kind() {
            TokenKind::Syn => self.syn(),
            TokenKind::Sem => self.sem(),
            TokenKind::Type => Ok(LangDeclKind::Type(self.type_decl()?)),
            _ => Err(self.unexpected(super::END_OF_LANGUAGE)),
        }
    }

    fn syn(&mut self) -> Parse<LangDeclKind> {
        self.bump();
        let name = self.type_name("the name of a type")?;
        let parameters = self.type_parameters()?;
        self.expect(TokenKind::Equals, "`=`")?;
        let mut constructors = Vec::new();
        while self.eat(TokenKind::Bar) {
            let constructor = self.constructor("the name of a constructor")?;
            let end = [TokenKind::Bar, TokenKind::Syn, TokenKind::Sem, TokenKind::Type, TokenKind::End];
            let held = if self.at_any(&end) { None } else { Some(self.type_expr()?) };
            constructors.push((constructor, held));
        }
        Ok(LangDeclKind::Syn { name, parameters, constructors })
    }

    fn sem(&mut self) -> Parse<LangDeclKind> {
        self.bump();
        let name = self.variable("the name of a function")?;
        if self.eat(TokenKind::Colon) {
            return Ok(LangDeclKind::SemType { name, ty: self.type_expr()? });
        }
        let mut parameters = Vec::new();
        while !self.at(TokenKind::Equals) {
            parameters.push(self.sem_parameter()?);
        }
        self.bump();
        let mut cases = Vec::new();
        while self.eat(TokenKind::Bar) {
            let pattern = self.pattern()?;
            self.expect(TokenKind::Arrow, "`->`")?;
            cases.push((pattern, self.expression()?));
        }
        Ok(LangDeclKind::Sem { name, parameters, cases })
    }

    fn sem_parameter(&mut self) -> Parse<Parameter> {
        if !self.eat(TokenKind::LParen) {
            let name = self.variable("a parameter, `:` or `=`")?;
            return Ok(Parameter { name: Some(name), ty: None });
        }
        let name = self.variable("the name of a parameter")?;
        self.expect(TokenKind::Colon, "`:` and a type")?;
        let ty = self.type_expr()?;
        self.expect(TokenKind::RParen, "`)`")?;
        Ok(Parameter { name: Some(name), ty: Some(ty) })
    }
}
