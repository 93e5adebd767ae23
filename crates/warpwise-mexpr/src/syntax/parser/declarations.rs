//! Files and definitions.

use crate::syntax::ast::{
    Binding, ConDecl, Decl, DeclKind, External, Ident, Include, Program, TypeDecl, TypeExpr, Utest,
};
use crate::syntax::lexer::TokenKind;

use super::{Parse, Parser};

impl Parser<'_> {
    /// Parses a whole file; definitions with errors are left out.
    pub(super) fn program(&mut self) -> Program {
        let mut program = Program { includes: Vec::new(), decls: Vec::new(), main: None };
        while self.at(TokenKind::Include) {
            match self.include() {
                Ok(include) => program.includes.push(include),
                Err(_) => self.skip_to_definition(),
            }
        }
        while !self.at(TokenKind::Eof) && !self.at(TokenKind::Mexpr) {
            match self.top() {
                Ok(decl) => program.decls.push(decl),
                Err(_) => self.skip_to_definition(),
            }
        }
        if self.eat(TokenKind::Mexpr)
            && let Ok(main) = self.expression()
            && self.expect(TokenKind::Eof, "the end of the file, or the rest of the expression").is_ok()
        {
            program.main = Some(main);
        }
        program
    }

    /// Skips at least one token, up to a definition that starts a line.
    fn skip_to_definition(&mut self) {
        loop {
            let previous = self.bump();
            let token = self.token();
            let new_line = self.text[previous.end as usize..token.start as usize].ends_with('\n');
            let definition = self.at_any(&[
                TokenKind::Let,
                TokenKind::Recursive,
                TokenKind::Type,
                TokenKind::Con,
                TokenKind::External,
                TokenKind::Utest,
                TokenKind::Lang,
                TokenKind::Mexpr,
                TokenKind::Include,
            ]);
            if self.at(TokenKind::Eof) || (new_line && definition) {
                return;
            }
        }
    }

    fn include(&mut self) -> Parse<Include> {
        self.bump();
        let (path, span) = self.string("the path of a file, as a string")?;
        Ok(Include { path, span })
    }

    fn top(&mut self) -> Parse<Decl> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::Recursive => {
                self.bump();
                let bindings = self.recursive_bindings()?;
                self.expect(TokenKind::End, super::END_OF_RECURSIVE)?;
                DeclKind::Recursive(bindings)
            }
            TokenKind::Lang => DeclKind::Lang(self.language()?),
            _ => self.plain_decl()?,
        };
        Ok(Decl { kind, span: self.span_from(start) })
    }

    /// Parses a definition without an end mark.
    pub(super) fn plain_decl(&mut self) -> Parse<DeclKind> {
        match self.kind() {
            TokenKind::Let => Ok(DeclKind::Let(self.binding()?)),
            TokenKind::Type => Ok(DeclKind::Type(self.type_decl()?)),
            TokenKind::Con => {
                self.bump();
                let name = self.constructor("the name of a constructor")?;
                Ok(DeclKind::Con(ConDecl { name, ty: self.optional_type()? }))
            }
            TokenKind::External => {
                self.bump();
                let name = self.any_name("the name of an external function")?;
                let effect = self.eat(TokenKind::Not);
                self.expect(TokenKind::Colon, "`:` and a type")?;
                Ok(DeclKind::External(External { name, effect, ty: self.type_expr()? }))
            }
            TokenKind::Utest => Ok(DeclKind::Utest(Box::new(self.utest()?))),
            _ => Err(self.unexpected("a definition, `mexpr`, or the rest of the definition before")),
        }
    }

    /// Parses `let x : T = e`.
    fn binding(&mut self) -> Parse<Binding> {
        self.expect(TokenKind::Let, "`let`")?;
        let name = self.variable("the name of what is defined")?;
        let ty = self.optional_type()?;
        self.expect(TokenKind::Equals, super::EQUALS)?;
        Ok(Binding { name, ty, body: self.expression()? })
    }

    pub(super) fn recursive_bindings(&mut self) -> Parse<Vec<Binding>> {
        let mut bindings = vec![self.binding()?];
        while self.at(TokenKind::Let) {
            bindings.push(self.binding()?);
        }
        Ok(bindings)
    }

    fn optional_type(&mut self) -> Parse<Option<TypeExpr>> {
        Ok(if self.eat(TokenKind::Colon) { Some(self.type_expr()?) } else { None })
    }

    pub(super) fn type_decl(&mut self) -> Parse<TypeDecl> {
        self.bump();
        let name = self.type_name("the name of a type")?;
        let parameters = self.type_parameters()?;
        let definition = if self.eat(TokenKind::Equals) { Some(self.type_expr()?) } else { None };
        Ok(TypeDecl { name, parameters, definition })
    }

    pub(super) fn type_parameters(&mut self) -> Parse<Vec<Ident>> {
        let mut parameters = Vec::new();
        while self.at_any(&[TokenKind::Lower, TokenKind::QuotedVar]) {
            parameters.push(self.variable("a type variable")?);
        }
        Ok(parameters)
    }

    fn utest(&mut self) -> Parse<Utest> {
        self.bump();
        let actual = self.expression()?;
        self.expect(TokenKind::With, "`with`, or the rest of the expression")?;
        let expected = self.expression()?;
        let using = if self.eat(TokenKind::Using) { Some(self.expression()?) } else { None };
        let otherwise = if self.eat(TokenKind::Else) { Some(self.expression()?) } else { None };
        Ok(Utest { actual, expected, using, otherwise })
    }
}
