//! Names, operators as names, type parameters, attributes.

use warpwise_diag::Diagnostic;

use super::{Parse, Parser};
use crate::syntax::ast::{
    Attr, AttrKind, Binder, Ident, ImportPath, Liftedness, Literal, QualName, TypeParam, TypeParamKind,
};
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::literals::{decode_number, decode_string};

impl Parser<'_> {
    /// Parses a plain name.
    pub(super) fn ident(&mut self, what: &str) -> Parse<Ident> {
        let token = self.expect(TokenKind::Ident, what)?;
        Ok(self.intern(token))
    }

    /// Interns a token's whole text as a name.
    pub(super) fn intern(&mut self, token: Token) -> Ident {
        let symbol = self.session.names.intern(self.slice(token));
        Ident { symbol, span: self.token_span(token) }
    }

    pub(super) fn binder(&mut self, name: Ident) -> Binder {
        Binder { id: self.session.ids.fresh_pat(), name }
    }

    /// Parses the name of a field: a name or decimal digits.
    pub(super) fn field(&mut self) -> Parse<Ident> {
        if self.at(TokenKind::Decimal) {
            let token = self.bump();
            return Ok(self.intern(token));
        }
        self.ident("the name of a field")
    }

    /// Parses `#name`, and returns the name without the mark.
    pub(super) fn constructor(&mut self) -> Parse<Ident> {
        let token = self.expect(TokenKind::Constructor, "a constructor")?;
        let symbol = self.session.names.intern(&self.slice(token)[1..]);
        Ok(Ident { symbol, span: self.token_span(token) })
    }

    /// Parses `a.b.c`.
    pub(super) fn qual_name(&mut self, what: &str) -> Parse<QualName> {
        let mut whole = QualName::plain(self.ident(what)?);
        while self.at(TokenKind::Dot) && self.kind_at(1) == TokenKind::Ident {
            self.bump();
            self.extend_name(&mut whole)?;
        }
        Ok(whole)
    }

    /// Parses the name after a dot, and appends it.
    pub(super) fn extend_name(&mut self, whole: &mut QualName) -> Parse<()> {
        let name = self.ident("a name")?;
        whole.qualifiers.push(std::mem::replace(&mut whole.name, name));
        whole.span = whole.span.to(name.span);
        Ok(())
    }

    /// Whether an infix operator may start here: a symbol, or a name between backticks.
    pub(super) fn at_operator(&self) -> bool {
        self.operator_at(0)
    }

    /// Whether an infix operator may start `n` tokens ahead.
    pub(super) fn operator_at(&self, n: usize) -> bool {
        use TokenKind::*;
        [Operator, QualOperator, Star, Minus, Less, Caret, Pipe, Backtick].contains(&self.kind_at(n))
    }

    /// Parses an infix operator where it is used.
    pub(super) fn operator(&mut self) -> Parse<QualName> {
        let start = self.start();
        if self.eat(TokenKind::Backtick) {
            let mut name = self.qual_name("the name of a function")?;
            self.expect(TokenKind::Backtick, "a closing backtick")?;
            name.span = self.span_from(start);
            return Ok(name);
        }
        if !self.at_operator() {
            return Err(self.unexpected("an operator"));
        }
        let token = self.bump();
        Ok(if token.kind == TokenKind::QualOperator {
            self.split(token)
        } else {
            QualName::plain(self.intern(token))
        })
    }

    /// Splits `a.b.+` into its names. The operator itself may contain dots.
    fn split(&mut self, token: Token) -> QualName {
        let mut qualifiers = Vec::new();
        let mut rest = token;
        let starts_name = |text: &str| text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        while starts_name(self.slice(rest)) {
            let length = self.slice(rest).find('.').unwrap_or(0) as u32;
            qualifiers.push(self.intern(Token { end: rest.start + length, ..rest }));
            rest.start += length + 1;
        }
        QualName { span: self.token_span(token), qualifiers, name: self.intern(rest) }
    }

    /// Parses an operator where it is declared.
    pub(super) fn binding_operator(&mut self) -> Parse<Ident> {
        if self.at(TokenKind::Bang) {
            let span = self.token_span(self.token());
            let message = "`!` is a prefix operator and cannot be used as infix operator";
            return Err(self.report(Diagnostic::error("E0117", span, message)));
        }
        let operator = self.operator()?;
        if operator.qualifiers.is_empty() {
            return Ok(operator.name);
        }
        let message = "a qualified name cannot be given a meaning here";
        let diagnostic = Diagnostic::error("E0115", operator.span, message);
        Err(self.report(diagnostic.hint("declare it inside the module instead")))
    }

    /// Parses a name to be declared, or an operator in parentheses.
    pub(super) fn binding_name(&mut self) -> Parse<Ident> {
        if !self.eat(TokenKind::LParen) {
            return self.ident("a name or an operator in parentheses");
        }
        let operator = self.binding_operator()?;
        self.expect(TokenKind::RParen, "`)`")?;
        Ok(operator)
    }

    pub(super) fn at_bracket(&self) -> bool {
        self.at_any(&[TokenKind::LBracket, TokenKind::IndexBracket])
    }

    /// Parses `[n]`, and returns the name.
    pub(super) fn size_name(&mut self) -> Parse<Ident> {
        if !self.at_bracket() {
            return Err(self.unexpected("`[`"));
        }
        self.bump();
        let name = self.ident("the name of a size")?;
        self.expect(TokenKind::RBracket, "`]`")?;
        Ok(name)
    }

    pub(super) fn at_type_param(&self) -> bool {
        use TokenKind::*;
        self.at_any(&[LBracket, IndexBracket, Quote, QuoteCaret, QuoteTilde])
    }

    /// Parses any number of type parameters: `[n] 'a '~b '^c`.
    pub(super) fn type_params(&mut self) -> Parse<Vec<TypeParam>> {
        let mut params = Vec::new();
        while self.at_type_param() {
            params.push(self.type_param()?);
        }
        Ok(params)
    }

    fn type_param(&mut self) -> Parse<TypeParam> {
        let start = self.start();
        let liftedness = match self.kind() {
            TokenKind::Quote => Liftedness::Unlifted,
            TokenKind::QuoteTilde => Liftedness::SizeLifted,
            TokenKind::QuoteCaret => Liftedness::Lifted,
            _ => {
                let name = self.size_name()?;
                return Ok(TypeParam { span: self.span_from(start), name, kind: TypeParamKind::Size });
            }
        };
        self.bump();
        let name = self.ident("the name of a type parameter")?;
        Ok(TypeParam { span: self.span_from(start), name, kind: TypeParamKind::Type(liftedness) })
    }

    /// Parses `~`, `^` or nothing, after `type`.
    pub(super) fn liftedness(&mut self) -> Liftedness {
        if self.eat(TokenKind::Tilde) {
            Liftedness::SizeLifted
        } else if self.eat(TokenKind::Caret) {
            Liftedness::Lifted
        } else {
            Liftedness::Unlifted
        }
    }

    /// Parses `#[attr]`.
    pub(super) fn attr(&mut self) -> Parse<Attr> {
        self.expect(TokenKind::AttrOpen, "`#[`")?;
        let attr = self.attr_inside()?;
        self.expect(TokenKind::RBracket, "`]`")?;
        Ok(attr)
    }

    fn attr_inside(&mut self) -> Parse<Attr> {
        let start = self.start();
        let kind = if self.at_any(&[TokenKind::Decimal, TokenKind::Number]) {
            AttrKind::Int(self.attr_int()?)
        } else {
            let name = self.ident("a name or an integer")?;
            if self.eat(TokenKind::LParen) {
                let inside = |parser: &mut Self| parser.nested(Parser::attr_inside);
                AttrKind::Compound(name, self.comma_list(TokenKind::RParen, "`,` or `)`", inside)?)
            } else {
                AttrKind::Name(name)
            }
        };
        Ok(Attr { span: self.span_from(start), kind })
    }

    fn attr_int(&mut self) -> Parse<u128> {
        match decode_number(self.slice(self.token())) {
            Ok(Literal::Int(value)) => {
                self.bump();
                Ok(value)
            }
            Ok(_) | Err(_) => Err(self.unexpected("an integer without suffix")),
        }
    }

    /// Parses the string after `import`.
    pub(super) fn import_path(&mut self) -> Parse<ImportPath> {
        let token = self.expect(TokenKind::String, "the name of a file between double quotes")?;
        let path = self.decode(token, decode_string)?;
        Ok(ImportPath { span: self.token_span(token), path })
    }
}
