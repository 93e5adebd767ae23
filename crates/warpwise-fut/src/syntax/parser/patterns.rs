//! Patterns and parameters.

use super::{Parse, Parser};
use crate::syntax::ast::{FieldPat, Ident, Pat, PatKind};
use crate::syntax::lexer::TokenKind;

impl Parser<'_> {
    /// Parses a whole pattern, which may include an attribute, a constructor with arguments, or a type.
    pub(super) fn pattern(&mut self) -> Parse<Pat> {
        self.nested(Parser::pattern_inside)
    }

    fn pattern_inside(&mut self) -> Parse<Pat> {
        let start = self.start();
        if self.at(TokenKind::AttrOpen) {
            let attr = Box::new(self.attr()?);
            let inner = Box::new(self.pattern()?);
            return Ok(self.pat(start, PatKind::Attr(attr, inner)));
        }
        if self.at(TokenKind::Constructor) {
            let name = self.constructor()?;
            let mut arguments = Vec::new();
            while self.at_param() || self.at(TokenKind::Minus) {
                arguments.push(self.inner_pattern()?);
            }
            let has_arguments = !arguments.is_empty();
            let pattern = self.pat(start, PatKind::Constructor(name, arguments));
            return if has_arguments { Ok(pattern) } else { self.pattern_ascription(start, pattern) };
        }
        let pattern = self.inner_pattern()?;
        self.pattern_ascription(start, pattern)
    }

    fn pattern_ascription(&mut self, start: u32, pattern: Pat) -> Parse<Pat> {
        if !self.eat(TokenKind::Colon) {
            return Ok(pattern);
        }
        let ty = Box::new(self.type_expr()?);
        Ok(self.pat(start, PatKind::Ascribe(Box::new(pattern), ty)))
    }

    /// Parses a self-delimiting pattern or a negative number.
    fn inner_pattern(&mut self) -> Parse<Pat> {
        let start = self.start();
        if !self.eat(TokenKind::Minus) {
            return self.param();
        }
        let is_number = self.at_any(&[TokenKind::Decimal, TokenKind::Number]);
        match self.literal()?.filter(|_| is_number) {
            Some(literal) => Ok(self.pat(start, PatKind::Literal { negated: true, literal })),
            None => Err(self.unexpected("a number")),
        }
    }

    /// Parses any number of parameters.
    pub(super) fn params(&mut self) -> Parse<Vec<Pat>> {
        let mut params = Vec::new();
        while self.at_param() {
            params.push(self.param()?);
        }
        Ok(params)
    }

    pub(super) fn at_param(&self) -> bool {
        use TokenKind::*;
        self.at_any(&[Ident, LParen, LBrace, Underscore, Constructor, Decimal, Number, Char, True, False])
    }

    /// Parses a parameter: a self-delimiting pattern.
    pub(super) fn param(&mut self) -> Parse<Pat> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::Ident => PatKind::Name(self.ident("a name")?),
            TokenKind::Underscore => {
                self.bump();
                PatKind::Wildcard
            }
            TokenKind::Constructor => PatKind::Constructor(self.constructor()?, Vec::new()),
            TokenKind::LParen => return self.parenthesised_pattern(),
            TokenKind::LBrace => {
                self.bump();
                PatKind::Record(self.comma_list(TokenKind::RBrace, "`,` or `}`", Parser::field_pattern)?)
            }
            _ => match self.literal()? {
                Some(literal) => PatKind::Literal { negated: false, literal },
                None => return Err(self.unexpected("a pattern")),
            },
        };
        Ok(self.pat(start, kind))
    }

    /// Parses unit, tuples, plain parentheses, and operators to be bound.
    fn parenthesised_pattern(&mut self) -> Parse<Pat> {
        let start = self.bump().start;
        let negative = self.at(TokenKind::Minus) && self.kind_at(1) != TokenKind::RParen;
        if !negative && (self.at_operator() || self.at(TokenKind::Bang)) {
            let operator = self.binding_operator()?;
            self.expect(TokenKind::RParen, "`)`")?;
            return Ok(self.pat(start, PatKind::Name(operator)));
        }
        if self.eat(TokenKind::RParen) {
            return Ok(self.pat(start, PatKind::Tuple(Vec::new())));
        }
        let first = self.pattern()?;
        if !self.eat(TokenKind::Comma) {
            self.expect(TokenKind::RParen, "`)` or `,`")?;
            return Ok(first);
        }
        if self.at(TokenKind::RParen) {
            return Err(self.unexpected("another element of the tuple"));
        }
        let mut elements = vec![first];
        elements.extend(self.comma_list(TokenKind::RParen, "`,` or `)`", Parser::pattern)?);
        Ok(self.pat(start, PatKind::Tuple(elements)))
    }

    /// Parses `x = p`, `x: t` or `x`.
    fn field_pattern(&mut self) -> Parse<FieldPat> {
        let start = self.start();
        let name: Ident = self.field()?;
        if self.eat(TokenKind::Equals) {
            return Ok(FieldPat { name, pattern: self.pattern()? });
        }
        let bound = self.pat(start, PatKind::Name(name));
        let pattern = self.pattern_ascription(start, bound)?;
        Ok(FieldPat { name, pattern })
    }
}
