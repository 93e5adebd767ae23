//! Programs and declarations, and recovery from errors.

use warpwise_diag::Diagnostic;

use super::{Parse, Parsed, Parser, Reported};
use crate::syntax::ast::{
    Attr, Decl, DeclKind, Doc, Ident, ModuleDecl, ModuleTypeDecl, Pat, Program, TypeDecl, ValueDecl,
};
use crate::syntax::lexer::TokenKind;

impl Parser<'_> {
    pub(super) fn program(mut self) -> Parsed {
        let two_comments = self.at(TokenKind::Doc) && self.kind_at(1) == TokenKind::Doc;
        let doc = if two_comments { Some(self.doc()) } else { None };
        let decls = self.decls(TokenKind::Eof);
        let doc = doc.filter(|_| decls.first().is_some_and(|decl| decl.doc.is_some()));
        Parsed { program: Program { doc, decls }, errors: self.errors }
    }

    /// Parses declarations up to `end`, which is not taken. Reports and omits those with errors.
    pub(super) fn decls(&mut self, end: TokenKind) -> Vec<Decl> {
        let mut decls = Vec::new();
        while !self.at_any(&[end, TokenKind::Eof]) {
            let before = self.position;
            match self.decl() {
                Ok(decl) => decls.push(decl),
                Err(Reported) => self.recover(before, end),
            }
        }
        decls
    }

    /// Skips to the apparent start of the next declaration, or to the end of the enclosing module body.
    fn recover(&mut self, before: usize, end: TokenKind) {
        if self.position == before {
            self.bump();
        }
        self.height = 0;
        let mut braces = 0;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::LBrace => braces += 1,
                TokenKind::RBrace if braces == 0 && end == TokenKind::RBrace => return,
                TokenKind::RBrace if braces > 0 => braces -= 1,
                _ if self.starts_decl() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Whether a declaration certainly starts here. `let`, `open` and similar tokens count only at the start of a line.
    fn starts_decl(&self) -> bool {
        use TokenKind::*;
        match self.kind() {
            Def | Entry => true,
            Module | Type | Open | Local | Import | Let | AttrOpen | Doc => {
                let start = self.start() as usize;
                start == 0 || self.text.as_bytes()[start - 1] == b'\n'
            }
            _ => false,
        }
    }

    fn decl(&mut self) -> Parse<Decl> {
        let doc = if self.at(TokenKind::Doc) { Some(self.doc()) } else { None };
        let start = self.start();
        let attrs = self.attrs()?;
        let kind = match self.kind() {
            TokenKind::Def | TokenKind::Let => DeclKind::Value(self.value_decl()?),
            TokenKind::Entry => DeclKind::Value(self.entry_decl()?),
            TokenKind::Type => DeclKind::Type(self.type_decl()?),
            TokenKind::Module if self.kind_at(1) == TokenKind::Type => {
                DeclKind::ModuleType(self.module_type_decl()?)
            }
            TokenKind::Module => DeclKind::Module(self.module_decl()?),
            TokenKind::Open => {
                self.bump();
                DeclKind::Open(self.module_expr()?)
            }
            TokenKind::Import => {
                self.bump();
                DeclKind::Import(self.import_path()?)
            }
            TokenKind::Local => {
                self.bump();
                DeclKind::Local(Box::new(self.nested(Parser::decl)?))
            }
            _ => {
                return Err(self.unexpected(
                    "a declaration (`def`, `entry`, `type`, `module`, `open`, `import`, `local`)",
                ));
            }
        };
        Ok(Decl { span: self.span_from(start), doc, attrs, kind })
    }

    /// Parses any number of attributes: `#[a] #[b]`.
    pub(super) fn attrs(&mut self) -> Parse<Vec<Attr>> {
        let mut attrs = Vec::new();
        while self.at(TokenKind::AttrOpen) {
            attrs.push(self.attr()?);
        }
        Ok(attrs)
    }

    /// Takes a documentation comment. Strips `--` and the following character from every line.
    pub(super) fn doc(&mut self) -> Doc {
        let token = self.bump();
        let text = self.slice(token);
        let lines = text.lines().enumerate().map(|(number, line)| {
            let line = line.trim_start().strip_prefix("--").unwrap_or(line);
            let line = if number == 0 { line.strip_prefix(" |").unwrap_or(line) } else { line };
            line.strip_prefix(' ').unwrap_or(line).trim_end_matches('\r')
        });
        Doc { span: self.token_span(token), text: lines.collect::<Vec<_>>().join("\n") }
    }

    /// Parses `def` and `let`, including the infix form `def x + y = e`.
    fn value_decl(&mut self) -> Parse<ValueDecl> {
        self.bump();
        let operator_next = self.operator_at(1) || self.kind_at(1) == TokenKind::Bang;
        let named = match self.kind() {
            TokenKind::LParen => operator_next,
            kind => kind == TokenKind::Ident && !operator_next,
        };
        if named {
            let name = self.binding_name()?;
            return self.value_rest(false, name);
        }
        let left = self.param()?;
        if self.at(TokenKind::Equals) {
            return Err(self.pattern_at_top(&left));
        }
        let name = self.binding_operator()?;
        let right = self.param()?;
        let result = self.optional_ascription()?;
        self.expect(TokenKind::Equals, "`=`")?;
        let name = self.binder(name);
        let params = vec![left, right];
        Ok(ValueDecl {
            entry: false,
            name,
            type_params: Vec::new(),
            params,
            result,
            body: self.expression()?,
        })
    }

    fn pattern_at_top(&mut self, pattern: &Pat) -> Reported {
        let message = "a pattern cannot be bound at the top of a file or module";
        let diagnostic = Diagnostic::error("E0114", pattern.span, message);
        self.report(
            diagnostic
                .hint("bind one name, and take its parts from it: `def both = ...`, `def first = both.0`"),
        )
    }

    fn entry_decl(&mut self) -> Parse<ValueDecl> {
        self.bump();
        let name = self.binding_name()?;
        self.value_rest(true, name)
    }

    /// Parses the rest of a value declaration after its name.
    fn value_rest(&mut self, entry: bool, name: Ident) -> Parse<ValueDecl> {
        let name = self.binder(name);
        let type_params = self.type_params()?;
        let params = self.params()?;
        let result = self.optional_ascription()?;
        self.expect(TokenKind::Equals, "`=`, `:` or a parameter")?;
        Ok(ValueDecl { entry, name, type_params, params, result, body: self.expression()? })
    }

    fn type_decl(&mut self) -> Parse<TypeDecl> {
        self.bump();
        let liftedness = self.liftedness();
        let name = self.ident("the name of a type")?;
        let params = self.type_params()?;
        self.expect(TokenKind::Equals, "`=` or a type parameter")?;
        Ok(TypeDecl { liftedness, name, params, definition: self.type_expr()? })
    }

    fn module_type_decl(&mut self) -> Parse<ModuleTypeDecl> {
        self.bump();
        self.bump();
        let name = self.ident("the name of a module type")?;
        self.expect(TokenKind::Equals, "`=`")?;
        Ok(ModuleTypeDecl { name, definition: self.module_type()? })
    }

    fn module_decl(&mut self) -> Parse<ModuleDecl> {
        self.bump();
        let name = self.ident("the name of a module")?;
        let mut params = Vec::new();
        while self.at(TokenKind::LParen) {
            params.push(self.module_param()?);
        }
        let signature = if self.eat(TokenKind::Colon) { Some(self.module_type()?) } else { None };
        self.expect(TokenKind::Equals, "`=`")?;
        Ok(ModuleDecl { name, params, signature, body: self.module_expr()? })
    }
}
